//! The report for machines: one JSON document.

use serde::Serialize;
use serde_json::{Value, json};

use crate::run::{Event, Judged, Outcome};
use crate::verdict::{Finding, Verdict};

/// Gathers a run into one document.
#[derive(Debug, Default)]
pub struct Document {
    seed: String,
    checks: Vec<Value>,
    summary: Option<Value>,
}

#[derive(Serialize)]
struct Broken<'f> {
    clause: &'f str,
    case: &'f str,
    step: usize,
    what: &'f str,
    expected: &'f str,
    found: &'f str,
}

impl Document {
    /// Takes in what happened.
    pub fn take(&mut self, event: &Event) {
        match event {
            Event::Began { seed, .. } => self.seed.clone_from(seed),
            Event::Judged(judged) => self.checks.push(check(judged)),
            Event::Ended(summary) => {
                let (passed, failed, skipped) = (summary.passed, summary.failed, summary.skipped);
                self.summary =
                    Some(json!({ "passed": passed, "failed": failed, "skipped": skipped }));
            }
        }
    }

    /// The document.
    #[must_use]
    pub fn print(&self) -> String {
        format!(
            "{:#}\n",
            json!({ "seed": self.seed, "summary": self.summary, "checks": self.checks })
        )
    }
}

fn check(judged: &Judged) -> Value {
    let (outcome, why) = match judged.outcome() {
        Outcome::Passed => ("passed", None),
        Outcome::Failed => ("failed", None),
        Outcome::Skipped { why } => ("skipped", Some(why)),
    };
    let broken: Vec<_> = judged.findings.iter().filter_map(broken).collect();
    let held = judged
        .findings
        .iter()
        .filter(|finding| matches!(finding.verdict, Verdict::Held { .. }))
        .count();
    json!({
        "check": judged.check,
        "title": judged.title,
        "outcome": outcome,
        "why": why,
        "cases": judged.cases,
        "requests": judged.requests,
        "held": held,
        "broken": broken,
    })
}

fn broken(finding: &Finding) -> Option<Broken<'_>> {
    let Verdict::Broken {
        clause,
        what,
        expected,
        found,
    } = &finding.verdict
    else {
        return None;
    };
    let (case, step) = (finding.case.as_str(), finding.step + 1);
    Some(Broken {
        clause,
        case,
        step,
        what,
        expected,
        found,
    })
}
