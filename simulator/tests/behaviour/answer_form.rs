//! What all answers share, as scenario files say it: members of `meta`, and the forms of a bundle's `data` and of the usage
//! report's.

use jiff::SignedDuration;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::rules::Files;

use crate::scene::{Answer, Scene};

const META: &str = r#"
[answers.meta]
provider = "aggregator"
region = "in-west"
build = { number = 7 }

[[scenario]]
name = "another provider"
operation = "verify.identity.pan"
when = { pan = "ABCPE1234F" }
then = { provider = "bureau" }
"#;

const PAN: &str = "/v1/verify/identity/pan";
const TAN: &str = "/v1/bundles/company-tan-identity";
const COMPANY: &str = r#"{"tan": "PNES12345B", "cin": "U72900MH2015PTC123456"}"#;

/// The members of `meta` that are the same every time.
fn meta(answer: &Answer) -> String {
    let members = ["provider", "region", "build.number"];
    members
        .map(|name| answer.at(&format!("meta.{name}")))
        .join(" ")
}

#[test]
fn members_of_meta_are_in_every_answer_and_a_rule_s_provider_counts_first() {
    let scene = Scene::with(META);
    let one = scene.post(PAN, r#"{"pan": "ABCPE1234G"}"#).send();
    let other = scene.post(PAN, r#"{"pan": "ABCPE1234F"}"#).live().send();
    let refused = scene.post(PAN, "{}").send();
    let without_key = scene.post(PAN, "{}").key("svc_test_nobody").send();
    assert_eq!(meta(&one), "aggregator in-west 7");
    assert_eq!(meta(&other), "bureau in-west 7");
    assert_eq!(refused.outcome(), "400 SVC_INVALID_INPUT");
    assert_eq!(meta(&refused), "aggregator in-west 7");
    assert_eq!(meta(&without_key), "aggregator in-west 7");
    let later = format!("/v1/verifications/{}", one.id());
    assert_eq!(meta(&scene.get(&later).send()), "aggregator in-west 7");
}

const LIST: &str = r#"
[answers.bundle]
bundleName = "{bundle}"
version = 3
risk = { score = "{riskScore}", level = "{riskLevel}" }
checks = [{ operation = "{endpoint}", state = "{status}", result = "{data}", failure = { code = "{error.code}" } }]
counts = { done = "{completed}", lost = "{failed}" }

[[scenario]]
name = "a TAN that nobody has"
operation = "verify.company.tan"
when = { tan = "PNES17422B" }
then = { error = "SVC_NO_RECORD_FOUND" }
"#;

#[test]
fn a_bundle_in_a_provider_s_form_says_the_same_under_other_names() {
    let own = Scene::new().post(TAN, COMPANY).send();
    let scene = Scene::with(LIST);
    let formed = scene.post(TAN, COMPANY).send();
    let tan = own.at("data.steps.0.data");
    let cin = own.at("data.steps.1.data");
    assert_eq!(
        formed.at("data"),
        format!(
            r#"{{"bundleName":"company-tan-identity","version":3,"checks":[{{"operation":"verify.company.tan","state":"completed","result":{tan}}},{{"operation":"verify.company.mca.master","state":"completed","result":{cin}}}],"counts":{{"done":2,"lost":0}}}}"#
        )
    );
    // A step without a record has no result, and says why.
    let unknown = COMPANY.replace("12345", "17422");
    let unknown = scene.post(TAN, &unknown).send();
    assert_eq!(
        unknown.at("data.checks.0"),
        r#"{"operation":"verify.company.tan","state":"failed","failure":{"code":"SVC_NO_RECORD_FOUND"}}"#
    );
    assert_eq!(unknown.at("data.counts"), r#"{"done":1,"lost":1}"#);
    let person =
        r#"{"mobile": "9000000005", "email": "a@example.com", "name": "SANCTIONED PERSON"}"#;
    let fraud = scene.post("/v1/bundles/fraud-check", person).send();
    assert_eq!(fraud.at("data.risk.level"), "HIGH");
}

#[test]
fn steps_can_be_a_table_by_their_names_and_what_a_second_call_carries_is_always_there() {
    let scene = Scene::with(
        r#"
        [answers.bundle]
        results = { "{name}" = "{data}" }
        "#,
    );
    let formed = scene.post(TAN, COMPANY).send();
    assert_eq!(formed.at("data.results.tan.tan"), "PNES12345B");
    let dynamic = "/v1/bundles/dynamic-bank-validation";
    let account = r#"{"accountNumber": "123456789012", "ifsc": "HDFC0001234"}"#;
    let first = scene.post(dynamic, account).live().send();
    assert_eq!(first.outcome(), "200 pending");
    let (reference, amount) = (
        first.at("data.referenceId"),
        first.at("data.results.send.amountSent"),
    );
    let second = format!(r#"{{"referenceId": "{reference}", "amount": "{amount}"}}"#);
    let second = scene.post(dynamic, &second).live().send();
    assert_eq!(second.outcome(), "200 completed");
    assert_eq!(second.at("data.results.verify.amountMatch"), "true");
    scene.advance("local", SignedDuration::from_secs(1));
}

#[test]
fn the_usage_may_count_bundles_with_what_they_cost_and_not_their_steps() {
    let rows = |form: &str| {
        let scene = Scene::with(form);
        scene.post(TAN, COMPANY).live().send();
        let alone = r#"{"tan": "PNES12345B"}"#;
        scene.post("/v1/verify/company/tan", alone).live().send();
        let usage = scene.get("/v1/usage").live().send();
        let shown = |of: &str| {
            ["calls", "completed", "billed", "amount"]
                .map(|it| usage.at(&format!("data.{of}.{it}")))
                .join(" ")
        };
        let names = ["endpoints.0", "endpoints.1", "endpoints.2"];
        let names = names.map(|of| usage.at(&format!("data.{of}.endpoint")) + " " + &shown(of));
        let names = names.map(|row| row.trim().to_owned());
        format!("{}\nall {}", names.join("\n"), shown("totals"))
    };
    insta::assert_snapshot!(rows("answers.usage = 'steps'"), @r"
    bundles.company-tan-identity 1 1 0 0
    verify.company.mca.master 1 1 1 6
    verify.company.tan 2 2 2 4
    all 4 4 3 10
    ");
    insta::assert_snapshot!(rows("answers.usage = 'bundles'"), @r"
    bundles.company-tan-identity 1 1 1 8
    verify.company.tan 1 1 1 2

    all 2 2 2 10
    ");
    assert_eq!(rows(""), rows("answers.usage = 'steps'"));
}

/// The `data` of the usage after a bundle, a refusal and a TAN without a record.
fn usage(form: &str, query: &str) -> String {
    let scene = Scene::with(&format!("{form}\n{NO_RECORD}"));
    scene.post(TAN, COMPANY).live().send();
    scene.post(PAN, "{}").live().send();
    let nobody = r#"{"tan": "PNES17422B"}"#;
    scene.post("/v1/verify/company/tan", nobody).live().send();
    let path = format!("/v1/usage{query}");
    scene.get(&path).live().send().at("data")
}

const NO_RECORD: &str = r#"
[[scenario]]
name = "a TAN that nobody has"
operation = "verify.company.tan"
when = { tan = "PNES17422B" }
then = { error = "SVC_NO_RECORD_FOUND" }
"#;

#[test]
fn a_usage_report_in_a_provider_s_form_says_the_same_under_other_names() {
    let list = r#"
        [answers.report]
        currency = "INR"
        period = { from = "{from}", to = "{to}" }
        total = { calls = "{executed}", spend = "{amount}" }
        left = "{walletBalance}"
        rows = [{ name = "{endpoint}", calls = "{executed}", spend = "{amount}" }]
    "#;
    // The refused call is no row: nothing was executed.
    insta::assert_snapshot!(usage(list, ""), @r#"{"currency":"INR","total":{"calls":4,"spend":10},"left":99990,"rows":[{"name":"bundles.company-tan-identity","calls":1,"spend":0},{"name":"verify.company.mca.master","calls":1,"spend":6},{"name":"verify.company.tan","calls":2,"spend":4}]}"#);
    insta::assert_snapshot!(usage(list, "?from=2020-01-01&to=2020-12-31"), @r#"{"currency":"INR","period":{"from":"2020-01-01","to":"2020-12-31"},"total":{"calls":0,"spend":0},"left":99990,"rows":[]}"#);
    let table = r#"
        [answers]
        usage = "bundles"
        report = { "{path}" = { n = "{calls}", lost = "{failed}", none = "{noRecord}" } }
    "#;
    insta::assert_snapshot!(usage(table, ""), @r#"{"bundles/company-tan-identity":{"n":1,"lost":0,"none":0},"verify/company/tan":{"n":1,"lost":0,"none":1},"verify/identity/pan":{"n":1,"lost":1,"none":0}}"#);
}

#[test]
fn of_two_files_the_first_one_counts_member_by_member() {
    let mut files = Files::built_in();
    for (name, text) in [
        ("b.toml", "answers.meta = { region = 'two', zone = 2 }"),
        ("a.toml", "answers.meta = { region = 'one' }"),
    ] {
        files.scenarios.insert(0, Source::new(name, text));
    }
    let scene = Scene::of_files(&files);
    let answer = scene.post(PAN, r#"{"pan": "ABCPE1234G"}"#).send();
    assert_eq!(
        (answer.at("meta.region"), answer.at("meta.zone")),
        ("one".into(), "2".into())
    );
}
