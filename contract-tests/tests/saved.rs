//! Captures on disk: without personal data they are judged as they were.

mod support;

use svc_contract_tests::capture::Capture;
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::{CheckResult, Event, Outcome};
use svc_contract_tests::personal::{self, PersonalMembers, Pseudonyms};
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_fixtures::contract::Contract;

/// What only the very values show: the signature of bytes that hold them, and how they are masked.
const LEFT_OUT: [&str; 12] = [
    "webhooks.result: verify.employment.uan",
    "webhooks.result: verify.employment.uan (live)",
    "webhooks.schedule: verify.employment.uan: never taken",
    "webhooks.until-taken: verify.employment.uan: 1 failures",
    "webhooks.until-taken: verify.employment.uan: 2 failures",
    "webhooks.until-taken: verify.employment.uan: 3 failures",
    "webhooks.until-taken: verify.employment.uan: 4 failures",
    "webhooks.until-taken: verify.employment.uan: 5 failures",
    "webhooks.address-of-the-moment: verify.employment.uan: moved in between",
    "consent.allowed: verify.document.digilocker: allow",
    "consent.allowed: verify.document.digilocker: allow (live)",
    "examples.company: a director's PAN and father are masked in part",
];

fn clean(setting: &Setting<'_>) -> Capture {
    let target = support::InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), setting);
    let (checks, filter) = (check::all(), Filter::default());
    let limits = RunLimits::default();
    let mut silent = |_: &mut Event| {};
    let run = run::run(setting, &checks, &filter, limits, &client, &mut silent);
    support::block_on(run).0
}

fn outcomes(judged: &[CheckResult]) -> Vec<(&str, Outcome)> {
    let outcome = |judged: &CheckResult| (judged.check, judged.outcome());
    judged.iter().map(outcome).collect()
}

#[test]
fn a_capture_without_personal_data_is_judged_as_before() {
    let contract = Contract::built_in();
    let setting = support::setting(&contract);
    let (capture, checks) = (clean(&setting), check::all());
    let mut pseudonyms = Pseudonyms::of(PersonalMembers::of(&contract));
    let saved = personal::without_personal_data(&setting, &checks, &capture, &mut pseudonyms);
    let text = saved.to_json().expect("a capture is JSON");
    let read = Capture::from_json(&text).expect("what was saved is read");
    let setting = Setting::of(&contract, inputs::built_in(), &read);
    let left_out: Vec<_> = saved
        .cases
        .iter()
        .filter(|case| case.stopped.is_some())
        .map(|case| format!("{}: {}", case.check, case.case))
        .collect();
    // Whom letters of identifiers lead to is lost with the identifiers.
    let (of_laws, others): (Vec<_>, Vec<_>) =
        left_out.iter().partition(|case| case.starts_with("pairs."));
    assert_eq!(others, LEFT_OUT);
    assert_eq!(saved.cases.len(), capture.cases.len());
    let (before, after) = (
        run::judge_again(&setting, &checks, &capture),
        run::judge_again(&setting, &checks, &read),
    );
    for (before, after) in outcomes(&before).into_iter().zip(outcomes(&after)) {
        let lacks = |case: &str| case.split(": ").next() == Some(before.0);
        let lacks_some = of_laws.iter().any(|case| lacks(case));
        match LEFT_OUT.iter().any(|case| lacks(case)) {
            true => assert!(matches!(after.1, Outcome::Skipped { .. }), "{after:?}"),
            false if lacks_some => assert!(!matches!(after.1, Outcome::Failed), "{after:?}"),
            false => assert_eq!(after, before),
        }
    }
    assert_eq!(after.len(), before.len());
    assert!(text.contains("[redacted 1]"));
}
