//! How long flows took in traffic: runs whose steps are linked by what one hands out and the next carries, bundles, and calls
//! until their results.

use std::collections::BTreeMap;

use svc_fixtures::contract::{Environment, Flow, FlowKey};
use svc_fixtures::json::Json;

use super::distribution::LatencyDistribution;
use super::mixed::bundle;
use super::ratio::Ratio;
use super::seen::{CallEnding, MeteredCall};
use super::tariff::{EndpointIndex, Tariff};
use super::timing::{
    PERSONS_TIME, SIMULATED_WAIT, TimeTaken, TimedFlow, TimedStep, documented_pending,
    documented_wait, needs_a_person,
};

/// Calls that were seen, with what is known of how long they took.
pub(super) struct TimedTraffic<'t> {
    tariff: &'t Tariff<'t>,
    calls: &'t [MeteredCall],
    factor: Ratio,
    /// By endpoint and environment: the sandbox takes other times than live.
    samples: BTreeMap<(EndpointIndex, &'static str), Vec<u64>>,
}

impl<'t> TimedTraffic<'t> {
    /// Of these calls; a month has this factor times as many.
    pub(super) fn new(tariff: &'t Tariff<'t>, calls: &'t [MeteredCall], factor: Ratio) -> Self {
        let mut samples: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        for call in calls.iter().filter(|call| call.ending.is_executed()) {
            if let Some(took) = call.seen.took_ms {
                let of = (call.endpoint, call.environment.as_str());
                samples.entry(of).or_default().push(took);
            }
        }
        TimedTraffic {
            tariff,
            calls,
            factor,
            samples,
        }
    }

    /// How long an answer of this endpoint takes: as measured, where it was.
    pub(super) fn time(&self, endpoint: EndpointIndex, environment: Environment) -> TimeTaken {
        self.measured(endpoint, environment).unwrap_or_else(|| {
            TimeTaken::documented(self.tariff.endpoint(endpoint).latency(environment))
        })
    }

    fn measured(&self, endpoint: EndpointIndex, environment: Environment) -> Option<TimeTaken> {
        let samples = self.samples.get(&(endpoint, environment.as_str()))?;
        TimeTaken::measured(samples)
    }

    /// Where flows of this endpoint are looked at: on live, where it was called there.
    fn environment_of(&self, endpoint: EndpointIndex) -> Environment {
        let is_live =
            |call: &MeteredCall| call.endpoint == endpoint && call.environment == Environment::Live;
        match self.calls.iter().any(is_live) {
            true => Environment::Live,
            false => Environment::Test,
        }
    }

    fn usual_time(&self, endpoint: EndpointIndex) -> TimeTaken {
        self.time(endpoint, self.environment_of(endpoint))
    }

    /// Every flow that was seen.
    pub(super) fn flows(&self) -> Vec<TimedFlow> {
        let bundles = self.tariff.endpoints.iter().filter_map(|endpoint| {
            let found = self.tariff.find(&endpoint.name)?;
            endpoint.as_bundle()?;
            self.bundle(found)
        });
        let flows = self.tariff.contract.flows.iter();
        let flows = flows.filter(|flow| flow.steps.len() > 1);
        let flows = flows.filter_map(|flow| self.chain(flow));
        let awaited = self.tariff.endpoints.iter().filter_map(|endpoint| {
            let found = self.tariff.find(&endpoint.name)?;
            endpoint.as_operation()?.pending.as_ref()?;
            self.awaited(found)
        });
        bundles.chain(flows).chain(awaited).collect()
    }

