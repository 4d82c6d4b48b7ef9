//! Entries on their way to a store: those of many calls are written together, and each call waits for its
//! own.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::JournalError;

/// When entries are written that a store took. Can be waited for by many, and asked for at any time.
#[derive(Debug, Clone)]
pub struct Commit(Option<Taken>);

#[derive(Debug, Clone)]
struct Taken {
    account: Arc<str>,
    group: watch::Receiver<Option<GroupOutcome>>,
}

/// What became of entries that are written together.
#[derive(Debug, Clone)]
pub enum GroupOutcome {
    /// They are written, but for those of these accounts: they were decided on something else than what
    /// the store has.
    Written {
        /// Those accounts.
        but: Arc<BTreeSet<Arc<str>>>,
    },
    /// None of them is.
    Failed(JournalError),
}

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

    /// Whether it is known that the entries are written.
    #[must_use]
    pub fn is_written(&self) -> bool {
        match &self.0 {
            None => true,
            Some(taken) => taken.look().is_some_and(|outcome| outcome.is_ok()),
        }
    }

    /// Whether it is known that the entries are not written and never will be.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        match &self.0 {
            None => false,
            Some(taken) => taken.look().is_some_and(|outcome| outcome.is_err()),
        }
    }

    /// Waits until the entries are written.
    ///
    /// # Errors
    /// [`CommitError`] where they never will be.
    pub async fn wait(self) -> Result<(), CommitError> {
        let Some(mut taken) = self.0 else {
            return Ok(());
        };
        // The store may end without a word.
        drop(taken.group.wait_for(Option::is_some).await);
        taken.look().unwrap_or_else(|| Err(ended().into()))
    }
}

fn ended() -> JournalError {
    JournalError("the store ended before it had written this".to_owned())
}

impl Taken {
    /// What became of them, where that is known.
    fn look(&self) -> Option<Result<(), CommitError>> {
        match &*self.group.borrow() {
            Some(GroupOutcome::Written { but }) if but.contains(&self.account) => {
                Some(Err(CommitError::Conflict))
            }
            Some(GroupOutcome::Written { .. }) => Some(Ok(())),
            Some(GroupOutcome::Failed(error)) => Some(Err(error.clone().into())),
            None => self
                .group
                .has_changed()
                .is_err()
                .then(|| Err(ended().into())),
        }
    }
}

/// Entries that will be written together, as a store sees them.
#[derive(Debug)]
pub struct CommitGroup(watch::Sender<Option<GroupOutcome>>);

impl Default for CommitGroup {
    fn default() -> Self {
        CommitGroup(watch::Sender::new(None))
    }
}

impl CommitGroup {
    /// For whoever waits for the entries of an account.
    #[must_use]
    pub fn commit_of(&self, account: &Arc<str>) -> Commit {
        Commit(Some(Taken {
            account: Arc::clone(account),
            group: self.0.subscribe(),
        }))
    }

    /// Tells all who wait.
    pub fn end(self, outcome: GroupOutcome) {
        self.0.send_replace(Some(outcome));
    }
}
