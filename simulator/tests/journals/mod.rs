//! The stores that tests run on, for all that have this folder as a module: in memory, or the one that
//! `SVC_TEST_STORE` names: `sqlite`; `postgres`, a server that is started for all of them.

mod at_once;
pub(crate) mod faulty;
#[cfg(feature = "postgres")]
mod postgres;

use std::sync::Arc;

use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, MemoryJournal, SqliteJournal, Stored, Version,
};

use at_once::AtOnce;

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
        #[cfg(feature = "postgres")]
        Ok("postgres") => Some(Arc::new(AtOnce(postgres::fresh()))),
        Ok(other) => panic!("there is no store `{other}`"),
    }
}

/// The same store for a simulator that is started after the one before has died: nobody else uses it. That
/// a replica has died the others know after seconds of the server's clock, which no test moves; `tests/shared`
/// waits for it.
pub(crate) fn alone(store: &Arc<dyn Journal>) -> Arc<dyn Journal> {
    Arc::new(Alone(Arc::clone(store)))
}

struct Alone(Arc<dyn Journal>);

impl Journal for Alone {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        self.0.append(account, after, entries)
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
        self.0.close(account, after)
    }
}
