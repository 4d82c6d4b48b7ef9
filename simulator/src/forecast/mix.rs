//! A mix: a file in which somebody says what will be called in a month. Every mistake of it is reported with its line.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use svc_fixtures::contract::{Environment, Paise};
use svc_fixtures::reading::{Item, Problems, Source, Table, nearest};

use super::ratio::Ratio;
use super::tariff::{EndpointIndex, Tariff};

/// What a mix says.
#[derive(Debug, Default)]
pub(super) struct Mix {
    /// What is in the wallet.
    pub(super) wallet: Option<Paise>,
    /// When it begins.
    pub(super) from: Option<Timestamp>,
    /// How many days the month has.
    pub(super) days: Option<u32>,
    /// By which share of itself the traffic grows from one month to the next.
    pub(super) growth: Option<Ratio>,
    /// What is called alone.
    pub(super) calls: Vec<MixedCalls>,
    /// What is called one after the other.
    pub(super) flows: Vec<MixedFlow>,
}

/// Calls of one endpoint.
#[derive(Debug)]
pub(super) struct MixedCalls {
    /// Which.
    pub(super) endpoint: EndpointIndex,
    /// How many.
    pub(super) rate: CallRate,
    /// What comes of them.
    pub(super) shares: OutcomeShares,
}

/// A flow that somebody named.
#[derive(Debug)]
pub(super) struct MixedFlow {
    /// Its name.
    pub(super) name: String,
    /// How often it is run.
    pub(super) rate: CallRate,
    /// Its steps.
    pub(super) steps: Vec<MixedStep>,
}

/// A step of a flow.
#[derive(Debug)]
pub(super) struct MixedStep {
    /// What is called.
    pub(super) endpoint: EndpointIndex,
    /// The share of runs that come so far and call it.
    pub(super) share: Ratio,
    /// What comes of it.
    pub(super) shares: OutcomeShares,
}

/// How many, in which time.
#[derive(Debug, Clone, Copy)]
pub(super) enum CallRate {
    /// A day.
    PerDay(Ratio),
    /// A month, however many days it has.
    PerMonth(Ratio),
}

impl CallRate {
    /// How many in a month of so many days.
    #[must_use]
    pub(super) fn in_month(self, days: u32) -> Ratio {
        match self {
            CallRate::PerDay(count) => count * Ratio::whole(days),
            CallRate::PerMonth(count) => count,
        }
    }
}

/// What comes of calls, as shares of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutcomeShares {
    /// Where they go.
    pub(super) environment: Environment,
    /// Answered that there is no record.
    pub(super) no_record: Ratio,
    /// Failed at the source or the service.
    pub(super) failed: Ratio,
    /// Refused before anything is executed.
    pub(super) refused: Ratio,
    /// Sent once more, although the first was executed.
    pub(super) retries: Ratio,
    /// Whether a repetition brings the key of what it repeats.
    pub(super) idempotency_keys: bool,
    /// Of those without a record: about an input that had none before.
    pub(super) asked_again: Ratio,
    /// Answered as pending first.
    pub(super) pending: Ratio,
}

impl Default for OutcomeShares {
    fn default() -> Self {
        OutcomeShares {
            environment: Environment::Live,
            no_record: Ratio::ZERO,
            failed: Ratio::ZERO,
            refused: Ratio::ZERO,
            retries: Ratio::ZERO,
            idempotency_keys: false,
            asked_again: Ratio::ZERO,
            pending: Ratio::ZERO,
        }
    }
}

/// More is no traffic that anybody has.
const MOST_CALLS: f64 = 100_000_000.0;

/// Digits behind the point of a share, as the parts that a whole has.
const PARTS: f64 = 10_000.0;

impl Mix {
    /// Reads a mix.
    ///
    /// # Errors
    /// Every mistake of the file.
    pub(super) fn read(tariff: &Tariff<'_>, source: &Arc<Source>) -> Result<Self, Problems> {
        let (mix, problems) = Table::of_source(source, |root| {
            let mix = Mix {
                wallet: root.optional("wallet").and_then(|item| wallet(&item)),
                from: root.optional("from").and_then(|item| from(&item)),
                days: root
                    .optional("days")
                    .and_then(|item| item.int_within(1..=366_u32, "a month has 1 to 366 days")),
                growth: root.optional("growth").and_then(|item| growth(&item)),
                calls: root
                    .tables("calls")
                    .iter()
                    .filter_map(|table| calls(tariff, table))
                    .collect(),
                flows: root
                    .tables("flow")
                    .iter()
                    .filter_map(|table| flow(tariff, table))
                    .collect(),
            };
            if root.optional("calls").is_none() && root.optional("flow").is_none() {
                root.lacks("nothing is called: write a [[calls]] or a [[flow]]");
            }
            mix
        });
        problems.or(mix)
    }
}

fn wallet(item: &Item<'_>) -> Option<Paise> {
    let amount = item.num().map(Paise::from_rupees)?;
    let amount = amount.filter(|amount| (0..=MOST_PAISE).contains(&amount.0));
    if amount.is_none() {
        item.problem("a wallet holds rupees, 0 or more, with at most two decimals");
    }
    amount
}

/// More is in no wallet: a hundred billion rupees.
pub const MOST_PAISE: i64 = 10_000_000_000_000;

fn from(item: &Item<'_>) -> Option<Timestamp> {
    let instant = parse_instant(item.text()?);
    if instant.is_none() {
        item.problem("a day or an instant, such as \"2026-12-01\" or \"2026-12-01T09:00:00Z\"");
    }
    instant
}

