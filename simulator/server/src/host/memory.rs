//! How much memory all accounts use together, and which of them are shrunk when that is too much. What one
//! account evicts by itself follows from its own entries; the engine decides that.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;

use super::cell::{AccountCell, AccountState};
use super::clock::Clock;
use super::lock_order::{Mutex, Rank};
use super::shares::leaves_enough;
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::environment::RetentionLimits;

/// How much memory may be used, and how long unused accounts stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Of each account and environment.
    pub retention: RetentionLimits,
    /// Bytes of all accounts together.
    pub total_bytes: usize,
    /// How many accounts keys may open.
    pub max_accounts: usize,
    /// An account that a key opened is closed when it was idle so long, by the machine's clock.
    pub account_idle: Duration,
}

impl MemoryLimits {
    /// The limits where none are configured.
    pub const DEFAULT: MemoryLimits = MemoryLimits {
        retention: RetentionLimits::DEFAULT,
        total_bytes: 48 << 20,
        max_accounts: 4096,
        account_idle: Duration::from_hours(24),
    };
}

impl Default for MemoryLimits {
    fn default() -> Self {
        MemoryLimits::DEFAULT
    }
}

/// What an account uses that never did anything: itself, its keys and configuration, and what the
/// directory and the allocator need for it.
const EMPTY_ACCOUNT: usize = size_of::<AccountCell>() + 1024;

/// An eviction frees this part of the limit, so that one eviction serves many calls.
const FREED: usize = 8;

/// A part of an account is light that takes less than this part of the limit.
const LIGHT: usize = 128;

/// An account that nobody has used for so long is idle where memory is short.
const IDLE: Duration = Duration::from_mins(1);

/// Where nearly all room is taken, the latest events of an account may take this part of what its calls may:
/// each of them tells of a call or a webhook that is there to be read, too.
const EVENTS: usize = 4;

/// The bytes that an account uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryUsage {
    /// What may be evicted, in each of [`Environment::ALL`].
    pub(super) evictable: [usize; 2],
    /// What may not be evicted now.
    pub(super) pinned: usize,
    /// The latest events.
    pub(super) events: usize,
}

impl MemoryUsage {
    pub(super) fn of(state: &AccountState) -> Self {
        let [test, live] = Environment::ALL.map(|it| state.account.environment(it));
        let own = state.account.scenarios.as_ref();
        let own = own.map_or(0, |own| own.bytes());
        MemoryUsage {
            evictable: [test.evictable_bytes(), live.evictable_bytes()],
            pinned: EMPTY_ACCOUNT + own + test.pinned_bytes() + live.pinned_bytes(),
            events: state.events.bytes(),
        }
    }

    /// What may be evicted, each by itself.
    fn parts(&self) -> [usize; 3] {
        [self.evictable[0], self.evictable[1], self.events]
    }

    fn total(&self) -> usize {
        self.evictable[0] + self.evictable[1] + self.pinned + self.events
    }
}

/// The levels above which no part of an account grows.
pub(super) struct FullLevels {
    /// Of what may be evicted, in each environment.
    pub(super) evictable: usize,
    /// Of the latest events.
    pub(super) events: usize,
}

/// What all accounts use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TotalMemory {
    /// Bytes.
    pub bytes: usize,
    /// Those of them that can't be evicted now.
    pub pinned: usize,
    /// How often accounts were shrunk because that was too much.
    pub evictions: u64,
}

/// Keeps the sum of what all accounts use within its limit.
pub(super) struct MemoryGovernor {
    pub(super) limits: MemoryLimits,
    total: AtomicUsize,
    /// What may not be evicted, of all accounts.
    pinned: AtomicUsize,
    /// The total above which accounts are shrunk next: the limit, or more where that did not help.
    evict_above: AtomicUsize,
    /// The level to which the last eviction shrank all larger parts of accounts.
    level: AtomicUsize,
    /// From when on accounts may be idle that were not at the last eviction of light ones: milliseconds of the time that
    /// accounts follow.
    idle_at: AtomicI64,
    evicting: Mutex<()>,
    evictions: AtomicU64,
}

impl MemoryGovernor {
    pub(super) fn new(limits: MemoryLimits) -> Self {
        MemoryGovernor {
            limits,
            total: AtomicUsize::new(0),
            pinned: AtomicUsize::new(0),
            evict_above: AtomicUsize::new(limits.total_bytes),
            level: AtomicUsize::new(usize::MAX),
            idle_at: AtomicI64::new(i64::MIN),
            evicting: Mutex::new(Rank::Evict, ()),
            evictions: AtomicU64::new(0),
        }
    }

