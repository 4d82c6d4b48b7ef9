//! An account and its lock, with what the host knows of it beside its state: attempts that are being made,
//! orphaned replies, the latest events.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use foldhash::fast::FixedState;
use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::account_rules::OwnScenarios;
use super::event_log::{EventBatch, EventLog};
use super::journal::{Commit, JournalError, Version};
use super::lock_order::{Mutex, MutexGuard, Rank, RwLock};
use super::shares::{Opener, TakenByAccount};
pub(super) use super::unsummed::Unsummed;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::event::{Event, EventKind};
use crate::engine::state::ids::VerificationId;

/// A call yields to the other tasks of its thread this often before the thread sleeps until it gets the
/// lock.
const MAX_YIELDS: usize = 8;

/// So many decisions look first, after one that came too late. A balancer that sends an account's calls to replicas in
/// turn makes nearly each of them come too late.
const LOOKS: u8 = 32;

/// An account and its lock.
pub struct AccountCell {
    id: Arc<str>,
    pub(super) origin: Origin,
    state: Mutex<AccountState>,
    /// Wakes whoever waits for a change of the state.
    pub(super) changed: Notify,
    /// The scenarios of this account alone, where it has any, as its state has them. Beside the state, because every
    /// call reads them before it needs the state.
    pub(super) own: RwLock<Option<OwnScenarios>>,
    /// How often these were changed: a call that was prepared by others is prepared again.
    edition: AtomicU64,
    /// When a caller last asked for the account, in milliseconds. Beside the state, because it is written
    /// where the account is looked up.
    last_used_ms: AtomicI64,
    /// What it has of that which all accounts use.
    taken: TakenByAccount,
    /// Held while the account is read from the store again. Beside the state, because that takes its time.
    pub(super) reloading: tokio::sync::Mutex<Option<JournalError>>,
    /// How often that failed: whoever waited for somebody who failed has failed, too.
    failed_reloads: AtomicU64,
    /// Whether another replica changed it since. Beside the state, because every call looks at it first.
    stale: AtomicBool,
    /// How many of the next decisions look first whether another replica changed it. What is decided on something
    /// old is thrown away and the whole account read anew, which costs far more.
    looks: AtomicU8,
}

/// How an account came into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A key of a certain form opened it, shown by this one: it is closed when it is idle too long.
    Key(Opener),
    /// It was declared: it stays.
    Declared,
    /// Somebody opened or copied it while the simulator runs: it stays until it is deleted.
    Hand,
}

impl Origin {
    /// Whether it may be closed when it is idle: only those of one opener, where one is given.
    pub(super) fn may_go(self, of: Option<Opener>) -> bool {
        match self {
            Origin::Key(opener) => of.is_none_or(|of| of == opener),
            Origin::Declared | Origin::Hand => false,
        }
    }
}

/// What the lock of an account guards.
pub(super) struct AccountState {
    pub(super) account: Account,
    /// How far it has come.
    pub(super) version: Version,
    /// When all of that is written.
    pub(super) commit: Commit,
    /// When what it began with is, where it began here.
    pub(super) opening: Commit,
    /// How much of it the store has in single entries.
    pub(super) unsummed: Unsummed,
    /// Whether something of it was not written, so that it has to be read again.
    pub(super) lost: bool,
    /// The names it is known by; empty once it is closed.
    pub(super) names: Vec<Box<str>>,
    /// Whether it was closed: a call that comes now is for the account that begins anew under its name.
    pub(super) closed: bool,
    /// The deliveries of which an attempt is being made.
    pub(super) in_flight: BTreeSet<(Environment, VerificationId)>,
    /// What happened so far while somebody moves the clock. Whoever moves it makes all attempts that are
    /// due then.
    pub(super) clock_move: Option<Vec<Event>>,
    /// Why what came of an attempt was not written: whoever moves the clock is told.
    pub(super) unwritten_attempt: Option<JournalError>,
    /// Whether attempts wait for a moment, since what came of one was not written.
    pub(super) attempts_wait: bool,
    /// How often the account was reset. What began before a reset changes nothing after it.
    pub(super) generation: u64,
    /// How far the account had come when it was last reset.
    pub(super) reset_at: u64,
    /// When somebody else ends the calls that are delayed, where their own replicas have not by then.
    pub(super) overdue_at: BTreeMap<(Environment, VerificationId), Timestamp>,
    /// Whether a shared store may think that something of it falls due.
    pub(super) due_noted: bool,
    /// Whether another replica is about to do what falls due.
    pub(super) handing_over: bool,
    /// The replies to calls that were delayed when the account was reset, by generation and id.
    pub(super) orphaned: HashMap<(u64, VerificationId), OrphanedReply, FixedState>,
    /// Where the replies to delayed calls are left for those who wait for them under their keys: what ended may be forgotten
    /// before they look again.
    pub(super) awaited: HashMap<VerificationId, Weak<OnceLock<Reply>>, FixedState>,
    pub(super) events: EventLog,
    /// The task that will look again. Without it every call of an account with a pending result would leave one behind.
    pub(super) wakeup: Option<Wakeup>,
    /// How many bytes of it the total of all accounts includes.
    pub(super) measured_bytes: usize,
    /// How many of them are pinned.
    pub(super) measured_pinned: usize,
}

