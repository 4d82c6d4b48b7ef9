//! What is foretold, as it is told: counts rounded to whole calls, amounts to whole paise, each once.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use svc_fixtures::contract::{Environment, Paise};

use super::distribution::{P50, P95};
use super::left_out::LeftOutLines;
use super::load::{AvoidableCalls, FreeReason, MonthlyLoad, MonthlySavings};
use super::ratio::Ratio;
use super::tariff::{EndpointIndex, PricedEndpoint, Tariff};
use super::timing::{TimeSource, TimeTaken, TimedFlow};
use super::wallet::{DryCall, instant_after};

/// What is foretold of a month. Amounts are in INR.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ForecastDto")]
#[serde(rename_all = "camelCase")]
pub struct Forecast {
    /// How many days the month has.
    pub days: u32,
    /// Of traffic: what was seen, and how a month is made of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<ObservedTraffic>,
    /// What is called, the dearest first.
    pub endpoints: Vec<EndpointForecast>,
    /// All of it: the sum of the rows.
    pub total: ForecastSum,
    /// Calls a month that cost nothing, by why.
    pub free: Vec<FreeCalls>,
    /// What is called one after the other, and what is waited for.
    pub flows: Vec<FlowForecast>,
    /// What would be saved.
    pub savings: SavingsForecast,
    /// When the wallet runs dry, where one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<WalletForecast>,
    /// Lines of the traffic that were left out.
    pub left_out: LeftOutLines,
    /// How figures were come by, in sentences.
    pub notes: Vec<String>,
}

/// What was seen.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ForecastObservedTrafficDto")]
#[serde(rename_all = "camelCase")]
pub struct ObservedTraffic {
    /// How many calls.
    pub calls: u64,
    /// What they cost.
    #[schemars(with = "f64")]
    pub charged: Paise,
    /// When the first was made, where a call says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub from: Option<Timestamp>,
    /// When the last was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub to: Option<Timestamp>,
    /// The time that they stand for, in seconds.
    pub span_seconds: i64,
    /// By what they are multiplied to make a month, to four decimals.
    pub factor: String,
    /// How the span was come by, in a sentence.
    pub span: String,
}

/// One endpoint in one environment.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "EndpointForecastDto")]
#[serde(rename_all = "camelCase")]
pub struct EndpointForecast {
    /// The dotted name of an operation or a bundle.
    pub endpoint: String,
    /// What it is.
    pub title: String,
    /// `live` or `test`.
    pub environment: &'static str,
    /// What a conclusive live answer costs.
    #[schemars(with = "f64")]
    pub price: Paise,
    /// Where that is from: the contract's row, or a list of prices.
    pub price_from: PriceOrigin,
    /// What is called, in a month.
    #[serde(flatten)]
    pub month: ForecastSum,
    /// How long an answer takes.
    pub latency: ForecastTime,
}

/// Where a price is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ForecastPriceOriginDto")]
#[serde(rename_all = "camelCase")]
pub enum PriceOrigin {
    /// The contract's row.
    Contract,
    /// A list of prices.
    List,
    /// What the traffic says was charged.
    Traffic,
}

/// Calls of a month, and what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ForecastSumDto")]
#[serde(rename_all = "camelCase")]
pub struct ForecastSum {
    /// How many calls.
    pub calls: i64,
    /// Those that are charged.
    pub billed: i64,
    /// Those of them that say there is no record.
    pub no_record: i64,
    /// Those that cost nothing.
    pub free: i64,
    /// What they cost.
    #[schemars(with = "f64")]
    pub amount: Paise,
}

/// Calls that cost nothing.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ForecastFreeCallsDto")]
pub struct FreeCalls {
    /// Why.
    #[schemars(with = "String")]
    pub why: FreeReason,
    /// The same in words.
    pub words: &'static str,
    /// How many a month.
    pub calls: i64,
}

/// How long something takes, in milliseconds.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ForecastTimeDto")]
#[serde(rename_all = "camelCase")]
pub struct ForecastTime {
    /// Half take no longer.
    pub p50_ms: u64,
    /// Nineteen of twenty take no longer.
    pub p95_ms: u64,
    /// Where that comes from.
    #[schemars(with = "String")]
    pub source: TimeSource,
    /// How many were measured.
    #[serde(skip_serializing_if = "is_zero")]
    pub samples: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Several calls, one after the other or in one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "FlowForecastDto")]
