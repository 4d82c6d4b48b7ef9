//! How long something takes: every duration with its weight, in whole numbers. Durations of steps that follow each other
//! are added up as distributions, since a percentile of a sum is no sum of percentiles. No randomness.

use std::collections::BTreeMap;

use svc_fixtures::contract::LatencyRange;

/// A documented range is taken as evenly spread over so many milliseconds apart.
pub(super) const STEP_MS: u32 = 50;

/// More durations than this are thinned to so many before they are added to others.
const MOST_POINTS: usize = 1000;

/// The sum of all weights stays below two to the power of this: the next product must fit.
const MOST_BITS: u32 = 50;

/// Which share of all: a percentile as a fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Percentile(u128);

/// Half take no longer.
pub(super) const P50: Percentile = Percentile(50);
/// Nineteen of twenty take no longer.
pub(super) const P95: Percentile = Percentile(95);

/// A distribution of durations in milliseconds; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LatencyDistribution {
    /// Each duration once, the shortest first, with a weight above zero.
    points: Vec<(u64, u128)>,
    total: u128,
}

impl LatencyDistribution {
    fn of_points(points: BTreeMap<u64, u128>) -> Self {
        let total = points.values().sum();
        LatencyDistribution {
            points: points.into_iter().collect(),
            total,
        }
    }

    /// Always the same.
    #[must_use]
    pub(super) fn constant(ms: u64) -> Self {
        LatencyDistribution {
            points: vec![(ms, 1)],
            total: 1,
        }
    }

    /// What is documented: one figure, or a range that is taken as evenly spread, both ends included.
    #[must_use]
    pub(super) fn documented(range: LatencyRange) -> Self {
        let steps = (range.min_ms..range.max_ms).step_by(STEP_MS as usize);
        let all = steps.chain([range.max_ms]);
        LatencyDistribution::of_points(all.map(|ms| (u64::from(ms), 1)).collect())
    }

    /// What was measured; none where nothing was.
    #[must_use]
    pub(super) fn measured(samples: &[u64]) -> Option<Self> {
        let mut points = BTreeMap::new();
        for sample in samples {
            *points.entry(*sample).or_insert(0) += 1;
        }
        (!points.is_empty()).then(|| LatencyDistribution::of_points(points))
    }

    /// One after the other, where neither depends on how long the other took.
    #[must_use]
    pub(super) fn then(&self, next: &LatencyDistribution) -> Self {
        let (one, two) = (self.thinned(), next.thinned());
        let mut points = BTreeMap::new();
        for (first, weight) in &one.points {
            for (second, more) in &two.points {
                *points.entry(first.saturating_add(*second)).or_insert(0) += weight * more;
            }
        }
        LatencyDistribution::of_points(points)
    }

    /// Now this, now that, as often as the shares say.
    #[must_use]
    pub(super) fn or(&self, share: u128, other: &LatencyDistribution, its_share: u128) -> Self {
        let (one, two) = (self.thinned(), other.thinned());
        let mut points = BTreeMap::new();
        for (of, share, others) in [(&one, share, two.total), (&two, its_share, one.total)] {
            for (ms, weight) in of.points.iter().filter(|_| share > 0) {
                *points.entry(*ms).or_insert(0) += weight * share * others;
            }
        }
        match points.is_empty() {
            true => self.clone(),
            false => LatencyDistribution::of_points(points),
        }
    }

    /// The shortest duration that at least so many of a hundred do not exceed (the nearest rank).
    #[must_use]
    pub(super) fn percentile(&self, Percentile(percent): Percentile) -> u64 {
        let mut below = 0;
        let mut points = self.points.iter();
        let found = points.find(|(_, weight)| {
            below += weight;
            below * 100 >= self.total * percent
        });
        found.or(self.points.last()).map_or(0, |(ms, _)| *ms)
    }

