//! One operation that is to be run: its input, checked, and the scenario that it is matched to.

use std::iter;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use svc_fixtures::contract::OperationIndex;
use svc_fixtures::json::Json;
use xxhash_rust::xxh3::Xxh3;

use super::input::Input;
use super::request::Environment;
use super::response::Sources;
use super::rules::Rules;
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::flow::{StepOf, carried_field};
use crate::engine::state::ids::{SequenceKey, VerificationId};
use crate::engine::state::rejection::Rejection;
use crate::scenario::{
    Choice, MatchInput, Outcome, OutcomeKind, RequestContext, Scenario, ScenarioIndex,
};

/// An operation to run.
#[derive(Debug)]
pub struct StepPlan<'a> {
    /// Which.
    pub operation: OperationIndex,
    /// Its fields.
    pub input: Input<'a>,
    /// Where it stands in a flow.
    pub step: Option<StepOf>,
    /// What decides it first.
    first: StepChoice<'a>,
    /// What decides it once the rule before has come to its end, or leaves the ending to it, in order.
    then: Vec<StepChoice<'a>>,
    /// The printed `data`, where it depends on the request and the month alone.
    pub draft: Option<Draft>,
}

/// What decides a step.
#[derive(Debug)]
pub struct StepChoice<'a> {
    /// What it gets, and why.
    pub choice: Choice,
    /// Whether what it gets is fixed by the carried identifier itself, which then need not have
    /// been issued.
    fixed: bool,
    /// Fields that must say what the flow's first call said, but for those that force an error.
    pub same: Vec<&'a str>,
    /// Which sequence it is a step of.
    pub sequence: Option<SequenceKey>,
    /// The rule that gives it, where one does.
    scenario: Option<&'a Scenario>,
}

impl<'a> StepChoice<'a> {
    /// The outcome of its rule that is next, where a rule gives it.
    #[must_use]
    pub fn next(&self, state: &EnvironmentState) -> Option<&'a Outcome> {
        let decided = self.sequence.map_or(0, |key| state.decided(key));
        Some(self.scenario?.next(decided))
    }

    /// Whether its rule has come to its end, and decides no more.
    fn has_ended(&self, state: &EnvironmentState) -> bool {
        let rule = self.scenario.filter(|rule| rule.fall_through);
        let decided = self.sequence.map_or(0, |key| state.decided(key));
        rule.is_some_and(|rule| u32::try_from(rule.then.len()).is_ok_and(|end| decided >= end))
    }

    /// Whether it leaves the ending to the next one.
    fn adds(&self, state: &EnvironmentState) -> bool {
        self.next(state).is_some_and(Outcome::is_as_usual)
    }
}

impl<'a> StepPlan<'a> {
    /// What decides it now, and after that: rules that have come to their ends are left out.
    fn left(&self, state: &EnvironmentState) -> impl Iterator<Item = &StepChoice<'a>> {
        let all = iter::once(&self.first).chain(&self.then);
        all.filter(|it| !it.has_ended(state))
    }

    /// The rules that add to what decides it now, in order.
    pub fn additions(&self, state: &EnvironmentState) -> impl Iterator<Item = &StepChoice<'a>> {
        self.left(state).take_while(|it| it.adds(state))
    }

    /// What decides it now.
    #[must_use]
    pub fn decision(&self, state: &EnvironmentState) -> &StepChoice<'a> {
        let mut left = self.left(state).skip_while(|it| it.adds(state));
        left.next().expect("the last one leaves nothing to others")
    }

    /// Whether the carried identifier need not have been issued. A rule that decides before the one that fixes what it
    /// gets makes it no other one.
    #[must_use]
    pub fn is_fixed(&self, state: &EnvironmentState) -> bool {
        self.left(state).any(|it| it.fixed)
    }

    /// What decides its first call.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.first.choice
    }
}

/// An answer printed before it was known when exactly it is given.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The first day of the month it was printed for.
    pub today: Date,
    /// The printed `data`.
    pub data: Vec<u8>,
    /// Whom it speaks of, where that is somebody who is declared.
    pub about: Option<Arc<str>>,
}

/// The first day of the month of an instant, in UTC.
#[must_use]
pub fn first_of_month(instant: Timestamp) -> Date {
    instant.to_zoned(TimeZone::UTC).date().first_of_month()
}

/// An operation with this body, checked and matched. Where the machine's time is given its answer is
/// printed already, if nothing else decides it.
///
/// # Errors
/// The first mistake of the body.
pub fn plan_step<'a>(
    rules: &'a Rules,
    around: RequestContext<'_>,
    operation: OperationIndex,
    json: Json<'a>,
    machine: Option<Timestamp>,
) -> Result<StepPlan<'a>, Rejection> {
    let row = &rules.contract.operations[operation];
    let input = Input::check(
        &rules.contract,
        row,
        rules.scenarios.exempt(operation),
        json,
    )?;
    let match_input = MatchInput {
        operation,
        field: &|index| input.field(index),
        context: around,
    };
    let step = rules.steps[operation.0];
    let first = decision(rules, &match_input, &input, step, None);
    let then = fallen_through(rules, &match_input, &input, step, &first);
    // A call with a key may be a repeated one, and then nothing is printed.
    let draft = match (around.idempotency_key, step, machine) {
        (None, None, Some(machine)) => {
            let today = first_of_month(machine);
            let choice = &first.choice;
            draft(rules, around.environment, operation, &input, choice, today)
        }
        _ => None,
    };
    Ok(StepPlan {
        operation,
        input,
        step,
        first,
        then,
        draft,
    })
}

