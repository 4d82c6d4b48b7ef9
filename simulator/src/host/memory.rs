//! What all accounts take together, and which of them give way where that is too much. Decides nothing
//! of what one account forgets by itself: that follows from its own entries.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::Host;
use super::cell::{AccountCell, Held};
use crate::engine::Room;
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::environment::RetentionLimits;

/// How much memory is used, and how long what nobody uses is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Of each account and environment.
    pub retention: RetentionLimits,
    /// Bytes of all accounts together.
    pub total_bytes: usize,
    /// So many accounts are opened by keys that open one.
    pub max_accounts: usize,
    /// Such an account goes when it was idle so long, by the machine's clock.
    pub account_idle: Duration,
}

impl MemoryLimits {
    /// What holds where nothing else is said.
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

/// The running total and its bound.
pub(super) struct Memory {
    pub(super) limits: MemoryLimits,
    total: AtomicUsize,
    /// The total at which accounts must give way next: the bound, but more where that did not help.
    look_at: AtomicUsize,
    /// Whether nothing was left to forget when it last was too much.
    full: AtomicBool,
    relieving: Mutex<()>,
    evictions: AtomicU64,
}

/// What an account takes that never did anything: itself, its keys and configuration, and what the
/// directory and the allocator need for it.
const EMPTY: usize = size_of::<AccountCell>() + 1024;

/// When accounts give way, this part of the bound becomes free: so that one look serves many calls.
const FREED: usize = 8;

/// What an account takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Weight {
    /// What may be forgotten, in the sandbox and live.
    pub over: [usize; 2],
    /// What may not be forgotten now.
    pub open: usize,
    /// The latest events.
    pub events: usize,
}

impl Weight {
    fn of(held: &Held) -> Self {
        let [test, live] = Environment::ALL.map(|it| held.account.environment(it));
        Weight {
            over: [test.evictable_bytes(), live.evictable_bytes()],
            open: EMPTY + test.pinned_bytes() + live.pinned_bytes(),
            events: held.events.bytes(),
        }
    }

    /// All of it, in bytes.
    #[must_use]
    pub fn all(&self) -> usize {
        self.over[0] + self.over[1] + self.open + self.events
    }
}

/// All accounts together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TotalMemory {
    /// What they take, in bytes.
    pub bytes: usize,
    /// How often accounts had to give way.
    pub evictions: u64,
}

impl Memory {
    pub(super) fn new(limits: MemoryLimits) -> Self {
        Memory {
            limits,
            total: AtomicUsize::new(0),
            look_at: AtomicUsize::new(limits.total_bytes),
            full: AtomicBool::new(false),
            relieving: Mutex::new(()),
            evictions: AtomicU64::new(0),
        }
    }

    /// Notes what an account takes now. Called under its lock.
    pub(super) fn weigh(&self, cell: &AccountCell, held: &Held) {
        let after = match held.ended {
            false => Weight::of(held).all(),
            true => 0,
        };
        let before = cell.weight.swap(after, Ordering::Relaxed);
        if after >= before {
            self.total.fetch_add(after - before, Ordering::Relaxed);
        } else {
            self.total.fetch_sub(before - after, Ordering::Relaxed);
        }
    }

    fn total(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    /// Whether there is room for one more call.
    pub(super) fn room(&self) -> Room {
        if !self.full.load(Ordering::Relaxed) {
            return Room::Enough;
        }
        if self.total() > self.limits.total_bytes {
            return Room::None;
        }
        self.full.store(false, Ordering::Relaxed);
        self.look_at
            .store(self.limits.total_bytes, Ordering::Relaxed);
        Room::Enough
    }
}

impl Host {
    /// How much may be used.
    #[must_use]
    pub fn memory_limits(&self) -> MemoryLimits {
        self.memory.limits
    }

    /// How much all accounts take.
    #[must_use]
    pub fn memory_usage(&self) -> TotalMemory {
        TotalMemory {
            bytes: self.memory.total(),
            evictions: self.memory.evictions.load(Ordering::Relaxed),
        }
    }

