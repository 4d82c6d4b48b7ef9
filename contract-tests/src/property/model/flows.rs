//! Flows of the modelled account: which identifiers were issued to it, and which steps are done.

use std::collections::BTreeMap;

use svc_fixtures::contract::{ErrorCode, FlowKey, Operation, Presence};
use svc_fixtures::json::Json;

use super::expect::{expect, text};
use crate::capture::Request;
use crate::plan::{Ending, Expectation, Place, Predicate, Rule, Setting};
use crate::property::oracle::{self, Body, ExpectedOutcome, Refusal};

/// The flows that were begun, by their name and what later steps carry.
#[derive(Debug, Default)]
pub(super) struct Flows {
    begun: BTreeMap<(String, String), OpenFlow>,
}

#[derive(Debug, Clone)]
struct OpenFlow {
    /// What the first call said, by field.
    said: Vec<(String, Json<'static>)>,
    /// The operations that are done.
    done: Vec<String>,
}

impl Flows {
    /// Why a later step is refused, where it is.
    pub(super) fn refusal(
        &self,
        setting: &Setting<'_>,
        operation: &Operation,
        body: &Body<'_>,
        outcome: ExpectedOutcome,
    ) -> Option<Refusal> {
        let (flow, at) = setting.contract.step_of(&operation.id)?;
        let step = &flow.steps[at];
        let carried = body
            .iter()
            .find(|(name, _)| Some(name.as_ref()) == step.takes.as_deref())?;
        // An identifier that is itself a fixed input need not have been issued.
        let alone = oracle::outcome(setting, operation, &vec![carried.clone()]);
        if alone.by.is_some() {
            return None;
        }
        let input = |names: &str| Refusal {
            code: ErrorCode::InvalidInput,
            names: Some(names.to_owned()),
        };
        let key = carried.1.as_text().unwrap_or_default().to_owned();
        let Some(running) = self.begun.get(&(flow.name.clone(), key)) else {
            return Some(match step.unknown_is_not_found {
                true => Refusal {
                    code: ErrorCode::NotFound,
                    names: None,
                },
                false => input(&flow.steps[0].operation),
            });
        };
        // No first call could have said what forces an error.
        let same = step
            .same
            .iter()
            .filter(|_| outcome.ending == Ending::success(operation));
        for name in same {
            let given = body.iter().find(|(known, _)| known == name);
            let said = running.said.iter().find(|(known, _)| known == name);
            if given.is_some_and(|(_, given)| said.is_none_or(|(_, said)| said != given)) {
                return Some(input(name));
            }
        }
        let after = step.after.as_ref()?;
        (!running.done.contains(after)).then(|| input(after))
    }

    /// Notes a step that completed; answers what its answer must say of being done.
    pub(super) fn note(
        &mut self,
        setting: &Setting<'_>,
        operation: &Operation,
        body: &Body<'_>,
        request: &Request,
        answer: Option<&Json<'_>>,
    ) -> Option<Expectation> {
        let (flow, at) = setting.contract.step_of(&operation.id)?;
        let step = &flow.steps[at];
        let Some(takes) = &step.takes else {
            let running = OpenFlow {
                said: said(operation, body),
                done: vec![operation.id.clone()],
            };
            for key in keys(step.issues.as_ref(), request, answer) {
                self.begun.insert((flow.name.clone(), key), running.clone());
            }
            return None;
        };
        let done = step.done_when.is_none() || is_right(setting, operation, body);
        let carried = body.iter().find(|(name, _)| name == takes)?.1.as_text();
        let key = (flow.name.clone(), carried.unwrap_or_default().to_owned());
        if let Some(running) = self.begun.get_mut(&key).filter(|_| done) {
            running.done.push(operation.id.clone());
        }
        let place = Place::of(["data", step.done_when.as_deref()?]);
        let rule = Rule::Value(place, Predicate::Is(Json::Bool(done)));
        Some(expect("ruling.10-wrong-otp", rule))
    }
}

/// What later steps may carry after this answer.
fn keys(issues: Option<&FlowKey>, request: &Request, answer: Option<&Json<'_>>) -> Vec<String> {
    match issues {
        None => Vec::new(),
        Some(FlowKey::Member(name)) => text(answer, &["data", name]).into_iter().collect(),
        Some(FlowKey::Verification) => {
            let reference = request.header("x-reference-id").map(str::to_owned);
            text(answer, &["verificationId"])
                .into_iter()
                .chain(reference)
                .collect()
        }
    }
}

/// Every field of a call with its value, defaults among them.
fn said(operation: &Operation, body: &Body<'_>) -> Vec<(String, Json<'static>)> {
    let value = |name: &str, presence: &Presence| {
        let sent = body.iter().find(|(known, _)| known == name);
        match (sent, presence) {
            (Some((_, value)), _) => Some(value.clone().into_owned()),
            (None, Presence::Default(value)) => Some(value.clone()),
            (None, _) => None,
        }
    };
    let fields = operation.request.iter();
    fields
        .filter_map(|field| Some((field.name.clone(), value(&field.name, &field.presence)?)))
        .collect()
}

/// Whether a call says one of the inputs that the specification lists as right for it.
fn is_right(setting: &Setting<'_>, operation: &Operation, body: &Body<'_>) -> bool {
    let mut inputs = setting.inputs.iter().filter(|input| !input.refutes);
    inputs.any(|input| {
        let completes = input.ending(operation) == Some(Ending::Completed);
        let field = input.field(setting.contract, operation);
        let sent = field.and_then(|field| {
            let (_, value) = body.iter().find(|(name, _)| *name == field.name)?;
            value.as_text()
        });
        completes && sent == Some(input.value.as_str())
    })
}
