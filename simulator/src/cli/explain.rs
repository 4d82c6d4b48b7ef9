//! `explain`: which scenario an input gets and why, which came close, and an input for every other
//! outcome.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use svc_fixtures::json::Json;

use super::call_args::{CallArgs, quoted};
use super::explain_bundle::{bundle, bundle_for_people};
use super::failure::Failure;
use super::layout::columns;
use super::terminal;
use crate::http::explanation::{
    ExplainedCallDto, ExplanationDto, OutcomeDto, ScenarioMatchDto, explain,
};
use crate::rehearsal::{CallTarget, Rehearsal};

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    call: CallArgs,
    /// How it is told
    #[arg(long, default_value = "human")]
    format: ExplainFormat,
}

/// How the explanation is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExplainFormat {
    /// For people
    Human,
    /// For programs
    Json,
}

/// Runs the command.
pub(super) fn run(args: &ExplainArgs) -> Result<(), Failure> {
    let stage = args.call.stage()?;
    let mut rehearsal = Rehearsal::new(&stage.rules, stage.config.clone());
    let (body, key) = (stage.body(&mut rehearsal), rehearsal.key(stage.environment));
    let spec = stage.spec(&key, &body);
    let observed = rehearsal.call(&spec);
    let operation = match stage.target {
        CallTarget::Operation(operation) => operation,
        CallTarget::Bundle(_) => {
            terminal::print(&match args.format {
                ExplainFormat::Human => {
                    bundle_for_people(&stage, &spec, &observed, &args.call.files())
                }
                ExplainFormat::Json => format!("{:#}\n", bundle(&stage, &spec, &observed)),
            });
            return Ok(());
        }
    };
    let explanation = explain(
        &stage.rules,
        &stage.accounts,
        &stage.config,
        operation,
        &spec,
        &observed,
    );
    terminal::print(&match args.format {
        ExplainFormat::Human => render(&explanation, &args.call.files()),
        ExplainFormat::Json => {
            let json =
                serde_json::to_string_pretty(&explanation).expect("it can always be printed");
            json + "\n"
        }
    });
    Ok(())
}

/// `files` is what says on a command line which files there are.
fn render(explanation: &ExplanationDto, files: &str) -> String {
    let ExplanationDto {
        operation,
        account,
        environment,
        body,
        answer,
        ..
    } = explanation;
    let mut out = format!("{operation} {body}\nof {account}, {environment}\n");
    for (name, text) in [
        ("X-Reference-Id", &explanation.reference_id),
        ("Idempotency-Key", &explanation.idempotency_key),
    ] {
        if let Some(text) = text {
            let _ = writeln!(out, "with {name} {}", Json::from(text.as_str()));
        }
    }
    out.push('\n');
    let _ = writeln!(out, "Answer\n  {} {}", answer.status, answer.outcome);
    let unnamed = format!("{}: it gets the operation's own answer", answer.because);
    let (decides, otherwise) = match &explanation.refused {
        None => ("", unnamed.as_str()),
        Some(message) => {
            let _ = writeln!(out, "  the call is refused: {message}");
            ("otherwise ", "otherwise no scenario would decide it")
        }
    };
    match (&explanation.sentinel, &explanation.decides) {
        (Some(field), _) => {
            let _ = writeln!(
                out,
                "  {decides}{field} contains the sentinel, which comes before all scenarios"
            );
        }
        (None, Some(rule)) => {
            let _ = writeln!(out, "  {decides}scenario {}", place(rule));
            list(&mut out, &rule.because);
        }
        (None, None) => {
            let _ = writeln!(out, "  {otherwise}");
        }
    }
    rules(&mut out, "Holds too, and comes later", &explanation.later);
    rules(&mut out, "Came close", &explanation.near);
    rules(
        &mut out,
        "Holds, and is for other operations",
        &explanation.elsewhere,
    );
    out += "\nEvery outcome\n";
    let rows = explanation
        .outcomes
        .iter()
        .map(|it| row(operation, files, it));
    let rows: Vec<_> = rows.collect();
    for line in columns(&rows).lines() {
        let _ = writeln!(out, "  {line}");
    }
    out
}

fn rules(out: &mut String, title: &str, rules: &[ScenarioMatchDto]) {
    if rules.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for rule in rules {
        let _ = writeln!(out, "  {}", place(rule));
        list(out, &rule.because);
        if !rule.operations.is_empty() {
            let _ = writeln!(out, "    it is for {}", rule.operations.join(", "));
        }
    }
}

fn list(out: &mut String, because: &[String]) {
    for line in because {
        let _ = writeln!(out, "    {line}");
    }
}

fn place(rule: &ScenarioMatchDto) -> String {
    format!("\"{}\" in {}:{}", rule.name, rule.file, rule.line)
}

/// An outcome and how it is had: a command that shows it, where there is one.
fn row(operation: &str, files: &str, reachable: &OutcomeDto) -> [String; 3] {
    let status = reachable.status.map(|status| status.to_string());
    let how = match reachable.calls.as_slice() {
        [] => "no call of this operation ends so".to_owned(),
        [one] if one.environment == one.key => command(operation, files, one),
        [one] => format!("a key of {} on {}", one.key, one.environment),
        [.., last] => {
            let key = last.idempotency_key.as_deref().unwrap_or_default();
            format!("Idempotency-Key {key} twice, with different bodies")
        }
    };
    [reachable.outcome.clone(), status.unwrap_or_default(), how]
}

/// The command that makes the call.
fn command(operation: &str, files: &str, ask: &ExplainedCallDto) -> String {
    let mut out = format!("svc-simulator try {operation}{files}");
    for (name, value) in &ask.set {
        match value {
            // A null can't be given as a field.
            Json::Null => return format!("{out} --body {}", quoted(&ask.body.to_string())),
            value => {
                let text = value
                    .as_text()
                    .map_or_else(|| value.to_string(), str::to_owned);
                let _ = write!(out, " --field {}", quoted(&format!("{name}={text}")));
            }
        }
    }
    if ask.account != "local" {
        let _ = write!(out, " --account {}", quoted(&ask.account));
    }
    if ask.environment == "live" {
        out += " --live";
    }
    for (name, text) in [
        ("--reference-id", &ask.reference_id),
        ("--idempotency-key", &ask.idempotency_key),
    ] {
        if let Some(text) = text {
            let _ = write!(out, " {name} {}", quoted(text));
        }
    }
    if ask.times > 1 {
        let _ = write!(out, " --times {}", ask.times);
    }
    out
}
