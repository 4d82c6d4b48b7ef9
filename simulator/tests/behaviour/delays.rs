//! Delays that are no fixed time: as long as is typical, and out of a range.

use crate::scene::Scene;

/// How long a call is held back, in milliseconds, and what it says of its latency.
fn waited(scene: &Scene, body: &str, reference: &str) -> (u128, String) {
    scene.runtime.block_on(async {
        let before = tokio::time::Instant::now();
        let asked = scene.post("/v1/verify/employment/uan", body);
        let answer = asked.reference(reference).ask().await;
        (before.elapsed().as_millis(), answer.at("meta.latencyMs"))
    })
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
