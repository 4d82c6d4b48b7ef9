//! What traffic will cost and how long it takes: rupees a month, percentiles of flows, when a wallet runs dry, what would be
//! saved. From a mix that somebody wrote, or from calls that were made. Knows no clock and no file.

mod archive;
mod bill;
mod captured;
mod distribution;
mod left_out;
mod lines;
mod load;
mod mix;
mod mixed;
mod observed;
mod period;
mod ratio;
mod report;
mod runs;
mod seen;
mod tables;
mod tariff;
mod timing;
mod wallet;

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Paise;
use svc_fixtures::reading::{Problems, Source};

pub use bill::RepetitionWindows;
pub use left_out::LeftOutLine;
pub use mix::{MOST_PAISE, parse_instant};
pub use observed::TrafficFile;
pub use period::StatedSpan;
pub use report::Forecast;
pub use tables::{ForecastTable, csv, tables};
pub use tariff::Tariff;

use bill::{SeenSavings, TrafficBill, monthly_loads};
use distribution::STEP_MS;
use left_out::LeftOutLines;
use load::{FreeReason, MonthlyLoad};
use mix::Mix;
use mixed::MixedMonth;
use observed::ObservedCalls;
use period::{TrafficPeriod, length};
use ratio::Ratio;
use report::{DAY_MS, ForecastParts, ObservedTraffic, WalletForecast, is_live};
use runs::TimedTraffic;
use seen::MeteredCall;
use timing::TimeTaken;
use wallet::{SteadyCalls, WalletStep, dry_by_steady_calls, dry_by_traffic};

/// What is asked for beside the traffic or the mix.
#[derive(Debug, Clone, Default)]
pub struct ForecastSettings {
    /// How many days a month has.
    pub days: Option<u32>,
    /// What is in the wallet.
    pub wallet: Option<Paise>,
    /// When it is, and the traffic begins.
    pub from: Option<Timestamp>,
    /// Of traffic: what time it stands for, where somebody says so.
    pub span: Option<StatedSpan>,
    /// Of traffic: whether calls of the sandbox are reckoned as if they had been made on live.
    pub as_live: bool,
    /// Of traffic: how far apart calls may lie that are reckoned to belong together.
    pub windows: RepetitionWindows,
}

/// A month has so many days where nobody says otherwise.
const DAYS: u32 = 30;

/// What a mix comes to. What the settings say counts before what the mix says.
///
/// # Errors
/// Every mistake of the mix.
pub fn forecast_mix(
    tariff: &Tariff<'_>,
    source: &Arc<Source>,
    settings: &ForecastSettings,
) -> Result<Forecast, Problems> {
    let mix = Mix::read(tariff, source)?;
    let days = settings.days.or(mix.days).unwrap_or(DAYS);
    let month = MixedMonth::of(tariff, &mix, days);
    let documented = |load: &MonthlyLoad| {
        let latency = tariff.endpoint(load.endpoint).latency(load.environment);
        TimeTaken::documented(latency)
    };
    let times: Vec<TimeTaken> = month.loads.iter().map(documented).collect();
    let growth = mix.growth.unwrap_or(Ratio::ZERO);
    let mut notes = common_notes(days);
    if settings.wallet.or(mix.wallet).is_some() {
        let spread = "For the wallet the calls come evenly, and each takes what the like of it cost on average.";
        notes.push(spread.to_owned());
    }
    if growth != Ratio::ZERO {
        notes.push("The month is the first; the wallet is reckoned with the growth.".to_owned());
    }
    let forecast = ForecastParts {
        tariff,
        days,
        observed: None,
        loads: &month.loads,
        times: &times,
        savings: month.savings,
        flows: &month.flows,
        charged_otherwise: &|_| false,
        left_out: LeftOutLines::default(),
        notes,
    }
    .forecast();
    let wallet = settings.wallet.or(mix.wallet).map(|balance| {
        let month_ms = i128::from(days) * i128::from(DAY_MS);
        let calls = steady(tariff, &month.loads);
        let dry = dry_by_steady_calls(balance, &calls, month_ms, growth);
        WalletForecast::new(tariff, balance, settings.from.or(mix.from), dry)
    });
    Ok(Forecast { wallet, ..forecast })
}

