//! Idempotency keys: replay, conflict, what is stored, and two at once.

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Check, Stage};
use crate::plan::{Case, Ending, Payload, RequestTemplate, Rule, Setting, lead};

const REPLAY: &str = "idempotent-replay";

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "idempotency.replay",
        title: "The same key with the same body gives the original answer, byte for byte",
        clauses: &["idempotency.replay", "ruling.19-replay-bytes"],
        stage: Stage::Sandbox,
        run: replay,
    },
    Check {
        id: "idempotency.replay-of-failures",
        title: "A retry with the key of a failed call gives the failure again",
        clauses: &["idempotency.replay", "ruling.19-what-is-stored"],
        stage: Stage::Sandbox,
        run: replay_of_failures,
    },
    Check {
        id: "idempotency.same-body",
        title: "The order of members and white space do not make another body",
        clauses: &["ruling.18-same-body"],
        stage: Stage::Sandbox,
        run: same_body,
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
        run: conflict,
    },
    Check {
        id: "idempotency.refusals-are-not-stored",
        title: "A refused call leaves its key free",
        clauses: &["ruling.19-what-is-stored"],
        stage: Stage::Sandbox,
        run: not_stored,
    },
    Check {
        id: "idempotency.concurrent",
        title: "Of calls at once with one key, one is executed",
        clauses: &["ruling.20-concurrent-duplicates"],
        stage: Stage::Sandbox,
        run: concurrent,
    },
    Check {
        id: "idempotency.keys",
        title: "A key is 1 to 255 printable characters",
        clauses: &["ruling.18-key-retention"],
        stage: Stage::Refused,
        run: keys,
    },
];

/// A key of this run and this case only.
fn key(setting: &Setting<'_>, about: &str, operation: &Operation) -> String {
    format!("{}-{about}-{}", setting.seed, operation.id)
}

/// Puts a key on a step.
fn put_key(case: &mut Case, step: usize, key: &str) -> RequestTemplate {
    case.change(step, |request| request.idempotency(key));
    case.steps[step].request.clone()
}

/// Adds a step that must be a replay of another, byte for byte.
fn replayed(case: &mut Case, request: RequestTemplate, first: usize) {
    let again = case.push(request);
    case.expect(again, "idempotency.replay", Rule::SameResult(first));
    case.expect(again, "idempotency.replay", Rule::SameEnding(first));
    case.expect(again, "ruling.19-replay-bytes", Rule::SameBytes(first));
    case.expect(
        again,
        "ruling.19-replay-bytes",
        Rule::Header(REPLAY, Some("true")),
    );
}

fn replay(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation| {
        let mut case = Case::about(operation, "");
        let first = lead::to_success(&mut case, setting, operation);
        let request = put_key(&mut case, first, &key(setting, "replay", operation));
        case.expect(
            first,
            "idempotency.replay",
            Rule::Ends(Ending::success(operation)),
        );
        case.expect(first, "ruling.19-replay-bytes", Rule::NoHeader(REPLAY));
        replayed(&mut case, request, first);
        case
    };
    setting.operations().map(case).collect()
}

fn replay_of_failures(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in setting.operations() {
        for row in super::errors::outcomes(setting) {
            let mut case = Case::about(operation, row.code.as_str()).extension();
            let Some(first) = lead::to_status(&mut case, setting, operation, row.status) else {
                continue;
            };
            let request = put_key(
                &mut case,
                first,
                &key(setting, row.code.as_str(), operation),
            );
            replayed(&mut case, request, first);
            cases.push(case.expecting("ruling.19-what-is-stored", Rule::SameBytes(first)));
        }
    }
    cases
}

fn same_body(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "");
        let body = sample::body(setting.contract, operation, Extent::All);
        let request = RequestTemplate::post(operation, body.clone()).idempotency(&key(
            setting,
            "same-body",
            operation,
        ));
        let first = case.push(request.clone());
        let members = body.as_object().unwrap_or_default().iter();
        let turned = Json::Object(members.rev().cloned().collect());
        let turned = turned.to_string().replacen('{', "{ \n\t", 1);
        case.push(request.raw(turned));
        case.expecting("ruling.18-same-body", Rule::SameBytes(first))
    };
    alone(setting).map(case).collect()
}