#[serde(rename_all = "camelCase")]
pub struct FlowForecast {
    /// Its name.
    pub name: String,
    /// What it is.
    pub title: String,
    /// How often it is run in a month.
    pub runs: i64,
    /// How long it takes from its first call to its last answer, or to its result.
    #[serde(flatten)]
    pub time: ForecastTime,
    /// Its steps.
    pub steps: Vec<StepForecast>,
    /// What is to be known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A step of a flow.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StepForecastDto")]
pub struct StepForecast {
    /// What is called, or waited for.
    pub name: String,
    /// How long that takes.
    #[serde(flatten)]
    pub time: ForecastTime,
}

/// What would be saved in a month.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[schemars(rename = "SavingsForecastDto")]
#[serde(rename_all = "camelCase")]
pub struct SavingsForecast {
    /// By idempotency keys: calls that repeat one that was charged, without its key.
    pub idempotency_keys: SavedCalls,
    /// By remembering that there is no record.
    pub no_record_cache: SavedCalls,
    /// By both; what both would save counts once.
    pub both: SavedCalls,
}

/// Calls that need not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ForecastSavedCallsDto")]
pub struct SavedCalls {
    /// How many.
    pub calls: i64,
    /// What they cost.
    #[schemars(with = "f64")]
    pub amount: Paise,
}

/// How long a wallet lasts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "WalletForecastDto")]
#[serde(rename_all = "camelCase")]
pub struct WalletForecast {
    /// What is in it.
    #[schemars(with = "f64")]
    pub balance: Paise,
    /// The first call that it does not cover; without it the wallet lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry: Option<DryForecast>,
    /// The same in a sentence.
    pub words: String,
}

/// The first call that a wallet does not cover.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "DryForecastDto")]
#[serde(rename_all = "camelCase")]
pub struct DryForecast {
    /// When, where it is said when all begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub at: Option<Timestamp>,
    /// On which day, from 1.
    pub day: i64,
    /// Which call it is, counted from 1.
    pub call: i64,
    /// What it calls.
    pub endpoint: String,
    /// What it would cost.
    #[schemars(with = "f64")]
    pub price: Paise,
    /// What is left.
    #[schemars(with = "f64")]
    pub left: Paise,
}

/// What a forecast is made of.
pub(super) struct ForecastParts<'p> {
    /// What can be called.
    pub(super) tariff: &'p Tariff<'p>,
    /// How many days the month has.
    pub(super) days: u32,
    /// Of traffic: what was seen.
    pub(super) observed: Option<ObservedTraffic>,
    /// By endpoint and environment.
    pub(super) loads: &'p [MonthlyLoad],
    /// How long each of these takes.
    pub(super) times: &'p [TimeTaken],
    /// What would be saved.
    pub(super) savings: MonthlySavings,
    /// The flows.
    pub(super) flows: &'p [TimedFlow],
    /// What the traffic says of prices.
    pub(super) charged_otherwise: &'p dyn Fn(EndpointIndex) -> bool,
    /// What was left out.
    pub(super) left_out: LeftOutLines,
    /// How figures were come by.
    pub(super) notes: Vec<String>,
}

