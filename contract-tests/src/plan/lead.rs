//! The calls that lead to an operation, and the operation itself: with its sample, with a status its
//! identifier asks for, or with any text in a field.

use svc_fixtures::contract::{Field, FlowKey, Operation};
use svc_fixtures::sample::{self, Extent};

use super::case::Case;
use super::expect::Rule;
use super::inputs::Input;
use super::place::Place;
use super::request::{CarriedPart, Carry, Payload, RequestTemplate};
use super::setting::Setting;

/// The call of an operation with its sample body.
#[must_use]
pub fn sample_call(setting: &Setting<'_>, operation: &Operation) -> RequestTemplate {
    let body = sample::body(setting.contract, operation, Extent::All);
    RequestTemplate::post(operation, body)
}

/// Adds the calls that lead to an operation's success, each with the sample body; answers the place
/// of the call itself. Nothing is expected of it yet.
pub fn to_success(case: &mut Case, setting: &Setting<'_>, operation: &Operation) -> usize {
    let (carries, _) = before(case, setting, operation);
    case.push(sample_call(setting, operation).carrying(carries))
}

/// Adds the call of an operation whose first identifying field asks for this status, and what leads
/// to it; answers its place, or none where no field identifies anything.
pub fn to_status(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    status: u16,
) -> Option<usize> {
    let (_, field) = operation.identifiers().next()?;
    let text = sample::status_text(setting.contract, operation, field, status);
    Some(to_text(case, setting, operation, field, &text))
}

/// Adds the call of an operation with this text in a field, and what leads to it; answers its place.
/// Nothing leads to a call whose carried identifier is the text.
pub fn to_text(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
    text: &str,
) -> usize {
    let body = sample::body_with_text(setting.contract, operation, field, text);
    let carries = match setting.contract.carries(operation, field) {
        true => Vec::new(),
        false => before(case, setting, operation).0,
    };
    case.push(RequestTemplate::post(operation, body).carrying(carries))
}

/// The same with an input that is known, and what stands beside it.
pub fn to_input(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
    input: &Input,
) -> usize {
    let step = to_text(case, setting, operation, field, &input.value);
    case.change(step, |mut request| {
        if let Payload::Json(body) = &mut request.payload {
            for (name, value) in &input.with {
                body.set(name.clone(), value.clone());
            }
        }
        request
    });
    step
}

/// Adds the earlier steps of the flow an operation is a step of, where it takes anything from them;
/// answers what it takes, and the place of the first step.
pub fn before(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
) -> (Vec<Carry>, Option<usize>) {
    let Some((flow, at)) = setting.contract.step_of(&operation.id) else {
        return (Vec::new(), None);
    };
    let (Some(issues), Some(_)) = (&flow.steps[0].issues, &flow.steps[at].takes) else {
        return (Vec::new(), None);
    };
    let first = case.steps.len();
    let (issued, part) = match issues {
        FlowKey::Member(name) => (Place::of(["data", name]), CarriedPart::Whole),
        FlowKey::Verification => (Place::of(["verificationId"]), CarriedPart::RequestId),
    };
    let carry = |place: usize| Carry {
        field: flow.steps[place].takes.clone(),
        part,
        ..Carry::into_path(first, issued.clone())
    };
    let mut before = vec![0];
    let mut place = at;
    while let Some(after) = &flow.steps[place].after {
        let Some(found) = flow.steps.iter().position(|step| &step.operation == after) else {
            break;
        };
        if found == 0 || before.contains(&found) {
            break;
        }
        before.insert(1, found);
        place = found;
    }
    for place in before {
        let Some(step) = setting.contract.operation(&flow.steps[place].operation) else {
            continue;
        };
        let carries = (place > 0).then(|| carry(place)).into_iter().collect();
        let pushed = case.push(sample_call(setting, step).carrying(carries));
        case.expect(pushed, &flow.clause, Rule::succeeds(step));
    }
    (vec![carry(at)], Some(first))
}
