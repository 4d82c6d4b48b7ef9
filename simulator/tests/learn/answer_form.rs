//! What all answers share is learned once: members of `meta`, and the form in which bundles tell their steps.

use svc_simulator::learn::Learned;

use crate::ELSEWHERE;
use crate::recorder::{Service, USAGE, learned};

/// The calls of a bundle, two of which fail in part, and of two operations.
fn calls() -> [(&'static str, String); 5] {
    let calls = [
        (
            "bundles.company-tan-identity",
            r#"{"tan":"PNES12345B","cin":"U72900MH2015PTC123456"}"#,
        ),
        (
            "bundles.company-tan-identity",
            r#"{"tan":"PNES17422B","cin":"U72900MH2015PTC123456"}"#,
        ),
        (
            "bundles.full-identity-kyc",
            r#"{"dlNumber":"TN0120160009876","dateOfBirth":"23/11/1994","imageUrl1":"https://example.com/a.jpg","imageUrl2":"https://example.com/b.jpg","imageUrl":"https://example.com/c.jpg"}"#,
        ),
        ("verify.company.tan", r#"{"tan":"PNES12345B"}"#),
        ("verify.company.tan", r#"{"tan":"no"}"#),
    ];
    calls.map(|(operation, body)| (operation, body.to_owned()))
}

/// What is learned of a service whose answers have this form, above its first person or rule. Nothing may differ then.
fn head(form: &str) -> String {
    let scenarios = format!(
        r#"{form}
        [[scenario]]
        name = "a TAN that nobody has"
        operation = "verify.company.tan"
        when = {{ tan = "PNES17422B" }}
        then = {{ error = "SVC_NO_RECORD_FOUND" }}
        {ELSEWHERE}"#
    );
    let capture = Service::new("elsewhere", &scenarios).record(&calls());
    let learned = learned(&capture);
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    let text = learned.text.expect("there is something to learn");
    let shared = text.split("\n\n").skip(1);
    let shared = shared.take_while(|block| block.contains("[answers."));
    let lines = shared
        .flat_map(str::lines)
        .filter(|line| !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_service_in_the_simulator_s_own_form_needs_no_word_of_it() {
    assert_eq!(head(""), "");
}

#[test]
fn members_of_meta_are_said_once_and_not_by_each_rule() {
    let said = head(
        r#"answers.meta = { provider = "aggregator", region = "in-west", build = { number = 7 } }"#,
    );
    insta::assert_snapshot!(said, @r#"
    [answers.meta]
    provider = "aggregator"
    region = "in-west"
    build = { number = 7 }
    "#);
}

#[test]
fn a_list_of_steps_under_other_names_is_seen() {
    let said = head(
        r#"
        [answers.bundle]
        bundleName = "{bundle}"
        version = 3
        checks = [{ operation = "{endpoint}", state = "{status}", result = "{data}", failure = { code = "{error.code}" } }]
        counts = { done = "{completed}", lost = "{failed}" }
        "#,
    );
    insta::assert_snapshot!(said, @r#"
    [answers.bundle]
    bundleName = "{bundle}"
    version = 3
    counts = { done = "{completed}", lost = "{failed}" }
    checks = [{ operation = "{endpoint}", state = "{status}", result = "{data}", failure = { code = "{error.code}" } }]
    riskScore = "{riskScore}"
    riskLevel = "{riskLevel}"
    "#);
}

#[test]
fn a_table_of_steps_with_their_data_alone_is_seen() {
    let said = head(
        r#"
        [answers.bundle]
        results = { "{step}" = { path = "{path}", id = "{verificationId}", found = "{data}", cost = "{billing}", code = "{error.code}" } }
        "#,
    );
    insta::assert_snapshot!(said, @r#"
    [answers.bundle]
    results = { "{step}" = { path = "{path}", id = "{verificationId}", found = "{data}", cost = "{billing}", code = "{error.code}" } }
    riskScore = "{riskScore}"
    riskLevel = "{riskLevel}"
    "#);
}

#[test]
fn a_usage_that_counts_bundles_and_not_their_steps_is_seen() {
    let mut calls = calls().to_vec();
    calls.push((USAGE, String::new()));
    for (form, said) in [("answers.usage = 'bundles'", true), ("", false)] {
        let capture = Service::new("elsewhere", &format!("{form}\n{ELSEWHERE}")).live();
        let learned = learned(&capture.record(&calls));
        let differences = &learned.fidelity.differences;
        assert!(differences.is_empty(), "{differences:#?}");
        let text = learned.text.expect("there is something to learn");
        assert_eq!(
            text.contains("[answers]\nusage = \"bundles\""),
            said,
            "{text}"
        );
    }
}

/// What is learned of the usage of a service that has this form, after calls of which one is refused.
fn report(form: &str) -> String {
    let mut calls = calls().to_vec();
    calls.push((USAGE, String::new()));
    let capture = Service::new("elsewhere", &format!("{form}\n{ELSEWHERE}")).live();
    let learned = learned(&capture.record(&calls));
    let differences = &learned.fidelity.differences;
    assert!(differences.is_empty(), "{differences:#?}");
    let text = learned.text.expect("there is something to learn");
    let mut blocks = text
        .split("\n\n")
        .filter(|it| it.contains("\n[answers.report]\n"));
    blocks.next().unwrap_or_default().to_owned()
}

#[test]
fn a_usage_report_under_other_names_is_seen_and_what_its_numbers_count() {
    let list = r#"
        [answers]
        usage = "bundles"
        [answers.report]
        currency = "INR"
        sum = { requests = "{executed}", rupees = "{amount}" }
        rows = [{ service = "{path}", requests = "{executed}", lost = "{failed}", spent = "{amount}" }]
    "#;
    insta::assert_snapshot!(report(list), @r#"
    # day.capture: the form of the usage report
    [answers.report]
    currency = "INR"
    sum = { requests = "{executed}", rupees = "{amount}" }
    rows = [{ service = "{path}", requests = "{executed}", lost = "{failed}", spent = "{amount}" }]
    "#);
    let table = r#"
        [answers.report]
        "{endpoint}" = { calls = { all = "{calls}", charged = "{billed}" } }
    "#;
    insta::assert_snapshot!(report(table), @r#"
    # day.capture: the form of the usage report
    [answers.report]
    "{endpoint}" = { calls = { all = "{calls}", charged = "{billed}" } }
    "#);
    assert_eq!(report(""), "");
}

#[test]
fn steps_that_are_all_of_the_data_are_seen() {
    let said = head(
        r#"
        [answers.bundle]
        "{name}" = { status = "{status}", data = "{data}", error = "{error}" }
        "#,
    );
    insta::assert_snapshot!(said, @r#"
    [answers.bundle]
    "{name}" = { status = "{status}", data = "{data}", error = "{error}" }
    "#);
}

#[test]
fn a_member_of_meta_that_was_hidden_with_people_says_what_it_says_elsewhere() {
    let service = Service::new("elsewhere", "answers.meta.region = 'in-west'");
    let mut capture = service.record(&calls());
    let exchanges = capture
        .cases
        .iter_mut()
        .flat_map(|case| &mut case.exchanges);
    for exchange in exchanges.skip(1) {
        let body = &mut exchange.response.as_mut().expect("an answer").body;
        let text = String::from_utf8_lossy(body).replace("in-west", "[redacted 7]");
        *body = text.into_bytes();
    }
    let Learned { text, fidelity, .. } = learned(&capture);
    assert_eq!(fidelity.missed, 0, "{:#?}", fidelity.differences);
    let text = text.expect("there is something to learn");
    assert!(text.contains(r#"region = "in-west""#), "{text}");
}
