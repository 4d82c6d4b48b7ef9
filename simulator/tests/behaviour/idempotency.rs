//! Idempotency keys: one execution, one charge, the same bytes.

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::environment::RetentionLimits;
use svc_simulator::engine::state::manage;
use svc_simulator::host::clock_move::ClockTarget;
use svc_simulator::host::memory::MemoryLimits;

use crate::journals::store;
use crate::scene::{Money, PAN, Scene, UAN, rules};

const BODY: &str = r#"{"pan": "AAAAA0000A", "name": "Asha Rao"}"#;

#[test]
fn a_replay_gives_the_original_bytes_and_is_charged_once() {
    let scene = Scene::new();
    let first = scene.pan(BODY).live().idempotency("k").send();
    let again = scene
        .pan(r#" {"name":"Asha Rao","pan":"AAAAA0000A"}"#)
        .live()
        .idempotency("k")
        .reference("other")
        .send();
    assert_eq!(
        (first.0.body.clone(), first.0.status),
        (again.0.body.clone(), again.0.status)
    );
    assert_eq!((first.0.replay, again.0.replay), (false, true));
    assert_eq!(scene.wallet("local").charged, Paise(250));
}

#[test]
fn another_body_under_the_same_key_is_a_conflict() {
    let scene = Scene::new();
    let first = scene.pan(BODY).live().idempotency("k").send();
    let conflict = scene
        .pan(r#"{"pan": "AAAAA0000B"}"#)
        .live()
        .idempotency("k")
        .send();
    insta::assert_snapshot!(conflict, @r#"
    409
    {
      "success": false,
      "verificationId": "svcv_4a75a37srmfe8c2ztf8vxap2qy",
      "referenceId": null,
      "endpoint": "verify.identity.pan",
      "status": "failed",
      "error": {
        "code": "SVC_IDEMPOTENCY_CONFLICT",
        "message": "this Idempotency-Key was already used with a different body, or for another operation",
        "retryable": false
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "live",
        "latencyMs": 0
      }
    }
    "#);
    let elsewhere = scene.post(UAN, BODY).live().idempotency("k").outcome();
    assert_eq!(
        elsewhere, "400 SVC_INVALID_INPUT",
        "a body that is no input of the operation is refused first"
    );
    assert_eq!(
        scene
            .post(UAN, r#"{"uan": "100000000001"}"#)
            .live()
            .idempotency("k")
            .outcome(),
        "409 SVC_IDEMPOTENCY_CONFLICT"
    );
    assert_eq!(
        scene.pan(BODY).live().idempotency("k").send().0.body,
        first.0.body
    );
}

#[test]
fn a_key_belongs_to_its_account_and_environment() {
    let scene = Scene::new();
    let first = scene.pan(BODY).idempotency("k").send();
    for asked in [scene.pan(BODY).live(), scene.pan(BODY).by("local_b")] {
        let answer = asked.idempotency("k").send();
        assert!(!answer.0.replay && answer.id() != first.id());
    }
}

#[test]
fn a_retryable_failure_is_replayed_and_a_refusal_is_not() {
    let scene = Scene::new();
    let failing = r#"{"pan": "AAAAA0503A"}"#;
    assert!(!scene.pan(failing).idempotency("failing").send().0.replay);
    assert!(scene.pan(failing).idempotency("failing").send().0.replay);
    for _ in 0..2 {
        assert!(!scene.pan("{}").idempotency("refused").send().0.replay);
        assert!(
            !scene
                .pan(BODY)
                .live()
                .by("broke")
                .idempotency("poor")
                .send()
                .0
                .replay
        );
    }
    assert_eq!(
        scene.pan(BODY).idempotency("refused").outcome(),
        "200 completed"
    );
}

#[test]
fn a_key_is_kept_for_24_hours() {
    let scene = Scene::new();
    scene.pan(BODY).idempotency("k").send();
    scene.advance(
        "local",
        SignedDuration::from_hours(24) - SignedDuration::from_millis(1),
    );
    assert!(scene.pan(BODY).idempotency("k").send().0.replay);
    scene.advance("local", SignedDuration::from_millis(1));
    assert!(!scene.pan(BODY).idempotency("k").send().0.replay);
}

#[test]
fn a_key_lasts_as_long_as_its_verification_is_pending() {
    let scene = Scene::new();
    let body = r#"{"redirectUrl": "https://app.example/back"}"#;
    let start = || {
        scene
            .post("/v1/verify/document/digilocker/start", body)
            .idempotency("k")
    };
    let first = start().send();
    assert_eq!(first.outcome(), "200 pending");
    scene.advance("local", SignedDuration::from_hours(48));
    let again = start().send();
    assert_eq!((again.0.replay, again.id()), (true, first.id()));
}

#[test]
fn sixty_four_concurrent_duplicates_are_one_call() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "slow"
        operation = "verify.identity.pan"
        when = { pan = "AAAAA0000A" }
        then = { success = {}, delay = "3s" }
        "#,
    );
    let answers = scene.runtime.block_on(async {
        let calls = (0..64).map(|_| scene.pan(BODY).live().idempotency("k").ask());
        futures_util::future::join_all(calls).await
    });
    assert_eq!(answers.iter().filter(|answer| !answer.0.replay).count(), 1);
    assert!(
        answers
            .iter()
            .all(|answer| answer.0.body == answers[0].0.body && answer.0.status == 200)
    );
    assert_eq!(
        scene.wallet("local"),
        Money {
            balance: Paise(9_999_750),
            held: Paise(0),
            charged: Paise(250)
        }
    );
}

#[test]
fn the_price_of_a_delayed_call_is_held_even_if_its_client_gives_up() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "slow"
        operation = "verify.identity.pan"
        then = { success = {}, delay = "3s" }
        "#,
    );
    scene.runtime.block_on(async {
        let call = scene.pan(BODY).live().idempotency("k").ask();
        let gave_up = tokio::time::timeout(std::time::Duration::from_secs(1), call).await;
        assert!(gave_up.is_err());
        assert_eq!(
            scene.wallet("local"),
            Money {
                balance: Paise(10_000_000),
                held: Paise(250),
                charged: Paise(0)
            }
        );
        let replay = scene.pan(BODY).live().idempotency("k").ask().await;
        assert!(replay.0.replay && replay.0.status == 200);
    });
    assert_eq!(
        scene.wallet("local"),
        Money {
            balance: Paise(9_999_750),
            held: Paise(0),
            charged: Paise(250)
        }
    );
}

