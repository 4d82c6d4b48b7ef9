//! Validation, from the rows: for every operation and every field, each of its rules broken alone.

use svc_fixtures::contract::{Blame, ErrorCode, Operation};

use super::entry::{Check, Stage};
use crate::plan::broken::{self, Broken};
use crate::plan::sample::{self, Extent};
use crate::plan::{Ask, Case, Ending, Rule, Setting, set};
use svc_fixtures::json::Json;

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
    let case = |operation: &Operation, broken: Broken| {
        let mut case = Case::about(operation, &broken.name);
        case.push(Ask::post(operation, broken.body));
        let refused = Rule::Ends(Ending::Error(code));
        if !broken.ruled {
            case = case.expecting(said, refused.clone());
        }
        case.expecting(ruled, refused)
            .expecting("ruling.06-message", Rule::Mentions(broken.field))
    };
    let cases = |operation| {
        let broken = broken::all(setting.contract, operation).into_iter();
        broken
            .filter(|broken| broken.blame == blame)
            .map(|broken| case(operation, broken))
            .collect::<Vec<_>>()
    };
    setting.operations().flat_map(cases).collect()
}

/// A malformed identifier beside a field that breaks another rule.
fn input_first(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let all = broken::all(setting.contract, operation);
        let identifier = all
            .iter()
            .find(|broken| broken.blame == Blame::Identifier)?;
        let input = all
            .iter()
            .find(|broken| broken.blame == Blame::Input && broken.field != identifier.field)?;
        let mut body = identifier.body.clone();
        match input.body.iter().find(|(name, _)| *name == input.field) {
            Some((name, value)) => set(&mut body, name, value.clone()),
            None => body.retain(|(name, _)| *name != input.field),
        }
        let mut case = Case::about(
            operation,
            &format!("{} and {}", identifier.name, input.name),
        );
        case.push(Ask::post(operation, body));
        Some(case.expecting(
            "ruling.07-input-first",
            Rule::Ends(Ending::Error(ErrorCode::InvalidInput)),
        ))
    };
    setting.operations().filter_map(case).collect()
}

fn least(setting: &Setting<'_>) -> Vec<Case> {
    succeeding(setting, "wire.optional-headers", |operation| {
        sample::body(setting.contract, operation, Extent::Least)
    })
}

fn extra_fields(setting: &Setting<'_>) -> Vec<Case> {
    succeeding(setting, "ruling.07-extra-fields", |operation| {
        let mut body = sample::body(setting.contract, operation, Extent::Full);
        set(
            &mut body,
            "x-unknown",
            Json::Object(vec![("a".into(), Json::Null)]),
        );
        body
    })
}

/// The calls that lead to an operation, and the operation with another valid body.
fn succeeding(
    setting: &Setting<'_>,
    clause: &str,
    body: impl Fn(&Operation) -> crate::plan::Members,
) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "");
        let (carries, _) = sample::lead(&mut case, setting, operation);
        case.push(Ask {
            carries,
            ..Ask::post(operation, body(operation))
        });
        let success = Rule::Ends(Ending::success(operation));
        case.expecting(operation.clause.clone(), success.clone())
            .expecting(clause, success)
    };
    setting.operations().map(case).collect()
}