/// Why nothing can be told of traffic.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrafficMistake {
    /// No call can be reckoned with.
    #[error("there is no call that can be reckoned with: {0}")]
    NoCalls(String),
    /// The time it stands for is not known.
    #[error("{0}")]
    Span(String),
}

/// What traffic comes to.
///
/// # Errors
/// Where it says nothing of a month.
pub fn forecast_traffic(
    tariff: &Tariff<'_>,
    files: &[TrafficFile],
    settings: &ForecastSettings,
) -> Result<Forecast, TrafficMistake> {
    let seen = ObservedCalls::read(tariff, files);
    if seen.calls.is_empty() {
        let reasons = seen.left_out.reasons.iter();
        let reasons = reasons.map(|(why, count)| format!("{count}: {why}"));
        let reasons: Vec<String> = reasons.collect();
        return Err(TrafficMistake::NoCalls(match reasons.is_empty() {
            true => "it is empty".to_owned(),
            false => reasons.join("; "),
        }));
    }
    let days = settings.days.unwrap_or(DAYS);
    let period =
        TrafficPeriod::of(&seen.calls, days, settings.span).map_err(TrafficMistake::Span)?;
    let bill = TrafficBill::of(tariff, &seen.calls, settings.as_live);
    let loads = monthly_loads(&seen.calls, &bill, period.factor);
    let timed = TimedTraffic::new(tariff, &seen.calls, period.factor);
    let times: Vec<TimeTaken> = loads
        .iter()
        .map(|load| timed.time(load.endpoint, load.environment))
        .collect();
    let saved = SeenSavings::of(&seen.calls, &bill, settings.windows, period.factor);
    let forecast = ForecastParts {
        tariff,
        days,
        observed: Some(ObservedTraffic {
            calls: seen.calls.len() as u64,
            charged: bill.sum(),
            from: period.from,
            to: period.to,
            span_seconds: i64::try_from(period.cycle_ms.floor() / 1000).unwrap_or(i64::MAX),
            factor: period.factor_in_words(),
            span: period.words.clone(),
        }),
        loads: &loads,
        times: &times,
        savings: saved.savings,
        flows: &timed.flows(),
        charged_otherwise: &|endpoint| bill.other_prices.contains(&endpoint),
        notes: traffic_notes(days, settings, &seen, &period, &bill, &saved),
        left_out: seen.left_out,
    }
    .forecast();
    let wallet = settings.wallet.map(|balance| {
        let steps = wallet_steps(tariff, &seen.calls, &bill, &period, settings.as_live);
        let dry = dry_by_traffic(balance, &steps, period.cycle_ms);
        WalletForecast::new(tariff, balance, settings.from, dry)
    });
    Ok(Forecast { wallet, ..forecast })
}

/// The calls as the wallet sees them: what is refused or answered again needs nothing.
fn wallet_steps(
    tariff: &Tariff<'_>,
    calls: &[MeteredCall],
    bill: &TrafficBill,
    period: &TrafficPeriod,
    as_live: bool,
) -> Vec<WalletStep> {
    let mut steps = Vec::with_capacity(calls.len());
    let mut given_back = Vec::new();
    let holds = bill.holds(tariff, calls);
    for (at, (call, (cost, hold))) in calls.iter().zip(bill.costs.iter().zip(holds)).enumerate() {
        let charged = cost.amount();
        let needs = call.ending.is_executed() && call.is_paid(as_live);
        let need = match charged > Paise::ZERO || needs {
            true => hold,
            false => Paise::ZERO,
        };
        let mut step = WalletStep {
            offset: period.offset(calls, at),
            endpoint: call.endpoint,
            is_call: true,
            need,
            taken: charged,
        };
        // A pending call keeps its price until its result is there, also where that costs nothing (ruling 22).
        let waited = call.seen.after_ms.filter(|_| call.was_pending);
        if let (Paise::ZERO, Some(waited)) = (charged, waited) {
            let end = step.offset + Ratio::whole(waited);
            given_back.push(step.given_back(end.min(period.cycle_ms)));
            step.taken = need;
        }
        steps.push(step);
    }
    // What falls on the same instant is given back first.
    given_back.extend(steps);
    given_back.sort_by_key(|step| step.offset);
    given_back
}

