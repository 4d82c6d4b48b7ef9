//! Inputs that scenarios name, made from a sample body by setting the fields they look at. Asks only
//! which scenario an input gets, not what it is answered.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use svc_fixtures::contract::{Environment, Field, FieldIndex, Operation, OperationIndex, Presence};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, find};
use svc_fixtures::sample::{self, first_text};

use super::values::values;
use crate::engine::call::rules::Rules;
use crate::engine::state::flow::carried_field;
use crate::scenario::{Caller, Choice, Condition, MatchInput, Scenario, ScenarioIndex, Selector};

/// Who calls where a scenario does not say.
pub(super) const CALLER: &str = "local";

/// So many combinations of values are tried for a scenario.
const TRIED: usize = 64;

/// So many values of a field are tried for what scenarios ask of it.
const VALUES: usize = 8;

/// So many values are made before those are left out that do not do.
const MADE: usize = 1024;

/// What was set in a body, and the body with it.
pub type NamedInput = (Vec<(String, Json<'static>)>, Json<'static>);

/// What is done to a field of the body: it gets a value, or is left out.
type Setting = (String, Option<Json<'static>>);

/// The input that a scenario names: what was set in the body, and the body with it. None where no
/// input is found that this scenario decides, or where it decides every input.
#[must_use]
pub fn named_input(
    rules: &Rules,
    operation: OperationIndex,
    scenario: ScenarioIndex,
    body: &Json<'static>,
) -> Option<NamedInput> {
    let caller = Caller::plain(CALLER, Environment::Test);
    // What a later step of a flow carries need not have been issued where it is a fixed input itself.
    let step = rules.steps[operation.0];
    let search = InputSearch {
        identifier: step.and_then(|step| carried_field(&rules.contract, step)),
        ..InputSearch::new(rules, operation)
    };
    Some(search.decided_by(scenario, &[caller], body)?.0)
}

/// The search for an input of an operation.
pub(super) struct InputSearch<'w> {
    pub(super) rules: &'w Rules,
    pub(super) operation: OperationIndex,
    /// The one identifier that may be looked at, where not any may.
    pub(super) identifier: Option<&'w str>,
}

impl<'w> InputSearch<'w> {
    pub(super) fn new(rules: &'w Rules, operation: OperationIndex) -> Self {
        InputSearch {
            rules,
            operation,
            identifier: None,
        }
    }

    /// The input that this scenario decides, and which of the callers must send it. None where it decides
    /// every input.
    pub(super) fn decided_by(
        &self,
        scenario: ScenarioIndex,
        callers: &[Caller],
        body: &Json<'static>,
    ) -> Option<(NamedInput, Caller)> {
        let scenarios = &self.rules.scenarios;
        let conditions: Vec<&Condition> = scenarios.get(scenario).conditions.iter().collect();
        let decides = |input: &MatchInput<'_>| {
            scenarios.choose(&self.rules.contract, input) == Choice::Scenario(scenario)
        };
        let found = self.found(&conditions, callers, body, &decides);
        found.filter(|_| !conditions.is_empty())
    }

    /// The first input that may meet these conditions and is accepted.
    pub(super) fn found(
        &self,
        conditions: &[&Condition],
        callers: &[Caller],
        body: &Json<'static>,
        accepted: &dyn Fn(&MatchInput<'_>) -> bool,
    ) -> Option<(NamedInput, Caller)> {
        let row = &self.rules.contract.operations[self.operation];
        let of_body = conditions.iter().copied();
        let conditions: Vec<&Condition> = of_body.filter(|it| it.selector.is_of_body()).collect();
        let mut choices: Vec<Vec<Setting>> = Vec::new();
        for (at, condition) in conditions.iter().enumerate() {
            let same = |other: &&Condition| other.selector.field() == condition.selector.field();
            // What several conditions ask of one field is asked of one value.
            if !conditions[..at].iter().any(same) {
                let together: Vec<&Condition> = conditions.iter().copied().filter(same).collect();
                choices.push(self.settings(row, &together));
            }
        }
        if choices.iter().any(Vec::is_empty) {
            return None;
        }
        let mut place = vec![0; choices.len()];
        for _ in 0..TRIED {
            let picked = place.iter().zip(&choices);
            let picked: Vec<&Setting> = picked.map(|(&at, settings)| &settings[at]).collect();
            let named = with_settings(body, &picked);
            let mut callers = callers.iter();
            let caller = callers.find(|it| self.asks(row, &named, it, accepted));
            if let Some(caller) = caller {
                let set = picked.into_iter().filter_map(|(name, value)| {
                    let value = value.clone()?;
                    Some((name.clone(), value))
                });
                return Some(((set.collect(), named), caller.clone()));
            }
            if !advance(&mut place, &choices) {
                break;
            }
        }
        None
    }

    /// What can be done to a field so that these conditions hold, first what a person would do: of the
    /// values that the field allows, the one most like its sample.
    fn settings(&self, operation: &Operation, conditions: &[&Condition]) -> Vec<Setting> {
        let contract = &self.rules.contract;
        let selector = conditions.first().map(|condition| &condition.selector);
        let looked_at = |field: &&Field| match selector {
            Some(Selector::Field(name) | Selector::Inside { field: name, .. }) => {
                field.name == *name
            }
            Some(Selector::AnyIdentifier) => {
                field.identifies && self.identifier.is_none_or(|name| field.name == name)
            }
            _ => false,
        };
        let mut found = Vec::new();
        for field in operation.request.iter().filter(looked_at) {
            let sample = sample::value(contract, field);
            let hold = |value: Option<&Json<'static>>| {
                let mut conditions = conditions.iter();
                conditions.all(|it| Scenario::allows(it, operation, &field.name, value))
            };
            let mut values = candidates(conditions, &sample);
            values.retain(|value| {
                field.check(value, &contract.formats, &[]).is_ok() && hold(Some(value))
            });
            values.sort_by_cached_key(|value| {
                Reverse((self.is_own(field, value), likeness(field, &sample, value)))
            });
            let values = values.into_iter().take(VALUES).map(Some);
            let settings = values.chain(hold(None).then_some(None));
            found.extend(settings.map(|value| (field.name.clone(), value)));
        }
        found
    }

    /// Whether somebody who is declared is asked for so in this very field.
    fn is_own(&self, field: &Field, value: &Json<'static>) -> bool {
        let asked = first_text(value);
        let person = self.rules.scenarios.people.asked_for_by(asked);
        let mut known = person.into_iter().flat_map(|person| &person.asked);
        known.any(|(name, text)| *name == field.name && text == asked)
    }

    /// Whether what this caller asks with this body is accepted.
    fn asks(
        &self,
        row: &Operation,
        body: &Json<'static>,
        caller: &Caller,
        accepted: &dyn Fn(&MatchInput<'_>) -> bool,
    ) -> bool {
        let field = |at: FieldIndex| {
            let field = &row.request[at];
            let by_default = match &field.presence {
                Presence::Default(value) => Some(value),
                Presence::Required | Presence::Optional => None,
            };
            body.get(&field.name).or(by_default)
        };
        accepted(&MatchInput {
            operation: self.operation,
            field: &field,
            context: caller.context(),
        })
    }
}

/// The next combination. False after the last.
fn advance(place: &mut [usize], choices: &[Vec<Setting>]) -> bool {
    for (at, settings) in place.iter_mut().zip(choices) {
        *at += 1;
        if *at < settings.len() {
            return true;
        }
        *at = 0;
    }
    false
}

fn with_settings(body: &Json<'static>, settings: &[&Setting]) -> Json<'static> {
    let mut body = body.clone();
    for (name, value) in settings {
        match value {
            Some(value) => body.set(name.clone(), value.clone()),
            None => body.remove(name),
        }
    }
    body
}

/// Values of a field that conditions on it, and on what is inside it, may hold for; the sample last.
fn candidates(conditions: &[&Condition], sample: &Json<'static>) -> Vec<Json<'static>> {
    let mut found = vec![sample.clone()];
    let mut known = BTreeSet::from([sample.to_string()]);
    for condition in conditions {
        let steps = match &condition.selector {
            Selector::Inside { steps, .. } => steps.as_slice(),
            _ => &[],
        };
        // Each is asked of what already holds for the conditions before it.
        let put = |base: &Json<'static>| {
            let part = find(base, steps);
            let values = values(
                &condition.predicate,
                part.first().map_or(&Json::Null, |it| *it),
            );
            let put = values.into_iter().map(|value| {
                let mut whole = base.clone();
                put(&mut whole, steps, &value);
                whole
            });
            put.collect::<Vec<_>>()
        };
        let new: Vec<_> = found.iter().flat_map(put).take(MADE).collect();
        for value in new {
            if known.insert(value.to_string()) {
                found.push(value);
            }
        }
    }
    found.rotate_left(1);
    found
}

/// Puts a value to where the steps lead; of every item of a list, to the first. Where they lead
/// nowhere nothing is done.
fn put(whole: &mut Json<'static>, steps: &[Step], value: &Json<'static>) {
    let Some((first, rest)) = steps.split_first() else {
        *whole = value.clone();
        return;
    };
    let below = match (first, whole) {
        (Step::Member(name), Json::Object(members)) => {
            let at = members.iter().position(|(known, _)| known == name);
            let at = at.unwrap_or_else(|| {
                members.push((name.clone().into(), Json::Null));
                members.len() - 1
            });
            Some(&mut members[at].1)
        }
        (Step::Item(at), Json::List(items)) => items.get_mut(*at),
        (Step::Every, Json::List(items)) => items.first_mut(),
        _ => None,
    };
    if let Some(below) = below {
        put(below, rest, value);
    }
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
