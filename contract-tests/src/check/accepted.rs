//! What must be understood: every value that a row allows, and every default, which is the same as its value.

use svc_fixtures::contract::{Field, Operation, Presence};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Cases, Check, Stage};
use super::identifiers::echoes;
use crate::plan::{Case, Ending, Payload, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "validation.accepted",
        title: "Every listed value, both ends of a range, what lies between and several items are understood",
        clauses: &[],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(accepted),
    },
    Check {
        id: "validation.defaults",
        title: "A field that is left out is its default",
        clauses: &[],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(defaults),
    },
];

/// The fields of an operation that may be anything that their rows allow: what a flow carries or remembers may not.
fn free<'o>(
    setting: &Setting<'_>,
    operation: &'o Operation,
) -> impl Iterator<Item = &'o Field> + use<'o> {
    let step = setting.contract.step_of(&operation.id);
    let fixed = step.map(|(flow, at)| {
        let step = &flow.steps[at];
        let fixed = step.same.iter().chain(&step.takes);
        fixed.cloned().collect::<Vec<_>>()
    });
    let fixed = fixed.unwrap_or_default();
    operation
        .request
        .iter()
        .filter(move |field| !fixed.contains(&field.name))
}

/// Adds what leads to an operation, and its call with the required fields and this one.
fn call(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
    value: Option<&Json<'static>>,
) -> usize {
    let (carries, _) = lead::before(case, setting, operation);
    let mut body = sample::body(setting.contract, operation, Extent::Required);
    match value {
        Some(value) => body.set(field.name.clone(), value.clone()),
        None => body.remove(&field.name),
    }
    case.push(RequestTemplate::post(operation, body).carrying(carries))
}

fn accepted(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut cases = Vec::new();
    for field in free(setting, operation) {
        let wrong = refuted_by(setting, operation, field);
        for value in sample::accepted(setting.contract, field) {
            let mut case = Case::about(operation, &format!("{} {value}", field.name));
            let clause = operation.clause.as_str();
            // What the sandbox refuses to be right is refused alike, however it is written.
            let rule = match wrong.as_ref().filter(|_| !is_right(setting, &value)) {
                None => Rule::Ends(Ending::Understood),
                Some(wrong) => {
                    Rule::SameEnding(call(&mut case, setting, operation, field, Some(wrong)))
                }
            };
            let step = call(&mut case, setting, operation, field, Some(&value));
            if echoes(setting, operation, field) {
                case.expect(step, clause, Rule::Echoes(field.name.clone()));
            }
            cases.push(case.expecting(clause, rule));
        }
    }
    cases.extend(in_flow(setting, operation));
    Some(cases)
}

/// What a flow remembers may be any that its first step was called with.
fn in_flow(setting: &Setting<'_>, operation: &Operation) -> Vec<Case> {
    let step = setting.contract.step_of(&operation.id);
    let same = step.map(|(flow, at)| flow.steps[at].same.as_slice());
    let remembered = |field: &&Field| same.unwrap_or_default().contains(&field.name);
    let case = |field: &Field, value: Json<'static>| {
        let mut case = Case::about(operation, &format!("{} {value} in all steps", field.name));
        let last = lead::to_success(&mut case, setting, operation);
        let own = |request: &RequestTemplate| matches!(&request.payload, Payload::Json(body) if body.get(&field.name).is_some());
        for step in 0..=last {
            if own(&case.steps[step].request) {
                case.change(step, |mut request| {
                    if let Payload::Json(body) = &mut request.payload {
                        body.set(field.name.clone(), value.clone());
                    }
                    request
                });
            }
        }
        let understood = Rule::Ends(Ending::Understood);
        case.expecting(&operation.clause, understood)
    };
    let fields = operation.request.iter().filter(remembered);
    let listed = fields.filter(|field| {
        let format = setting.contract.format_of(&field.kind);
        format.is_none()
    });
    let of = |field: &Field| {
        let values = sample::accepted(setting.contract, field).into_iter();
        values.map(|value| case(field, value)).collect::<Vec<_>>()
    };
    listed.flat_map(of).collect()
}

/// A value of a field that is known to be well formed and wrong.
fn refuted_by(
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
) -> Option<Json<'static>> {
    let mut inputs = setting.inputs.iter().filter(|input| input.refutes);
    let input = inputs.find(|input| {
        let own = input.field(setting.contract, operation);
        own.is_some_and(|own| own.name == field.name)
    })?;
    Some(Json::from(input.value.clone()))
}

/// Whether the sandbox takes a value as right.
fn is_right(setting: &Setting<'_>, value: &Json<'_>) -> bool {
    let mut right = setting.inputs.iter().filter(|input| !input.refutes);
    right.any(|input| value.as_text() == Some(input.value.as_str()))
}

fn defaults(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let case = |field: &Field| {
        let Presence::Default(value) = &field.presence else {
            return None;
        };
        let mut case = Case::about(operation, &field.name);
        // By turns, so that what changes with time is no difference of the two.
        let steps = [true, false, true, false].map(|given| {
            let value = given.then_some(value);
            let step = call(&mut case, setting, operation, field, value);
            case.expect(step, &operation.clause, Rule::succeeds(operation));
            step
        });
        let [a, b, c, d] = steps;
        let rule = Rule::Alike {
            given: [a, c],
            left_out: [b, d],
        };
        case.expect(d, &operation.clause, rule);
        Some(case)
    };
    Some(free(setting, operation).filter_map(case).collect())
}
