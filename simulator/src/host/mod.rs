//! The shell around the engine: accounts and their locks, the clock, what waits. The only place
//! below HTTP that knows real time and tasks. No lock is ever held across a wait.

pub mod clock;
pub mod directory;
pub mod journal;
pub mod transport;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::{Mutex, RwLock};
use tokio::sync::Notify;
use tokio_util::task::TaskTracker;

use crate::engine::account::{Account, Settings};
use crate::engine::authenticate;
use crate::engine::call::{Call, Environment};
use crate::engine::delivery::{Answered, Attempt, Delivery};
use crate::engine::entry::{Change, Entry};
use crate::engine::ids::VerificationId;
use crate::engine::rejection::Rejection;
use crate::engine::reply::Reply;
use crate::engine::rules::Rules;
use crate::engine::{self, Decision};
use crate::scenario::AccountTerms;
use clock::Clock;
use directory::Directory;
use journal::{Journal, JournalError};

/// A running simulator, without its listeners.
pub struct Host {
    rules: RwLock<Arc<Rules>>,
    directory: Directory,
    clock: Clock,
    journal: Arc<dyn Journal>,
    waiting: TaskTracker,
}

/// An account and its lock.
pub struct AccountCell {
    id: Arc<str>,
    state: Mutex<Account>,
    /// Told whenever something that was put off is done.
    done: Notify,
    /// When a task will look next, in milliseconds of the account's clock; only changed under the
    /// lock. Without it every call of an account with a pending result would leave a task behind.
    armed: AtomicI64,
}

/// No task is waiting.
const UNARMED: i64 = i64::MAX;

impl AccountCell {
    fn new(account: Account) -> Self {
        AccountCell {
            id: Arc::clone(&account.id),
            state: Mutex::new(account),
            done: Notify::new(),
            armed: AtomicI64::new(UNARMED),
        }
    }

    /// The account's id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Looks at the account. The lock is held meanwhile: no waiting inside.
    pub fn read<T>(&self, look: impl FnOnce(&Account) -> T) -> T {
        look(&self.state.lock())
    }
}

/// What a step under the lock came to.
enum Step {
    Answered(Reply),
    PutOff(VerificationId, u64),
    Running,
}

impl Host {
    /// A host with these accounts.
    ///
    /// # Errors
    /// Where the journal does not take the opening of the accounts.
    pub fn new(
        rules: Rules,
        accounts: Vec<AccountTerms>,
        clock: Clock,
        journal: Arc<dyn Journal>,
    ) -> Result<Arc<Self>, JournalError> {
        let settings = Settings::of(&rules.contract.service);
        let directory = Directory::new(accounts, settings, Arc::clone(&journal), clock.now())?;
        let rules = RwLock::new(Arc::new(rules));
        Ok(Arc::new(Host {
            rules,
            directory,
            clock,
            journal,
            waiting: TaskTracker::new(),
        }))
    }

    /// The rules in force. Each call keeps to one version from its beginning to its end.
    #[must_use]
    pub fn rules(&self) -> Arc<Rules> {
        Arc::clone(&self.rules.read())
    }

    /// The accounts.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// What the machine's clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Answers a call: the one way in, for HTTP and for tests.
    pub async fn answer(self: &Arc<Self>, call: &Call<'_>) -> Reply {
        let rules = self.rules();
        let turn_away = |rejection| engine::turn_away(&rules, call, &rejection, self.clock.now());
        let credential = match authenticate::credential(call) {
            Ok(credential) => credential,
            Err(rejection) => return turn_away(rejection),
        };
        let cell = match self.directory.by_key(credential.key, self.clock.now()) {
            Ok(Some(cell)) => cell,
            Ok(None) => return turn_away(Rejection::UnknownKey),
            Err(error) => return self.journal_failed(&rules, call, &error),
        };
        let prepared = engine::prepare(&rules, &cell.id, credential, call);
        loop {
            // Made before the look, so that nothing that is done in between is missed.
            let done = cell.done.notified();
            match self.step(&rules, &cell, &prepared) {
                Ok(Step::Answered(reply)) => return reply,
                Ok(Step::PutOff(verification, delay_ms)) => {
                    let reply = self
                        .put_off(&rules, &cell, call.environment, verification, delay_ms)
                        .await;
                    return reply.unwrap_or_else(|| self.failed(call));
                }
                Ok(Step::Running) => done.await,
                Err(error) => return self.journal_failed(&rules, call, &error),
            }
        }
    }

    /// One look at the account under its lock: what fell due before, then the call.
    fn step(
        self: &Arc<Self>,
        rules: &Rules,
        cell: &Arc<AccountCell>,
        prepared: &engine::Prepared<'_>,
    ) -> Result<Step, JournalError> {
        let mut account = cell.state.lock();
        let machine = self.clock.now();
        self.finish_due(rules, cell, &mut account, machine)?;
        Ok(match engine::decide(rules, &account, prepared, machine) {
            Decision::Answered { reply, entry } => {
                if let Some(entry) = entry {
                    self.apply(cell, &mut account, entry)?;
                    self.arm(cell, &account, machine);
                }
                Step::Answered(reply)
            }
            Decision::PutOff {
                verification,
                delay_ms,
                entry,
            } => {
                self.apply(cell, &mut account, entry)?;
                Step::PutOff(verification, delay_ms)
            }
            Decision::Running => Step::Running,
        })
    }

    fn apply(
        &self,
        cell: &AccountCell,
        account: &mut Account,
        entry: Entry,
    ) -> Result<(), JournalError> {
        self.journal
            .append(&cell.id, std::slice::from_ref(&entry))?;
        account.apply(entry);
        Ok(())
    }

