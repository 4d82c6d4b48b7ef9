//! A client's connection with what hyper does not do: it gives up on a client that takes no bytes,
//! and it closes in a way that lets the last answer arrive. Knows nothing of HTTP.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// A connection.
pub(super) struct Socket {
    stream: TcpStream,
    /// Runs while the client takes no bytes.
    stalled: Option<Pin<Box<Sleep>>>,
    stalled_after: Duration,
    /// Runs while the connection lingers.
    lingering: Option<Pin<Box<Sleep>>>,
    linger: Duration,
    unread: Unread,
}

/// Whether the client may still be sending what nobody reads: so it is until a first request was
/// understood, and after an answer that left a body unread.
#[derive(Debug, Clone)]
pub(super) struct Unread(Arc<AtomicBool>);

impl Default for Unread {
    fn default() -> Self {
        Unread(Arc::new(AtomicBool::new(true)))
    }
}

impl Unread {
    /// Notes that the last answer left a body unread.
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Notes that a request was understood.
    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn noted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Socket {
    /// A connection that breaks when the client takes no bytes for `stalled_after`, and lingers for
    /// at most `linger` when a body was left unread.
    pub(super) fn new(
        stream: TcpStream,
        stalled_after: Duration,
        linger: Duration,
        unread: Unread,
    ) -> Self {
        Socket {
            stream,
            stalled: None,
            stalled_after,
            lingering: None,
            linger,
            unread,
        }
    }

    /// Ends the connection with a reset, now: what the client has not read yet may be lost to it.
    ///
    /// # Errors
    /// Where the connection is over already.
    pub(super) fn reset(self) -> io::Result<()> {
        // A socket that is closed with nothing to linger for is reset.
        self.stream.set_zero_linger()
    }

    /// Notes that the client may still be sending what nobody will read.
    pub(super) fn leave_unread(&self) {
        self.unread.note();
    }

    /// Lets what was written pass; what could not be written has a deadline.
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

    /// Reads and drops what the client still sends, until it stops or the time is over.
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
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.unless_stalled(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.unless_stalled(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Says that no more bytes come. A socket that is closed with bytes unread resets the
    /// connection, and a reset makes the client forget the answer it has not read yet: so what it
    /// is still sending is taken off the wire first.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        if self.unread.noted() {
            ready!(self.drop_unread(context));
        }
        Poll::Ready(Ok(()))
    }
}
