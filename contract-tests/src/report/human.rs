//! The report for people: a line a check while the run goes on, then what is broken, equal findings once,
//! what is only noted, and a plain last line.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::block::{Block, blocks};
use super::counted;
use super::curl;
use super::escape::visible;
use super::run_summary::{Breach, RunSummary};
use crate::event::{CheckResult, Event, Outcome};

/// How long a line of what was found may be; the other reports show the rest.
const LONGEST: usize = 2_000;

/// Which checks have a line while the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Every one.
    All,
    /// Those that find something broken.
    Failed,
}

/// Prints a line a check while the run goes on, and in the end what is broken.
#[derive(Debug)]
pub struct HumanReport<W> {
    out: W,
    lines: Lines,
    events: Vec<Event>,
}

impl<W: Write> HumanReport<W> {
    /// A report that goes there.
    pub fn new(out: W, lines: Lines) -> Self {
        HumanReport {
            out,
            lines,
            events: Vec::new(),
        }
    }

    /// Takes in what happened.
    ///
    /// # Errors
    /// Where it cannot be printed.
    pub fn take(&mut self, event: &Event) -> io::Result<()> {
        self.events.push(event.clone());
        match event {
            Event::RunStarted(started) => {
                let checks = counted(started.checks, "check");
                writeln!(self.out, "{checks}, seed {}", started.seed)
            }
            Event::CheckStarted { .. } | Event::StaleDeviation(_) => Ok(()),
            Event::CheckFinished(result)
                if self.lines == Lines::Failed && result.outcome() != Outcome::Failed =>
            {
                Ok(())
            }
            Event::CheckFinished(result) => writeln!(self.out, "{}", line(result)),
            Event::RunFinished(_) => {
                write!(self.out, "{}", end(&RunSummary::of(&self.events)))?;
                self.out.flush()
            }
        }
    }
}

/// A check in one line.
fn line(result: &CheckResult) -> String {
    let outcome = result.outcome();
    let why = outcome
        .why()
        .map_or(String::new(), |why| plain(&format!(": {why}")));
    let word = match outcome {
        Outcome::Failed => "FAILED",
        _ => outcome.word(),
    };
    let requests = counted(result.requests, "request");
    format!("{word:>7}  {} ({requests}){why}", result.check)
}

/// The text that follows the last check.
fn end(summary: &RunSummary<'_>) -> String {
    let mut out = String::new();
    for block in blocks(summary) {
        out.push('\n');
        out.push_str(&self::block(summary, &block));
    }
    out.push_str(&notes(summary));
    if !summary.stale.is_empty() {
        out.push_str("\nknown deviations that are none any more:\n");
        for stale in &summary.stale {
            let _ = writeln!(out, "{}", indented(&stale.message));
        }
    }
    let states = summary.counts();
    let states = states.map(|(word, number)| format!("{number} {word}"));
    let _ = writeln!(out, "\nclauses: {}", states.join(", "));
    let sum = summary.totals;
    let (passed, failed, skipped) = (sum.passed, sum.failed, sum.skipped);
    let known = match sum.known {
        0 => String::new(),
        known => format!(", {known} known"),
    };
    let _ = writeln!(
        out,
        "{passed} passed, {failed} failed{known}, {skipped} skipped"
    );
    if let Some(why) = summary.unreachable() {
        let _ = writeln!(out, "the service did not answer: {}", plain(why));
    }
    if sum.judged() == 0 {
        out.push_str("nothing was judged\n");
    }
    out
}

/// Findings that are equal: the wording of the clause, what is wrong, where, how to see it again, what follows.
fn block(summary: &RunSummary<'_>, block: &Block<'_>) -> String {
    let first = block.first();
    let mut out = format!("{}\n", block.headline(summary));
    let _ = writeln!(out, "{}", short(&indented(&first.message())));
    if let Some(row) = summary.row(first.clause) {
        let _ = writeln!(out, "  rule: {} ({})", row.text, row.section);
    }
    let _ = writeln!(out, "{}", indented(&format!("in {}", first.place())));
    if let Some(others) = block.others() {
        let _ = writeln!(out, "{}", indented(&others));
    }
    if let Some(why) = first.known {
        let _ = writeln!(out, "{}", indented(&format!("known: {why}")));
    }
    if let Some(curl) = curl::of_breach(summary, first) {
        let _ = writeln!(out, "  $ {}", short(&plain(&curl)));
    }
    for line in block.consequences() {
        let _ = writeln!(out, "    so also {}", short(&plain(&line)));
    }
    out
}

/// What is remarkable and breaks nothing.
fn notes(summary: &RunSummary<'_>) -> String {
    let notes = summary.notes();
    let mut out = String::new();
    if !notes.is_empty() {
        out.push_str("\nnoted, and not broken:\n");
    }
    for note in notes {
        let _ = writeln!(out, "{}", short(&indented(&note.message())));
    }
    out
}

fn indented(text: &str) -> String {
    let lines = text.trim_end().lines().map(|line| format!("  {line}"));
    plain(&lines.collect::<Vec<_>>().join("\n"))
}

/// Without what a terminal would obey, or GitHub where it reads the log: an answer may hold anything.
fn plain(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let command = line.trim_start();
        match command.starts_with("::") || command.starts_with("##") {
            true => format!("|{line}"),
            false => line.to_owned(),
        }
    });
    visible(&lines.collect::<Vec<_>>().join("\n"))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// All that a check found broken.
#[must_use]
pub fn broken(result: &CheckResult) -> String {
    let mut out = String::new();
    for breach in Breach::all(result) {
        let (case, step) = (&breach.finding.case, breach.finding.step + 1);
        let (clause, message) = (breach.clause, breach.message());
        let _ = writeln!(out, "{clause}: {case}, step {step}: {message}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    #[test]
    fn a_run_is_reported_by_check_and_then_by_clause() {
        let mut human = HumanReport::new(Vec::new(), Lines::All);
        for event in sample::events() {
            human.take(&event).expect("memory takes all");
        }
        let report = String::from_utf8(human.out).expect("a report is text");
        insta::assert_snapshot!(report);
    }

    #[test]
    fn a_quiet_report_has_a_line_for_what_failed_alone() {
        let mut human = HumanReport::new(Vec::new(), Lines::Failed);
        for event in sample::events() {
            human.take(&event).expect("memory takes all");
        }
        let report = String::from_utf8(human.out).expect("a report is text");
        let lines: Vec<_> = report.lines().take(3).collect();
        let failed = " FAILED  one.is-broken (7 requests)";
        assert_eq!(lines, ["5 checks, seed s", failed, ""]);
        assert!(!report.contains(is_obeyed_in_a_line), "{report}");
    }

    fn is_obeyed_in_a_line(c: char) -> bool {
        c != '\n' && crate::report::escape::is_obeyed(c)
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_printed() {
        assert_eq!(plain("a\u{1b}[31mb\nc"), "a\\u{1b}[31mb\nc");
        assert_eq!(plain("a\n  ::error::b"), "a\n|  ::error::b");
    }

    #[test]
    fn nothing_judged_says_so() {
        let report = end(&RunSummary::of(&[]));
        assert!(
            report.ends_with("0 passed, 0 failed, 0 skipped\nnothing was judged\n"),
            "{report}"
        );
    }
}
