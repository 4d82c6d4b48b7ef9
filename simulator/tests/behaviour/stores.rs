//! The stores that scenes run on.

use std::sync::Arc;

use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, MemoryJournal, SqliteJournal, Stored, Version,
};

/// Where the accounts of a scene are kept: in memory, or in the store that `SVC_TEST_STORE` names.
pub(crate) fn store() -> Arc<dyn Journal> {
    match std::env::var("SVC_TEST_STORE").as_deref() {
        Err(_) | Ok("memory") => Arc::new(MemoryJournal::default()),
        Ok("sqlite") => {
            // On Unix the file goes on without its name, so that nothing is left behind.
            let folder = tempfile::tempdir().expect("a folder");
            let journal = SqliteJournal::open(&folder.path().join("store.db"));
            Arc::new(AtOnce(journal.expect("a new store")))
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

/// A snapshot of an account makes the same account. Printing a large one twice takes its time, and shows no more.
pub(crate) fn assert_snapshot_makes(account: &Account, settings: &Settings) {
    let bytes = |it| account.environment(it).evictable_bytes();
    if Environment::ALL.into_iter().map(bytes).sum::<usize>() > 20_000 {
        return;
    }
    let snapshot = account.clone().snapshot().to_json();
    let read = Entry::from_json(&snapshot).expect("it reads back");
    let made = Account::rebuild(settings.clone(), [read]).expect("it is a beginning");
    let again = made.snapshot().to_json();
    assert!(snapshot == again, "{}: {snapshot}\n{again}", account.id);
}
