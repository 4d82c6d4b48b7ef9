//! `try` and `explain` of bundles: each step is printed with its reason.

use svc_fixtures::contract::Contract;

use super::dry::folder;
use super::{WORKS, run};

#[test]
fn every_bundle_can_be_tried_to_its_end_and_explained() {
    for bundle in &Contract::built_in().bundles {
        let id = format!("bundles.{}", bundle.slug);
        let (code, out, stderr) = run("", &["try", &id, "--result", "--because"]);
        assert_eq!(code, 0, "{id}: {stderr}");
        let last = out.lines().last().unwrap_or_default();
        assert!(last.contains("\"status\":\"completed\""), "{id}: {last}");
        let (code, out, _) = run("", &["explain", &format!("/v1/bundles/{}", bundle.slug)]);
        assert_eq!(code, 0, "{id}");
        assert!(out.contains("\nSteps\n"), "{id}: {out}");
    }
}

const RULES: &str = r#"
[person.kavya]
mobile = "9876511122"
uan = "100987654411"
name = "KAVYA IYER"

[[scenario]]
name = "the history takes its time"
operation = "verify.employment.uan"
when = { who = "kavya" }
then = { pending = {}, after = "1h" }
"#;

#[test]
fn the_steps_of_a_bundle_are_printed_with_their_reasons() {
    let folder = folder("bundle-steps", RULES).display().to_string();
    let call = [
        "bundles.employment-claim-verification",
        "--field",
        "mobile=9876511122",
        "--scenarios",
        &folder,
    ];
    let (code, out, _) = run("", &[&["explain"][..], &call].concat());
    assert_eq!(code, 0);
    insta::assert_snapshot!(out.replace(&folder, "FOLDER"), @r#"
    bundles.employment-claim-verification {"mobile":"9876511122"}
    of local, test

    Answer
      200 pending

    Steps
      verify.employment.uan-lookup  200 completed  no scenario names this input; it is about person "kavya" (FOLDER/team.toml:2)
      verify.employment.uan         202 pending    scenario "the history takes its time" (FOLDER/team.toml:7)

    What else a step could get
      svc-simulator explain verify.employment.uan-lookup --scenarios FOLDER
      svc-simulator explain verify.employment.uan --scenarios FOLDER
    "#);
    let (_, _, stderr) = run(
        "",
        &[&["try", "--because", "--after", "1h"][..], &call].concat(),
    );
    insta::assert_snapshot!(stderr.replace(&folder, "FOLDER"), @r#"
    local (test) calls bundles.employment-claim-verification with {"mobile":"9876511122"}
    1: 200 pending, each step has a reason of its own
      verify.employment.uan-lookup: 200 completed, no scenario names this input; it is about person "kavya" (FOLDER/team.toml:2)
      verify.employment.uan: 202 pending, scenario "the history takes its time" (FOLDER/team.toml:7)
    result: 200 completed, each step has a reason of its own
      verify.employment.uan-lookup: 200 completed, no scenario names this input; it is about person "kavya" (FOLDER/team.toml:2)
      verify.employment.uan: 200 completed, scenario "the history takes its time" (FOLDER/team.toml:7)
      verify.employment.epfo-name-search: 200 completed, no scenario names this input
    "#);
    let (code, out, _) = run("", &[&["explain", "--format", "json"][..], &call].concat());
    let explanation: serde_json::Value = serde_json::from_str(&out).expect(WORKS);
    assert_eq!(
        (code, explanation["steps"].as_array().map(Vec::len)),
        (0, Some(2))
    );
    assert_eq!(explanation["steps"][1]["outcome"], "pending");
}

#[test]
fn what_a_bundle_does_not_have_is_refused() {
    for (arguments, message) in [
        (
            ["try", "bundles.fraud-chek", "--field", "a=b"],
            "did you mean `bundles.fraud-check`?",
        ),
        (
            ["try", "bundles.fraud-check", "--field", "pan=A"],
            "bundles.fraud-check has no field pan",
        ),
    ] {
        let (code, _, stderr) = run("", &arguments);
        assert!(code == 2 && stderr.contains(message), "{stderr}");
    }
    let call = ["explain", "bundles.fraud-check", "--body", "{}"];
    let (code, out, _) = run("", &call);
    assert!(
        code == 0 && out.contains("\n  the call is refused: "),
        "{out}"
    );
}