    /// Notes what an account uses now.
    pub(super) fn measure(&self, state: &mut AccountState) {
        let (after, pinned) = match state.closed {
            false => {
                let usage = MemoryUsage::of(state);
                (usage.total(), usage.pinned)
            }
            true => (0, 0),
        };
        add_difference(&self.total, &mut state.measured_bytes, after);
        add_difference(&self.pinned, &mut state.measured_pinned, pinned);
    }

    pub(super) fn usage(&self) -> TotalMemory {
        TotalMemory {
            bytes: self.total.load(Ordering::Relaxed),
            pinned: self.pinned.load(Ordering::Relaxed),
            evictions: self.evictions.load(Ordering::Relaxed),
        }
    }

    /// Whether what is pending in an account leaves enough of the room for the others.
    pub(super) fn has_room(&self, state: &AccountState) -> bool {
        let pinned = self.pinned.load(Ordering::Relaxed);
        leaves_enough(state.measured_pinned, self.limits.total_bytes, pinned)
    }

    /// Whether so much more that can't be evicted leaves enough of the room for the others.
    pub(super) fn has_room_for(&self, state: &AccountState, bytes: usize) -> bool {
        let pinned = self.pinned.load(Ordering::Relaxed) + bytes;
        let has = state.measured_pinned + bytes;
        leaves_enough(has, self.limits.total_bytes, pinned)
    }

    /// The levels above which no part of an account grows now: where nearly all room is taken, what a call
    /// adds takes the place of what its account has longest. So memory is given back that is at hand, and
    /// all accounts are shrunk at once more rarely. (10,000 accounts in turn: 10 instead of 14 µs of
    /// processor time a call outside the kernel; one account: 7.) Where many light ones took it, each may grow again once some
    /// of them can be idle, so that these give way.
    pub(super) fn full(&self, clock: &Clock) -> Option<FullLevels> {
        let limit = self.limits.total_bytes;
        if self.total.load(Ordering::Relaxed) <= limit - limit / FREED {
            return None;
        }
        let known = self.level.load(Ordering::Relaxed);
        let is_over = || clock.now().as_millisecond() >= self.idle_at.load(Ordering::Relaxed);
        let level = match known < limit / LIGHT && is_over() {
            true => limit / LIGHT,
            false => known,
        };
        Some(FullLevels {
            evictable: level,
            events: level / EVENTS,
        })
    }

    /// Where all accounts use too much, shrinks some: `shrink` evicts what has ended of an account, until no evictable part of
    /// it is above a level. The heaviest give way; where it is many that are light, those that are idle longest do. No account
    /// may be locked.
    pub(super) fn evict(
        &self,
        clock: &Clock,
        accounts: impl FnOnce() -> Vec<Arc<AccountCell>>,
        shrink: impl Fn(&Arc<AccountCell>, usize),
    ) {
        let total = self.total.load(Ordering::Relaxed);
        let evict_above = self.evict_above.load(Ordering::Relaxed);
        if total <= evict_above {
            let limit = self.limits.total_bytes;
            if evict_above > limit && total <= limit {
                self.evict_above.store(limit, Ordering::Relaxed);
            }
            return;
        }
        // Where somebody is at it already, this call does not wait for it.
        let Some(_one_eviction) = self.evicting.try_lock() else {
            return;
        };
        let limit = self.limits.total_bytes;
        let total = self.total.load(Ordering::Relaxed);
        let excess = total.saturating_sub(limit - limit / FREED);
        let cells = accounts();
        let usages = cells.iter().map(|cell| MemoryUsage::of(&cell.lock()));
        let mut used: Vec<_> = cells.iter().zip(usages).collect();
        let mut level = level_of(&used, excess);
        if level < limit / LIGHT {
            let (now, idle) = (clock.now(), clock.to_account_time(IDLE));
            let since = now.saturating_sub(idle).unwrap_or(Timestamp::MIN);
            let freed = forget_idle(&mut used, excess, since, &shrink);
            level = match excess.saturating_sub(freed) {
                0 => limit / LIGHT,
                more => level_of(&used, more),
            };
            let again = now.saturating_add(idle).unwrap_or(Timestamp::MAX);
            self.idle_at
                .store(again.as_millisecond(), Ordering::Relaxed);
        }
        self.level.store(level, Ordering::Relaxed);
        for (cell, usage) in &used {
            if usage.parts().iter().any(|part| *part > level) {
                shrink(cell, level);
            }
        }
        self.evictions.fetch_add(1, Ordering::Relaxed);
        let left = self.total.load(Ordering::Relaxed);
        let full = left > limit;
        let evict_above = if full { left + limit / FREED } else { limit };
        self.evict_above.store(evict_above, Ordering::Relaxed);
        match full {
            true => tracing::warn!(
                bytes = left,
                bound = limit,
                "what is pending takes more than --keep-total: accounts that have much of it get no further calls executed"
            ),
            false => tracing::info!(
                from = total,
                to = left,
                bound = limit,
                "all accounts together took too much: the heaviest, or those idle longest, forgot what ended first"
            ),
        }
    }
}