    /// The same with few enough points, and weights small enough, to be multiplied.
    fn thinned(&self) -> LatencyDistribution {
        let mut thin = self.clone();
        if self.points.len() > MOST_POINTS {
            // As many durations, each as often as the others: those in the middle of equal parts.
            let most = MOST_POINTS as u128;
            let mut points = BTreeMap::new();
            let (mut below, mut at) = (0, 0);
            for (ms, weight) in &self.points {
                below += weight;
                while at < most && (2 * at + 1) * self.total <= below * 2 * most {
                    *points.entry(*ms).or_insert(0) += 1;
                    at += 1;
                }
            }
            thin = LatencyDistribution::of_points(points);
        }
        let bits = u128::BITS - thin.total.leading_zeros();
        if bits > MOST_BITS {
            let shift = bits - MOST_BITS;
            let points = thin.points.into_iter();
            thin = LatencyDistribution::of_points(
                points.map(|(ms, it)| (ms, (it >> shift).max(1))).collect(),
            );
        }
        thin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(min_ms: u32, max_ms: u32) -> LatencyDistribution {
        LatencyDistribution::documented(LatencyRange { min_ms, max_ms })
    }

    fn both(of: &LatencyDistribution) -> (u64, u64) {
        (of.percentile(P50), of.percentile(P95))
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let twenty: Vec<u64> = (1..=20).rev().collect();
        let measured = LatencyDistribution::measured(&twenty).expect("samples");
        assert_eq!(both(&measured), (10, 19));
        let one_more = [twenty, vec![21]].concat();
        let measured = LatencyDistribution::measured(&one_more).expect("samples");
        assert_eq!(both(&measured), (11, 20));
        assert_eq!(both(&LatencyDistribution::constant(7)), (7, 7));
        assert_eq!(LatencyDistribution::measured(&[]), None);
    }

    #[test]
    fn a_range_is_evenly_spread_and_both_ends_are_in_it() {
        assert_eq!(range(0, 100).points, [(0, 1), (50, 1), (100, 1)]);
        assert_eq!(range(0, 120).points, [(0, 1), (50, 1), (100, 1), (120, 1)]);
        assert_eq!(range(250, 250).points, [(250, 1)]);
        assert_eq!(both(&range(3000, 15000)), (9000, 14400));
    }

    #[test]
    fn the_percentile_of_a_sum_is_no_sum_of_percentiles() {
        // Two dice of two sides: 0, 100, 100, 200.
        let die = LatencyDistribution::measured(&[0, 100]).expect("samples");
        assert_eq!(die.then(&die).points, [(0, 1), (100, 2), (200, 1)]);
        let long = range(3000, 15000);
        assert_eq!(both(&long.then(&long)), (18000, 26250));
        assert_eq!(
            both(&long.then(&LatencyDistribution::constant(500))),
            (9500, 14900)
        );
    }

    #[test]
    fn shares_weigh_what_happens_now_and_then() {
        let (quick, slow) = (
            LatencyDistribution::constant(10),
            LatencyDistribution::constant(900),
        );
        assert_eq!(both(&quick.or(95, &slow, 5)), (10, 10));
        assert_eq!(both(&quick.or(94, &slow, 6)), (10, 900));
        assert_eq!(both(&quick.or(0, &slow, 1)), (900, 900));
        assert_eq!(quick.or(0, &slow, 0), quick);
    }

    #[test]
    fn many_steps_of_many_samples_are_added_up_without_losing_their_form() {
        let many: Vec<u64> = (0..5000).collect();
        let many = LatencyDistribution::measured(&many).expect("samples");
        assert_eq!(many.thinned().points.len(), MOST_POINTS);
        assert_eq!(both(&many.thinned()), (2497, 4747));
        let mut sum = many.clone();
        for _ in 0..7 {
            sum = sum.then(&many);
        }
        // Eight times evenly spread: the middle is eight halves, and the end far from eight ends. Without thinning
        // they are 19996 and 26724, as reckoned by hand.
        assert_eq!(both(&sum), (19996, 26721));
    }
}
