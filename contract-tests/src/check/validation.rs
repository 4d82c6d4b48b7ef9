//! Validation, from the rows: for every operation and every field, each of its rules broken alone.

use svc_fixtures::contract::{Blame, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent, Violation};

use super::entry::{Check, Stage};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "validation.input",
        title: "A missing or malformed field is invalid input",
        clauses: &[
            "errors.invalid-input",
            "ruling.07-invalid-input",
            "ruling.06-message",
        ],
        stage: Stage::Refused,
        run: input,
    },
    Check {
        id: "validation.identifier",
        title: "An identifier of the wrong format is an invalid identifier",
        clauses: &[
            "errors.invalid-identifier",
            "ruling.07-invalid-identifier",
            "ruling.06-message",
        ],
        stage: Stage::Refused,
        run: identifier,
    },
    Check {
        id: "validation.input-first",
        title: "Where both stand the code is for invalid input",
        clauses: &["ruling.07-input-first"],
        stage: Stage::Refused,
        run: input_first,
    },
    Check {
        id: "validation.least",
        title: "What is optional may be left out",
        clauses: &["wire.optional-headers"],
        stage: Stage::Sandbox,
        run: least,
    },
    Check {
        id: "validation.extra-fields",
        title: "Unknown fields are ignored",
        clauses: &["ruling.07-extra-fields"],
        stage: Stage::Sandbox,
        run: extra_fields,
    },
];

fn input(setting: &Setting<'_>) -> Vec<Case> {
    of_blame(
        setting,
        Blame::Input,
        ErrorCode::InvalidInput,
        "errors.invalid-input",
        "ruling.07-invalid-input",
    )
}

fn identifier(setting: &Setting<'_>) -> Vec<Case> {
    let (said, ruled) = ("errors.invalid-identifier", "ruling.07-invalid-identifier");
    of_blame(
        setting,
        Blame::Identifier,
        ErrorCode::InvalidIdentifier,
        said,
        ruled,
    )
}

fn of_blame(
    setting: &Setting<'_>,
    blame: Blame,
    code: ErrorCode,
    said: &str,
    ruled: &str,
) -> Vec<Case> {
    let case = |operation: &Operation, violation: Violation| {
        let mut case = Case::about(operation, &violation.name());
        let mut body = sample::body(setting.contract, operation, Extent::All);
        violation.put_in(&mut body);
        case.push(RequestTemplate::post(operation, body));
        let refused = Rule::Ends(Ending::Error(code));
        if !violation.ruled {
            case = case.expecting(said, refused.clone());
        }
        case.expecting(ruled, refused)
            .expecting("ruling.06-message", Rule::Mentions(violation.field))
    };
    let cases = |operation| {
        let violations = violations(setting, operation).into_iter();
        let of_blame = violations.filter(|violation| violation.blame == blame);
        let cases = of_blame.map(|violation| case(operation, violation));
        cases.collect::<Vec<_>>()
    };
    setting.operations().flat_map(cases).collect()
}

/// Each rule of each field of an operation, broken alone.
fn violations(setting: &Setting<'_>, operation: &Operation) -> Vec<Violation> {
    let fields = operation.request.iter();
    fields
        .flat_map(|field| sample::violations(setting.contract, field))
        .collect()
}

/// A malformed identifier beside a field that breaks another rule.
fn input_first(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let all = violations(setting, operation);
        let of = |blame| all.iter().filter(move |violation| violation.blame == blame);
        let identifier = of(Blame::Identifier).next()?;
        let input = of(Blame::Input).find(|input| input.field != identifier.field)?;
        let mut body = sample::body(setting.contract, operation, Extent::All);
        identifier.put_in(&mut body);
        input.put_in(&mut body);
        let name = format!("{} and {}", identifier.name(), input.name());
        let mut case = Case::about(operation, &name);
        case.push(RequestTemplate::post(operation, body));
        Some(case.expecting(
            "ruling.07-input-first",
            Rule::Ends(Ending::Error(ErrorCode::InvalidInput)),
        ))
    };
    setting.operations().filter_map(case).collect()
}

fn least(setting: &Setting<'_>) -> Vec<Case> {
    succeeding(setting, "wire.optional-headers", |operation| {
        sample::body(setting.contract, operation, Extent::Required)
    })
}

fn extra_fields(setting: &Setting<'_>) -> Vec<Case> {
    succeeding(setting, "ruling.07-extra-fields", |operation| {
        let mut body = sample::body(setting.contract, operation, Extent::All);
        body.set("x-unknown", Json::object([("a", Json::Null)]));
        body
    })
}

/// The calls that lead to an operation, and the operation with another valid body.
fn succeeding(
    setting: &Setting<'_>,
    clause: &str,
    body: impl Fn(&Operation) -> Json<'static>,
) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "");
        let (carries, _) = lead::before(&mut case, setting, operation);
        case.push(RequestTemplate {
            carries,
            ..RequestTemplate::post(operation, body(operation))
        });
        let success = Rule::Ends(Ending::success(operation));
        case.expecting(operation.clause.clone(), success.clone())
            .expecting(clause, success)
    };
    setting.operations().map(case).collect()
}