    fn executed(&self, endpoint: EndpointIndex) -> impl Iterator<Item = &'t MeteredCall> {
        let environment = self.environment_of(endpoint);
        let is_mine =
            move |call: &&MeteredCall| call.endpoint == endpoint && call.environment == environment;
        let mine = self.calls.iter().filter(is_mine);
        mine.filter(|call| call.ending.is_executed())
    }

    fn month(&self, count: usize) -> Ratio {
        Ratio::count(count) * self.factor
    }

    /// A bundle: measured as a whole, where it was.
    fn bundle(&self, endpoint: EndpointIndex) -> Option<TimedFlow> {
        let runs = self.executed(endpoint).count();
        if runs == 0 {
            return None;
        }
        let documented = bundle(self.tariff, endpoint, self.month(runs))?;
        let measured = self.measured(endpoint, self.environment_of(endpoint));
        Some(TimedFlow {
            time: measured.unwrap_or(documented.time),
            ..documented
        })
    }

    /// A flow of the contract: what its runs took, from the calls that carry what the first one handed out; where none can be
    /// told apart, its steps one after the other.
    fn chain(&self, flow: &Flow) -> Option<TimedFlow> {
        let steps: Vec<EndpointIndex> = flow
            .steps
            .iter()
            .map(|step| self.tariff.find(&step.operation))
            .collect::<Option<_>>()?;
        let timed: Vec<TimedStep> = steps
            .iter()
            .map(|endpoint| TimedStep {
                name: self.tariff.endpoint(*endpoint).name.clone(),
                time: self.usual_time(*endpoint),
            })
            .collect();
        let linked = self.linked(flow, &steps);
        let completed = |endpoint: &EndpointIndex| {
            let calls = self.executed(*endpoint);
            calls
                .filter(|call| call.ending == CallEnding::Completed)
                .count()
        };
        let (runs, measured) = match &linked {
            Some(samples) => (
                samples.len(),
                TimeTaken::measured(&samples.iter().copied().flatten().collect::<Vec<_>>()),
            ),
            None => (steps.iter().map(completed).min()?, None),
        };
        if runs == 0 {
            return None;
        }
        let apart = || {
            let nothing = TimeTaken {
                distribution: LatencyDistribution::constant(0),
                ..timed[0].time.clone()
            };
            timed.iter().fold(nothing, |sum, step| sum.then(&step.time))
        };
        let person = needs_a_person(self.tariff.contract, flow).then_some(PERSONS_TIME);
        let whole = measured
            .is_some()
            .then_some("measured as a whole, without what lies between its calls");
        let note: Vec<&str> = [whole, person].into_iter().flatten().collect();
        Some(TimedFlow {
            name: format!("flows.{}", flow.name),
            title: flow.title.clone(),
            runs: self.month(runs),
            time: measured.unwrap_or_else(apart),
            steps: timed,
            note: (!note.is_empty()).then(|| note.join("; ")),
        })
    }

    /// The runs in which every step was completed, each with the sum of what its calls took, where all were measured. None
    /// where the traffic does not hold what links them.
    fn linked(&self, flow: &Flow, steps: &[EndpointIndex]) -> Option<Vec<Option<u64>>> {
        struct Run {
            done: Vec<bool>,
            took: Option<u64>,
        }
        let issues = flow.steps.first()?.issues.as_ref()?;
        let mut runs: Vec<Run> = Vec::new();
        let mut by_token: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let environment = self.environment_of(*steps.first()?);
        let executed = self
            .calls
            .iter()
            .filter(|call| call.ending.is_executed() && call.environment == environment);
        for call in executed {
            let Some(at) = steps.iter().position(|step| *step == call.endpoint) else {
                continue;
            };
            let account = call.seen.account.as_str();
            let run = if at == 0 {
                let tokens = tokens(issues, call);
                if tokens.is_empty() {
                    continue;
                }
                runs.push(Run {
                    done: vec![false; steps.len()],
                    took: Some(0),
                });
                let run = runs.len() - 1;
                let tokens = tokens.into_iter().map(|token| ((account, token), run));
                by_token.extend(tokens);
                run
            } else {
                let field = flow.steps[at].takes.as_deref()?;
                let body = call.seen.body.as_ref();
                let token = body.and_then(|body| body.get(field)?.as_text());
                let token = token.map(|token| (account, token.to_owned()));
                let Some(run) = token.and_then(|token| by_token.get(&token)) else {
                    continue;
                };
                *run
            };
            let run = &mut runs[run];
            run.done[at] |= call.ending == CallEnding::Completed;
            run.took = run
                .took
                .zip(call.seen.took_ms)
                .map(|(sum, took)| sum + took);
        }
        let whole = runs.iter().filter(|run| run.done.iter().all(|done| *done));
        (!runs.is_empty()).then(|| whole.map(|run| run.took).collect())
    }

    /// The calls of which some were pending first, until their results.
    fn awaited(&self, endpoint: EndpointIndex) -> Option<TimedFlow> {
        let all: Vec<&MeteredCall> = self.executed(endpoint).collect();
        let pending = all.iter().filter(|call| call.was_pending).count();
        if pending == 0 {
            return None;
        }
        let waits: Vec<u64> = all.iter().filter_map(|call| call.seen.after_ms).collect();
        let documented = documented_wait(self.tariff, endpoint);
        let wait = TimeTaken::measured(&waits).or_else(|| {
            documented.map(|wait| TimeTaken::of_documents(LatencyDistribution::constant(wait)))
        });
        let name = self.tariff.endpoint(endpoint).name.clone();
        let first = self.usual_time(endpoint);
        let whole: Vec<u64> = all
            .iter()
            .filter(|call| !call.was_pending || call.seen.after_ms.is_some())
            .filter_map(|call| Some(call.seen.took_ms? + call.seen.after_ms.unwrap_or_default()))
            .collect();
        let measured = TimeTaken::measured(&whole).filter(|_| !waits.is_empty());
        let apart = || {
            let share = |count: usize| u128::try_from(count).unwrap_or_default();
            let later = match first.samples {
                0 => TimeTaken::documented(documented_pending(self.tariff, endpoint)),
                _ => first.clone(),
            };
            let later = wait.as_ref().map_or(later.clone(), |wait| later.then(wait));
            TimeTaken {
                distribution: first.distribution.or(
                    share(all.len() - pending),
                    &later.distribution,
                    share(pending),
                ),
                source: first.source.and(later.source),
                samples: first.samples.min(later.samples),
            }
        };
        let note = match (waits.is_empty(), documented) {
            (false, _) => "with results that came later, as measured",
            (true, Some(_)) => SIMULATED_WAIT,
            (true, None) => PERSONS_TIME,
        };
        let time = measured.unwrap_or_else(apart);
        let call = TimedStep {
            name: name.clone(),
            time: first,
        };
        let result = wait.map(|time| TimedStep {
            name: "the result, where it comes later".to_owned(),
            time,
        });
        Some(TimedFlow {
            title: self.tariff.endpoint(endpoint).title.to_owned(),
            name: format!("{name} until its result"),
            runs: self.month(all.len()),
            steps: [call].into_iter().chain(result).collect(),
            time,
            note: Some(note.to_owned()),
        })
    }
}

/// What the first step of a flow handed out.
fn tokens(issues: &FlowKey, call: &MeteredCall) -> Vec<String> {
    match issues {
        FlowKey::Verification => call.seen.id.iter().cloned().collect(),
        FlowKey::Member(name) => {
            let value = call.seen.data.as_ref().and_then(|data| data.get(name));
            let items = match value {
                Some(Json::List(items)) => items.as_slice(),
                Some(one) => std::slice::from_ref(one),
                None => &[],
            };
            let texts = items.iter().filter_map(Json::as_text);
            texts.map(str::to_owned).collect()
        }
    }
}
