//! A capture made fit to be saved: without personal data, and still judged as it was.

use std::collections::BTreeSet;

use super::members::texts;
use super::pseudonyms::Pseudonyms;
use crate::capture::{Capture, CapturedCase};
use crate::check::{Check, asked_in};
use crate::plan::{Case, Payload, Predicate, Rule, Setting};
use crate::recorded;
use crate::verdict::{self, Finding, Verdict};
use svc_fixtures::json::Json;

/// Why a case is saved without its exchanges.
const LEFT_OUT: &str = "left out of the capture: it is judged otherwise without personal data";

/// The capture with stand-ins for personal data. Each case is judged with them before it is saved;
/// one that would be judged otherwise is saved without its exchanges, so that judging again skips
/// it and never says what is not so.
#[must_use]
pub fn without_personal_data(
    setting: &Setting<'_>,
    checks: &[Check],
    capture: &Capture,
    pseudonyms: &mut Pseudonyms,
) -> Capture {
    let mut cases = Vec::new();
    for check in asked_in(checks, capture) {
        let planned = check.cases(setting);
        let mine = capture.cases.iter().filter(|case| case.check == check.id);
        for captured in mine {
            if let Some(case) = planned.iter().find(|case| case.name == captured.case) {
                cases.push(saved(setting, case, captured, pseudonyms));
            }
        }
    }
    // A recording has its stand-ins already; what it holds may have been made elsewhere.
    let traffic = capture
        .cases
        .iter()
        .filter(|case| recorded::is_recorded(case));
    for captured in traffic {
        let clean = pseudonyms.case(captured, &BTreeSet::new());
        let found = [captured, &clean].map(|one| recorded::judge_one(setting, one));
        let alike = is_judged_alike(&found[0], &found[1]);
        cases.push(if alike { clean } else { left_out(clean) });
    }
    Capture {
        cases,
        ..capture.clone()
    }
}

fn left_out(clean: CapturedCase) -> CapturedCase {
    CapturedCase {
        exchanges: Vec::new(),
        stopped: Some(LEFT_OUT.to_owned()),
        ..clean
    }
}

fn saved(
    setting: &Setting<'_>,
    case: &Case,
    captured: &CapturedCase,
    pseudonyms: &mut Pseudonyms,
) -> CapturedCase {
    let clean = pseudonyms.case(captured, &known(case));
    let verdicts = |captured| {
        let findings = verdict::judge(setting, case, captured);
        findings.iter().map(kind).collect::<Vec<_>>()
    };
    match verdicts(captured) == verdicts(&clean) {
        true => clean,
        false => left_out(clean),
    }
}

/// Whether both found the same, whatever values it shows.
pub fn is_judged_alike<'f>(
    one: impl IntoIterator<Item = &'f Finding>,
    other: impl IntoIterator<Item = &'f Finding>,
) -> bool {
    one.into_iter().map(kind).eq(other.into_iter().map(kind))
}

/// A verdict without the values it shows.
fn kind(finding: &Finding) -> (usize, u8, String, String) {
    let (word, clause, what) = match &finding.verdict {
        Verdict::Held { clause } => (0, clause.clone(), String::new()),
        Verdict::Broken { clause, what, .. } => (1, clause.clone(), what.clone()),
        Verdict::Noted { clause, what, .. } => (2, clause.clone(), what.clone()),
        Verdict::NotJudged { .. } => (3, String::new(), String::new()),
    };
    (finding.step, word, clause, what)
}

/// The texts a plan itself holds: made from the contract's rows, which everybody can read.
fn known(case: &Case) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for step in &case.steps {
        match &step.request.payload {
            Payload::Json(body) => texts(body, &mut known),
            Payload::Raw(bytes) => texts(&Json::parse(bytes).unwrap_or(Json::Null), &mut known),
            Payload::Nothing | Payload::Law(_) => {}
        }
        let tests = step.expect.iter().flat_map(|it| match &it.rule {
            Rule::Value(_, test) => test.all(),
            _ => Vec::new(),
        });
        for test in tests {
            match test {
                Predicate::Is(value) => texts(value, &mut known),
                Predicate::OneOf(values) => values.iter().for_each(|it| texts(it, &mut known)),
                _ => {}
            }
        }
    }
    known
}