impl ForecastParts<'_> {
    /// The forecast, without a wallet.
    #[must_use]
    pub(super) fn forecast(self) -> Forecast {
        let rows = self.loads.iter().zip(self.times);
        let mut endpoints: Vec<EndpointForecast> =
            rows.map(|(load, time)| self.row(load, time)).collect();
        // The dearest first; those that cost the same in the order of the contract.
        endpoints.sort_by_key(|row| std::cmp::Reverse((row.month.amount, row.month.calls)));
        let mut total = ForecastSum::default();
        for ForecastSum {
            calls,
            billed,
            no_record,
            free,
            amount,
        } in endpoints.iter().map(|row| row.month)
        {
            total.calls += calls;
            total.billed += billed;
            total.no_record += no_record;
            total.free += free;
            total.amount = Paise(total.amount.0 + amount.0);
        }
        Forecast {
            days: self.days,
            free: self.free(),
            flows: self.flows.iter().map(FlowForecast::of).collect(),
            savings: SavingsForecast {
                idempotency_keys: SavedCalls::of(self.savings.keys),
                no_record_cache: SavedCalls::of(self.savings.cache),
                both: SavedCalls::of(self.savings.both),
            },
            wallet: None,
            observed: self.observed,
            endpoints,
            total,
            left_out: self.left_out,
            notes: self.notes,
        }
    }

    fn row(&self, load: &MonthlyLoad, time: &TimeTaken) -> EndpointForecast {
        let PricedEndpoint {
            name,
            title,
            price,
            is_listed,
            ..
        } = self.tariff.endpoint(load.endpoint);
        let (calls, billed) = (load.calls.rounded(), load.billed.rounded());
        EndpointForecast {
            endpoint: name.clone(),
            title: (*title).to_owned(),
            environment: load.environment.as_str(),
            price: *price,
            price_from: match (is_listed, (self.charged_otherwise)(load.endpoint)) {
                (true, _) => PriceOrigin::List,
                (false, true) => PriceOrigin::Traffic,
                (false, false) => PriceOrigin::Contract,
            },
            month: ForecastSum {
                calls,
                billed,
                no_record: load.no_record.rounded(),
                // Rounded counts add up.
                free: calls - billed,
                amount: load.amount.paise(),
            },
            latency: ForecastTime::of(time),
        }
    }

    fn free(&self) -> Vec<FreeCalls> {
        let calls = |why: FreeReason| {
            let calls = self.loads.iter().filter_map(|load| load.free.get(&why));
            calls.copied().sum::<Ratio>()
        };
        let free = FreeReason::ALL.into_iter().map(|why| (why, calls(why)));
        let free = free.filter(|(_, calls)| *calls > Ratio::ZERO);
        free.map(|(why, calls)| FreeCalls {
            why,
            words: why.words(),
            calls: calls.rounded(),
        })
        .collect()
    }
}

impl ForecastTime {
    fn of(time: &TimeTaken) -> Self {
        ForecastTime {
            p50_ms: time.distribution.percentile(P50),
            p95_ms: time.distribution.percentile(P95),
            source: time.source,
            samples: time.samples,
        }
    }
}

impl FlowForecast {
    fn of(flow: &TimedFlow) -> Self {
        let steps = flow.steps.iter().map(|step| StepForecast {
            name: step.name.clone(),
            time: ForecastTime::of(&step.time),
        });
        FlowForecast {
            name: flow.name.clone(),
            title: flow.title.clone(),
            runs: flow.runs.rounded(),
            time: ForecastTime::of(&flow.time),
            steps: steps.collect(),
            note: flow.note.clone(),
        }
    }
}

impl SavedCalls {
    fn of(avoidable: AvoidableCalls) -> Self {
        SavedCalls {
            calls: avoidable.calls.rounded(),
            amount: avoidable.amount.paise(),
        }
    }
}

/// A day in milliseconds.
pub(super) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

impl WalletForecast {
    /// What a wallet comes to.
    #[must_use]
    pub(super) fn new(
        tariff: &Tariff<'_>,
        balance: Paise,
        from: Option<Timestamp>,
        dry: Option<DryCall>,
    ) -> Self {
        let dry = dry.map(|dry| DryForecast {
            at: from.and_then(|from| instant_after(from, dry.after_ms)),
            day: i64::try_from(dry.after_ms / i128::from(DAY_MS) + 1).unwrap_or(i64::MAX),
            call: i64::try_from(dry.number).unwrap_or(i64::MAX),
            endpoint: tariff.endpoint(dry.endpoint).name.clone(),
            price: dry.price,
            left: dry.left,
        });
        let words = match &dry {
            None => format!("{balance} INR last: no call finds too little"),
            Some(dry) => {
                let when = match dry.at {
                    Some(at) => format!(
                        "on {} (day {})",
                        at.strftime("%Y-%m-%d at %H:%M UTC"),
                        dry.day
                    ),
                    None => format!("on day {}", dry.day),
                };
                format!(
                    "{balance} INR run dry {when}: call {} is refused, {} for {} INR where {} INR are left",
                    dry.call, dry.endpoint, dry.price, dry.left
                )
            }
        };
        WalletForecast {
            balance,
            dry,
            words,
        }
    }
}

/// Whether an endpoint is called on live.
#[must_use]
pub(super) fn is_live(load: &MonthlyLoad) -> bool {
    load.environment == Environment::Live
}
