//! The reports for GitHub Actions: annotations, a line each, and the step summary in Markdown.

use std::fmt::Write as _;

use super::block::{Block, blocks};
use super::curl;
use super::duration;
use super::escape::visible;
use super::run_summary::RunSummary;
use super::unjudged::{not_asked, unjudged};
use crate::event::Outcome;

/// GitHub shows a summary of at most a MiB, and none at all of a longer one.
const LONGEST_SUMMARY: usize = 900_000;

/// The annotations: an error for each broken clause and each stale deviation, a notice for what is
/// known, a warning for each reason why something was not judged.
#[must_use]
pub fn annotations(summary: &RunSummary<'_>) -> String {
    let mut out = String::new();
    for block in blocks(summary) {
        let first = block.first();
        let row = summary.row(block.clause(summary));
        let place = row.map(|row| (row.file.as_str(), row.line.to_string()));
        let place = place.as_ref().map(|(file, line)| (*file, line.as_str()));
        let level = if block.is_known() { "notice" } else { "error" };
        let text = row.map_or("", |row| row.text.as_str());
        let body = format!("{}\n{}\n{text}", first.message(), first.place());
        annotation(
            &mut out,
            level,
            place,
            &block.headline(summary),
            body.trim_end(),
        );
    }
    for note in summary.notes() {
        let title = format!("{} is noted", note.clause);
        annotation(&mut out, "notice", None, &title, &note.message());
    }
    for stale in &summary.stale {
        let place = stale.place.rsplit_once(':').unwrap_or((&stale.place, "1"));
        let title = "a known deviation is none any more";
        annotation(&mut out, "error", Some(place), title, &stale.message);
    }
    let level = match summary.unreachable() {
        Some(_) => "error",
        None => "warning",
    };
    for reason in unjudged(summary) {
        let body = format!("{}\nin {}", reason.headline(), reason.place());
        annotation(&mut out, level, None, "not judged", &body);
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
    visible(&text.replace("\r\n", "\n"))
        .replace('%', "%25")
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
        "## Contract tests\n\n| passed | failed | known | skipped | not asked | unreachable | took |\n|---|---|---|---|---|---|---|\n| {} | {} | {} | {} | {} | {} | {} |\n\n",
        sum.passed,
        sum.failed,
        sum.known,
        sum.skipped,
        sum.not_asked,
        sum.unreachable,
        duration(sum.took_ms)
    );
    if let Some(spending) = sum.spending {
        let _ = writeln!(out, "{spending}\n");
    }
    if sum.judged_nothing() {
        out.push_str("**Nothing was judged.**\n\n");
    }
    for stale in &summary.stale {
        let message = fence(&stale.message);
        let _ = writeln!(out, "A known deviation is none any more:\n\n{message}\n");
    }
    for block in blocks(summary) {
        let section = self::block(summary, &block);
        if out.len() + section.len() > LONGEST_SUMMARY {
            out.push_str("More is broken than this page holds: see the other reports.\n\n");
            break;
        }
        out.push_str(&section);
    }
    for reason in unjudged(summary) {
        let (headline, place) = (reason.headline(), reason.place());
        let _ = writeln!(out, "### {}\n\nIn {}\n", cell(&headline), cell(&place));
        if let Some(curl) = reason.curl(summary) {
            let _ = writeln!(out, "{}\n", fence(&curl));
        }
    }
    let notes = summary.notes();
    if !notes.is_empty() {
        out.push_str("### Noted, and not broken\n\n");
        for note in notes {
            let _ = writeln!(out, "- {}", cell(&note.message()));
        }
        out.push('\n');
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
    for line in not_asked(summary) {
        let _ = writeln!(out, "Not asked here: {}\n", cell(&line));
    }
    out.push_str("### Clauses\n\n| state | clauses |\n|---|---|\n");
    for (word, number) in summary.counts() {
        let _ = writeln!(out, "| {word} | {number} |");
    }
    out
}

fn block<'e>(summary: &RunSummary<'e>, block: &Block<'e>) -> String {
    let first = block.first();
    let mut out = format!(
        "### {}\n\n{}\n\n{}\n\n",
        cell(&block.title()),
        cell(&block.headline(summary)),
        fence(&first.message())
    );
    if let Some(call) = first.call() {
        let _ = writeln!(out, "{}\n", cell(&call));
    }
    if let Some(row) = summary.row(block.clause(summary)) {
        let _ = writeln!(out, "{} ({})\n", cell(&row.text), cell(&row.section));
    }
    let _ = writeln!(out, "In {}\n", cell(&first.place()));
    if let Some(others) = block.others() {
        let _ = writeln!(out, "{}\n", cell(&others));
    }
    if let Some(why) = first.known {
        let _ = writeln!(out, "Known: {}\n", cell(why));
    }
    if let Some(curl) = curl::of_breach(summary, first) {
        let _ = writeln!(out, "{}\n", fence(&curl));
    }
    for line in block.consequences() {
        let _ = writeln!(out, "- so also {}", cell(&line));
    }
    out.push('\n');
    out
}

/// A text as Markdown shows it, wherever it stands: one line, nothing in it obeyed.
pub(crate) fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in visible(text).chars() {
        match c {
            '\n' => out.push(' '),
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
pub(crate) fn fence(text: &str) -> String {
    let text = visible(text);
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
        ::error file=fixtures/contract/clauses.toml,line=4,title=b.broken%3A broken in 1 of 2 cases that ask for it::the status: expected 200, found 404%0Aone.is-broken: an.operation, step 2%0ATwo bodies are the same & <b>equal</b> | always.
        ::error file=fixtures/contract/clauses.toml,line=4,title=b.broken%3A broken in 1 of 2 cases that ask for it::the body differs from what it must be%0A--- expected%0A+++ found%0A@@ -1,4 +1,4 @@%0A {%0A   "a": 1,%0A-  "b": 2%0A+  "b": 3%0A }%0Aone.is-broken: an.operation, step 1%0ATwo bodies are the same & <b>equal</b> | always.
        ::error file=fixtures/contract/clauses.toml,line=4,title=b.broken%3A broken in 1 of 2 cases that ask for it::expected a text, found </script><img src=x onerror=alert(1)> ```%0A::error::x, 100%25 at error.message%0Aone.is-broken: hostile, step 1%0ATwo bodies are the same & <b>equal</b> | always.
        ::notice file=fixtures/contract/clauses.toml,line=4,title=c.known%3A known%2C broken in the one case that asks for it; seen once in 3 tries::the status: expected 202, found 200%0Aone.is-known: an.operation, step 1%0ASomething else holds.
        ::notice title=a.held is noted::a.held: `data.new`: a member the specification does not name \u{1b}[31m\u{202e} (3 times, first in one.holds: an.operation, step 2)
        ::error file=known.toml,line=7,title=a known deviation is none any more::it holds now: take the entry out
        ::error title=not judged::not judged: no answer: no connection: refused%0Ain one.is-lost: an.operation, step 1
        ::error title=not judged::not judged: there is no live key for this run%0Ain one.is-skipped: an.operation (live), step 1
        "#);
    }

    #[test]
    fn the_summary_is_markdown() {
        let events = sample::events();
        insta::assert_snapshot!(summary(&RunSummary::of(&events)));
    }

    #[test]
    fn what_the_runner_would_obey_is_escaped() {
        assert_eq!(escaped("50%\r\n::error::x"), "50%25%0A::error::x");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
        assert_eq!(fence("a ``` b"), "````text\na ``` b\n````");
    }
}
