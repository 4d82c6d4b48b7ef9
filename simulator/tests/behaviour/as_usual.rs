//! Rules without an ending: what they say is added to what the rules after them give.

use svc_simulator::engine::call::request::Environment;

use crate::scene::{PAN, Scene, UAN};

const SCREEN: &str = "/v1/screen/negative-diligence";

const SLOW: &str = r#"
    [[scenario]]
    name = "slow"
    operation = "*"
    then = { delay = "700ms", provider = "source-7" }
"#;

/// How a call ends, by whom it was answered, how long that took, and why.
fn told(scene: &Scene, path: &str, body: &str) -> String {
    scene.runtime.block_on(async {
        let before = tokio::time::Instant::now();
        let answer = scene.post(path, body).ask().await;
        let waited = before.elapsed().as_millis();
        let (outcome, provider) = (answer.outcome(), answer.at("meta.provider"));
        format!("{outcome}, {provider}, {waited} ms")
    })
}

#[test]
fn every_input_gets_what_it_gets_without_the_rule_only_later() {
    let scene = Scene::with(SLOW);
    let pan = |pan: &str| told(&scene, PAN, &format!(r#"{{"pan": "{pan}"}}"#));
    let all = ["AAAAA0000A", "AAAAA9999A", "AAAAA0503A", "BBBPB1234B"].map(pan);
    insta::assert_snapshot!(all.join("\n"), @"
    200 completed, source-7, 700 ms
    422 SVC_NO_RECORD_FOUND, source-7, 700 ms
    503 SVC_SOURCE_UNAVAILABLE, source-7, 700 ms
    200 completed, source-7, 700 ms
    ");
    let screened = scene
        .post(SCREEN, r#"{"name": "SANCTIONED PERSON"}"#)
        .send();
    assert_eq!(screened.at("data.clean"), "false");
    let pending = told(&scene, UAN, r#"{"uan": "100000000202"}"#);
    insta::assert_snapshot!(pending, @"202 pending, source-7, 700 ms");
}

#[test]
fn the_rule_that_decides_says_the_rest_and_the_first_one_that_says_something_counts() {
    let scene = Scene::with(&format!(
        r#"{SLOW}
        [[scenario]]
        name = "late"
        operation = "verify.identity.pan"
        then = {{ delay = "9s", wire = "reset" }}

        [[scenario]]
        name = "down"
        operation = "verify.identity.pan"
        when = {{ pan = "BBBPB1234B" }}
        then = [{{ error = "SVC_SOURCE_TIMEOUT", provider = "source-1" }}, {{ delay = "3s" }}]
        "#
    ));
    let asked = || told(&scene, PAN, r#"{"pan": "BBBPB1234B"}"#);
    insta::assert_snapshot!([asked(), asked()].join("\n"), @"
    504 SVC_SOURCE_TIMEOUT, source-7, 700 ms
    200 completed, source-7, 700 ms
    ");
}

#[test]
fn a_sequence_may_leave_some_calls_to_others() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "the second one fails"
        operation = "verify.identity.pan"
        then = [{ provider = "source-7" }, { error = "SVC_PROVIDER_ERROR" }, { delay = "2s" }]
        fall_through = true
        "#,
    );
    let asked = || told(&scene, PAN, r#"{"pan": "AAAAA9999A"}"#);
    insta::assert_snapshot!([asked(), asked(), asked(), asked()].join("\n"), @"
    422 SVC_NO_RECORD_FOUND, source-7, 0 ms
    502 SVC_PROVIDER_ERROR, , 0 ms
    422 SVC_NO_RECORD_FOUND, , 2000 ms
    422 SVC_NO_RECORD_FOUND, , 0 ms
    ");
}

#[test]
fn the_call_log_names_the_rule_that_decides_and_the_one_that_adds() {
    let scene = Scene::with(SLOW);
    scene.pan(r#"{"pan": "AAAAA9999A"}"#).send();
    let because = scene.environment("local", Environment::Test, |state| {
        let newest = state.verifications.log().last();
        newest.map(|(call, _)| call.because.to_string())
    });
    insta::assert_snapshot!(because.unwrap_or_default(), @r#"scenario "PAN that does not exist" ((built in) scenarios/universal.toml:5); with what scenario "slow" (user.toml:2) adds"#);
}
