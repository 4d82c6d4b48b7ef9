//! Rules that say `fall_through`: they decide so many calls, and after that everything is as it would be without them.

use crate::scene::Scene;

const SCREEN: &str = "/v1/screen/negative-diligence";
const OTP: &str = "/v1/verify/identity/mobile-otp/verify";

/// A rule for an operation that is to decide as often as it has outcomes.
fn rule(name: &str, operation: &str, then: &str) -> String {
    format!(
        "[[scenario]]\nname = \"{name}\"\noperation = \"{operation}\"\nthen = {then}\nfall_through = true\n"
    )
}

fn pan(scene: &Scene, pan: &str) -> String {
    scene.pan(&format!(r#"{{"pan": "{pan}"}}"#)).outcome()
}

#[test]
fn after_its_outcomes_each_input_gets_what_other_rules_say() {
    let scene = Scene::with(&rule(
        "down",
        "*",
        r#"[{ error = "SVC_SOURCE_TIMEOUT" }, { error = "SVC_PROVIDER_ERROR" }]"#,
    ));
    let outcomes = ["AAAAA9999A", "AAAAA9999A", "AAAAA9999A", "AAAAA0000A"];
    let outcomes = outcomes.map(|it| pan(&scene, it));
    insta::assert_snapshot!(outcomes.join("\n"), @"
    504 SVC_SOURCE_TIMEOUT
    502 SVC_PROVIDER_ERROR
    422 SVC_NO_RECORD_FOUND
    504 SVC_SOURCE_TIMEOUT
    ");
    let screened = [(); 4].map(|()| {
        let answer = scene
            .post(SCREEN, r#"{"name": "SANCTIONED PERSON"}"#)
            .send();
        format!("{} {}", answer.outcome(), answer.at("data.clean"))
    });
    assert_eq!(screened[2], "200 completed false");
    assert_eq!(screened[3], "200 completed false");
}

#[test]
fn two_of_them_come_to_their_ends_one_after_the_other() {
    let once = |name: &str, code: &str| {
        let then = format!("{{ error = \"{code}\" }}");
        rule(name, "verify.identity.pan", &then)
    };
    let scene =
        Scene::with(&(once("first", "SVC_SOURCE_TIMEOUT") + &once("second", "SVC_PROVIDER_ERROR")));
    let outcomes = [(); 4].map(|()| pan(&scene, "AAAAA9999A"));
    insta::assert_snapshot!(outcomes.join("\n"), @"
    504 SVC_SOURCE_TIMEOUT
    502 SVC_PROVIDER_ERROR
    422 SVC_NO_RECORD_FOUND
    422 SVC_NO_RECORD_FOUND
    ");
}

#[test]
fn a_success_of_its_own_is_given_so_often_and_no_more() {
    let then = r#"{ success = { nameOnPan = "RAVI" } }"#;
    let scene = Scene::with(&rule("once", "verify.identity.pan", then));
    let asked = || scene.pan(r#"{"pan": "AAAAA0000A"}"#).send();
    let names = [(); 3].map(|()| asked().at("data.nameOnPan"));
    assert_eq!(names, ["RAVI", "ASHA RAO", "ASHA RAO"]);
}

#[test]
fn what_a_flow_carries_is_asked_for_again_once_a_rule_that_named_it_has_ended() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "late once"
        operation = "verify.identity.mobile-otp.verify"
        when = { request_id = "req_late" }
        then = { error = "SVC_SOURCE_TIMEOUT" }
        fall_through = true
        "#,
    );
    let body = r#"{"request_id": "req_late", "otp": "000000"}"#;
    let asked = || scene.post(OTP, body).send();
    assert_eq!(asked().outcome(), "504 SVC_SOURCE_TIMEOUT");
    let message = asked().at("error.message");
    assert!(
        message.contains("was not issued to this account"),
        "{message}"
    );
}

#[test]
fn an_id_that_is_a_fixed_input_stays_one_while_another_rule_decides() {
    let scene = Scene::with(&rule(
        "down",
        "verify.identity.mobile-otp.verify",
        r#"{ error = "SVC_SOURCE_TIMEOUT" }"#,
    ));
    let fixed = || {
        let body = r#"{"request_id": "status-422", "otp": "000000"}"#;
        scene.post(OTP, body).outcome()
    };
    assert_eq!(fixed(), "504 SVC_SOURCE_TIMEOUT");
    assert_eq!(fixed(), "422 SVC_NO_RECORD_FOUND");
}

#[test]
fn a_step_of_a_bundle_counts_as_a_call_of_its_operation() {
    let then = r#"{ error = "SVC_SOURCE_TIMEOUT" }"#;
    let scene = Scene::with(&rule("once", "screen.*", then));
    let body = r#"{"mobile": "9000000005", "email": "a@example.com", "name": "CLEAN PERSON"}"#;
    let asked = || scene.post("/v1/bundles/fraud-check", body).send();
    let steps = [asked(), asked()].map(|it| it.at("data.steps.0.status"));
    assert_ne!(steps[0], steps[1], "{steps:?}");
}
