//! Reads accounts from the store again: where something was not written, and where another replica changed
//! them. Decides nothing.

use std::sync::Arc;

use super::Host;
use super::cell::{AccountCell, Unsummed};
use super::journal::{Commit, CommitError, JournalError, Since, Stored, Version};
use super::scheduler::{LockedAccount, Scheduler};
use crate::engine::state::entry::{Change, Entry};

impl Scheduler {
    /// Waits until what was decided is written. Says whether it is: where somebody else changed the account
    /// meanwhile, it is read again and has to be decided again.
    ///
    /// # Errors
    /// Where it is not written. The account is then what the store has of it.
    pub(super) async fn written(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        commit: Commit,
    ) -> Result<bool, JournalError> {
        let Err(error) = commit.wait().await else {
            return Ok(true);
        };
        // Nobody decides anything more on what was not written.
        cell.lock().lost = true;
        match error {
            CommitError::Conflict => {
                self.metrics.store().conflicted();
                cell.expect_others();
                self.reload(cell).await.map(|()| false)
            }
            CommitError::Failed(error) => {
                if let Err(error) = self.reload(cell).await {
                    tracing::error!(account = %cell.id(), %error, "what was not written is not undone yet");
                }
                Err(error)
            }
        }
    }

    /// Waits until it is known whether the store has nothing that this replica does not know. Where it has, that
    /// is read: what is known here is a beginning of it, and need not be read anew.
    ///
    /// # Errors
    /// Where that can't be asked.
    pub(super) async fn confirmed(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        asked: Commit,
    ) -> Result<bool, JournalError> {
        match asked.wait().await {
            Ok(()) => Ok(true),
            Err(CommitError::Failed(error)) => Err(error),
            Err(CommitError::Conflict) => {
                self.metrics.store().conflicted();
                cell.mark_stale();
                self.reload(cell).await.map(|()| false)
            }
        }
    }

    /// Reads an account from the store again where something of it was not written, or where another
    /// replica changed it. Until that went well, nothing that is decided on it is written.
    ///
    /// # Errors
    /// Where it can't be read.
    pub(super) async fn reload(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
    ) -> Result<(), JournalError> {
        let needed = || {
            let state = cell.lock();
            state.lost || state.commit.has_failed() || cell.is_stale()
        };
        if !needed() {
            return Ok(());
        }
        let failed = cell.failed_reloads();
        let mut last = cell.reloading.lock().await;
        if !needed() {
            return Ok(());
        }
        // A store that says nothing would make one wait after the other.
        if let Some(error) = last.as_ref().filter(|_| cell.failed_reloads() != failed) {
            return Err(error.clone());
        }
        let version = settled(cell).await;
        let stale = cell.take_stale();
        let lost = cell.lock().lost;
        let read = match (lost, self.journal.shared()) {
            (false, Some(shared)) => {
                let since = shared.load_since(cell.id(), version).await;
                match since {
                    Ok(Since::Entries(to, entries)) => {
                        self.follow(cell, version, to, entries);
                        Ok(())
                    }
                    Ok(Since::Other) => self.replace(cell).await,
                    Err(error) => Err(error),
                }
            }
            _ => self.replace(cell).await,
        };
        if let Err(error) = &read {
            if stale {
                cell.mark_stale();
            }
            *last = Some(error.clone());
            cell.note_failed_reload();
        }
        read
    }

    /// Brings an account that is at a version to a later one, by entries of other replicas.
    fn follow(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        from: Version,
        to: Version,
        entries: Vec<Entry>,
    ) {
        let mut locked = self.lock(cell);
        // Somebody decided something meanwhile: that is not written, and the account is read anew.
        if entries.is_empty() || locked.state.version != from {
            return;
        }
        cell.expect_others();
        for entry in entries {
            locked.state.version.number += 1;
            if entry.changes.contains(&Change::Reset) {
                locked.orphan_delayed();
                locked.forget_generation();
            }
            locked.state.due_noted |= entry.may_fall_due();
            locked.apply(entry);
        }
        locked.state.version = to;
        locked.was_read();
    }

    /// Puts what the store has in the place of an account.
    async fn replace(self: &Arc<Self>, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        let stored = self.journal.load(cell.id()).await?;
        let mut locked = self.lock(cell);
        match stored {
            Some(stored) => locked.replace(stored)?,
            None => locked.state.closed = true,
        }
        locked.state.commit = Commit::WRITTEN;
        locked.state.lost = false;
        self.memory.measure(&mut locked.state);
        locked.was_read();
        Ok(())
    }
}

impl Host {
    /// Waits until it is known what became of all that accounts have by now. Says whether it was written: where
    /// something was not, it is undone by now, and who looked before has to look again.
    ///
    /// # Errors
    /// Where something was not written, and the store can't be read.
    pub async fn all_written(&self) -> Result<bool, JournalError> {
        let scheduler = &self.scheduler;
        if scheduler.journal.is_immediate() {
            return Ok(true);
        }
        let mut all = true;
        for cell in self.directory.unordered() {
            let unwritten = {
                let state = cell.lock();
                let written = !state.lost && state.commit.is_written();
                (!written).then(|| (state.lost, state.commit.clone()))
            };
            all &= match unwritten {
                None => true,
                // Why it was not written was told to whoever wrote it.
                Some((lost, commit)) => {
                    !lost && matches!(scheduler.written(&cell, commit).await, Ok(true))
                }
            };
            scheduler.reload(&cell).await?;
        }
        Ok(all)
    }
}

/// Waits until it is known what became of all that was decided on an account. Gives its version then.
async fn settled(cell: &AccountCell) -> Version {
    loop {
        let (commit, version) = {
            let state = cell.lock();
            (state.commit.clone(), state.version)
        };
        let written = commit.wait().await.is_ok();
        let mut state = cell.lock();
        state.lost |= !written;
        if state.version == version {
            return version;
        }
    }
}

impl LockedAccount<'_> {
    fn replace(&mut self, stored: Stored) -> Result<(), JournalError> {
        let first = stored.version.number + 1 - stored.entries.len() as u64;
        let resets = (first..).zip(&stored.entries);
        let resets = resets.filter(|(_, entry)| entry.changes.contains(&Change::Reset));
        let reset_at = resets.map(|(at, _)| at).last();
        let (version, unsummed) = (stored.version, Unsummed::of(stored.bytes));
        let rebuilt = stored.rebuild(self.state.account.settings.clone())?;
        if reset_at.is_some_and(|at| at != self.state.reset_at) {
            self.orphan_delayed();
            self.forget_generation();
        }
        self.state.reset_at = reset_at.unwrap_or(0);
        let edited = rebuilt.scenarios != self.state.account.scenarios;
        self.state.account = rebuilt;
        if edited {
            self.cell.follow_scenarios(&self.state.account);
        }
        self.state.version = version;
        self.state.unsummed = unsummed;
        self.state.due_noted = true;
        Ok(())
    }

    /// The account is what the store has of it: who waits looks again, and what is due is done.
    fn was_read(&mut self) {
        self.note_due();
        self.schedule();
        self.cell.changed.notify_waiters();
    }
}
