//! What a mix comes to in a month: calls, money, savings, and how long its flows take.

use std::collections::BTreeMap;

use svc_fixtures::contract::{BundleMode, Environment, Flow};

use super::distribution::LatencyDistribution;
use super::load::{FreeReason, MonthlyLoad, MonthlySavings};
use super::mix::{Mix, OutcomeShares};
use super::ratio::Ratio;
use super::tariff::{EndpointIndex, Tariff};
use super::timing::{
    PERSONS_TIME, SIMULATED_WAIT, TimeTaken, TimedFlow, TimedStep, documented_pending,
    documented_wait, needs_a_person,
};

/// A month of a mix.
#[derive(Debug)]
pub(super) struct MixedMonth {
    /// By endpoint and environment.
    pub(super) loads: Vec<MonthlyLoad>,
    /// What would be saved.
    pub(super) savings: MonthlySavings,
    /// What is called one after the other, and what is waited for.
    pub(super) flows: Vec<TimedFlow>,
}

/// Some calls of the mix, all alike.
struct MixedGroup {
    endpoint: EndpointIndex,
    calls: Ratio,
    shares: OutcomeShares,
}

impl MixedMonth {
    /// The month that a mix describes.
    #[must_use]
    pub(super) fn of(tariff: &Tariff<'_>, mix: &Mix, days: u32) -> Self {
        let groups = groups(mix, days);
        let mut loads: BTreeMap<(EndpointIndex, &str), MonthlyLoad> = BTreeMap::new();
        let mut savings = MonthlySavings::NONE;
        for group in &groups {
            let environment = group.shares.environment;
            let load = loads
                .entry((group.endpoint, environment.as_str()))
                .or_insert_with(|| MonthlyLoad::new(group.endpoint, environment));
            add(tariff, group, load, &mut savings);
        }
        let mut flows = own_flows(tariff, mix, days);
        flows.extend(documented_flows(tariff, &groups));
        flows.extend(awaited(tariff, &groups));
        MixedMonth {
            loads: loads.into_values().collect(),
            savings,
            flows,
        }
    }
}

fn groups(mix: &Mix, days: u32) -> Vec<MixedGroup> {
    let alone = mix.calls.iter().map(|row| MixedGroup {
        endpoint: row.endpoint,
        calls: row.rate.in_month(days),
        shares: row.shares,
    });
    let flows = mix.flows.iter().flat_map(|flow| {
        let runs = flow.rate.in_month(days);
        flow.steps.iter().map(move |step| MixedGroup {
            endpoint: step.endpoint,
            calls: runs * step.share,
            shares: step.shares,
        })
    });
    alone.chain(flows).collect()
}

/// What the calls of a group come to (rulings 19 and 22): a conclusive live answer is billed, also that there is no record;
/// a repetition under its key is answered again, one without is a call like the first.
fn add(
    tariff: &Tariff<'_>,
    group: &MixedGroup,
    load: &mut MonthlyLoad,
    savings: &mut MonthlySavings,
) {
    let MixedGroup { calls, shares, .. } = group;
    let repeated = match shares.idempotency_keys {
        true => Ratio::ZERO,
        false => *calls * shares.retries,
    };
    let made = *calls + repeated;
    let conclusive = Ratio::ONE - shares.failed - shares.refused;
    load.add_free(FreeReason::Failed, made * shares.failed);
    load.add_free(FreeReason::Refused, made * shares.refused);
    if shares.idempotency_keys {
        load.add_free(FreeReason::Replayed, *calls * shares.retries);
    }
    if group.shares.environment == Environment::Test {
        return load.add_free(FreeReason::Sandbox, made * conclusive);
    }
    let price = Ratio::from(tariff.endpoint(group.endpoint).price);
    let billed = made * conclusive;
    load.add_billed(billed, made * shares.no_record, billed * price);
    let by_keys = repeated * conclusive;
    // Where the first is answered from the cache, its repetition is not sent either.
    let by_cache = made * shares.no_record * shares.asked_again;
    let by_both = repeated * shares.no_record * shares.asked_again;
    let both = by_keys + by_cache - by_both;
    savings.keys.add(by_keys, by_keys * price);
    savings.cache.add(by_cache, by_cache * price);
    savings.both.add(both, both * price);
}

/// How long a call takes, until its result is there where some of it comes later.
fn until_result(tariff: &Tariff<'_>, endpoint: EndpointIndex, shares: &OutcomeShares) -> TimeTaken {
    let at_once = tariff.endpoint(endpoint).latency(shares.environment);
    let at_once = LatencyDistribution::documented(at_once);
    let wait = documented_wait(tariff, endpoint).unwrap_or_default();
    let later = LatencyDistribution::documented(documented_pending(tariff, endpoint));
    let later = later.then(&LatencyDistribution::constant(wait));
    TimeTaken::of_documents(mixed(&at_once, &later, shares.pending))
}

/// Now the one, now the other, the other as often as the share says.
fn mixed(
    one: &LatencyDistribution,
    other: &LatencyDistribution,
    share: Ratio,
) -> LatencyDistribution {
    let parts = Ratio::whole(10_000_i64);
    let of = |share: Ratio| u128::try_from((share * parts).floor()).unwrap_or_default();
    one.or(of(Ratio::ONE - share), other, of(share))
}

