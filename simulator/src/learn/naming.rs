//! What rules are called: what they do and for whom, in a few words.

use std::collections::BTreeSet;

use svc_fixtures::json::Json;

use super::outcome::{Changes, LearnedEdit, LearnedEnd, LearnedOutcome};
use super::rule::{LearnedRule, Test};

/// What a condition asks for, in a few words.
pub(super) fn about(name: &str, test: &Test) -> String {
    let plain = |value: &Json<'static>| {
        value
            .as_text()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let is_who = name == "who";
    match test {
        Test::Is(value) if is_who => plain(value),
        Test::Is(value) => format!("{name} {}", plain(value)),
        Test::OneOf(values) if is_who => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        Test::OneOf(values) => format!("{} values of {name}", values.len()),
        Test::StartsWith(text) => format!("{name} {text}…"),
        Test::EndsWith(text) => format!("{name} …{text}"),
        Test::Absent => format!("no {name}"),
        Test::Present => format!("any {name}"),
    }
}

/// A value that is longer is not part of a name.
const SHORT: usize = 24;

/// So many members, and so many steps of a sequence, are named.
const NAMED: usize = 3;

/// A rule in a few words.
pub(super) fn summary(then: &[LearnedOutcome], about: &str) -> String {
    let mut steps: Vec<String> = then.iter().take(NAMED).map(words).collect();
    if then.len() > NAMED {
        steps.push("…".to_owned());
    }
    format!("{} for {about}", steps.join(", then "))
}

/// What becomes of a call.
fn words(outcome: &LearnedOutcome) -> String {
    let mut parts = match &outcome.ends {
        LearnedEnd::Error { code, .. } => vec![code.as_str().to_owned()],
        LearnedEnd::Pending { finally, .. } => {
            let finally = words(finally);
            vec![if finally == SUCCESS {
                "later".to_owned()
            } else {
                format!("later {finally}")
            }]
        }
        LearnedEnd::Success(changes) => changed(changes),
    };
    parts.extend(outcome.wire.map(|_| "a broken wire".to_owned()));
    parts.extend(outcome.delay_ms.map(|_| "late".to_owned()));
    match parts.is_empty() {
        true => SUCCESS.to_owned(),
        false => parts.join(", "),
    }
}

/// What is said of an answer of which nothing else is said.
const SUCCESS: &str = "success";

/// The members that differ, the only one with its value.
fn changed(changes: &Changes) -> Vec<String> {
    let edits: Vec<_> = changes.edits.iter().collect();
    match edits.as_slice() {
        [(path, LearnedEdit::Put(Json::Text(text)))] if text.len() <= SHORT => {
            return vec![format!("{path} {text}")];
        }
        [(path, LearnedEdit::Put(value @ (Json::Bool(_) | Json::Int(_))))] => {
            return vec![format!("{path} {value}")];
        }
        _ => {}
    }
    let names = edits
        .iter()
        .map(|(path, _)| path.split(['.', '[']).next().unwrap_or(path));
    let names: BTreeSet<&str> = names.collect();
    let mut named: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| (*name).to_owned())
        .collect();
    if names.len() > NAMED {
        named.push("…".to_owned());
    }
    named
}

/// Gives every rule a name of its own, unlike those that are taken in the folder.
pub(super) fn name_apart(rules: &mut [LearnedRule], mut taken: BTreeSet<String>) {
    for rule in rules {
        let short: String = rule.name.chars().take(140).collect();
        let mut names =
            std::iter::once(short.clone()).chain((2..).map(|number| format!("{short} ({number})")));
        if let Some(name) = names.find(|name| taken.insert(name.clone())) {
            rule.name = name;
        }
    }
}
