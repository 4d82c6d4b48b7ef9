//! A client's connection with what hyper does not do: it gives up on a client that takes no bytes, it
//! keeps malformed requests away from hyper, it closes so that the last answer still arrives, and it
//! plays the wire faults of scenarios once hyper has given the connection up.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use http::header::{CONNECTION, CONTENT_LENGTH};
use http_body_util::BodyExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};
use tokio_util::sync::CancellationToken;

use super::request_gate::{InputState, RequestGate};
use crate::host::shares::SharePart;
use crate::scenario::WireFault;

/// The connection of a client.
pub(super) struct Socket {
    stream: TcpStream,
    /// Runs while the client takes no bytes.
    stalled: Option<Pin<Box<Sleep>>>,
    stalled_after: Duration,
    /// Runs while the connection lingers.
    lingering: Option<Pin<Box<Sleep>>>,
    linger: Duration,
    unread: UnreadInput,
    awaited: AwaitedAnswer,
    /// Runs while the end of what the client sends is held back.
    held: Option<Pin<Box<Sleep>>>,
    gate: RequestGate,
    /// Room for head and body of a short answer.
    joined: Vec<u8>,
}

/// So many bytes are copied together, as to write one piece costs the system less than to write two. Longer answers
/// are written as they lie.
const JOINED_BYTES: usize = 4096;

/// Whether the client may be sending bytes that nobody reads: before the first valid request, and
/// after an answer that left a body unread.
#[derive(Debug, Clone)]
pub(super) struct UnreadInput(Arc<AtomicBool>);

impl Default for UnreadInput {
    fn default() -> Self {
        UnreadInput(Arc::new(AtomicBool::new(true)))
    }
}

impl UnreadInput {
    /// Notes that the last answer left a body unread.
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Notes that a valid request came.
    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How long the end of what a client sends is held back from hyper while its answer is awaited.
const HELD: Duration = Duration::from_millis(100);

/// Whether a request is being answered and nothing of the answer was written. To hyper a client that has ended its side
/// is gone, and its request, too; most such clients have only said all they have to say, and still read.
#[derive(Debug, Clone, Default)]
pub(super) struct AwaitedAnswer(Arc<AtomicBool>);

impl AwaitedAnswer {
    /// Notes that a request came.
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn is_noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Socket {
    /// A connection that breaks when the client takes no bytes for `stalled_after`, and that reads and
    /// drops unread input for at most `linger` when it closes.
    pub(super) fn new(
        stream: TcpStream,
        stalled_after: Duration,
        linger: Duration,
        unread: UnreadInput,
        awaited: AwaitedAnswer,
        gate: RequestGate,
    ) -> Self {
        Socket {
            stream,
            stalled: None,
            stalled_after,
            lingering: None,
            linger,
            unread,
            awaited,
            held: None,
            gate,
            joined: Vec::new(),
        }
    }

    /// Ends the connection with a reset. The client may lose what it has not read yet.
    fn reset(self) -> io::Result<()> {
        // Closing a socket whose linger time is zero resets it.
        self.stream.set_zero_linger()
    }

    /// Waits until the client closes the connection, and drops what it sends meanwhile.
    async fn closed_by_client(&mut self) -> io::Result<()> {
        let mut dropped = [0; 1024];
        while self.stream.read(&mut dropped).await? > 0 {}
        Ok(())
    }

    /// Passes on the result of a write. A write that is not ready fails after the deadline.
    fn unless_stalled<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let after = self.stalled_after;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(after)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// The end of what the client sends. While its answer is awaited that is told only after a while: a client that
    /// waits for nothing any more does not occupy its connection for longer.
    fn end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.awaited.is_noted() {
            return Poll::Ready(());
        }
        let held = self.held.get_or_insert_with(|| Box::pin(sleep(HELD)));
        held.as_mut().poll(context)
    }

