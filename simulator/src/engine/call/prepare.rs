//! Everything about a call that needs no state: parsed, routed, validated, matched to a scenario.
//! Runs outside any lock. A mistake found here still waits for the checks that come before it.

use std::net::IpAddr;
use std::sync::Arc;

use svc_fixtures::json::Json;
use xxhash_rust::xxh3::Xxh3;

use super::authenticate::Credential;
use super::bundle::{self, BundleRun};
use super::input::{self, Input};
use super::request::{Body, Call, Environment, Header};
use super::response::Sources;
use super::route::{Target, dotted};
use super::rules::Rules;
use crate::engine::state::entry::SequenceKey;
use crate::engine::state::flow::StepOf;
use crate::engine::state::idempotency;
use crate::engine::state::ids::{BodyDigest, Content};
use crate::engine::state::rejection::Rejection;
use crate::engine::state::usage::{self, Period};
use crate::scenario::{Choice, MatchInput, OutcomeKind, RequestContext};

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
    pub operation: Option<usize>,
    /// Its `X-Reference-Id`.
    pub reference: Option<&'a str>,
    /// Its `Idempotency-Key`.
    pub idempotency_key: Option<&'a str>,
    /// What says whether another body is the same.
    pub body: BodyDigest,
    /// What its id is made from.
    pub content: Content,
    /// What it asks for, or why it asks for nothing.
    pub planned: Result<Planned<'a>, Rejection>,
    /// Whether there is room for it.
    pub room: Room,
}

/// Whether there is room for what a call that is executed leaves behind, whatever its own account has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// There is.
    Enough,
    /// What is pending in all accounts together leaves none.
    None,
}

impl Prepared<'_> {
    /// The same call, where there is so much room.
    #[must_use]
    pub fn in_room(self, room: Room) -> Self {
        Prepared { room, ..self }
    }
}

/// What a call asks for.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every call executes something: a box would cost each of them an allocation"
)]
pub enum Planned<'a> {
    /// To execute something.
    Execution(Execution<'a>),
    /// The newest envelope of this verification.
    Verification(&'a str),
    /// What was spent in this period.
    Usage(Period),
}

/// What is executed.
#[derive(Debug)]
pub enum Execution<'a> {
    /// An operation.
    Run(Run<'a>),
    /// A bundle of them.
    Bundle(BundleRun<'a>),
}

/// An operation to run.
#[derive(Debug)]
pub struct Run<'a> {
    /// Which.
    pub operation: usize,
    /// Its fields.
    pub input: Input<'a>,
    /// What it gets, and why.
    pub choice: Choice,
    /// Where it stands in a flow.
    pub step: Option<StepOf>,
    /// Whether what it gets is fixed by the carried identifier itself, which then need not have
    /// been issued.
    pub fixed: bool,
    /// Fields that must say what the flow's first call said, but for those that force an error.
    pub same: Vec<&'a str>,
    /// What tells the sequence it is a step of apart from others.
    pub sequence: Option<SequenceKey>,
    /// The printed `data`, where it depends on the request alone.
    pub draft: Option<Vec<u8>>,
}

impl std::fmt::Debug for Credential<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Credential")
    }
}

/// Prepares a call of an account.
#[must_use]
pub fn prepare<'a>(
    rules: &'a Rules,
    account: &'a str,
    credential: Credential<'a>,
    call: &'a Call<'a>,
) -> Prepared<'a> {
    let target = rules.router.find(call.method, call.path);
    let operation = match target {
        Ok(Target::Operation(operation)) => Some(operation),
        _ => None,
    };
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
    let body = match &json {
        Some(Ok(json)) => BodyDigest::of_json(&endpoint, json),
        _ => BodyDigest::of_bytes(&endpoint, call.method, call.query, whole(call.body)),
    };
    let (reference_id, idempotency_key) =
        (reference.clone().ok().flatten(), key.clone().ok().flatten());
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
    };
    let planned = target.and_then(|target| {
        let checked = reference.and(key);
        let json = checked.map(|_| json).transpose();
        plan(rules, around, target, json, call.query)
    });
    Prepared {
        environment: call.environment,
        peer: call.peer,
        credential,
        endpoint,
        operation,
        reference: reference_id,
        idempotency_key,
        body,
        content,
        planned,
        room: Room::Enough,
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
            "X-Reference-Id: must be sent once, as text without control characters",
        )),
    }
}

/// What a call of this target asks for; its body only matters to an operation.
fn plan<'a>(
    rules: &'a Rules,
    around: RequestContext<'a>,
    target: Target<'a>,
    json: Option<Result<Result<Json<'a>, Rejection>, Rejection>>,
    query: &str,
) -> Result<Planned<'a>, Rejection> {
    match target {
        Target::Verification(id) => Ok(Planned::Verification(id)),
        Target::Usage => Ok(Planned::Usage(usage::period(query)?)),
        Target::Operation(operation) => {
            let json = json.expect("a body is parsed for every operation")??;
            let run = run(rules, around, operation, json)?;
            Ok(Planned::Execution(Execution::Run(run)))
        }
        Target::Bundle(bundle) => {
            let json = json.expect("a body is parsed for every bundle")??;
            let run = bundle::plan(rules, around, bundle, json)?;
            Ok(Planned::Execution(Execution::Bundle(run)))
        }
    }
}

