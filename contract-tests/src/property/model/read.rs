//! Reads a request as the call that the model knows, and what it comes to by the rows alone.

use std::borrow::Cow;

use svc_fixtures::contract::{
    Bundle, BundleIndex, BundleMode, Field, Operation, OperationIndex, Paise, Presence,
};
use svc_fixtures::json::Json;

use super::NOW;
use crate::capture::Request;
use crate::model::{
    Call, CallOutcome, Endpoint, ExecutedStep, FlowPosition, Part, Refusal, has_result, is_awaited,
};
use crate::plan::{Ending, Setting};
use crate::property::oracle::{self, Body};

/// A request that is not refused whatever the account is like.
pub(super) struct Read {
    pub(super) call: Call,
    /// What is executed, and what it comes to.
    pub(super) steps: Vec<ExecutedStep>,
    /// The clause that says so.
    pub(super) clause: &'static str,
    /// The member of the answer that says whether a step of a flow is done, and whether it is.
    pub(super) done: Option<(String, bool)>,
}

/// What a path calls.
pub(super) fn endpoint_at(setting: &Setting<'_>, path: &str) -> Option<Endpoint> {
    let contract = setting.contract;
    let operation = || contract.operation_index(&setting.operation_at(path)?.id);
    let bundle = contract.bundle_at(path).map(Endpoint::Bundle);
    bundle.or_else(|| operation().map(Endpoint::Operation))
}

/// Reads a request, or says as what it is refused.
pub(super) fn call(
    setting: &Setting<'_>,
    endpoint: Endpoint,
    request: &Request,
) -> Result<Read, Refusal> {
    let body = oracle::body(request)?;
    let contract = setting.contract;
    let mut read = match endpoint {
        Endpoint::Operation(at) => operation(setting, at, &body)?,
        Endpoint::Bundle(at) => bundle(setting, at, &contract.bundles[at], &body)?,
    };
    let key = request.header("idempotency-key");
    if key.is_some_and(|key| !(1..=255).contains(&key.len())) {
        return Err(Refusal::input());
    }
    let content = &mut read.call.content;
    content.extend_from_slice(request.path.as_bytes());
    content.push(0);
    Json::Object(body).canonical(&mut |bytes| content.extend_from_slice(bytes));
    read.call.key = key.map(str::to_owned);
    read.call.reference = request.header("x-reference-id").map(str::to_owned);
    Ok(read)
}

/// A call of which nothing but this is known yet.
fn call_of(
    endpoint: Endpoint,
    part: Part,
    price: Paise,
    flow_position: Option<FlowPosition>,
) -> Call {
    Call {
        endpoint,
        part,
        content: Vec::new(),
        key: None,
        reference: None,
        price,
        flow_position,
    }
}

fn operation(setting: &Setting<'_>, at: OperationIndex, body: &Body<'_>) -> Result<Read, Refusal> {
    let contract = setting.contract;
    let row = &contract.operations[at];
    if let Some(refusal) = oracle::refusal(contract, row, &row.request, body) {
        return Err(refusal);
    }
    let fixed = oracle::outcome(setting, row, body);
    let mut step = ExecutedStep::new(at, outcome(row, fixed.ending));
    let flow_position = flow_position(setting, row, body);
    let done_when = flow_position.as_ref().and_then(|of| {
        let row = &contract.flows[of.flow].steps[of.step];
        row.done_when.clone()
    });
    let done = done_when.map(|member| {
        step.is_right = is_right(setting, row, body);
        (member, step.is_right)
    });
    let endpoint = Endpoint::Operation(at);
    Ok(Read {
        call: call_of(endpoint, Part::Whole, row.price, flow_position),
        steps: vec![step],
        clause: match fixed.by {
            Some(_) => "ruling.32-fixed-inputs",
            None => "ruling.31-unnamed-inputs",
        },
        done,
    })
}

/// What a body asks of a bundle, or why it is refused: as the first of its steps that has a mistake is.
fn bundle(
    setting: &Setting<'_>,
    at: BundleIndex,
    row: &Bundle,
    body: &Body<'_>,
) -> Result<Read, Refusal> {
    let contract = setting.contract;
    let all: Vec<&Operation> = contract.bundle_steps(row).collect();
    let price = |steps: &[&Operation]| steps.iter().map(|step| step.price).sum();
    let (part, steps, price) = match &row.mode {
        BundleMode::Sequence | BundleMode::Parallel => {
            let price = price(&all);
            (Part::Whole, all, price)
        }
        BundleMode::Choice { field, options } => {
            let value = named(body, field).and_then(Json::as_text);
            let mut options = options.iter();
            let chosen = options.find(|(known, _)| Some(known.as_str()) == value);
            let (_, id) = chosen.ok_or_else(Refusal::input)?;
            let step = contract.operation(id).ok_or_else(Refusal::input)?;
            (Part::Whole, vec![step], step.price)
        }
        BundleMode::TwoCalls => {
            let carry = row.carries.first();
            match carry.and_then(|carry| named(body, &carry.field)) {
                None => (Part::First, vec![all[0]], price(&all)),
                Some(_) => (Part::Second, vec![all[1]], all[1].price),
            }
        }
    };
    for step in &steps {
        let given = given(step, body);
        let own = |field: &&Field| named(&given, &field.name).is_some() || !takes(row, step, field);
        let own: Vec<Field> = step.request.iter().filter(own).cloned().collect();
        if let Some(refusal) = oracle::refusal(contract, step, &own, &given) {
            return Err(refusal);
        }
    }
    let flow_position = match part {
        Part::Whole => None,
        Part::First | Part::Second => flow_position(setting, steps[0], &given(steps[0], body)),
    };
    Ok(Read {
        call: call_of(Endpoint::Bundle(at), part, price, flow_position),
        steps: executed(setting, row, &steps, body),
        clause: "ruling.29-bundle-outcome",
        done: None,
    })
}

