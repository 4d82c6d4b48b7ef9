//! Every clause of the contract is proven by a check, or says why none can prove it.

use std::collections::BTreeSet;

use svc_fixtures::contract::Contract;

use super::all;
use crate::plan::{Setting, inputs};
use crate::verdict::EVERY_ANSWER;

/// Clauses whose checks need more than calls: a receiver of webhooks, a clock that is moved, a
/// person who consents, the control API. A clause leaves this list when a check proves it.
const AWAITED: &[&str] = &[
    "auth.webhook-secret",
    "document.digilocker.webhook",
    "document.forgery.callback",
    "financial.credit-report.audit",
    "flows.document-consent",
    "limits.credit-report-retention",
    "limits.rotated-key",
    "limits.webhook-schedule",
    "ruling.23-audit",
    "ruling.24-account-clock",
    "ruling.25-attempts",
    "ruling.25-signed-anew",
    "ruling.26-no-receiver",
    "ruling.27-udyam-otp-confirm",
    "ruling.28-consent-page",
    "ruling.34-control-api",
    "sandbox.digilocker-canned",
    "states.terminal",
    "webhook.at-least-once",
    "webhook.dead-letter",
    "webhook.envelope",
    "webhook.hmac",
    "webhook.operations",
    "webhook.schedule",
    "webhook.signature",
];

fn proven(contract: &Contract) -> BTreeSet<String> {
    let setting = Setting::new(contract, inputs::built_in(), "seed").everything();
    let every_answer = EVERY_ANSWER.iter().map(|clause| (*clause).to_owned());
    let by_checks = all().into_iter().flat_map(|check| check.proves(&setting));
    by_checks.chain(every_answer).collect()
}

#[test]
fn every_clause_is_proven_or_says_why_it_is_not() {
    let contract = Contract::built_in();
    let proven = proven(&contract);
    let open = contract.clauses.iter().filter(|clause| {
        !proven.contains(&clause.id)
            && clause.excluded.is_none()
            && !AWAITED.contains(&clause.id.as_str())
    });
    let open: Vec<_> = open.map(|clause| &clause.id).collect();
    assert!(open.is_empty(), "nothing proves {open:?}");
}

#[test]
fn nothing_that_is_proven_is_excluded_or_awaited() {
    let contract = Contract::built_in();
    let proven = proven(&contract);
    let excluded = contract
        .clauses
        .iter()
        .filter(|clause| clause.excluded.is_some());
    let mut unproven = excluded
        .map(|clause| clause.id.as_str())
        .chain(AWAITED.iter().copied());
    let odd: Vec<_> = unproven
        .by_ref()
        .filter(|id| proven.contains(*id))
        .collect();
    assert!(odd.is_empty(), "checks prove {odd:?}");
    let known = |id: &&&str| !contract.clauses.iter().any(|clause| clause.id == **id);
    let strangers: Vec<_> = AWAITED.iter().filter(known).collect();
    assert!(strangers.is_empty(), "{strangers:?}");
}
