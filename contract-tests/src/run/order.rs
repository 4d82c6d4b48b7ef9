//! The order in which a run goes: as listed, or made from the run's seed, so that it can be had again.

use clap::ValueEnum;
use sha2::{Digest as _, Sha256};

/// In which order checks of one stage, and the cases of a check, are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Order {
    /// As `list` has it
    #[default]
    Listed,
    // What stands only because of what ran before it comes to light.
    /// Drawn from the seed: the same again with the same seed
    Random,
}

impl Order {
    /// Puts things into this order by their names, which differ.
    pub(super) fn put<T>(self, seed: &str, things: &mut [T], name: impl Fn(&T) -> &str) {
        match self {
            Order::Listed => {}
            Order::Random => things.sort_by_cached_key(|thing| place(seed, name(thing))),
        }
    }
}

/// A number that only seed and name decide.
fn place(seed: &str, name: &str) -> [u8; 32] {
    let mut digest = Sha256::new();
    // The length keeps seed and name apart.
    digest.update(seed.len().to_be_bytes());
    digest.update(seed);
    digest.update(name);
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(order: Order, seed: &str) -> String {
        let mut letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
        order.put(seed, &mut letters, |letter| letter);
        letters.concat()
    }

    #[test]
    fn another_seed_draws_another_order_and_the_same_the_same() {
        assert_eq!(put(Order::Listed, "1"), "abcdefgh");
        assert_eq!(put(Order::Random, "1"), put(Order::Random, "1"));
        assert_ne!(put(Order::Random, "1"), put(Order::Random, "2"));
        assert_ne!(put(Order::Random, "1"), "abcdefgh");
    }
}
