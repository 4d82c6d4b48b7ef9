//! Idempotency keys: replay, conflict, what is stored, and two at once.

use std::collections::BTreeMap;

use svc_fixtures::contract::{ErrorCode, ErrorRow, Operation, Presence};
use svc_fixtures::json::Json;

use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use crate::capture::Credential;
use crate::plan::{Case, Ending, Payload, RequestTemplate, Rule, Setting, lead};
use svc_fixtures::sample::{self, Extent};

/// The header of a replay.
pub(super) const REPLAY: &str = "idempotent-replay";

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "idempotency.replay",
        title: "The same key with the same body gives the original answer, byte for byte, to whom it was given",
        clauses: &[
            "idempotency.replay",
            "ruling.19-replay-bytes",
            "auth.bad-key",
            "auth.bearer",
        ],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(replay),
    },
    Check {
        id: "idempotency.replay-of-failures",
        title: "A retry with the key of a failed call gives the failure again",
        clauses: &["idempotency.replay", "ruling.19-what-is-stored"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(replay_of_failures),
    },
    Check {
        id: "idempotency.replay-of-no-record",
        title: "A retry with the key of a call that found no record gives that again, and another body is a conflict",
        clauses: &["idempotency.replay", "idempotency.conflict"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(replay_of_no_record),
    },
    Check {
        id: "idempotency.other-reference",
        title: "A retry is one whatever reference it has, and however its type is written",
        clauses: &["idempotency.replay"],
        stage: Stage::Sandbox,
        cases: Cases::Once(other_reference),
    },
    Check {
        id: "idempotency.other-operation",
        title: "The key of one operation gives no other one its answer",
        clauses: &["envelope.endpoint"],
        stage: Stage::Sandbox,
        cases: Cases::Once(other_operation),
    },
    Check {
        id: "idempotency.same-body",
        title: "The order of members and white space do not make another body",
        clauses: &["ruling.18-same-body"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(same_body),
    },
    Check {
        id: "idempotency.conflict",
        title: "The same key with another body is a conflict, and the first call stays what it was",
        clauses: &[
            "idempotency.conflict",
            "errors.idempotency-conflict",
            "idempotency.replay",
        ],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(conflict),
    },
    Check {
        id: "idempotency.refusals-are-not-stored",
        title: "A refused call leaves its key free",
        clauses: &["ruling.19-what-is-stored"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(not_stored),
    },
    Check {
        id: "idempotency.concurrent",
        title: "Of calls at once with one key, one is executed",
        clauses: &["ruling.20-concurrent-duplicates"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(concurrent),
    },
    Check {
        id: "idempotency.keys",
        title: "A key is 1 to 255 printable characters",
        clauses: &["ruling.18-key-retention"],
        stage: Stage::Refused,
        cases: Cases::Once(keys),
    },
];

/// A key of this run and this case only.
fn key(setting: &Setting<'_>, about: &str, operation: &Operation) -> String {
    format!("{}-{about}-{}", setting.seed, operation.id)
}

/// Adds a step that must be a replay of another, byte for byte.
fn replayed(case: &mut Case, first: usize) {
    let again = case.push_again(first);
    for rule in [Rule::SameResult(first), Rule::SameEnding(first)] {
        case.expect(again, "idempotency.replay", rule);
    }
    let header = Rule::Header(REPLAY, Some("true"));
    for rule in [Rule::SameBytes(first), header] {
        case.expect(again, "ruling.19-replay-bytes", rule);
    }
}

fn replay(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let first = lead::to_success(&mut case, setting, operation);
    let key = key(setting, "replay", operation);
    case.change(first, |request| {
        let request = request.idempotency(&key);
        request.header("x-reference-id", REFERENCE)
    });
    case.expect(first, "idempotency.replay", Rule::succeeds(operation));
    case.expect(first, "ruling.19-replay-bytes", Rule::NoHeader(REPLAY));
    replayed(&mut case, first);
    // Who calls is looked at before what is kept: under a key, and of what was asked before.
    let keyed = case.steps[first].request.clone().by(Credential::Unknown);
    let mut bare = keyed.clone().by(Credential::Nothing);
    bare.headers.retain(|(name, _)| name == "content-type");
    // What is carried may be used up by then.
    let bare = Some(bare).filter(|it| it.carries.is_empty());
    let strangers = [("auth.bad-key", Some(keyed)), ("auth.bearer", bare)];
    for (clause, request) in strangers {
        let Some(request) = request else { continue };
        let refused = case.push(request);
        case.expect(refused, clause, Rule::fails(ErrorCode::AuthInvalid));
    }
    Some(vec![case])
}

fn replay_of_failures(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let case = |row: &ErrorRow| {
        let name = row.code.as_str();
        let mut case = Case::about(operation, name).extension();
        let first = lead::to_status(&mut case, setting, operation, row.status)?;
        let key = key(setting, name, operation);
        case.change(first, |request| request.idempotency(&key));
        replayed(&mut case, first);
        Some(case.expecting("ruling.19-what-is-stored", Rule::SameBytes(first)))
    };
    Some(super::errors::outcomes(setting).filter_map(case).collect())
}

/// Of the inputs that the specification itself fixes.
fn replay_of_no_record(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let none = Ending::Error(ErrorCode::NoRecordFound);
    let mut inputs = setting.inputs.iter();
    let (input, field) = inputs.find_map(|input| {
        let field = input.field(setting.contract, operation)?;
        (input.ending(operation) == Some(none)).then_some((input, field))
    })?;
    let mut case = Case::about(operation, &input.value);
    let first = lead::to_input(&mut case, setting, operation, field, input);
    let key = key(setting, "no-record", operation);
    case.change(first, |request| request.idempotency(&key));
    case.expect(first, "idempotency.replay", Rule::Ends(none));
    replayed(&mut case, first);
    // Another body is another one whatever came of the first.
    let other = lead::sample_call(setting, operation).idempotency(&key);
    if other.payload != case.steps[first].request.payload {
        case.push(other);
        let conflict = Rule::fails(ErrorCode::IdempotencyConflict);
        case = case.expecting("idempotency.conflict", conflict);
    }
    Some(vec![case])
}

fn other_reference(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = setting.operations();
    let of = |it| keyed(setting, "other-reference", it);
    let (operation, call) = operations.find_map(|it| Some((it, of(it)?)))?;
    let mut case = Case::about(operation, "");
    let first = case.push(call.clone().header("x-reference-id", "the-first"));
    case.expect(first, "idempotency.replay", Rule::succeeds(operation));
    let referenced = case.push(call.clone().header("x-reference-id", REFERENCE));
    let written = case.push(call.header("content-type", "application/json; charset=utf-8"));
    for again in [referenced, written] {
        for rule in [Rule::SameResult(first), Rule::SameEnding(first)] {
            case.expect(again, "idempotency.replay", rule);
        }
    }
    Some(vec![case])
}

/// One key and one body at all operations that take its members. Whether that is a conflict is not specified: every
/// answer is its own operation's.
fn other_operation(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let alone = |it: &&Operation| keyed(setting, "", it).is_some();
    let mut alike: BTreeMap<Vec<&str>, Vec<&Operation>> = BTreeMap::new();
    for operation in setting.operations().filter(alone) {
        let fields = operation.request.iter();
        let required = fields.filter(|field| field.presence == Presence::Required);
        let mut names: Vec<_> = required.map(|field| field.name.as_str()).collect();
        names.sort_unstable();
        alike.entry(names).or_default().push(operation);
    }
    let pairs = alike.into_values().flat_map(|them| {
        let firsts = them.clone().into_iter();
        firsts.flat_map(move |one| them.clone().into_iter().map(move |other| (one, other)))
    });
    let case = |(one, other): (&Operation, &Operation)| {
        let key = format!("{}-{}", key(setting, "other-operation", one), other.id);
        let body = sample::body(setting.contract, one, Extent::Required);
        let mut case = Case::about(one, &format!("then {}", other.id));
        for operation in [one, other] {
            case.push(RequestTemplate::post(operation, body.clone()).idempotency(&key));
        }
        case
    };
    let pairs = pairs.filter(|(one, other)| one.id != other.id);
    Some(pairs.map(case).collect())
}

fn same_body(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let request = keyed(setting, "same-body", operation)?;
    let first = case.push(request.clone());
    let Payload::Json(body) = &request.payload else {
        return None;
    };
    let members = body.as_object().unwrap_or_default().iter();
    let turned = Json::Object(members.rev().cloned().collect());
    let turned = turned.to_string().replacen('{', "{ \n\t", 1);
    case.push(request.raw(turned));
    Some(vec![
        case.expecting("ruling.18-same-body", Rule::SameBytes(first)),
    ])
}

/// The call of an operation under a key of its own; none where it takes anything from a call before.
pub(super) fn keyed(
    setting: &Setting<'_>,
    about: &str,
    operation: &Operation,
) -> Option<RequestTemplate> {
    let step = setting.contract.step_of(&operation.id);
    if step.is_some_and(|(flow, at)| flow.steps[at].takes.is_some()) {
        return None;
    }
    let key = key(setting, about, operation);
    Some(lead::sample_call(setting, operation).idempotency(&key))
}

fn conflict(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let first = lead::to_success(&mut case, setting, operation);
    let key = key(setting, "conflict", operation);
    case.change(first, |request| request.idempotency(&key));
    let other = another(setting, operation, &case.steps[first].request);
    let other = case.push(other.header("x-reference-id", REFERENCE));
    let clauses = ["idempotency.conflict", "errors.idempotency-conflict"];
    let strict = setting.by_rulings() || !has_unknown(&case.steps[other].request);
    let refused = match strict {
        true => Rule::fails(ErrorCode::IdempotencyConflict),
        // Whether a member that no row names is taken is said nowhere.
        false => Rule::Ends(Ending::Rejected),
    };
    case.expect_each(other, clauses, &refused);
    replayed(&mut case, first);
    Some(vec![case])
}

/// A member that no row names.
const UNKNOWN: &str = "another";

fn has_unknown(request: &RequestTemplate) -> bool {
    matches!(&request.payload, Payload::Json(body) if body.get(UNKNOWN).is_some())
}

/// Another text of the format of an identifier, where nothing carries that.
fn edge(
    setting: &Setting<'_>,
    operation: &Operation,
    request: &RequestTemplate,
) -> Option<(String, String)> {
    let Payload::Json(body) = &request.payload else {
        return None;
    };
    operation.identifiers().find_map(|(_, field)| {
        let sent = body.get(&field.name)?.as_text()?;
        let format = setting.contract.format_of(&field.kind)?;
        let other = format.edges.iter().find(|text| *text != sent)?;
        let carried = setting.contract.carries(operation, field);
        (!carried).then(|| (field.name.clone(), other.clone()))
    })
}

/// The same call with another body that is valid, too.
pub(super) fn another(
    setting: &Setting<'_>,
    operation: &Operation,
    request: &RequestTemplate,
) -> RequestTemplate {
    let mut other = request.clone();
    // What ends in a status is well formed by our formats; one of theirs may be narrower.
    if !setting.by_rulings()
        && let Some((field, text)) = edge(setting, operation, request)
        && let Payload::Json(body) = &mut other.payload
    {
        body.set(field, Json::from(text));
        return other;
    }
    let mut identifiers = operation.identifiers();
    let plain = identifiers.any(|(_, field)| !setting.contract.carries(operation, field));
    if let Payload::Json(body) = &mut other.payload {
        let mut elsewhere = Case::new("");
        let fixed = match plain {
            true => lead::to_status(&mut elsewhere, setting, operation, 422),
            false => None,
        };
        match fixed.map(|step| elsewhere.steps.swap_remove(step).request.payload) {
            Some(Payload::Json(changed)) => *body = changed,
            _ => body.set(UNKNOWN, Json::Bool(true)),
        }
    }
    other
}

fn not_stored(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let (carries, _) = lead::before(&mut case, setting, operation);
    let key = key(setting, "not-stored", operation);
    let empty = RequestTemplate::post(operation, Json::Object(Vec::new()));
    let refused = case.push(empty.idempotency(&key));
    let clause = "ruling.19-what-is-stored";
    case.expect(refused, clause, Rule::fails(ErrorCode::InvalidInput));
    let call = lead::sample_call(setting, operation).carrying(carries);
    case.push(call.idempotency(&key));
    Some(vec![case.expecting(clause, Rule::succeeds(operation))])
}

fn concurrent(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    let request = keyed(setting, "concurrent", operation)?;
    for _ in 0..4 {
        case.push(request.clone());
    }
    case.send_together(0);
    let one = Rule::OneWithout(REPLAY);
    let case = case.expecting("ruling.20-concurrent-duplicates", one);
    let case = case.expecting("idempotency.replay", Rule::OneId);
    // A conflict is another body's, and a body that one is executed with is right.
    let conflict = Ending::Error(ErrorCode::IdempotencyConflict);
    let case = case.expecting("idempotency.conflict", Rule::NoneEnds(conflict));
    let clause = "idempotency.replay";
    let failed = Ending::Error(ErrorCode::InternalError);
    let case = case.expecting(clause, Rule::NoneEnds(failed));
    let malformed = Rule::NoneEnds(Ending::Malformed);
    Some(vec![case.expecting(clause, malformed)])
}

fn keys(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = setting.operations();
    let (operation, call) = operations.find_map(|it| Some((it, keyed(setting, "", it)?)))?;
    let refused = || Rule::fails(ErrorCode::InvalidInput);
    let long = |length| format!("{:k<length$}", format!("{}-", setting.seed));
    let keys = [
        ("empty", String::new(), refused()),
        ("the longest", long(255), Rule::succeeds(operation)),
        ("too long", long(256), refused()),
    ];
    let case = |(name, key, rule): (&str, String, Rule)| {
        let mut case = Case::about(operation, name);
        case.push(call.clone().key(key));
        case.expecting("ruling.18-key-retention", rule)
    };
    Some(keys.map(case).into())
}