/// A task that waits to look at an account again.
pub(super) struct Wakeup {
    /// When it will, by the account's clock.
    pub(super) at: Timestamp,
    pub(super) task: AbortHandle,
}

/// The reply to a call whose account was reset while the call was delayed.
pub(super) struct OrphanedReply {
    pub(super) reply: Reply,
    /// Whether the call has it. Until then it stays, however often the account is reset.
    pub(super) delivered: bool,
}

impl AccountCell {
    pub(super) fn new(account: Account, version: Version, origin: Origin) -> Self {
        let (id, own) = (Arc::clone(&account.id), OwnScenarios::of(&account));
        let state = AccountState {
            account,
            version,
            commit: Commit::WRITTEN,
            opening: Commit::WRITTEN,
            unsummed: Unsummed::default(),
            lost: false,
            names: Vec::new(),
            closed: false,
            in_flight: BTreeSet::new(),
            clock_move: None,
            unwritten_attempt: None,
            attempts_wait: false,
            generation: 0,
            reset_at: 0,
            overdue_at: BTreeMap::new(),
            due_noted: true,
            handing_over: false,
            orphaned: HashMap::default(),
            awaited: HashMap::default(),
            events: EventLog::default(),
            wakeup: None,
            measured_bytes: 0,
            measured_pinned: 0,
        };
        AccountCell {
            id,
            origin,
            state: Mutex::new(Rank::Account, state),
            changed: Notify::new(),
            own: RwLock::new(Rank::AccountRules, own),
            edition: AtomicU64::new(0),
            last_used_ms: AtomicI64::new(i64::MIN),
            taken: TakenByAccount::default(),
            reloading: tokio::sync::Mutex::new(None),
            failed_reloads: AtomicU64::new(0),
            stale: AtomicBool::new(false),
            looks: AtomicU8::new(0),
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

    /// What it has of that which all accounts use.
    #[must_use]
    pub fn taken(&self) -> &TakenByAccount {
        &self.taken
    }

    /// Whether another replica changed it since it was read.
    pub(super) fn is_stale(&self) -> bool {
        self.stale.load(Ordering::Relaxed)
    }

    /// Another replica changed it. Whoever waits for a change looks again.
    pub(super) fn mark_stale(&self) {
        self.stale.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// Another replica works with it, too, and may do so again.
    pub(super) fn expect_others(&self) {
        self.looks.store(LOOKS, Ordering::Relaxed);
    }

    /// Whether the next decision looks first what another replica did, and marks it as changed then. Where something is
    /// still being written, that shows whether it was old.
    pub(super) fn looks_first(&self) -> bool {
        let left = self.looks.load(Ordering::Relaxed);
        let looks = left != 0 && self.lock().commit.is_written();
        if looks {
            // Two at once may count one: it is about how many.
            self.looks.store(left - 1, Ordering::Relaxed);
            self.stale.store(true, Ordering::Release);
        }
        looks
    }

    /// How often it could not be read again.
    pub(super) fn failed_reloads(&self) -> u64 {
        self.failed_reloads.load(Ordering::Acquire)
    }

    /// It could not be read again.
    pub(super) fn note_failed_reload(&self) {
        self.failed_reloads.fetch_add(1, Ordering::AcqRel);
    }

    /// It is about to be read again. Says whether it had to be.
    pub(super) fn take_stale(&self) -> bool {
        self.stale.swap(false, Ordering::AcqRel)
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
    pub fn last_used_ms(&self) -> i64 {
        self.last_used_ms.load(Ordering::Relaxed)
    }

    /// Which edition of its own scenarios it has. Read before they are: what is read then is no older.
    pub(super) fn edition(&self) -> u64 {
        self.edition.load(Ordering::Acquire)
    }

    /// Its own scenarios are these from now on. The account is locked.
    pub(super) fn follow_scenarios(&self, account: &Account) {
        *self.own.write() = OwnScenarios::of(account);
        self.edition.fetch_add(1, Ordering::Release);
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
        let (mut unseen, mut missed) = (from, false);
        let found = self.wait_until(|state| {
            let mut batch = state.events.from(unseen, &wanted);
            // Every change wakes whoever waits: no event is looked at twice.
            unseen = batch.next;
            missed |= batch.missed;
            batch.missed = missed;
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

    /// Where the reply to a delayed call will be left for whoever waits for it.
    pub(super) fn await_reply(&mut self, to: VerificationId) -> Arc<OnceLock<Reply>> {
        let known = self.awaited.get(&to).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let reply = Arc::default();
            self.awaited.insert(to, Arc::downgrade(&reply));
            reply
        })
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
