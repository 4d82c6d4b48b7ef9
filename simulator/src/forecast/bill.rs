//! What was charged for calls that were seen, and what need not have been.

use std::collections::BTreeMap;

use svc_fixtures::contract::{Environment, Paise};

use super::load::{FreeReason, MonthlyLoad, MonthlySavings};
use super::ratio::Ratio;
use super::seen::{CallEnding, MeteredCall};
use super::tariff::{EndpointIndex, Tariff};

/// What a call costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallCost {
    /// So much.
    Billed(Paise),
    /// Nothing.
    Free(FreeReason),
}

impl CallCost {
    /// The amount.
    pub(super) fn amount(self) -> Paise {
        match self {
            CallCost::Billed(amount) => amount,
            CallCost::Free(_) => Paise::ZERO,
        }
    }
}

/// What calls that were seen cost.
pub(super) struct TrafficBill {
    /// Each call's cost.
    pub(super) costs: Vec<CallCost>,
    /// Calls that were charged although the specification says that they are free.
    pub(super) against_the_law: usize,
    /// Endpoints that were charged another price than the contract's, or that of a list.
    pub(super) other_prices: Vec<EndpointIndex>,
}

impl TrafficBill {
    /// The bill of these calls. `as_live` reckons those of the sandbox as if they had been made on live.
    pub(super) fn of(tariff: &Tariff<'_>, calls: &[MeteredCall], as_live: bool) -> Self {
        let mut bill = TrafficBill {
            costs: Vec::with_capacity(calls.len()),
            against_the_law: 0,
            other_prices: Vec::new(),
        };
        for call in calls {
            let cost = cost(tariff, call, as_live);
            if cost.amount() > Paise::ZERO {
                let price = tariff
                    .endpoint(call.endpoint)
                    .price_of(call.seen.body.as_ref());
                if cost.amount() != price && !bill.other_prices.contains(&call.endpoint) {
                    bill.other_prices.push(call.endpoint);
                }
                let is_lawful = call.ending.is_conclusive() && call.is_paid(as_live);
                bill.against_the_law += usize::from(!is_lawful);
            }
            bill.costs.push(cost);
        }
        bill
    }

    /// What must be there for each of these calls, were it charged: what it was charged, else what most calls like it were,
    /// else the price that is known.
    pub(super) fn holds(&self, tariff: &Tariff<'_>, calls: &[MeteredCall]) -> Vec<Paise> {
        let listed = |call: &MeteredCall| {
            let endpoint = tariff.endpoint(call.endpoint);
            endpoint.price_of(call.seen.body.as_ref())
        };
        let like = |call: &MeteredCall| (call.endpoint, call.environment.as_str(), listed(call));
        let mut charged: BTreeMap<_, BTreeMap<Paise, usize>> = BTreeMap::new();
        for (call, cost) in calls.iter().zip(&self.costs) {
            if let CallCost::Billed(amount) = cost {
                let amounts = charged.entry(like(call)).or_default();
                *amounts.entry(*amount).or_default() += 1;
            }
        }
        let usual = |call: &MeteredCall| {
            let amounts = charged.get(&like(call))?.iter();
            amounts
                .max_by_key(|(_, times)| **times)
                .map(|(amount, _)| *amount)
        };
        let each = calls.iter().zip(&self.costs);
        each.map(|(call, cost)| match cost.amount() {
            Paise::ZERO => usual(call).unwrap_or_else(|| listed(call)),
            amount => amount,
        })
        .collect()
    }

    /// All of it.
    pub(super) fn sum(&self) -> Paise {
        self.costs.iter().map(|cost| cost.amount()).sum()
    }
}

/// What the traffic says counts before what the specification says, but for prices that somebody lists, and for the
/// sandbox where it is reckoned as live.
fn cost(tariff: &Tariff<'_>, call: &MeteredCall, as_live: bool) -> CallCost {
    let endpoint = tariff.endpoint(call.endpoint);
    let is_reckoned = as_live && call.environment == Environment::Test;
    let said = call.seen.said.filter(|_| !is_reckoned);
    // An answer that is given again says what the first one cost.
    let said = said.filter(|_| call.ending != CallEnding::Replayed);
    let by_law = call.ending.is_conclusive() && call.is_paid(as_live);
    if !said.map_or(by_law, |said| said.charged) {
        return CallCost::Free(free(call, as_live));
    }
    let listed = endpoint.price_of(call.seen.body.as_ref());
    let told = said.and_then(|said| said.amount);
    CallCost::Billed(told.filter(|_| !endpoint.is_listed).unwrap_or(listed))
}

fn free(call: &MeteredCall, as_live: bool) -> FreeReason {
    match call.ending {
        CallEnding::Replayed => FreeReason::Replayed,
        CallEnding::Refused => FreeReason::Refused,
        CallEnding::Failed => FreeReason::Failed,
        _ if !call.is_paid(as_live) => FreeReason::Sandbox,
        CallEnding::Pending => FreeReason::Pending,
        CallEnding::Unanswered => FreeReason::Unanswered,
        CallEnding::Completed | CallEnding::NoRecord => FreeReason::NotCharged,
    }
}

