//! Authentication: keys, environments, allowlist, rate limit.

use svc_fixtures::contract::{ErrorCode, Operation};

use super::entry::{Cases, Check, Stage};
use crate::capture::Credential;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};
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
        id: "authentication.built-in-keys",
        title: "Revoked, blocked and throttled keys behave as their names say",
        clauses: &[
            "auth.bad-key",
            "auth.allowlist",
            "auth.rotation",
            "errors.ip-not-allowed",
            "errors.rate-limited",
            "limits.rate-limit",
            "ruling.15-built-in-keys",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Once(built_in),
    },
    Check {
        id: "authentication.comes-first",
        title: "Who calls is looked at before what is called",
        clauses: &["ruling.06-order-of-checks"],
        stage: Stage::Refused,
        cases: Cases::Once(comes_first),
    },
];

/// A call that any working key could make.
fn any_call(setting: &Setting<'_>) -> Option<RequestTemplate> {
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
    let step = case.push(request);
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
    Some(setting.environments.iter().flat_map(case).collect())
}

fn unknown(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?.by(Credential::Unknown);
    let (name, code) = ("a key nobody has", ErrorCode::AuthInvalid);
    let case = refused(name, request, code, &["auth.bad-key"]);
    let on = |environment: &Environment| case.clone().on(*environment);
    Some(setting.environments.iter().map(on).collect())
}

fn other_environment(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?.by(Credential::OtherEnvironment);
    let case = |environment: &Environment| {
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
        refused(name, request.clone(), code, &clauses).on(*environment)
    };
    Some(setting.environments.iter().map(case).collect())
}

fn built_in(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?;
    let by = |name: &str| request.clone().by(Credential::BuiltIn(name.to_owned()));
    let ruled = "ruling.15-built-in-keys";
    let bad = ["auth.bad-key", ruled];
    let revoked = refused("revoked", by("revoked"), ErrorCode::AuthInvalid, &bad);
    let allowlist = ["auth.allowlist", "errors.ip-not-allowed", ruled];
    let blocked = refused(
        "blocked",
        by("blocked"),
        ErrorCode::IpNotAllowed,
        &allowlist,
    );
    let mut rotated = Case::new("rotated");
    for name in ["rotated", "rotated_old"] {
        let step = rotated.push(by(name));
        rotated.expect(step, "auth.rotation", Rule::Ends(Ending::Completed));
    }
    // More at once than the limit allows, however much of it earlier calls have used up.
    let mut throttled = Case {
        together: true,
        ..Case::new("throttled")
    };
    for _ in 0..6 {
        throttled.push(by("throttled"));
    }
    let limited = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
    let clauses = ["errors.rate-limited", "limits.rate-limit", ruled];
    throttled.expect_each(5, clauses, &limited);
    Some(
        [revoked, blocked, rotated, throttled]
            .map(Case::extension)
            .into(),
    )
}

fn comes_first(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let request = any_call(setting)?;
    let elsewhere = RequestTemplate {
        path: "/v1/no/such/path".to_owned(),
        ..request.clone()
    };
    let (nothing, invalid) = (Credential::Nothing, ErrorCode::AuthInvalid);
    let blocked = Credential::BuiltIn("blocked".to_owned());
    let case = |(name, request, credential, code): (&str, RequestTemplate, _, _)| {
        let clauses = ["ruling.06-order-of-checks"];
        refused(name, request.by(credential), code, &clauses).extension()
    };
    let calls = [
        (
            "no key, no such path",
            elsewhere.clone(),
            nothing.clone(),
            invalid,
        ),
        ("no key, no JSON", request.raw("{"), nothing, invalid),
        (
            "address not allowed, no such path",
            elsewhere,
            blocked,
            ErrorCode::IpNotAllowed,
        ),
    ];
    Some(calls.map(case).into())
}
