//! What an answer charged, against what its call can cost: just its price where a list says it, else no more
//! than is known for sure. What charges more stops a run, so it is a breach wherever it is found.

use svc_fixtures::contract::{Bundle, BundleMode, Environment, Paise};

use super::answer::Answer;
use super::finding::{Findings, Verdict};
use crate::plan::{Setting, Step};
use crate::spend::{self, Price, StatedCharge};

/// Whether what is called costs the same each time: an operation, and a bundle that always runs all of its steps.
fn costs_one_price(setting: &Setting<'_>, path: &str) -> bool {
    let runs_all = |bundle: &Bundle| {
        let is_whole = matches!(bundle.mode, BundleMode::Sequence | BundleMode::Parallel);
        is_whole && bundle.carries.is_empty()
    };
    let mut bundles = setting.contract.bundles.iter();
    setting.operation_at(path).is_some() || bundles.any(|it| it.path == path && runs_all(it))
}

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
        && costs_one_price(findings.setting, &answer.request.path)
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