/// The loads of a month that has this factor times as many calls.
pub(super) fn monthly_loads(
    calls: &[MeteredCall],
    bill: &TrafficBill,
    factor: Ratio,
) -> Vec<MonthlyLoad> {
    #[derive(Default)]
    struct Seen {
        billed: usize,
        no_record: usize,
        free: BTreeMap<FreeReason, usize>,
        amount: i64,
    }
    let mut rows: BTreeMap<(EndpointIndex, &str), (Environment, Seen)> = BTreeMap::new();
    for (call, cost) in calls.iter().zip(&bill.costs) {
        let key = (call.endpoint, call.environment.as_str());
        let row = rows
            .entry(key)
            .or_insert((call.environment, Seen::default()));
        match cost {
            CallCost::Free(why) => *row.1.free.entry(*why).or_default() += 1,
            CallCost::Billed(amount) => {
                row.1.billed += 1;
                row.1.no_record += usize::from(call.ending == CallEnding::NoRecord);
                row.1.amount += amount.0;
            }
        }
    }
    let loads = rows
        .into_iter()
        .map(|((endpoint, _), (environment, seen))| {
            let mut load = MonthlyLoad::new(endpoint, environment);
            let month = |count: usize| Ratio::count(count) * factor;
            let amount = Ratio::whole(seen.amount) * factor;
            load.add_billed(month(seen.billed), month(seen.no_record), amount);
            for (why, count) in seen.free {
                load.add_free(why, month(count));
            }
            load
        });
    loads.collect()
}

/// How far apart calls may lie that are reckoned to belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepetitionWindows {
    /// The same input again so soon after it was charged is a repetition of the same call.
    pub retry_within_ms: u64,
    /// For so long it is remembered that there is no record.
    pub cache_for_ms: u64,
}

impl Default for RepetitionWindows {
    fn default() -> Self {
        RepetitionWindows {
            retry_within_ms: 5 * 60 * 1000,
            cache_for_ms: 24 * 60 * 60 * 1000,
        }
    }
}

/// What a cache and keys would have saved in the traffic, and where a cache would have told what was no longer so.
#[derive(Debug)]
pub(super) struct SeenSavings {
    /// For a month.
    pub(super) savings: MonthlySavings,
    /// Calls with another outcome than the cache would have given.
    pub(super) outdated: usize,
    /// Charged calls of which nobody says when they were made, or what they asked.
    pub(super) unknown: usize,
}

/// What is known of an input.
#[derive(Default)]
struct SeenInput<'c> {
    charged_at: Option<i64>,
    key: Option<&'c str>,
    cached_until: Option<i64>,
}

impl SeenSavings {
    /// Of these calls, which are in order.
    pub(super) fn of(
        calls: &[MeteredCall],
        bill: &TrafficBill,
        windows: RepetitionWindows,
        factor: Ratio,
    ) -> Self {
        let mut found = SeenSavings {
            savings: MonthlySavings::NONE,
            outdated: 0,
            unknown: 0,
        };
        type Asked<'c> = (&'c str, &'c str, EndpointIndex, &'c [u8]);
        let mut inputs: BTreeMap<Asked<'_>, SeenInput<'_>> = BTreeMap::new();
        for (call, cost) in calls.iter().zip(&bill.costs) {
            let amount = cost.amount();
            if amount == Paise::ZERO {
                continue;
            }
            let (Some(at), Some(input)) = (call.seen.at, call.input.as_deref()) else {
                found.unknown += 1;
                continue;
            };
            let at = at.as_millisecond();
            let account = call.seen.account.as_str();
            let asked = (account, call.environment.as_str(), call.endpoint, input);
            let input = inputs.entry(asked).or_default();
            let within = |since: Option<i64>, ms: u64| {
                since
                    .is_some_and(|since| u64::try_from(at - since).is_ok_and(|passed| passed <= ms))
            };
            let key = call.seen.key.as_deref();
            // One that was charged under the same key again is nothing that a key would have saved.
            let is_retry = within(input.charged_at, windows.retry_within_ms)
                && (key.is_none() || key != input.key);
            let is_cached = input.cached_until.is_some_and(|until| at <= until);
            let is_no_record = call.ending == CallEnding::NoRecord;
            let saved = (Ratio::ONE * factor, Ratio::from(amount) * factor);
            let savings = &mut found.savings;
            if is_retry {
                savings.keys.add(saved.0, saved.1);
            }
            if is_cached && is_no_record {
                savings.cache.add(saved.0, saved.1);
            }
            if is_retry || (is_cached && is_no_record) {
                savings.both.add(saved.0, saved.1);
            }
            found.outdated += usize::from(is_cached && !is_no_record);
            (input.charged_at, input.key) = (Some(at), key);
            if is_no_record && !is_cached {
                let lasts = i64::try_from(windows.cache_for_ms).unwrap_or(i64::MAX);
                input.cached_until = Some(at.saturating_add(lasts));
            }
        }
        found
    }
}
