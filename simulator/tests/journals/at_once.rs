//! A store whose every word is waited for. One writes and reads on threads of its own, and the time of tests, which
//! stands while something is left to do, would move on meanwhile.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use std::time::Duration;

use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, Identity, Journal, JournalError, Loading, Peer, SharedStore, Since,
    StoreEvent, StoreFuture, Stored, Version,
};
use tokio::sync::mpsc::UnboundedReceiver;

/// A store, waited for on the thread that asks.
pub(super) struct AtOnce<J>(pub(super) J);

struct Woken(Thread);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread, whatever runtime it is in.
fn wait_for<T>(future: Pin<Box<dyn Future<Output = T> + Send + '_>>) -> T {
    // A task of a runtime that has done much is to let others go on: here it would wait for ever.
    let mut future = std::pin::pin!(tokio::task::unconstrained(future));
    let waker = Arc::new(Woken(std::thread::current())).into();
    let mut context = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn written(commit: &Commit) {
    // Whoever answers hears what became of it.
    drop(wait_for(Box::pin(commit.clone().wait())));
}

fn done<T: Send + 'static>(future: StoreFuture<T>) -> StoreFuture<T> {
    let outcome = wait_for(future);
    Box::pin(std::future::ready(outcome))
}

impl<J: Journal> AtOnce<J> {
    fn inner(&self) -> &dyn SharedStore {
        self.0
            .shared()
            .expect("only a store that is shared is asked")
    }
}

impl<J: Journal> Journal for AtOnce<J> {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let appended = self.0.append(account, after, entries)?;
        written(&appended.commit);
        Ok(appended)
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        done(self.0.load(account))
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.0.load_all()
    }

    fn snapshot(&self, account: &Arc<str>, at: Version, snapshot: String) {
        self.0.snapshot(account, at, snapshot);
    }

    fn remember(&self, name: &str, value: &str) -> Result<String, JournalError> {
        self.0.remember(name, value)
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        let commit = self.0.close(account, after)?;
        written(&commit);
        Ok(commit)
    }

    fn shared(&self) -> Option<&dyn SharedStore> {
        self.0.shared().map(|_| self as &dyn SharedStore)
    }
}

impl<J: Journal> SharedStore for AtOnce<J> {
    fn introduce(&self, identity: Identity) {
        self.inner().introduce(identity);
    }

    fn find(&self, name: &str) -> StoreFuture<Option<Arc<str>>> {
        done(self.inner().find(name))
    }

    fn load_since(&self, account: &Arc<str>, after: Version) -> StoreFuture<Since> {
        done(self.inner().load_since(account, after))
    }

    fn versions(&self) -> StoreFuture<Vec<(Arc<str>, Version)>> {
        done(self.inner().versions())
    }

    /// Who was idle for so long is said by the clock of a test, which is not the server's.
    fn close_idle(
        &self,
        account: &Arc<str>,
        after: Version,
        _: Duration,
    ) -> Result<Commit, JournalError> {
        self.close(account, after)
    }

    /// Whether it is this replica that does it is known only when that is written.
    fn note_due(&self, account: &Arc<str>, at: Version, due: Option<Duration>) {
        self.inner().note_due(account, at, due);
        if due.is_some()
            && let Ok(asked) = self.0.append(account, at, &[])
        {
            written(&asked.commit);
        }
    }

    fn works_on(&self, account: &str) -> bool {
        self.inner().works_on(account)
    }

    fn take_work(&self, account: &Arc<str>) -> StoreFuture<()> {
        done(self.inner().take_work(account))
    }

    fn hand_over(&self, account: &Arc<str>, to: i64) -> StoreFuture<()> {
        done(self.inner().hand_over(account, to))
    }

    fn leave(&self) -> StoreFuture<()> {
        done(self.inner().leave())
    }

    fn events(&self) -> Option<UnboundedReceiver<StoreEvent>> {
        self.inner().events()
    }

    fn peers(&self) -> Vec<Peer> {
        self.inner().peers()
    }
}
