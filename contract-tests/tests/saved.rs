//! Captures on disk: without personal data they are judged as they were.

mod support;

use svc_contract_tests::capture::Capture;
use svc_contract_tests::check;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::redact::{Personal, StandIns};
use svc_contract_tests::run::{self, Filter, Judged, Outcome};
use svc_fixtures::contract::Contract;

fn clean(setting: &Setting<'_>) -> Capture {
    let target = support::InProcess::new();
    let client = support::client(&target, setting);
    let (checks, filter) = (check::all(), Filter::default());
    support::block_on(run::run(setting, &checks, &filter, &client, &mut |_| {})).0
}

fn outcomes(judged: &[Judged]) -> Vec<(&str, Outcome)> {
    let outcome = |judged: &Judged| (judged.check, judged.outcome());
    judged.iter().map(outcome).collect()
}

#[test]
fn a_capture_without_personal_data_is_judged_as_before() {
    let contract = Contract::built_in();
    let setting = support::setting(&contract);
    let (capture, checks) = (clean(&setting), check::all());
    let mut stand_ins = StandIns::of(Personal::of(&contract));
    let saved = run::without_personal_data(&setting, &checks, &capture, &mut stand_ins);
    let text = saved.to_json().expect("a capture is JSON");
    let read = Capture::from_json(&text).expect("what was saved is read");
    let setting = Setting::of(&contract, inputs::built_in(), &read);
    let left_out: Vec<_> = saved
        .cases
        .iter()
        .filter(|case| case.stopped.is_some())
        .map(|case| format!("{}: {}", case.check, case.case))
        .collect();
    assert_eq!(left_out, [""; 0]);
    assert_eq!(saved.cases.len(), capture.cases.len());
    let (before, after) = (
        run::judge_again(&setting, &checks, &capture),
        run::judge_again(&setting, &checks, &read),
    );
    assert_eq!(outcomes(&after), outcomes(&before));
    assert!(text.contains("[redacted 1]"));
}