/// The flows that the mix names.
fn own_flows(tariff: &Tariff<'_>, mix: &Mix, days: u32) -> Vec<TimedFlow> {
    let flows = mix.flows.iter().map(|flow| {
        let mut whole = LatencyDistribution::constant(0);
        let mut steps = Vec::new();
        for step in &flow.steps {
            let time = until_result(tariff, step.endpoint, &step.shares);
            let taken = mixed(
                &LatencyDistribution::constant(0),
                &time.distribution,
                step.share,
            );
            whole = whole.then(&taken);
            let name = tariff.endpoint(step.endpoint).name.clone();
            steps.push(TimedStep { name, time });
        }
        TimedFlow {
            name: flow.name.clone(),
            title: flow.name.clone(),
            runs: flow.rate.in_month(days),
            steps,
            time: TimeTaken::of_documents(whole),
            note: None,
        }
    });
    flows.collect()
}

/// Every bundle that is called, and every flow of the contract whose steps are all called.
fn documented_flows(tariff: &Tariff<'_>, groups: &[MixedGroup]) -> Vec<TimedFlow> {
    let calls_of = |endpoint: EndpointIndex| {
        let mine = groups.iter().filter(|group| group.endpoint == endpoint);
        mine.map(|group| group.calls).sum::<Ratio>()
    };
    let bundles = tariff.endpoints.iter().filter_map(|endpoint| {
        let found = tariff.find(&endpoint.name)?;
        let runs = calls_of(found);
        (runs > Ratio::ZERO).then(|| bundle(tariff, found, runs))?
    });
    let flows = tariff.contract.flows.iter().filter_map(|flow| {
        let runs = flow.steps.iter();
        let runs = runs.map(|step| Some(calls_of(tariff.find(&step.operation)?)));
        let runs = runs.min().flatten().filter(|runs| *runs > Ratio::ZERO)?;
        (flow.steps.len() > 1).then(|| chain(tariff, flow, runs))
    });
    bundles.chain(flows).collect()
}

/// A bundle, as the specification documents it as a whole.
#[must_use]
pub(super) fn bundle(
    tariff: &Tariff<'_>,
    endpoint: EndpointIndex,
    runs: Ratio,
) -> Option<TimedFlow> {
    let priced = tariff.endpoint(endpoint);
    let row = priced.as_bundle()?;
    let steps = row.steps.iter().filter_map(|id| step(tariff, id));
    let note = match &row.mode {
        BundleMode::Sequence => None,
        BundleMode::Parallel => Some("its steps run at once".to_owned()),
        BundleMode::Choice { .. } => Some("one of its steps runs".to_owned()),
        BundleMode::TwoCalls => Some(format!("two calls; {PERSONS_TIME}")),
    };
    Some(TimedFlow {
        name: priced.name.clone(),
        title: row.title.clone(),
        runs,
        steps: steps.collect(),
        time: TimeTaken::documented(row.typical_latency),
        note,
    })
}

fn step(tariff: &Tariff<'_>, id: &str) -> Option<TimedStep> {
    let endpoint = tariff.endpoint(tariff.find(id)?);
    Some(TimedStep {
        name: endpoint.name.clone(),
        time: TimeTaken::documented(endpoint.latency(Environment::Live)),
    })
}

/// A flow of the contract, one step after the other.
fn chain(tariff: &Tariff<'_>, flow: &Flow, runs: Ratio) -> TimedFlow {
    let steps = flow.steps.iter();
    let steps: Vec<TimedStep> = steps.filter_map(|it| step(tariff, &it.operation)).collect();
    let nothing = TimeTaken::of_documents(LatencyDistribution::constant(0));
    let time = steps.iter().fold(nothing, |sum, it| sum.then(&it.time));
    TimedFlow {
        name: format!("flows.{}", flow.name),
        title: flow.title.clone(),
        runs,
        steps,
        time,
        note: needs_a_person(tariff.contract, flow).then(|| PERSONS_TIME.to_owned()),
    }
}

/// The endpoints of which some calls are answered as pending, until the result is there.
fn awaited(tariff: &Tariff<'_>, groups: &[MixedGroup]) -> Vec<TimedFlow> {
    let flows = groups.iter().filter_map(|group| {
        let priced = tariff.endpoint(group.endpoint);
        let pending = priced.as_operation()?.pending.as_ref()?;
        let share = if pending.always {
            Ratio::ONE
        } else {
            group.shares.pending
        };
        if share == Ratio::ZERO || group.calls == Ratio::ZERO {
            return None;
        }
        let shares = OutcomeShares {
            pending: share,
            ..group.shares
        };
        let first = mixed(
            &LatencyDistribution::documented(priced.latency(shares.environment)),
            &LatencyDistribution::documented(documented_pending(tariff, group.endpoint)),
            share,
        );
        let wait = documented_wait(tariff, group.endpoint);
        let call = TimedStep {
            name: priced.name.clone(),
            time: TimeTaken::of_documents(first),
        };
        let result = wait.map(|wait| TimedStep {
            name: "the result, where it comes later".to_owned(),
            time: TimeTaken::of_documents(LatencyDistribution::constant(wait)),
        });
        Some(TimedFlow {
            name: format!("{} until its result", priced.name),
            title: priced.title.to_owned(),
            runs: group.calls,
            steps: [call].into_iter().chain(result).collect(),
            time: until_result(tariff, group.endpoint, &shares),
            note: Some(wait.map_or(PERSONS_TIME, |_| SIMULATED_WAIT).to_owned()),
        })
    });
    flows.collect()
}
