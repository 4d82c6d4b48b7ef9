//! A client's connection with what hyper does not do: it gives up on a client that takes no bytes,
//! what is not a sound request never reaches it, and it closes in a way that lets the last answer arrive.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use super::ahead::{Ahead, Rest};

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
    ahead: Ahead,
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
        ahead: Ahead,
    ) -> Self {
        Socket {
            stream,
            stalled: None,
            stalled_after,
            lingering: None,
            linger,
            unread,
            ahead,
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

    /// Ends when the client gives up; what it sends meanwhile is dropped.
    ///
    /// # Errors
    /// Where the connection broke.
    pub(super) async fn gone(&mut self) -> io::Result<()> {
        let mut dropped = [0; 1024];
        while self.stream.read(&mut dropped).await? > 0 {}
        Ok(())
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
        loop {
            if self.ahead.pass(into) {
                return Poll::Ready(Ok(()));
            }
            match self.ahead.rest() {
                Rest::More => {}
                // The answer to a refused request ends the connection.
                Rest::Nothing => return Poll::Pending,
                Rest::Broken => return Poll::Ready(Err(io::ErrorKind::InvalidData.into())),
            }
            let before = into.filled().len();
            ready!(Pin::new(&mut self.stream).poll_read(context, into))?;
            let arrived = &into.filled()[before..];
            if arrived.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let passes = self.ahead.see(arrived);
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

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;
    use crate::http::ahead::Refused;

    async fn pair(stalled_after: Duration) -> (Socket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (client, accepted) = tokio::join!(client, listener.accept());
        let ahead = Ahead::new(8192, Refused::default());
        let stream = accepted.unwrap().0;
        let socket = Socket::new(
            stream,
            stalled_after,
            stalled_after,
            Unread::default(),
            ahead,
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
