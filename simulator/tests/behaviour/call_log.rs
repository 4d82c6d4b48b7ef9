//! What the call log keeps of requests (ruling 35), and for how long. That it survives what entries survive, every scene
//! asserts when it ends.

use svc_simulator::engine::call::request::{Body, Environment};
use svc_simulator::engine::state::environment::RetentionLimits;
use svc_simulator::engine::state::received::ReceivedRequest;
use svc_simulator::engine::state::verification::Verification;
use svc_simulator::host::memory::MemoryLimits;
use svc_simulator::host::unauthenticated::{MOST_BYTES, MOST_CALLS};

use crate::scene::{PAN, Scene};

const TEST: Environment = Environment::Test;
const DYNAMIC: &str = "/v1/bundles/dynamic-bank-validation";

/// The records in the call log of `local`, the oldest first.
fn logged<T>(scene: &Scene, show: impl Fn(&Verification) -> T) -> Vec<T> {
    scene.environment("local", TEST, |state| {
        state
            .verifications
            .log()
            .map(|(call, _)| show(call))
            .collect()
    })
}

fn body_of(request: Option<&ReceivedRequest>) -> Option<String> {
    let body = request?.kept_body()?;
    Some(String::from_utf8_lossy(body).into_owned())
}

#[test]
fn both_calls_of_a_bundle_in_two_calls_are_kept_and_its_steps_have_none() {
    let scene = Scene::new();
    let first = r#"{"ifsc": "TEST0000001", "accountNumber": "100000000001", "name": "ASHA RAO"}"#;
    let answer = scene.post(DYNAMIC, first).send();
    let reference = answer.at("data.referenceId");
    let amount = answer.at("data.steps.0.data.amountSent");
    let second = format!(r#"{{"referenceId": "{reference}", "amount": "{amount}"}}"#);
    scene.post(DYNAMIC, &second).send();
    let bodies = logged(&scene, |call| {
        let requests = [call.request.as_ref(), call.second_request.as_deref()];
        requests.map(body_of)
    });
    let whole = [Some(first.to_owned()), Some(second)];
    assert!(bodies.contains(&whole), "{bodies:?}");
    assert!(
        bodies.iter().all(|it| *it == whole || *it == [None, None]),
        "{bodies:?}"
    );
}

#[test]
fn a_replay_leaves_the_request_that_was_executed() {
    let scene = Scene::new();
    let body = r#"{"pan": "AAAAA0000A"}"#;
    scene.pan(body).idempotency("k").send();
    scene
        .pan(r#"{ "pan": "AAAAA0000A" }"#)
        .idempotency("k")
        .send();
    let bodies = logged(&scene, |call| body_of(call.request.as_ref()));
    assert_eq!(bodies, [Some(body.to_owned())]);
}

#[test]
fn bytes_of_requests_count_where_bytes_are_bounded() {
    let retention = RetentionLimits {
        bytes: 256 << 10,
        ..RetentionLimits::DEFAULT
    };
    let scene = Scene::bounded(MemoryLimits {
        retention,
        ..MemoryLimits::DEFAULT
    });
    let long = format!(r#"{{"pan": "AAAAA0000A", "x": "{}"}}"#, "x".repeat(9000));
    for _ in 0..60 {
        scene.pan(&long).send();
    }
    let kept = logged(&scene, |call| {
        body_of(call.request.as_ref()).map_or(0, |it| it.len())
    });
    assert!((20..40).contains(&kept.len()), "{} calls", kept.len());
    assert!(kept.iter().all(|length| *length == 8192));
}

#[test]
fn a_flood_of_unauthenticated_calls_is_kept_to_a_count() {
    let scene = Scene::new();
    for at in 0..MOST_CALLS + 5 {
        scene
            .pan(&format!(r#"{{"pan": "{at}"}}"#))
            .key("svc_test_nobody")
            .send();
    }
    let kept = scene.host.unauthenticated_calls();
    assert_eq!((kept.calls.len(), kept.forgotten), (MOST_CALLS, 5));
    let oldest = kept.calls[0].verification.request.as_ref();
    assert_eq!(body_of(oldest).as_deref(), Some(r#"{"pan": "5"}"#));
    assert_eq!(scene.host.directory().opened_by_keys().open, 0);
}

#[test]
fn a_flood_of_long_unauthenticated_calls_is_kept_to_bytes() {
    let scene = Scene::new();
    let (path, body) = (format!("/{}", "p".repeat(60_000)), "b".repeat(1 << 20));
    for _ in 0..40 {
        let call = scene.post(&path, "").body(Body::Whole(body.as_bytes()));
        assert_eq!(call.key("svc_test_nobody").send().0.status, 401);
    }
    let kept = scene.host.unauthenticated_calls();
    assert!(
        kept.bytes <= MOST_BYTES && kept.bytes > MOST_BYTES / 2,
        "{}",
        kept.bytes
    );
    let sent = kept.calls.iter().map(|call| {
        let request = call.verification.request.as_ref().expect("a request");
        let envelope = call.verification.envelope();
        request.path().len() + request.kept_body().map_or(0, <[u8]>::len) + envelope.len()
    });
    assert!(
        sent.sum::<usize>() <= kept.bytes,
        "more is kept than is counted"
    );
    assert!(kept.forgotten > 0);
    // A short one afterwards stays.
    scene.post(PAN, "{}").key("svc_test_nobody").send();
    let newest = scene.host.unauthenticated_calls().calls.last().cloned();
    let newest = newest.expect("it is kept");
    assert_eq!(
        newest.verification.request.as_ref().map(|it| it.path()),
        Some(PAN)
    );
}

#[test]
fn what_fails_inside_is_no_unauthenticated_call() {
    let scene = Scene::new();
    scene.pan(r#"{"pan": "AAAAA0000A"}"#).send();
    scene.pan("{}").send();
    scene.get("/v1/nothing").send();
    assert!(scene.host.unauthenticated_calls().calls.is_empty());
    let paths = logged(&scene, |call| {
        let request = call.request.as_ref().expect("a request");
        (request.method().to_owned(), request.path().to_owned())
    });
    assert_eq!(paths[2], ("GET".to_owned(), "/v1/nothing".to_owned()));
    assert_eq!(paths.len(), 3);
}
