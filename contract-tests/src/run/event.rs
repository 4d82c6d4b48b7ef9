//! What happens in a run, as values: all that reporters know of it.

use crate::verdict::{Finding, Verdict};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The run begins.
    Began {
        /// How many checks there are to run.
        checks: usize,
        /// What makes the run's keys and references its own.
        seed: String,
    },
    /// A check was judged.
    Judged(Judged),
    /// The run is over.
    Ended(Summary),
}

/// A check and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Its id.
    pub check: &'static str,
    /// Its title.
    pub title: &'static str,
    /// How many cases it ran.
    pub cases: usize,
    /// How many requests it sent.
    pub requests: usize,
    /// Every verdict.
    pub findings: Vec<Finding>,
    /// Why some calls had no answer, where there are such.
    pub unreachable: Option<String>,
}

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All was judged and held.
    Passed,
    /// Something is broken.
    Failed,
    /// Something was not judged: never passed.
    Skipped {
        /// Why.
        why: String,
    },
}

/// The sum of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Checks of which all was judged and held.
    pub passed: usize,
    /// Checks that found something broken.
    pub failed: usize,
    /// Checks of which something was not judged.
    pub skipped: usize,
    /// Checks that did not reach the service.
    pub unreachable: usize,
}

impl Judged {
    /// What became of it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let mut why = None;
        let mut held = false;
        for finding in &self.findings {
            match &finding.verdict {
                Verdict::Broken { .. } => return Outcome::Failed,
                Verdict::Held { .. } => held = true,
                Verdict::Skipped { why: reason } => why = why.or(Some(reason.clone())),
            }
        }
        match (why, held) {
            (Some(why), _) => Outcome::Skipped { why },
            (None, true) => Outcome::Passed,
            (None, false) => Outcome::Skipped {
                why: "none of it is asked here".to_owned(),
            },
        }
    }
}

impl Summary {
    /// Counts one more check.
    pub fn count(&mut self, judged: &Judged) {
        match judged.outcome() {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped { .. } => self.skipped += 1,
        }
        self.unreachable += usize::from(judged.unreachable.is_some());
    }
}
