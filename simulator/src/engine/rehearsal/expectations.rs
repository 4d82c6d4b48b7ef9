//! Playing `[[expect]]` blocks, each on a fresh account of its own: what is not as expected is told
//! like a mistake of the file.

use std::fmt::Write as _;

use similar::TextDiff;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problem, Problems};

use super::{Asked, Heard, Rehearsal};
use crate::engine::rules::Rules;
use crate::scenario::{
    AccountTerms, Because, Expectation, Expected, account_named, at_path, differences, of_interest,
};

/// How many expectations were played, and what is not as expected.
#[derive(Debug)]
pub struct Met {
    /// So many are as expected.
    pub met: usize,
    /// The others, by file and line.
    pub unmet: Problems,
}

/// Plays expectations.
#[must_use]
pub fn unmet(rules: &Rules, accounts: &[AccountTerms], expectations: &[Expectation]) -> Met {
    let (mut met, mut unmet) = (0, Problems::default());
    for expectation in expectations {
        match play(rules, accounts, expectation) {
            Ok(()) => met += 1,
            Err(problem) => unmet.push(problem),
        }
    }
    Met {
        met,
        unmet: unmet.sorted(),
    }
}

fn play(
    rules: &Rules,
    accounts: &[AccountTerms],
    expectation: &Expectation,
) -> Result<(), Problem> {
    let Expectation {
        name, environment, ..
    } = expectation;
    let Some(terms) = account_named(accounts, &expectation.account) else {
        let message = format!(
            "\"{name}\" can't be played: there is no account \"{}\"",
            expectation.account
        );
        return Err(expectation.place.problem(message));
    };
    let mut rehearsal = Rehearsal::new(rules, terms);
    let body = rehearsal.body(*environment, expectation.operation, &expectation.call);
    let key = rehearsal.key(*environment);
    let asked = Asked {
        environment: *environment,
        key: &key,
        operation: expectation.operation,
        body: &body,
        idempotency_key: expectation.idempotency_key.as_deref(),
        reference_id: expectation.reference_id.as_deref(),
    };
    let mut last = None;
    for (at, expected) in expectation.answers.iter().enumerate() {
        let heard = rehearsal.ask(&asked);
        let which = match expectation.answers.len() {
            1 => "the answer".to_owned(),
            _ => format!("answer {}", at + 1),
        };
        judge(expectation, expected, &heard, &which)?;
        last = Some(heard);
    }
    let (Some(result), Some(first)) = (&expectation.result, last) else {
        return Ok(());
    };
    let refused = |what: &str| {
        let message = format!("\"{name}\" is not met: {what}");
        Err(result.is.place.problem(message))
    };
    if !first.is_pending() {
        return refused("the answer was not pending, so that no result comes after it");
    }
    match rehearsal.result(&first, result.after_ms) {
        Some(heard) => judge(expectation, &result.is, &heard, "the result"),
        None => refused("the result is still to come when the clock was moved by `after`"),
    }
}

/// Whether an answer is as expected.
fn judge(
    expectation: &Expectation,
    expected: &Expected,
    heard: &Heard,
    which: &str,
) -> Result<(), Problem> {
    let mut wrong = Vec::new();
    if let Some(status) = expected.http.filter(|status| *status != heard.status) {
        wrong.push(format!("`http` should be {status} and is {}", heard.status));
    }
    if let Some(because) = &expected.because
        && !heard.is_because_of(because)
    {
        wrong.push(format!("\"{because}\" should decide"));
    }
    let found = differences(&expected.members, &heard.envelope);
    wrong.extend(found.iter().map(ToString::to_string));
    for path in &expected.absent {
        if let Some(there) = at_path(&heard.envelope, path) {
            wrong.push(format!("`{path}` should not be there and is {there}"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let name = &expectation.name;
    let message = format!("\"{name}\" is not met: of {which}, {}", wrong.join("; "));
    let mut told = format!("decided by: {}", heard.because);
    if !found.is_empty() {
        told += &diff(
            &expected.members,
            &of_interest(&expected.members, &heard.envelope),
        );
    }
    if let (Some(code), None) = (heard.code(), expected.members.get("error")) {
        let error = heard.envelope.get("error").and_then(|it| it.get("message"));
        let message = error.and_then(Json::as_text).unwrap_or_default();
        write!(told, "\nanswered: {} {code}: {message}", heard.status).expect("a text takes all");
    }
    Err(expected.place.problem(message).hint(told))
}

impl Heard {
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
