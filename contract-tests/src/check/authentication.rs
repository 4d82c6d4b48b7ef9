//! Authentication: keys, environments, allowlist, rate limit.

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::bundle_bodies::success;
use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use crate::capture::{Credential, KeyKind, Misplaced, Mistake};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, USAGE};
use svc_fixtures::contract::Environment;
use svc_fixtures::sample::{self, Extent};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "authentication.missing",
        title: "A call without a usable key is refused",
        clauses: &["auth.bearer", "errors.auth-invalid"],
        stage: Stage::Refused,
        cases: Cases::Once(missing),
    },
    Check {
        id: "authentication.unknown-key",
        title: "A key nobody has is refused",
        clauses: &["auth.bad-key"],
        stage: Stage::Refused,
        cases: Cases::Once(unknown),
    },
    Check {
        id: "authentication.mistyped-key",
        title: "A key with a mistake in it is no key",
        clauses: &["auth.bad-key", "errors.auth-invalid"],
        stage: Stage::Refused,
        cases: Cases::Once(mistyped),
    },
    Check {
        id: "authentication.everywhere",
        title: "Every operation asks for a key, and for its own environment's, and takes one that was replaced within a day",
        clauses: &["auth.bearer", "auth.bad-key", "auth.wrong-environment"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(everywhere),
    },
    Check {
        id: "authentication.key-of-live",
        title: "No operation of the sandbox takes a key of live",
        clauses: &["auth.wrong-environment"],
        stage: Stage::Refused,
        cases: Cases::PerOperation(key_of_live),
    },
    Check {
        id: "authentication.other-environment",
        title: "A key works in its own environment only",
        clauses: &[
            "auth.test-key-prefix",
            "auth.live-key-prefix",
            "auth.wrong-environment",
            "errors.key-environment-mismatch",
        ],
        stage: Stage::Refused,
        cases: Cases::Once(other_environment),
    },
    Check {
        id: "authentication.other-keys",
        title: "Revoked, rotated, blocked and limited keys behave as they are to",
        clauses: &[
            "auth.bad-key",
            "auth.allowlist",
            "auth.rotation",
            "billing.sandbox-free",
            "errors.auth-invalid",
            "errors.ip-not-allowed",
            "errors.rate-limited",
            "limits.rate-limit",
            "limits.rotated-key",
            "ruling.15-built-in-keys",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Once(other_keys),
    },
];

/// A call that any working key could make.
pub(super) fn any_call(setting: &Setting<'_>) -> Option<RequestTemplate> {
    let first = |operation: &Operation| {
        let step = setting.contract.step_of(&operation.id);
        step.is_none_or(|(_, at)| at == 0)
    };
    let mut operations = setting.operations();
    let operation = operations.find(|it| it.pending.is_none() && first(it))?;
    let body = sample::body(setting.contract, operation, Extent::Required);
    Some(RequestTemplate::post(operation, body))
}

fn refused(name: &str, request: RequestTemplate, code: ErrorCode, clauses: &[&str]) -> Case {
    let mut case = Case::new(name);
    let step = case.push(request.header("x-reference-id", REFERENCE));
    case.expect_each(step, clauses.iter().copied(), &Rule::fails(code));
    case
}

fn missing(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?;
    let header = |value: &str| Credential::Header(value.to_owned());
    let credentials = [
        ("no header", Credential::Nothing),
        ("an empty key", header("Bearer ")),
        ("another scheme", header("Basic c3ZjX3Rlc3Q6")),
        ("no scheme", header("svc_test")),
    ];
    let clauses = ["auth.bearer", "errors.auth-invalid"];
    let case = |environment: &Environment| {
        credentials.clone().map(|(name, credential)| {
            let request = request.clone().by(credential);
            refused(name, request, ErrorCode::AuthInvalid, &clauses).on(*environment)
        })
    };
    let misplaced = |environment: &Environment| {
        let places = [
            ("the key in another header", Misplaced::OtherHeader),
            ("the key in the query", Misplaced::Query),
        ];
        // What stands in a URL stands in logs: a key of live does not go there.
        let open = match environment {
            Environment::Test => &places[..],
            Environment::Live => &places[..1],
        };
        let case = |(name, place): &(&str, Misplaced)| {
            let request = request.clone().by(Credential::Misplaced(*place));
            refused(name, request, ErrorCode::AuthInvalid, &clauses).on(*environment)
        };
        open.iter().map(case).collect::<Vec<_>>()
    };
    let usage = |environment: &Environment| {
        let request = RequestTemplate::get(USAGE).by(Credential::Nothing);
        refused(
            "no header, the usage",
            request,
            ErrorCode::AuthInvalid,
            &clauses,
        )
        .on(*environment)
    };
    let environments = setting.environments.iter();
    let cases = environments.clone().flat_map(case);
    let cases = cases.chain(environments.clone().flat_map(misplaced));
    Some(cases.chain(environments.map(usage)).collect())
}

fn unknown(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?.by(Credential::Unknown);
    // Who has no key is not told which fields a call has, or whether its source is there.
    let mut operations = setting.operations();
    let down = operations.find_map(|operation| {
        let call = RequestTemplate::post(operation, free_body(setting, operation)?);
        Some(call.by(Credential::Unknown))
    });
    let asked = [
        ("a key nobody has", Some(request.clone())),
        ("a key nobody has, and no field", Some(request.raw("{}"))),
        ("a key nobody has, and a source that is down", down),
    ];
    let asked = asked
        .into_iter()
        .filter_map(|(name, call)| Some((name, call?)));
    let cases = asked
        .map(|(name, request)| refused(name, request, ErrorCode::AuthInvalid, &["auth.bad-key"]));
    let cases: Vec<_> = cases.collect();
    let environments = setting.environments.iter().copied();
    let on = |environment: Environment| {
        let cases = cases.clone().into_iter();
        cases.map(move |case| case.on(environment))
    };
    Some(environments.flat_map(on).collect())
}

/// Without a key on live, and with the sandbox's; with one that nobody has on the sandbox.
fn everywhere(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let body = sample::body(setting.contract, operation, Extent::Required);
    let case = |environment: &Environment| {
        let (clause, credential) = match environment {
            Environment::Test => ("auth.bad-key", Credential::Unknown),
            Environment::Live => ("auth.bearer", Credential::Nothing),
        };
        let mut case = Case::about(operation, "").on(*environment);
        case.push(RequestTemplate::post(operation, body.clone()).by(credential));
        case.expecting(clause, Rule::fails(ErrorCode::AuthInvalid))
    };
    let mut cases: Vec<_> = setting.environments.iter().map(case).collect();
    // A key that was replaced within a day is refused nowhere; the call is, for what it lacks, and costs nothing.
    let rotated = |environment: &&Environment| setting.has_key(**environment, KeyKind::Rotated);
    cases.extend(
        setting
            .environments
            .iter()
            .filter(rotated)
            .map(|environment| {
                let mut case = Case::about(operation, "a rotated key").on(*environment);
                let empty = RequestTemplate::post(operation, Json::Object(Vec::new()));
                case.push(empty.by(Credential::Given(KeyKind::Rotated)));
                case.expecting("auth.rotation", Rule::fails(ErrorCode::InvalidInput))
            }),
    );
    if setting.environments.contains(&Environment::Live) {
        let case = Case::about(operation, "the sandbox's key").on(Environment::Live);
        cases.push(mismatched(case, operation, body));
    }
    Some(cases)
}

fn key_of_live(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    if !setting.live() {
        return None;
    }
    let body = free_body(setting, operation)
        .unwrap_or_else(|| sample::body(setting.contract, operation, Extent::Required));
    let case = Case::about(operation, "").on(Environment::Test);
    Some(vec![mismatched(case, operation, body)])
}

fn mismatched(mut case: Case, operation: &Operation, body: Json<'static>) -> Case {
    let call = RequestTemplate::post(operation, body);
    case.push(call.by(Credential::OtherEnvironment));
    let refused = Rule::fails(ErrorCode::KeyEnvironmentMismatch);
    case.expecting("auth.wrong-environment", refused)
}

/// A body that takes the source down: even a service that lets a key of live in by mistake charges nothing for it.
fn free_body(setting: &Setting<'_>, operation: &Operation) -> Option<Json<'static>> {
    let (_, field) = operation.identifiers().next()?;
    let sentinel = &setting.contract.service.sentinel.text;
    let body = sample::body_with_text(setting.contract, operation, field, sentinel);
    Some(body)
}

fn mistyped(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?;
    let mistakes = [
        ("more behind it", Mistake::Longer),
        ("much more behind it", Mistake::MuchLonger),
        ("its end cut off", Mistake::Shorter),
        ("another last character", Mistake::OtherEnd),
        ("capitals for small letters", Mistake::OtherCase),
        ("hyphens for underscores", Mistake::Hyphens),
        ("another word behind it", Mistake::Followed),
        ("no scheme before it", Mistake::NoScheme),
        ("another scheme before it", Mistake::OtherScheme),
    ];
    let clauses = ["auth.bad-key", "errors.auth-invalid"];
    let cases = |environment: &Environment| {
        mistakes.map(|(name, mistake)| {
            let request = request.clone().by(Credential::Mistyped(mistake));
            refused(name, request, ErrorCode::AuthInvalid, &clauses).on(*environment)
        })
    };
    Some(setting.environments.iter().flat_map(cases).collect())
}

fn other_environment(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?;
    let case = |environment: &Environment| {
        let request = request.clone().by(Credential::OtherEnvironment);
        let clauses = [
            "auth.wrong-environment",
            "errors.key-environment-mismatch",
            match environment {
                Environment::Test => "auth.live-key-prefix",
                Environment::Live => "auth.test-key-prefix",
            },
        ];
        let (name, code) = (
            "the other environment's key",
            ErrorCode::KeyEnvironmentMismatch,
        );
        refused(name, request, code, &clauses).on(*environment)
    };
    let mut cases: Vec<_> = setting.environments.iter().map(case).collect();
    cases.extend(setting.environments.iter().map(|environment| {
        let request = RequestTemplate::get(USAGE).by(Credential::OtherEnvironment);
        let name = "the other environment's key, the usage";
        let clauses = ["auth.wrong-environment"];
        refused(name, request, ErrorCode::KeyEnvironmentMismatch, &clauses).on(*environment)
    }));
    cases.extend(setting.environments.iter().map(|environment| {
        let request = request.clone().by(Credential::UnknownElsewhere);
        let mut case = Case::new("a key that nobody has, as the other environment's begin");
        let step = case.push(request.header("x-reference-id", REFERENCE));
        // It is bad, and it is another environment's: either code is right.
        let either = Rule::Ends(Ending::Unauthorized);
        let clauses = ["auth.wrong-environment", "auth.bad-key"];
        case.expect_each(step, clauses, &either);
        case.on(*environment)
    }));
    Some(cases)
}

/// How many calls at once are more than the limit of a key that is given for it.
const MANY: usize = 30;

fn other_keys(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let call = any_call(setting)?;
    let environments = setting.environments.iter();
    let cases = environments.flat_map(|environment| {
        let has = |kind| setting.has_key(*environment, kind);
        let refuses = |kind| refused_everywhere(setting, &call, kind, *environment);
        let mut cases: Vec<_> = [
            has(KeyKind::Revoked).then(|| refuses(KeyKind::Revoked)),
            has(KeyKind::Expired).then(|| refuses(KeyKind::Expired)),
            has(KeyKind::Blocked).then(|| refuses(KeyKind::Blocked)),
            has(KeyKind::Rotated).then(|| {
                let refusal = ErrorCode::AuthInvalid;
                works(&call, KeyKind::Rotated, refusal, &ROTATED, *environment)
            }),
            has(KeyKind::Allowed).then(|| {
                let refusal = ErrorCode::IpNotAllowed;
                works(
                    &call,
                    KeyKind::Allowed,
                    refusal,
                    &["auth.allowlist"],
                    *environment,
                )
            }),
        ]
        .into_iter()
        .flatten()
        .collect();
        let on_sandbox = *environment == Environment::Test;
        cases.extend((on_sandbox && has(KeyKind::Poor)).then(|| poor(&call)));
        let limited = has(KeyKind::Limited);
        cases.extend(limited.then(|| limited_key(setting, &call, *environment)));
        cases.extend((limited && on_sandbox).then(|| limited_in_all(setting, &call)));
        let on = |case: Case| case.on(*environment);
        cases.into_iter().map(on)
    });
    let mut cases: Vec<_> = cases.collect();
    cases.push(new_key(&call));
    Some(cases)
}

/// What a key says that was rotated less than 24 hours ago.
const ROTATED: [&str; 2] = ["auth.rotation", "limits.rotated-key"];

/// Whatever is asked with it is refused: an operation, the usage and a bundle; on the sandbox, where nothing costs anything
/// though it be executed, every other operation, too.
fn refused_everywhere(
    setting: &Setting<'_>,
    call: &RequestTemplate,
    kind: KeyKind,
    environment: Environment,
) -> Case {
    let ruled = "ruling.15-built-in-keys";
    let (code, clauses) = match kind {
        KeyKind::Expired => (
            ErrorCode::AuthInvalid,
            ["auth.bad-key", "auth.rotation", "limits.rotated-key"],
        ),
        KeyKind::Blocked => (
            ErrorCode::IpNotAllowed,
            ["auth.allowlist", "errors.ip-not-allowed", ruled],
        ),
        _ => (
            ErrorCode::AuthInvalid,
            ["auth.bad-key", "errors.auth-invalid", ruled],
        ),
    };
    let mut case = Case::new(kind.name());
    let bundle = setting.contract.bundles.iter();
    // One that the service is known to have.
    let mut bundle = bundle.filter(|row| row.example.is_some() || setting.by_rulings());
    let bundle = bundle.find_map(|row| success(setting, row));
    let reading = RequestTemplate::get(USAGE);
    let all = setting
        .operations()
        .filter(|_| environment == Environment::Test);
    let all = all.map(|operation| {
        let body = sample::body(setting.contract, operation, Extent::Required);
        RequestTemplate::post(operation, body)
    });
    let others = all.filter(|other| other.path != call.path);
    let first = [call.clone(), reading].into_iter();
    for request in first.chain(bundle).chain(others) {
        let request = request.header("x-reference-id", REFERENCE);
        let step = case.push(request.by(Credential::Given(kind)));
        case.expect_each(step, clauses, &Rule::fails(code));
    }
    case
}

/// It works as others do, for reading, too; on live with a call that is refused for its fields, and so costs nothing.
fn works(
    call: &RequestTemplate,
    kind: KeyKind,
    refusal: ErrorCode,
    clauses: &[&str],
    environment: Environment,
) -> Case {
    let call = call.clone().by(Credential::Given(kind));
    let mut case = Case::new(kind.name());
    let (call, works) = match environment {
        Environment::Test => (call, Rule::Ends(Ending::Completed)),
        Environment::Live => (call.raw("{}"), Rule::fails(ErrorCode::InvalidInput)),
    };
    let step = case.push(call);
    case.expect_each(step, clauses.iter().copied(), &works);
    let read = case.push(RequestTemplate::get(USAGE).by(Credential::Given(kind)));
    let open = Rule::NoneEnds(Ending::Error(refusal));
    case.expect_each(read, clauses.iter().copied(), &open);
    case
}

/// What costs nothing needs no money.
fn poor(call: &RequestTemplate) -> Case {
    let mut case = Case::new("poor");
    case.push(call.clone().by(Credential::Given(KeyKind::Poor)));
    case.expecting("billing.sandbox-free", Rule::Ends(Ending::Completed))
}

/// The new key of the account whose old one is built in.
fn new_key(call: &RequestTemplate) -> Case {
    let mut case = Case::new("the key in place of the rotated one").extension();
    let key = Credential::BuiltIn("rotated".to_owned());
    case.push(call.clone().by(key));
    case.expecting("auth.rotation", Rule::Ends(Ending::Completed))
}

/// The limit is the key's: as many calls at once are too many, whatever each of them asks for.
fn limited_in_all(setting: &Setting<'_>, other: &RequestTemplate) -> Case {
    let mut case = Case::new("limited in all");
    // Of the one that is asked for elsewhere the limit may be reached alone.
    let is_other = |row: &Operation| sample::path(row) == other.path;
    let alone = setting
        .operations()
        .filter(|row| setting.contract.step_of(&row.id).is_none() && !is_other(row));
    for operation in alone.take(MANY) {
        let body = sample::body(setting.contract, operation, Extent::Required);
        let call = RequestTemplate::post(operation, body);
        case.push(call.by(Credential::Given(KeyKind::Limited)));
    }
    case.send_together(0);
    let some = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
    case.expecting("limits.rate-limit", some)
}

/// More at once than the limit allows, however much of it earlier calls have used up. Nobody else is limited. A
/// simulator looks at the limit before the fields; of others nobody knows, and on live a call that could cost something is
/// not made for it: there a refusal is only judged where it comes.
fn limited_key(setting: &Setting<'_>, call: &RequestTemplate, environment: Environment) -> Case {
    let mut case = Case::new("limited");
    let refused = call.clone().raw("{}");
    let free = environment == Environment::Test;
    let (many, call) = match setting.by_rulings() {
        true => (6, refused.clone()),
        false if free => (MANY, call.clone()),
        false => (MANY, refused.clone()),
    };
    let last = many - 1;
    for _ in 0..many {
        let call = call.clone().header("x-reference-id", REFERENCE);
        case.push(call.by(Credential::Given(KeyKind::Limited)));
    }
    case.send_together(0);
    let limited = match free || setting.by_rulings() {
        true => Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited)),
        false => Rule::Ends(Ending::NoFaultBut(ErrorCode::RateLimited)),
    };
    let limit = "limits.rate-limit";
    case.expect_each(
        last,
        ["errors.rate-limited", limit, "ruling.15-built-in-keys"],
        &limited,
    );
    let other = case.push(refused);
    case.expect(other, limit, Rule::fails(ErrorCode::InvalidInput));
    case
}
