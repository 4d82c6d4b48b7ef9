//! What an answer charged, against the most that its call can cost. What charges more stops a run, so
//! it is a breach wherever it is found, also where no ruling is asked for.

use svc_fixtures::contract::{Environment, Paise};

use super::answer::Answer;
use super::finding::{Findings, Verdict};
use crate::plan::Step;
use crate::spend::{self, StatedCharge};

pub(super) fn judge(
    findings: &mut Findings<'_>,
    environment: Environment,
    step: &Step,
    answer: &Answer<'_>,
) {
    // On the sandbox any charge is a breach, and judged by `billing`.
    if environment == Environment::Test || answer.looked_up() {
        return;
    }
    let most = spend::most(findings.setting.contract, environment, step);
    let stated = answer.json.as_ref().map(StatedCharge::of);
    let stated = stated.unwrap_or_default();
    if !stated.exceeds(environment, most) {
        return;
    }
    let clause = match most {
        Paise::ZERO => "billing.failures-are-free",
        _ => "billing.hold",
    };
    findings.note(Verdict::Broken {
        clause: clause.to_owned(),
        what: "what was charged".to_owned(),
        expected: format!("{most} INR at most"),
        found: stated.to_string(),
        known: None,
        seen: None,
    });
}
