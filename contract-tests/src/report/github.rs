//! The reports for GitHub Actions: annotations, a line each, and the step summary in Markdown.

use std::fmt::Write as _;

use super::counted;
use super::curl;
use super::run_summary::{Breach, RunSummary};
use crate::event::Outcome;

/// GitHub shows a summary of at most a MiB, and none at all of a longer one.
const LONGEST_SUMMARY: usize = 900_000;

/// How many places of one breach are shown.
const SHOWN: usize = 5;

/// The annotations: an error for each broken clause and each stale deviation, a notice for what is
/// known, a warning for what was skipped.
#[must_use]
pub fn annotations(summary: &RunSummary<'_>) -> String {
    let mut out = String::new();
    for (clause, places) in summary.breaches() {
        let Some(first) = places.first() else {
            continue;
        };
        let row = summary.row(clause);
        let place = row.map(|row| (row.file.as_str(), row.line.to_string()));
        let place = place.as_ref().map(|(file, line)| (*file, line.as_str()));
        let (level, word) = match first.known {
            None => ("error", "is broken"),
            Some(_) => ("notice", "is broken, as known"),
        };
        let text = row.map_or("", |row| row.text.as_str());
        let more = match places.len() {
            1 => String::new(),
            all => format!("\n… {} in all", counted(all, "time")),
        };
        let body = format!("{text}\n{}: {}{more}", first.place(), first.message());
        let title = format!("{clause} {word}");
        annotation(
            &mut out,
            level,
            place,
            &title,
            body.trim_start_matches('\n'),
        );
    }
    for stale in &summary.stale {
        let place = stale.place.rsplit_once(':').unwrap_or((&stale.place, "1"));
        let title = "a known deviation is none any more";
        annotation(&mut out, "error", Some(place), title, &stale.message);
    }
    for result in &summary.results {
        if let Outcome::Skipped { why } = result.outcome() {
            let level = match result.unreachable {
                Some(_) => "error",
                None => "warning",
            };
            let title = format!("{} was skipped", result.check);
            annotation(&mut out, level, None, &title, &why);
        }
    }
    out
}

/// One annotation, at a line of a file where one is named.
fn annotation(
    out: &mut String,
    level: &str,
    place: Option<(&str, &str)>,
    title: &str,
    message: &str,
) {
    let place = place.map_or(String::new(), |(file, line)| {
        format!("file={},line={},", property(file), property(line))
    });
    let (title, message) = (property(title), escaped(message));
    let _ = writeln!(out, "::{level} {place}title={title}::{message}");
}

/// What a message must not hold as it is: the runner reads line by line.
fn escaped(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

/// The step summary.
#[must_use]
pub fn summary(summary: &RunSummary<'_>) -> String {
    let sum = summary.totals;
    let mut out = format!(
        "## Contract tests\n\n| passed | failed | known | skipped | unreachable |\n|---|---|---|---|---|\n| {} | {} | {} | {} | {} |\n\n",
        sum.passed, sum.failed, sum.known, sum.skipped, sum.unreachable
    );
    if sum.judged() == 0 {
        out.push_str("**Nothing was judged.**\n\n");
    }
    for stale in &summary.stale {
        let message = fence(&stale.message);
        let _ = writeln!(out, "A known deviation is none any more:\n\n{message}\n");
    }
    for (clause, places) in summary.breaches() {
        let section = breach(summary, clause, &places);
        if out.len() + section.len() > LONGEST_SUMMARY {
            out.push_str("More is broken than this page holds: see the other reports.\n\n");
            break;
        }
        out.push_str(&section);
    }
    let mut skipped = String::new();
    for result in &summary.results {
        if let Outcome::Skipped { why } = result.outcome() {
            let _ = writeln!(skipped, "| {} | {} |", cell(result.check), cell(&why));
        }
    }
    if !skipped.is_empty() {
        let head = "### Skipped checks\n\n| check | why |\n|---|---|\n";
        let _ = writeln!(out, "{head}{skipped}");
    }
    out.push_str("### Clauses\n\n| state | clauses |\n|---|---|\n");
    for (word, number) in summary.counts() {
        let _ = writeln!(out, "| {word} | {number} |");
    }
    out
}

fn breach(summary: &RunSummary<'_>, clause: &str, places: &[Breach<'_>]) -> String {
    let known = places.iter().all(|breach| breach.known.is_some());
    let word = if known { "known" } else { "broken" };
    let mut out = format!("### {}: {word}\n\n", cell(clause));
    if let Some(row) = summary.row(clause) {
        let _ = writeln!(out, "{} ({})\n", cell(&row.text), cell(&row.section));
    }
    for place in places.iter().take(SHOWN) {
        let (place_of, message) = (cell(&place.place()), fence(&place.message()));
        let _ = writeln!(out, "{place_of}\n\n{message}");
        if let Some(why) = place.known {
            let _ = writeln!(out, "\nKnown: {}", cell(why));
        }
        if let Some(curl) = curl::of_breach(summary, place) {
            let _ = writeln!(out, "\n{}", fence(&curl));
        }
        out.push('\n');
    }
    if places.len() > SHOWN {
        let _ = writeln!(out, "… and {} more.\n", places.len() - SHOWN);
    }
    out
}

/// A text as Markdown shows it, wherever it stands: one line, nothing in it obeyed.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' | '!' => {
                out.extend(['\\', c])
            }
            // With a zero-width space behind it an @name mentions nobody.
            '@' => out.push_str("@\u{200b}"),
            c => out.push(c),
        }
    }
    out
}

/// A text in a fence that nothing in it closes.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max();
    let ticks = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    format!("{ticks}text\n{}\n{ticks}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn annotations_are_a_line_each() {
        let events = sample::events();
        insta::assert_snapshot!(annotations(&RunSummary::of(&events)), @r#"
        ::error file=fixtures/contract/clauses.toml,line=4,title=b.broken is broken::Two bodies are the same & <b>equal</b> | always.%0Aone.is-broken: an.operation, step 1: the body differs%0A--- expected%0A+++ found%0A@@ -1,4 +1,4 @@%0A {%0A   "a": 1,%0A-  "b": 2%0A+  "b": 3%0A }%0A… 6 times in all
        ::notice file=fixtures/contract/clauses.toml,line=4,title=c.known is broken%2C as known::Something else holds.%0Aone.is-known: an.operation, step 1: the status%0Aexpected 202%0A   found 200
        ::error file=known.toml,line=7,title=a known deviation is none any more::it holds now: take the entry out
        ::warning title=one.is-skipped was skipped::there is no live key for this run
        ::error title=one.is-lost was skipped::no answer: no connection: refused
        "#);
    }

    #[test]
    fn the_summary_is_markdown() {
        let events = sample::events();
        insta::assert_snapshot!(summary(&RunSummary::of(&events)));
    }

    #[test]
    fn what_the_runner_would_obey_is_escaped() {
        assert_eq!(escaped("50%\r\n::error::x"), "50%25%0D%0A::error::x");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
        assert_eq!(fence("a ``` b"), "````text\na ``` b\n````");
    }
}
