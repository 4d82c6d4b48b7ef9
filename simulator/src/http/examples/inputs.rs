//! Inputs that scenarios name, made from the sample body by setting the fields they look at. Asks
//! only which scenario an input gets; what it is answered is asked by the parent.

use std::sync::Arc;

use svc_fixtures::contract::{Contract, Environment, ErrorCode, Field, Operation};
use svc_fixtures::json::Json;

use super::bodies::with_member;
use crate::engine::rules::Rules;
use crate::scenario::{
    Choice, Circumstances, Condition, Delay, Ending, Outcome, Question, Scenario, Subject, Test,
};

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
    let operation = &rules.contract.operations[index];
    let scenarios = rules.scenarios.all().iter().enumerate();
    let input = |(number, scenario): (usize, &Scenario)| {
        let [outcome] = scenario.then.as_slice() else {
            return None;
        };
        let wanted = wanted(outcome)?;
        let mut named = body.clone();
        let mut set = Vec::new();
        for condition in &scenario.conditions {
            let (field, value) = setting(&rules.contract, operation, condition)?;
            named = with_member(&named, &field.name, value.clone());
            set.push((field.name.clone(), value));
        }
        let field = |at: usize| named.get(&operation.request[at].name);
        let question = Question {
            operation: index,
            field: &field,
            around: Circumstances::plain("local", Environment::Test),
        };
        let chosen = rules.scenarios.choose(&rules.contract, &question);
        let decides = !set.is_empty() && chosen == Choice::Scenario(number);
        decides.then(|| Input {
            scenario: Arc::clone(&scenario.name),
            wanted,
            set,
            body: named.clone(),
        })
    };
    scenarios
        .filter(|(_, scenario)| scenario.operations.contains(&index))
        .filter_map(input)
        .collect()
}

fn wanted(outcome: &Outcome) -> Option<Wanted> {
    match &outcome.result {
        _ if outcome.delay != Delay::None || outcome.wire.is_some() => None,
        Ending::Error { code, .. } => Some(Wanted::Error(*code)),
        Ending::Pending { .. } => Some(Wanted::Pending),
        Ending::Success(_) => Some(Wanted::Success),
    }
}

/// A field that a condition looks at, with the value that a person would take: of those that the
/// field allows, the one most like its sample.
fn setting<'c>(
    contract: &Contract,
    operation: &'c Operation,
    condition: &Condition,
) -> Option<(&'c Field, Json<'static>)> {
    let looked_at = |field: &&Field| match &condition.on {
        Subject::Field(name) => field.name == *name,
        Subject::AnyIdentifier => field.identifies,
        // A part of a field, and what is no field: nothing in the body can be set so.
        Subject::Inside { .. } | Subject::Account | Subject::Environment | Subject::Header(_) => {
            false
        }
    };
    operation
        .request
        .iter()
        .filter(looked_at)
        .find_map(|field| {
            let sample = field.sample(&contract.formats);
            let fits = |value: &Json<'static>| field.check(value, &contract.formats, &[]).is_ok();
            let values = values(&condition.test, &sample).into_iter();
            let value = values
                .filter(fits)
                // The last of equals wins, and the first should.
                .rev()
                .max_by_key(|value| likeness(field, &sample, value))?;
            Some((field, value))
        })
}

/// The values a test holds for, in the form of the sample: a list where that is one.
fn values(test: &Test, sample: &Json<'static>) -> Vec<Json<'static>> {
    let base = first_text(sample);
    let values = match test {
        Test::OneOf(values) => values.clone(),
        Test::PathEnds(end) => {
            let after_scheme = base.find("://").map(|at| at + 3);
            let host =
                after_scheme.map(|at| base[at..].find('/').map_or(base, |to| &base[..at + to]));
            host.map(|host| Json::from(format!("{host}{end}")))
                .into_iter()
                .collect()
        }
        Test::Query(pair) => {
            let path = base.split(['?', '#']).next().unwrap_or_default();
            vec![Json::from(format!("{path}?{pair}"))]
        }
        Test::Contains(_)
        | Test::StartsWith(_)
        | Test::EndsWith(_)
        | Test::Matches(_)
        | Test::Number(_)
        | Test::Present(_) => Vec::new(),
    };
    let listed = |value: Json<'static>| match (sample, &value) {
        (Json::List(_), Json::Text(_)) => Json::List(vec![value]),
        _ => value,
    };
    values.into_iter().map(listed).collect()
}

/// The text, or the first of a list.
pub(in crate::http) fn first_text<'j>(value: &'j Json<'static>) -> &'j str {
    let first = value.as_list().and_then(<[_]>::first).unwrap_or(value);
    first.as_text().unwrap_or_default()
}

/// How like the sample a value is: a name has words, an address of the net has its marks, and anything
/// else begins as the sample does and is as long.
fn likeness(field: &Field, sample: &Json<'static>, value: &Json<'static>) -> impl Ord + use<> {
    let (sample, value) = (first_text(sample), first_text(value));
    let alike = |same: fn(&str) -> bool| same(sample) == same(value);
    let begins = sample.bytes().zip(value.bytes());
    (
        field.folds == value.contains(' '),
        alike(|text| text.contains(['@', ':'])),
        alike(|text| text.starts_with(|first: char| first.is_ascii_lowercase())),
        sample.len() == value.len(),
        begins.take_while(|(a, b)| a == b).count(),
    )
}