/// What decides a step once the rules before have come to their ends or leave the ending to others, in order: up to one
/// that does neither.
fn fallen_through<'a>(
    rules: &'a Rules,
    match_input: &MatchInput<'_>,
    input: &Input<'_>,
    step: Option<StepOf>,
    first: &StepChoice<'a>,
) -> Vec<StepChoice<'a>> {
    let mut then: Vec<StepChoice<'a>> = Vec::new();
    loop {
        let last = then.last().unwrap_or(first);
        let Choice::Scenario(rule) = &last.choice else {
            return then;
        };
        if !rules.scenarios.get(*rule).passes_on() {
            return then;
        }
        then.push(decision(rules, match_input, input, step, Some(*rule)));
    }
}

/// What this input gets first, or once a rule that was chosen for it decides no more.
fn choose(rules: &Rules, input: &MatchInput<'_>, after: Option<ScenarioIndex>) -> Choice {
    let (scenarios, contract) = (&rules.scenarios, &rules.contract);
    match after {
        None => scenarios.choose(contract, input),
        Some(rule) => scenarios.choose_after(contract, input, rule),
    }
}

/// What decides a step, or does after this rule.
fn decision<'a>(
    rules: &'a Rules,
    match_input: &MatchInput<'_>,
    input: &Input<'_>,
    step: Option<StepOf>,
    after: Option<ScenarioIndex>,
) -> StepChoice<'a> {
    let choice = choose(rules, match_input, after);
    let scenario = match &choice {
        Choice::Scenario(number) => Some(rules.scenarios.get(*number)),
        Choice::NoMatch => None,
    };
    let is_fixed = |step| {
        let itself = choose_by_carried(rules, match_input, step, input, after);
        itself.is_some_and(|(name, alone)| {
            made_by(rules, input, &choice, name) || made_by(rules, input, &alone, name)
        })
    };
    StepChoice {
        fixed: step.is_some_and(is_fixed),
        same: step.map_or_else(Vec::new, |step| same(rules, step, input, &choice)),
        sequence: scenario.and_then(|scenario| sequence(scenario, input)),
        scenario,
        choice,
    }
}

/// The carried identifier, and what the call would get with nothing else sent. Where it is itself a fixed input it made
/// the choice, or would have then.
fn choose_by_carried<'a>(
    rules: &'a Rules,
    match_input: &MatchInput<'_>,
    step: StepOf,
    input: &Input<'_>,
    after: Option<ScenarioIndex>,
) -> Option<(&'a str, Choice)> {
    let row = &rules.contract.operations[match_input.operation];
    let carried = carried_field(&rules.contract, step);
    let carried = carried.and_then(|name| row.field(name))?;
    let alone = MatchInput {
        operation: match_input.operation,
        field: &|index| input.field(index).filter(|_| index == carried),
        context: match_input.context,
    };
    let name = &row.request[carried].name;
    Some((name, choose(rules, &alone, after)))
}

/// Whether the value of this field itself made the choice.
fn made_by(rules: &Rules, input: &Input<'_>, choice: &Choice, name: &str) -> bool {
    match choice {
        Choice::Scenario(number) => {
            let scenario = rules.scenarios.get(*number);
            scenario.names(input.operation(), name, &|index| input.field(index))
        }
        Choice::NoMatch => false,
    }
}

/// The fields that must say what the first call said. A value that forces an error is let through:
/// no first call could have said it.
fn same<'a>(rules: &'a Rules, step: StepOf, input: &Input<'_>, choice: &Choice) -> Vec<&'a str> {
    let names = &rules.contract.flows[step.flow].steps[step.step].same;
    let forces = match choice {
        Choice::Scenario(number) => {
            let first = rules.scenarios.get(*number).then.first();
            first.is_some_and(|outcome| !matches!(outcome.kind, OutcomeKind::Success(_)))
        }
        Choice::NoMatch => false,
    };
    let held = |name: &&str| !forces || !made_by(rules, input, choice, name);
    names.iter().map(String::as_str).filter(held).collect()
}

/// Sequences count by scenario and identifying fields only.
fn sequence(scenario: &Scenario, input: &Input<'_>) -> Option<SequenceKey> {
    if scenario.then.len() < 2 && !scenario.fall_through {
        return None;
    }
    let mut hash = Xxh3::new();
    hash.update(scenario.because.as_bytes());
    for (field, text) in input.identifiers() {
        hash.update(&[0]);
        hash.update(input.operation().request[field].name.as_bytes());
        hash.update(&[0]);
        hash.update(text.as_bytes());
    }
    Some(SequenceKey(hash.digest128()))
}

/// Prints `data` here, outside the lock, where nothing but the request decides it.
fn draft(
    rules: &Rules,
    environment: Environment,
    operation: OperationIndex,
    input: &Input<'_>,
    choice: &Choice,
    today: Date,
) -> Option<Draft> {
    let patch = match choice {
        Choice::NoMatch => None,
        Choice::Scenario(number) if rules.scenarios.get(*number).passes_on() => return None,
        Choice::Scenario(number) => match &*rules.scenarios.get(*number).then {
            [outcome] => match outcome.kind {
                OutcomeKind::Success(patch) => patch,
                _ => return None,
            },
            _ => return None,
        },
    };
    let answer = rules.answer(operation, patch);
    if answer.needs_call() {
        return None;
    }
    let mut data = Vec::with_capacity(512);
    let verification = VerificationId::NONE;
    let about = answer.print(
        Sources {
            story: &rules.story,
            input,
            flow: None,
            verification,
            addresses: rules.addresses.of(environment),
            people: &rules.scenarios.people,
            declared: &rules.declared,
            population: rules.population,
            today,
        },
        &mut data,
    );
    Some(Draft { today, data, about })
}