/// A day, which begins at midnight in UTC, or an instant.
#[must_use]
pub fn parse_instant(text: &str) -> Option<Timestamp> {
    let day = || {
        let day: Date = text.parse().ok().filter(|_| text.len() == 10)?;
        let zoned = day.to_zoned(TimeZone::UTC).ok()?;
        Some(zoned.timestamp())
    };
    text.parse().ok().or_else(day)
}

fn growth(item: &Item<'_>) -> Option<Ratio> {
    let share = item.num().map(parts)?;
    let share = share.filter(|share| *share > Ratio::new(-1, 1) && *share <= Ratio::whole(10_i64));
    if share.is_none() {
        item.problem(
            "a growth from one month to the next: 0.05 for five of a hundred, over -1 and at most 10, with at most four \
             decimals",
        );
    }
    share
}

/// A number with at most four decimals.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the value was just shown to be whole and small"
)]
fn parts(number: f64) -> Option<Ratio> {
    let whole = (number * PARTS).round();
    let exact = whole / PARTS == number && whole.abs() < 1e15;
    exact.then(|| Ratio::new(whole as i128, PARTS as i128))
}

fn calls(tariff: &Tariff<'_>, table: &Table<'_>) -> Option<MixedCalls> {
    let endpoint = endpoint(tariff, table);
    let rate = rate(table);
    let shares = shares(table, OutcomeShares::default());
    table.done();
    Some(MixedCalls {
        endpoint: endpoint?,
        rate: rate?,
        shares,
    })
}

fn flow(tariff: &Tariff<'_>, table: &Table<'_>) -> Option<MixedFlow> {
    let name = table.text("name");
    let rate = rate(table);
    let common = shares(table, OutcomeShares::default());
    let items = table.list("steps");
    let steps: Vec<Option<MixedStep>> = items
        .iter()
        .map(|item| match item.if_text() {
            Some(name) => Some(MixedStep {
                endpoint: found(tariff, item, name)?,
                share: Ratio::ONE,
                shares: common,
            }),
            None => step(tariff, &item.table()?, common),
        })
        .collect();
    if items.is_empty() {
        table.lacks("`steps` says what is called, one after the other");
    }
    if steps.len() > MOST_STEPS {
        table.problem(format!("a flow has at most {MOST_STEPS} steps"));
    }
    table.done();
    Some(MixedFlow {
        name: name?.to_owned(),
        rate: rate?,
        steps: steps.into_iter().collect::<Option<_>>()?,
    })
}

/// More steps are no flow that a person waits for.
const MOST_STEPS: usize = 20;

fn step(tariff: &Tariff<'_>, table: &Table<'_>, common: OutcomeShares) -> Option<MixedStep> {
    let endpoint = endpoint(tariff, table);
    let share = table
        .optional("share")
        .map_or(Some(Ratio::ONE), |item| share_of(&item));
    let shares = shares(table, common);
    table.done();
    Some(MixedStep {
        endpoint: endpoint?,
        share: share?,
        shares,
    })
}

fn endpoint(tariff: &Tariff<'_>, table: &Table<'_>) -> Option<EndpointIndex> {
    let item = table.required("endpoint")?;
    found(tariff, &item, item.text()?)
}

fn found(tariff: &Tariff<'_>, item: &Item<'_>, name: &str) -> Option<EndpointIndex> {
    let found = tariff.find(name);
    if found.is_none() {
        let hint = nearest(name, tariff.names());
        item.problem_with_hint(format!("there is no operation or bundle `{name}`"), hint);
    }
    found
}

fn rate(table: &Table<'_>) -> Option<CallRate> {
    let (day, month) = (table.optional("per_day"), table.optional("per_month"));
    let (item, rate): (_, fn(Ratio) -> CallRate) = match (&day, &month) {
        (Some(item), None) => (item, CallRate::PerDay),
        (None, Some(item)) => (item, CallRate::PerMonth),
        (None, None) => {
            table.lacks("how often? write `per_day` or `per_month`");
            return None;
        }
        (Some(_), Some(item)) => {
            item.problem("write `per_day` or `per_month`, not both");
            return None;
        }
    };
    let number = item.num()?;
    let count = parts(number).filter(|_| (0.0..=MOST_CALLS).contains(&number));
    if count.is_none() {
        item.problem("a number from 0 to 100000000, with at most four decimals");
    }
    count.map(rate)
}

fn shares(table: &Table<'_>, common: OutcomeShares) -> OutcomeShares {
    let share = |name: &str, common: Ratio| {
        let item = table.optional(name);
        item.and_then(|item| share_of(&item)).unwrap_or(common)
    };
    let environments = [
        ("live", Environment::Live),
        ("test", Environment::Test),
        ("sandbox", Environment::Test),
    ];
    let shares = OutcomeShares {
        environment: table
            .optional("environment")
            .and_then(|item| item.one_of("environment", environments))
            .unwrap_or(common.environment),
        no_record: share("no_record", common.no_record),
        failed: share("failed", common.failed),
        refused: share("refused", common.refused),
        retries: share("retries", common.retries),
        idempotency_keys: table
            .optional("idempotency_keys")
            .and_then(|item| item.bool())
            .unwrap_or(common.idempotency_keys),
        asked_again: share("asked_again", common.asked_again),
        pending: share("pending", common.pending),
    };
    if shares.no_record + shares.failed + shares.refused > Ratio::ONE {
        table.problem(
            "`no_record`, `failed` and `refused` are shares of all calls: together at most 1",
        );
    }
    shares
}

fn share_of(item: &Item<'_>) -> Option<Ratio> {
    let share = item.num().map(parts)?;
    let share = share.filter(|share| (Ratio::ZERO..=Ratio::ONE).contains(share));
    if share.is_none() {
        item.problem("a share from 0 to 1 with at most four decimals, such as 0.04");
    }
    share
}
