//! The steps of bundles, as calls of the operations that they run: rules are for these. An account of their own asks them,
//! so that what is counted of calls is counted of what was called.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Bundle, Contract, ErrorCode, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::bundle_data::{self, bundle};
use super::compare::MemberDifference;
use super::headers::IDEMPOTENCY_KEY;
use super::traffic::{Came, Enveloped, TrafficCall};

/// Puts behind every call of a bundle the steps that its answer tells, each once.
pub(super) fn unfold(contract: &Contract, calls: &mut Vec<TrafficCall>) {
    let lives = calls.iter().map(|call| call.life + 1).max().unwrap_or(0);
    let mut told = BTreeSet::new();
    let mut all = Vec::with_capacity(calls.len());
    for call in std::mem::take(calls) {
        let bundle = bundle(contract, &call);
        let steps = bundle.map(|bundle| steps(contract, bundle, &call));
        let account = call.life;
        all.push(call);
        for (id, mut step) in steps.into_iter().flatten() {
            if told.insert((account, id)) {
                step.life = lives + account;
                all.push(step);
            }
        }
    }
    *calls = all;
}

/// The steps of the call at this place, which stand behind it.
pub(super) fn of(calls: &[TrafficCall], at: usize) -> &[TrafficCall] {
    let behind = &calls[at + 1..];
    let count = behind.iter().take_while(|call| call.is_step).count();
    &behind[..count]
}

/// Which of a bundle's steps a member of its answer is about, and the member of that step.
pub(super) fn difference(
    contract: &Contract,
    call: &TrafficCall,
    steps: &[TrafficCall],
    difference: &MemberDifference,
) -> Option<(usize, String)> {
    let path = difference.path.strip_prefix("data.")?;
    let answer = if difference.of_result {
        call.result.as_ref()
    } else {
        call.answer()
    };
    let (answer, bundle) = (answer?, bundle(contract, call)?);
    let (at, path) = bundle_data::member(contract, bundle, answer.envelope.get("data")?, path)?;
    let told = told(contract, bundle, answer);
    let id = text(told.get(at)?, "verificationId");
    let is_it = |step: &TrafficCall| {
        step.answer()
            .is_some_and(|it| it.text("verificationId") == id)
    };
    Some((steps.iter().position(is_it)?, path))
}

/// What the answer to a bundle tells of its steps, in order, in the simulator's own form. Where a service does not say
/// how their verifications are called, they are called after the bundle's.
fn told(contract: &Contract, bundle: &Bundle, answer: &Enveloped) -> Vec<Json<'static>> {
    let data = answer.envelope.get("data");
    let mut steps = data.map_or_else(Vec::new, |data| bundle_data::steps(contract, bundle, data));
    for step in &mut steps {
        if text(step, "verificationId").is_empty() {
            let id = format!(
                "{}/{}",
                answer.text("verificationId"),
                text(step, "endpoint")
            );
            step.set("verificationId", Json::from(id));
        }
    }
    steps
}

fn text<'j>(step: &'j Json<'_>, name: &str) -> &'j str {
    step.get(name).and_then(Json::as_text).unwrap_or_default()
}

/// Each step as a call, and what its verification is called.
fn steps(contract: &Contract, bundle: &Bundle, call: &TrafficCall) -> Vec<(String, TrafficCall)> {
    let Some(first) = call.answer().filter(|_| !call.is_replay) else {
        return Vec::new();
    };
    let told = |answer: &Enveloped| told(contract, bundle, answer);
    let ended = call.result.as_ref().map_or(Vec::new(), told);
    let at_first = told(first);
    let waited = at_first
        .iter()
        .filter(|step| text(step, "status") == "pending");
    let only_one_waited = waited.count() == 1;
    let later = |step: &&Json<'static>| {
        let mut first = at_first.iter();
        first.all(|it| text(it, "verificationId") != text(step, "verificationId"))
    };
    let mut before: BTreeMap<&str, &Json<'static>> = BTreeMap::new();
    let mut found = Vec::new();
    for step in at_first.iter().chain(ended.iter().filter(later)) {
        let id = text(step, "verificationId");
        let mut ends = ended.iter().filter(|end| text(end, "status") != "pending");
        let end = ends.find(|end| text(end, "verificationId") == id);
        let is_later = text(step, "status") == "pending";
        let endpoint = text(step, "endpoint");
        let operation = contract
            .operation_index(endpoint)
            .filter(|_| !id.is_empty());
        let body = operation.and_then(|at| body(contract, bundle, at, call, &before));
        if let Some(data) = end.unwrap_or(step).get("data") {
            before.insert(endpoint, data);
        }
        let (Some(operation), Some(body)) = (operation, body) else {
            continue;
        };
        let enveloped = |step: &Json<'static>| enveloped(contract, operation, step, first);
        let mut asked = TrafficCall {
            path: sample::path(&contract.operations[operation]),
            body: body.to_string().into_bytes(),
            json: body,
            operation: Some(operation),
            came: Came::Answer(enveloped(step)),
            result: end.filter(|_| is_later).map(enveloped),
            after_ms: call.after_ms.filter(|_| is_later && only_one_waited),
            // Of the time that a bundle took nobody knows whose it was.
            took_ms: 0,
            is_step: true,
            ..call.clone()
        };
        asked.headers.remove(IDEMPOTENCY_KEY);
        found.push((id.to_owned(), asked));
    }
    found
}

/// What a step is given: by the body of the bundle, and by the answers of the steps before it.
fn body(
    contract: &Contract,
    bundle: &Bundle,
    operation: OperationIndex,
    call: &TrafficCall,
    before: &BTreeMap<&str, &Json<'static>>,
) -> Option<Json<'static>> {
    let row = &contract.operations[operation];
    let mut members = row.given_by_bundle(&call.json);
    for carry in bundle.carries.iter().filter(|it| it.step == row.id) {
        if members.iter().all(|(name, _)| *name != carry.field) {
            let taken = before
                .get(carry.from.as_str())
                .and_then(|data| carry.taken(data))?;
            members.push((carry.field.clone().into(), taken.clone()));
        }
    }
    Some(Json::Object(members).into_owned())
}

/// A step as an answer of its own, made when the bundle's was.
fn enveloped(
    contract: &Contract,
    operation: OperationIndex,
    step: &Json<'static>,
    of_bundle: &Enveloped,
) -> Enveloped {
    let mut members: Vec<_> = step.as_object().unwrap_or_default().to_vec();
    let meta = of_bundle.envelope.get("meta");
    members.extend(meta.map(|meta| ("meta".into(), meta.clone())));
    let mut answer = Enveloped {
        status: 200,
        envelope: Json::Object(members),
    };
    let pending = contract.operations[operation].pending.as_ref();
    if let Some(code) = answer.code().and_then(ErrorCode::parse) {
        answer.status = contract.error(code).status;
    } else if let (Some(pending), "pending") = (pending, answer.text("status")) {
        answer.status = pending.status;
    }
    answer
}
