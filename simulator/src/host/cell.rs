//! An account and its lock, with what the host knows of it beside its state: attempts that are being made,
//! orphaned replies, the latest events.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use foldhash::fast::FixedState;
use jiff::Timestamp;
use svc_fixtures::reading::Source;
use tokio::sync::Notify;

use super::account_rules::AccountRules;
use super::events::{EventBatch, EventLog};
use super::lock_order::{Mutex, MutexGuard, Rank, RwLock};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::account::Account;
use crate::engine::state::event::{Event, EventKind};
use crate::engine::state::ids::VerificationId;

/// A call yields to the other tasks of its thread this often before the thread sleeps until it gets the
/// lock.
const MAX_YIELDS: usize = 8;

/// An account and its lock.
pub struct AccountCell {
    id: Arc<str>,
    pub(super) origin: Origin,
    state: Mutex<AccountState>,
    /// Wakes whoever waits for a change of the state.
    pub(super) changed: Notify,
    /// The scenarios of this account alone, where it has any. Beside the state, because every call reads
    /// them before it needs the state.
    pub(super) own_rules: RwLock<Option<Arc<AccountRules>>>,
    /// When a caller last asked for the account, in milliseconds. Beside the state, because it is written
    /// where the account is looked up.
    last_used_ms: AtomicI64,
}

/// How an account came into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A key of a certain form opened it: it is closed when it is idle too long.
    Key,
    /// Somebody declared or added it: it stays.
    Declared,
}

/// What the lock of an account guards.
pub(super) struct AccountState {
    pub(super) account: Account,
    /// The names it is known by; empty once it is closed.
    pub(super) names: Vec<Box<str>>,
    /// Whether it was closed: a call that comes now is for the account that begins anew under its name.
    pub(super) closed: bool,
    /// The deliveries of which an attempt is being made.
    pub(super) in_flight: BTreeSet<(Environment, VerificationId)>,
    /// What happened so far while somebody moves the clock. Whoever moves it makes all attempts that are
    /// due then.
    pub(super) clock_move: Option<Vec<Event>>,
    /// How often the account was reset. What began before a reset changes nothing after it.
    pub(super) generation: u64,
    /// The replies to calls that were delayed when the account was reset, by generation and id.
    pub(super) orphaned: HashMap<(u64, VerificationId), OrphanedReply, FixedState>,
    pub(super) events: EventLog,
    /// When a task will look again, by the account's clock. Without it every call of an account with a
    /// pending result would leave a task behind.
    pub(super) wakeup_at: Option<Timestamp>,
    /// How many bytes of it the total of all accounts includes.
    pub(super) measured_bytes: usize,
}

/// The reply to a call whose account was reset while the call was delayed.
pub(super) struct OrphanedReply {
    pub(super) reply: Reply,
    /// Whether the call has it. Until then it stays, however often the account is reset.
    pub(super) delivered: bool,
}

impl AccountCell {
    pub(super) fn new(account: Account, origin: Origin) -> Self {
        let id = Arc::clone(&account.id);
        let state = AccountState {
            account,
            names: Vec::new(),
            closed: false,
            in_flight: BTreeSet::new(),
            clock_move: None,
            generation: 0,
            orphaned: HashMap::default(),
            events: EventLog::default(),
            wakeup_at: None,
            measured_bytes: 0,
        };
        AccountCell {
            id,
            origin,
            state: Mutex::new(Rank::Account, state),
            changed: Notify::new(),
            own_rules: RwLock::new(Rank::AccountRules, None),
            last_used_ms: AtomicI64::new(i64::MIN),
        }
    }