/// What accounts use.
type Used<'a> = [(&'a Arc<AccountCell>, MemoryUsage)];

fn level_of(used: &Used<'_>, excess: usize) -> usize {
    level(
        used.iter().flat_map(|(_, usage)| usage.parts()).collect(),
        excess,
    )
}

/// Lets accounts that were idle since then forget all that has ended, the longest idle first, until that is enough. Says how
/// much it was.
fn forget_idle(
    used: &mut Used<'_>,
    excess: usize,
    since: Timestamp,
    shrink: &impl Fn(&Arc<AccountCell>, usize),
) -> usize {
    let since = since.as_millisecond();
    // Read once each: callers go on using accounts, and an order that changes while it is made is none.
    used.sort_by_cached_key(|(cell, _)| cell.last_used_ms());
    let mut freed = 0;
    let idle = used.iter_mut();
    for (cell, usage) in idle.filter(|(cell, _)| cell.last_used_ms() < since) {
        let own: usize = usage.parts().iter().sum();
        if freed >= excess {
            break;
        }
        if own > 0 {
            shrink(cell, 0);
            (usage.evictable, usage.events) = ([0; 2], 0);
            freed += own;
        }
    }
    freed
}

/// Logs what an account has evicted so far: after the first, the tenth, the hundredth and so on.
pub(super) fn report_evicted(account: &Account, environment: Environment, before: u64) {
    let evictions = account.environment(environment).evictions();
    let after = evictions.total();
    if before.checked_ilog10() == after.checked_ilog10() {
        return;
    }
    let counts: Vec<String> = evictions
        .named()
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    tracing::info!(
        account = %account.id,
        %environment,
        forgotten = counts.join(", "),
        "memory is bounded: what ended first was forgotten; see --keep-calls and --keep-bytes"
    );
}

/// Notes how much one account takes now, and adds the difference to the sum of all. Nearly every call leaves
/// what is pinned as it was: no write then.
fn add_difference(sum: &AtomicUsize, measured: &mut usize, now: usize) {
    let before = std::mem::replace(measured, now);
    match now.cmp(&before) {
        std::cmp::Ordering::Greater => sum.fetch_add(now - before, Ordering::Relaxed),
        std::cmp::Ordering::Less => sum.fetch_sub(before - now, Ordering::Relaxed),
        std::cmp::Ordering::Equal => return,
    };
}

/// The level to which all larger parts shrink so that together they lose the excess; 0 where they are not
/// that much together.
fn level(mut parts: Vec<usize>, excess: usize) -> usize {
    parts.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = 0;
    for (at, part) in parts.iter().enumerate() {
        sum += part;
        let next = parts.get(at + 1).copied().unwrap_or(0);
        // Shrinking all so far to the size of the next one would be enough.
        if sum - (at + 1) * next >= excess {
            return sum.saturating_sub(excess) / (at + 1);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_parts_shrink_to_one_level() {
        for (parts, excess, expected) in [
            (vec![10, 4, 1], 0, 10),
            (vec![10, 4, 1], 5, 5),
            (vec![10, 4, 1], 6, 4),
            (vec![10, 4, 1], 8, 3),
            (vec![10, 4, 1], 15, 0),
            (vec![10, 4, 1], 16, 0),
            (vec![], 1, 0),
        ] {
            let freed: usize = {
                let level = level(parts.clone(), excess);
                assert_eq!(level, expected, "{parts:?} less {excess}");
                parts.iter().map(|part| part.saturating_sub(level)).sum()
            };
            assert!(freed >= excess.min(parts.iter().sum()));
        }
    }
}
