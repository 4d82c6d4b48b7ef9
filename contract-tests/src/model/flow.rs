//! Flows: which identifiers were issued, what the first calls said, and which steps are done.

use svc_fixtures::contract::{Contract, ErrorCode, FlowKey, OperationIndex};
use svc_fixtures::json::Json;

use super::call::{Call, FlowPosition, Refusal};
use super::outcome::{CallOutcome, ExecutedStep};

/// A flow that was begun.
#[derive(Debug, Clone)]
pub struct OpenFlow {
    /// Which one.
    pub flow: usize,
    /// What later steps may carry.
    pub keys: Vec<String>,
    /// What the first call said, by field.
    said: Vec<(String, Json<'static>)>,
    /// The operations that are done.
    done: Vec<OperationIndex>,
    /// How many wrong secrets it was tried with.
    wrong_tries: u32,
    /// When it began.
    begun: i64,
    /// The bundle that began it and awaits its second call.
    pub(super) bundle: Option<usize>,
}

/// With what a flow begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Began {
    /// When its call came.
    pub(super) at: i64,
    /// The bundle that it is part of.
    pub(super) bundle: Option<usize>,
}

impl OpenFlow {
    fn is_carried_by(&self, step: &FlowPosition) -> bool {
        let carried = step.carried.as_ref();
        self.flow == step.flow && carried.is_some_and(|carried| self.keys.contains(carried))
    }
}

/// The flow that a later step goes on with, or why it is refused. None where it carries nothing, or what
/// nobody need have issued.
pub(super) fn goes_on<'f>(
    contract: &Contract,
    flows: &'f [OpenFlow],
    call: &Call,
    now: i64,
) -> Result<Option<&'f OpenFlow>, Refusal> {
    let Some(of) = &call.flow_position else {
        return Ok(None);
    };
    if of.carried.is_none() || of.carried_is_fixed {
        return Ok(None);
    }
    let row = &contract.flows[of.flow];
    let step = &row.steps[of.step];
    let Some(open) = flows.iter().rev().find(|flow| flow.is_carried_by(of)) else {
        return Err(match step.unknown_is_not_found {
            true => Refusal::of(ErrorCode::NotFound),
            false => Refusal::naming(&row.steps[0].operation),
        });
    };
    let value = |fields: &[(String, Json<'static>)], name: &str| {
        let found = fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    };
    let differs = |name: &&String| {
        let own = value(&of.fields, name);
        own.is_some() && own != value(&open.said, name)
    };
    if let Some(name) = step.same.iter().find(differs).filter(|_| !of.is_fixed) {
        return Err(Refusal::naming(name));
    }
    if let Some(tries) = &step.tries {
        let is_late = now - open.begun >= i64::try_from(tries.within_ms).unwrap_or(i64::MAX);
        if is_late || open.wrong_tries >= tries.most {
            return Err(Refusal::naming(&row.steps[0].operation));
        }
    }
    if let Some(after) = &step.after {
        let is_after = |done: &OperationIndex| contract.operations[*done].id == *after;
        if !open.done.iter().any(is_after) {
            return Err(Refusal::naming(after));
        }
    }
    Ok(Some(open))
}

/// Notes a step that was executed: a first one begins its flow with what its answer issues, which a bundle may
/// go on with; a later one is done.
pub(super) fn note(
    contract: &Contract,
    flows: &mut Vec<OpenFlow>,
    call: &Call,
    step: &ExecutedStep,
    envelope: Option<&Json<'_>>,
    began: Began,
) {
    let Some(of) = &call.flow_position else {
        return;
    };
    if step.outcome != CallOutcome::Completed {
        return;
    }
    let Some(issues) = &contract.flows[of.flow].steps[of.step].issues else {
        if let Some(open) = flows.iter_mut().rfind(|flow| flow.is_carried_by(of)) {
            match step.is_right {
                true => open.done.push(step.operation),
                false => open.wrong_tries += 1,
            }
        }
        return;
    };
    let reference = call.reference.as_deref();
    let reference = reference.filter(|_| *issues == FlowKey::Verification);
    let issued = envelope.and_then(|envelope| issues.issued(envelope));
    let keys = issued.into_iter().chain(reference);
    flows.push(OpenFlow {
        flow: of.flow,
        keys: keys.map(str::to_owned).collect(),
        said: of.fields.clone(),
        done: vec![step.operation],
        wrong_tries: 0,
        begun: began.at,
        bundle: began.bundle,
    });
}
