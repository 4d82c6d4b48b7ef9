//! The report for people: a line a check while the run goes on, then what is broken, equal findings once,
//! what is only noted, and a plain last line.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::block::{Block, blocks};
use super::curl;
use super::escape::visible;
use super::run_summary::{Breach, RunSummary};
use super::unjudged::{SILENCE, not_asked, unjudged};
use super::{counted, duration};
use crate::event::{CaseTime, CheckResult, Event, Outcome};

/// How long a line of what was found may be; the other reports show the rest.
const LONGEST: usize = 2_000;

/// How many of the slowest checks are named.
const SLOWEST: usize = 5;

/// What has a line while the run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Every check that has cases here.
    Checks,
    /// Every check, and every case before it.
    Cases,
    /// Every check that finds something broken.
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

    /// Whether a check has a line. Where a run was halted one says why, and not each that was not sent.
    fn shows(&self, result: &CheckResult) -> bool {
        let outcome = result.outcome();
        let mut before = self.events.iter().rev().filter_map(|event| match event {
            Event::CheckFinished(before) => Some(before),
            _ => None,
        });
        let halted = outcome
            .why()
            .is_some_and(|why| why.starts_with("not sent: "));
        let silent = outcome.why().is_some_and(|why| why.starts_with(SILENCE));
        let mut again = || silent || halted && before.any(|before| before.outcome() == outcome);
        match self.lines {
            Lines::Checks if matches!(outcome, Outcome::NotAsked { .. }) => false,
            Lines::Checks => !again(),
            Lines::Cases => true,
            Lines::Failed => outcome == Outcome::Failed,
        }
    }

    /// Takes in what happened.
    ///
    /// # Errors
    /// Where it cannot be printed.
    pub fn take(&mut self, event: &Event) -> io::Result<()> {
        let shown = matches!(event, Event::CheckFinished(result) if self.shows(result));
        if !matches!(event, Event::CaseFinished(_)) {
            self.events.push(event.clone());
        }
        match event {
            Event::RunStarted(started) => {
                let checks = counted(started.checks, "check");
                let cases = counted(started.cases, "case");
                let (seed, profile) = (&started.seed, started.profile);
                writeln!(
                    self.out,
                    "{checks}, {cases}, profile {profile}, seed {seed}"
                )
            }
            Event::CheckStarted { .. } | Event::StaleDeviation(_) => Ok(()),
            Event::CaseFinished(one) if self.lines == Lines::Cases => {
                writeln!(self.out, "{}", case_line(one))
            }
            Event::CaseFinished(_) => Ok(()),
            Event::CheckFinished(result) if shown => writeln!(self.out, "{}", line(result)),
            Event::CheckFinished(_) => Ok(()),
            Event::RunFinished(_) => {
                write!(self.out, "{}", end(&RunSummary::of(&self.events)))?;
                self.out.flush()
            }
        }
    }
}

/// A check in one line.
fn line(result: &CheckResult) -> String {
    let (word, why) = word(&result.outcome());
    let requests = counted(result.requests, "request");
    let took = duration(result.took_ms());
    format!("{word:>7}  {} ({requests}, {took}){why}", result.check)
}

/// A case in one line, with what was in the way of its earlier tries.
fn case_line(one: &CheckResult) -> String {
    let (word, why) = word(&one.outcome());
    let time = |time: &CaseTime| {
        let took = duration(time.took_ms);
        let tries = match time.tried_again.as_slice() {
            [] => String::new(),
            before => {
                let tries = counted(before.len() + 1, "try").replace("trys", "tries");
                format!(", {tries}: {} came first", before.join(", then "))
            }
        };
        plain(&format!("{}: {} ({took}{tries})", one.check, time.case))
    };
    let cases: Vec<_> = one.times.iter().map(time).collect();
    format!("{word:>9}  {}{why}", cases.join("; "))
}

/// An outcome in a word, and its reason behind a colon.
fn word(outcome: &Outcome) -> (&'static str, String) {
    let why = outcome.why();
    let why = why.map_or(String::new(), |why| plain(&format!(": {why}")));
    match outcome {
        Outcome::Failed => ("FAILED", why),
        _ => (outcome.word(), why),
    }
}

/// The text that follows the last check.
fn end(summary: &RunSummary<'_>) -> String {
    let mut out = String::new();
    for block in blocks(summary) {
        out.push('\n');
        out.push_str(&self::block(summary, &block));
    }
    out.push_str(&not_judged(summary));
    out.push_str(&notes(summary));
    if !summary.stale.is_empty() {
        out.push_str("\nknown deviations that are none any more:\n");
        for stale in &summary.stale {
            let _ = writeln!(out, "{}", indented(&stale.message));
        }
    }
    out.push_str(&sums(summary));
    if summary.totals.judged_nothing() {
        out.push_str("nothing was judged\n");
    }
    if let Some(why) = summary.unreachable() {
        let _ = writeln!(out, "the service did not answer: {}", plain(why));
    }
    out
}

