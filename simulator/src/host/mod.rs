//! The shell around the engine: accounts and their locks, the clock, what waits, what is sent. The
//! only place below HTTP that knows real time and tasks. No lock is ever held across a wait.

pub mod accounts;
pub mod cell;
pub mod clock;
pub mod clock_move;
pub mod courier;
pub mod directory;
mod due;
pub mod events;
pub mod journal;
pub mod memory;
pub mod own_rules;
pub mod reload;
pub mod transport;
pub mod watch;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::{Mutex, RwLock};
use tokio_util::task::TaskTracker;

use crate::engine::call::authenticate;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::{Call, Environment};
use crate::engine::call::rules::Rules;
use crate::engine::state::account::Settings;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::{self, Decision};
use crate::scenario::AccountConfig;
use accounts::OpenError;
pub use cell::AccountCell;
use clock::Clock;
use courier::SignatureClock;
use directory::{Beginnings, Directory};
use journal::{Journal, JournalError, NoJournal};
use memory::{Memory, MemoryLimits};
use reload::ReloadStatus;
use transport::{NoTransport, Transport};

/// A running simulator, without its listeners.
pub struct Host {
    rules: RwLock<Arc<Rules>>,
    reload_status: RwLock<ReloadStatus>,
    /// Held while scenarios are read anew: one at a time, so that no edit undoes another. No call
    /// ever waits for it.
    editing: Mutex<()>,
    directory: Directory,
    memory: Arc<Memory>,
    clock: Clock,
    journal: Arc<dyn Journal>,
    transport: Arc<dyn Transport>,
    signature_clock: SignatureClock,
    /// What must end before the simulator does: answers held back, attempts on their way.
    waiting: TaskTracker,
}

/// What a host works with.
#[derive(Clone)]
pub struct HostConfig {
    /// Where time comes from.
    pub clock: Clock,
    /// Where accounts stand still when they come into being; they run where there is none.
    pub freeze_at: Option<Timestamp>,
    /// Where entries are written down.
    pub journal: Arc<dyn Journal>,
    /// How webhooks leave.
    pub transport: Arc<dyn Transport>,
    /// Which time signatures of webhooks say.
    pub signature_clock: SignatureClock,
    /// How much memory is used.
    pub memory_limits: MemoryLimits,
}

impl HostConfig {
    /// This clock, no journal and no way for webhooks to leave.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        HostConfig {
            clock,
            freeze_at: None,
            journal: Arc::new(NoJournal),
            transport: Arc::new(NoTransport),
            signature_clock: SignatureClock::Real,
            memory_limits: MemoryLimits::default(),
        }
    }
}

/// A call that waits for the one that runs under its idempotency key.
#[derive(Debug, Clone, Copy)]
struct Waits {
    generation: u64,
    on: VerificationId,
}

/// A call whose answer is held back for some real time.
#[derive(Debug, Clone, Copy)]
struct HeldBack {
    environment: Environment,
    verification: VerificationId,
    delay_ms: u64,
    generation: u64,
}

/// What a step under the lock came to.
enum Step {
    Answered(Reply),
    PutOff {
        verification: VerificationId,
        delay_ms: u64,
        generation: u64,
    },
    Waits(Waits),
    /// The account has ended.
    Gone,
}

impl Host {
    /// A host with these accounts. Hosts may share their rules.
    ///
    /// # Errors
    /// Where the journal does not take the opening of the accounts.
    pub fn new(
        rules: impl Into<Arc<Rules>>,
        accounts: Vec<AccountConfig>,
        config: HostConfig,
    ) -> Result<Arc<Self>, JournalError> {
        let HostConfig {
            clock,
            freeze_at,
            journal,
            transport,
            signature_clock,
            memory_limits,
        } = config;
        let rules = rules.into();
        let memory = Arc::new(Memory::new(memory_limits));
        let config = Beginnings {
            settings: Settings {
                keeps: memory_limits.retention,
                ..Settings::of(&rules.contract.service)
            },
            opening: freeze_at.map_or_else(AccountClock::default, |at| AccountClock::Frozen { at }),
            journal: Arc::clone(&journal),
            memory: Arc::clone(&memory),
            idle: clock.passes(memory_limits.account_idle),
            rests: clock.passes(directory::RESTS),
        };
        let directory = Directory::new(accounts, config, clock.now())?;
        let host = Arc::new(Host {
            rules: RwLock::new(rules),
            reload_status: RwLock::default(),
            editing: Mutex::default(),
            directory,
            memory,
            clock,
            journal,
            transport,
            signature_clock,
            waiting: TaskTracker::new(),
        });
        for cell in host.directory.all() {
            host.finish_held_back(&cell)?;
            host.go_on(&cell)?;
        }
        Ok(host)
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
        let unauthenticated_reply =
            |rejection| engine::unauthenticated_reply(&rules, call, &rejection, self.clock.now());
        let credential = match authenticate::credential(call) {
            Ok(credential) => credential,
            Err(rejection) => return unauthenticated_reply(rejection),
        };
        loop {
            let cell = match self.directory.by_key(credential.key, self.clock.now()) {
                Ok(Some(cell)) => cell,
                Ok(None) => return unauthenticated_reply(Rejection::UnknownKey),
                Err(OpenError::Journal(error)) => return self.journal_failed(&rules, call, &error),
                Err(_) => return unauthenticated_reply(Rejection::TooManyAccounts),
            };
            let rules = cell.rules().unwrap_or_else(|| Arc::clone(&rules));
            let prepared = engine::prepare(&rules, &cell.id, credential, call);
            let prepared = prepared.in_room(self.memory.room());
            let answered = self.answer_for(&rules, &cell, call, &prepared).await;
            self.relieve();
            // The account was closed in between: it begins anew.
            if let Some(reply) = answered {
                return reply;
            }
        }
    }

