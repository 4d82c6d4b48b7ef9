//! Playing `[[expect]]` blocks, each on a fresh account of its own: what is not as expected is
//! reported like a mistake of the file.

use std::fmt::{Display, Write as _};

use svc_fixtures::json::Json;
use svc_fixtures::reading::{Location, Problem, Problems};

use super::differences::{at_path, differences, of_interest};
use super::line_diff::LineDiff;
use super::{CallSpec, CallTarget, Observed, Rehearsal};
use crate::engine::call::rules::Rules;
use crate::scenario::{AccountConfig, Because, WireFault, find_account};
use crate::scenario_format::{Expectation, Expected, ExpectedLater, ExpectedWebhook, OnTheWire};

/// How many expectations were played, and what is not as expected.
#[derive(Debug)]
pub struct ExpectationReport {
    /// So many are as expected.
    pub met: usize,
    /// The others, by file and line.
    pub unmet: Problems,
}

/// Plays expectations.
#[must_use]
pub fn check_expectations(
    rules: &Rules,
    accounts: &[AccountConfig],
    expectations: &[Expectation],
) -> ExpectationReport {
    let (mut met, mut unmet) = (0, Problems::default());
    for expectation in expectations {
        match play(rules, accounts, expectation) {
            Ok(()) => met += 1,
            Err(problem) => unmet.push(problem),
        }
    }
    ExpectationReport {
        met,
        unmet: unmet.sorted(),
    }
}

fn play(
    rules: &Rules,
    accounts: &[AccountConfig],
    expectation: &Expectation,
) -> Result<(), Problem> {
    let Expectation { name, caller, .. } = expectation;
    let Some(config) = find_account(accounts, &caller.account) else {
        let id = &caller.account;
        let message = format!("\"{name}\" can't be played: there is no account \"{id}\"");
        return Err(expectation.place.problem(message));
    };
    let mut rehearsal = Rehearsal::new(rules, config);
    let environment = caller.environment;
    if expectation.later.webhook.is_some() {
        rehearsal.register(environment);
    }
    let body = rehearsal.body(environment, expectation.operation, &expectation.call);
    let key = rehearsal.key(environment);
    let target = CallTarget::Operation(expectation.operation);
    let spec = CallSpec::by(caller, &key, target, &body);
    let mut last = None;
    for (at, expected) in expectation.answers.iter().enumerate() {
        let observed = rehearsal.call(&spec);
        let which = match expectation.answers.len() {
            1 => "the answer".to_owned(),
            _ => format!("answer {}", at + 1),
        };
        judge(expectation, expected, &observed, &which)?;
        last = Some(observed);
    }
    match last {
        Some(first) => afterwards(&mut rehearsal, expectation, &first),
        None => Ok(()),
    }
}

/// Whether what comes after the answer is as expected.
fn afterwards(
    rehearsal: &mut Rehearsal<'_>,
    expectation: &Expectation,
    first: &Observed,
) -> Result<(), Problem> {
    let ExpectedLater {
        still_pending,
        after_ms,
        result,
        webhook,
    } = &expectation.later;
    let of_result = result.as_ref().map(|result| &result.place);
    let of_end = of_result.or(webhook.as_ref().map(|webhook| &webhook.place));
    let still = still_pending.as_ref();
    let Some(place) = still.map(|(_, place)| place).or(of_end) else {
        return Ok(());
    };
    if !first.is_pending() {
        let what = "the answer was not pending, so that no result comes after it";
        return Err(unmet(expectation, place, what));
    }
    if let Some((ms, place)) = still
        && let Some(observed) = rehearsal.result(first, Some(*ms))
    {
        let what = format!(
            "it is no longer pending then, but {}",
            observed.text("status")
        );
        return Err(unmet(expectation, place, &what));
    }
    let Some(place) = of_end else {
        return Ok(());
    };
    let moved = still.map_or(0, |(ms, _)| *ms);
    let after_ms = after_ms.map(|after| after.saturating_sub(moved));
    let Some(observed) = rehearsal.result(first, after_ms) else {
        let what = "the result is still to come when the clock was moved by `after`";
        return Err(unmet(expectation, place, what));
    };
    if let Some(result) = result {
        judge(expectation, result, &observed, "the result")?;
    }
    match webhook {
        Some(webhook) => judge_webhook(rehearsal, expectation, webhook, first),
        None => Ok(()),
    }
}

