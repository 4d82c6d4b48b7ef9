//! The runner: check after check, captured, then judged. Tells what happens as events; prints nothing.

mod clauses;
mod event;
mod save;

use std::collections::BTreeSet;

use crate::capture::{Capture, CapturedCase};
use crate::check::Check;
use crate::client::Client;
use crate::plan::{Case, Setting};
use crate::target::Target;
use crate::verdict::{self, Finding, Verdict};
pub use clauses::{clauses, rows};
pub use event::{Asked, Began, ClauseRow, Event, Judged, Outcome, Stale, Summary};
pub use save::without_personal_data;
use svc_fixtures::contract::Environment;

/// Which of the cases are run.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only those about this operation, or about operations below it.
    pub operation: Option<String>,
    /// Only those of checks whose id begins so.
    pub check: Option<String>,
    /// Only these: check and case.
    pub only: Option<BTreeSet<(String, String)>>,
}

impl Filter {
    /// Whether a check is run at all.
    #[must_use]
    pub fn lets_check(&self, check: &Check) -> bool {
        let begins = |wanted: &String| check.id.starts_with(wanted.as_str());
        let listed = |only: &BTreeSet<(String, String)>| only.iter().any(|(id, _)| id == check.id);
        self.check.as_ref().is_none_or(begins) && self.only.as_ref().is_none_or(listed)
    }

