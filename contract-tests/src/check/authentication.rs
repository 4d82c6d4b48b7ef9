//! Authentication: keys, environments, allowlist, rate limit.

use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::Json;

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
    let mut cases: Vec<_> = cases.collect();
    // Whose letters no key has: how it is refused is left open.
    let mut foreign = Case::new("a key with a letter outside ASCII");
    let foreign_key = Credential::Header("Bearer svc_test_caf\u{e9}".to_owned());
    foreign.push(any_call(setting)?.by(foreign_key));
    cases.push(foreign.expecting("auth.bad-key", Rule::Ends(Ending::Rejected)));
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
                let refused = Rule::fails(ErrorCode::InvalidInput);
                case.expecting("auth.rotation", Rule::Ends(Ending::Admitted))
                    .expecting("errors.invalid-input", refused)
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
        ("a full stop behind it", Mistake::Stopped),
        ("much more behind it", Mistake::MuchLonger),
        ("its end cut off", Mistake::Shorter),
        ("another last character", Mistake::OtherEnd),
        ("capitals for small letters", Mistake::OtherCase),
        ("hyphens for underscores", Mistake::Hyphens),
        ("another word behind it", Mistake::Followed),
        ("no scheme before it", Mistake::NoScheme),
        ("another scheme before it", Mistake::OtherScheme),
        ("the user of another scheme", Mistake::User),
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
