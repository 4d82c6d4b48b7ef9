//! Delays that are no fixed time: as long as is typical, and out of a range.

use svc_simulator::engine::call::call_settings::CallSettings;

use crate::journals::store;
use crate::scene::{Asked, PAN, Scene, UAN, rules};

/// How long a call is held back, in milliseconds, and what it says of its latency.
fn waited(scene: &Scene, body: &str, reference: &str) -> (u128, String) {
    waited_for(scene, scene.post(UAN, body).reference(reference))
}

fn waited_for(scene: &Scene, asked: Asked<'_>) -> (u128, String) {
    scene.runtime.block_on(async {
        let before = tokio::time::Instant::now();
        let answer = asked.ask().await;
        (before.elapsed().as_millis(), answer.at("meta.latencyMs"))
    })
}

fn at_latency(latency: &str, scenarios: &str) -> Scene {
    let settings = CallSettings {
        latency: latency.parse().expect("a latency"),
        ..CallSettings::default()
    };
    let mut rules = rules(scenarios, "seed");
    rules.settings = settings;
    Scene::on(rules, "", store())
}

#[test]
fn answers_take_their_typical_latency_or_a_part_of_it_where_that_is_asked_for() {
    let pan = r#"{"pan":"AAAAA0000A"}"#;
    for (latency, of_250_ms) in [("none", 0), ("0.4", 100), ("typical", 250), ("2", 500)] {
        let scene = at_latency(latency, "");
        let (waited, stated) = waited_for(&scene, scene.post(PAN, pan));
        assert_eq!((waited, stated.as_str()), (of_250_ms, "250"), "{latency}");
    }
    let scene = at_latency("typical", "");
    // Of a range the content decides, of what is pending the end of it.
    let (first, stated) = waited(&scene, r#"{"uan":"100000000301"}"#, "a");
    assert_eq!(first.to_string(), stated);
    assert_eq!(waited(&scene, r#"{"uan":"100000000202"}"#, "a").0, 20_000);
    // Steps that run at once take as long as the slowest of them.
    let body = r#"{"mobile":"9000000001","email":"asha.rao@example.com","name":"ASHA RAO"}"#;
    let bundle = scene.post("/v1/bundles/fraud-check", body);
    assert_eq!(waited_for(&scene, bundle).0, 5_000);
}

#[test]
fn what_is_refused_or_replayed_or_delayed_by_a_rule_takes_no_typical_latency() {
    let scene = at_latency("typical", &delayed(r#""1s""#));
    assert_eq!(waited_for(&scene, scene.post(PAN, "{}")).0, 0);
    let asked = || scene.post(PAN, r#"{"pan":"AAAAA0503A"}"#).idempotency("k");
    assert_eq!(waited_for(&scene, asked()).0, 250);
    assert_eq!(waited_for(&scene, asked()).0, 0);
    assert_eq!(waited(&scene, r#"{"uan":"100000000301"}"#, "a").0, 1_000);
}

#[test]
fn a_typical_delay_is_the_latency_that_the_answer_states() {
    let scene = Scene::with(&delayed(r#""typical""#));
    for uan in ["100000000301", "100000000302"] {
        let (waited, stated) = waited(&scene, &format!(r#"{{"uan":"{uan}"}}"#), "r");
        assert_eq!(waited.to_string(), stated);
        assert!((5000..=20000).contains(&waited), "{waited}");
    }
}

#[test]
fn a_delay_out_of_a_range_is_the_same_for_the_same_input() {
    let scene = Scene::with(&delayed(r#"{ from = "1s", to = "3s" }"#));
    let body = |n: u32| format!(r#"{{"uan":"100000000{n}"}}"#);
    let all: Vec<u128> = (301..321)
        .map(|n| waited(&scene, &body(n), "a").0)
        .collect();
    let again: Vec<u128> = (301..321)
        .map(|n| waited(&scene, &body(n), "b").0)
        .collect();
    assert_eq!(all, again);
    assert!(all.iter().all(|ms| (1000..=3000).contains(ms)), "{all:?}");
    assert!(
        all.iter().any(|ms| *ms < 2000) && all.iter().any(|ms| *ms >= 2000),
        "{all:?}"
    );
}

fn delayed(delay: &str) -> String {
    format!(
        r#"
        [[scenario]]
        name = "slow"
        operation = "verify.employment.uan"
        then = {{ success = {{}}, delay = {delay} }}
        "#
    )
}
