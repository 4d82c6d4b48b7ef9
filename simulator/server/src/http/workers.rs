//! The threads that serve connections. Each has a runtime of its own, and a connection stays with the thread that took
//! it: where any thread may go on with any connection, waking each other takes more time than most answers do.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Threads that serve connections until this is dropped; what they still serve then is ended. By default there are
/// none, and connections are served by the runtime that accepts them.
#[derive(Debug, Default)]
pub struct Workers {
    workers: Vec<Worker>,
    _ended_when_dropped: Option<DropGuard>,
}

#[derive(Debug)]
struct Worker {
    runtime: Handle,
    /// Has one reference more for each connection that it serves. Its tasks are more than these: some wait for hours.
    connections: Arc<()>,
}

/// Where a connection is served. It counts there until the second part is dropped.
pub(super) type Place = (Handle, Arc<()>);

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
            Ok(Worker {
                runtime: handle,
                connections: Arc::default(),
            })
        };
        let workers = (0..threads).map(start).collect::<io::Result<_>>();
        Ok(Workers {
            workers: workers?,
            _ended_when_dropped: Some(ended.drop_guard()),
        })
    }

    /// Where the next connection is served: on the thread that serves fewest, or, without threads, on the runtime that this
    /// is called on.
    pub(super) fn next(&self) -> Place {
        let serves = |worker: &&Worker| Arc::strong_count(&worker.connections);
        let fewest = self.workers.iter().min_by_key(serves);
        let place = |it: &Worker| (it.runtime.clone(), Arc::clone(&it.connections));
        fewest.map_or_else(|| (Handle::current(), Arc::default()), place)
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
        let (runtime, place) = workers.next();
        runtime.spawn(async move {
            let _ = tell.send(std::thread::current().id());
            drop(until.await);
            drop(place);
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
        while Arc::strong_count(&workers.workers[0].connections) > 1 {
            tokio::task::yield_now().await;
        }
        // What else a thread has to do does not count.
        workers.workers[0]
            .runtime
            .spawn(std::future::pending::<()>());
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
        let served = workers.next().0.spawn(async move {
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
