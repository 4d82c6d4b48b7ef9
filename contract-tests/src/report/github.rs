//! The reports for GitHub Actions: annotations, a line each, and the step summary in Markdown.

use std::fmt::Write as _;

use super::counted;
use super::curl;
use super::run_summary::{Breach, ClauseState, RunSummary};
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
        let place = row.map_or_else(String::new, |row| {
            format!("file={},line={},", property(&row.file), row.line)
        });
        let (level, word) = match first.known {
            None => ("error", "is broken"),
            Some(_) => ("notice", "is broken, as known"),
        };
        let title = property(&format!("{clause} {word}"));
        let text = row.map_or("", |row| row.text.as_str());
        let more = match places.len() {
            1 => String::new(),
            all => format!("\n… {} in all", counted(all, "time")),
        };
        let body = escaped(&format!(
            "{text}\n{}: {}{more}",
            first.place(),
            first.message()
        ));
        let _ = writeln!(
            out,
            "::{level} {place}title={title}::{}",
            body.trim_start_matches("%0A")
        );
    }
    for stale in &summary.stale {
        let (file, line) = stale.place.rsplit_once(':').unwrap_or((&stale.place, "1"));
        let (file, line) = (property(file), property(line));
        let title = "a known deviation is none any more";
        let _ = writeln!(
            out,
            "::error file={file},line={line},title={title}::{}",
            escaped(&stale.message)
        );
    }
    for result in &summary.results {
        if let Outcome::Skipped { why } = result.outcome() {
            let level = if result.unreachable.is_some() {
                "error"
            } else {
                "warning"
            };
            let title = property(&format!("{} was skipped", result.check));
            let _ = writeln!(out, "::{level} title={title}::{}", escaped(&why));
        }
    }
    out
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
    if sum.passed + sum.failed + sum.known == 0 {
        out.push_str("**Nothing was judged.**\n\n");
    }
    for stale in &summary.stale {
        let _ = writeln!(
            out,
            "A known deviation is none any more:\n\n{}\n",
            fence(&stale.message)
        );
    }
    for (clause, places) in summary.breaches() {
        let section = breach(summary, clause, &places);
        if out.len() + section.len() > LONGEST_SUMMARY {
            out.push_str("More is broken than this page holds: see the other reports.\n\n");
            break;
        }
        out.push_str(&section);
    }
    let skipped = summary
        .results
        .iter()
        .filter_map(|result| match result.outcome() {
            Outcome::Skipped { why } => Some((result.check, why)),
            Outcome::Passed | Outcome::Failed | Outcome::Known => None,
        });
    let skipped: Vec<_> = skipped.collect();
    if !skipped.is_empty() {
        out.push_str("### Skipped checks\n\n| check | why |\n|---|---|\n");
        for (check, why) in skipped {
            let _ = writeln!(out, "| {} | {} |", cell(check), cell(&why));
        }
        out.push('\n');
    }
    out.push_str("### Clauses\n\n| state | clauses |\n|---|---|\n");
    for state in ClauseState::ALL {
        let _ = writeln!(out, "| {} | {} |", state.word(), summary.count(state));
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
        let _ = writeln!(
            out,
            "{}\n\n{}",
            cell(&place.place()),
            fence(&place.message())
        );
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
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let ticks = "`".repeat(longest.max(2) + 1);
    format!("{ticks}text\n{}\n{ticks}", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

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
