//! What whoever runs the simulator does with accounts: opens, copies, resets and deletes them, changes
//! what they are; and what a person says on the consent page. Each is one entry, like a call.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Host;
use super::cell::{AccountCell, Held, Parting};
use super::journal::JournalError;
use crate::engine::call::consent::{self, Afterwards, Said};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::keys::Key;
use crate::engine::state::manage::{self, Refused, Rotation};
use crate::engine::state::verification::{Phase, Verification};
use crate::engine::{self};
use crate::scenario::AccountConfig;

/// Why an account was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The account does not allow it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Why an account was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A key has this name already.
    #[error("there already is an account or a key named {0}")]
    Exists(String),
    /// There are as many accounts as there may be, and none can go.
    #[error(
        "there are as many accounts that keys opened as there may be, and none was idle long enough to go"
    )]
    TooMany,
    /// The entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl Host {
    /// The account of this id; one that comes into being at its first use does so here, too.
    ///
    /// # Errors
    /// [`OpenError`] where it can't come into being.
    pub fn account(&self, id: &str) -> Result<Option<Arc<AccountCell>>, OpenError> {
        let found = self.directory.by_name(id, self.clock.now())?;
        Ok(found.filter(|cell| *cell.id == *id))
    }

    /// Opens an account.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(&self, config: AccountConfig) -> Result<Arc<AccountCell>, OpenError> {
        self.directory.open(config, self.clock.now())
    }

    /// Opens a copy of an account: all of its state under another id, with a key of that name for
    /// each environment. Calls whose answer is held back stay with the original.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn fork(
        self: &Arc<Self>,
        cell: &AccountCell,
        id: &Arc<str>,
    ) -> Result<Arc<AccountCell>, OpenError> {
        let machine = self.clock.now();
        let forking = cell.read(|account| account.forking(id, machine));
        let copy = self.directory.fork(id, forking)?;
        let _no_edit_between = self.editing.lock();
        (*copy.own_rules.write()).clone_from(&cell.own_rules.read());
        self.go_on(&copy)?;
        Ok(copy)
    }

    /// Sets an account back to what it was when it came into being; only its clock goes on. Calls in
    /// flight are answered and leave no trace.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn reset(self: &Arc<Self>, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        let now = held.account.clock.read(machine);
        self.part(cell, &mut held, now);
        let reset = Entry {
            at: now,
            environment: Environment::Test,
            changes: vec![Change::Reset],
        };
        self.apply(cell, &mut held, reset)?;
        held.generation += 1;
        held.in_flight.clear();
        *cell.own_rules.write() = None;
        Ok(())
    }

    /// Deletes an account. Its keys are unknown from then on.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn delete(self: &Arc<Self>, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        self.reset(cell)?;
        let mut held = cell.lock();
        self.directory.end(cell, &mut held)?;
        Ok(())
    }

    /// Keeps the answers to the calls that are held back: their accounts will not know them any more.
    fn part(&self, cell: &AccountCell, held: &mut Held, now: Timestamp) {
        let rules = self.rules_of(cell);
        let generation = held.generation;
        held.parting.retain(|_, parting| !parting.given);
        for environment in Environment::ALL {
            let verifications = &held.account.environment(environment).verifications;
            let delayed: Vec<_> = verifications.delayed().map(|it| it.id).collect();
            for verification in delayed {
                let account = &held.account;
                if let Some((reply, _)) =
                    engine::finish(&rules, account, environment, verification, now)
                {
                    let parting = Parting {
                        reply,
                        given: false,
                    };
                    held.parting.insert((generation, verification), parting);
                }
            }
        }
    }

    /// Changes what an account is.
    ///
    /// # Errors
    /// [`ChangeError`]; then nothing changed.
    pub fn change(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        environment: Environment,
        change: impl FnOnce(&Account, Timestamp) -> Result<Vec<Change>, Refused>,
    ) -> Result<(), ChangeError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        self.finish_due(cell, &mut held, machine)?;
        let now = held.account.clock.read(machine);
        let entry = Entry {
            at: now,
            environment,
            changes: change(&held.account, now)?,
        };
        self.apply(cell, &mut held, entry)?;
        self.go_on_with(cell, &mut held, machine);
        Ok(())
    }

    /// A new key in the place of the newest that works; that one works on as long as the contract
    /// says.
    ///
    /// # Errors
    /// [`ChangeError`]; then nothing changed.
    pub fn rotate_key(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        environment: Environment,
    ) -> Result<Rotation, ChangeError> {
        let works_for = self.rules().contract.service.rotated_key_ms;
        let works_for = SignedDuration::from_millis(i64::try_from(works_for).unwrap_or(i64::MAX));
        let mut made = None;
        self.change(cell, environment, |account, now| {
            let taken = |name: &str| self.directory.is_of_another(name, cell);
            let (rotation, changes) =
                manage::rotate_key(account, environment, works_for, now, taken)?;
            made = Some(rotation);
            Ok(changes)
        })?;
        let rotation = made.expect("a rotation that went well was made");
        self.directory.add_name(rotation.key.name(), cell);
        Ok(rotation)
    }

    /// One more key of this name.
    ///
    /// # Errors
    /// [`ChangeError`]; then nothing changed.
    pub fn add_key(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        environment: Environment,
        name: &str,
    ) -> Result<Key, ChangeError> {
        self.change(cell, environment, |account, _| {
            if self.directory.is_of_another(name, cell)
                || manage::has_key(account, environment, name)
            {
                return Err(Refused::KeyExists);
            }
            Ok(manage::add_key(environment, name))
        })?;
        self.directory.add_name(name, cell);
        Ok(manage::new_key(environment, name))
    }

    /// Brings a pending verification to its end now, whatever it waits for. Says whether there was one.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn end_now(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        environment: Environment,
        verification: VerificationId,
    ) -> Result<bool, JournalError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        self.finish_due(cell, &mut held, machine)?;
        let now = held.account.clock.read(machine);
        let verifications = &held.account.environment(environment).verifications;
        let found = verifications.get(verification);
        let pending = found.is_some_and(|it| matches!(it.phase, Phase::Pending { .. }));
        let rules = self.rules_of(cell);
        let ended = engine::finish(&rules, &held.account, environment, verification, now);
        let Some((_, entry)) = ended.filter(|_| pending) else {
            return Ok(false);
        };
        self.apply(cell, &mut held, entry)?;
        self.go_on_with(cell, &mut held, machine);
        Ok(true)
    }

    /// What a person said on the consent page. None where the link is not open.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing changed.
    pub fn consent(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        environment: Environment,
        verification: VerificationId,
        said: Said,
    ) -> Result<Option<Afterwards>, JournalError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        self.finish_due(cell, &mut held, machine)?;
        let now = held.account.clock.read(machine);
        let rules = self.rules_of(cell);
        let ended = consent::say(&rules, &held.account, environment, verification, said, now);
        let Some((afterwards, entry)) = ended else {
            return Ok(None);
        };
        self.apply(cell, &mut held, entry)?;
        self.go_on_with(cell, &mut held, machine);
        Ok(Some(afterwards))
    }

    /// The account and environment that a verification is of. A copy of an account knows the
    /// verifications of the original, too: then the one counts where it is still pending.
    #[must_use]
    pub fn find(&self, verification: VerificationId) -> Option<(Arc<AccountCell>, Environment)> {
        let mut found = None;
        for cell in self.directory.all() {
            for environment in Environment::ALL {
                let (pending, known) = cell.read(|account| {
                    let verifications = &account.environment(environment).verifications;
                    let found = verifications.get(verification);
                    (found.is_some_and(Verification::is_open), found.is_some())
                });
                if pending {
                    return Some((cell, environment));
                }
                if known && found.is_none() {
                    found = Some((Arc::clone(&cell), environment));
                }
            }
        }
        found
    }
}
