//! Whoever decides what calls get: rules, people with a story, consents.

use serde_json::json;

use super::super::story::Story;
use super::super::webdriver::Driver;
use super::{PAN, Test, asha};

pub(super) const TESTS: &[Test] = &[
    (
        "a_rule_with_a_mistake_is_mended_at_its_line_and_then_decides",
        mended_at_its_line,
    ),
    (
        "a_rule_that_was_added_is_changed_and_removed",
        changed_and_removed,
    ),
    ("a_person_leads_to_her_employer_and_to_her_car", walked),
    ("an_operation_is_tried_with_somebody_who_has_a_story", tried),
    (
        "an_input_that_breaks_the_rules_is_refused_by_the_service_itself",
        tried_wrongly,
    ),
    ("an_input_is_explained_before_it_is_sent", explained),
    ("a_consent_is_allowed_in_the_inbox", allowed),
    ("a_consent_is_refused_in_the_inbox", refused),
];

const WRONG: &str = "[[scenario]]
name = \"the registry sleeps\"
operation = \"verify.identity.pan\"
then = { eror = \"SVC_SOURCE_UNAVAILABLE\" }
";

fn mended_at_its_line(driver: &Driver) {
    let mut story = Story::new(driver);
    story.excuse(400);
    story.excuse(422);
    story.open("/scenarios");
    let editor = story.section("Add rules");
    editor.fill("Account", "local");
    editor.fill("Rules", WRONG);
    editor.press("Add");
    story.is_told("Nothing was added");
    story.sees("Line 4, column");
    story.sees("eror");
    // What was typed is still there.
    assert!(story.section("Add rules").value("Rules").contains("eror"));
    let right = WRONG.replace("eror", "error");
    story.section("Add rules").fill("Rules", &right);
    story.press("Only check");
    story.is_told("No mistakes");
    assert_eq!(story.call("svc_test_local", PAN, &asha()).status, 200);
    story.press("Add");
    story.is_told("Added as");
    for _ in 0..3 {
        let answer = story.call("svc_test_local", PAN, &asha());
        assert_eq!(answer.code(), "SVC_SOURCE_UNAVAILABLE");
    }
    story.browser.reload();
    // One rule, three calls.
    story.sees_row(&["scenarios.toml", "1 3 0"]);
}

fn changed_and_removed(driver: &Driver) {
    let story = Story::new(driver);
    let account = story.simulator.account("local");
    let rule = WRONG.replace("eror", "error");
    account.add_scenarios(&rule).expect("a rule");
    story.open("/scenarios?account=local");
    story.row("scenarios.toml").follow_link();
    let text = rule.replace("SVC_SOURCE_UNAVAILABLE", "SVC_SOURCE_TIMEOUT");
    story.fill("Text", &text);
    story.press("Save");
    story.is_told("The rules were changed.");
    assert_eq!(story.call("svc_test_local", PAN, &asha()).status, 504);
    story.press("Remove");
    story.is_told("The rules were removed.");
    assert_eq!(story.call("svc_test_local", PAN, &asha()).status, 200);
}

fn walked(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/world");
    story.fill("Identifier", "CQSPB5110B");
    story.press("Look up");
    story.sees("INDERJIT BAJWA");
    story.sees("car that was reported stolen");
    story.row("employer").follow_link();
    story.sees("A company");
    story.browser.back();
    story
        .section("Whom it has to do with")
        .row("vehicle")
        .follow_link();
    story.sees("A vehicle");
    // Her own one, and from there back to its owner.
    story.sees("Reported stolen and blacklisted");
    story.row("INDERJIT BAJWA").follow_link();
    story.sees("A person");
}

fn tried(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/try");
    story.follow("PAN");
    story.follow("NARAYANAN IYER");
    assert_eq!(story.page().value("pan"), "GMWPI6559E");
    story.press("Send");
    story.sees("Answer: 200");
    story.sees("NARAYANAN IYER");
    story.follow("Calls");
    story.sees_row(&["local", "verify.identity.pan", "completed"]);
}

fn tried_wrongly(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/try/verify.identity.pan");
    story.fill("pan", "no such thing");
    story.press("Send");
    story.sees("Answer: 400");
    story.sees("SVC_INVALID_IDENTIFIER");
    assert_eq!(story.page().value("pan"), "no such thing");
}

fn explained(driver: &Driver) {
    let story = Story::new(driver);
    story.open("/try/verify.identity.pan");
    story.fill("pan", "AAAAA0503A");
    story.press("Explain, without sending");
    story.sees("SVC_SOURCE_UNAVAILABLE");
    story.sees("universal.toml");
    assert_eq!(story.page().value("pan"), "AAAAA0503A");
    story.follow("Calls");
    story.sees("No call yet that fits");
}

/// Somebody is asked for consent.
fn asked(story: &Story) {
    let body = json!({ "redirectUrl": "https://app.example/back" });
    let answer = story.call(
        "svc_test_local",
        "/v1/verify/document/digilocker/start",
        &body,
    );
    assert_eq!(answer.json()["status"], "pending");
    story.open("/");
    story.follow("Consents");
    story.sees_row(&["local", "svcv_"]);
}

fn allowed(driver: &Driver) {
    let story = Story::new(driver);
    asked(&story);
    story.row("svcv_").press("Allow svcv_…");
    story.is_told("completed");
    story.sees("Nobody is asked anything.");
    story.open("/calls");
    story.sees_row(&["verify.document.digilocker", "completed"]);
}

fn refused(driver: &Driver) {
    let story = Story::new(driver);
    asked(&story);
    story.row("svcv_").press("Refuse svcv_…");
    story.is_told("SVC_NO_RECORD_FOUND");
    story.open("/calls");
    story.sees_row(&["verify.document.digilocker", "SVC_NO_RECORD_FOUND"]);
}