/// What each step that runs comes to. One that lacks what an earlier step gives does not run.
fn executed(
    setting: &Setting<'_>,
    row: &Bundle,
    steps: &[&Operation],
    body: &Body<'_>,
) -> Vec<ExecutedStep> {
    let contract = setting.contract;
    let mut executed: Vec<ExecutedStep> = Vec::new();
    for operation in steps {
        let given = given(operation, body);
        let mut taken = row
            .carries
            .iter()
            .filter(|carry| carry.step == operation.id && named(&given, &carry.field).is_none());
        if taken
            .clone()
            .any(|carry| !has_result(contract, &executed, &carry.from))
        {
            continue;
        }
        let waits = taken.any(|carry| is_awaited(contract, &executed, &carry.from));
        // What earlier steps give is nobody's fixed input.
        let ending = oracle::outcome(setting, operation, &given).ending;
        let outcome = outcome(operation, ending);
        let index = contract.operation_index(&operation.id);
        executed.extend(index.map(|index| ExecutedStep {
            waits,
            ..ExecutedStep::new(index, outcome)
        }));
    }
    executed
}

fn outcome(operation: &Operation, ending: Ending) -> CallOutcome {
    match ending {
        Ending::Completed | Ending::CompletedOrPending | Ending::Understood | Ending::NoFault => {
            CallOutcome::Completed
        }
        Ending::Pending | Ending::Accepted => CallOutcome::pending(operation, NOW),
        Ending::Error(code) | Ending::Refused(_, code) | Ending::NoFaultBut(code) => {
            CallOutcome::Failed(code)
        }
        Ending::Malformed | Ending::Unauthorized | Ending::Admitted | Ending::Rejected => {
            CallOutcome::Failed(svc_fixtures::contract::ErrorCode::InvalidInput)
        }
    }
}

/// Where a call of an operation stands in a flow.
fn flow_position(
    setting: &Setting<'_>,
    operation: &Operation,
    body: &Body<'_>,
) -> Option<FlowPosition> {
    let (flow, step) = setting.contract.step_of(&operation.id)?;
    let takes = flow.steps[step].takes.as_ref();
    let carried = takes.and_then(|takes| body.iter().find(|(name, _)| name == takes));
    let alone = carried.map(|carried| oracle::outcome(setting, operation, &vec![carried.clone()]));
    let ending = oracle::outcome(setting, operation, body).ending;
    let sent = body
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone().into_owned()));
    let mut fields: Vec<_> = sent.collect();
    // What a first call leaves out it says by its default.
    for field in operation.request.iter().filter(|_| takes.is_none()) {
        if let (None, Presence::Default(value)) = (named(body, &field.name), &field.presence) {
            fields.push((field.name.clone(), value.clone()));
        }
    }
    Some(FlowPosition {
        flow: setting
            .contract
            .flows
            .iter()
            .position(|row| row.name == flow.name)?,
        step,
        carried: carried.map(|(_, value)| value.as_text().unwrap_or_default().to_owned()),
        carried_is_fixed: alone.is_some_and(|alone| alone.by.is_some()),
        is_fixed: ending != Ending::success(operation),
        fields,
    })
}

/// Whether a call says one of the inputs that the specification lists as right for it.
fn is_right(setting: &Setting<'_>, operation: &Operation, body: &Body<'_>) -> bool {
    let mut inputs = setting.inputs.iter().filter(|input| !input.refutes);
    inputs.any(|input| {
        let completes = input.ending(operation) == Some(Ending::Completed);
        let field = input.field(setting.contract, operation);
        let sent = field.and_then(|field| named(body, &field.name)?.as_text());
        completes && sent == Some(input.value.as_str())
    })
}

/// Whether a step takes a field from an earlier one.
fn takes(row: &Bundle, step: &Operation, field: &Field) -> bool {
    let mut carries = row.carries.iter();
    carries.any(|carry| carry.step == step.id && carry.field == field.name)
}

fn named<'b>(body: &'b Body<'_>, name: &str) -> Option<&'b Json<'b>> {
    let sent = body.iter().find(|(known, _)| known == name);
    sent.map(|(_, value)| value)
}

/// The fields of a body that are a step's: under their own name, or under the last part of the
/// step's and a dot.
fn given<'b>(step: &Operation, body: &Body<'b>) -> Body<'b> {
    let last = step.id.rsplit('.').next().unwrap_or_default();
    let value = |field: &Field| {
        let own = format!("{last}.{}", field.name);
        let mut members = body.iter();
        let found = members
            .find(|(name, _)| *name == own)
            .or_else(|| body.iter().find(|(name, _)| *name == field.name))?;
        Some((Cow::Owned(field.name.clone()), found.1.clone()))
    };
    step.request.iter().filter_map(value).collect()
}
