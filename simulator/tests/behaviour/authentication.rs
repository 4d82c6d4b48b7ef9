//! Who may call: keys, environments, allowlist, rate limit.

use jiff::SignedDuration;
use svc_simulator::engine::call::request::Header;

use crate::scene::Scene;

const BODY: &str = r#"{"pan": "AAAAA0000A"}"#;

#[test]
fn a_call_without_a_usable_key_is_unauthenticated() {
    let scene = Scene::new();
    let headers = [
        Header::Many,
        Header::One(b"Bearer"),
        Header::One(b"Bearer "),
        Header::One(b"Basic svc_test_local"),
        Header::One(b"Bearer a b"),
        Header::One(b"\xff"),
    ];
    for header in headers {
        let answer = scene
            .pan(BODY)
            .headers(|headers| headers.authorization = header)
            .send();
        assert_eq!(answer.outcome(), "401 SVC_AUTH_INVALID", "{header:?}");
    }
}

#[test]
fn each_key_opens_what_it_should() {
    let scene = Scene::new();
    let keys = [
        "svc_test_local",
        "svc_live_local",
        "svc_test_revoked",
        "svc_test_nobody",
        "svc_live_nobody",
        "svc_test_local_worker-7",
        "svc_live_local_worker-7",
        "svc_test_local_",
        "svc_test_local_a.b",
        "svc_test_rotated",
        "svc_test_rotated_old",
        "local",
        "svc_prod_local",
    ];
    let outcomes = keys.map(|key| format!("{key}: {}", scene.pan(BODY).key(key).outcome()));
    insta::assert_snapshot!(outcomes.join("\n"), @"
    svc_test_local: 200 completed
    svc_live_local: 401 SVC_KEY_ENVIRONMENT_MISMATCH
    svc_test_revoked: 401 SVC_AUTH_INVALID
    svc_test_nobody: 401 SVC_AUTH_INVALID
    svc_live_nobody: 401 SVC_AUTH_INVALID
    svc_test_local_worker-7: 200 completed
    svc_live_local_worker-7: 401 SVC_KEY_ENVIRONMENT_MISMATCH
    svc_test_local_: 401 SVC_AUTH_INVALID
    svc_test_local_a.b: 401 SVC_AUTH_INVALID
    svc_test_rotated: 200 completed
    svc_test_rotated_old: 200 completed
    local: 401 SVC_AUTH_INVALID
    svc_prod_local: 401 SVC_AUTH_INVALID
    ");
}

#[test]
fn a_refused_key_is_answered_in_the_envelope() {
    let scene = Scene::new();
    insta::assert_snapshot!(scene.pan(BODY).key("svc_live_local").reference("r").send(), @r#"
    401
    {
      "success": false,
      "verificationId": "svcv_ss6arqqm4rmzzdmjxmda3yd3t2",
      "referenceId": "r",
      "endpoint": "verify.identity.pan",
      "status": "failed",
      "error": {
        "code": "SVC_KEY_ENVIRONMENT_MISMATCH",
        "message": "this API key belongs to the other environment: svc_test_ keys work on the sandbox, svc_live_ keys on production",
        "retryable": false
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "test",
        "latencyMs": 0
      }
    }
    "#);
}

#[test]
fn the_bearer_scheme_is_read_in_any_case() {
    let scene = Scene::new();
    let answer = scene
        .pan(BODY)
        .headers(|headers| headers.authorization = Header::One(b"bearer svc_test_local"))
        .send();
    assert_eq!(answer.outcome(), "200 completed");
}

#[test]
fn an_old_key_works_for_24_hours_after_the_rotation() {
    let scene = Scene::new();
    scene.advance(
        "rotated",
        SignedDuration::from_hours(24) - SignedDuration::from_millis(1),
    );
    assert_eq!(scene.pan(BODY).by("rotated_old").outcome(), "200 completed");
    scene.advance("rotated", SignedDuration::from_millis(1));
    assert_eq!(
        scene.pan(BODY).by("rotated_old").outcome(),
        "401 SVC_AUTH_INVALID"
    );
    assert_eq!(scene.pan(BODY).by("rotated").outcome(), "200 completed");
}

#[test]
fn only_listed_addresses_may_use_a_key() {
    let scene = Scene::new();
    assert_eq!(
        scene.pan(BODY).by("blocked").outcome(),
        "403 SVC_IP_NOT_ALLOWED"
    );
    assert_eq!(
        scene.pan(BODY).by("blocked").from("203.0.113.9").outcome(),
        "200 completed"
    );
}

#[test]
fn a_throttled_key_may_burst_and_then_waits_a_second() {
    let scene = Scene::new();
    let call = |scene: &Scene| scene.pan(BODY).by("throttled").outcome();
    assert_eq!(
        [(); 3].map(|()| call(&scene)),
        ["200 completed", "200 completed", "429 SVC_RATE_LIMITED"]
    );
    // Sandbox and live have a window each.
    assert_eq!(
        scene.pan(BODY).live().by("throttled").outcome(),
        "200 completed"
    );
    scene.advance("throttled", SignedDuration::from_secs(1));
    assert_eq!(
        [(); 2].map(|()| call(&scene)),
        ["200 completed", "429 SVC_RATE_LIMITED"]
    );
    insta::assert_snapshot!(scene.pan(BODY).by("throttled").send(), @r#"
    429
    Retry-After: 1
    {
      "success": false,
      "verificationId": "svcv_f49fbxedjf46177w4k281590sm",
      "referenceId": null,
      "endpoint": "verify.identity.pan",
      "status": "failed",
      "error": {
        "code": "SVC_RATE_LIMITED",
        "message": "the key's rate limit is used up; wait as long as Retry-After says",
        "retryable": true
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:01.000Z",
        "environment": "test",
        "latencyMs": 0
      }
    }
    "#);
}

#[test]
fn the_first_check_that_fails_decides() {
    let scene = Scene::new();
    let nowhere = "/v1/verify/identity/nothing";
    let ladder = [
        scene.post(nowhere, "{").key("svc_test_nobody").outcome(),
        scene.post(nowhere, "{").key("svc_live_local").outcome(),
        scene.post(nowhere, "{").by("blocked").outcome(),
        scene.post(nowhere, "{").outcome(),
        scene.pan("{").method("PUT").outcome(),
        scene.pan("{").outcome(),
        scene
            .pan(r#"{"pan": "AAAAA0000A"}"#)
            .live()
            .by("broke")
            .outcome(),
    ];
    insta::assert_snapshot!(ladder.join("\n"), @"
    401 SVC_AUTH_INVALID
    401 SVC_KEY_ENVIRONMENT_MISMATCH
    403 SVC_IP_NOT_ALLOWED
    404 SVC_NOT_FOUND
    405 SVC_INVALID_INPUT
    400 SVC_INVALID_INPUT
    402 SVC_INSUFFICIENT_BALANCE
    ");
}
