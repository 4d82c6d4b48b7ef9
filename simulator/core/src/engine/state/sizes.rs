//! What the parts of an account take in memory, and the sums of that: estimates that `benches/soak` holds against the resident
//! memory of the process.

use svc_fixtures::contract::Paise;

/// So many, of so many bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: usize,
    /// What they take.
    pub bytes: usize,
}

/// The allocator's own part of each piece of memory, about.
pub(super) const ALLOCATED: usize = 16;

/// What a text of its own takes.
pub(super) fn text_bytes(text: &str) -> usize {
    ALLOCATED + text.len()
}

/// What a place in a map takes. Maps grow by doubling: on average a quarter of their places is free.
pub(super) const fn map_place<K, V>() -> usize {
    (size_of::<(K, V)>() + 1) * 4 / 3
}

/// What a place in an ordered set takes: a tree whose nodes are half full at worst.
pub(super) const fn set_place<T>() -> usize {
    size_of::<T>() * 3 / 2
}

/// What so many bytes of records take of the process: what is evicted leaves holes between what is kept,
/// about a sixth of it.
pub(super) const fn with_holes(bytes: usize) -> usize {
    bytes + bytes / 6
}

/// The sums over all records, which run along so that nothing is ever counted anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Those of which something is still to come.
    pub pinned: Sum,
    /// All others.
    pub evictable: Sum,
    /// Those in the call log.
    pub logged: usize,
    /// Those in the call log that may leave it.
    pub logged_evictable: usize,
    /// Webhooks that are still due.
    pub deliveries_due: usize,
    /// Webhooks that were delivered or are dead.
    pub deliveries_ended: usize,
    /// Those whose answer is delayed for some real time.
    pub delayed: usize,
    /// What is held for them in the wallet.
    pub held: Paise,
}

impl Totals {
    pub(super) fn minus(&mut self, other: Totals) {
        let sums = [
            (&mut self.pinned, other.pinned),
            (&mut self.evictable, other.evictable),
        ];
        for (sum, other) in sums {
            sum.count -= other.count;
            sum.bytes -= other.bytes;
        }
        self.logged -= other.logged;
        self.logged_evictable -= other.logged_evictable;
        self.deliveries_due -= other.deliveries_due;
        self.deliveries_ended -= other.deliveries_ended;
        self.delayed -= other.delayed;
        self.held.0 -= other.held.0;
    }
}
