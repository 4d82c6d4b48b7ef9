//! Accounts that are reset, copied and deleted while calls are in flight.

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;

use crate::deliveries::HOOKED;
use crate::scene::{Money, PAN, Scene, UAN};

const BODY: &str = r#"{"pan": "AAAAA1111A"}"#;
const SLOW: &str = r#"{"uan": "100000000202"}"#;
const HELD_BACK: &str = r#"
    [[scenario]]
    name = "takes its time"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = { success = {}, delay = "5s" }
"#;

fn reset(scene: &Scene, name: &str) {
    let _in_runtime = scene.runtime.enter();
    let cell = scene.account(name);
    scene.host.reset(&cell).expect("a memory journal takes all");
}

#[test]
fn a_reset_account_is_what_it_was_and_its_ids_recur() {
    let scene = Scene::new();
    let first = scene.pan(r#"{"pan": "AAAAA0000A"}"#).live().send();
    scene.pan(r#"{"pan": "AAAAA0000A"}"#).live().send();
    reset(&scene, "local");
    let path = format!("/v1/verifications/{}", first.id());
    assert_eq!(scene.get(&path).live().outcome(), "404 SVC_NOT_FOUND");
    assert_eq!(scene.wallet("local").balance, Paise(10_000_000));
    assert_eq!(scene.pan(r#"{"pan": "AAAAA0000A"}"#).live().send(), first);
}

#[test]
fn calls_in_flight_at_a_reset_are_answered_and_leave_no_trace() {
    let scene = Scene::with(HELD_BACK);
    scene.runtime.block_on(async {
        let call = || scene.post(PAN, BODY).live().idempotency("k").ask();
        let (mut first, mut same) = (Box::pin(call()), Box::pin(call()));
        assert!(futures_util::poll!(&mut first).is_pending());
        assert!(futures_util::poll!(&mut same).is_pending());
        reset(&scene, "local");
        let (first, same) = futures_util::join!(first, same);
        assert_eq!(first.outcome(), "200 completed");
        assert_eq!((&same.0.body, same.0.replay), (&first.0.body, true));
    });
    assert_eq!(
        scene.wallet("local"),
        Money {
            balance: Paise(10_000_000),
            held: Paise(0),
            charged: Paise(0)
        }
    );
    assert_eq!(
        scene.get("/v1/usage").live().send().at("data.endpoints"),
        "[]"
    );
}

#[test]
fn a_call_in_flight_is_answered_however_often_its_account_is_reset() {
    let scene = Scene::with(HELD_BACK);
    scene.runtime.block_on(async {
        let mut call = Box::pin(scene.post(PAN, BODY).live().ask());
        assert!(futures_util::poll!(&mut call).is_pending());
        (0..3).for_each(|_| reset(&scene, "local"));
        assert_eq!(call.await.outcome(), "200 completed");
    });
    assert_eq!(scene.wallet("local").charged, Paise(0));
}

#[test]
fn a_call_after_a_reset_is_not_ended_by_one_from_before() {
    let scene = Scene::with(HELD_BACK);
    scene.runtime.block_on(async {
        let call = || Box::pin(scene.post(PAN, BODY).live().ask());
        let mut before = call();
        assert!(futures_util::poll!(&mut before).is_pending());
        reset(&scene, "local");
        let after = call();
        let (before, after) = futures_util::join!(before, after);
        assert_eq!(before.id(), after.id());
    });
    assert_eq!(scene.wallet("local").charged, Paise(250));
}

#[test]
fn a_copy_has_all_that_the_original_has_and_goes_its_own_way() {
    let scene = Scene::with_accounts(HOOKED);
    let pending = scene.post(UAN, SLOW).live().by("hooked").send();
    let copy = {
        let _in_runtime = scene.runtime.enter();
        let cell = scene.account("hooked");
        scene.host.fork(&cell, &"copy".into())
    };
    copy.unwrap_or_else(|error| panic!("{error}"));
    scene.advance("copy", SignedDuration::from_secs(25));
    let path = format!("/v1/verifications/{}", pending.id());
    let status = |name: &str| scene.get(&path).live().by(name).send().at("status");
    assert_eq!([status("copy"), status("hooked")], ["completed", "pending"]);
    assert_eq!(
        scene.wallet("copy"),
        Money {
            balance: Paise(96_000),
            held: Paise(0),
            charged: Paise(4000)
        }
    );
    assert_eq!(
        scene.wallet("hooked"),
        Money {
            balance: Paise(100_000),
            held: Paise(4000),
            charged: Paise(0)
        }
    );
}

#[test]
fn a_copy_leaves_out_calls_whose_answer_is_held_back() {
    let scene = Scene::with(HELD_BACK);
    scene.runtime.block_on(async {
        let mut call = Box::pin(scene.post(PAN, BODY).live().idempotency("k").ask());
        assert!(futures_util::poll!(&mut call).is_pending());
        let cell = scene.account("local");
        let copy = scene.host.fork(&cell, &"copy".into());
        copy.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            scene.wallet("copy"),
            Money {
                balance: Paise(10_000_000),
                held: Paise(0),
                charged: Paise(0)
            }
        );
        assert_eq!(call.await.outcome(), "200 completed");
    });
}

#[test]
fn the_keys_of_a_deleted_account_are_unknown() {
    let scene = Scene::with_accounts(HOOKED);
    {
        let _in_runtime = scene.runtime.enter();
        let cell = scene.account("hooked");
        scene
            .host
            .delete(&cell)
            .expect("a memory journal takes all");
    }
    let outcome = scene.pan(r#"{"pan": "AAAAA0000A"}"#).by("hooked").outcome();
    assert_eq!(outcome, "401 SVC_AUTH_INVALID");
}

#[test]
fn a_key_rotated_twice_is_numbered_on_and_the_old_ones_last_a_day() {
    let scene = Scene::new();
    let cell = scene.account("local");
    let environment = svc_simulator::engine::call::request::Environment::Test;
    for name in ["local.2", "local.3"] {
        let _in_runtime = scene.runtime.enter();
        let key = scene
            .host
            .rotate_key(&cell, environment)
            .expect("one key works");
        assert_eq!(key.key.name(), name);
    }
    let outcome = |name: &str| scene.pan(r#"{"pan": "AAAAA0000A"}"#).by(name).outcome();
    let day = SignedDuration::from_hours(24);
    scene.advance("local", day - SignedDuration::from_millis(1));
    assert_eq!(outcome("local.2"), "200 completed");
    let ended = scene.advance("local", SignedDuration::from_millis(1));
    assert_eq!(ended.len(), 2, "{ended:?}");
    assert_eq!(
        [outcome("local"), outcome("local.2")],
        ["401 SVC_AUTH_INVALID"; 2]
    );
    assert_eq!(outcome("local.3"), "200 completed");
}

#[test]
fn who_found_an_account_before_it_was_deleted_leaves_its_successor_alone() {
    let scene = Scene::new();
    let _in_runtime = scene.runtime.enter();
    let call = || scene.pan(r#"{"pan": "AAAAA0000A"}"#).by("local_again");
    let found = || {
        scene
            .host
            .account("local_again")
            .expect("it is found")
            .expect("it is there")
    };
    let gone = found();
    scene.host.delete(&gone).expect("the journal takes all");
    assert_eq!(call().outcome(), "200 completed");
    scene.host.reset(&gone).expect("nobody sees it");
    scene.host.delete(&gone).expect("nobody sees it");
    assert_eq!(call().outcome(), "200 completed");
    let calls = found().read(|account| {
        account
            .environment(Environment::Test)
            .verifications
            .log()
            .count()
    });
    assert_eq!(calls, 2);
}
