//! The shell around the engine: the only place below HTTP that knows real time, tasks and locks. [`Host`]
//! composes the parts; none of them knows it. The locks and their order are listed in `lock_order`.

pub mod account_file;
mod account_rules;
mod call_execution;
pub mod call_span;
mod cell;
mod changes;
pub mod clock;
pub mod clock_move;
mod config;
pub mod courier;
pub mod directory;
mod event_log;
pub mod journal;
mod lock_order;
pub mod memory;
pub mod metrics;
pub mod readiness;
mod reading;
pub mod reload;
mod replays;
mod rules_store;
mod scenarios;
mod scheduler;
pub mod shares;
mod sharing;
pub mod transport;
pub mod unauthenticated;
mod unsummed;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use svc_fixtures::reading::{Problems, Source};
use tokio_util::task::TaskTracker;

use crate::engine;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::{self, Call};
use crate::engine::call::route::dotted;
use crate::engine::call::rules::Rules;
use crate::engine::state::account::Settings;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::rejection::Rejection;
use crate::scenario::AccountConfig;
pub use account_rules::LeftOut;
use call_execution::{CallExecution, Executed};
use call_span::{note_answer, note_caller};
pub use cell::AccountCell;
pub use changes::ChangeError;
use clock::{Clock, Stopwatch};
pub use config::HostConfig;
use courier::Courier;
pub use directory::OpenError;
use directory::{AccountDefaults, Directory, MIN_IDLE, name_of};
pub use event_log::{EventBatch, MAX_EVENTS};
use journal::JournalError;
use memory::{MemoryGovernor, MemoryLimits, TotalMemory};
use metrics::Metrics;
use readiness::Readiness;
use replays::ReplayLog;
pub use replays::ReplayRecord;
use rules_store::RulesStore;
pub use rules_store::{ReloadFailure, ReloadStatus};
pub use scenarios::ScenariosError;
use scheduler::Scheduler;
use shares::{Opener, SharePart, Shares};
use unauthenticated::UnauthenticatedCalls;