    /// Answers a call of an account. None where that has ended.
    async fn answer_for(
        self: &Arc<Self>,
        rules: &Arc<Rules>,
        cell: &Arc<AccountCell>,
        call: &Call<'_>,
        prepared: &engine::Prepared<'_>,
    ) -> Option<Reply> {
        let mut waits = None;
        loop {
            // Made before the look, so that nothing that is done in between is missed.
            let changed = cell.changed.notified();
            cell.turn().await;
            match self.step(rules, cell, prepared, waits) {
                Ok(Step::Answered(reply)) => return Some(reply),
                Ok(Step::Gone) => return None,
                Ok(Step::PutOff {
                    verification,
                    delay_ms,
                    generation,
                }) => {
                    let held_back = HeldBack {
                        environment: call.environment,
                        verification,
                        delay_ms,
                        generation,
                    };
                    let reply = self.give_later(rules, cell, held_back).await;
                    return Some(reply.unwrap_or_else(|| self.failed(call)));
                }
                Ok(Step::Waits(on)) => {
                    waits = Some(on);
                    changed.await;
                }
                Err(error) => return Some(self.journal_failed(rules, call, &error)),
            }
        }
    }

    /// One look at the account under its lock: what fell due before, then the call.
    fn step(
        self: &Arc<Self>,
        rules: &Rules,
        cell: &Arc<AccountCell>,
        prepared: &engine::Prepared<'_>,
        waits: Option<Waits>,
    ) -> Result<Step, JournalError> {
        let mut held = cell.lock();
        if let Some(Waits { generation, on }) = waits.filter(|it| it.generation != held.generation)
            && let Some(parting) = held.parting.get(&(generation, on))
        {
            return Ok(Step::Answered(parting.reply.clone().replayed()));
        }
        if held.ended {
            return Ok(Step::Gone);
        }
        let machine = self.clock.now();
        self.finish_due(cell, &mut held, machine)?;
        let waited = waits.filter(|it| it.generation == held.generation);
        let decision = match waited {
            Some(Waits { on, .. }) => {
                engine::decide_waiting(rules, &held.account, prepared, on, machine)
            }
            None => engine::decide(rules, &held.account, prepared, machine),
        };
        Ok(match decision {
            Decision::Answered { reply, entry } => {
                if let Some(entry) = entry {
                    self.apply(cell, &mut held, entry)?;
                    self.go_on_with(cell, &mut held, machine);
                }
                Step::Answered(reply)
            }
            Decision::Delayed {
                verification,
                delay_ms,
                entry,
            } => {
                self.apply(cell, &mut held, entry)?;
                Step::PutOff {
                    verification,
                    delay_ms,
                    generation: held.generation,
                }
            }
            Decision::InFlight { on, entry } => {
                if let Some(entry) = entry {
                    self.apply(cell, &mut held, entry)?;
                }
                Step::Waits(Waits {
                    generation: held.generation,
                    on,
                })
            }
        })
    }

    /// Gives an answer after some real time. The call is finished even if its client gives up.
    async fn give_later(
        self: &Arc<Self>,
        rules: &Arc<Rules>,
        cell: &Arc<AccountCell>,
        held_back: HeldBack,
    ) -> Option<Reply> {
        let (host, rules, cell) = (Arc::clone(self), Arc::clone(rules), Arc::clone(cell));
        let finished = self.waiting.spawn(async move {
            tokio::time::sleep(Duration::from_millis(held_back.delay_ms)).await;
            let HeldBack {
                environment,
                verification,
                generation,
                ..
            } = held_back;
            let mut held = cell.lock();
            if held.generation != generation {
                let parting = held.parting.get_mut(&(generation, verification))?;
                parting.given = true;
                return Some(parting.reply.clone());
            }
            let machine = host.clock.now();
            let now = held.account.clock.read(machine);
            let (reply, entry) =
                engine::finish(&rules, &held.account, environment, verification, now)?;
            let applied = host.apply(&cell, &mut held, entry);
            host.go_on_with(&cell, &mut held, machine);
            applied.ok().map(|()| reply)
        });
        finished.await.ok().flatten()
    }

    fn journal_failed(&self, rules: &Rules, call: &Call<'_>, error: &JournalError) -> Reply {
        tracing::error!(%error, "an entry was not written; the call was not executed");
        engine::unauthenticated_reply(rules, call, &Rejection::Internal, self.clock.now())
    }

    /// The answer to a call that made the service fail.
    #[must_use]
    pub fn failed(&self, call: &Call<'_>) -> Reply {
        engine::unauthenticated_reply(&self.rules(), call, &Rejection::Internal, self.clock.now())
    }

    /// The answer to a request that no call can be made of: nothing is executed and nothing recorded.
    #[must_use]
    pub fn refused(&self, call: &Call<'_>, why: &str) -> Reply {
        let rejection = Rejection::input(why);
        engine::unauthenticated_reply(&self.rules(), call, &rejection, self.clock.now())
    }

    /// Begins no further attempt to deliver.
    pub fn close(&self) {
        self.waiting.close();
    }

    /// Waits until every answer that is held back has been given and every attempt on its way has
    /// ended; no further attempt begins.
    pub async fn drained(&self) {
        self.close();
        self.waiting.wait().await;
    }
}