/// The operations that take nothing from an earlier call.
fn alone<'c>(setting: &Setting<'c>) -> impl Iterator<Item = &'c Operation> {
    let takes = |operation: &&Operation| {
        let step = setting.contract.step_of(&operation.id);
        step.is_some_and(|(flow, at)| flow.steps[at].takes.is_some())
    };
    setting
        .operations()
        .filter(|operation| !takes(operation))
        .collect::<Vec<_>>()
        .into_iter()
}

fn conflict(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation| {
        let mut case = Case::about(operation, "");
        let first = lead::to_success(&mut case, setting, operation);
        let request = put_key(&mut case, first, &key(setting, "conflict", operation));
        let other = case.push(another(setting, operation, &request));
        let refused = Rule::Ends(Ending::Error(ErrorCode::IdempotencyConflict));
        case.expect(other, "idempotency.conflict", refused.clone());
        case.expect(other, "errors.idempotency-conflict", refused);
        replayed(&mut case, request, first);
        case
    };
    setting.operations().map(case).collect()
}

/// The same call with another body that is valid, too.
fn another(
    setting: &Setting<'_>,
    operation: &Operation,
    request: &RequestTemplate,
) -> RequestTemplate {
    let mut other = request.clone();
    let plain = operation
        .identifiers()
        .map(|(_, field)| field)
        .find(|field| !setting.contract.carries(operation, field));
    if let Payload::Json(body) = &mut other.payload {
        let mut elsewhere = Case::new("");
        let fixed = plain.and_then(|_| lead::to_status(&mut elsewhere, setting, operation, 422));
        match fixed.map(|step| elsewhere.steps.swap_remove(step).request.payload) {
            Some(Payload::Json(changed)) => *body = changed,
            _ => body.set("another", Json::Bool(true)),
        }
    }
    other
}

fn not_stored(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "");
        let (carries, _) = lead::before(&mut case, setting, operation);
        let key = key(setting, "not-stored", operation);
        let refused =
            case.push(RequestTemplate::post(operation, Json::Object(Vec::new())).idempotency(&key));
        let clause = "ruling.19-what-is-stored";
        case.expect(
            refused,
            clause,
            Rule::Ends(Ending::Error(ErrorCode::InvalidInput)),
        );
        let body = sample::body(setting.contract, operation, Extent::All);
        case.push(RequestTemplate {
            carries,
            ..RequestTemplate::post(operation, body).idempotency(&key)
        });
        case.expecting(clause, Rule::Ends(Ending::success(operation)))
    };
    setting.operations().map(case).collect()
}

fn concurrent(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case {
            together: true,
            ..Case::about(operation, "")
        };
        let body = sample::body(setting.contract, operation, Extent::All);
        let request = RequestTemplate::post(operation, body).idempotency(&key(
            setting,
            "concurrent",
            operation,
        ));
        for _ in 0..4 {
            case.push(request.clone());
        }
        case.expecting("ruling.20-concurrent-duplicates", Rule::OneWithout(REPLAY))
    };
    alone(setting).map(case).collect()
}

fn keys(setting: &Setting<'_>) -> Vec<Case> {
    let Some(operation) = alone(setting).next() else {
        return Vec::new();
    };
    let refused = Ending::Error(ErrorCode::InvalidInput);
    let long = |length: usize| {
        let text = format!("{}-", setting.seed);
        text.chars()
            .chain(std::iter::repeat('k'))
            .take(length)
            .collect::<String>()
    };
    let endings = [
        ("empty", String::new(), refused),
        ("the longest", long(255), Ending::success(operation)),
        ("too long", long(256), refused),
    ];
    let case = |(name, key, ending): (&str, String, Ending)| {
        let mut case = Case::about(operation, name);
        let body = sample::body(setting.contract, operation, Extent::All);
        case.push(RequestTemplate::post(operation, body).idempotency(&key));
        case.expecting("ruling.18-key-retention", Rule::Ends(ending))
    };
    endings.into_iter().map(case).collect()
}
