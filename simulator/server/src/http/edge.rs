//! The edge: accepts the connections of a listener and hands each request to its handler, with a limit
//! on everything that a client can occupy. Decides nothing about a request but when its connection ends.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::response::{IntoResponse as _, Response};

use futures_util::FutureExt as _;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

pub use super::body::{ReadBody, read_body};
pub use super::connection_limiter::{ConnectionCounts, RequestBody};
use super::connection_limiter::{ConnectionLimiter, Slot};
use super::connection_timer::ConnectionTimer;
use super::request_gate::{RefusedRequest, RequestGate};
pub use super::request_head::MalformedRequest;
use super::socket::{AwaitedAnswer, BrokenResponse, Socket, UnreadInput};
use super::workers::{Workers, adopted};
use crate::scenario::WireFault;

/// The limits on what clients can occupy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeLimits {
    /// Connections at once. For a further one the connection that has been idle longest is closed;
    /// while all are busy with a call, further ones wait in the order in which they came.
    pub connections: usize,
    /// How long the head of a request may take, counted from the end of the previous answer. An idle
    /// connection is closed after this time, too.
    pub head: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long a client may go without taking a byte of an answer.
    pub write: Duration,
    /// How long the unread rest of a request is read and dropped after the answer.
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
pub struct IncomingRequest<B = RequestBody> {
    /// The request, or a harmless replacement where it is malformed.
    pub request: Request<B>,
    /// Why it is malformed. Such a request must be answered as an error.
    pub malformed: Option<MalformedRequest>,
    /// The other end of its connection.
    pub peer: SocketAddr,
}

/// What answers the requests of a listener.
pub trait Handler: Clone + Send + Sync + 'static {
    /// The answer to a request.
    fn handle(self, incoming: IncomingRequest) -> impl Future<Output = Response> + Send;
}

/// A router finds a [`MalformedRequest`] among the extensions of the request.
impl Handler for Router {
    async fn handle(mut self, incoming: IncomingRequest) -> Response {
        let mut request = incoming.request;
        if let Some(malformed) = incoming.malformed {
            request.extensions_mut().insert(malformed);
        }
        let Ok(answer) = self.call(request).await;
        answer
    }
}

/// The media type of a body without its parameters; none where it is not said, or said twice.
#[must_use]
pub fn media_type(headers: &HeaderMap) -> Option<&str> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let media_type = types.next().filter(|_| types.next().is_none())?;
    let text = media_type.to_str().unwrap_or_default();
    text.split(';').next().map(str::trim)
}

/// How much longer hyper's buffer is than the longest head, so that hyper never refuses a head that the
/// gate let through.
const READ_AHEAD_BYTES: usize = 16 * 1024;

/// How long to wait after the machine could give no socket.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How often it is said that connections can't be accepted.
const SAID_EVERY: Duration = Duration::from_mins(1);

/// Serves a listener until `stop` is cancelled: it accepts connections, `workers` serve them. Then it waits for running
/// requests up to the drain deadline and closes what is left. Dropping the future closes every connection at once.
pub async fn serve(
    listener: TcpListener,
    handler: impl Handler,
    limits: EdgeLimits,
    counts: Arc<ConnectionCounts>,
    workers: Arc<Workers>,
    stop: CancellationToken,
) {
    let http = builder(&limits);
    let limiter = ConnectionLimiter::new(limits.connections, counts);
    let connections = TaskTracker::new();
    let stopped = Arc::new(Stop::default());
    let _ended_when_dropped = EndWhenDropped(Arc::clone(&limiter));
    let mut failures = AcceptFailures::default();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = accept(&listener, &limiter, &mut failures) => accepted,
        };
        let Some((stream, peer, slot)) = accepted else {
            continue;
        };
        let (http, handler, stopped) = (http.clone(), handler.clone(), Arc::clone(&stopped));
        let state = slot.state();
        let (runtime, place) = workers.next();
        let served = async move {
            let _counted = place;
            if let Some(stream) = adopted(stream) {
                connection(http, stream, peer, handler, &limits, stopped, slot).await;
            }
        };
        let task = connections.spawn_on(served, &runtime);
        state.served_by(task.abort_handle());
    }
    stopped.begin();
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
        limiter.evict_all();
        connections.wait().await;
    }
}

/// Closes every connection of a listener that is no longer served.
struct EndWhenDropped(Arc<ConnectionLimiter>);

impl Drop for EndWhenDropped {
    fn drop(&mut self) {
        self.0.evict_all();
    }
}

/// The stop of a listener as its connections see it.
#[derive(Default)]
struct Stop {
    begun: AtomicBool,
    token: CancellationToken,
}

impl Stop {
    fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        self.token.cancel();
    }

    fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// Waits for it, in the task of one connection. Each wake-up of the task looks here: the token, which has a
    /// lock, is asked the first time only, and wakes the task by itself.
    async fn wait(&self) {
        let mut cancelled = pin!(self.token.cancelled());
        let mut waits = false;
        poll_fn(|context| {
            if waits && !self.has_begun() {
                return Poll::Pending;
            }
            waits = true;
            cancelled.as_mut().poll(context)
        })
        .await;
    }
}

fn builder(limits: &EdgeLimits) -> Builder {
    let mut http = Builder::new();
    // Hyper's default of 100 headers is the limit: setting it would move the headers to the heap.
    http.header_read_timeout(limits.head)
        .max_buf_size(limits.head_bytes + READ_AHEAD_BYTES)
        .keep_alive(true)
        .half_close(false);
    http
}

