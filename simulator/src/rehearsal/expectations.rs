//! Playing `[[expect]]` blocks, each on a fresh account of its own: what is not as expected is
//! reported like a mistake of the file.

use std::fmt::{Display, Write as _};

use similar::TextDiff;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Location, Problem, Problems};

use super::differences::{at_path, differences, of_interest};
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
    let Expectation {
        name, environment, ..
    } = expectation;
    let Some(config) = find_account(accounts, &expectation.account) else {
        let message = format!(
            "\"{name}\" can't be played: there is no account \"{}\"",
            expectation.account
        );
        return Err(expectation.place.problem(message));
    };
    let mut rehearsal = Rehearsal::new(rules, config);
    if expectation.later.webhook.is_some() {
        rehearsal.register(*environment);
    }
    let body = rehearsal.body(*environment, expectation.operation, &expectation.call);
    let key = rehearsal.key(*environment);
    let spec = CallSpec {
        environment: *environment,
        key: &key,
        target: CallTarget::Operation(expectation.operation),
        body: &body,
        idempotency_key: expectation.idempotency_key.as_deref(),
        reference_id: expectation.reference_id.as_deref(),
    };
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
    let name = &expectation.name;
    let refused =
        |place: &Location, what: &str| Err(place.problem(format!("\"{name}\" is not met: {what}")));
    let places = [
        still_pending.as_ref().map(|(_, place)| place),
        result.as_ref().map(|result| &result.place),
        webhook.as_ref().map(|webhook| &webhook.place),
    ];
    let Some(place) = places.into_iter().flatten().next() else {
        return Ok(());
    };
    if !first.is_pending() {
        return refused(
            place,
            "the answer was not pending, so that no result comes after it",
        );
    }
    let mut moved = 0;
    if let Some((ms, place)) = still_pending {
        if let Some(observed) = rehearsal.result(first, Some(*ms)) {
            let status = observed.text("status");
            return refused(
                place,
                &format!("it is no longer pending then, but {status}"),
            );
        }
        moved = *ms;
    }
    let place = match (result, webhook) {
        (Some(result), _) => &result.place,
        (None, Some(webhook)) => &webhook.place,
        (None, None) => return Ok(()),
    };
    let after_ms = after_ms.map(|after| after.saturating_sub(moved));
    let Some(observed) = rehearsal.result(first, after_ms) else {
        let message = "the result is still to come when the clock was moved by `after`";
        return refused(place, message);
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
    let name = &expectation.name;
    let Some(delivered) = rehearsal.deliver(first, &expected.receiver) else {
        let message = format!("\"{name}\" is not met: no webhook brings this result");
        return Err(expected.place.problem(message));
    };
    let mut wrong = Vec::new();
    wrong.extend(mismatch("times", expected.times, delivered.times));
    let quoted = |word: &str| format!("\"{word}\"");
    let ends = expected.ends.map(|ends| quoted(ends.as_str()));
    wrong.extend(mismatch("ends", ends, quoted(delivered.ends.as_str())));
    let signature = expected.signature.map(|it| quoted(it.as_expected()));
    let found = quoted(delivered.signature.as_expected());
    wrong.extend(mismatch("signature", signature, found));
    if wrong.is_empty() {
        return Ok(());
    }
    let message = format!(
        "\"{name}\" is not met: of the webhook, {}",
        wrong.join("; ")
    );
    Err(expected.place.problem(message))
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
    let found = differences(&expected.members, &observed.envelope);
    let differs = !found.is_empty();
    wrong.extend(found);
    for path in &expected.absent {
        if let Some(there) = at_path(&observed.envelope, path) {
            wrong.push(format!("`{path}` should not be there and is {there}"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let name = &expectation.name;
    let message = format!("\"{name}\" is not met: of {which}, {}", wrong.join("; "));
    let mut hint = format!("decided by: {}", observed.because);
    if differs {
        hint += &diff(
            &expected.members,
            &of_interest(&expected.members, &observed.envelope),
        );
    }
    if let (Some(code), None) = (observed.code(), expected.members.get("error")) {
        let error = observed
            .envelope
            .get("error")
            .and_then(|it| it.get("message"));
        let message = error.and_then(Json::as_text).unwrap_or_default();
        write!(hint, "\nanswered: {} {code}: {message}", observed.status)
            .expect("a text takes all");
    }
    Err(expected.place.problem(message).hint(hint))
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
    let diff = TextDiff::from_lines(&expected, &found);
    for change in diff.iter_all_changes() {
        let sign = change.tag();
        write!(out, "\n{sign} {}", change.value().trim_end()).expect("a text takes all");
    }
    out
}
