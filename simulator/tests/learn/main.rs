//! Recorded traffic becomes scenarios: what a service with other people and rules answered is learned into an empty
//! folder, and answered alike by a default simulator.

mod answer_form;
mod any_rules;
mod bundles;
mod everybody;
mod file;
mod members;
mod recorder;
mod who;

use std::collections::BTreeSet;

use recorder::{Service, learned, learned_beside};
use svc_capture::{Arrived, CLIENT_GONE, CUT_SHORT, Credential, TransportError};

/// A service with a population, people and rules of its own.
const ELSEWHERE: &str = r#"
[person.kavya]
name = "KAVYA IYER"
date_of_birth = "1994-11-23"
father_name = "RAMAN IYER"
pan = "CKZPI4821L"
dlNumber = "TN0120160009876"
uan = "100987654411"
mobile = "9876500001"

[[scenario]]
name = "a suspended licence"
operation = "verify.identity.dl"
when = { who = "kavya" }
then = { success = { status = "SUSPENDED" } }

[[scenario]]
name = "three employers, later"
operation = "verify.employment.uan"
when = { who = "kavya" }
then = { pending = {}, after = "2h", finally = { success = {}, length = { employmentHistory = 3 } } }

[[scenario]]
name = "a flaky toll office"
operation = "verify.utility.fastag"
when = { vehicleNumber = "MH12AB4411" }
then = [{ error = "SVC_SOURCE_TIMEOUT" }, { error = "SVC_PROVIDER_ERROR" }, { success = {} }]
start_over = true

[[scenario]]
name = "a supplier that is down"
operation = "verify.utility.png"
when = { serviceProvider = "MGL" }
then = { error = "SVC_SOURCE_UNAVAILABLE" }

[[scenario]]
name = "everybody is inoperative"
operation = "verify.identity.pan"
otherwise = true
then = { success = { panStatus = "INOPERATIVE" } }

[[scenario]]
name = "a bank that is slow"
operation = "verify.financial.ifsc"
when = { ifsc = { starts_with = "HDFC" } }
then = { success = { neft = "Not Live" }, delay = "3s" }
"#;

