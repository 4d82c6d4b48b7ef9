//! Seeded bijections: how the digits of an identifier hide the number of its subject.

/// A bijection of the whole numbers below a size, chosen by a seed.
///
/// A Feistel network over the next even number of bits; what falls outside is permuted again until
/// it falls inside, which it does after less than four rounds on average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Permutation {
    size: u64,
    half: u32,
    keys: [u64; ROUNDS],
}

const ROUNDS: usize = 4;

impl Permutation {
    /// A bijection of the numbers below `size`, which is at least one and at most 2^62.
    #[must_use]
    pub(super) fn new(seed: u64, size: u64) -> Self {
        assert!((1..=1 << 62).contains(&size), "{size} has no permutation");
        let bits = u64::BITS - (size - 1).leading_zeros();
        let mut state = seed;
        Permutation {
            size,
            half: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| {
                state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                mixed(state)
            }),
        }
    }

    /// Where a number goes.
    #[must_use]
    pub(super) fn apply(&self, number: u64) -> u64 {
        self.walk(
            number,
            |key, left, right| (right, left ^ self.round(key, right)),
            &self.keys,
        )
    }

    /// Where a number came from.
    #[must_use]
    pub(super) fn undo(&self, number: u64) -> u64 {
        let mut keys = self.keys;
        keys.reverse();
        self.walk(
            number,
            |key, left, right| (right ^ self.round(key, left), left),
            &keys,
        )
    }

    fn walk(&self, number: u64, step: impl Fn(u64, u64, u64) -> (u64, u64), keys: &[u64]) -> u64 {
        let mut number = number % self.size;
        loop {
            let halves = (number >> self.half, number & self.mask());
            let (left, right) = keys
                .iter()
                .fold(halves, |(left, right), key| step(*key, left, right));
            number = left << self.half | right;
            if number < self.size {
                return number;
            }
        }
    }

    fn round(&self, key: u64, half: u64) -> u64 {
        mixed(half ^ key) & self.mask()
    }

    fn mask(&self) -> u64 {
        (1 << self.half) - 1
    }
}

/// The output function of splitmix64.
#[must_use]
pub fn mixed(number: u64) -> u64 {
    let mut mixed = number;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_goes_to_one_place_and_back() {
        for size in [1, 2, 3, 5, 64, 100, 1000, 4097] {
            let permutation = Permutation::new(7, size);
            let mut seen = vec![false; size as usize];
            for number in 0..size {
                let to = permutation.apply(number);
                assert!(
                    !std::mem::replace(&mut seen[to as usize], true),
                    "{number} of {size}"
                );
                assert_eq!(permutation.undo(to), number);
            }
        }
    }

    #[test]
    fn large_sizes_go_back_too_and_another_seed_goes_elsewhere() {
        for size in [4_000_000_000, 1 << 62, (1 << 61) + 12345] {
            let (one, other) = (Permutation::new(1, size), Permutation::new(2, size));
            let mut same = 0;
            for number in (0..1000).map(|at| at * (size / 1000)) {
                assert_eq!(one.undo(one.apply(number)), number);
                same += usize::from(one.apply(number) == other.apply(number));
            }
            assert!(same < 3, "{same}");
        }
    }
}