    /// Lets the heaviest accounts forget what has ended where all together take too much. No lock may
    /// be held.
    pub(super) fn relieve(&self) {
        if self.memory.total() <= self.memory.look_at.load(Ordering::Relaxed) {
            return;
        }
        // Somebody is at it already: the call that noticed goes on.
        let Some(_only) = self.memory.relieving.try_lock() else {
            return;
        };
        let (total, bound) = (self.memory.total(), self.memory.limits.total_bytes);
        let excess = total.saturating_sub(bound - bound / FREED);
        let cells = self.directory.all();
        let weights = cells.iter().map(|cell| Weight::of(&cell.lock()));
        let parts = weights.flat_map(|it| [it.over[0], it.over[1], it.events]);
        let level = level(parts.collect(), excess);
        for cell in &cells {
            self.give_way(cell, level);
        }
        self.memory.evictions.fetch_add(1, Ordering::Relaxed);
        let left = self.memory.total();
        let full = left > bound;
        self.memory.full.store(full, Ordering::Relaxed);
        let look_at = if full { left + bound / FREED } else { bound };
        self.memory.look_at.store(look_at, Ordering::Relaxed);
        match full {
            true => tracing::warn!(
                bytes = left,
                bound,
                "what is pending takes more than --keep-total: no further calls are executed"
            ),
            false => tracing::info!(
                from = total,
                to = left,
                bound,
                "all accounts together took too much: the heaviest forgot what ended first"
            ),
        }
    }

    /// Of what may be forgotten of an account, no part is above this level any more.
    fn give_way(&self, cell: &AccountCell, level: usize) {
        let mut held = cell.lock();
        let weight = Weight::of(&held);
        if weight.events > level {
            held.events.trim(level);
        }
        let at = held.account.clock.read(self.clock.now());
        for (environment, over) in Environment::ALL.into_iter().zip(weight.over) {
            if over > level {
                let entry = Entry {
                    at,
                    environment,
                    changes: vec![Change::Evicted { down_to: level }],
                };
                if let Err(error) = self.apply(cell, &mut held, entry) {
                    tracing::error!(account = %cell.id, %error, "what is to be forgotten was not written");
                }
            }
        }
        self.memory.weigh(cell, &held);
    }

    /// Closes accounts that were idle too long, now and again until the stop.
    pub async fn sweep(self: Arc<Self>, stop: CancellationToken) {
        let every = self.memory.limits.account_idle / 8;
        let every = every.clamp(Duration::from_secs(1), Duration::from_mins(1));
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(every) => {}
            }
            self.close_idle();
            self.relieve();
        }
    }

    /// Closes the accounts that were idle too long by now. Says how many.
    pub fn close_idle(&self) -> usize {
        self.directory.close_idle(self.clock.now())
    }
}

/// Tells what an account has forgotten: the first time, the tenth, the hundredth and so on.
pub(super) fn tell_forgotten(account: &Account, environment: Environment, before: u64) {
    let books = account.environment(environment);
    let after = books.evictions().total();
    if before.checked_ilog10() == after.checked_ilog10() {
        return;
    }
    let kinds = books.evictions().named();
    let told: Vec<String> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    tracing::info!(
        account = %account.id,
        %environment,
        forgotten = told.join(", "),
        "memory is bounded: what ended first was forgotten; see --keep-calls and --keep-bytes"
    );
}

/// The height above which these parts are so much together; 0 where all of them are not.
fn level(mut parts: Vec<usize>, excess: usize) -> usize {
    parts.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = 0;
    for (at, part) in parts.iter().enumerate() {
        sum += part;
        let next = parts.get(at + 1).copied().unwrap_or(0);
        // All down to the next one would be enough.
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
    fn the_heaviest_give_way_down_to_one_level() {
        for (parts, excess, expected) in [
            (vec![10, 4, 1], 0, 10),
            (vec![10, 4, 1], 5, 5),
            (vec![10, 4, 1], 6, 4),
            (vec![10, 4, 1], 8, 3),
            (vec![10, 4, 1], 15, 0),
            (vec![10, 4, 1], 16, 0),
            (vec![], 1, 0),
        ] {
            let given: usize = {
                let level = level(parts.clone(), excess);
                assert_eq!(level, expected, "{parts:?} less {excess}");
                parts.iter().map(|part| part.saturating_sub(level)).sum()
            };
            assert!(given >= excess.min(parts.iter().sum()));
        }
    }
}
