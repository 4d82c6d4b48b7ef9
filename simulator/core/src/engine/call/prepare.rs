//! Everything about a call that needs no state: parsed, routed, validated, matched to a scenario.
//! Runs outside any lock. A mistake found here still waits for the checks that come before it.

use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::{Kind, OperationIndex, Tries, unknown_members};
use svc_fixtures::json::Json;
use svc_fixtures::reading::nearest_sentence;

use super::bundle::{BundlePlan, plan_bundle};
use super::call_settings::UnknownMembers;
use super::idempotency;
use super::input;
use super::received::{NAMED_UNKNOWN_MEMBERS, received};
use super::request::{Body, Call, Credential, Environment, Header};
use super::route::{Target, dotted};
use super::rules::Rules;
use super::step_plan::{StepPlan, plan_step};
use crate::engine::state::flow::{FlowAdvance, StepOf};
use crate::engine::state::ids::{BodyDigest, Content, VerificationId};
use crate::engine::state::received::ReceivedRequest;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::usage::{self, Period};
use crate::engine::state::verification::Verification;
use crate::scenario::RequestContext;

/// A call as far as it can be known without the account's state.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// Where it came in.
    pub environment: Environment,
    /// Who sent it.
    pub peer: IpAddr,
    /// The key it presents.
    pub credential: Credential<'a>,
    /// What is called, dotted.
    pub endpoint: Arc<str>,
    /// The operation, where there is one of that path.
    pub operation: Option<OperationIndex>,
    /// Its `X-Reference-Id`.
    pub reference: Option<&'a str>,
    /// Its `Idempotency-Key`.
    pub idempotency_key: Option<&'a str>,
    /// All of it, for the call log.
    pub request: ReceivedRequest,
    /// What says whether another body is the same.
    pub body: BodyDigest,
    /// What its id is made from.
    pub content: Content,
    /// What it asks for, or why it asks for nothing.
    pub plan: Result<Plan<'a>, Rejection>,
    /// What it does to a flow, where it is refused because the secret that it tells is wrong.
    pub wrong_try: Option<FlowAdvance>,
    /// Whether there is room for what it leaves behind.
    pub room: Room,
    /// Whether it may be held back, where its outcome or another call makes it wait, or why not.
    pub delays: Result<(), Rejection>,
}

/// Whether there is room for what a call that is executed leaves behind, beside what other accounts have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// There is.
    Enough,
    /// What is pending in its account is as much as leaves enough for the others.
    None,
}

impl Prepared<'_> {
    /// The record of a call of which nothing was executed yet.
    pub(super) fn verification(&self, id: VerificationId, now: Timestamp) -> Verification {
        Verification {
            counted: self.operation.is_some(),
            reference: self.reference.map(Into::into),
            request: Some(self.request.clone()),
            ..Verification::new(id, Arc::clone(&self.endpoint), now)
        }
    }
}

/// What a call asks for.
#[derive(Debug)]
pub enum Plan<'a> {
    /// To run an operation: a plan of one step.
    Operation(StepPlan<'a>),
    /// To run several, one after the other.
    Bundle(BundlePlan<'a>),
    /// The newest envelope of this verification (ruling 27).
    LookUp(&'a str),
    /// What was spent in this period (ruling 27).
    Usage(Period),
}

/// Prepares a call of an account, at this time of the machine's clock.
#[must_use]
pub fn prepare<'a>(
    rules: &'a Rules,
    account: &'a str,
    credential: Credential<'a>,
    call: &'a Call<'a>,
    machine: Timestamp,
) -> Prepared<'a> {
    let target = rules.router.find(call.method, call.path);
    let operation = operation_of(&target);
    let endpoint = match rules.router.operation_at(call.path) {
        Some(operation) => rules.endpoint(operation),
        None => dotted(call.path).into(),
    };
    let reference = reference(call.headers.reference_id);
    let key = idempotency::key(call.headers.idempotency_key);
    let json = match target {
        Ok(Target::Operation(_) | Target::Bundle(_)) => Some(input::parse(
            call.headers.content_type,
            call.headers.content_encoding,
            call.body,
        )),
        _ => None,
    };
    let body = digest(&endpoint, call, json.as_ref());
    let reference_id = reference.clone().ok().flatten();
    let idempotency_key = key.clone().ok().flatten();
    let content = Content::of(
        &rules.seed,
        call.environment,
        account,
        body,
        idempotency_key,
        reference_id,
    );
    let around = RequestContext {
        account,
        environment: call.environment,
        reference_id,
        idempotency_key,
        content_type: call.headers.content_type.text(),
        headers: call.headers.all,
    };
    let read = json.as_ref().and_then(|json| json.as_ref().ok());
    let unknown = unknown_of(rules, &target, json.as_ref());
    let read = read.filter(|_| reference.is_ok() && key.is_ok());
    let wrong_try = read.and_then(|it| wrong_try(rules, operation?, it));
    let plan = target.and_then(|target| {
        let json = reference.and(key).map(|_| json).transpose();
        let plan = plan_target(rules, around, target, json, call.query, machine)?;
        // What is wrong with a field that there is came first: it is refused everywhere.
        refused_for(rules, &endpoint, target, &unknown).map_or(Ok(plan), Err)
    });
    Prepared {
        environment: call.environment,
        peer: call.peer,
        credential,
        endpoint,
        operation,
        reference: reference_id,
        idempotency_key,
        request: received(call, unknown),
        body,
        content,
        plan,
        wrong_try,
        room: Room::Enough,
        delays: Ok(()),
    }
}

