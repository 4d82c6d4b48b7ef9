//! What bundles answered teaches what their steps answer.

use svc_simulator::learn::ReportedDifference;

use crate::ELSEWHERE;
use crate::recorder::{Service, learned, learned_beside};

#[test]
fn the_ids_and_balances_of_a_bundles_steps_are_the_services_own() {
    let somebody =
        r#"{"name":"ZED NAIR","email":"zed@mail.example","mobile":"9876512345","ip":"10.1.2.3"}"#;
    let capture = Service::new("elsewhere", "")
        .live()
        .record(&[("bundles.fraud-check", somebody.to_owned())]);
    let answer = capture.cases[0].exchanges[0].response.as_ref();
    let body = String::from_utf8_lossy(&answer.expect("an answer").body).into_owned();
    assert!(body.contains(r#""walletBalanceAfter""#), "{body}");
    let fidelity = learned(&capture).fidelity;
    assert!(fidelity.members > 40, "{}", fidelity.members);
    assert!(
        fidelity.differences.is_empty(),
        "{:#?}",
        fidelity.differences
    );
}

#[test]
fn what_only_bundles_ask_is_learned_of_their_steps() {
    let bundles = [
        (
            "bundles.full-identity-kyc",
            r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994","imageUrl1":"https://example.com/a.jpg","imageUrl2":"https://example.com/b.jpg","imageUrl":"https://example.com/c.jpg"}"#,
        ),
        (
            "bundles.employment-claim-verification",
            r#"{"mobile":"9876500001"}"#,
        ),
        (
            "bundles.address-utility-verification",
            r#"{"consumerNumber":"1234567890","electricity.serviceProvider":"MSEDCL"}"#,
        ),
    ];
    let bundles = bundles.map(|(bundle, body)| (bundle, body.to_owned()));
    let capture = Service::new("elsewhere", ELSEWHERE).record(&bundles);
    let learned = learned(&capture);
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    let text = learned.text.expect("there is something to learn");
    for said in [
        "[person.kavya_iyer]",
        "dlNumber = \"TN0120160009876\"",
        "status = \"SUSPENDED\"",
        "after = \"2h\"",
    ] {
        assert!(text.contains(said), "{said} is not in\n{text}");
    }
}

#[test]
fn why_a_bundle_differs_is_why_its_step_does() {
    let body = r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994","imageUrl1":"https://example.com/a.jpg","imageUrl2":"https://example.com/b.jpg","imageUrl":"https://example.com/c.jpg"}"#;
    let by_hand = r#"
[[scenario]]
name = "our licence"
operation = "verify.identity.dl"
when = { dlNumber = "TN0120160009876" }
then = { success = {} }
"#;
    let list = r#"answers.bundle.checks = [{ operation = "{endpoint}", result = "{data}" }]"#;
    let table = r#"answers.bundle.results = { "{name}" = "{data}" }"#;
    for (form, member) in [
        ("", "data.steps[0].data.status"),
        (list, "data.checks[0].result.status"),
        (table, "data.results.dl.status"),
    ] {
        let calls = [("bundles.full-identity-kyc", body.to_owned())];
        let scenarios = format!("{form}\n{ELSEWHERE}");
        let capture = Service::new("elsewhere", &scenarios).record(&calls);
        let differences = learned_beside(&capture, by_hand).fidelity.differences;
        let is_status = |it: &&ReportedDifference| it.member == member;
        let status = differences.iter().find(is_status).expect("it differs");
        assert!(
            status.why.contains("our licence") && !status.expressible,
            "{status:?}"
        );
    }
}

#[test]
fn of_two_steps_one_may_break_the_contract_and_another_keep_it() {
    let scenarios = r#"
        [[scenario]]
        name = "a licence without a day"
        operation = "verify.identity.dl"
        otherwise = true
        then = { success = { status = "IN FORCE", "validity.transport.from" = "" }, breaks_contract = true }

        [[scenario]]
        name = "a face that is nearly the same"
        operation = "verify.identity.face-match"
        otherwise = true
        then = { success = { confidence = 0.87, matchScore = 0.91 } }
    "#;
    let body = r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994","imageUrl1":"https://example.com/a.jpg","imageUrl2":"https://example.com/b.jpg","imageUrl":"https://example.com/c.jpg"}"#;
    let other = body.replace("TN0120160009876", "KA0120100000777");
    let calls = [body.to_owned(), other].map(|body| ("bundles.full-identity-kyc", body));
    let learned = learned(&Service::new("elsewhere", scenarios).record(&calls));
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
}
