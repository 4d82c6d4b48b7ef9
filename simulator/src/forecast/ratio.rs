//! Exact fractions: what is told of a month is a part or a multiple of what was seen, and is rounded once, at the end.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, Mul, Sub};

use svc_fixtures::contract::Paise;

/// A fraction in its lowest terms, with a denominator above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ratio {
    over: i128,
    under: i128,
}

/// What is read is bounded, so that no product of it comes near the limit of 128 bits.
const FITS: &str = "counts, amounts and spans are bounded where they are read";

impl Ratio {
    /// Nothing.
    pub(super) const ZERO: Ratio = Ratio { over: 0, under: 1 };
    /// The whole.
    pub(super) const ONE: Ratio = Ratio { over: 1, under: 1 };

    /// `over / under`; the latter is above zero.
    #[must_use]
    pub(super) fn new(over: i128, under: i128) -> Self {
        debug_assert!(under > 0, "{over}/{under}");
        let divisor = common_divisor(over.unsigned_abs(), under.unsigned_abs());
        let divisor = i128::try_from(divisor).expect(FITS).max(1);
        Ratio {
            over: over / divisor,
            under: under / divisor,
        }
    }

    /// A whole number.
    #[must_use]
    pub(super) fn whole(number: impl Into<i128>) -> Self {
        Ratio {
            over: number.into(),
            under: 1,
        }
    }

    /// A count of things.
    #[must_use]
    pub(super) fn count(number: usize) -> Self {
        Ratio::whole(i128::try_from(number).expect(FITS))
    }

    /// Divided by another one, which is above zero.
    #[must_use]
    pub(super) fn per(self, other: Ratio) -> Self {
        debug_assert!(other.over > 0, "{other:?}");
        self * Ratio {
            over: other.under,
            under: other.over,
        }
    }

    /// The whole number at or below it.
    #[must_use]
    pub(super) fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    /// The nearest whole number; from a half upwards the higher one.
    #[must_use]
    pub(super) fn rounded(self) -> i64 {
        let twice = self.over.checked_mul(2).expect(FITS);
        let rounded = (twice + self.under).div_euclid(2 * self.under);
        i64::try_from(rounded).unwrap_or(i64::MAX)
    }

    /// As an amount of money in paise, rounded to whole ones.
    #[must_use]
    pub(super) fn paise(self) -> Paise {
        Paise(self.rounded())
    }
}

impl From<Paise> for Ratio {
    fn from(amount: Paise) -> Self {
        Ratio::whole(amount.0)
    }
}

fn common_divisor(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl Add for Ratio {
    type Output = Ratio;

    fn add(self, other: Ratio) -> Ratio {
        if self.under == other.under {
            return Ratio::new(self.over.checked_add(other.over).expect(FITS), self.under);
        }
        let divisor = common_divisor(self.under.unsigned_abs(), other.under.unsigned_abs());
        let divisor = i128::try_from(divisor).expect(FITS);
        let (mine, theirs) = (other.under / divisor, self.under / divisor);
        let mine = self.over.checked_mul(mine).expect(FITS);
        let under = self.under.checked_mul(other.under / divisor).expect(FITS);
        let over = other.over.checked_mul(theirs).expect(FITS);
        Ratio::new(mine.checked_add(over).expect(FITS), under)
    }
}

impl Sub for Ratio {
    type Output = Ratio;

    fn sub(self, other: Ratio) -> Ratio {
        self + Ratio {
            over: -other.over,
            under: other.under,
        }
    }
}

impl Mul for Ratio {
    type Output = Ratio;

    /// Shortened crosswise first: the product is no larger than it must be.
    fn mul(self, other: Ratio) -> Ratio {
        let (one, two) = (
            Ratio::new(self.over, other.under),
            Ratio::new(other.over, self.under),
        );
        Ratio {
            over: one.over.checked_mul(two.over).expect(FITS),
            under: one.under.checked_mul(two.under).expect(FITS),
        }
    }
}

impl Sum for Ratio {
    fn sum<I: Iterator<Item = Ratio>>(all: I) -> Ratio {
        all.fold(Ratio::ZERO, Add::add)
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        let whole = self.floor().cmp(&other.floor());
        whole.then_with(|| {
            let rest = |it: &Ratio| it.over.rem_euclid(it.under);
            let mine = rest(self).checked_mul(other.under).expect(FITS);
            mine.cmp(&rest(other).checked_mul(self.under).expect(FITS))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact_and_rounded_from_a_half_upwards() {
        let third = Ratio::new(2, 6);
        assert_eq!(third + third + third, Ratio::ONE);
        assert_eq!(third * Ratio::whole(6_i64), Ratio::whole(2_i64));
        assert_eq!(Ratio::ONE - third, Ratio::new(2, 3));
        assert_eq!(Ratio::new(5, 2).rounded(), 3);
        assert_eq!(Ratio::new(249, 100).rounded(), 2);
        assert_eq!(Ratio::new(-1, 2).rounded(), 0);
        assert_eq!(Ratio::new(-1, 3).floor(), -1);
        assert_eq!(
            Ratio::whole(7_i64).per(Ratio::new(1, 2)),
            Ratio::whole(14_i64)
        );
    }

    #[test]
    fn fractions_are_ordered_by_what_they_are_worth() {
        assert!(Ratio::new(1, 3) < Ratio::new(2, 5));
        assert!(Ratio::new(-1, 3) > Ratio::new(-2, 5));
        assert!(Ratio::new(7, 2) < Ratio::whole(4_i64));
        assert_eq!(Ratio::new(2, 4).cmp(&Ratio::new(1, 2)), Ordering::Equal);
    }
}