/// A running simulator, without its listeners.
pub struct Host {
    rules: Arc<RulesStore>,
    directory: Directory,
    memory: Arc<MemoryGovernor>,
    clock: Clock,
    scheduler: Arc<Scheduler>,
    clock_move_time: Duration,
    unauthenticated: UnauthenticatedCalls,
    replays: ReplayLog,
    readiness: Arc<Readiness>,
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
        let HostConfig { clock, journal, .. } = config;
        let rules = rules.into();
        let limits = config.memory_limits;
        let memory = Arc::new(MemoryGovernor::new(limits));
        let defaults = AccountDefaults {
            settings: Settings {
                limits: limits.retention,
                ..Settings::of(&rules.contract.service)
            },
            clock: config
                .freeze_at
                .map_or_else(AccountClock::default, |at| AccountClock::Frozen { at }),
            accounts_per_address: config.shares.accounts_per_address,
            idle: clock.to_account_time(limits.account_idle),
            min_idle: clock.to_account_time(MIN_IDLE),
        };
        let directory = Directory::new(
            accounts,
            defaults,
            Arc::clone(&journal),
            Arc::clone(&memory),
            clock.now(),
        )?;
        let metrics = Metrics::new(&rules.contract, config.store_metrics);
        let rules = Arc::new(RulesStore::new(rules));
        let scheduler = Arc::new(Scheduler {
            clock: clock.clone(),
            rules: Arc::clone(&rules),
            memory: Arc::clone(&memory),
            journal,
            courier: Courier {
                transport: config.transport,
                signature_clock: config.signature_clock,
                clock: clock.clone(),
            },
            tasks: TaskTracker::new(),
            shares: Shares::new(&config.shares),
            metrics,
        });
        if scheduler.journal.shared().is_none() {
            for cell in directory.all() {
                let mut locked = scheduler.lock(&cell);
                locked.finish_delayed()?;
                locked.run_due()?;
            }
        }
        let host = Arc::new(Host {
            rules,
            directory,
            memory,
            clock,
            scheduler,
            clock_move_time: config.shares.clock_move_time,
            unauthenticated: UnauthenticatedCalls::default(),
            replays: ReplayLog::default(),
            readiness: config.readiness,
        });
        host.introduce();
        host.follow_store();
        Ok(host)
    }

    /// Answers a call: the one way in, for HTTP and for tests.
    pub async fn answer(&self, call: &Call<'_>) -> Reply {
        let watch = Stopwatch::start();
        let credential = match request::credential(call) {
            Ok(credential) => credential,
            Err(rejection) => return self.unauthenticated_reply(call, &rejection, watch),
        };
        loop {
            if self.is_shared()
                && let Some(name) = name_of(credential.key)
                && let Err(error) = self.learn(name).await
            {
                return self.internal_error(call, None, &error.into(), watch);
            }
            let (opener, now) = (Opener::of(call.peer), self.clock.now());
            let cell = match self.directory.by_key(credential.key, opener, now) {
                Ok(Some(cell)) => cell,
                Ok(None) => return self.unauthenticated_reply(call, &Rejection::UnknownKey, watch),
                Err(OpenError::Journal(error)) => {
                    return self.internal_error(call, None, &error.into(), watch);
                }
                Err(error) => return self.unauthenticated_reply(call, &error.rejection(), watch),
            };
            let edition = cell.edition();
            let rules = self.rules.of(&cell);
            // A prepared call is large, and is made where it stays.
            let mut execution = CallExecution {
                scheduler: &self.scheduler,
                rules: &rules,
                edition,
                cell: &cell,
                prepared: engine::prepare(&rules, cell.id(), credential, call, now),
            };
            let called = self.metrics().called(&rules.contract, &execution.prepared);
            note_caller(cell.id(), || self.metrics().name(&rules.contract, called));
            let executed = execution.run().await;
            self.evict();
            match executed {
                Ok(Executed::Answered(reply)) => {
                    self.metrics()
                        .answered(call.environment, called, &reply, watch);
                    note_answer(&reply, watch);
                    if reply.replay {
                        self.note_replay(&cell, call, &reply);
                    }
                    return reply;
                }
                Ok(Executed::Unauthenticated(refused)) => {
                    let account = Some(cell.id());
                    let environment = call.environment;
                    self.metrics()
                        .answered(environment, called, &refused.reply, watch);
                    note_answer(&refused.reply, watch);
                    return self.note_unauthenticated(environment, account, refused);
                }
                // It is prepared again, by what is in force now.
                Ok(Executed::RulesChanged) => {}
                // The account was closed in between: it begins anew.
                Ok(Executed::AccountClosed) => self.directory.forget(&cell, &mut cell.lock()),
                Err(error) => return self.internal_error(call, Some(cell.id()), &error, watch),
            }
        }
    }

    /// Begins no further attempt to deliver.
    pub fn close(&self) {
        self.scheduler.tasks.close();
    }

    /// Waits until every delayed reply has been given and every attempt to deliver has ended; no further
    /// attempt begins.
    pub async fn drained(&self) {
        self.close();
        self.scheduler.tasks.wait().await;
    }

    /// What the machine's clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// What was counted so far.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.scheduler.metrics
    }

    /// What this path calls, as the log and the metrics name it: never in the words of a caller.
    #[must_use]
    pub fn called(&self, path: &str) -> String {
        let (rules, metrics) = (self.rules(), self.metrics());
        let called = metrics.called_by_name(&rules.contract, &dotted(path));
        metrics.name(&rules.contract, called)
    }

    /// How many delayed answers and attempts to deliver have not ended.
    #[must_use]
    pub fn open_tasks(&self) -> usize {
        self.scheduler.tasks.len()
    }

    /// The other simulators that work with the same accounts.
    #[must_use]
    pub fn replicas(&self) -> Vec<journal::Peer> {
        let shared = self.scheduler.journal.shared();
        shared.map_or_else(Vec::new, journal::SharedStore::peers)
    }

    /// Whether the store takes entries.
    #[must_use]
    pub fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// The accounts.
    #[must_use]
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// The account of this id. One that comes into being at its first use does so here, too.
    ///
    /// # Errors
    /// [`OpenError`] where it can't come into being.
    pub fn account(&self, id: &str) -> Result<Option<Arc<AccountCell>>, OpenError> {
        let found = self.directory.by_name(id, self.clock.now())?;
        Ok(found.filter(|cell| **cell.id() == *id))
    }

    /// Opens an account.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(&self, config: AccountConfig) -> Result<Arc<AccountCell>, OpenError> {
        self.directory.open(config, self.clock.now())
    }

    /// The rules in force. Each call keeps to one version from its beginning to its end.
    #[must_use]
    pub fn rules(&self) -> Arc<Rules> {
        self.rules.shared()
    }

    /// The rules an account's calls are decided by.
    #[must_use]
    pub fn rules_of(&self, cell: &AccountCell) -> Arc<Rules> {
        self.rules.of(cell)
    }

    /// Which scenarios are in force, and what became of the last edit.
    #[must_use]
    pub fn reload_status(&self) -> ReloadStatus {
        self.rules.status()
    }

    /// Puts these scenarios in the place of those of all accounts; what was added for one account stays
    /// before them. Gives the new version.
    ///
    /// # Errors
    /// Every mistake of these files; then all stays as it was.
    pub fn replace_scenarios(&self, files: &[Arc<Source>]) -> Result<u64, Problems> {
        let replaced = self
            .rules
            .replace(files, &self.directory, self.clock.real());
        self.introduce();
        replaced
    }

    /// How much memory may be used.
    #[must_use]
    pub fn memory_limits(&self) -> MemoryLimits {
        self.memory.limits
    }

    /// How much memory all accounts use.
    #[must_use]
    pub fn memory_usage(&self) -> TotalMemory {
        self.memory.usage()
    }

    /// Counts a call whose answer the wire breaks as held back, until what this gives is dropped.
    #[must_use]
    pub fn hold_back(&self, call: &Call<'_>) -> Option<SharePart> {
        let credential = request::credential(call).ok()?;
        let known = self.directory.known_by_key(credential.key, self.now());
        known.map(|cell| self.shares().delay(cell.taken()))
    }

    /// What accounts take of that which all of them use.
    #[must_use]
    pub fn shares(&self) -> &Shares {
        &self.scheduler.shares
    }

    /// Where all accounts together use too much, lets some evict what has ended.
    fn evict(&self) {
        let shrink = |cell: &_, level| self.scheduler.lock(cell).shrink_to(level);
        self.memory
            .evict(&self.clock, || self.directory.unordered(), shrink);
    }

    /// Closes the accounts that were idle too long by now, and lets the others evict. Says how many.
    pub fn close_idle(&self) -> usize {
        let closed = self.directory.close_idle(self.clock.now());
        self.evict();
        closed
    }
}
