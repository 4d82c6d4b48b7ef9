//! What happens in a run, as values: all that reporters know of it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::capture::CapturedCase;
use crate::profile::Profile;
use crate::spend::Spending;
use crate::verdict::{Finding, Verdict};
use svc_fixtures::contract::Environment;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The run begins.
    RunStarted(RunStarted),
    /// A check is about to be run.
    CheckStarted {
        /// Its id.
        check: &'static str,
        /// How many cases it has here.
        cases: usize,
    },
    /// A case was judged: what its check will say of it.
    CaseFinished(CheckResult),
    /// A check was judged.
    CheckFinished(CheckResult),
    /// A known deviation is none any more.
    StaleDeviation(StaleDeviation),
    /// The run is over.
    RunFinished(Totals),
}

/// What is going to be run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunStarted {
    /// How many checks there are to run.
    pub checks: usize,
    /// How many cases they have.
    pub cases: usize,
    /// What makes the run's keys and references its own.
    pub seed: String,
    /// By which rules it is judged.
    pub profile: Profile,
    /// Where it is sent, where that is somewhere on the net.
    pub addresses: Vec<(Environment, String)>,
    /// Where its console is, where one was given.
    pub console: Option<String>,
    /// Every clause of the contract, and whether it is asked.
    pub clauses: Vec<ClauseRow>,
}

/// A clause of the contract, and whether this run asks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClauseRow {
    /// Its name.
    pub id: String,
    /// The section of the specification.
    pub section: String,
    /// Its wording.
    pub text: String,
    /// The file it stands in.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Whether it is asked.
    pub coverage: Coverage,
    /// How many planted defects are found by its name; without one it is asked and not proven.
    pub defects: usize,
}

/// Whether a run asks a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Coverage {
    /// Some case expects it.
    ByCase,
    /// Every answer is judged by it, where the clause applies to that answer.
    ByEveryAnswer,
    /// A check asks it, but not in this run.
    Excluded {
        /// Why.
        why: String,
    },
    /// No check asks it.
    Uncovered,
    /// Only others were asked for; a breach of it that is seen nevertheless counts.
    NotAskedFor,
}

/// A check and what became of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CheckResult {
    /// Its id.
    pub check: &'static str,
    /// Its title.
    pub title: &'static str,
    /// How many cases it ran.
    pub cases: usize,
    /// How many requests it sent.
    pub requests: usize,
    /// What of them it asked of the console: method and path, and how often.
    pub console: BTreeMap<String, usize>,
    /// Every verdict.
    pub findings: Vec<Finding>,
    /// The clauses of which something was to be judged and was not.
    pub open: BTreeSet<String>,
    /// What was exchanged in the cases that found something broken.
    pub evidence: Vec<CapturedCase>,
    /// Why some calls had no answer, where there are such.
    pub unreachable: Option<String>,
    /// How long each of its cases took, in the order they were run.
    pub times: Vec<CaseTime>,
    /// Why it has no case here, where it has none.
    pub not_asked: Option<String>,
}

/// How long a case took, and why it was tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CaseTime {
    /// Its name.
    pub case: String,
    /// How long all its tries took together.
    pub took_ms: u64,
    /// What was in the way of each try before the last one.
    pub tried_again: Vec<String>,
}

/// An entry of the list of known deviations that says what is no longer so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StaleDeviation {
    /// The file and the line it stands on.
    pub place: String,
    /// The check.
    pub check: String,
    /// The clause.
    pub clause: String,
    /// The entry as a person sees it, with what to do.
    pub message: String,
}

/// What became of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All was judged and held.
    Passed,
    /// Something is broken.
    Failed,
    /// What is broken is known, and all else was judged and held.
    Known,
    /// Something was not judged: never passed.
    Skipped {
        /// Why.
        why: String,
    },
    /// It has no case here.
    NotAsked {
        /// Why.
        why: String,
    },
}

/// The sum of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Checks of which all was judged and held.
    pub passed: usize,
    /// Checks that found something broken.
    pub failed: usize,
    /// Checks that found nothing broken but what is known.
    pub known: usize,
    /// Checks of which something was to be judged and was not.
    pub skipped: usize,
    /// Checks that have no case here.
    pub not_asked: usize,
    /// Checks that did not reach the service.
    pub unreachable: usize,
    /// Known deviations that are none any more.
    pub stale: usize,
    /// How often a clause held, also in checks of which something else was not judged.
    pub held: usize,
    /// How long the run took; 0 where nothing was sent.
    pub took_ms: u64,
    /// What it cost, where it had a budget.
    #[serde(skip)]
    pub spending: Option<Spending>,
}

