//! Entries on their way to a store: those of many calls are written together, and each call waits for its
//! own.

use tokio::sync::watch;

use super::JournalError;

/// When entries are written that a store took. Can be waited for by many, and asked for at any time.
#[derive(Debug, Clone)]
pub struct Commit(Option<watch::Receiver<Option<Outcome>>>);

/// What a store says of entries that it took, once it knows: dropped without a word, they are not written.
#[derive(Debug)]
pub struct Unwritten(watch::Sender<Option<Outcome>>);

type Outcome = Result<(), CommitError>;

/// Why entries that were taken are not written. The account is not what it was thought to be and has to be
/// read again.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CommitError {
    /// They were decided on something else than what the store has: decided again, they may be right.
    #[error("somebody else changed the account meanwhile")]
    Conflict,
    /// The store failed.
    #[error(transparent)]
    Failed(#[from] JournalError),
}

impl Commit {
    /// Of entries that are written, or of none.
    pub const WRITTEN: Commit = Commit(None);

    /// Of entries of which it is known at once what became of them.
    #[must_use]
    pub fn ended(outcome: Result<(), CommitError>) -> Commit {
        let (unwritten, commit) = Commit::taken();
        unwritten.end(outcome);
        commit
    }

    /// Of entries that a store takes now.
    #[must_use]
    pub fn taken() -> (Unwritten, Commit) {
        let (unwritten, commit) = watch::channel(None);
        (Unwritten(unwritten), Commit(Some(commit)))
    }

    /// Whether it is known that the entries are written.
    #[must_use]
    pub fn is_written(&self) -> bool {
        matches!(self.outcome(), Some(Ok(())))
    }

    /// Whether it is known that the entries are not written and never will be.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        matches!(self.outcome(), Some(Err(_)))
    }

    /// Waits until the entries are written.
    ///
    /// # Errors
    /// [`CommitError`] where they never will be.
    pub async fn wait(mut self) -> Result<(), CommitError> {
        if let Some(taken) = &mut self.0 {
            // The store may end without a word.
            drop(taken.wait_for(Option::is_some).await);
        }
        self.outcome().unwrap_or_else(|| Err(left().into()))
    }

    /// What became of them, where that is known.
    fn outcome(&self) -> Option<Outcome> {
        let Some(taken) = &self.0 else {
            return Some(Ok(()));
        };
        let outcome = taken.borrow().clone();
        outcome.or_else(|| taken.has_changed().is_err().then(|| Err(left().into())))
    }
}

fn left() -> JournalError {
    JournalError::new("the store ended before it had written this".to_owned())
}

impl Unwritten {
    /// Tells all who wait what became of the entries.
    pub fn end(self, outcome: Result<(), CommitError>) {
        self.0.send_replace(Some(outcome));
    }
}
