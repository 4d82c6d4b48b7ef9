//! The report for people: a line a check while the run goes on, then what is broken, by clause, and
//! a plain last line.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::counted;
use super::curl;
use super::run_summary::{Breach, RunSummary};
use crate::event::{CheckResult, Event, Outcome};

/// How many places of one breach are shown: a service may break one rule in hundreds of answers.
const SHOWN: usize = 3;

/// How long a line of what was found may be; the other reports show the rest.
const LONGEST: usize = 2_000;

/// Prints a line a check while the run goes on, and in the end what is broken, by clause.
#[derive(Debug)]
pub struct HumanReport<W> {
    out: W,
    events: Vec<Event>,
}

impl<W: Write> HumanReport<W> {
    /// A report that goes there.
    pub fn new(out: W) -> Self {
        HumanReport {
            out,
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
        .map_or(String::new(), |why| format!(": {why}"));
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
    for (clause, places) in summary.breaches() {
        out.push('\n');
        out.push_str(&breach(summary, clause, &places));
    }
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
        let _ = writeln!(out, "the service did not answer: {why}");
    }
    if sum.judged() == 0 {
        out.push_str("nothing was judged\n");
    }
    out
}

/// A clause that is broken: its wording, where it stands, and where that was seen.
fn breach(summary: &RunSummary<'_>, clause: &str, places: &[Breach<'_>]) -> String {
    let news = places.iter().filter(|breach| breach.known.is_none());
    let word = match news.count() {
        0 => "known, broken",
        _ => "broken",
    };
    let times = counted(places.len(), "time");
    let mut out = format!("{clause}: {word} {times}\n");
    if let Some(row) = summary.row(clause) {
        let _ = writeln!(out, "  {} ({})", row.text, row.section);
    }
    for place in places.iter().take(SHOWN) {
        let message = short(&indented(&place.message()));
        let _ = writeln!(out, "  {}: {}", place.place(), message.trim_start());
        if let Some(why) = place.known {
            let _ = writeln!(out, "  known: {why}");
        }
        if let Some(curl) = curl::of_breach(summary, place) {
            let _ = writeln!(out, "  $ {}", short(&plain(&curl)));
        }
    }
    if places.len() > SHOWN {
        let _ = writeln!(out, "  and {} more", places.len() - SHOWN);
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
    let text = lines.collect::<Vec<_>>().join("\n");
    let tame = |c: char| match c.is_control() && c != '\n' {
        true => '\u{fffd}',
        false => c,
    };
    text.chars().map(tame).collect()
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
        let mut human = HumanReport::new(Vec::new());
        for event in sample::events() {
            human.take(&event).expect("memory takes all");
        }
        let report = String::from_utf8(human.out).expect("a report is text");
        insta::assert_snapshot!(report);
    }

    #[test]
    fn what_a_terminal_would_obey_is_not_printed() {
        assert_eq!(plain("a\u{1b}[31mb\nc"), "a\u{fffd}[31mb\nc");
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
