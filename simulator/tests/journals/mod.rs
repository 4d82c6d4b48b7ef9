//! The stores that tests run on, for all that have this folder as a module: in memory, or the one that
//! `SVC_TEST_STORE` names.

pub(crate) mod faulty;

use std::sync::Arc;

use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, MemoryJournal, SqliteJournal, Stored, Version,
};

/// A new store that keeps all, in memory unless another one is named. What was given to it is written at once.
pub(crate) fn store() -> Arc<dyn Journal> {
    named().unwrap_or_else(|| Arc::new(MemoryJournal::default()))
}

/// A new store of the kind that is named; none where that is memory.
pub(crate) fn named() -> Option<Arc<dyn Journal>> {
    match std::env::var("SVC_TEST_STORE").as_deref() {
        Err(_) | Ok("memory") => None,
        Ok("sqlite") => {
            // On Unix the file goes on without its name, so that nothing is left behind.
            let folder = tempfile::tempdir().expect("a folder");
            let journal = SqliteJournal::open(&folder.path().join("store.db"));
            Some(Arc::new(AtOnce(journal.expect("a new store"))))
        }
        Ok(other) => panic!("there is no store `{other}`"),
    }
}

/// Waits for each entry at once. A store writes on threads of its own, and time, which stands while something is
/// left to do, would move on meanwhile.
struct AtOnce<J>(J);

fn wait_for(commit: &Commit) {
    while !commit.is_written() && !commit.has_failed() {
        std::thread::yield_now();
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
        wait_for(&appended.commit);
        Ok(appended)
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        self.0.load(account)
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.0.load_all()
    }

    fn snapshot(&self, account: &Arc<str>, at: Version, snapshot: String) {
        self.0.snapshot(account, at, snapshot);
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        let commit = self.0.close(account, after)?;
        wait_for(&commit);
        Ok(commit)
    }
}
