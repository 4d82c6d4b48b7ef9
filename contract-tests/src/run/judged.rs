//! What was captured, judged case by case and put together by check.

use std::collections::{BTreeMap, BTreeSet};

use super::heard::Silence;
use crate::capture::{Capture, CapturedCase, Channel, Exchange};
use crate::check::{Check, asked_in};
use crate::event::{CaseTime, CheckResult};
use crate::plan::{Case, Setting};
use crate::recorded;
use crate::verdict::{self, Finding, Trouble, Verdict, WholeRun};

/// Why a case is tried again by itself.
const DISTURBED: &str = "something broken, beside other cases that use the same flow,";

/// Judges all tries of a case: what its check will say of it.
pub(super) fn judge_case(
    setting: &Setting<'_>,
    check: &Check,
    case: &Case,
    tries: &[&CapturedCase],
) -> CheckResult {
    let findings = verdict::judge_tries(setting, case, tries);
    let broken = |finding: &Finding| matches!(finding.verdict, Verdict::Broken { .. });
    let unanswered = |one: &Exchange| one.response.is_err();
    let mut exchanges = tries.iter().flat_map(|one| &one.exchanges);
    let evidence = match findings.iter().any(broken) || exchanges.any(unanswered) {
        // The last one first: most of what is broken was found there.
        true => tries.iter().rev().copied().cloned().collect(),
        false => Vec::new(),
    };
    CheckResult {
        open: left_open(case, &findings),
        findings,
        evidence,
        requests: tries.iter().map(|one| one.exchanges.len()).sum(),
        console: asked_of_console(tries),
        cases: tries.iter().filter(|one| one.try_ == 0).count(),
        times: time(setting, case, tries).into_iter().collect(),
        ..unjudged(check)
    }
}

/// A case that was judged before the run was broken off, and is not sent now.
pub(super) fn before(check: &Check, case: &Case, findings: Vec<Finding>) -> CheckResult {
    CheckResult {
        open: left_open(case, &findings),
        findings,
        cases: 1,
        ..unjudged(check)
    }
}

/// What was asked of the console, and how often.
fn asked_of_console(captured: &[&CapturedCase]) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    let exchanges = captured.iter().flat_map(|captured| &captured.exchanges);
    for Exchange { request, .. } in exchanges {
        if request.channel == Channel::Console {
            let what = format!("{} {}", request.method, request.path);
            *asked.entry(what).or_default() += 1;
        }
    }
    asked
}

/// How long the tries of a case took, and why it was tried again; none where it was not tried.
fn time(setting: &Setting<'_>, case: &Case, tries: &[&CapturedCase]) -> Option<CaseTime> {
    let (_, before) = tries.split_last()?;
    let words = before.iter().map(|one| match one.disturbed {
        true => DISTURBED.to_owned(),
        false => Trouble::of(setting, case, one).map_or_else(String::new, |it| it.words()),
    });
    Some(CaseTime {
        case: case.name.clone(),
        took_ms: tries.iter().map(|one| one.took_ms).sum(),
        tried_again: words.collect(),
    })
}

/// Adds what a try shows together with all that came before it.
pub(super) fn also(result: &mut CheckResult, found: Vec<Finding>, captured: &CapturedCase) {
    if !found.is_empty() && !result.evidence.contains(captured) {
        result.evidence.push(captured.clone());
    }
    result.findings.extend(found);
}

/// A check of which nothing is judged yet.
pub(super) fn unjudged(check: &Check) -> CheckResult {
    CheckResult {
        check: check.id,
        title: check.title,
        ..CheckResult::default()
    }
}

/// A capture of these cases in this setting.
#[must_use]
pub fn capture_of(setting: &Setting<'_>, cases: Vec<CapturedCase>) -> Capture {
    Capture {
        seed: setting.seed.clone(),
        environments: setting.environments.clone(),
        profile: setting.profile,
        prices: setting.prices.clone(),
        http: setting.http,
        capabilities: setting.capabilities.clone(),
        local: false,
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
) -> CheckResult {
    judge_with(setting, check, cases, captured, &mut WholeRun::default())
}

/// The same, after other checks of the run.
fn judge_with(
    setting: &Setting<'_>,
    check: &Check,
    cases: &[Case],
    captured: &[CapturedCase],
    whole_run: &mut WholeRun,
) -> CheckResult {
    let mut result = unjudged(check);
    let mine = captured.iter().filter(|one| one.check == check.id);
    let mine: Vec<_> = mine.collect();
    for case in cases {
        let tries = mine.iter().filter(|one| one.case == case.name);
        let tries: Vec<_> = tries.copied().collect();
        let mut judged = judge_case(setting, check, case, &tries);
        for one in tries {
            also(&mut judged, whole_run.take(setting, one), one);
        }
        result.add(judged);
    }
    result
}

/// The clauses that a case was to judge and did not: those expected of a skipped step and, where the
/// case could not go on, of the steps behind it.
fn left_open(case: &Case, findings: &[Finding]) -> BTreeSet<String> {
    let skipped = findings
        .iter()
        .filter(|it| matches!(it.verdict, Verdict::NotJudged { .. }));
    let skipped: BTreeSet<usize> = skipped.map(|finding| finding.step).collect();
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
pub fn judge_again(setting: &Setting<'_>, checks: &[Check], capture: &Capture) -> Vec<CheckResult> {
    let mut checks = asked_in(checks, capture);
    checks.sort_by_key(|check| check.stage);
    let mut silence = Silence::default();
    let mut whole_run = WholeRun::of_saved(capture);
    let judged = checks.into_iter().map(|check| {
        let cases = check.cases(setting);
        let mut judged = judge_with(setting, check, &cases, &capture.cases, &mut whole_run);
        let mine = capture.cases.iter().filter(|one| one.check == check.id);
        let heard: Vec<_> = mine
            .filter_map(|one| silence.take(std::slice::from_ref(one)))
            .collect();
        judged.unreachable = heard.into_iter().next().or_else(|| silence.so_far());
        judged
    });
    let judged = judged.filter(|judged| judged.cases > 0);
    judged.chain(recorded::judge(setting, capture)).collect()
}

/// The captured cases that this version has no plan for: nobody can judge them.
#[must_use]
pub fn unplanned<'c>(
    setting: &Setting<'_>,
    checks: &[Check],
    capture: &'c Capture,
) -> Vec<&'c CapturedCase> {
    let names = |check: &'_ Check| {
        let (id, cases) = (check.id.to_owned(), check.cases(setting));
        cases.into_iter().map(move |case| (id.clone(), case.name))
    };
    let planned = asked_in(checks, capture).into_iter().flat_map(names);
    let planned: BTreeSet<_> = planned.collect();
    let name = |case: &CapturedCase| (case.check.clone(), case.case.clone());
    let unknown = |case: &&CapturedCase| {
        case.try_ == 0 && !recorded::is_recorded(case) && !planned.contains(&name(case))
    };
    capture.cases.iter().filter(unknown).collect()
}