fn operation_of(target: &Result<Target<'_>, Rejection>) -> Option<OperationIndex> {
    match target {
        Ok(Target::Operation(operation)) => Some(*operation),
        _ => None,
    }
}

/// Why members that no field names are refused, where they are.
fn refused_for(
    rules: &Rules,
    endpoint: &str,
    target: Target<'_>,
    unknown: &[String],
) -> Option<Rejection> {
    if rules.settings.unknown_members == UnknownMembers::Ignored {
        return None;
    }
    let first = unknown.first()?;
    let fields = match target {
        Target::Operation(at) => rules.contract.operations[at].request.clone(),
        Target::Bundle(at) => rules.contract.bundle_fields(&rules.contract.bundles[at]),
        Target::Verification(_) | Target::Usage => return None,
    };
    let hint = nearest_sentence(first, fields.iter().map(|field| field.name.as_str()));
    Some(Rejection::input(format!(
        "{first}: {endpoint} has no such field, and members that no field names are refused here; {hint}"
    )))
}

/// The members of a body that no field of the operation names, or of no step of the bundle.
fn unknown_of(
    rules: &Rules,
    target: &Result<Target<'_>, Rejection>,
    json: Option<&Result<Json<'_>, Rejection>>,
) -> Vec<String> {
    let (Ok(target), Some(Ok(json))) = (target, json) else {
        return Vec::new();
    };
    let members = json.as_object().unwrap_or_default();
    match *target {
        Target::Operation(operation) => {
            let fields = &rules.contract.operations[operation].request;
            let field = |name: &str| fields.iter().find(|field| field.name == name);
            unknown_members(members, field, NAMED_UNKNOWN_MEMBERS)
        }
        Target::Bundle(bundle) => {
            let row = &rules.contract.bundles[bundle];
            let (fields, steps) = (rules.contract.bundle_fields(row), &row.steps);
            // Where two steps need different values, the last part of a step's name stands before the field.
            let of_step = |step: &str| steps.iter().any(|it| it.rsplit('.').next() == Some(step));
            let field = |name: &str| {
                let own = name.split_once('.').filter(|(step, _)| of_step(step));
                let name = own.map_or(name, |(_, name)| name);
                fields.iter().find(|field| field.name == name)
            };
            unknown_members(members, field, NAMED_UNKNOWN_MEMBERS)
        }
        Target::Verification(_) | Target::Usage => Vec::new(),
    }
}

/// What a call does to a flow that is refused because the secret it tells is none of those that are right: all
/// else is as it should be.
fn wrong_try(rules: &Rules, operation: OperationIndex, json: &Json<'_>) -> Option<FlowAdvance> {
    let StepOf { flow, step } = rules.steps[operation.0]?;
    let flow = &rules.contract.flows[flow];
    let (step, row) = (&flow.steps[step], &rules.contract.operations[operation]);
    let Tries { field, .. } = step.tries.as_ref()?;
    let Kind::Text { format, one_of } = &row.request[row.field(field)?].kind else {
        return None;
    };
    let sent = json.get(field)?.as_text()?;
    let has_format = format.is_none_or(|at| rules.contract.formats[at.0].fits(sent));
    let right = one_of
        .first()
        .filter(|_| has_format && !one_of.iter().any(|it| it == sent))?;
    let members = json
        .as_object()?
        .iter()
        .map(|(name, value)| match **name == **field {
            true => (name.clone(), Json::from(right.as_str())),
            false => (name.clone(), value.clone()),
        });
    let otherwise = Json::Object(members.collect());
    row.check(&rules.contract, &otherwise).ok()?;
    Some(FlowAdvance {
        name: flow.name.as_str().into(),
        token: json.get(step.takes.as_ref()?)?.as_text()?.into(),
        operation: None,
    })
}

/// What says whether another call of this endpoint has the same body.
fn digest(
    endpoint: &str,
    call: &Call<'_>,
    json: Option<&Result<Json<'_>, Rejection>>,
) -> BodyDigest {
    match json {
        Some(Ok(json)) => BodyDigest::of_json(endpoint, json),
        _ => BodyDigest::of_bytes(endpoint, call.method, call.query, whole(call.body)),
    }
}

/// What of the body says which call this is. One that was not read to its end says nothing.
fn whole(body: Body<'_>) -> &[u8] {
    match body {
        Body::Whole(bytes) => bytes,
        Body::TooLarge | Body::Incomplete => b"",
    }
}

fn reference(header: Header<'_>) -> Result<Option<&str>, Rejection> {
    match (header, header.text()) {
        (Header::Absent, _) => Ok(None),
        (_, Some(text)) => Ok(Some(text)),
        (_, None) => Err(Rejection::input(
            "X-Reference-Id: must be sent once, as text in UTF-8 without control characters",
        )),
    }
}

/// What a call of this target asks for; its body only matters to an operation.
fn plan_target<'a>(
    rules: &'a Rules,
    around: RequestContext<'a>,
    target: Target<'a>,
    json: Option<Result<Result<Json<'a>, Rejection>, Rejection>>,
    query: &str,
    machine: Timestamp,
) -> Result<Plan<'a>, Rejection> {
    match target {
        Target::Verification(id) => Ok(Plan::LookUp(id)),
        Target::Usage => Ok(Plan::Usage(usage::period(query)?)),
        Target::Operation(operation) => {
            let json = json.expect("a body is parsed for every operation")??;
            Ok(Plan::Operation(plan_step(
                rules,
                around,
                operation,
                json,
                Some(machine),
            )?))
        }
        Target::Bundle(bundle) => {
            let json = json.expect("a body is parsed for every bundle")??;
            Ok(Plan::Bundle(plan_bundle(rules, around, bundle, json)?))
        }
    }
}
