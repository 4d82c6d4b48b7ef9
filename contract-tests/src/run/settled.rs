//! What was found of the cases that a run settled which was broken off: a run that goes on counts it, and
//! sends nothing of them. Kept without the values that were seen.

use crate::capture::CapturedCase;
use crate::check::Check;
use crate::plan::{Case, Setting};
use crate::spend::{self, SettledFinding, SettledVerdict, SpendGuard};
use crate::verdict::{Finding, Trouble, Verdict};
use svc_fixtures::contract::Paise;

/// What the report of a run that goes on has in the place of a value.
const NOT_KEPT: &str = "the value that was seen before the run was broken off is not kept";

/// Whether money may have been spent on a case, and all of it was answered: sending it again would pay for
/// the same again.
pub(super) fn is_over(setting: &Setting<'_>, case: &Case, tries: &[CapturedCase]) -> bool {
    let whole =
        |last: &CapturedCase| last.stopped.is_none() && Trouble::of(setting, case, last).is_none();
    let paid = spend::most_of_case(setting, case) > Paise::ZERO;
    paid && tries.last().is_some_and(whole)
}

/// What is written down of these findings; what is only noted is not.
pub(super) fn of(findings: &[Finding]) -> Vec<SettledFinding> {
    let kept = findings.iter().filter_map(|finding| {
        let verdict = match &finding.verdict {
            Verdict::Held { clause } => SettledVerdict::Held(clause.clone()),
            Verdict::Broken { clause, what, .. } => {
                SettledVerdict::Broken(clause.clone(), what.clone())
            }
            Verdict::NotJudged { why } => SettledVerdict::Open(why.clone()),
            Verdict::Noted { .. } => return None,
        };
        let step = finding.step;
        Some(SettledFinding { step, verdict })
    });
    kept.collect()
}

/// What was found of a case before, where it was settled.
pub(super) fn found(guard: &SpendGuard, check: &Check, case: &Case) -> Option<Vec<Finding>> {
    let settled = guard.settled(check.id, &case.name)?;
    let finding = |settled: SettledFinding| Finding {
        case: case.name.clone(),
        step: settled.step,
        verdict: match settled.verdict {
            SettledVerdict::Held(clause) => Verdict::Held { clause },
            SettledVerdict::Broken(clause, what) => Verdict::Broken {
                clause,
                what,
                expected: "as the clause says".to_owned(),
                found: NOT_KEPT.to_owned(),
                seen: None,
                known: None,
            },
            SettledVerdict::Open(why) => Verdict::NotJudged { why },
        },
    };
    Some(settled.into_iter().map(finding).collect())
}
