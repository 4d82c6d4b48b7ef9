//! The edge: from a listener to whoever answers, with a limit on everything a client can hold on to.
//! Decides nothing about a request but when its connection ends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use http::header::CONNECTION;
use http::{HeaderValue, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use super::ahead::{Ahead, Refused};
use super::fault::Broken;
pub use super::head::Flaw;
pub use super::places::Arriving;
use super::places::{Place, Places};
use super::socket::{Socket, Unread};
use crate::scenario::WireFault;

/// What a client may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeLimits {
    /// Connections at once. For a further one the connection makes room that has waited longest for
    /// its client; while all are busy with a call the further ones wait, in the order they came.
    pub connections: usize,
    /// How long the head of a request may take, counted from the end of the answer before it: an
    /// idle connection is closed after this time, too.
    pub head: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long a client may take no byte of an answer.
    pub write: Duration,
    /// How long bytes of a body that nobody reads are taken off the wire after the answer.
    pub linger: Duration,
    /// Bytes of a request's head.
    pub head_bytes: usize,
    /// How long running requests may go on after the stop.
    pub drain: Duration,
}

impl Default for EdgeLimits {
    fn default() -> Self {
        EdgeLimits {
            connections: 1024,
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            linger: Duration::from_secs(1),
            head_bytes: 64 * 1024,
            drain: Duration::from_secs(10),
        }
    }
}

/// A request as it came in.
pub struct Asked<B = Arriving> {
    /// The request; a plain one where it can't be understood in one way only.
    pub request: Request<B>,
    /// Why it can't. Such a request must be answered as an error.
    pub flaw: Option<Flaw>,
    /// The other end of its connection.
    pub peer: SocketAddr,
}

/// Whoever answers the requests of a listener.
pub trait Answers: Clone + Send + Sync + 'static {
    /// The answer to a request.
    fn answer(self, asked: Asked) -> impl Future<Output = Response> + Send;
}

/// A router finds a [`Flaw`] among the extensions of the request.
impl Answers for Router {
    async fn answer(mut self, asked: Asked) -> Response {
        let mut request = asked.request;
        if let Some(flaw) = asked.flaw {
            request.extensions_mut().insert(flaw);
        }
        let Ok(answer) = self.call(request).await;
        answer
    }
}

/// More than hyper must be able to hold so that it never finds a head too long that was let pass.
const READ_AHEAD_BYTES: usize = 16 * 1024;

/// How long accepting rests when the machine has no more sockets to give.
const REST: Duration = Duration::from_millis(50);

/// Answers the requests of a listener until told to stop; then lets running ones end within the drain
/// deadline and closes what is left. Dropped, it closes everything at once.
pub async fn serve(
    listener: TcpListener,
    answers: impl Answers,
    limits: EdgeLimits,
    stop: CancellationToken,
) {
    let http = Arc::new(builder(&limits));
    let places = Places::new(limits.connections);
    let (connections, end) = (TaskTracker::new(), CancellationToken::new());
    let _ended_when_dropped = end.clone().drop_guard();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = accept(&listener, &places, &end) => accepted,
        };
        let Some((stream, peer, place)) = accepted else {
            continue;
        };
        let (http, answers) = (Arc::clone(&http), answers.clone());
        // A token of its own, so that a busy connection shares no lock with another.
        let stop = stop.child_token();
        connections.spawn(async move {
            connection(&http, stream, peer, answers, &limits, &stop, place).await;
        });
    }
    drop(listener);
    connections.close();
    if tokio::time::timeout(limits.drain, connections.wait())
        .await
        .is_err()
    {
        tracing::warn!(
            connections = connections.len(),
            "requests were still running at the drain deadline"
        );
        end.cancel();
        connections.wait().await;
    }
}

fn builder(limits: &EdgeLimits) -> Builder {
    let mut http = Builder::new();
    // The most headers are hyper's default of 100: to say so here would move them to the heap.
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(limits.head_bytes + READ_AHEAD_BYTES)
        .keep_alive(true)
        .half_close(false);
    http
}

/// The next connection and its place. Who gets none stays in line, and those behind it in the
/// listener's queue.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Places>,
    end: &CancellationToken,
) -> Option<(TcpStream, SocketAddr, Place)> {
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, places.take(end).await)),
        Err(error) => {
            // One client's mishap, or no sockets left: neither is a reason to stop listening.
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(REST).await;
            None
        }
    }
}

