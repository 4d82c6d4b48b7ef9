//! The bodies that examples are asked with: samples, carried identifiers, one that is malformed.
//! Asks nothing.

use svc_fixtures::contract::{Blame, Contract, Flow, FlowKey, Kind, Operation, Step};
use svc_fixtures::json::Json;

use super::OperationExamples;
use crate::http::sample;
use crate::rehearsal::with_member;

/// The operations in an order in which every step of a flow comes after those before it.
pub fn call_order(contract: &Contract) -> Vec<usize> {
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

/// The operation that issues what the first identifying field of this one carries.
pub(in crate::http) fn issuer<'c>(
    contract: &'c Contract,
    operation: &Operation,
) -> Option<&'c str> {
    let (flow, step) = flow_of(contract, operation)?;
    let (_, first) = operation.identifiers().next()?;
    let carries = !flow.advisory && step.takes.as_ref() == Some(&first.name);
    carries.then(|| flow.steps[0].operation.as_str())
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
    examples: &[OperationExamples],
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
    let Some(first) = first.and_then(|first| examples[first].answered.first()) else {
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

/// The same request with a field nobody knows: another body to the idempotency key.
pub(super) fn with_extra(body: &Json<'static>) -> Json<'static> {
    with_member(body, "note", Json::from("another body"))
}