    fn lets_case(&self, case: &Case) -> bool {
        let Some(wanted) = &self.operation else {
            return true;
        };
        let below = |id: &str| {
            id.strip_prefix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        case.operation.as_deref().is_some_and(below)
    }

    /// The cases of a check that are run.
    #[must_use]
    pub fn cases(&self, check: &Check, setting: &Setting<'_>) -> Vec<Case> {
        let mut cases = check.cases(setting);
        cases.retain(|case| self.lets_case(case));
        if let Some(only) = &self.only {
            cases.retain(|case| only.contains(&(check.id.to_owned(), case.name.clone())));
        }
        cases
    }
}

/// Runs checks and judges them, the harmless ones first; answers what was captured.
pub async fn run<T: Target>(
    setting: &Setting<'_>,
    checks: &[Check],
    filter: &Filter,
    client: &Client<'_, T>,
    tell: &mut dyn FnMut(&Event),
) -> (Capture, Summary) {
    let rows = clauses(setting, checks, filter);
    let mut checks: Vec<_> = checks
        .iter()
        .filter(|check| filter.lets_check(check))
        .collect();
    checks.sort_by_key(|check| check.stage);
    let total = checks.len();
    let address = |environment| Some((environment, client.address(environment)?));
    tell(&Event::Began(Began {
        checks: total,
        seed: setting.seed.clone(),
        addresses: Environment::ALL.into_iter().filter_map(address).collect(),
        clauses: rows,
    }));
    let (mut captured, mut summary) = (Vec::new(), Summary::default());
    let mut checks = checks.into_iter();
    for check in checks.by_ref() {
        let cases = filter.cases(check, setting);
        tell(&Event::Checking {
            check: check.id,
            cases: cases.len(),
        });
        let exchanges = capture(check, &cases, client).await;
        let judged = judge(setting, check, &cases, &exchanges);
        summary.count(&judged);
        captured.extend(exchanges);
        let lost = judged.unreachable.is_some();
        tell(&Event::Judged(judged));
        // Whoever does not answer once would make the rest of the run wait for nothing.
        if lost {
            break;
        }
    }
    for check in checks {
        let judged = not_run(check, "the service did not answer before");
        summary.count(&judged);
        tell(&Event::Judged(judged));
    }
    tell(&Event::Ended(summary));
    (capture_of(setting, captured), summary)
}

/// A check that was not run at all: skipped, and told like the others.
fn not_run(check: &Check, why: &str) -> Judged {
    let verdict = Verdict::Skipped {
        why: format!("not run: {why}"),
    };
    Judged {
        check: check.id,
        title: check.title,
        findings: vec![Finding {
            case: check.id.to_owned(),
            step: 0,
            verdict,
        }],
        ..Judged::default()
    }
}

/// Sends the cases of a check.
pub async fn capture<T: Target>(
    check: &Check,
    cases: &[Case],
    client: &Client<'_, T>,
) -> Vec<CapturedCase> {
    let mut captured = Vec::new();
    for case in cases {
        captured.push(client.capture(check.id, case).await);
    }
    captured
}

/// A capture of these cases in this setting.
#[must_use]
pub fn capture_of(setting: &Setting<'_>, cases: Vec<CapturedCase>) -> Capture {
    Capture {
        seed: setting.seed.clone(),
        environments: setting.environments.clone(),
        extensions: setting.extensions,
        http: setting.http,
        here: false,
        cases,
    }
}

/// Judges what was captured of a check.
#[must_use]
pub fn judge(
    setting: &Setting<'_>,
    check: &Check,
    cases: &[Case],
    captured: &[CapturedCase],
) -> Judged {
    let (mut findings, mut open) = (Vec::new(), BTreeSet::new());
    let mut evidence = Vec::new();
    let mine: Vec<_> = captured
        .iter()
        .filter(|captured| captured.check == check.id)
        .collect();
    for case in cases {
        let Some(found) = mine.iter().find(|captured| captured.case == case.name) else {
            continue;
        };
        let verdicts = verdict::judge(setting, case, found);
        open.extend(left_open(case, &verdicts));
        let broken = |finding: &Finding| matches!(finding.verdict, Verdict::Broken { .. });
        if verdicts.iter().any(broken) {
            evidence.push((*found).clone());
        }
        findings.extend(verdicts);
    }
    let exchanges = || mine.iter().flat_map(|captured| &captured.exchanges);
    let unreachable =
        exchanges().find_map(|exchange| exchange.response.as_ref().err().map(ToString::to_string));
    Judged {
        check: check.id,
        title: check.title,
        cases: mine.len(),
        requests: exchanges().count(),
        findings,
        open,
        evidence,
        unreachable,
    }
}

/// The clauses that a case was to judge and did not: those expected of a skipped step and, where the
/// case could not go on, of the steps behind it.
fn left_open(case: &Case, findings: &[Finding]) -> BTreeSet<String> {
    let skipped: BTreeSet<usize> = findings
        .iter()
        .filter(|finding| matches!(finding.verdict, Verdict::Skipped { .. }))
        .map(|finding| finding.step)
        .collect();
    let last = findings.last().map_or(0, |finding| finding.step);
    let mut open = BTreeSet::new();
    for (at, step) in case.steps.iter().enumerate() {
        if skipped.contains(&at) || (at > last && !skipped.is_empty()) {
            open.extend(step.expect.iter().map(|expected| expected.clause.clone()));
        }
    }
    open
}

/// Judges a capture again. Nothing is sent.
#[must_use]
pub fn judge_again(setting: &Setting<'_>, checks: &[Check], capture: &Capture) -> Vec<Judged> {
    let mut checks: Vec<_> = checks.iter().collect();
    checks.sort_by_key(|check| check.stage);
    let judged = checks
        .into_iter()
        .map(|check| judge(setting, check, &check.cases(setting), &capture.cases));
    judged.filter(|judged| judged.cases > 0).collect()
}

/// The captured cases that this version has no plan for: nobody can judge them.
#[must_use]
pub fn unplanned<'c>(
    setting: &Setting<'_>,
    checks: &[Check],
    capture: &'c Capture,
) -> Vec<&'c CapturedCase> {
    let names = |check: &Check| {
        let cases = check.cases(setting).into_iter();
        cases
            .map(|case| (check.id.to_owned(), case.name))
            .collect::<Vec<_>>()
    };
    let planned: BTreeSet<_> = checks.iter().flat_map(names).collect();
    let unknown =
        |case: &&CapturedCase| !planned.contains(&(case.check.clone(), case.case.clone()));
    capture.cases.iter().filter(unknown).collect()
}
