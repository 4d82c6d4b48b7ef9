//! Whatever a store does: nothing is half done, money is right, and what it lost is noticed.

use std::sync::Arc;

use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::entry::{Change, Entry};

use crate::journals::faulty::{Fault, Faulty};
use crate::journals::store;
use crate::scene::{Answer, Asked, Scene};

/// A snapshot of an account makes the same account. Printing a large one twice takes its time, and shows no more.
pub(crate) fn assert_snapshot_makes(account: &Account, settings: &Settings) {
    let bytes = |it| account.environment(it).evictable_bytes();
    if Environment::ALL.into_iter().map(bytes).sum::<usize>() > 20_000 {
        return;
    }
    let snapshot = account.clone().snapshot().to_json();
    let read = Entry::from_json(&snapshot).expect("it reads back");
    let made = Account::rebuild(settings.clone(), [read]).expect("it is a beginning");
    let again = made.snapshot().to_json();
    assert!(snapshot == again, "{}: {snapshot}\n{again}", account.id);
}

/// A scene whose store fails so, the next so many times that a call is written.
fn failing(fault: Fault, times: usize) -> (Scene, Arc<Faulty>) {
    let store = Faulty::on(store());
    let scene = Scene::with_accounts_and_journal("", store.clone());
    // Accounts that keys open are there before.
    for name in ["local_a", "local_b"] {
        scene.account(name);
    }
    let mut left = times;
    store.fails(move |entries| {
        let mut changes = entries.iter().flat_map(|entry| &entry.changes);
        let is_call = changes.any(|change| matches!(change, Change::Recorded(_)));
        let fails = is_call && left > 0;
        left -= usize::from(fails);
        fails.then_some(fault)
    });
    (scene, store)
}

fn call<'s>(scene: &'s Scene, name: &str) -> Asked<'s> {
    let body = r#"{"pan": "AAAAA0000A"}"#;
    scene.pan(body).live().by(name).idempotency("once")
}

/// What was charged, where nothing is held.
fn charged(scene: &Scene, name: &str) -> Paise {
    let money = scene.wallet(name);
    assert_eq!(money.held, Paise(0));
    money.charged
}

const PRICE: Paise = Paise(250);
const NOTHING: Paise = Paise(0);
const FAILED: &str = "500 SVC_INTERNAL_ERROR";

/// The account is what the store has of it, now and after a restart.
fn goes_on(mut scene: Scene, name: &str, wanted: Paise) {
    assert_eq!(charged(&scene, name), wanted);
    scene.crash_and_start_again();
    assert_eq!(charged(&scene, name), wanted);
    assert!(call(&scene, name).send().0.replay, "it was executed once");
    assert_eq!(charged(&scene, name), wanted);
}

#[test]
fn a_call_whose_entry_is_refused_or_lost_was_never_made() {
    for fault in [Fault::Refuses, Fault::Fails] {
        let (scene, store) = failing(fault, 1);
        assert_eq!(call(&scene, "local_a").outcome(), FAILED, "{fault:?}");
        assert_eq!(charged(&scene, "local_a"), NOTHING, "{fault:?}");
        let again = call(&scene, "local_a").send();
        assert_eq!(
            (again.outcome().as_str(), again.0.replay),
            ("200 completed", false)
        );
        assert_eq!(store.faults(), 1);
        goes_on(scene, "local_a", PRICE);
    }
}

#[test]
fn a_call_whose_entry_was_kept_although_the_store_failed_is_replayed_and_charged_once() {
    let (scene, _) = failing(Fault::FailsKept, 1);
    assert_eq!(call(&scene, "local_a").outcome(), FAILED);
    let again = call(&scene, "local_a").send();
    assert_eq!(
        (again.outcome().as_str(), again.0.replay),
        ("200 completed", true)
    );
    goes_on(scene, "local_a", PRICE);
}

#[test]
fn no_answer_leaves_before_a_slow_store_has_spoken() {
    let (scene, store) = failing(Fault::Slow, 1);
    scene.runtime.block_on(async {
        let mut first = std::pin::pin!(call(&scene, "local_a").ask());
        let mut replay = std::pin::pin!(call(&scene, "local_a").ask());
        for _ in 0..3 {
            assert!(futures_util::poll!(&mut first).is_pending());
            assert!(
                futures_util::poll!(&mut replay).is_pending(),
                "it tells of the first"
            );
        }
        // Nobody else waits.
        assert_eq!(
            call(&scene, "local_b").ask().await.outcome(),
            "200 completed"
        );
        store.speak();
        let answers: [Answer; 2] = [first.await, replay.await];
        assert_eq!(answers.map(|it| it.0.replay), [false, true]);
    });
    goes_on(scene, "local_a", PRICE);
}

#[test]
fn what_a_store_lied_about_is_noticed_by_the_next_call_and_charged_to_nobody() {
    let (scene, _) = failing(Fault::Lies, 1);
    let lost = call(&scene, "local_a").send();
    assert_eq!(lost.outcome(), "200 completed");
    let other = scene.pan(r#"{"pan": "AAAAA9999A"}"#).live().by("local_a");
    assert_eq!(
        other.idempotency("other").outcome(),
        "422 SVC_NO_RECORD_FOUND"
    );
    let path = format!("/v1/verifications/{}", lost.id());
    let found = scene.get(&path).live().by("local_a").outcome();
    assert_eq!(found, "404 SVC_NOT_FOUND");
    assert_eq!(scene.host.metrics().store().conflicts(), 1);
    let before = charged(&scene, "local_a");
    assert!(!call(&scene, "local_a").send().0.replay);
    assert_eq!(charged(&scene, "local_a").0, before.0 + PRICE.0);
}

#[test]
fn of_a_group_that_is_torn_each_call_is_whole_or_not_there() {
    let (scene, _) = failing(Fault::Tears, 2);
    let outcomes = scene.runtime.block_on(async {
        let calls = [call(&scene, "local_a").ask(), call(&scene, "local_b").ask()];
        futures_util::future::join_all(calls).await
    });
    assert!(outcomes.iter().all(|it| it.outcome() == FAILED));
    let again = ["local_a", "local_b"].map(|name| call(&scene, name).send());
    assert_eq!(again.map(|it| it.0.replay), [true, false]);
    assert_eq!(charged(&scene, "local_b"), PRICE);
    goes_on(scene, "local_a", PRICE);
}