    /// Finishes every ticket that is due by now, in order.
    fn finish_due(
        &self,
        rules: &Rules,
        cell: &AccountCell,
        account: &mut Account,
        machine: Timestamp,
    ) -> Result<(), JournalError> {
        let now = account.clock.read(machine);
        while let Some((at, environment, verification)) =
            engine::first_due(account).filter(|&(at, ..)| at <= now)
        {
            let Some((_, entry)) = engine::finish(rules, account, environment, verification, at)
            else {
                break;
            };
            self.apply(cell, account, entry)?;
            cell.done.notify_waiters();
        }
        Ok(())
    }

    /// Sees to it that the ticket due next is finished on time even if nobody calls.
    fn arm(self: &Arc<Self>, cell: &Arc<AccountCell>, account: &Account, machine: Timestamp) {
        let Some((at, ..)) = engine::first_due(account) else {
            return;
        };
        if account.clock.frozen_at().is_some() {
            return;
        }
        let at_ms = at.as_millisecond();
        if cell.armed.load(Ordering::Relaxed) <= at_ms {
            return;
        }
        cell.armed.store(at_ms, Ordering::Relaxed);
        let wait = at.duration_since(account.clock.read(machine));
        let wait = Duration::try_from(wait).unwrap_or_default();
        let (host, cell) = (Arc::clone(self), Arc::clone(cell));
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            host.settle(&cell);
        });
    }

    /// Finishes what is due and waits for what comes next.
    fn settle(self: &Arc<Self>, cell: &Arc<AccountCell>) {
        let rules = self.rules();
        let mut account = cell.state.lock();
        cell.armed.store(UNARMED, Ordering::Relaxed);
        let machine = self.clock.now();
        if let Err(error) = self.finish_due(&rules, cell, &mut account, machine) {
            tracing::error!(account = %cell.id, %error, "a due result was not written; it stays due");
        }
        self.arm(cell, &account, machine);
    }

    /// Holds an answer back for some real time. The call is finished even if its client gives up.
    async fn put_off(
        self: &Arc<Self>,
        rules: &Arc<Rules>,
        cell: &Arc<AccountCell>,
        environment: Environment,
        verification: VerificationId,
        delay_ms: u64,
    ) -> Option<Reply> {
        let (host, rules, cell) = (Arc::clone(self), Arc::clone(rules), Arc::clone(cell));
        let finished = self.waiting.spawn(async move {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            let mut account = cell.state.lock();
            let machine = host.clock.now();
            let now = account.clock.read(machine);
            let (reply, entry) = engine::finish(&rules, &account, environment, verification, now)?;
            let applied = host.apply(&cell, &mut account, entry);
            host.arm(&cell, &account, machine);
            cell.done.notify_waiters();
            applied.ok().map(|()| reply)
        });
        finished.await.ok().flatten()
    }

    fn journal_failed(&self, rules: &Rules, call: &Call<'_>, error: &JournalError) -> Reply {
        tracing::error!(%error, "an entry was not written; the call was not executed");
        engine::turn_away(rules, call, &Rejection::Internal, self.clock.now())
    }

    /// The answer to a call that made the service fail.
    #[must_use]
    pub fn failed(&self, call: &Call<'_>) -> Reply {
        engine::turn_away(&self.rules(), call, &Rejection::Internal, self.clock.now())
    }

    /// Waits until every answer that is held back has been given.
    pub async fn drained(&self) {
        self.waiting.close();
        self.waiting.wait().await;
    }

    /// Moves an account's clock forward to an instant, doing all that falls due on the way in
    /// order of due time: pending results first, then attempts to deliver, each answered by `send`.
    ///
    /// # Errors
    /// [`MoveError::Backwards`] where the clock already shows a later instant.
    pub fn advance(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        to: Timestamp,
        send: &mut dyn FnMut(Environment, &Delivery, Timestamp) -> Answered,
    ) -> Result<(), MoveError> {
        loop {
            let (next, attempt) = {
                let mut account = cell.state.lock();
                let machine = self.clock.now();
                let attempt = engine::first_attempt(&account);
                let ticket = engine::first_due(&account).map(|(at, ..)| at);
                let due = attempt
                    .as_ref()
                    .map(|(at, ..)| *at)
                    .into_iter()
                    .chain(ticket)
                    .min();
                let next = due.map_or(to, |due| {
                    due.clamp(
                        account.clock.read(machine),
                        to.max(account.clock.read(machine)),
                    )
                });
                let clock = account
                    .clock
                    .moved(machine, next.min(to))
                    .map_err(|_| MoveError::Backwards)?;
                let entry = Entry {
                    at: next,
                    environment: Environment::Test,
                    changes: vec![Change::ClockSet(clock)],
                };
                self.apply(cell, &mut account, entry)?;
                self.finish_due(&self.rules(), cell, &mut account, machine)?;
                (due, attempt)
            };
            match (next, attempt) {
                // Sent outside the lock: a receiver may call back.
                (_, Some((at, environment, delivery))) if at <= to && Some(at) == next => {
                    let answer = send(environment, &delivery, at);
                    let attempt = Attempt { due: at, answer };
                    let change = Change::Attempted {
                        verification: delivery.verification,
                        attempt,
                    };
                    let entry = Entry {
                        at,
                        environment,
                        changes: vec![change],
                    };
                    self.apply(cell, &mut cell.state.lock(), entry)?;
                }
                (Some(at), _) if at <= to => {}
                _ => return Ok(()),
            }
        }
    }
}

/// Why a clock was not moved.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The clock already shows a later instant.
    #[error("an account's clock never goes back")]
    Backwards,
    /// An entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}
