//! The events of a run put together, as every report looks at them. Says nothing itself.

use std::collections::{BTreeMap, BTreeSet};

use crate::capture::Exchange;
use crate::diff;
use crate::event::{CheckResult, ClauseRow, Coverage, Event, RunStarted, StaleDeviation, Totals};
use crate::verdict::{Finding, Verdict};

/// A run, put together.
#[derive(Debug, Clone)]
pub struct RunSummary<'e> {
    /// What was going to be run; none where the run never began.
    pub started: Option<&'e RunStarted>,
    /// Every check, in the order they were run.
    pub results: Vec<&'e CheckResult>,
    /// Known deviations that are none any more.
    pub stale: Vec<&'e StaleDeviation>,
    /// The sum.
    pub totals: Totals,
}

/// What a run says of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClauseState {
    /// It does not hold somewhere.
    Broken,
    /// It does not hold, where that is known, and holds everywhere else.
    Known,
    /// Something of it was to be judged and was not.
    Skipped,
    /// It held wherever it was asked.
    Proven,
    /// Nothing asked it.
    NotAsked,
    /// A check proves it, but not in this run.
    Excluded,
}

/// Something that is broken.
#[derive(Debug, Clone, Copy)]
pub struct Breach<'e> {
    /// The check that found it.
    pub result: &'e CheckResult,
    /// The case and the step.
    pub finding: &'e Finding,
    /// The clause.
    pub clause: &'e str,
    /// What was looked at.
    pub what: &'e str,
    /// What must be.
    pub expected: &'e str,
    /// What is.
    pub found: &'e str,
    /// Why it is known, where it is.
    pub known: Option<&'e str>,
}

impl ClauseState {
    /// All of them in a word or two, the worst first.
    pub const ALL: [(ClauseState, &str); 6] = [
        (ClauseState::Broken, "broken"),
        (ClauseState::Known, "known"),
        (ClauseState::Skipped, "skipped"),
        (ClauseState::Proven, "proven"),
        (ClauseState::NotAsked, "not asked"),
        (ClauseState::Excluded, "excluded"),
    ];

    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        let mut all = ClauseState::ALL.iter();
        all.find(|(state, _)| *state == self)
            .map_or("", |(_, word)| word)
    }
}

impl<'e> RunSummary<'e> {
    /// What these events show.
    #[must_use]
    pub fn of(events: &'e [Event]) -> Self {
        let mut summary = RunSummary {
            started: None,
            results: Vec::new(),
            stale: Vec::new(),
            totals: Totals::default(),
        };
        for event in events {
            match event {
                Event::RunStarted(started) => summary.started = Some(started),
                Event::CheckStarted { .. } => {}
                Event::CheckFinished(result) => summary.results.push(result),
                Event::StaleDeviation(stale) => summary.stale.push(stale),
                Event::RunFinished(totals) => summary.totals = *totals,
            }
        }
        summary
    }

