//! The envelope around results and refusals alike. What it must look like is judged of every answer
//! of every check; here are the calls that show each of its forms.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::entry::{Cases, Check, Stage};
use crate::plan::{Case, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "envelope.success",
        title: "Every operation's success comes in the envelope, with the data of its row",
        clauses: &[
            "envelope.same-shape",
            "envelope.success",
            "envelope.verification-id",
            "envelope.endpoint",
            "envelope.status",
            "envelope.data",
            "envelope.billing",
            "envelope.meta",
            "envelope.environment",
            "states.completed",
            "ruling.04-latency-figure",
        ],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(success),
    },
    Check {
        id: "envelope.error",
        title: "A refusal comes in the same envelope",
        clauses: &[
            "envelope.error",
            "errors.envelope",
            "errors.stable-codes",
            "errors.status-and-retryable",
            "ruling.01-envelope-everywhere",
        ],
        stage: Stage::Refused,
        cases: Cases::Everywhere(error),
    },
    Check {
        id: "envelope.reference-id",
        title: "`referenceId` repeats the caller's own reference",
        clauses: &["envelope.reference-id", "wire.optional-headers"],
        stage: Stage::Sandbox,
        cases: Cases::Once(reference),
    },
    Check {
        id: "envelope.unique-ids",
        title: "The same call made again has an id of its own",
        clauses: &[
            "envelope.usage-log",
            "ruling.02-ids-unique",
            "sandbox.deterministic",
        ],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(unique),
    },
];

/// A reference in capitals and small letters: it is repeated as it came.
pub(super) const REFERENCE: &str = "Ref-Of.A_Refusal";

fn success(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "");
    lead::to_success(&mut case, setting, operation);
    Some(vec![
        case.expecting(&operation.clause, Rule::succeeds(operation)),
    ])
}

fn error(_: &Setting<'_>, operation: &Operation, environment: Environment) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "no fields").on(environment);
    let empty = RequestTemplate::post(operation, Json::Object(Vec::new()));
    let step = case.push(empty.header("x-reference-id", REFERENCE));
    let clauses = ["errors.envelope", "ruling.01-envelope-everywhere"];
    case.expect_each(step, clauses, &Rule::fails(ErrorCode::InvalidInput));
    Some(vec![case])
}

fn reference(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = setting.operations().next()?;
    let texts = [
        "ref-1".to_owned(),
        "Order: 4711/A & it's".to_owned(),
        "two  spaces, a%20b+c".to_owned(),
        "with \"quotes\" and \\ and a comma, too".to_owned(),
        "000123".to_owned(),
        "\"in quotes\"".to_owned(),
        "a=1; b=2".to_owned(),
        "null".to_owned(),
        "none".to_owned(),
        "x".repeat(128),
    ];
    let case = |(at, text): (usize, String)| {
        let mut case = Case::about(operation, &format!("reference {}", at + 1));
        let step = lead::to_success(&mut case, setting, operation);
        case.change(step, |request| request.header("x-reference-id", &*text));
        let clause = "ruling.01-reference-id-always";
        case.expect(step, "wire.optional-headers", Rule::succeeds(operation));
        case.expect(step, clause, Rule::is(["referenceId"], text));
        // What comes on the same connection with another one has that, and what comes without has none.
        let other = lead::to_success(&mut case, setting, operation);
        case.change(other, |request| request.header("x-reference-id", REFERENCE));
        case.expect(other, clause, Rule::is(["referenceId"], REFERENCE));
        let without = lead::to_success(&mut case, setting, operation);
        case.expect(without, clause, Rule::is(["referenceId"], Json::Null));
        case
    };
    Some(texts.into_iter().enumerate().map(case).collect())
}

fn unique(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "twice");
    let first = lead::to_success(&mut case, setting, operation);
    let again = case.push_again(first);
    let clauses = ["envelope.usage-log", "ruling.02-ids-unique"];
    case.expect_each(again, clauses, &Rule::OtherId(first));
    let deterministic = [Rule::SameEnding(first), Rule::SameData(first)];
    for rule in deterministic {
        case.expect(again, "sandbox.deterministic", rule);
    }
    Some(vec![case])
}
