//! A store that fails in every way that a store can, on top of any other.

use std::sync::Arc;

use parking_lot::Mutex;
use svc_simulator::engine::state::entry::Entry;
use svc_simulator::host::journal::{
    Appended, Commit, CommitError, Journal, JournalError, Loading, Stored, Unwritten, Version,
};

/// How it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It takes nothing, and says so at once.
    Refuses,
    /// It takes what it is given, keeps nothing, and says so later.
    Fails,
    /// It keeps what it is given and says that it failed: the word was lost, not the bytes.
    FailsKept,
    /// It keeps what it is given and says nothing before it is told to.
    Slow,
    /// It keeps nothing, and says so when it is told to.
    SlowlyFails,
    /// It keeps nothing and says that it did.
    Lies,
    /// Of every two it keeps the first, and fails in the middle.
    Tears,
}

/// Which fault the entries get that are given to it; none where they are kept as they should be.
type Chooser = Box<dyn FnMut(&[Entry]) -> Option<Fault> + Send>;

/// A store that fails when it is told to.
pub(crate) struct Faulty {
    kept: Arc<dyn Journal>,
    choose: Mutex<Chooser>,
    /// How often it failed.
    faults: Mutex<usize>,
    /// What it says only when it is told to.
    unsaid: Mutex<Vec<(Unwritten, Result<(), CommitError>)>>,
}

impl Faulty {
    pub(crate) fn on(kept: Arc<dyn Journal>) -> Arc<Self> {
        Arc::new(Faulty {
            kept,
            choose: Mutex::new(Box::new(|_| None)),
            faults: Mutex::default(),
            unsaid: Mutex::default(),
        })
    }

    /// Fails from now on as this says.
    pub(crate) fn fails(&self, choose: impl FnMut(&[Entry]) -> Option<Fault> + Send + 'static) {
        *self.choose.lock() = Box::new(choose);
    }

    /// How often it failed.
    pub(crate) fn faults(&self) -> usize {
        *self.faults.lock()
    }

    /// Says what it did not say.
    pub(crate) fn speak(&self) {
        for (unwritten, outcome) in self.unsaid.lock().drain(..) {
            unwritten.end(outcome);
        }
    }

    fn fault(&self, entries: &[Entry]) -> Option<Fault> {
        let fault = (*self.choose.lock())(entries);
        *self.faults.lock() += usize::from(fault.is_some());
        fault
    }
}

fn broken() -> JournalError {
    JournalError::new("the disk is full".to_owned())
}

fn failed() -> Commit {
    Commit::ended(Err(CommitError::Failed(broken())))
}

/// What an honest store would say of these.
pub(crate) fn said(after: Version, entries: &[Entry], commit: Commit) -> Appended {
    let entries = entries.iter();
    Appended {
        version: entries.fold(after, |version, entry| version.after(&entry.to_json())),
        commit,
        bytes: 0,
    }
}

impl Journal for Faulty {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let fault = self.fault(entries);
        let keep = || self.kept.append(account, after, entries);
        let keeps = match fault {
            Some(Fault::Tears) => self.faults() % 2 == 1,
            other => other == Some(Fault::FailsKept),
        };
        match fault {
            None => keep(),
            Some(Fault::Refuses) => Err(broken()),
            Some(Fault::Slow) => {
                let (unwritten, commit) = Commit::taken();
                self.unsaid.lock().push((unwritten, Ok(())));
                Ok(Appended { commit, ..keep()? })
            }
            Some(Fault::SlowlyFails) => {
                let (unwritten, commit) = Commit::taken();
                let failed = Err(CommitError::Failed(broken()));
                self.unsaid.lock().push((unwritten, failed));
                Ok(said(after, entries, commit))
            }
            Some(Fault::Lies) => Ok(said(after, entries, Commit::WRITTEN)),
            Some(Fault::Fails | Fault::FailsKept | Fault::Tears) => {
                let commit = failed();
                match keeps {
                    true => Ok(Appended { commit, ..keep()? }),
                    false => Ok(said(after, entries, commit)),
                }
            }
        }
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        self.kept.load(account)
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.kept.load_all()
    }

    fn snapshot(&self, account: &Arc<str>, at: Version, snapshot: String) {
        self.kept.snapshot(account, at, snapshot);
    }

    /// Refuses an account's end where it would fail at all.
    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        match self.fault(&[]) {
            Some(_) => Err(broken()),
            None => self.kept.close(account, after),
        }
    }
}