/// What an application asks about a few people in the course of a day.
fn calls() -> Vec<(&'static str, String)> {
    let mut calls: Vec<(&'static str, String)> = Vec::new();
    for pan in ["CKZPI4821L", "BNZPN2501F", "AAAAA9999A", "ABCPE1234F"] {
        calls.push(("verify.identity.pan", format!(r#"{{"pan":"{pan}"}}"#)));
    }
    for (licence, born) in [
        ("TN0120160009876", "23/11/1994"),
        ("KL0720150004567", "02/04/1991"),
    ] {
        calls.push((
            "verify.identity.dl",
            format!(r#"{{"dlNumber":"{licence}","dateOfBirth":"{born}"}}"#),
        ));
    }
    calls.push((
        "verify.employment.uan-lookup",
        r#"{"mobile":"9876500001"}"#.to_owned(),
    ));
    calls.push((
        "verify.employment.uan",
        r#"{"uan":"100987654411"}"#.to_owned(),
    ));
    calls.push((
        "screen.mobile-silent",
        r#"{"mobile":"9876500001"}"#.to_owned(),
    ));
    for _ in 0..7 {
        calls.push((
            "verify.utility.fastag",
            r#"{"vehicleNumber":"MH12AB4411"}"#.to_owned(),
        ));
    }
    for (number, provider) in [
        ("2000000007", "MGL"),
        ("2000000008", "MGL"),
        ("2000000007", "IGL"),
        ("2000000009", "GGL"),
    ] {
        calls.push((
            "verify.utility.png",
            format!(r#"{{"bpNumber":"{number}","serviceProvider":"{provider}"}}"#),
        ));
    }
    for ifsc in ["HDFC0001234", "HDFC0005678", "SBIN0001234"] {
        calls.push(("verify.financial.ifsc", format!(r#"{{"ifsc":"{ifsc}"}}"#)));
    }
    calls
}

#[test]
fn a_service_with_another_seed_and_other_people_is_answered_alike() {
    let capture = Service::new("elsewhere", ELSEWHERE).record(&calls());
    let learned = learned(&capture);
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(
        learned.fidelity.members > 400,
        "{}",
        learned.fidelity.members
    );
    let text = learned.text.expect("there is something to learn");
    for said in [
        "[person.kavya_iyer]",
        "pan = \"CKZPI4821L\"",
        "dlNumber = \"TN0120160009876\"",
        "when = { serviceProvider = \"MGL\" }\nthen = { error = \"SVC_SOURCE_UNAVAILABLE\" }",
        "start_over = true",
        "delay = \"3s\"",
        "after = \"2h\"",
        "panStatus = \"INOPERATIVE\"",
    ] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
}

#[test]
fn every_operation_of_another_seed_is_answered_alike() {
    let service = Service::new("elsewhere", "");
    let capture = service.record(&service.samples());
    let fidelity = learned(&capture).fidelity;
    let missed: Vec<_> = fidelity
        .differences
        .iter()
        .filter(|it| it.expressible)
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn the_same_service_teaches_nothing() {
    let service = Service::new("", "");
    let learned = learned(&service.record(&service.samples()));
    assert_eq!(learned.text, None);
    assert!(
        learned.fidelity.differences.is_empty(),
        "{:#?}",
        learned.fidelity.differences
    );
}

#[test]
fn what_is_learned_again_is_the_same_in_whatever_order_it_stands() {
    let capture = Service::new("elsewhere", ELSEWHERE).record(&calls());
    let first = learned(&capture).text;
    assert_eq!(learned(&capture).text, first);
    // Every exchange is a case: those of one moment may stand in any order.
    let mut turned = capture.clone();
    turned.cases.reverse();
    assert_eq!(rules(learned(&turned).text), rules(first));
}

/// The lines of what was learned, but those that say where it stood.
fn rules(text: Option<String>) -> BTreeSet<String> {
    let text = text.unwrap_or_default();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_several_clients_ask_is_learned_as_if_one_asked() {
    let mut capture = Service::new("elsewhere", ELSEWHERE).record(&calls());
    let of_one = learned(&capture).text;
    for (at, case) in capture.cases.iter_mut().enumerate().skip(1) {
        for exchange in &mut case.exchanges {
            exchange.credential = Credential::Another(format!("key-{}", at % 3 + 2));
        }
    }
    assert_eq!(rules(learned(&capture).text), rules(of_one));
    // What a key is refused is not about what was asked.
    let answer = capture.cases[1].exchanges[0].response.as_mut();
    let answer = answer.expect("an answer");
    answer.body = br#"{"verificationId":"svcv_1","error":{"code":"SVC_RATE_LIMITED"}}"#.to_vec();
    let text = learned(&capture).text.unwrap_or_default();
    assert!(!text.contains("SVC_RATE_LIMITED"), "{text}");
}

/// Two may be called alike and be two; three of three are the service's own word.
#[test]
fn what_is_known_alike_of_two_is_not_said_of_everybody() {
    let rules = r#"
[[scenario]]
name = "one name, one status"
operation = "verify.identity.pan"
otherwise = true
then = { success = { nameOnPan = "ASHA RAO", panStatus = "INOPERATIVE" } }
"#;
    let pans = ["CKZPI4821L", "BNZPN2501F", "BNZPN2502F"];
    let learned_of = |pans: &[&str]| {
        let call = |pan: &&str| ("verify.identity.pan", format!(r#"{{"pan":"{pan}"}}"#));
        let calls: Vec<_> = pans.iter().map(call).collect();
        learned(&Service::new("elsewhere", rules).record(&calls)).text
    };
    let of_everybody = |pans: &[&str]| {
        let text = learned_of(pans).expect("there is something to learn");
        let mut rules = text.split("\n\n");
        let rule = rules.find(|rule| rule.contains("otherwise = true"));
        let rule = rule.unwrap_or_else(|| panic!("nothing of everybody: {text}"));
        ["panStatus", "nameOnPan"].map(|name| rule.contains(&format!("{name} = ")))
    };
    assert_eq!(of_everybody(&pans[..2]), [true, false]);
    assert_eq!(of_everybody(&pans), [true, true]);
}

#[test]
fn whom_a_person_declared_stays_who_they_are() {
    let pan = ("verify.identity.pan", r#"{"pan":"CKZPI4821L"}"#.to_owned());
    let capture = Service::new("elsewhere", ELSEWHERE).record(&[pan]);
    let by_hand = "[person.ours]\nname = \"KAMALA IYER\"\npan = \"CKZPI4821L\"\n";
    let learned = learned_beside(&capture, by_hand);
    let text = learned.text.unwrap_or_default();
    assert!(!text.contains("CKZPI4821L"), "{text}");
    let differences = learned.fidelity.differences;
    let mut names = differences.iter().filter(|it| it.member.contains("name"));
    assert!(names.all(|it| it.why.contains("ours")), "{differences:?}");
    assert!(!differences.is_empty());
}

#[test]
fn an_answer_that_nobody_waited_for_teaches_nothing() {
    let pan = ("verify.identity.pan", r#"{"pan":"ABCPE1234F"}"#.to_owned());
    let taught = |why: &str| {
        let mut capture = Service::new("", "").record(&[pan.clone(), pan.clone()]);
        let arrived = Arrived::default();
        let why = why.to_owned();
        capture.cases[1].exchanges[0].response = Err(TransportError::Cut { why, arrived });
        learned(&capture).text
    };
    assert_eq!(taught(CLIENT_GONE), None);
    assert_eq!(taught(CUT_SHORT), None);
    let text = taught("connection reset by peer").expect("that was the service");
    assert!(text.contains("reset"), "{text}");
}

#[test]
fn what_people_wrote_is_not_learned_and_what_contradicts_it_is_told() {
    let capture = Service::new("elsewhere", ELSEWHERE).record(&calls());
    let by_hand = r#"
[[scenario]]
name = "our supplier"
operation = "verify.utility.png"
when = { serviceProvider = "MGL" }
then = { error = "SVC_SOURCE_UNAVAILABLE" }

[[scenario]]
name = "we say that it is active"
operation = "verify.identity.dl"
when = { dlNumber = "TN0120160009876" }
then = { success = { status = "ACTIVE" } }
"#;
    let learned = learned_beside(&capture, by_hand);
    let text = learned.text.expect("there is something to learn");
    assert!(!text.contains("SVC_SOURCE_UNAVAILABLE"), "{text}");
    assert!(!text.contains("SUSPENDED"), "{text}");
    let contradicted = learned
        .fidelity
        .differences
        .iter()
        .find(|it| it.captured == "\"SUSPENDED\"");
    let why = &contradicted.expect("it is told").why;
    assert!(
        why.contains("we say that it is active") && why.contains("stays as it is"),
        "{why}"
    );
}

#[test]
fn an_answer_that_nobody_could_give_is_told() {
    let mut capture = Service::new("", "")
        .record(&[("verify.identity.pan", r#"{"pan":"ABCPE1234F"}"#.to_owned())]);
    let answer = capture.cases[0].exchanges[0]
        .response
        .as_mut()
        .expect("an answer");
    let body = String::from_utf8(answer.body.clone()).expect("text");
    answer.body = body
        .replace(r#""status":"completed""#, r#""status":"done""#)
        .into_bytes();
    let fidelity = learned(&capture).fidelity;
    let told: Vec<_> = fidelity
        .differences
        .iter()
        .map(|it| (it.member.as_str(), it.captured.as_str()))
        .collect();
    assert_eq!(told, [("status", "\"done\"")]);
    assert!(fidelity.percent() < 100.0);
}

#[test]
fn stand_ins_for_people_get_identifiers_and_stay_one_person() {
    let calls = [
        ("verify.identity.pan", r#"{"pan":"CKZPI4821L"}"#.to_owned()),
        (
            "verify.identity.dl",
            r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994"}"#.to_owned(),
        ),
    ];
    let mut capture = Service::new("elsewhere", ELSEWHERE).record(&calls);
    let hidden = |body: &mut Vec<u8>| {
        let text = String::from_utf8(body.clone()).expect("text");
        let pairs = [
            ("CKZPI4821L", "[redacted 1]"),
            ("KAVYA IYER", "[redacted 2]"),
            ("TN0120160009876", "[redacted 3]"),
        ];
        *body = pairs
            .iter()
            .fold(text, |text, (from, to)| text.replace(from, to))
            .into_bytes();
    };
    for exchange in capture
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.exchanges)
    {
        hidden(&mut exchange.request.body);
        hidden(&mut exchange.response.as_mut().expect("an answer").body);
    }
    let learned = learned(&capture);
    assert!(
        learned.fidelity.differences.is_empty(),
        "{:#?}",
        learned.fidelity.differences
    );
    let text = learned.text.expect("there is something to learn");
    let person = text
        .split("\n\n")
        .find(|block| block.contains("name = \"[redacted 2]\""))
        .expect("she is declared");
    assert!(
        person.contains("\npan = ") && person.contains("\ndlNumber = "),
        "{text}"
    );
}

#[test]
fn what_one_environment_answers_is_not_said_of_the_other() {
    let rules = r#"
[[scenario]]
name = "live is down at first"
operation = "verify.identity.dl"
when = { environment = "live" }
then = [{ error = "SVC_SOURCE_TIMEOUT" }, { success = {} }]
"#;
    let licence = r#"{"dlNumber":"KL0720150004567","dateOfBirth":"02/04/1991"}"#.to_owned();
    let calls = vec![("verify.identity.dl", licence); 2];
    let mut capture = Service::new("elsewhere", rules).record(&calls);
    let live = Service::new("elsewhere", rules).live().record(&calls);
    capture.cases.extend(live.cases);
    let learned = learned(&capture);
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    let text = learned.text.expect("there is something to learn");
    assert!(text.contains(r#"environment = "live""#), "{text}");
}

/// A score is computed from both names, and what was seen of these two says nothing of others.
#[test]
fn what_is_computed_of_the_request_is_said_of_what_was_sent() {
    let rules = r#"
[[scenario]]
name = "scores of its own"
operation = "verify.name.match"
when = { name1 = "ASHA RAO" }
then = { success = { score = 0.93 } }
"#;
    let calls = [(
        "verify.name.match",
        r#"{"name1":"ASHA RAO","name2":"Smt Asha Rao"}"#.to_owned(),
    )];
    let learned = learned(&Service::new("", rules).record(&calls));
    let text = learned.text.expect("there is something to learn");
    let when = r#"when = { name1 = "ASHA RAO", name2 = "Smt Asha Rao", type = "#;
    assert!(text.contains(when), "{text}");
}

/// A register writes in capitals what everybody else writes as people do.
#[test]
fn a_name_in_capitals_is_the_same_persons() {
    let rules = r#"
[person.kavya]
name = "Kavya Iyer"
father_name = "Raman Iyer"
pan = "CKZPI4821L"
mobile = "9876500001"
dlNumber = "TN0120160009876"

[[scenario]]
name = "capitals"
operation = "verify.identity.pan"
when = { who = "kavya" }
then = { success = { name = "KAVYA IYER", nameOnPan = "KAVYA IYER" } }
"#;
    let calls = [
        ("verify.identity.pan", r#"{"pan":"CKZPI4821L"}"#),
        ("screen.mobile-silent", r#"{"mobile":"9876500001"}"#),
        (
            "verify.identity.dl",
            r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994"}"#,
        ),
    ];
    let calls = calls.map(|(operation, body)| (operation, body.to_owned()));
    let learned = learned(&Service::new("elsewhere", rules).record(&calls));
    assert_eq!(learned.people, 1, "{:?}", learned.text);
}
