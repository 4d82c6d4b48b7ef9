//! An account and its lock, with what the host knows of it beside its state: what is being sent, who
//! waits, what happened lately.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use foldhash::fast::FixedState;
use jiff::Timestamp;
use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::Notify;

use super::events::EventLog;
use super::own_rules::OwnRules;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::event::{Event, What};
use crate::engine::state::ids::VerificationId;

/// So often a call lets others go first before its thread sleeps until it gets the lock.
const TURNS: usize = 8;

/// No task is waiting.
pub(super) const UNARMED: i64 = i64::MAX;

/// An account and its lock.
pub struct AccountCell {
    pub(super) id: Arc<str>,
    held: Mutex<Held>,
    /// Told whenever something changed.
    pub(super) changed: Notify,
    /// When a task will look next, in milliseconds of the account's clock; only changed under the
    /// lock. Without it every call of an account with a pending result would leave a task behind.
    pub(super) armed: AtomicI64,
    /// Held by whoever moves the clock: one at a time.
    pub(super) moves: tokio::sync::Mutex<()>,
    /// The rules of this account alone, where it has any.
    pub(super) own_rules: RwLock<Option<Arc<OwnRules>>>,
    pub(super) opened: Opened,
    /// The names it is known by; none once it has ended.
    pub(super) names: Mutex<Option<Vec<Box<str>>>>,
    /// When it was last asked for, in milliseconds of the time that accounts follow.
    used: AtomicI64,
    /// What it takes, as far as the total knows; only changed under the lock.
    pub(super) weight: AtomicUsize,
}

/// How an account came into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opened {
    /// By a key that opens one: it goes when it is idle too long.
    ByKey,
    /// By somebody who asked for it: it stays.
    ByHand,
}

/// What the lock guards.
pub(super) struct Held {
    pub(super) account: Account,
    /// The deliveries an attempt of which is on its way.
    pub(super) in_flight: BTreeSet<(Environment, VerificationId)>,
    /// Where its clock is being moved: what happened on the way so far. Whoever moves it sends what
    /// is due then, and nobody else.
    pub(super) moving: Option<Vec<Event>>,
    /// How often the account was set back to its beginning. What began before that changes nothing.
    pub(super) generation: u64,
    /// The answers to calls that were held back when the account was set back.
    pub(super) parting: HashMap<(u64, VerificationId), Parting, FixedState>,
    /// What happened lately.
    pub(super) events: EventLog,
    /// Whether it was closed: what comes now is for the account that begins anew under its name.
    pub(super) ended: bool,
}

/// The answer to a call that was held back when its account was set back.
pub(super) struct Parting {
    pub(super) reply: Reply,
    /// Whether the call has it. Until then it is kept, however often the account is set back.
    pub(super) given: bool,
}

impl AccountCell {
    pub(super) fn new(account: Account, opened: Opened) -> Self {
        AccountCell {
            id: Arc::clone(&account.id),
            held: Mutex::new(Held {
                account,
                in_flight: BTreeSet::new(),
                moving: None,
                generation: 0,
                parting: HashMap::default(),
                events: EventLog::default(),
                ended: false,
            }),
            changed: Notify::new(),
            armed: AtomicI64::new(UNARMED),
            moves: tokio::sync::Mutex::new(()),
            own_rules: RwLock::new(None),
            opened,
            names: Mutex::new(Some(Vec::new())),
            used: AtomicI64::new(i64::MIN),
            weight: AtomicUsize::new(0),
        }
    }

    /// Notes that it is asked for now.
    pub(super) fn used(&self, now: Timestamp) {
        let now = now.as_millisecond();
        // Nearly every call finds the millisecond of the one before it: no write then.
        if self.used.load(Ordering::Relaxed) < now {
            self.used.store(now, Ordering::Relaxed);
        }
    }

    /// When it was last asked for, in milliseconds of the time that accounts follow.
    pub(super) fn last_used(&self) -> i64 {
        self.used.load(Ordering::Relaxed)
    }

    /// The account's id.
    #[must_use]
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Looks at the account. The lock is held meanwhile: no waiting inside.
    pub fn read<T>(&self, look: impl FnOnce(&Account) -> T) -> T {
        look(&self.held.lock().account)
    }

    /// Lets other work of this thread go on while somebody else has the lock: a thread that sleeps
    /// here keeps all other connections waiting that it serves. It is never long, so that after some
    /// turns it is waited for all the same. (Two cores, one account: 0.81 instead of 0.78 of what a
    /// bare server answers, for 1.41 instead of 1.56 of its processor time.)
    pub(super) async fn turn(&self) {
        for _ in 0..TURNS {
            if !self.held.is_locked() {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock()
    }
}

impl Held {
    /// Whether something is still to come of it, so that it must stay.
    pub(super) fn is_open(&self) -> bool {
        let open = |environment| {
            let verifications = &self.account.environment(environment).verifications;
            verifications.totals().pinned.count > 0
        };
        let pending = Environment::ALL.into_iter().any(open);
        pending || !self.in_flight.is_empty() || self.moving.is_some()
    }

    /// Notes what happened.
    pub(super) fn happened(&mut self, event: Event) {
        if let (Some(_), What::ClockSet { .. }) = (&self.moving, &event.what) {
            // Every step on the way sets the clock; only where it arrives is told.
            return;
        }
        if let Some(on_the_way) = &mut self.moving {
            on_the_way.push(event.clone());
        }
        self.events.push(event);
    }
}
