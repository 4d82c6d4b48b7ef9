//! The bodies that examples are asked with: samples, carried identifiers, inputs with a fixed end.
//! Asks nothing.

use std::borrow::Cow;

use svc_fixtures::contract::{Blame, Contract, ErrorCode, Flow, FlowKey, Kind, Operation, Step};
use svc_fixtures::json::Json;

use super::examples::OfOperation;
use crate::engine::rules::Rules;
use crate::http::sample;
use crate::scenario::{Ending, Outcome, Subject, Test};

/// The operations in an order in which every step of a flow comes after those before it.
pub fn asking_order(contract: &Contract) -> Vec<usize> {
    let place = |step: &Step| {
        contract
            .operations
            .iter()
            .position(|it| it.id == step.operation)
    };
    let mut order = Vec::new();
    for (index, operation) in contract.operations.iter().enumerate() {
        let steps =
            flow_of(contract, operation).map(|(flow, _)| flow.steps.iter().filter_map(place));
        for index in steps.into_iter().flatten().chain([index]) {
            if !order.contains(&index) {
                order.push(index);
            }
        }
    }
    order
}

fn flow_of<'c>(contract: &'c Contract, operation: &Operation) -> Option<(&'c Flow, &'c Step)> {
    contract.flows.iter().find_map(|flow| {
        let step = flow
            .steps
            .iter()
            .find(|step| step.operation == operation.id)?;
        Some((flow, step))
    })
}

/// What a fixed input brings about.
pub(super) enum Fixed {
    Error(ErrorCode),
    Pending,
}

/// The inputs for which a scenario fixes an error or a pending answer, one for each, made from the
/// sample body by setting one identifying text.
pub(super) fn fixed_inputs(
    rules: &Rules,
    index: usize,
    body: &Json<'static>,
) -> Vec<(Fixed, Json<'static>)> {
    let operation = &rules.contract.operations[index];
    let mut found: Vec<(Fixed, Json<'static>)> = Vec::new();
    for scenario in rules
        .scenarios
        .all()
        .iter()
        .filter(|it| it.operations.contains(&index))
    {
        let [outcome] = scenario.then.as_slice() else {
            continue;
        };
        let Some(fixed) = fixed(outcome) else {
            continue;
        };
        let known = found.iter().any(|(known, _)| match (known, &fixed) {
            (Fixed::Error(known), Fixed::Error(code)) => known == code,
            (Fixed::Pending, Fixed::Pending) => true,
            _ => false,
        });
        let [condition] = scenario.conditions.as_slice() else {
            continue;
        };
        let Test::OneOf(values) = &condition.test else {
            continue;
        };
        let named = |name: &str| match &condition.on {
            Subject::Field(field) => field == name,
            Subject::AnyIdentifier => true,
        };
        let mut inputs = operation
            .identifiers()
            .filter(|(_, field)| named(&field.name))
            .flat_map(|(_, field)| {
                let fits = |value: &&Json<'static>| {
                    field.check(value, &rules.contract.formats, &[]).is_ok()
                };
                values
                    .iter()
                    .filter(fits)
                    .map(|value| (field.name.as_str(), value))
            });
        if let Some((name, value)) = inputs.next().filter(|_| !known) {
            found.push((fixed, with_member(body, name, value.clone())));
        }
    }
    found
}

fn fixed(outcome: &Outcome) -> Option<Fixed> {
    match &outcome.result {
        _ if outcome.delay_ms > 0 => None,
        Ending::Error { code, .. } => Some(Fixed::Error(*code)),
        Ending::Pending { .. } => Some(Fixed::Pending),
        Ending::Success(_) => None,
    }
}

/// An operation with a body whose identifier does not have its format.
pub(super) fn malformed(contract: &Contract) -> Option<(&Operation, Json<'static>)> {
    contract.operations.iter().find_map(|operation| {
        let strict = |kind: &Kind| match kind {
            Kind::Text {
                format: Some(id), ..
            } => contract.format(*id).blame == Blame::Identifier,
            _ => false,
        };
        let (_, field) = operation
            .identifiers()
            .find(|(_, field)| strict(&field.kind))?;
        let body = sample::body(contract, operation);
        Some((operation, with_member(&body, &field.name, Json::from("?"))))
    })
}

/// The body of a later step, carrying what the first step's example was given.
pub(super) fn with_carried(
    contract: &Contract,
    operation: &Operation,
    mut body: Json<'static>,
    asked: &[OfOperation],
) -> Json<'static> {
    let Some((flow, step)) = flow_of(contract, operation) else {
        return body;
    };
    let Some(takes) = &step.takes else {
        return body;
    };
    let first = contract
        .operations
        .iter()
        .position(|it| it.id == flow.steps[0].operation);
    let Some(first) = first.and_then(|first| asked[first].answered.first()) else {
        return body;
    };
    let issued = match &flow.steps[0].issues {
        Some(FlowKey::Member(name)) => first.answer["data"][name].as_str(),
        Some(FlowKey::Verification) => first.answer["verificationId"].as_str(),
        None => None,
    };
    if let Some(issued) = issued {
        body = with_member(&body, takes, Json::from(issued));
    }
    for name in &step.same {
        if let Some(value) = first.body.get(name) {
            body = with_member(&body, name, value.clone());
        }
    }
    body
}

fn with_member(body: &Json<'static>, name: &str, value: Json<'static>) -> Json<'static> {
    let mut members = body.as_object().unwrap_or_default().to_vec();
    match members.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => members.push((Cow::Owned(name.to_owned()), value)),
    }
    Json::Object(members)
}

/// The same request with a field nobody knows: another body to the idempotency key.
pub(super) fn with_extra(body: &Json<'static>) -> Json<'static> {
    with_member(body, "note", Json::from("another body"))
}