/// The run in numbers.
fn sums(summary: &RunSummary<'_>) -> String {
    let mut out = String::new();
    let not_asked = not_asked(summary);
    if !not_asked.is_empty() {
        out.push_str("\nnot asked here:\n");
    }
    for line in not_asked {
        let _ = writeln!(out, "  {line}");
    }
    let console = summary.console();
    if !console.is_empty() {
        let asked = console.iter();
        let asked = asked.map(|(what, times)| format!("{what} {}", counted(*times, "time")));
        let asked = asked.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "\nasked of the console: {asked}");
    }
    let states = summary.counts();
    let states = states.map(|(word, number)| format!("{number} {word}"));
    let _ = writeln!(out, "\nclauses: {}", states.join(", "));
    let sum = summary.totals;
    if sum.took_ms > 0 {
        let slowest = summary.slowest(SLOWEST).into_iter();
        let slowest = slowest.map(|(check, took)| format!("{check} {}", duration(took)));
        let slowest = slowest.collect::<Vec<_>>().join(", ");
        let _ = writeln!(out, "took {}; slowest: {slowest}", duration(sum.took_ms));
    }
    let (passed, failed, skipped) = (sum.passed, sum.failed, sum.skipped);
    let known = match sum.known {
        0 => String::new(),
        known => format!(", {known} known"),
    };
    let not_asked = match sum.not_asked {
        0 => String::new(),
        not_asked => format!(", {not_asked} not asked here"),
    };
    let _ = writeln!(
        out,
        "{passed} passed, {failed} failed{known}, {skipped} skipped{not_asked}"
    );
    out
}

/// What was to be judged and was not, equal reasons once.
fn not_judged(summary: &RunSummary<'_>) -> String {
    let mut out = String::new();
    for reason in unjudged(summary) {
        let _ = writeln!(out, "\n{}", short(&plain(&reason.headline())));
        if let Some(call) = reason.call() {
            let _ = writeln!(out, "  call: {}", plain(&call));
        }
        let _ = writeln!(out, "{}", indented(&format!("in {}", reason.place())));
        if let Some(curl) = reason.curl(summary) {
            let _ = writeln!(out, "  $ {}", short(&plain(&curl)));
        }
    }
    out
}

/// Findings that are equal: the wording of the clause, what is wrong, where, how to see it again, what follows.
fn block<'e>(summary: &RunSummary<'e>, block: &Block<'e>) -> String {
    let first = block.first();
    let mut out = format!("{}\n", short(&plain(&block.title())));
    if let Some((_, more)) = first.message().split_once('\n') {
        let _ = writeln!(out, "{}", short(&indented(more)));
    }
    if let Some(call) = first.call() {
        let _ = writeln!(out, "  call: {}", plain(&call));
    }
    let _ = writeln!(out, "  {}", plain(&block.headline(summary)));
    if let Some(row) = summary.row(block.clause(summary)) {
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
    if first.finding.step > 0 {
        let step = first.finding.step + 1;
        let _ = writeln!(
            out,
            "  it is step {step} of its case: `--failures DIR` saves the case, `svc-contract-tests replay` sends all of it"
        );
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
        let seen = breach
            .seen
            .map_or(String::new(), |seen| format!(" ({seen})"));
        let _ = writeln!(out, "{clause}: {case}, step {step}: {message}{seen}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Coverage;
    use crate::report::tests::sample;
    use crate::verdict::{Finding, Verdict};

    #[test]
    fn a_run_is_reported_by_check_and_then_by_clause() {
        let mut human = HumanReport::new(Vec::new(), Lines::Checks);
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
        let failed = " FAILED  one.is-broken (7 requests, 1.5 s)";
        assert_eq!(
            lines,
            ["6 checks, 7 cases, profile provider, seed s", failed, ""]
        );
        assert!(!report.contains(is_obeyed_in_a_line), "{report}");
    }

    #[test]
    fn a_verbose_report_has_a_line_for_each_case_with_its_time_and_its_tries() {
        let mut human = HumanReport::new(Vec::new(), Lines::Cases);
        for event in sample::events() {
            human.take(&event).expect("memory takes all");
        }
        let report = String::from_utf8(human.out).expect("a report is text");
        let lines: Vec<_> = report.lines().skip(1).take(5).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
          passed  one.holds: an.operation (550 ms)
        passed  one.holds (5 requests, 550 ms)
          FAILED  one.is-broken: an.operation (770 ms, 3 tries: no answer in time, then a broken connection came first)
          FAILED  one.is-broken: hostile (770 ms)
        FAILED  one.is-broken (7 requests, 1.5 s)
        ");
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
    fn what_nobody_asked_for_is_counted_where_it_is_broken() {
        let mut events = sample::events();
        if let Some(Event::RunStarted(started)) = events.first_mut() {
            for row in &mut started.clauses {
                row.coverage = Coverage::NotAskedFor;
            }
        }
        let report = end(&RunSummary::of(&events));
        let none = "0 skipped, 0 proven, 0 asked, 0 not asked, 0 excluded";
        let counted = format!("\nclauses: 1 broken, 1 known, {none}\n");
        assert!(report.contains(&counted), "{report}");
    }

    #[test]
    fn what_a_ruling_says_is_noted_once_with_the_first_answer_that_differs() {
        let noted = |clause: &str, found: &str| Finding {
            case: "two people".to_owned(),
            step: 0,
            verdict: Verdict::Noted {
                clause: clause.to_owned(),
                what: "it is not so that both agree".to_owned(),
                found: found.to_owned(),
            },
        };
        let check = CheckResult {
            check: "a.check",
            findings: ["a.clause", "ruling.1"]
                .into_iter()
                .flat_map(|clause| [noted(clause, "1 and 2"), noted(clause, "3 and 4")])
                .collect(),
            ..CheckResult::default()
        };
        let notes = notes(&RunSummary::of(&[Event::CheckFinished(check)]));
        insta::assert_snapshot!(notes.trim(), @"
        noted, and not broken:
          a.clause: it is not so that both agree: 1 and 2 (1 time, first in a.check: two people, step 1)
          a.clause: it is not so that both agree: 3 and 4 (1 time, first in a.check: two people, step 1)
          ruling.1: it is not so that both agree: 1 and 2 (2 times, first in a.check: two people, step 1)
        ");
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
