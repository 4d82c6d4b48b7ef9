//! Whatever a store does: nothing is half done, money is right, and what it lost is noticed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::entry::{Change, Entry};

use crate::careless::{Careless, CarelessHost};
use crate::journals::faulty::{Fault, Faulty};
use crate::journals::store;
use crate::scene::{Asked, Scene};

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

/// A scene whose store fails so, the next so many times that a call is written; and whose host is careless, where a
/// test is tried itself.
fn failing(fault: Fault, times: usize, careless: Option<Careless>) -> (Scene, Arc<Faulty>) {
    let store = Faulty::on(store());
    let journal = CarelessHost::before(store.clone(), careless);
    let scene = Scene::with_accounts_and_journal("", journal);
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

/// A call whose entry was refused, or lost, was never made.
fn nothing_is_kept(fault: Fault, careless: Option<Careless>) {
    let (scene, store) = failing(fault, 1, careless);
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

/// A call whose entry was kept although the store failed is replayed and charged once.
fn kept_all_the_same(careless: Option<Careless>) {
    let (scene, _) = failing(Fault::FailsKept, 1, careless);
    assert_eq!(call(&scene, "local_a").outcome(), FAILED);
    let again = call(&scene, "local_a").send();
    assert_eq!(
        (again.outcome().as_str(), again.0.replay),
        ("200 completed", true)
    );
    goes_on(scene, "local_a", PRICE);
}

/// No answer leaves before a slow store has spoken; what it says then is what callers are told.
fn a_word_is_waited_for(fault: Fault, careless: Option<Careless>) {
    let (scene, store) = failing(fault, 1, careless);
    let wanted = match fault {
        Fault::Slow => ["200 completed false", "200 completed true"],
        // Who came second makes the call that was never made.
        _ => ["500 SVC_INTERNAL_ERROR false", "200 completed false"],
    };
    scene.runtime.block_on(async {
        let mut first = std::pin::pin!(call(&scene, "local_a").ask());
        let mut second = std::pin::pin!(call(&scene, "local_a").ask());
        for _ in 0..3 {
            assert!(futures_util::poll!(&mut first).is_pending());
            assert!(
                futures_util::poll!(&mut second).is_pending(),
                "it tells of the first"
            );
        }
        // Nobody else waits.
        assert_eq!(
            call(&scene, "local_b").ask().await.outcome(),
            "200 completed"
        );
        store.speak();
        let first = first.await;
        let second = match second.await {
            // It was told what the first was.
            failed if failed.outcome() == FAILED => call(&scene, "local_a").ask().await,
            told => told,
        };
        let told = [first, second].map(|it| format!("{} {}", it.outcome(), it.0.replay));
        assert_eq!(told, wanted);
    });
    goes_on(scene, "local_a", PRICE);
}

/// What a store lied about is noticed by the next call and charged to nobody.
fn a_lie_is_noticed(careless: Option<Careless>) {
    let (scene, _) = failing(Fault::Lies, 1, careless);
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

/// Of a group that is torn each call is whole or not there.
fn each_is_whole(careless: Option<Careless>) {
    let (scene, _) = failing(Fault::Tears, 2, careless);
    let outcomes = scene.runtime.block_on(async {
        let calls = [call(&scene, "local_a").ask(), call(&scene, "local_b").ask()];
        futures_util::future::join_all(calls).await
    });
    assert!(outcomes.iter().all(|it| it.outcome() == FAILED));
    assert_eq!(
        ["local_a", "local_b"].map(|name| charged(&scene, name)),
        [PRICE, NOTHING]
    );
    let again = ["local_a", "local_b"].map(|name| call(&scene, name).send());
    assert_eq!(again.map(|it| it.0.replay), [true, false]);
    assert_eq!(charged(&scene, "local_b"), PRICE);
    goes_on(scene, "local_a", PRICE);
}

#[test]
fn a_call_whose_entry_is_refused_or_lost_was_never_made() {
    nothing_is_kept(Fault::Refuses, None);
    nothing_is_kept(Fault::Fails, None);
}

#[test]
fn a_call_whose_entry_was_kept_although_the_store_failed_is_replayed_and_charged_once() {
    kept_all_the_same(None);
}

#[test]
fn no_answer_leaves_before_a_slow_store_has_spoken() {
    a_word_is_waited_for(Fault::Slow, None);
    a_word_is_waited_for(Fault::SlowlyFails, None);
}

#[test]
fn what_a_store_lied_about_is_noticed_by_the_next_call_and_charged_to_nobody() {
    a_lie_is_noticed(None);
}

#[test]
fn of_a_group_that_is_torn_each_call_is_whole_or_not_there() {
    each_is_whole(None);
}

/// The tests above, tried on hosts that do wrong what each of them is about.
#[test]
fn a_careless_host_is_found_out_by_the_test_of_each_fault() {
    use Careless::{AnswersBefore, IgnoresRefusals, NeverReadsAgain};
    type Check = Box<dyn Fn(Option<Careless>)>;
    let checks: [(&str, Check, &[Careless]); 7] = [
        (
            "refuses",
            Box::new(|it| nothing_is_kept(Fault::Refuses, it)),
            &[IgnoresRefusals],
        ),
        (
            "fails",
            Box::new(|it| nothing_is_kept(Fault::Fails, it)),
            &[AnswersBefore, NeverReadsAgain],
        ),
        (
            "fails and keeps",
            Box::new(kept_all_the_same),
            &[AnswersBefore],
        ),
        (
            "slow",
            Box::new(|it| a_word_is_waited_for(Fault::Slow, it)),
            &[AnswersBefore],
        ),
        (
            "fails slowly",
            Box::new(|it| a_word_is_waited_for(Fault::SlowlyFails, it)),
            &[AnswersBefore],
        ),
        ("lies", Box::new(a_lie_is_noticed), &[AnswersBefore]),
        (
            "tears",
            Box::new(each_is_whole),
            &[AnswersBefore, NeverReadsAgain],
        ),
    ];
    for (fault, check, plants) in checks {
        for careless in plants {
            let checked = AssertUnwindSafe(|| check(Some(*careless)));
            assert!(
                std::panic::catch_unwind(checked).is_err(),
                "{fault}: a host that is {careless:?} passes"
            );
        }
    }
}
