//! `explain`: which scenario an input gets and why, which came close, and an input for every other
//! outcome; of a bundle, what each of its steps came to and why.

use std::fmt::Write as _;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use svc_fixtures::json::Json;

use super::call_args::{CallArgs, CallSetup, quoted, try_command};
use super::failure::Failure;
use super::layout::columns;
use super::terminal;
use crate::http::explanation::{
    ExplainedCallDto, ExplanationDto, OutcomeDto, ScenarioMatchDto, explain,
};
use crate::rehearsal::{CallSpec, CallTarget, Observed, ObservedStep, Rehearsal};

/// The arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    #[command(flatten)]
    call: CallArgs,
    /// How it is printed
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
    let setup = args.call.setup()?;
    let mut rehearsal = Rehearsal::new(&setup.rules, setup.config.clone());
    let (body, key) = (setup.body(&mut rehearsal), rehearsal.key(setup.environment));
    let spec = setup.spec(&key, &body);
    let observed = rehearsal.call(&spec);
    let files = args.call.files();
    let text = match (setup.target, args.format) {
        (CallTarget::Bundle(_), ExplainFormat::Human) => {
            render_bundle(&setup, &spec, &observed, &files)
        }
        (CallTarget::Bundle(_), ExplainFormat::Json) => {
            format!("{:#}\n", bundle_json(&setup, &spec, &observed))
        }
        (CallTarget::Operation(operation), format) => {
            let (rules, accounts) = (&setup.rules, &setup.accounts);
            let config = &setup.config;
            let explanation = explain(rules, accounts, config, operation, &spec, &observed);
            match format {
                ExplainFormat::Human => render(&explanation, &files),
                ExplainFormat::Json => {
                    let json = serde_json::to_string_pretty(&explanation);
                    json.expect("it can always be printed") + "\n"
                }
            }
        }
    };
    terminal::print(&text)
}

/// `files` is what says on a command line which files there are.
fn render(explanation: &ExplanationDto, files: &str) -> String {
    let (operation, answer) = (&explanation.operation, &explanation.answer);
    let (account, environment) = (&explanation.account, &explanation.environment);
    let mut out = format!(
        "{operation} {}\nof {account}, {environment}\n",
        explanation.body
    );
    for (name, text) in [
        ("X-Reference-Id", &explanation.reference_id),
        ("Idempotency-Key", &explanation.idempotency_key),
    ] {
        if let Some(text) = text {
            let _ = writeln!(out, "with {name} {}", Json::from(text.as_str()));
        }
    }
    for (name, text) in &explanation.headers {
        let _ = writeln!(out, "with {name} {}", Json::from(text.as_str()));
    }
    out.push('\n');
    let _ = writeln!(out, "Answer\n  {} {}", answer.status, answer.outcome);
    if let Some(delay) = answer.delay_ms {
        let _ = writeln!(out, "  held back for {:?}", Duration::from_millis(delay));
    }
    if let Some(fault) = &answer.on_the_wire {
        let _ = writeln!(out, "  on the wire {fault}");
    }
    let unnamed = format!("{}: it gets the operation's own answer", answer.because);
    let (decides, otherwise) = match &explanation.refused {
        None => ("", unnamed.as_str()),
        Some(message) => {
            let _ = writeln!(out, "  the call is refused: {message}");
            ("otherwise ", "otherwise no scenario would decide it")
        }
    };
    match &explanation.decides {
        Some(rule) => {
            let _ = writeln!(out, "  {decides}scenario {}", place(rule));
            list(&mut out, &rule.because);
        }
        None => {
            let _ = writeln!(out, "  {otherwise}");
        }
    }
    for (title, scenarios) in [
        ("Holds too, and comes later", &explanation.later),
        ("Came close", &explanation.near),
        ("Holds, and is for other operations", &explanation.elsewhere),
    ] {
        rules(&mut out, title, scenarios);
    }
    out += "\nEvery outcome\n";
    let rows = explanation.outcomes.iter();
    let rows: Vec<_> = rows.map(|it| row(operation, files, it)).collect();
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
    // A null can't be given as a field.
    if ask.set.iter().any(|(_, value)| *value == Json::Null) {
        let body = quoted(&ask.body.to_string());
        return format!("{} --body {body}", try_command(operation, files, &[]));
    }
    let set: Vec<_> = ask
        .set
        .iter()
        .map(|(name, it)| (name.clone(), it.clone()))
        .collect();
    let mut out = try_command(operation, files, &set);
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
    for (name, text) in &ask.headers {
        let _ = write!(out, " --header {}", quoted(&format!("{name}={text}")));
    }
    if ask.times > 1 {
        let _ = write!(out, " --times {}", ask.times);
    }
    out
}

/// A bundle for programs.
fn bundle_json(setup: &CallSetup<'_>, spec: &CallSpec<'_>, observed: &Observed) -> Value {
    let step = |step: &ObservedStep| {
        json!({
            "operation": step.operation,
            "status": step.status,
            "outcome": step.outcome,
            "because": step.because.to_string(),
        })
    };
    let steps: Vec<Value> = observed.steps.iter().map(step).collect();
    json!({
        "bundle": setup.endpoint(),
        "account": &*setup.config.id,
        "environment": setup.environment.as_str(),
        "body": serde_json::to_value(spec.body).expect("JSON is JSON"),
        "answer": {
            "status": observed.status,
            "outcome": observed.outcome(),
            "because": observed.because.to_string(),
        },
        "steps": steps,
    })
}

/// A bundle for people. What else a step could get, `explain` says of its operation.
fn render_bundle(
    setup: &CallSetup<'_>,
    spec: &CallSpec<'_>,
    observed: &Observed,
    files: &str,
) -> String {
    let id = setup.endpoint();
    let mut out = format!("{id} {}\n", spec.body);
    let _ = writeln!(out, "of {}, {}\n", setup.config.id, setup.environment);
    let _ = writeln!(out, "Answer\n  {} {}", observed.status, observed.outcome());
    if observed.steps.is_empty() {
        let message = observed.error_message();
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