/// Whether the webhook arrives as expected.
fn judge_webhook(
    rehearsal: &mut Rehearsal<'_>,
    expectation: &Expectation,
    expected: &ExpectedWebhook,
    first: &Observed,
) -> Result<(), Problem> {
    let Some(delivered) = rehearsal.deliver(first, &expected.receiver) else {
        let what = "no webhook brings this result";
        return Err(unmet(expectation, &expected.place, what));
    };
    let quoted = |word: &str| format!("\"{word}\"");
    let ends = expected.ends.map(|ends| quoted(ends.as_expected()));
    let signature = expected.signature.map(|it| quoted(it.as_expected()));
    let signed = quoted(delivered.signature.as_expected());
    let wrong = [
        mismatch("times", expected.times, delivered.times),
        mismatch("ends", ends, quoted(delivered.ends.as_expected())),
        mismatch("signature", signature, signed),
    ];
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let what = format!("of the webhook, {}", wrong.join("; "));
    Err(unmet(expectation, &expected.place, &what))
}

/// Whether an answer is as expected.
fn judge(
    expectation: &Expectation,
    expected: &Expected,
    observed: &Observed,
    which: &str,
) -> Result<(), Problem> {
    let mut wrong = Vec::new();
    wrong.extend(mismatch("http", expected.http, observed.status));
    if let Some(because) = &expected.because
        && !observed.is_because_of(because)
    {
        wrong.push(format!("\"{because}\" should decide"));
    }
    let wire = expected.wire.map(|wire| match wire {
        OnTheWire::Intact => written(None),
        OnTheWire::Broken(fault) => written(Some(fault)),
    });
    wrong.extend(mismatch("wire", wire, written(observed.wire)));
    let differences = differences(&expected.members, &observed.envelope);
    let differs = !differences.is_empty();
    wrong.extend(differences);
    for path in &expected.absent {
        if let Some(there) = at_path(&observed.envelope, path) {
            wrong.push(format!("`{path}` should not be there and is {there}"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let mut hint = format!("decided by: {}", observed.because);
    if differs {
        let found = of_interest(&expected.members, &observed.envelope);
        hint += &diff(&expected.members, &found);
    }
    if let (Some(code), None) = (observed.code(), expected.members.get("error")) {
        let (status, message) = (observed.status, observed.error_message());
        write!(hint, "\nanswered: {status} {code}: {message}").expect("a text takes all");
    }
    let what = format!("of {which}, {}", wrong.join("; "));
    Err(unmet(expectation, &expected.place, &what).hint(hint))
}

fn unmet(expectation: &Expectation, place: &Location, what: &str) -> Problem {
    place.problem(format!("\"{}\" is not met: {what}", expectation.name))
}

/// What is not as expected, where something is.
fn mismatch<T: PartialEq + Display>(what: &str, expected: Option<T>, found: T) -> Option<String> {
    let expected = expected.filter(|expected| *expected != found)?;
    Some(format!("`{what}` should be {expected} and is {found}"))
}

fn written(fault: Option<WireFault>) -> String {
    fault.map_or_else(|| "\"none\"".to_owned(), WireFault::written)
}

impl Observed {
    /// Whether the scenario of this name decided.
    fn is_because_of(&self, name: &str) -> bool {
        match &self.because {
            Because::Scenario(text) => text.starts_with(&format!("scenario \"{name}\" (")),
            _ => false,
        }
    }
}

/// The expected parts beside those that were found, line by line.
fn diff(expected: &Json<'_>, found: &Json<'_>) -> String {
    let lines = |json: &Json<'_>| {
        let text = serde_json::to_string_pretty(json);
        text.expect("JSON can always be printed") + "\n"
    };
    let (expected, found) = (lines(expected), lines(found));
    let mut out = "\n- expected, + found".to_owned();
    for (sign, line) in LineDiff::new(&expected, &found).lines() {
        write!(out, "\n{sign} {}", line.trim_end()).expect("a text takes all");
    }
    out
}
