//! Authentication: keys, environments, allowlist, rate limit.

use svc_fixtures::contract::ErrorCode;

use super::entry::{Check, Stage, everywhere};
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
        run: missing,
    },
    Check {
        id: "authentication.unknown-key",
        title: "A key nobody has is refused",
        clauses: &["auth.bad-key"],
        stage: Stage::Refused,
        run: unknown,
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
        run: other_environment,
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
        run: built_in,
    },
    Check {
        id: "authentication.comes-first",
        title: "Who calls is looked at before what is called",
        clauses: &["ruling.06-order-of-checks"],
        stage: Stage::Refused,
        run: comes_first,
    },
];

/// A call that any working key could make.
fn any_call(setting: &Setting<'_>) -> Option<RequestTemplate> {
    let mut simple = setting
        .operations()
        .filter(|operation| operation.pending.is_none());
    let operation = simple.find(|operation| {
        setting
            .contract
            .step_of(&operation.id)
            .is_none_or(|(_, at)| at == 0)
    })?;
    Some(RequestTemplate::post(
        operation,
        sample::body(setting.contract, operation, Extent::Required),
    ))
}

fn refused(name: &str, request: RequestTemplate, code: ErrorCode, clauses: &[&str]) -> Case {
    let mut case = Case::new(name);
    let step = case.push(request);
    for clause in clauses {
        case.expect(step, *clause, Rule::Ends(Ending::Error(code)));
    }
    case
}

fn missing(setting: &Setting<'_>) -> Vec<Case> {
    let Some(request) = any_call(setting) else {
        return Vec::new();
    };
    let headers = [
        ("no header", None),
        ("an empty key", Some("Bearer ")),
        ("another scheme", Some("Basic c3ZjX3Rlc3Q6")),
        ("no scheme", Some("svc_test")),
    ];
    let clauses = ["auth.bearer", "errors.auth-invalid"];
    let case = |environment| {
        headers.map(|(name, value)| {
            let request = request
                .clone()
                .by(value.map_or(Credential::Nothing, |value| {
                    Credential::Header(value.to_owned())
                }));
            refused(name, request, ErrorCode::AuthInvalid, &clauses).on(environment)
        })
    };
    everywhere(setting).flat_map(case).collect()
}

fn unknown(setting: &Setting<'_>) -> Vec<Case> {
    let Some(request) = any_call(setting) else {
        return Vec::new();
    };
    let request = request.by(Credential::Unknown);
    let case = |environment| {
        refused(
            "a key nobody has",
            request.clone(),
            ErrorCode::AuthInvalid,
            &["auth.bad-key"],
        )
        .on(environment)
    };
    everywhere(setting).map(case).collect()
}

fn other_environment(setting: &Setting<'_>) -> Vec<Case> {
    let Some(request) = any_call(setting) else {
        return Vec::new();
    };
    let request = request.by(Credential::OtherEnvironment);
    let case = |environment| {
        let prefix = match environment {
            Environment::Test => "auth.live-key-prefix",
            Environment::Live => "auth.test-key-prefix",
        };
        let clauses = [
            "auth.wrong-environment",
            "errors.key-environment-mismatch",
            prefix,
        ];
        refused(
            "the other environment's key",
            request.clone(),
            ErrorCode::KeyEnvironmentMismatch,
            &clauses,
        )
        .on(environment)
    };
    everywhere(setting).map(case).collect()
}

fn built_in(setting: &Setting<'_>) -> Vec<Case> {
    let Some(request) = any_call(setting) else {
        return Vec::new();
    };
    let by = |name: &str| request.clone().by(Credential::BuiltIn(name.to_owned()));
    let ruled = "ruling.15-built-in-keys";
    let revoked = refused(
        "revoked",
        by("revoked"),
        ErrorCode::AuthInvalid,
        &["auth.bad-key", ruled],
    );
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
    for clause in ["errors.rate-limited", "limits.rate-limit", ruled] {
        throttled.expect(
            5,
            clause,
            Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited)),
        );
    }
    [revoked, blocked, rotated, throttled]
        .map(Case::extension)
        .into()
}

fn comes_first(setting: &Setting<'_>) -> Vec<Case> {
    let Some(request) = any_call(setting) else {
        return Vec::new();
    };
    let elsewhere = RequestTemplate {
        path: "/v1/no/such/path".to_owned(),
        ..request.clone()
    };
    let clauses = ["ruling.06-order-of-checks"];
    let without = |request: RequestTemplate| request.by(Credential::Nothing);
    let unknown = refused(
        "no key, no such path",
        without(elsewhere.clone()),
        ErrorCode::AuthInvalid,
        &clauses,
    );
    let body = refused(
        "no key, no JSON",
        without(request.raw("{")),
        ErrorCode::AuthInvalid,
        &clauses,
    );
    let address = elsewhere.by(Credential::BuiltIn("blocked".to_owned()));
    let address = refused(
        "address not allowed, no such path",
        address,
        ErrorCode::IpNotAllowed,
        &clauses,
    );
    [unknown, body, address].map(Case::extension).into()
}
