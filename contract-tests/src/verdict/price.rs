//! What an answer charged, against what its call can cost: just its price where a list says it, else no more
//! than is known for sure. What charges more stops a run, so it is a breach wherever it is found.

use svc_fixtures::contract::{Environment, Paise};

use super::answer::Answer;
use super::finding::{Findings, Verdict};
use crate::plan::Step;
use crate::spend::{self, Price, StatedCharge};

pub(super) fn judge(findings: &mut Findings<'_>, step: &Step, answer: &Answer<'_>) {
    let environment = answer.request.environment;
    // On the sandbox any charge is a breach, and judged by `billing`.
    if environment == Environment::Test || answer.looked_up() {
        return;
    }
    let price = spend::price(findings.setting, environment, step);
    let stated = answer.json.as_ref().map(StatedCharge::of);
    let stated = stated.unwrap_or_default();
    if let Price::Listed(price) = price
        && findings
            .setting
            .operation_at(&answer.request.path)
            .is_some()
        && answer.charged()
    {
        let what = "what was charged, by the list of prices";
        let fits = stated.is(price);
        return findings.must("billing.hold", fits, what, format!("{price} INR"), stated);
    }
    let most = price.most();
    if !stated.exceeds(environment, price) {
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
