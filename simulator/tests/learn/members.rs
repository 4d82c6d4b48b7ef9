//! Which members of answers are said of somebody, and in what words.

use serde_json::{Value, json};
use svc_capture::Capture;

use crate::recorder::{LOOK_UP, Service, learned};

/// One call does not tell that the next one has another number.
#[test]
fn what_each_call_numbers_and_dates_anew_is_no_fact_about_whom_it_asks_for() {
    let rules = r#"
[[scenario]]
name = "numbers of its own"
operation = "verify.financial.bank-hybrid"
otherwise = true
then = { success = { bankRRN = "412345678901", beneName = "BINA DAS" } }

[[scenario]]
name = "trails of its own"
operation = "verify.financial.bank-dynamic.send"
otherwise = true
then = { success = { "auditTrail.value" = "A5731cf6abcb", "auditTrail.timestamp" = "2026-11-20T09:28:48Z", beneficiaryName = "BINA DAS" } }
"#;
    let account = r#""accountNumber":"50100000001","ifsc":"HDFC0001234""#;
    let calls = [
        (
            "verify.financial.bank-hybrid",
            format!(r#"{{{account},"nameToVerify":"BINA DAS"}}"#),
        ),
        (LOOK_UP, String::new()),
        (
            "verify.financial.bank-dynamic.send",
            format!("{{{account}}}"),
        ),
    ];
    let learned = learned(&Service::new("elsewhere", rules).record(&calls));
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    let text = learned.text.expect("the name is something to learn");
    assert!(text.contains("BINA DAS"), "{text}");
    for number in ["bankRRN", "auditTrail"] {
        assert!(!text.contains(number), "{text}");
    }
}

/// Of a body that a recording cut nobody knows what was asked.
#[test]
fn a_call_whose_body_was_cut_is_left_out_and_no_refusal() {
    let recorded = Service::new("", "").record(&companies());
    let mut capture = with_members(recorded, &json!({ "registrar": "KA" }));
    let mut exchanges = capture
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.exchanges);
    let cut = exchanges.next().expect("a call");
    cut.request.body.truncate(5);
    let note = (svc_capture::CUT_BODY.to_owned(), "5 of 20 bytes".to_owned());
    cut.request.headers.push(note);
    let learned = learned(&capture);
    let why = "its body is not in the capture";
    assert_eq!(learned.fidelity.not_played.get(why), Some(&1));
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
}

/// The captured answers with these members in their data.
fn with_members(mut capture: Capture, members: &Value) -> Capture {
    for exchange in capture
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.exchanges)
    {
        let answer = exchange.response.as_mut().expect("an answer");
        let mut envelope: Value = serde_json::from_slice(&answer.body).expect("JSON");
        for (name, value) in members.as_object().expect("members") {
            envelope["data"][name] = value.clone();
        }
        answer.body = envelope.to_string().into_bytes();
    }
    capture
}

fn learned_with(calls: &[(&str, String)], members: &Value) -> String {
    let capture = with_members(Service::new("", "").record(calls), members);
    let learned = learned(&capture);
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    learned.text.expect("there is something to learn")
}

fn companies() -> Vec<(&'static str, String)> {
    let company = |tan| ("verify.company.tan", format!(r#"{{"tan":"{tan}"}}"#));
    ["ABCD12345A", "ABCD12346A", "ABCD12347A"]
        .map(company)
        .into()
}

#[test]
fn what_is_there_unasked_is_said_with_the_word_for_it() {
    let calls = ["9876500001", "9876500002"].map(|mobile| {
        (
            "screen.mobile-silent",
            format!(r#"{{"mobile":"{mobile}"}}"#),
        )
    });
    let members = json!({ "isPorted": true, "originalServiceProvider": "AIRWAVES" });
    let text = learned_with(&calls, &members);
    for said in ["isPorted = true", "AIRWAVES", "breaks_contract = true"] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
}

#[test]
fn what_is_null_in_the_items_of_a_list_is_null_again() {
    let members = json!({ "list": [{ "a": null, "b": 1 }, null, { "c": [null, 2] }] });
    let text = learned_with(&companies(), &members);
    assert!(text.contains("\"list[0].a\""), "{text}");
    assert!(text.contains("\"list[1]\""), "{text}");
}

#[test]
fn a_text_that_begins_with_what_stands_for_values_stands_for_itself() {
    let members = json!({ "fee": "$$9", "price": "$nine", "name": "$\u{e9}", "$ref": "a" });
    learned_with(&companies(), &members);
}

#[test]
fn what_is_looked_up_before_the_result_is_pending_here_too() {
    let uan = r#"{"uan":"100000000202"}"#.to_owned();
    let mut capture = Service::new("", "").record(&[("verify.employment.uan", uan)]);
    let exchanges = &mut capture.cases[0].exchanges;
    let first = &exchanges[0];
    let mut look_up = first.clone();
    let answer = look_up.response.as_mut().expect("an answer");
    answer.status = 200;
    let said: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    let id = said["verificationId"].as_str().expect("an id");
    look_up.request.method = "GET".to_owned();
    look_up.request.path = format!("/v1/verifications/{id}");
    look_up.request.body = Vec::new();
    look_up.at_s = first.at_s.map(|at_s| at_s + 2);
    exchanges.insert(1, look_up);
    let fidelity = learned(&capture).fidelity;
    assert_eq!(fidelity.calls, 2, "{fidelity:#?}");
    assert!(fidelity.differences.is_empty(), "{fidelity:#?}");
}