async fn connection(
    http: &Builder,
    stream: TcpStream,
    peer: SocketAddr,
    answers: impl Answers,
    limits: &EdgeLimits,
    stop: &CancellationToken,
    place: Place,
) {
    // Answers are written whole: waiting for more bytes would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was not set");
    }
    let end = place.leave();
    let line = Arc::new(Line {
        peer,
        place: Arc::new(place),
        requests: AtomicU64::new(0),
        refused: Refused::default(),
        unread: Unread::default(),
        stop: stop.clone(),
    });
    let ahead = Ahead::new(limits.head_bytes, line.refused.clone());
    let socket = Socket::new(
        stream,
        limits.write,
        limits.linger,
        line.unread.clone(),
        ahead,
    );
    let serving = Arc::clone(&line);
    let service = service_fn(move |request: Request<Incoming>| {
        let number = serving.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = answers.clone().answer(serving.asked(number, request));
        let line = Arc::clone(&serving);
        async move { line.sent(number, answer.await).await }
    });
    let mut connection = http.serve_connection(TokioIo::new(socket), service);
    let ended = tokio::select! {
        biased;
        ended = &mut connection => ended,
        () = end.cancelled() => return,
        () = stop.cancelled() => {
            if line.requests.load(Ordering::Relaxed) == 0 {
                // Nothing was asked yet, and hyper would wait for it.
                return;
            }
            std::pin::Pin::new(&mut connection).graceful_shutdown();
            tokio::select! {
                biased;
                ended = &mut connection => ended,
                () = end.cancelled() => return,
            }
        }
    };
    let Err(error) = ended else {
        return;
    };
    tracing::debug!(%error, %peer, "a connection broke");
    if let Some(broken) = Broken::of(&error) {
        let socket = connection.into_parts().io.into_inner();
        tokio::select! {
            biased;
            () = broken.happen(socket, stop) => {}
            () = end.cancelled() => {}
        }
    }
}

/// What the requests of one connection share.
struct Line {
    peer: SocketAddr,
    place: Arc<Place>,
    requests: AtomicU64,
    refused: Refused,
    unread: Unread,
    stop: CancellationToken,
}

impl Line {
    /// The request of this number.
    fn asked(&self, number: u64, request: Request<Incoming>) -> Asked {
        self.place.is_busy();
        self.unread.clear();
        Asked {
            request: request.map(|body| Arriving::new(body, Arc::clone(&self.place))),
            flaw: self.refused.why(number),
            peer: self.peer,
        }
    }

    /// The answer as it is sent, or how it breaks.
    async fn sent(&self, number: u64, mut answer: Response) -> Result<Response, Broken> {
        if let Some(fault) = answer.extensions_mut().remove::<WireFault>() {
            return Err(Broken::new(fault, answer).await);
        }
        // Whoever asks to close the connection has not read the body to its end. Nor was anything
        // read after a request that was refused.
        let refused = self.refused.why(number).is_some();
        // Who overlooked the flaw has answered what nobody asked.
        if refused && !answer.status().is_client_error() && !answer.status().is_server_error() {
            answer = StatusCode::BAD_REQUEST.into_response();
        }
        if answer.headers().contains_key(CONNECTION) || refused {
            self.unread.note();
            close_after(&mut answer);
        } else if self.stop.is_cancelled() || self.place.is_wanted() {
            // The next call would find nobody, even if this one was answered before the connection
            // heard of the stop; or somebody else waits for the place.
            close_after(&mut answer);
        }
        self.place.waits();
        Ok(answer)
    }
}

fn close_after(answer: &mut Response) {
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(CONNECTION, close);
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_router_that_overlooks_a_flaw_can_not_answer_it_with_success() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(|| async { "what nobody asked" });
        let stop = CancellationToken::new();
        tokio::spawn(serve(listener, router, EdgeLimits::default(), stop.clone()));
        for (request, begins) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 "),
            ("GET / HTTP/1.1\nHost: a\n\n", "HTTP/1.1 400 "),
        ] {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(request.as_bytes()).await.unwrap();
            client.shutdown().await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            assert!(answer.starts_with(begins), "{answer}");
        }
        stop.cancel();
    }
}