    /// Why the service did not answer, where it did not.
    #[must_use]
    pub fn unreachable(&self) -> Option<&'e str> {
        let mut results = self.results.iter();
        results.find_map(|result| result.unreachable.as_deref())
    }

    /// The seed, empty where the run never began.
    #[must_use]
    pub fn seed(&self) -> &'e str {
        self.started.map_or("", |started| started.seed.as_str())
    }

    /// Every clause of the contract and what the run says of it, with the reason where it says
    /// nothing.
    #[must_use]
    pub fn clauses(&self) -> Vec<(&'e ClauseRow, ClauseState, &'e str)> {
        let (mut broken, mut known) = (BTreeSet::new(), BTreeSet::new());
        let (mut held, mut open) = (BTreeSet::new(), BTreeSet::new());
        for result in &self.results {
            open.extend(result.open.iter().map(String::as_str));
            for finding in &result.findings {
                match &finding.verdict {
                    Verdict::Held { clause } => held.insert(clause.as_str()),
                    Verdict::Broken {
                        clause,
                        known: None,
                        ..
                    } => broken.insert(clause.as_str()),
                    Verdict::Broken { clause, .. } => known.insert(clause.as_str()),
                    Verdict::Noted { .. } | Verdict::NotJudged { .. } => false,
                };
            }
        }
        let rows = self.started.map_or(&[][..], |started| &started.clauses);
        let state = |row: &'e ClauseRow| {
            let id = row.id.as_str();
            let (state, why) = match &row.coverage {
                _ if broken.contains(id) => (ClauseState::Broken, ""),
                _ if open.contains(id) => (ClauseState::Skipped, "some of it was not judged"),
                _ if known.contains(id) => (ClauseState::Known, ""),
                _ if held.contains(id) => (ClauseState::Proven, ""),
                Coverage::ByCase => (ClauseState::Skipped, "nothing of it was judged"),
                Coverage::ByEveryAnswer => {
                    (ClauseState::NotAsked, "no answer was one it speaks of")
                }
                Coverage::Excluded { why } => (ClauseState::Excluded, why.as_str()),
                Coverage::Uncovered => (ClauseState::NotAsked, "no check proves it yet"),
            };
            (row, state, why)
        };
        rows.iter().map(state).collect()
    }

    /// Every state in a word or two, and how many clauses are in it.
    #[must_use]
    pub fn counts(&self) -> [(&'static str, usize); 6] {
        let clauses = self.clauses();
        let of = |state| clauses.iter().filter(|(_, is, _)| *is == state).count();
        ClauseState::ALL.map(|(state, word)| (word, of(state)))
    }

    /// All that is broken, by clause; what is known comes behind what is not.
    #[must_use]
    pub fn breaches(&self) -> BTreeMap<&'e str, Vec<Breach<'e>>> {
        let mut breaches: BTreeMap<&str, Vec<Breach<'e>>> = BTreeMap::new();
        for result in &self.results {
            for breach in Breach::all(result) {
                breaches.entry(breach.clause).or_default().push(breach);
            }
        }
        for places in breaches.values_mut() {
            places.sort_by_key(|breach| breach.known.is_some());
        }
        breaches
    }

    /// The row of a clause.
    #[must_use]
    pub fn row(&self, clause: &str) -> Option<&'e ClauseRow> {
        let mut rows = self.started?.clauses.iter();
        rows.find(|row| row.id == clause)
    }
}

impl<'e> Breach<'e> {
    /// All that a check found broken.
    pub fn all(result: &'e CheckResult) -> impl Iterator<Item = Self> {
        let findings = result.findings.iter();
        findings.filter_map(|finding| Breach::of(result, finding))
    }

    /// What a finding says is broken, where it does.
    #[must_use]
    pub fn of(result: &'e CheckResult, finding: &'e Finding) -> Option<Self> {
        let Verdict::Broken {
            clause,
            what,
            expected,
            found,
            known,
        } = &finding.verdict
        else {
            return None;
        };
        Some(Breach {
            result,
            finding,
            clause,
            what,
            expected,
            found,
            known: known.as_deref(),
        })
    }

    /// Where it was found: check, case and step.
    #[must_use]
    pub fn place(&self) -> String {
        let Finding { case, step, .. } = self.finding;
        format!("{}: {case}, step {}", self.result.check, step + 1)
    }

    /// The difference of the bodies, where both are known.
    #[must_use]
    pub fn diff(&self) -> Option<String> {
        diff::between(self.expected, self.found)
    }

    /// What is broken, over a line or more, the difference included.
    #[must_use]
    pub fn message(&self) -> String {
        let (what, expected, found) = (self.what, self.expected, self.found);
        match self.diff() {
            Some(diff) => format!("{what} differs\n{}", diff.trim_end()),
            None => format!("{what}\nexpected {expected}\n   found {found}"),
        }
    }

    /// The call it was found in.
    #[must_use]
    pub fn exchange(&self) -> Option<&'e Exchange> {
        let case = self.result.evidence(&self.finding.case)?;
        case.exchanges.get(self.finding.step)
    }
}
