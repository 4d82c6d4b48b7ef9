//! An account and its lock, with what the host knows of it beside its state: what is being sent, who
//! waits, what happened lately.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use foldhash::fast::FixedState;
use parking_lot::{Mutex, MutexGuard, RwLock};
use tokio::sync::Notify;

use super::events::EventLog;
use super::own_rules::OwnRules;
use crate::engine::account::Account;
use crate::engine::call::Environment;
use crate::engine::event::{Event, What};
use crate::engine::ids::VerificationId;
use crate::engine::reply::Reply;

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
}

/// The answer to a call that was held back when its account was set back.
pub(super) struct Parting {
    pub(super) reply: Reply,
    /// Whether the call has it. Until then it is kept, however often the account is set back.
    pub(super) given: bool,
}

impl AccountCell {
    pub(super) fn new(account: Account) -> Self {
        AccountCell {
            id: Arc::clone(&account.id),
            held: Mutex::new(Held {
                account,
                in_flight: BTreeSet::new(),
                moving: None,
                generation: 0,
                parting: HashMap::default(),
                events: EventLog::default(),
            }),
            changed: Notify::new(),
            armed: AtomicI64::new(UNARMED),
            moves: tokio::sync::Mutex::new(()),
            own_rules: RwLock::new(None),
        }
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

    pub(super) fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock()
    }
}

impl Held {
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
