//! The edge: from a listener to a router, with a limit on everything a client can hold on to.
//! Decides nothing about a request but when its connection ends.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use http::header::CONNECTION;
use http::{HeaderValue, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use super::fault::Broken;
use super::socket::{Socket, Unread};
use crate::scenario::WireFault;

/// What a client may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeLimits {
    /// Connections at once. Further ones wait, in the order they came, until a place is free.
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
    /// Bytes of a request's head, and of what is read ahead. At least 8 KiB.
    pub buffer_bytes: usize,
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
            buffer_bytes: 64 * 1024,
            drain: Duration::from_secs(10),
        }
    }
}

/// The other end of the connection a request came in on; an extension of every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// How long accepting rests when the machine has no more sockets to give.
const REST: Duration = Duration::from_millis(50);

/// Serves a router on a listener until told to stop; then lets running requests end within the
/// drain deadline and closes what is left. Dropped, it closes everything at once.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: EdgeLimits,
    stop: CancellationToken,
) {
    let http = Arc::new(builder(&limits));
    let places = Arc::new(Semaphore::new(limits.connections));
    let (connections, end) = (TaskTracker::new(), CancellationToken::new());
    let _ended_when_dropped = end.clone().drop_guard();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let Some((stream, peer, place)) = accepted else {
            continue;
        };
        let (http, router) = (Arc::clone(&http), router.clone());
        // Tokens of its own, so that a busy connection shares no lock with another.
        let (stop, end) = (stop.child_token(), end.child_token());
        connections.spawn(async move {
            connection(&http, stream, peer, router, &limits, &stop, &end).await;
            drop(place);
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
        .max_buf_size(limits.buffer_bytes)
        .max_header_size(limits.buffer_bytes)
        .keep_alive(true)
        .half_close(false);
    http
}

/// The next connection and its place. Waits for the place first: who has none stays in the
/// listener's queue, in order.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await;
    let place = place.expect("the semaphore is never closed");
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, place)),
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
    router: Router,
    limits: &EdgeLimits,
    stop: &CancellationToken,
    end: &CancellationToken,
) {
    // Answers are written whole: waiting for more bytes would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY was not set");
    }
    let unread = Unread::default();
    let socket = Socket::new(stream, limits.write, limits.linger, unread.clone());
    let stopping = stop.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        unread.clear();
        let answer = router.clone().call(request);
        let (unread, stopping) = (unread.clone(), stopping.clone());
        async move {
            let Ok(mut answer) = answer.await;
            if let Some(fault) = answer.extensions_mut().remove::<WireFault>() {
                return Err(Broken::new(fault, answer).await);
            }
            // Whoever asks to close the connection has not read the body to its end.
            if answer.headers().contains_key(CONNECTION) {
                unread.note();
            } else if stopping.is_cancelled() {
                // The next call would find nobody, even if this one was answered before the
                // connection heard of the stop.
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(CONNECTION, close);
            }
            Ok(answer)
        }
    });
    let mut connection = http.serve_connection(TokioIo::new(socket), service);
    let ended = tokio::select! {
        biased;
        ended = &mut connection => ended,
        () = stop.cancelled() => {
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
