//! Valid requests, made from the rows: examples, formats, listed values, bounds, flows.

use svc_fixtures::contract::{Contract, Field, FlowKey, Kind, Operation, Presence};
use svc_fixtures::json::Json;

use super::ask::{Ask, Carry, Members};
use super::case::Case;
use super::expect::{Ending, Rule};
use super::place::Place;
use super::setting::Setting;

/// Which fields a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The required ones.
    Least,
    /// All.
    Full,
}

/// A valid body.
#[must_use]
pub fn body(contract: &Contract, operation: &Operation, extent: Extent) -> Members {
    fields(contract, &operation.request, extent)
}

fn fields(contract: &Contract, fields: &[Field], extent: Extent) -> Members {
    let sent = |field: &&Field| extent == Extent::Full || field.presence == Presence::Required;
    fields
        .iter()
        .filter(sent)
        .map(|field| (field.name.clone(), value(contract, field)))
        .collect()
}

/// A valid value of a field.
#[must_use]
pub fn value(contract: &Contract, field: &Field) -> Json<'static> {
    match (&field.example, &field.presence) {
        (Some(example), _) => example.clone(),
        (None, Presence::Default(value)) => value.clone(),
        (None, _) => of_kind(contract, &field.kind),
    }
}

fn of_kind(contract: &Contract, kind: &Kind) -> Json<'static> {
    match kind {
        Kind::Text { one_of, .. } if !one_of.is_empty() => Json::from(one_of[0].clone()),
        Kind::Text {
            format: Some(format),
            ..
        } => Json::from(contract.format(*format).example.clone()),
        Kind::Text { format: None, .. } => Json::from("sample"),
        Kind::Int { min, max } => Json::Int(min.or(*max).unwrap_or(1)),
        Kind::Num { min, max } => Json::Num(min.or(*max).unwrap_or(1.0)),
        Kind::Bool => Json::Bool(true),
        Kind::List { items, min_items } => {
            Json::List(vec![of_kind(contract, items); (*min_items).max(1)])
        }
        Kind::Object { fields: inner } => {
            let members = fields(contract, inner, Extent::Least).into_iter();
            Json::Object(members.map(|(name, value)| (name.into(), value)).collect())
        }
    }
}

/// Adds the calls that lead to an operation's success, each with the sample body; answers the place
/// of the call itself. Nothing is expected of it yet.
pub fn lead_to(case: &mut Case, setting: &Setting<'_>, operation: &Operation) -> usize {
    let (carries, _) = lead(case, setting, operation);
    let ask = Ask::post(operation, body(setting.contract, operation, Extent::Full));
    case.push(Ask { carries, ..ask })
}

/// Adds the earlier steps of the flow an operation is a step of, where it takes anything from them;
/// answers what it takes, and the place of the first step.
pub fn lead(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
) -> (Vec<Carry>, Option<usize>) {
    let Some((flow, at)) = setting.step_of(&operation.id) else {
        return (Vec::new(), None);
    };
    let (Some(issues), Some(_)) = (&flow.steps[0].issues, &flow.steps[at].takes) else {
        return (Vec::new(), None);
    };
    let first = case.steps.len();
    let carry = |place: usize| Carry {
        path_only: false,
        from: first,
        place: match issues {
            FlowKey::Member(name) => Place::of(["data", name]),
            FlowKey::Verification => Place::of(["verificationId"]),
        },
        field: flow.steps[place].takes.clone(),
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
        let mut ask = Ask::post(step, body(setting.contract, step, Extent::Full));
        if place > 0 {
            ask.carries = vec![carry(place)];
        }
        let pushed = case.push(ask);
        case.expect(
            pushed,
            flow.clause.clone(),
            Rule::Ends(Ending::success(step)),
        );
    }
    (vec![carry(at)], Some(first))
}