    /// Reads and drops what the client still sends, until it stops or the linger time is over.
    fn drop_unread(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let linger = self.linger;
        let over = self
            .lingering
            .get_or_insert_with(|| Box::pin(sleep(linger)));
        if over.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        let mut space = [0; 4096];
        loop {
            let mut dropped = ReadBuf::new(&mut space);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut dropped));
            if read.is_err() || dropped.filled().is_empty() {
                return Poll::Ready(());
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if self.gate.take_ready(into) {
                return Poll::Ready(Ok(()));
            }
            match self.gate.input_state() {
                InputState::Open => {}
                // The answer to a refused request ends the connection.
                InputState::Ended => return Poll::Pending,
                InputState::Broken => return Poll::Ready(Err(io::ErrorKind::InvalidData.into())),
            }
            let before = into.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
            let arrived = &into.filled()[before..];
            if arrived.is_empty() {
                return self.end(context).map(Ok);
            }
            let passes = self.gate.inspect(arrived);
            into.set_filled(before + passes);
            if passes > 0 {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.awaited.clear();
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.unless_stalled(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.awaited.clear();
        let Socket { stream, joined, .. } = &mut *self;
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let written = match length <= JOINED_BYTES {
            true => {
                joined.clear();
                parts.iter().for_each(|part| joined.extend_from_slice(part));
                Pin::new(stream).poll_write(context, joined)
            }
            false => Pin::new(stream).poll_write_vectored(context, parts),
        };
        self.unless_stalled(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Closes the sending side. Closing a socket with unread bytes resets the connection, and a reset
    /// makes the client lose an answer it has not read yet: so unread bytes are read and dropped first.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        if self.unread.is_noted() {
            ready!(self.drop_unread(context));
        }
        Poll::Ready(Ok(()))
    }
}

/// No status line of any version of HTTP, no TLS record, no UTF-8.
const GARBAGE: &[u8] = b"\x00\xff\xfethis is no answer\xc3\x28\r\n\r\n";

/// The most pieces that a slow body is sent in.
const PIECES: usize = 64;

/// An answer that a scenario breaks on the wire. To hyper it is an error of the service, so that hyper
/// gives the connection up without writing anything more.
#[derive(Debug, Clone, thiserror::Error)]
#[error("a scenario breaks this answer: {fault:?}")]
pub(super) struct BrokenResponse {
    fault: WireFault,
    head: Vec<u8>,
    body: Bytes,
    /// Counts the call as held back until the fault was played.
    _part: Option<Arc<SharePart>>,
}

impl BrokenResponse {
    /// An answer and its fault.
    pub(super) async fn new(fault: WireFault, answer: Response) -> BrokenResponse {
        let (mut parts, body) = answer.into_parts();
        let body = body.collect().await;
        let body = body
            .expect("an envelope is in memory as a whole")
            .to_bytes();
        BrokenResponse {
            fault,
            head: head(&parts, body.len()),
            body,
            _part: parts.extensions.remove(),
        }
    }

    /// The broken answer that ended a connection, if one did.
    pub(super) fn from_error(error: &hyper::Error) -> Option<&BrokenResponse> {
        std::error::Error::source(error)?.downcast_ref()
    }

    /// Plays the fault on the connection, and ends it.
    pub(super) async fn play(&self, socket: Socket, stop: &CancellationToken) {
        let (head, body) = (&self.head, &self.body);
        let ended = match self.fault {
            WireFault::Reset => socket.reset(),
            WireFault::Never => stay_silent(socket, stop).await,
            WireFault::Garbage => send(socket, GARBAGE, &[], Duration::ZERO).await,
            WireFault::CutAfter(bytes) => {
                // At least one byte is cut, however short the answer is.
                let last = body.len().saturating_sub(1);
                let cut = usize::try_from(bytes).map_or(last, |bytes| bytes.min(last));
                send(socket, head, &body[..cut], Duration::ZERO).await
            }
            WireFault::Slow { over_ms } => {
                send(socket, head, body, Duration::from_millis(over_ms)).await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "the client ended the connection before its fault was over");
        }
    }
}

/// The head of the answer as it would have been sent.
fn head(parts: &http::response::Parts, length: usize) -> Vec<u8> {
    let status = parts.status;
    let reason = StatusCode::canonical_reason(&status).unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).into_bytes();
    let mut line = |name: &str, value: &[u8]| {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    };
    for (name, value) in &parts.headers {
        line(name.as_str(), value.as_bytes());
    }
    line(CONTENT_LENGTH.as_str(), length.to_string().as_bytes());
    line(CONNECTION.as_str(), b"close");
    head.extend_from_slice(b"\r\n");
    head
}

/// Sends nothing until the client closes the connection or the simulator stops.
async fn stay_silent(mut socket: Socket, stop: &CancellationToken) -> io::Result<()> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Ok(()),
        closed = socket.closed_by_client() => closed,
    }
}

/// Writes the first bytes at once and the others in pieces evenly spread over the time; then ends the
/// connection.
async fn send(mut socket: Socket, first: &[u8], then: &[u8], over: Duration) -> io::Result<()> {
    socket.write_all(first).await?;
    let size = then.len().div_ceil(PIECES).max(1);
    let pieces = u32::try_from(then.len().div_ceil(size)).unwrap_or(u32::MAX);
    for piece in then.chunks(size) {
        if !over.is_zero() {
            // A client that has closed the connection must not keep its slot until the next piece.
            tokio::select! {
                biased;
                () = sleep(over / pieces) => {}
                closed = socket.closed_by_client() => return closed,
            }
        }
        socket.write_all(piece).await?;
    }
    socket.unread.note();
    socket.shutdown().await
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;
    use crate::http::request_gate::RefusedRequest;

    async fn pair(stalled_after: Duration) -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (client, accepted) = tokio::join!(client, listener.accept());
        let gate = RequestGate::new(8192, RefusedRequest::default());
        let stream = accepted.unwrap().0;
        let socket = Socket::new(
            stream,
            stalled_after,
            stalled_after,
            UnreadInput::default(),
            AwaitedAnswer::default(),
            gate,
        );
        (socket, client.unwrap())
    }

    /// More than all buffers between two sockets hold.
    const MUCH: usize = 64 * 1024 * 1024;

    #[tokio::test]
    async fn a_client_that_takes_no_byte_in_time_is_given_up() {
        let (mut socket, _client) = pair(Duration::from_millis(50)).await;
        let written = socket.write_all(&vec![0; MUCH]).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_client_that_takes_bytes_slowly_gets_all() {
        let (mut socket, mut client) = pair(Duration::from_secs(5)).await;
        let answer = vec![0; MUCH];
        let mut space = vec![0; 256 * 1024];
        let (written, read) = tokio::join!(socket.write_all(&answer), async {
            let mut all = 0;
            while all < MUCH {
                all += client.read(&mut space).await.unwrap();
                tokio::task::yield_now().await;
            }
            all
        });
        assert_eq!((written.is_ok(), read), (true, MUCH));
    }
}
