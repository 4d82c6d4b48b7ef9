//! The threads that serve connections. Each has a runtime of its own, and a connection stays with the thread that took
//! it: where any thread may go on with any connection, waking each other takes more time than most answers do.

use std::io;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Threads that serve connections until this is dropped; what they still serve then is ended. By default there are
/// none, and connections are served by the runtime that accepts them.
#[derive(Debug, Default)]
pub struct Workers {
    handles: Vec<Handle>,
    _ended_when_dropped: Option<DropGuard>,
}

impl Workers {
    /// As many threads.
    ///
    /// # Errors
    /// Where this machine gives no further thread or file.
    pub fn start(threads: usize) -> io::Result<Self> {
        let ended = CancellationToken::new();
        let start = |_| {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let (handle, ended) = (runtime.handle().clone(), ended.clone());
            let thread = std::thread::Builder::new().name("connections".to_owned());
            thread.spawn(move || {
                runtime.block_on(ended.cancelled());
                runtime.shutdown_background();
            })?;
            Ok(handle)
        };
        let handles = (0..threads).map(start).collect::<io::Result<_>>();
        Ok(Workers {
            handles: handles?,
            _ended_when_dropped: Some(ended.drop_guard()),
        })
    }

    /// Where the next connection is served: on the thread that has least to do, or, without threads, on the runtime
    /// that this is called on.
    pub(super) fn next(&self) -> Handle {
        let least = self
            .handles
            .iter()
            .min_by_key(|handle| handle.metrics().num_alive_tasks());
        least.cloned().unwrap_or_else(Handle::current)
    }
}

/// A connection that this runtime watches from now on, in place of the one that accepted it.
pub(super) fn adopted(stream: TcpStream) -> Option<TcpStream> {
    let adopted = stream.into_std().and_then(TcpStream::from_std);
    let failed = |error| tracing::warn!(%error, "a connection was accepted, but can't be served");
    adopted.map_err(failed).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread::ThreadId;

    use tokio::sync::oneshot;

    use super::*;

    /// The thread that the next connection would be served on, which it then is until the sender is dropped.
    async fn place(workers: &Workers) -> (ThreadId, oneshot::Sender<()>) {
        let (ended, until) = oneshot::channel::<()>();
        let (tell, told) = oneshot::channel();
        workers.next().spawn(async move {
            let _ = tell.send(std::thread::current().id());
            drop(until.await);
        });
        (told.await.unwrap(), ended)
    }

    #[tokio::test]
    async fn a_connection_goes_to_the_thread_with_the_fewest() {
        let workers = Workers::start(2).unwrap();
        let (first, ended) = place(&workers).await;
        let (second, _kept) = place(&workers).await;
        assert_ne!(first, second);
        drop(ended);
        while workers.handles[0].metrics().num_alive_tasks() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(place(&workers).await.0, first);
    }

    #[tokio::test]
    async fn without_threads_it_is_served_where_it_was_accepted() {
        let place = place(&Workers::default()).await.0;
        assert_eq!(place, std::thread::current().id());
    }

    #[tokio::test]
    async fn what_is_served_ends_with_the_threads() {
        let workers = Workers::start(1).unwrap();
        let held = Arc::new(());
        let (begun, begins) = oneshot::channel();
        let kept = Arc::clone(&held);
        let served = workers.next().spawn(async move {
            let _ = begun.send(());
            std::future::pending::<()>().await;
            drop(kept);
        });
        begins.await.unwrap();
        drop(workers);
        assert!(served.await.unwrap_err().is_cancelled());
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