/// Failures to accept, of which one a minute is logged: where no file can be opened any more they come many times
/// a second.
#[derive(Default)]
struct AcceptFailures {
    said: Option<tokio::time::Instant>,
    unsaid: u64,
}

impl AcceptFailures {
    /// Notes one. Where it is to be said, gives how many were not said before it.
    fn note(&mut self, now: tokio::time::Instant) -> Option<u64> {
        let is_said = self.said.is_none_or(|said| now - said >= SAID_EVERY);
        if !is_said {
            self.unsaid += 1;
            return None;
        }
        self.said = Some(now);
        Some(std::mem::take(&mut self.unsaid))
    }
}

/// The next connection with its slot. While one waits for a slot, later ones stay in the listener's
/// queue.
async fn accept(
    listener: &TcpListener,
    limiter: &Arc<ConnectionLimiter>,
    failures: &mut AcceptFailures,
) -> Option<(TcpStream, SocketAddr, Slot)> {
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, limiter.acquire().await)),
        Err(error) => {
            // One client's failure, or no sockets left: neither is a reason to stop listening.
            if let Some(unsaid) = failures.note(tokio::time::Instant::now()) {
                tracing::warn!(%error, unsaid, "a connection could not be accepted; more of this is said after a minute");
            }
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

async fn connection(
    mut http: Builder,
    stream: TcpStream,
    peer: SocketAddr,
    handler: impl Handler,
    limits: &EdgeLimits,
    stop: Arc<Stop>,
    slot: Slot,
) {
    // Answers are written whole: waiting for more bytes would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was not set");
    }
    let state = Arc::new(ConnectionState {
        peer,
        slot: Arc::new(slot),
        requests: AtomicU64::new(0),
        refused: RefusedRequest::default(),
        unread: UnreadInput::default(),
        awaited: AwaitedAnswer::default(),
        stop: Arc::clone(&stop),
    });
    let gate = RequestGate::new(limits.head_bytes, state.refused.clone());
    let (unread, awaited) = (state.unread.clone(), state.awaited.clone());
    let socket = Socket::new(stream, limits.write, limits.linger, unread, awaited, gate);
    let serving = Arc::clone(&state);
    let service = service_fn(move |request: Request<Incoming>| {
        let number = serving.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let answer = handler.clone().handle(serving.incoming(number, request));
        let state = Arc::clone(&serving);
        // In an `async` block the future, of some thousand bytes, would be copied to where it is awaited.
        answer.then(move |answer| async move { state.finish(number, answer).await })
    });
    http.timer(ConnectionTimer::default());
    let mut connection = http.serve_connection(TokioIo::new(socket), service);
    let ended = tokio::select! {
        biased;
        ended = &mut connection => ended,
        () = stop.wait() => {
            if state.requests.load(Ordering::Relaxed) == 0 {
                // Hyper would wait for a first request.
                return;
            }
            Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let Err(error) = ended else {
        return;
    };
    tracing::debug!(%error, %peer, "a connection broke");
    if let Some(broken) = BrokenResponse::from_error(&error) {
        let socket = connection.into_parts().io.into_inner();
        broken.play(socket, &stop.token).await;
    }
}

/// What the requests of one connection share.
struct ConnectionState {
    peer: SocketAddr,
    slot: Arc<Slot>,
    requests: AtomicU64,
    refused: RefusedRequest,
    unread: UnreadInput,
    awaited: AwaitedAnswer,
    stop: Arc<Stop>,
}

impl ConnectionState {
    /// The request of this number, for the handler.
    fn incoming(&self, number: u64, request: Request<Incoming>) -> IncomingRequest {
        self.slot.mark_busy();
        self.unread.clear();
        self.awaited.note();
        IncomingRequest {
            request: request.map(|body| RequestBody::new(body, Arc::clone(&self.slot))),
            malformed: self.refused.reason_for(number),
            peer: self.peer,
        }
    }

    /// The answer as hyper sends it, or the fault that breaks it.
    async fn finish(&self, number: u64, mut answer: Response) -> Result<Response, BrokenResponse> {
        if let Some(fault) = answer.extensions_mut().remove::<WireFault>() {
            return Err(BrokenResponse::new(fault, answer).await);
        }
        let refused = self.refused.reason_for(number).is_some();
        // A handler that overlooked the malformed request has answered its replacement.
        if refused && !answer.status().is_client_error() && !answer.status().is_server_error() {
            answer = StatusCode::BAD_REQUEST.into_response();
        }
        if answer.headers().contains_key(CONNECTION) || refused {
            // A handler that closes the connection has not read the whole body, and nothing is read
            // after a refused request.
            self.unread.note();
            close_after(&mut answer);
        } else if self.stop.has_begun() || self.slot.is_contended() {
            // The listener stops, or a new connection waits for the slot.
            close_after(&mut answer);
        }
        self.slot.mark_idle();
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
    async fn a_router_that_overlooks_a_malformed_request_can_not_answer_it_with_success() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(|| async { "what nobody asked" });
        let stop = CancellationToken::new();
        let counts = Arc::default();
        tokio::spawn(serve(
            listener,
            router,
            EdgeLimits::default(),
            counts,
            Arc::default(),
            stop.clone(),
        ));
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

    #[test]
    fn failures_to_accept_are_said_once_a_minute_with_how_many_there_were() {
        let (mut failures, began) = (AcceptFailures::default(), tokio::time::Instant::now());
        let said = |seconds: u64| failures.note(began + Duration::from_secs(seconds));
        let said: Vec<_> = [0, 1, 2, 59, 60, 61, 200].map(said).into();
        let expected = [Some(0), None, None, None, Some(3), None, Some(1)];
        assert_eq!(said, expected);
    }
}
