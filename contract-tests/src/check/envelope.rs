//! The envelope around results and refusals alike. What it must look like is judged of every answer
//! of every check; here are the calls that show each of its forms.

use svc_fixtures::contract::ErrorCode;
use svc_fixtures::json::Json;

use super::entry::{Check, Stage, everywhere};
use crate::plan::{Case, Ending, Place, Predicate, RequestTemplate, Rule, Setting, lead};

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
        run: success,
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
        run: error,
    },
    Check {
        id: "envelope.reference-id",
        title: "`referenceId` repeats the caller's own reference",
        clauses: &["envelope.reference-id", "wire.optional-headers"],
        stage: Stage::Sandbox,
        run: reference,
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
        run: unique,
    },
];

fn success(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation| {
        let mut case = Case::about(operation, "");
        lead::to_success(&mut case, setting, operation);
        case.expecting(
            operation.clause.clone(),
            Rule::Ends(Ending::success(operation)),
        )
    };
    setting.operations().map(case).collect()
}

fn error(setting: &Setting<'_>) -> Vec<Case> {
    let cases = |environment| {
        let case = move |operation| {
            let mut case = Case::about(operation, "no fields").on(environment);
            case.push(RequestTemplate::post(operation, Json::Object(Vec::new())));
            let refused = Rule::Ends(Ending::Error(ErrorCode::InvalidInput));
            case.expecting("errors.envelope", refused.clone())
                .expecting("ruling.01-envelope-everywhere", refused)
        };
        setting.operations().map(case).collect::<Vec<_>>()
    };
    everywhere(setting).flat_map(cases).collect()
}

fn reference(setting: &Setting<'_>) -> Vec<Case> {
    let Some(operation) = setting.operations().next() else {
        return Vec::new();
    };
    let texts = [
        "ref-1".to_owned(),
        "with \"quotes\" and \\ and a comma, too".to_owned(),
        "x".repeat(200),
    ];
    let case = |(at, text): (usize, String)| {
        let mut case = Case::about(operation, &format!("reference {}", at + 1));
        let step = lead::to_success(&mut case, setting, operation);
        case.change(step, |request| request.header("x-reference-id", &*text));
        let place = Place::of(["referenceId"]);
        let repeats = Rule::Value(place, Predicate::Is(Json::from(text)));
        case.expecting(
            "wire.optional-headers",
            Rule::Ends(Ending::success(operation)),
        )
        .expecting("ruling.01-reference-id-always", repeats)
    };
    texts.into_iter().enumerate().map(case).collect()
}

fn unique(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation| {
        let mut case = Case::about(operation, "twice");
        let first = lead::to_success(&mut case, setting, operation);
        case.push_again(first);
        case.expecting("envelope.usage-log", Rule::OtherId(first))
            .expecting("ruling.02-ids-unique", Rule::OtherId(first))
            .expecting("sandbox.deterministic", Rule::SameEnding(first))
    };
    setting.operations().map(case).collect()
}
