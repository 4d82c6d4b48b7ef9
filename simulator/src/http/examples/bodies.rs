//! The bodies that examples are asked with: samples, carried identifiers, one that is malformed.
//! Asks nothing.

use svc_fixtures::contract::{
    Blame, Bundle, Contract, Field, FlowKey, Operation, OperationIndex, Presence,
};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::{Exchange, OperationExamples};

/// The operations in an order in which every step of a flow comes after those before it.
pub fn call_order(contract: &Contract) -> Vec<OperationIndex> {
    let mut order = Vec::new();
    for (index, operation) in contract.indexed_operations() {
        let flow = contract.step_of(&operation.id).map(|(flow, _)| flow);
        let steps = flow.into_iter().flat_map(|flow| &flow.steps);
        let steps = steps.filter_map(|step| contract.operation_index(&step.operation));
        for index in steps.chain([index]) {
            if !order.contains(&index) {
                order.push(index);
            }
        }
    }
    order
}

/// The operation that issues what an identifying field of this one carries.
pub(in crate::http) fn issuer<'c>(
    contract: &'c Contract,
    operation: &Operation,
) -> Option<&'c str> {
    let (flow, _) = contract.step_of(&operation.id)?;
    let mut identifiers = operation.identifiers();
    let carries = identifiers.any(|(_, field)| contract.carries(operation, field));
    carries.then(|| flow.steps[0].operation.as_str())
}

/// An operation with a body whose identifier does not have its format.
pub(super) fn malformed(contract: &Contract) -> Option<(&Operation, Json<'static>)> {
    contract.operations.iter().find_map(|operation| {
        let strict = |field: &Field| {
            let format = contract.format_of(&field.kind);
            format.is_some_and(|format| format.blame == Blame::Identifier)
        };
        let (_, field) = operation.identifiers().find(|(_, field)| strict(field))?;
        let mut body = sample::body(contract, operation, Extent::Shown);
        body.set(field.name.clone(), sample::with_text(contract, field, "?"));
        Some((operation, body))
    })
}

/// The sample body of an operation; that of a later step carries what the first step's example was
/// given.
pub(super) fn with_carried(
    contract: &Contract,
    operation: &Operation,
    examples: &[OperationExamples],
) -> Json<'static> {
    let mut body = sample::body(contract, operation, Extent::Shown);
    let Some((flow, at)) = contract.step_of(&operation.id) else {
        return body;
    };
    let Some(takes) = &flow.steps[at].takes else {
        return body;
    };
    let first = contract.operation_index(&flow.steps[0].operation);
    let Some(first) = first.and_then(|first| examples[first.0].answered.first()) else {
        return body;
    };
    let issued = match &flow.steps[0].issues {
        Some(FlowKey::Member(name)) => first.answer["data"][name].as_str(),
        Some(FlowKey::Verification) => first.answer["verificationId"].as_str(),
        None => None,
    };
    if let Some(issued) = issued {
        body.set(takes.clone(), Json::from(issued));
    }
    for name in &flow.steps[at].same {
        if let Some(value) = first.body.get(name) {
            body.set(name.clone(), value.clone());
        }
    }
    body
}

/// The second call's body of a bundle in two calls: what the first answer gave it to carry, and what the last
/// step takes beside that.
pub(super) fn second_body(contract: &Contract, bundle: &Bundle, first: &Exchange) -> Json<'static> {
    let mut body = Json::Object(Vec::new());
    let Some(last) = contract.bundle_steps(bundle).last() else {
        return body;
    };
    for field in &last.request {
        let carried = first.answer["data"][&field.name].as_str();
        let value = match (carried, &field.presence) {
            (Some(carried), _) => Json::from(carried.to_owned()),
            (None, Presence::Required) => sample::value(contract, field),
            (None, Presence::Default(_) | Presence::Optional) => continue,
        };
        body.set(field.name.clone(), value);
    }
    body
}