/// How the figures of traffic were come by.
fn traffic_notes(
    days: u32,
    settings: &ForecastSettings,
    seen: &ObservedCalls,
    period: &TrafficPeriod,
    bill: &TrafficBill,
    saved: &SeenSavings,
) -> Vec<String> {
    let mut notes = vec![format!(
        "Calls: {}, which stand for {}; a month is {} times that.",
        seen.calls.len(),
        period.words,
        period.factor_in_words(),
    )];
    if period.is_under_a_day() && !matches!(settings.span, Some(StatedSpan::CallsPerMonth(_))) {
        notes.push("That is less than a day: neither a night nor a weekend is in it.".to_owned());
    }
    notes.extend(common_notes(days));
    let windows = settings.windows;
    let length = |ms: u64| length(i64::try_from(ms).unwrap_or(i64::MAX));
    notes.push(format!(
        "A repetition is the same input, charged again within {} without the key of the first; that there is no record is remembered for {}.",
        length(windows.retry_within_ms),
        length(windows.cache_for_ms),
    ));
    let mut note = |count: usize, text: &str| {
        if count > 0 {
            notes.push(format!("{text}: {count}."));
        }
    };
    note(
        seen.assumed_live,
        "Calls that do not say where they went, reckoned as live",
    );
    note(
        bill.against_the_law,
        "Calls that were charged although the specification says that they are free, which count with what they cost",
    );
    note(
        saved.outdated,
        "Calls about an input without a record that had another outcome within that time, which a cache would not have seen",
    );
    note(
        saved.unknown,
        "Charged calls that do not say when they were made or what they asked, so that nothing is saved with them",
    );
    if settings.as_live {
        notes.push("Calls of the sandbox are reckoned as if they had been made on live, at the prices of live.".to_owned());
    }
    notes
}

/// What is said of all figures.
fn common_notes(days: u32) -> Vec<String> {
    let rounding = "Counts are rounded to whole calls and amounts to whole paise, halves upwards; a sum is the sum of its rows.";
    let billed = "Billed on live: a completed call, and one that says there is no record. Never: what failed at the source or \
        the service, what was refused, a replay, anything on the sandbox.";
    vec![
        format!("A month has {days} days. {rounding}"),
        billed.to_owned(),
        documented_note(),
    ]
}

/// What is said of percentiles.
fn documented_note() -> String {
    format!(
        "A percentile is the shortest time that so many of a hundred do not exceed. A documented range is taken as evenly \
         spread, in steps of {STEP_MS} ms; the times of steps are added up as distributions, as if none depended on another."
    )
}

/// The live calls that need money, as they are spread over a month.
fn steady(tariff: &Tariff<'_>, loads: &[MonthlyLoad]) -> Vec<SteadyCalls> {
    let live = loads.iter().filter(|load| is_live(load));
    let steady = live.map(|load| {
        let unpaid = [FreeReason::Refused, FreeReason::Replayed];
        let unpaid = unpaid.iter().filter_map(|why| load.free.get(why));
        let calls = load.calls - unpaid.copied().sum();
        SteadyCalls {
            endpoint: load.endpoint,
            calls,
            need: tariff.endpoint(load.endpoint).price,
            cost: match calls > Ratio::ZERO {
                true => load.amount.per(calls),
                false => Ratio::ZERO,
            },
        }
    });
    steady.collect()
}