/// An operation with this body, checked and matched.
///
/// # Errors
/// The first mistake of the body.
pub fn run<'a>(
    rules: &'a Rules,
    around: RequestContext<'_>,
    operation: usize,
    json: Json<'a>,
) -> Result<Run<'a>, Rejection> {
    let row = &rules.contract.operations[operation];
    let input = Input::check(&rules.contract, row, &rules.sentinels(row), json)?;
    let choice = rules.scenarios.choose(
        &rules.contract,
        &MatchInput {
            operation,
            field: &|index| input.field(index),
            context: around,
        },
    );
    let step = rules.steps[operation];
    let fixed =
        step.is_some_and(|step| carried_is_fixed(rules, operation, around, step, &input, &choice));
    let same = step.map_or_else(Vec::new, |step| same(rules, step, &input, &choice));
    let sequence = sequence(rules, &input, &choice);
    // A call with a key may be a repeated one, and then nothing is printed.
    let draft = match around.idempotency_key {
        None => draft(rules, around.environment, operation, &input, &choice, step),
        Some(_) => None,
    };
    Ok(Run {
        operation,
        input,
        choice,
        step,
        fixed,
        same,
        sequence,
        draft,
    })
}

/// Whether the carried identifier is itself a fixed input: then it need not have been issued. It
/// is where the choice was made by it, or would have been with nothing else sent.
fn carried_is_fixed(
    rules: &Rules,
    operation: usize,
    around: RequestContext<'_>,
    step: StepOf,
    input: &Input<'_>,
    choice: &Choice,
) -> bool {
    let row = input.operation();
    let carried = crate::engine::state::flow::carried_field(&rules.contract, step);
    let Some(carried) = carried.and_then(|name| row.field(name)) else {
        return false;
    };
    let name = &row.request[carried].name;
    let alone = MatchInput {
        operation,
        field: &|index| input.field(index).filter(|_| index == carried),
        context: around,
    };
    made_by(rules, input, choice, name)
        || made_by(
            rules,
            input,
            &rules.scenarios.choose(&rules.contract, &alone),
            name,
        )
}

/// Whether the value of this field itself made the choice.
fn made_by(rules: &Rules, input: &Input<'_>, choice: &Choice, name: &str) -> bool {
    match choice {
        Choice::Sentinel { field, .. } => field == name,
        Choice::Scenario(number) => {
            let scenario = rules.scenarios.get(*number);
            scenario.names(input.operation(), name, &|index| input.field(index))
        }
        Choice::NoMatch => false,
    }
}

/// The fields that must say what the first call said. A value that forces an error is let through:
/// no first call could have said it.
fn same<'a>(rules: &'a Rules, step: StepOf, input: &Input<'_>, choice: &Choice) -> Vec<&'a str> {
    let names = &rules.contract.flows[step.flow].steps[step.step].same;
    let forces = match choice {
        Choice::Sentinel { .. } => true,
        Choice::Scenario(number) => {
            let first = rules.scenarios.get(*number).then.first();
            first.is_some_and(|outcome| !matches!(outcome.kind, OutcomeKind::Success(_)))
        }
        Choice::NoMatch => false,
    };
    let held = |name: &&str| !forces || !made_by(rules, input, choice, name);
    names.iter().map(String::as_str).filter(held).collect()
}

/// Sequences count by scenario and identifying fields only.
fn sequence(rules: &Rules, input: &Input<'_>, choice: &Choice) -> Option<SequenceKey> {
    let Choice::Scenario(number) = choice else {
        return None;
    };
    let scenario = rules.scenarios.get(*number);
    if scenario.then.len() < 2 {
        return None;
    }
    let mut hash = Xxh3::new();
    hash.update(scenario.because.as_bytes());
    for (field, text) in input.identifiers() {
        hash.update(&[0]);
        hash.update(input.operation().request[field].name.as_bytes());
        hash.update(&[0]);
        hash.update(text.as_bytes());
    }
    Some(SequenceKey(hash.digest128()))
}

/// Prints `data` here, outside the lock, where nothing but the request decides it.
fn draft(
    rules: &Rules,
    environment: Environment,
    operation: usize,
    input: &Input<'_>,
    choice: &Choice,
    step: Option<StepOf>,
) -> Option<Vec<u8>> {
    let patch = match choice {
        Choice::NoMatch => None,
        Choice::Scenario(number) => match rules.scenarios.get(*number).then.as_slice() {
            [outcome] => match outcome.kind {
                OutcomeKind::Success(patch) => patch,
                _ => return None,
            },
            _ => return None,
        },
        Choice::Sentinel { .. } => return None,
    };
    let answer = rules.answer(operation, patch);
    if step.is_some() || answer.needs_call() {
        return None;
    }
    let mut data = Vec::with_capacity(512);
    let verification = crate::engine::state::ids::VerificationId::NONE;
    answer.print(
        Sources {
            story: &rules.story,
            input,
            flow: None,
            verification,
            addresses: rules.addresses.of(environment),
            people: &rules.scenarios.people,
        },
        &mut data,
    );
    Some(data)
}
