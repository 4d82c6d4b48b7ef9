//! What is done to an account beside its calls: it is copied, reset and deleted, its keys and its clock are
//! changed, what is pending ends. Each change is decided under the account's lock and given to the journal;
//! who tells somebody of it waits until it is written ([`Host::durably`]).

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Host;
use super::cell::AccountCell;
use super::clock_move::{ClockMove, ClockMoveError, ClockTarget, move_clock};
use super::directory::OpenError;
use super::journal::JournalError;
use super::scheduler::LockedAccount;
use crate::engine;
use crate::engine::call::consent::{self, ConsentDecision, ConsentOutcome};
use crate::engine::call::request::Environment;
use crate::engine::state::access::Key;
use crate::engine::state::account::Account;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::manage::{self, ChangeRefusal, Rotation};
use crate::engine::state::verification::Phase;

/// Why an account was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The account does not allow it.
    #[error(transparent)]
    Refused(#[from] ChangeRefusal),
    /// The entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Host {
    /// Opens a copy of an account: all of its state under another id, with a key of that name for each
    /// environment. Calls whose reply is delayed stay with the original.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn fork(&self, cell: &AccountCell, id: &Arc<str>) -> Result<Arc<AccountCell>, OpenError> {
        let machine = self.clock.now();
        let forking = cell.read(|account| account.forking(id, machine));
        let copy = self.directory.insert(&[id.to_string()], id, forking)?;
        self.scheduler.lock(&copy).run_due()?;
        Ok(copy)
    }

    /// Waits until an account is written that was opened or copied.
    ///
    /// # Errors
    /// Where it is not: another replica opened one of its name meanwhile, or gave its name to a key.
    pub async fn opened(&self, cell: &Arc<AccountCell>) -> Result<(), OpenError> {
        let opening = cell.lock().opening.clone();
        if self.scheduler.written(cell, opening).await? {
            return Ok(());
        }
        // What the store has of that name is found when somebody asks for it.
        let mut state = cell.lock();
        state.closed = true;
        self.directory.forget(cell, &mut state);
        Err(OpenError::Exists(cell.id().to_string()))
    }

    /// Changes an account and waits until that is written. Where somebody else changed it meanwhile, changes
    /// it again.
    ///
    /// # Errors
    /// What the change fails with; and where it is not written. Then nothing changed.
    pub async fn durably<T, E: From<JournalError>>(
        &self,
        cell: &Arc<AccountCell>,
        mut change: impl FnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        loop {
            self.scheduler.reload(cell).await?;
            let changed = change()?;
            let commit = cell.lock().commit.clone();
            if self.scheduler.written(cell, commit).await? {
                return Ok(changed);
            }
        }
    }

    /// The same for what gives an account a key. Where that is not written, the name may be another account's, of which
    /// another replica knows: it is asked for before the change is made again.
    ///
    /// # Errors
    /// As [`Host::durably`].
    pub async fn named_durably<T, E: From<JournalError>>(
        &self,
        cell: &Arc<AccountCell>,
        name: impl Fn(&T) -> &str,
        mut change: impl FnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        loop {
            self.scheduler.reload(cell).await?;
            let changed = change()?;
            let commit = cell.lock().commit.clone();
            let written = self.scheduler.written(cell, commit).await;
            if let Ok(true) = written {
                return Ok(changed);
            }
            self.directory.take_name(name(&changed), cell);
            written?;
            self.learn(name(&changed)).await?;
        }
    }

    /// Sets an account back to what it was when it came into being; only its clock goes on. Calls in
    /// flight are answered and leave no trace.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn reset(&self, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        self.scheduler.lock(cell).reset()?;
        self.replays.forget(cell.id());
        Ok(())
    }

    /// Deletes an account. Its keys are unknown from then on.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn delete(&self, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        let mut locked = self.scheduler.lock(cell);
        locked.reset()?;
        self.replays.forget(cell.id());
        self.directory.close(cell, &mut locked.state, None)
    }

    /// Changes what an account is.
    ///
    /// # Errors
    /// [`ChangeError`]; then nothing changed.
    pub fn change(
        &self,
        cell: &Arc<AccountCell>,
        environment: Environment,
        change: impl FnOnce(&Account, Timestamp) -> Result<Vec<Change>, ChangeRefusal>,
    ) -> Result<(), ChangeError> {
        let changed = self.update(cell, |locked| {
            let at = locked.now();
            let changes = change(&locked.state.account, at)?;
            let entry = Entry {
                at,
                environment,
                changes,
            };
            Ok::<_, ChangeError>(Some(((), entry)))
        });
        changed.map(drop)
    }

    /// Replaces the newest key that works; that one works on as long as the contract says.
    ///
    /// # Errors
    /// [`ChangeError`]; then nothing changed.
    pub fn rotate_key(
        &self,
        cell: &Arc<AccountCell>,
        environment: Environment,
    ) -> Result<Rotation, ChangeError> {
        let works_for = self.rules().contract.service.rotated_key_ms;
        let works_for = SignedDuration::from_millis(i64::try_from(works_for).unwrap_or(i64::MAX));
        let (mut made, mut reserved) = (None, None);
        self.change(cell, environment, |account, now| {
            let taken = |name: &str| {
                reserved = self.directory.reserve(name, cell.id());
                reserved.is_none()
            };
            let (rotation, changes) =
                manage::rotate_key(account, environment, works_for, now, taken)?;
            made = Some(rotation);
            Ok(changes)
        })?;
        let rotation = made.expect("a rotation that went well was made");
        self.directory.add_name(rotation.key.name(), cell);
        Ok(rotation)
    }

    /// Adds a key of this name.
    ///
    /// # Errors
    /// [`ChangeError`]; then nothing changed.
    pub fn add_key(
        &self,
        cell: &Arc<AccountCell>,
        environment: Environment,
        name: &str,
    ) -> Result<Key, ChangeError> {
        let reserved = self.directory.reserve(name, cell.id());
        self.change(cell, environment, |account, _| {
            if reserved.is_none() || manage::has_key(account, environment, name) {
                return Err(ChangeRefusal::KeyExists);
            }
            match account.keys.len() >= manage::MAX_KEYS {
                true => Err(ChangeRefusal::TooManyKeys),
                false => Ok(manage::add_key(environment, name)),
            }
        })?;
        self.directory.add_name(name, cell);
        Ok(manage::new_key(environment, name))
    }

    /// Ends a pending verification now, whatever it waits for. Says whether there was one.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn end_now(
        &self,
        cell: &Arc<AccountCell>,
        environment: Environment,
        verification: VerificationId,
    ) -> Result<bool, JournalError> {
        let ended = self.update(cell, |locked| {
            let (account, now) = (&locked.state.account, locked.now());
            let verifications = &account.environment(environment).verifications;
            let found = verifications.get(verification);
            let pending = found.is_some_and(|it| matches!(it.phase, Phase::Pending { .. }));
            let finish =
                || engine::finish(&locked.rules(), account, environment, verification, now);
            Ok::<_, JournalError>(pending.then(finish).flatten())
        });
        ended.map(|ended| ended.is_some())
    }

    /// What a person decided on the consent page. None where the link is not open.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn consent(
        &self,
        cell: &Arc<AccountCell>,
        environment: Environment,
        verification: VerificationId,
        decision: ConsentDecision,
    ) -> Result<Option<ConsentOutcome>, JournalError> {
        self.update(cell, |locked| {
            let (rules, account, now) = (locked.rules(), &locked.state.account, locked.now());
            let settled =
                consent::settle(&rules, account, environment, verification, decision, now);
            Ok::<_, JournalError>(settled)
        })
    }

    /// Stops an account's clock, or lets it run on from what it shows.
    ///
    /// # Errors
    /// Where the entry is not written.
    pub fn set_clock(
        &self,
        cell: &Arc<AccountCell>,
        set: impl FnOnce(&AccountClock, Timestamp) -> AccountClock,
    ) -> Result<Timestamp, JournalError> {
        let mut locked = self.scheduler.lock(cell);
        locked.finish_due()?;
        let clock = set(&locked.state.account.clock, locked.machine);
        locked.set_clock(clock)?;
        locked.schedule();
        Ok(locked.now())
    }

    /// Moves an account's clock forward and does all that falls due on the way, in order of due time,
    /// then of id: results, keys and limits that end, attempts to deliver. A caller that stops waiting
    /// leaves the clock where it was then.
    ///
    /// # Errors
    /// [`ClockMoveError`]; what was done before stays done.
    pub async fn move_clock(
        &self,
        cell: &Arc<AccountCell>,
        target: ClockTarget,
    ) -> Result<ClockMove, ClockMoveError> {
        move_clock(&self.scheduler, cell, target, self.clock_move_time).await
    }

    /// Does what is due, then commits what is decided. None where nothing is.
    pub(super) fn update<T, E: From<JournalError>>(
        &self,
        cell: &Arc<AccountCell>,
        decide: impl FnOnce(&LockedAccount<'_>) -> Result<Option<(T, Entry)>, E>,
    ) -> Result<Option<T>, E> {
        let mut locked = self.scheduler.lock(cell);
        locked.finish_due()?;
        let Some((outcome, entry)) = decide(&locked)? else {
            return Ok(None);
        };
        locked.commit(entry)?;
        locked.schedule();
        Ok(Some(outcome))
    }
}
