//! When a wallet runs dry: at the first call whose price it does not cover any more, whatever would have come of that call
//! (ruling 22: a hold needs the price).

use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::Paise;

use super::ratio::Ratio;
use super::tariff::EndpointIndex;

/// The call that finds too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DryCall {
    /// How long after the beginning.
    pub(super) after_ms: i128,
    /// Which call that is, counted from 1 over all calls.
    pub(super) number: i128,
    /// What it calls.
    pub(super) endpoint: EndpointIndex,
    /// What it would cost.
    pub(super) price: Paise,
    /// What is there.
    pub(super) left: Paise,
}

/// One call of the traffic, as the wallet sees it, or the end of a pending one that cost nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalletStep {
    /// How long after the beginning of the traffic.
    pub(super) offset: Ratio,
    /// What it calls.
    pub(super) endpoint: EndpointIndex,
    /// Whether this is a call.
    pub(super) is_call: bool,
    /// What must be there.
    pub(super) need: Paise,
    /// What is taken; what is given back is less than nothing.
    pub(super) taken: Paise,
}

impl WalletStep {
    /// The instant at which what was held for it is given back.
    #[must_use]
    pub(super) fn given_back(&self, offset: Ratio) -> WalletStep {
        WalletStep {
            offset,
            endpoint: self.endpoint,
            is_call: false,
            need: Paise::ZERO,
            taken: Paise(-self.need.0),
        }
    }
}

/// The first call that a wallet does not cover when the traffic, which is in order and takes so long, is made again and
/// again; none where it always does.
#[must_use]
pub(super) fn dry_by_traffic(
    wallet: Paise,
    steps: &[WalletStep],
    cycle_ms: Ratio,
) -> Option<DryCall> {
    let each = steps
        .iter()
        .map(|step| i128::from(step.taken.0))
        .sum::<i128>();
    let mut before = 0;
    let mut most = 0;
    for step in steps {
        most = most.max(before + i128::from(step.need.0));
        before += i128::from(step.taken.0);
    }
    let wallet = i128::from(wallet.0);
    // As often as the wallet covers all of it, nothing happens.
    let cycles = match (wallet >= most, each > 0) {
        (false, _) => 0,
        (true, false) => return None,
        (true, true) => (wallet - most) / each + 1,
    };
    let mut left = wallet - cycles * each;
    for (at, step) in steps.iter().enumerate() {
        if left < i128::from(step.need.0) {
            let after = Ratio::whole(cycles) * cycle_ms + step.offset;
            let calls = |steps: &[WalletStep]| {
                let calls = steps.iter().filter(|step| step.is_call).count();
                i128::try_from(calls).ok()
            };
            let made = cycles * calls(steps)?;
            return Some(DryCall {
                after_ms: after.floor(),
                number: made + calls(&steps[..at])? + 1,
                endpoint: step.endpoint,
                price: step.need,
                left: Paise(i64::try_from(left).ok()?),
            });
        }
        left -= i128::from(step.taken.0);
    }
    None
}

/// Calls of one endpoint, spread evenly over a month.
#[derive(Debug, Clone, Copy)]
pub(super) struct SteadyCalls {
    /// What is called.
    pub(super) endpoint: EndpointIndex,
    /// How many in the first month.
    pub(super) calls: Ratio,
    /// What must be there for one.
    pub(super) need: Paise,
    /// What one costs on average, in paise.
    pub(super) cost: Ratio,
}

/// So many months are looked at: a century.
pub(super) const MOST_MONTHS: usize = 1200;

/// Counts and growth are kept to so small a part.
const PART: i64 = 1_000_000;

/// A month that has grown so often is no traffic that anybody has.
const MOST_GROWTH: i64 = 1_000_000;

/// The first call that a wallet does not cover, of calls that are spread evenly over months of this many milliseconds and grow
/// from each to the next; none in a century.
#[must_use]
pub(super) fn dry_by_steady_calls(
    wallet: Paise,
    calls: &[SteadyCalls],
    month_ms: i128,
    growth: Ratio,
) -> Option<DryCall> {
    let calls: Vec<SteadyCalls> = calls.iter().map(|of| of.trimmed()).collect();
    let mut left = Ratio::from(wallet);
    let mut factor = Ratio::ONE;
    let mut made = 0;
    for month in 0..MOST_MONTHS {
        let month = SteadyMonth {
            calls: &calls,
            factor,
            ms: month_ms,
            left,
            begins: month_ms * i128::try_from(month).ok()?,
            made,
        };
        if let Some(dry) = month.dry() {
            return Some(dry);
        }
        left = left - month.spent(month_ms);
        made += month.count(month_ms);
        factor = trimmed(factor * (Ratio::ONE + growth));
        if factor > Ratio::whole(MOST_GROWTH) || factor == Ratio::ZERO {
            return None;
        }
    }
    None
}

fn trimmed(of: Ratio) -> Ratio {
    Ratio::new((of * Ratio::whole(PART)).floor(), PART.into())
}

impl SteadyCalls {
    fn trimmed(&self) -> SteadyCalls {
        SteadyCalls {
            calls: Ratio::new((self.calls * Ratio::whole(10_000_i64)).floor(), 10_000),
            cost: trimmed(self.cost),
            ..*self
        }
    }
}

struct SteadyMonth<'c> {
    calls: &'c [SteadyCalls],
    factor: Ratio,
    ms: i128,
    left: Ratio,
    begins: i128,
    made: i128,
}

impl SteadyMonth<'_> {
    /// How many of these calls were made when so much of the month has passed.
    fn made(&self, of: &SteadyCalls, ms: i128) -> i128 {
        (of.calls * self.factor * Ratio::new(ms, self.ms)).floor()
    }

    fn count(&self, ms: i128) -> i128 {
        self.calls.iter().map(|of| self.made(of, ms)).sum()
    }

    fn spent(&self, ms: i128) -> Ratio {
        let spent = self.calls.iter();
        spent
            .map(|of| Ratio::whole(self.made(of, ms)) * of.cost)
            .sum()
    }

    /// The first instant at which something holds that goes on holding; the month's length where it never does.
    fn first(&self, holds: impl Fn(i128) -> bool) -> i128 {
        let (mut from, mut to) = (0, self.ms);
        while from < to {
            let middle = from + (to - from) / 2;
            match holds(middle) {
                true => to = middle,
                false => from = middle + 1,
            }
        }
        from
    }

    fn dry(&self) -> Option<DryCall> {
        let left = |ms| self.left - self.spent(ms);
        let first = self.calls.iter().filter_map(|of| {
            let need = Ratio::from(of.need);
            // The balance only falls: from here on none of these calls is covered.
            let short = self.first(|ms| left(ms) < need);
            if left(short) >= need {
                return None;
            }
            let made = self.made(of, short);
            let next = self.first(|ms| ms > short && self.made(of, ms) > made);
            (self.made(of, next) > made).then_some((next, of))
        });
        let (at, of) = first.min_by_key(|(at, _)| *at)?;
        let before = at.saturating_sub(1).max(0);
        Some(DryCall {
            after_ms: self.begins + at,
            number: self.made + self.count(before) + 1,
            endpoint: of.endpoint,
            price: of.need,
            left: Paise(i64::try_from(left(before).floor().max(0)).ok()?),
        })
    }
}

/// The instant that lies so long after another one; none beyond the years that have four digits.
#[must_use]
pub(super) fn instant_after(from: Timestamp, after_ms: i128) -> Option<Timestamp> {
    let after = SignedDuration::from_millis(i64::try_from(after_ms).ok()?);
    from.checked_add(after).ok()
}
