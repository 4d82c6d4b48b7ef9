//! How many times an account has asked each thing, so that an id never comes twice (ruling 2).

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::form;
use super::ids::CounterKey;
use super::sizes::{Sum, map_place};

/// How many times an account has asked each thing. Bounded: what is evicted raises the floor that
/// everything counts from, so that an id never comes twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    floor: u32,
    #[serde(serialize_with = "form::sorted")]
    young: HashMap<CounterKey, u32, FixedState>,
    #[serde(serialize_with = "form::sorted")]
    old: HashMap<CounterKey, u32, FixedState>,
    evicted: u64,
}

impl Counters {
    /// So many different contents are counted exactly; up to twice as many are kept.
    pub const GENERATION: usize = 100_000;
    /// What one of them takes: key, count, and what is free in a map that grows by doubling.
    const BYTES: usize = map_place::<CounterKey, u32>();

    /// How many times this was asked before.
    #[must_use]
    pub fn asked(&self, key: CounterKey) -> u32 {
        let counted = self.young.get(&key).or_else(|| self.old.get(&key));
        counted.copied().unwrap_or(self.floor)
    }

    /// Counts one more.
    pub fn count(&mut self, key: CounterKey) {
        let next = self.asked(key) + 1;
        self.young.insert(key, next);
        if self.young.len() > Self::GENERATION {
            self.evict_oldest();
        }
    }

    /// Evicts the older half of what is counted, and raises the floor above all its counts. Says
    /// whether there was anything to evict.
    pub fn evict_oldest(&mut self) -> bool {
        let older = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
        self.evicted += older.len() as u64;
        let some = !older.is_empty() || !self.old.is_empty();
        self.floor = older.into_values().fold(self.floor, u32::max);
        some
    }

    /// All that is counted.
    #[must_use]
    pub fn evictable(&self) -> Sum {
        let count = self.young.len() + self.old.len();
        Sum {
            count,
            bytes: count * Self::BYTES,
        }
    }

    /// How many counts were evicted to bound memory.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.evicted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_was_evicted_never_starts_over() {
        let mut counters = Counters::default();
        let first = CounterKey([0xff; 8]);
        for _ in 0..5 {
            counters.count(first);
        }
        for n in 0..2 * Counters::GENERATION + 2 {
            counters.count(CounterKey((n as u64).to_le_bytes()));
        }
        assert!(counters.asked(first) >= 5);
    }
}
