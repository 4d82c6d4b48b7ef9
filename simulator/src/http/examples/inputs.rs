//! Which of the inputs that scenarios name are shown. What they are answered is asked by the parent.

use std::sync::Arc;

use svc_fixtures::contract::ErrorCode;
use svc_fixtures::json::Json;

use crate::engine::call::rules::Rules;
use crate::rehearsal::named_input;
use crate::scenario::{Delay, Outcome, OutcomeKind, Scenario, ScenarioIndex};

/// What an input brings about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Success,
    Error(ErrorCode),
    Pending,
}

/// An input that a scenario names.
#[derive(Debug, Clone)]
pub(super) struct Input {
    pub(super) scenario: Arc<str>,
    pub(super) wanted: Wanted,
    pub(super) set: Vec<(String, Json<'static>)>,
    pub(super) body: Json<'static>,
}

/// The inputs of an operation that scenarios name, one for each that has a single outcome and does
/// not hold its answer back.
pub(super) fn inputs(rules: &Rules, index: usize, body: &Json<'static>) -> Vec<Input> {
    let scenarios = rules.scenarios.iter();
    let input = |(number, scenario): (ScenarioIndex, &Scenario)| {
        let [outcome] = scenario.then.as_slice() else {
            return None;
        };
        let wanted = wanted(outcome)?;
        let (set, body) = named_input(rules, index, number, body)?;
        Some(Input {
            scenario: Arc::clone(&scenario.name),
            wanted,
            set,
            body,
        })
    };
    scenarios
        .filter(|(_, scenario)| scenario.operations.contains(&index))
        .filter_map(input)
        .collect()
}

fn wanted(outcome: &Outcome) -> Option<Wanted> {
    match &outcome.kind {
        _ if outcome.delay != Delay::None || outcome.wire.is_some() => None,
        OutcomeKind::Error { code, .. } => Some(Wanted::Error(*code)),
        OutcomeKind::Pending { .. } => Some(Wanted::Pending),
        OutcomeKind::Success(_) => Some(Wanted::Success),
    }
}
