//! How many accounts keys may open, and which of them go when nobody uses them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Directory, OpenError};
use crate::host::cell::AccountCell;
use crate::host::shares::{Opener, leaves_enough};

/// Whoever works with an account asks for it more often than this.
pub(in crate::host) const MIN_IDLE: Duration = Duration::from_secs(10);

/// Where there are too many accounts, this part of them is closed at once, so that one search serves many.
const CLOSED_AT_ONCE: usize = 16;

/// What is known of one who opens accounts.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenerState {
    /// How many it has.
    pub(super) accounts: usize,
    /// Until then none of them can go. Without it, whoever goes on asking for one more account would make
    /// the simulator look at all there are each time.
    pub(super) search_after_ms: i64,
}

impl Default for OpenerState {
    fn default() -> Self {
        OpenerState {
            accounts: 0,
            search_after_ms: i64::MIN,
        }
    }
}

/// The accounts that keys opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyAccounts {
    /// How many there are.
    pub open: usize,
    /// How many of them the address has that opened most.
    pub most_of_one_address: usize,
    /// How many were closed because nobody used them.
    pub closed: u64,
}

impl Directory {
    /// Notes that a key used from there opened one more account.
    pub(super) fn count_opened(&self, opener: Opener) {
        self.opened_by_keys.fetch_add(1, Ordering::Relaxed);
        self.openers.lock().entry(opener).or_default().accounts += 1;
    }

    /// Closes those accounts that were idle longest where a key may open no more: of the same opener where
    /// that one has its share, else of all.
    pub(super) fn make_room(&self, opener: Opener, now: Timestamp) -> Result<(), OpenError> {
        let most = self.memory.limits.max_accounts;
        let open = || self.opened_by_keys.load(Ordering::Relaxed);
        let state = || {
            self.openers
                .lock()
                .get(&opener)
                .copied()
                .unwrap_or_default()
        };
        let over = || match (state().accounts, open()) {
            (own, _) if own >= self.defaults.accounts_per_address => {
                Some(OpenError::TooManyOfAddress)
            }
            (own, open) if !leaves_enough(own, most, open) => Some(OpenError::TooMany),
            _ => None,
        };
        let Some(refused) = over() else {
            return Ok(());
        };
        let (of, search_after_ms) = match state() {
            OpenerState { accounts: 0, .. } => (None, self.search_after_ms.load(Ordering::Relaxed)),
            own => (Some(opener), own.search_after_ms),
        };
        if now.as_millisecond() < search_after_ms {
            return Err(refused);
        }
        let at_once = most.div_ceil(CLOSED_AT_ONCE);
        if self.close_least_used(of, now, self.defaults.min_idle, at_once) == 0 {
            let after_ms = self.next_idle_ms(of, now);
            match of {
                None => self.search_after_ms.store(after_ms, Ordering::Relaxed),
                Some(of) => self.openers.lock().entry(of).or_default().search_after_ms = after_ms,
            }
        }
        over().map_or(Ok(()), Err)
    }

    /// When one of the accounts that keys opened will have been idle long enough to go, those of one opener
    /// where one is given. What keeps those that are idle already may end at any time.
    fn next_idle_ms(&self, of: Option<Opener>, now: Timestamp) -> i64 {
        let cells = self.all().into_iter();
        let idle_ms = i64::try_from(self.defaults.min_idle.as_millis()).unwrap_or(i64::MAX);
        let now_ms = now.as_millisecond();
        let next = cells.filter(|cell| cell.origin.may_go(of)).map(|cell| {
            match cell.last_used_ms().saturating_add(idle_ms) {
                idle_at if idle_at > now_ms => idle_at,
                _ => now_ms.saturating_add(idle_ms / 10),
            }
        });
        next.min().unwrap_or(i64::MIN)
    }

    /// Closes the accounts that were idle too long by now. Says how many.
    pub(in crate::host) fn close_idle(&self, now: Timestamp) -> usize {
        self.close_least_used(None, now, self.defaults.idle, usize::MAX)
    }

    /// Closes accounts that keys opened and nobody asked for so long, the one idle longest first, and no
    /// more than so many; only those of one opener where one is given. Those with something open stay.
    fn close_least_used(
        &self,
        of: Option<Opener>,
        now: Timestamp,
        idle: SignedDuration,
        most: usize,
    ) -> usize {
        let unused = Duration::try_from(idle).unwrap_or_default();
        let before = now.saturating_sub(idle).unwrap_or(Timestamp::MIN);
        let before = before.as_millisecond();
        let mut idle = self.all();
        idle.retain(|cell| cell.origin.may_go(of) && cell.last_used_ms() <= before);
        // Read once each: callers go on using accounts, and an order that changes while it is made is none.
        idle.sort_by_cached_key(|cell| cell.last_used_ms());
        let closes = |cell: &Arc<AccountCell>| {
            let mut state = cell.lock();
            // The directory has it once for each name, and this list once.
            let in_use = Arc::strong_count(cell) > state.names.len() + 1;
            if in_use || state.is_open() || cell.last_used_ms() > before {
                return false;
            }
            let closed = self.close(cell, &mut state, Some(unused));
            closed
                .inspect_err(|error| tracing::error!(account = %cell.id(), %error, "an idle account was not closed"))
                .is_ok()
        };
        let closed = idle.into_iter().filter(closes).take(most).count();
        self.closed.fetch_add(closed as u64, Ordering::Relaxed);
        if closed > 0 {
            tracing::debug!(closed, "accounts that nobody used were closed");
        }
        closed
    }

    /// How many accounts the keys of one address may open.
    #[must_use]
    pub fn accounts_per_address(&self) -> usize {
        self.defaults.accounts_per_address
    }

    /// How many accounts keys opened.
    #[must_use]
    pub fn opened_by_keys(&self) -> KeyAccounts {
        let openers = self.openers.lock();
        let most = openers.values().map(|opener| opener.accounts).max();
        KeyAccounts {
            open: self.opened_by_keys.load(Ordering::Relaxed),
            most_of_one_address: most.unwrap_or(0),
            closed: self.closed.load(Ordering::Relaxed),
        }
    }
}
