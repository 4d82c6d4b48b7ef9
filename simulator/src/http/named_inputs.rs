//! The inputs that scenarios name, each with the outcome that its scenario gives.

use std::sync::Arc;

use svc_fixtures::contract::OperationIndex;
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use crate::engine::call::rules::Rules;
use crate::rehearsal::{Goal, named_input};
use crate::scenario::{Delay, Outcome, Scenario, ScenarioIndex};

/// An input that a scenario names.
#[derive(Debug, Clone)]
pub(super) struct ScenarioInput {
    pub(super) scenario: Arc<str>,
    pub(super) outcome: Goal,
    pub(super) set: Vec<(String, Json<'static>)>,
    pub(super) body: Json<'static>,
}

/// The inputs of an operation that scenarios name: one for each scenario with a single outcome, without
/// delay and wire fault.
pub(super) fn named_inputs(
    rules: &Rules,
    index: OperationIndex,
    body: &Json<'static>,
) -> Vec<ScenarioInput> {
    let scenarios = rules.scenarios.iter();
    let input = |(number, scenario): (ScenarioIndex, &Scenario)| {
        let [only] = &*scenario.then else {
            return None;
        };
        let outcome = outcome_of(only)?;
        let (set, body) = named_input(rules, index, number, body)?;
        Some(ScenarioInput {
            scenario: Arc::clone(&scenario.name),
            outcome,
            set,
            body,
        })
    };
    scenarios
        .filter(|(_, scenario)| scenario.operations.contains(&index))
        .filter_map(input)
        .collect()
}

fn outcome_of(outcome: &Outcome) -> Option<Goal> {
    match outcome.delay == Delay::None && outcome.wire.is_none() {
        true => Goal::of(outcome),
        false => None,
    }
}

/// A body that is answered as pending and whose result needs no consent: of this operation, or of the
/// first that has one.
pub(super) fn pending_input(
    rules: &Rules,
    of: Option<OperationIndex>,
) -> Option<(OperationIndex, Json<'static>)> {
    let contract = &rules.contract;
    let operations = contract.indexed_operations();
    let candidates = operations.filter(|(index, _)| of.is_none_or(|of| of == *index));
    let mut found = candidates.filter_map(|(index, operation)| {
        let pending = operation.pending.as_ref()?;
        let by_webhook = pending.by_consent.is_none() || of.is_some();
        let sample = sample::body(contract, operation, Extent::Shown);
        let mut inputs = named_inputs(rules, index, &sample).into_iter();
        let named = inputs.find(|input| input.outcome == Goal::Pending);
        let body = named.map(|input| input.body);
        let body = body.or_else(|| pending.always.then_some(sample));
        body.filter(|_| by_webhook).map(|body| (index, body))
    });
    found.next()
}
