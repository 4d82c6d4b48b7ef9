//! `explain` of a bundle: what each of its steps came to, and why. What else a step could get is asked of
//! its operation.

use std::fmt::Write as _;

use serde_json::{Value, json};
use svc_fixtures::json::Json;

use super::call_args::CallSetup;
use super::layout::columns;
use crate::rehearsal::{CallSpec, Observed};

/// For programs.
pub(super) fn bundle(stage: &CallSetup, spec: &CallSpec<'_>, observed: &Observed) -> Value {
    let step = |step: &crate::rehearsal::ObservedStep| {
        json!({
            "operation": step.operation,
            "status": step.status,
            "outcome": step.outcome,
            "because": step.because.to_string(),
        })
    };
    let steps: Vec<Value> = observed.steps.iter().map(step).collect();
    json!({
        "bundle": stage.endpoint(),
        "account": &*stage.config.id,
        "environment": stage.environment.as_str(),
        "body": serde_json::to_value(spec.body).expect("JSON is JSON"),
        "answer": {
            "status": observed.status,
            "outcome": outcome(observed),
            "because": observed.because.to_string(),
        },
        "steps": steps,
    })
}

/// For people. `files` is what says on a command line which files there are.
pub(super) fn bundle_for_people(
    stage: &CallSetup,
    spec: &CallSpec<'_>,
    observed: &Observed,
    files: &str,
) -> String {
    let id = stage.endpoint();
    let mut out = format!("{id} {}\n", spec.body);
    let _ = writeln!(out, "of {}, {}\n", stage.config.id, stage.environment);
    let _ = writeln!(out, "Answer\n  {} {}", observed.status, outcome(observed));
    if observed.steps.is_empty() {
        let error = observed
            .envelope
            .get("error")
            .and_then(|it| it.get("message"));
        let message = error.and_then(Json::as_text).unwrap_or_default();
        let _ = writeln!(out, "  the call is refused: {message}");
        return out;
    }
    out += "\nSteps\n";
    let rows: Vec<[String; 3]> = observed
        .steps
        .iter()
        .map(|step| {
            let ends = format!("{} {}", step.status, step.outcome);
            [step.operation.clone(), ends, step.because.to_string()]
        })
        .collect();
    for line in columns(&rows).lines() {
        let _ = writeln!(out, "  {line}");
    }
    out += "\nWhat else a step could get\n";
    for step in &observed.steps {
        let _ = writeln!(out, "  svc-simulator explain {}{files}", step.operation);
    }
    out
}

fn outcome(observed: &Observed) -> &str {
    observed.code().unwrap_or(observed.text("status"))
}
