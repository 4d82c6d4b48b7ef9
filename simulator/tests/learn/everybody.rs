//! What is said of everybody: nothing that the request decides, and nothing of one person.

use svc_capture::TransportError;

use crate::recorder::{Service, learned};

/// The rule for everybody of whom no other rule speaks; empty where there is none.
fn of_everybody(rules: &str, calls: &[(&str, &str)]) -> String {
    let calls: Vec<_> = calls
        .iter()
        .map(|(operation, body)| (*operation, (*body).to_owned()))
        .collect();
    let text = learned(&Service::new("elsewhere", rules).record(&calls)).text;
    let text = text.expect("there is something to learn");
    let mut rules = text.split("\n\n");
    let rule = rules.find(|rule| rule.contains("otherwise = true"));
    rule.unwrap_or_default().to_owned()
}

/// Two scores that happen to be alike are no score of everybody's.
#[test]
fn what_the_request_decides_is_never_said_of_everybody() {
    let rules = r#"
[[scenario]]
name = "scores and states of its own"
operation = "verify.identity.pan"
otherwise = true
then = { success = { nameMatchScore = 0.5, panStatus = "INOPERATIVE" } }
"#;
    let calls = [
        ("verify.identity.pan", r#"{"pan":"CKZPI4821L","name":"A"}"#),
        ("verify.identity.pan", r#"{"pan":"BNZPN2501F","name":"B"}"#),
        ("verify.identity.pan", r#"{"pan":"BNZPN2502F","name":"C"}"#),
    ];
    let rule = of_everybody(rules, &calls);
    assert!(rule.contains("panStatus"), "{rule}");
    assert!(!rule.contains("nameMatchScore"), "{rule}");
}

/// Whoever does not ask for checks of quality gets none.
#[test]
fn what_is_made_of_what_was_asked_for_is_not_said_of_everybody() {
    let rules = r#"
[[scenario]]
name = "checks of its own"
operation = "verify.document.kyc-ocr"
when = { returnQualityChecks = { present = true } }
then = { success = { "qualityChecks[0]" = "BLUR 0.91 OF ITS OWN" } }
"#;
    let urls = ["a", "b", "c"].map(|name| {
        format!(r#"{{"url":"https://c.example/{name}.jpg","returnQualityChecks":["BLUR"]}}"#)
    });
    let calls = urls
        .each_ref()
        .map(|body| ("verify.document.kyc-ocr", body.as_str()));
    let rule = of_everybody(rules, &calls);
    assert!(!rule.contains("qualityChecks"), "{rule}");
}

/// A later step of a flow asks for nobody: what is known of whoever began it is not everybody's.
#[test]
fn what_is_known_of_one_person_is_not_said_of_all_flows() {
    let rules = r#"
[[scenario]]
name = "a name of its own"
operation = "verify.identity.mobile-otp.fetch"
otherwise = true
then = { success = { name = "KAVYA IYER" } }
"#;
    let service = Service::new("elsewhere", rules);
    let start = (
        "verify.identity.mobile-otp.start",
        r#"{"mobile":"9876500001"}"#.to_owned(),
    );
    let begun = service.record(std::slice::from_ref(&start));
    let answer = begun.cases[0].exchanges[0]
        .response
        .as_ref()
        .expect("an answer");
    let answer: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    let id = answer["data"]["request_id"].as_str().expect("an id");
    let verify = format!(r#"{{"request_id":"{id}","otp":"123456"}}"#);
    let fetch = format!(r#"{{"request_id":"{id}"}}"#);
    let calls = [
        start,
        ("verify.identity.mobile-otp.verify", verify),
        ("verify.identity.mobile-otp.fetch", fetch),
    ];
    let text = learned(&service.record(&calls)).text.unwrap_or_default();
    let of_fetch = text
        .split("\n\n")
        .find(|rule| rule.contains("mobile-otp.fetch"));
    assert!(
        !of_fetch.unwrap_or_default().contains("name = \"KAVYA"),
        "{text}"
    );
}

/// A step that only carries an id is told apart by where it is asked alone, which is no reason to say nothing of it.
#[test]
fn what_a_later_step_answers_alike_on_the_sandbox_and_on_live_is_said() {
    let service = Service::new("elsewhere", "");
    let start = (
        "verify.identity.mobile-otp.start",
        r#"{"mobile":"9876500001"}"#.to_owned(),
    );
    let begun = service.record(std::slice::from_ref(&start));
    let answer = begun.cases[0].exchanges[0].response.as_ref();
    let answer: serde_json::Value =
        serde_json::from_slice(&answer.expect("an answer").body).expect("JSON");
    let id = answer["data"]["request_id"].as_str().expect("an id");
    let verify = format!(r#"{{"request_id":"{id}","otp":"123456"}}"#);
    let fetch = format!(r#"{{"request_id":"{id}"}}"#);
    let unknown = r#"{"request_id":"never-issued"}"#.to_owned();
    let mut capture = service.record(&[
        start,
        ("verify.identity.mobile-otp.fetch", unknown),
        ("verify.identity.mobile-otp.verify", verify),
        ("verify.identity.mobile-otp.fetch", fetch),
    ]);
    let changed = |from: &str, to: &str, capture: &mut svc_capture::Capture| {
        let cases = capture.cases.iter_mut();
        for exchange in cases.flat_map(|case| &mut case.exchanges) {
            let answer = exchange.response.as_mut().expect("an answer");
            for body in [&mut exchange.request.body, &mut answer.body] {
                let text = String::from_utf8_lossy(body).replace(from, to);
                *body = text.into_bytes();
            }
        }
    };
    let payments = r#""paymentHistory":"#;
    let recharges = format!(r#""recharges":[{{"period":"2026-10"}}],{payments}"#);
    changed(payments, &recharges, &mut capture);
    let mut live = capture.clone();
    changed(id, "rq_of_live", &mut live);
    changed(
        r#""environment":"test""#,
        r#""environment":"live""#,
        &mut live,
    );
    for case in &mut live.cases {
        case.case += " (live)";
        for exchange in &mut case.exchanges {
            exchange.request.environment = svc_fixtures::contract::Environment::Live;
        }
    }
    capture.cases.extend(live.cases);
    let text = learned(&capture).text.expect("the recharges");
    assert!(text.contains("2026-10"), "{text}");
}

/// The answer was lost on the way and came with the retry: the next one is not lost.
#[test]
fn a_wire_that_broke_once_is_whole_when_the_answer_came_with_the_retry() {
    let pan = ("verify.identity.pan", r#"{"pan":"CKZPI4821L"}"#.to_owned());
    let mut capture = Service::new("elsewhere", "").record(&[pan.clone(), pan]);
    let first = capture.cases[0].exchanges[0].clone();
    for (exchange, at) in capture
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.exchanges)
        .zip(0..)
    {
        let key = ("idempotency-key".to_owned(), "retried".to_owned());
        exchange.request.headers.push(key);
        exchange.response = match at {
            0 => Err(TransportError::Cut {
                why: "connection reset by peer".to_owned(),
                arrived: svc_capture::Arrived::default(),
            }),
            _ => first.response.clone(),
        };
    }
    let learned = learned(&capture);
    assert!(
        learned.fidelity.differences.is_empty(),
        "{:#?}",
        learned.fidelity.differences
    );
    let text = learned.text.expect("there is something to learn");
    let then = text.split("then = ").nth(1).unwrap_or_default();
    let steps: Vec<_> = then
        .lines()
        .filter(|line| line.contains("success"))
        .collect();
    let broken = steps.iter().map(|line| line.contains("wire"));
    assert_eq!(broken.collect::<Vec<_>>(), [true, false], "{text}");
}

/// The null of a member that no row has takes nothing else of the answer with it.
#[test]
fn a_member_that_nobody_knows_may_be_null() {
    let rules = r#"
[[scenario]]
name = "more than is known"
operation = "verify.company.tan"
when = { tan = "ABCD12345A" }
then = { success = { category = "FIRM", profile = { owner = "A" } }, null = ["note", "profile.city"], breaks_contract = true }
"#;
    let call = ("verify.company.tan", r#"{"tan":"ABCD12345A"}"#.to_owned());
    let learned = learned(&Service::new("", rules).record(&[call]));
    assert!(
        learned.fidelity.differences.is_empty(),
        "{:#?}",
        learned.fidelity.differences
    );
    let text = learned.text.expect("there is something to learn");
    assert!(text.contains("category = \"FIRM\""), "{text}");
}