    /// The account's id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Looks at the account. Its lock is held meanwhile.
    pub fn read<T>(&self, look: impl FnOnce(&Account) -> T) -> T {
        look(&self.lock().account)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, AccountState> {
        self.state.lock()
    }

    /// Lets other tasks of this thread go on while somebody else has the lock: a thread that sleeps here
    /// delays all other connections that it serves. The lock is never held for long, so that after some
    /// yields the thread waits for it all the same. (Two cores, one account: 0.81 instead of 0.78 of what
    /// a bare server answers, for 1.41 instead of 1.56 of its processor time.)
    pub(super) async fn yield_while_contended(&self) {
        for _ in 0..MAX_YIELDS {
            if !self.state.is_locked() {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    /// Notes that a caller asks for the account now.
    pub(super) fn mark_used(&self, now: Timestamp) {
        let now = now.as_millisecond();
        // Nearly every call finds the millisecond of the one before it: no write then.
        if self.last_used_ms.load(Ordering::Relaxed) < now {
            self.last_used_ms.store(now, Ordering::Relaxed);
        }
    }

    /// When a caller last asked for the account, in milliseconds of the time that accounts follow.
    pub(super) fn last_used_ms(&self) -> i64 {
        self.last_used_ms.load(Ordering::Relaxed)
    }

    /// The rules its calls are decided by, where it has scenarios of its own.
    pub(super) fn rules(&self) -> Option<Arc<Rules>> {
        self.own_rules.read().as_ref()?.rules.clone()
    }

    /// The files of scenarios that were added for this account, the newest first.
    #[must_use]
    pub fn added_files(&self) -> Vec<Arc<Source>> {
        let own = self.own_rules.read();
        own.as_ref()
            .map(|own| own.files.clone())
            .unwrap_or_default()
    }

    /// The number the next event of this account will have.
    #[must_use]
    pub fn next_event_number(&self) -> u64 {
        self.lock().events.next
    }

    /// The wanted events from a number on. Where there is none yet, waits for the first, at most so long
    /// in real time; empty when the time is over.
    pub async fn wait_for_events(
        &self,
        from: u64,
        wanted: impl Fn(&Event) -> bool,
        at_most: Duration,
    ) -> EventBatch {
        let found = self.wait_until(|state| {
            let batch = state.events.from(from, &wanted);
            (!batch.events.is_empty()).then_some(batch)
        });
        match tokio::time::timeout(at_most, found).await {
            Ok(batch) => batch,
            Err(_) => self.lock().events.from(from, &wanted),
        }
    }

    /// Looks at the state now and after each change, until the look finds something.
    pub(super) async fn wait_until<T>(
        &self,
        mut look: impl FnMut(&mut AccountState) -> Option<T>,
    ) -> T {
        loop {
            // Made before the look, so that no change in between is missed.
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let found = look(&mut self.lock());
            if let Some(found) = found {
                return found;
            }
            changed.await;
        }
    }
}

impl AccountState {
    /// Whether something is still to come of it, so that it must stay.
    pub(super) fn is_open(&self) -> bool {
        let open = |environment| {
            let verifications = &self.account.environment(environment).verifications;
            verifications.totals().pinned.count > 0
        };
        let pending = Environment::ALL.into_iter().any(open);
        pending || !self.in_flight.is_empty() || self.clock_move.is_some()
    }

    /// The verifications whose replies are delayed.
    pub(super) fn delayed(&self) -> Vec<(Environment, VerificationId)> {
        let delayed = |environment| {
            let verifications = &self.account.environment(environment).verifications;
            verifications.delayed().map(move |it| (environment, it.id))
        };
        Environment::ALL.into_iter().flat_map(delayed).collect()
    }

    /// When there is something to do next: a result, or an attempt that is not due yet. An attempt that
    /// is due already begins when another one ends.
    pub(super) fn next_due(&self, now: Timestamp) -> Option<Timestamp> {
        let result = self.account.first_due().map(|(at, ..)| at);
        let attempts = Environment::ALL.into_iter().filter_map(|environment| {
            let verifications = &self.account.environment(environment).verifications;
            verifications.attempt_due_after(now)
        });
        result.into_iter().chain(attempts).min()
    }

    /// Notes what happened.
    pub(super) fn record(&mut self, event: Event) {
        if let Some(events) = &mut self.clock_move {
            if matches!(event.kind, EventKind::ClockSet { .. }) {
                // Every step of a move sets the clock; only where it arrives is reported.
                return;
            }
            events.push(event.clone());
        }
        self.events.push(event);
    }
}