/// What a run comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// Something is broken, or a known deviation is none any more.
    Broken,
    /// The service did not answer.
    Unreachable,
    /// Nothing was judged.
    Nothing,
    /// All that was judged held.
    Held,
}

impl Outcome {
    /// In one word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Known => "known",
            Outcome::Skipped { .. } => "skipped",
            Outcome::NotAsked { .. } => "not asked",
        }
    }

    /// Why something was not judged, where it was not.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        match self {
            Outcome::Skipped { why } | Outcome::NotAsked { why } => Some(why),
            Outcome::Passed | Outcome::Failed | Outcome::Known => None,
        }
    }

    /// What became of something, by all that was found of it.
    #[must_use]
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let (mut why, mut held, mut known) = (None, false, false);
        for finding in findings {
            match &finding.verdict {
                Verdict::Broken { known: None, .. } => return Outcome::Failed,
                Verdict::Broken { known: Some(_), .. } => known = true,
                Verdict::Held { .. } => held = true,
                Verdict::Noted { .. } => {}
                Verdict::NotJudged { why: reason } => why = why.or(Some(reason.clone())),
            }
        }
        match (why, known, held) {
            (Some(why), ..) => Outcome::Skipped { why },
            (None, true, _) => Outcome::Known,
            (None, false, true) => Outcome::Passed,
            (None, false, false) => Outcome::Skipped {
                why: "nothing of it was judged".to_owned(),
            },
        }
    }
}

impl CheckResult {
    /// What became of it.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match &self.not_asked {
            Some(why) if self.findings.is_empty() => Outcome::NotAsked { why: why.clone() },
            _ => Outcome::of(&self.findings),
        }
    }

    /// How long its cases took together.
    #[must_use]
    pub fn took_ms(&self) -> u64 {
        self.times.iter().map(|time| time.took_ms).sum()
    }

    /// How long a case took, and why it was tried again.
    #[must_use]
    pub fn time(&self, case: &str) -> Option<&CaseTime> {
        self.times.iter().find(|time| time.case == case)
    }

    /// Adds what was found in another case of the check.
    pub fn add(&mut self, case: CheckResult) {
        self.cases += case.cases;
        self.requests += case.requests;
        for (asked, times) in case.console {
            *self.console.entry(asked).or_default() += times;
        }
        self.findings.extend(case.findings);
        self.open.extend(case.open);
        self.evidence.extend(case.evidence);
        self.times.extend(case.times);
    }

    /// Its cases in order, each with all that was found of it.
    #[must_use]
    pub fn by_case(&self) -> Vec<(&str, Vec<&Finding>)> {
        let mut cases: Vec<(&str, Vec<&Finding>)> = Vec::new();
        for finding in &self.findings {
            match cases.last_mut().filter(|(name, _)| *name == finding.case) {
                Some((_, findings)) => findings.push(finding),
                None => cases.push((&finding.case, vec![finding])),
            }
        }
        cases
    }

    /// The exchanges of a case, where it is among the evidence.
    #[must_use]
    pub fn evidence(&self, case: &str) -> Option<&CapturedCase> {
        self.evidence.iter().find(|captured| captured.case == case)
    }
}

impl Totals {
    /// What it comes to. A breach outranks a lost connection: it was seen.
    #[must_use]
    pub fn end(&self) -> RunEnd {
        let judged = self.passed + self.known + self.held;
        match (self.failed + self.stale, self.unreachable, judged) {
            (1.., ..) => RunEnd::Broken,
            (0, 1.., _) => RunEnd::Unreachable,
            (0, 0, 0) => RunEnd::Nothing,
            (0, 0, 1..) => RunEnd::Held,
        }
    }

    /// Whether nothing was judged.
    #[must_use]
    pub fn judged_nothing(&self) -> bool {
        self.passed + self.failed + self.known + self.held == 0
    }

    /// Counts one more check.
    pub fn count(&mut self, result: &CheckResult) {
        match result.outcome() {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Known => self.known += 1,
            Outcome::Skipped { .. } => self.skipped += 1,
            Outcome::NotAsked { .. } => self.not_asked += 1,
        }
        let held = |finding: &&Finding| matches!(finding.verdict, Verdict::Held { .. });
        self.held += result.findings.iter().filter(held).count();
        self.unreachable += usize::from(result.unreachable.is_some());
    }
}