const SLOW: &str = r#"
    [[scenario]]
    name = "slow"
    operation = "verify.identity.pan"
    then = { success = {}, delay = "3s" }
"#;

/// A call and a duplicate that waits for it, while something is done to the account.
fn with_a_duplicate_waiting(scene: &Scene, done: impl AsyncFnOnce()) -> [crate::scene::Answer; 2] {
    scene.runtime.block_on(async {
        let call = || Box::pin(scene.pan(BODY).live().idempotency("k").ask());
        let (mut first, mut same) = (call(), call());
        assert!(futures_util::poll!(&mut first).is_pending());
        assert!(futures_util::poll!(&mut same).is_pending());
        done().await;
        let (first, same) = futures_util::join!(first, same);
        [first, same]
    })
}

#[test]
fn a_duplicate_that_waits_is_no_second_call_even_if_the_key_lapses_meanwhile() {
    let scene = Scene::with(SLOW);
    let cell = scene.account("local");
    let [first, same] = with_a_duplicate_waiting(&scene, async || {
        let day = ClockTarget::By(SignedDuration::from_hours(24));
        let moved = scene.host.move_clock(&cell, day).await;
        moved.expect("the clock moves forward");
    });
    assert_eq!((&same.0.body, same.0.replay), (&first.0.body, true));
    assert_eq!(scene.wallet("local").charged, Paise(250));
}

#[test]
fn a_duplicate_that_waits_was_let_in_and_is_not_turned_away() {
    let scene = Scene::with(SLOW);
    let cell = scene.account("local");
    let [first, same] = with_a_duplicate_waiting(&scene, async || {
        let revoked = scene.host.change(&cell, Environment::Live, |account, _| {
            manage::revoke_key(account, "svc_live_local")
        });
        revoked.expect("it may be revoked");
    });
    assert_eq!((&same.0.body, same.0.replay), (&first.0.body, true));
    assert_eq!(
        scene.pan(BODY).live().idempotency("k").outcome(),
        "401 SVC_AUTH_INVALID"
    );
}

#[test]
fn a_duplicate_that_waits_for_a_call_that_is_forgotten_as_it_ends_is_no_second_call() {
    let limits = MemoryLimits {
        retention: RetentionLimits {
            calls: 0,
            ..RetentionLimits::DEFAULT
        },
        ..MemoryLimits::DEFAULT
    };
    let scene = Scene::within(rules(SLOW, "seed"), "", store(), limits);
    let [first, same] = with_a_duplicate_waiting(&scene, async || {});
    assert_eq!((&same.0.body, same.0.replay), (&first.0.body, true));
    assert_eq!(scene.wallet("local").charged, Paise(250));
}

#[test]
fn a_duplicate_that_waits_takes_from_the_rate_limit_when_it_comes() {
    let scene = Scene::with(SLOW);
    scene.runtime.block_on(async {
        let call = |key| Box::pin(scene.pan(BODY).by("throttled").idempotency(key).ask());
        let (mut first, mut same) = (call("k"), call("k"));
        assert!(futures_util::poll!(&mut first).is_pending());
        assert!(futures_util::poll!(&mut same).is_pending());
        assert_eq!(call("other").await.outcome(), "429 SVC_RATE_LIMITED");
        let (first, same) = futures_util::join!(first, same);
        assert_eq!((&same.0.body, same.0.replay), (&first.0.body, true));
    });
}

#[test]
fn what_a_rule_refuses_as_the_service_does_is_kept_under_no_key() {
    let scene = Scene::with(
        r#"
        [[scenario]]
        name = "too fast, then down, then well"
        operation = "verify.identity.pan"
        then = [{ error = "SVC_RATE_LIMITED" }, { error = "SVC_SOURCE_TIMEOUT" }, { success = {} }]
        "#,
    );
    let asked = |pan: &str| {
        let body = format!(r#"{{"pan":"{pan}"}}"#);
        let answer = scene.post(PAN, &body).idempotency("k").send();
        format!("{}, replayed {}", answer.outcome(), answer.0.replay)
    };
    let told = ["AAAAA0000A", "AAAAA0000A", "AAAAA0000A"].map(asked);
    insta::assert_snapshot!(told.join("\n"), @r#"
    429 SVC_RATE_LIMITED, replayed false
    504 SVC_SOURCE_TIMEOUT, replayed false
    504 SVC_SOURCE_TIMEOUT, replayed true
    "#);
}
