//! Who is learned: people and companies, namesakes, and what was refused before anybody was asked for.

use svc_capture::Capture;

use crate::recorder::{Service, learned};

fn calls<const N: usize>(calls: [(&'static str, &str); N]) -> [(&'static str, String); N] {
    calls.map(|(operation, body)| (operation, body.to_owned()))
}

/// The letters of a PAN say who it is, whatever a service calls the category.
#[test]
fn a_category_in_other_words_makes_nobody_a_company() {
    for category in ["INDIVIDUAL", "Person", "Individual"] {
        let rules = format!(
            r#"
[[scenario]]
name = "its own words"
operation = "verify.identity.pan"
when = {{ pan = "BNZPM1234F" }}
then = {{ success = {{ category = "{category}", name = "RAVI MENON", nameOnPan = "RAVI MENON" }}, breaks_contract = {} }}
"#,
            category != "Individual"
        );
        let asked = calls([("verify.identity.pan", r#"{"pan":"BNZPM1234F"}"#)]);
        let text = learned(&Service::new("", &rules).record(&asked)).text;
        let text = text.expect("there is something to learn");
        assert!(text.contains("[person.ravi_menon]"), "{text}");
    }
}

#[test]
fn two_who_are_called_alike_keep_their_name() {
    let rules = r#"
[person.one]
name = "RAVI MENON"
father_name = "SURESH MENON"
epicNumber = "XYZ7654321"

[person.two]
name = "RAVI MENON"
father_name = "GOPAL MENON"
date_of_birth = "1991-04-02"
dlNumber = "KL0720150004567"
"#;
    let asked = calls([
        ("verify.identity.voter", r#"{"epicNumber":"XYZ7654321"}"#),
        (
            "verify.identity.dl",
            r#"{"dlNumber":"KL0720150004567","dateOfBirth":"02/04/1991"}"#,
        ),
    ]);
    let learned = learned(&Service::new("elsewhere", rules).record(&asked));
    let text = learned.text.expect("there is something to learn");
    let names = text.matches("name = \"RAVI MENON\"").count();
    assert_eq!((learned.people, names), (2, 2), "{text}");
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn what_was_refused_tells_no_input_from_another() {
    let rules = r#"
[person.ravi]
name = "RAVI MENON"
pan = "BNZPM1234F"

[[scenario]]
name = "inoperative"
operation = "verify.identity.pan"
when = { who = "ravi" }
then = { success = { panStatus = "INOPERATIVE" } }
"#;
    let asked = calls([("verify.identity.pan", r#"{"pan":"BNZPM1234F"}"#)]);
    let mut capture = Service::new("", rules).record(&asked);
    let live = Service::new("", rules).live().record(&asked);
    let text = |capture: &Capture| learned(capture).text.expect("there is something to learn");
    let alone = text(&capture);
    capture.cases.extend(live.cases);
    if let Ok(response) = &mut capture.cases[1].exchanges[0].response {
        response.status = 409;
        response.body = br#"{"success":false,"verificationId":"svcv_1","endpoint":"verify.identity.pan","status":"failed","error":{"code":"SVC_IDEMPOTENCY_CONFLICT","message":"another body","retryable":false},"billing":{"charged":false,"amount":0,"currency":"INR"},"meta":{"environment":"live","latencyMs":1}}"#.to_vec();
    }
    let beside = text(&capture);
    assert!(!beside.contains("environment"), "{alone}\n{beside}");
}
