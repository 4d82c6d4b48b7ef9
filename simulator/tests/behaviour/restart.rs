//! A simulator that is stopped, or dies, in between: nothing is charged twice, nothing is lost.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::delivery::DeliveryState;
use svc_simulator::engine::state::entry::Change;
use svc_simulator::engine::state::event::{Event, EventKind};

use crate::deliveries::HOOKED;
use crate::journals::faulty::{Fault, Faulty};
use crate::journals::store;
use crate::scene::{Money, PAN, Scene, UAN};

const SLOW: &str = r#"{"uan": "100000000202"}"#;
const HELD_BACK: &str = r#"
    [[scenario]]
    name = "takes its time"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA1111A" }
    then = { success = {}, delay = "5s" }
"#;

#[test]
fn a_pending_call_is_charged_once_whenever_the_simulator_dies() {
    for dies_after in [0, 24, 25, 26] {
        let mut scene = Scene::with_accounts(HOOKED);
        let pending = scene.post(UAN, SLOW).live().by("hooked").send();
        scene.advance("hooked", SignedDuration::from_secs(dies_after));
        scene.crash_and_start_again();
        scene.advance("hooked", SignedDuration::from_secs(60));
        scene.crash_and_start_again();
        let wallet = Money {
            balance: Paise(96_000),
            held: Paise(0),
            charged: Paise(4000),
        };
        assert_eq!(scene.wallet("hooked"), wallet, "died after {dies_after} s");
        let path = format!("/v1/verifications/{}", pending.id());
        assert_eq!(
            scene.get(&path).live().by("hooked").outcome(),
            "200 completed"
        );
        assert_eq!(scene.received().len(), 1);
    }
}

#[test]
fn whoever_polls_events_is_told_that_those_of_before_are_known_no_more() {
    let mut scene = Scene::new();
    let events_from = |scene: &Scene, from| {
        let cell = scene.account("local");
        let batch = cell.wait_for_events(from, |_| true, Duration::ZERO);
        let batch = scene.runtime.block_on(batch);
        (batch.events.len(), batch.next, batch.missed)
    };
    scene.pan("{}").send();
    scene.pan(r#"{"pan": "AAAAA0000A"}"#).send();
    let (two, next, missed) = events_from(&scene, 0);
    assert_eq!((two, next, missed), (2, 2, false));
    scene.crash_and_start_again();
    for _ in 0..3 {
        scene.pan("{}").send();
    }
    let (three, after, missed) = events_from(&scene, next);
    assert_eq!((three, missed), (3, true));
    assert_eq!(events_from(&scene, after), (0, after, false));
}

#[test]
fn retries_go_on_where_they_stopped() {
    let mut scene = Scene::with_accounts(HOOKED);
    scene.receiver_answers(|_, at| if at < 3 { 500 } else { 200 });
    scene.post(UAN, SLOW).by("hooked").send();
    for _ in 0..4 {
        scene.advance("hooked", SignedDuration::from_mins(4));
        scene.crash_and_start_again();
    }
    let state = scene.environment("hooked", Environment::Test, |state| {
        let (_, delivery) = state
            .verifications
            .deliveries()
            .next()
            .expect("there is one");
        (delivery.attempts.len(), delivery.state())
    });
    assert_eq!(state, (4, DeliveryState::Delivered));
}

#[test]
fn a_call_held_back_when_the_simulator_dies_is_booked_once() {
    let mut scene = Scene::with(HELD_BACK);
    let body = r#"{"pan": "AAAAA1111A"}"#;
    {
        // Its client gives up, and then the simulator dies.
        let asked = scene.post(PAN, body).live().idempotency("k");
        let call = std::pin::pin!(asked.ask());
        scene.runtime.block_on(async {
            assert!(futures_util::poll!(call).is_pending());
        });
    }
    assert_eq!(scene.wallet("local").held, Paise(250));
    scene.crash_and_start_again();
    let booked = Money {
        balance: Paise(9_999_750),
        held: Paise(0),
        charged: Paise(250),
    };
    assert_eq!(scene.wallet("local"), booked);
    let replay = scene.post(PAN, body).live().idempotency("k").send();
    assert!(replay.0.replay, "{replay}");
    assert_eq!(scene.wallet("local"), booked);
}

#[test]
fn a_call_held_back_when_the_simulator_is_to_stop_is_booked_before_it_does() {
    let scene = Scene::with(HELD_BACK);
    let asked = scene.post(PAN, r#"{"pan": "AAAAA1111A"}"#).live();
    scene.runtime.block_on(async {
        let mut call = std::pin::pin!(asked.ask());
        assert!(futures_util::poll!(&mut call).is_pending());
        scene.host.drained().await;
        assert_eq!(
            scene.wallet("local"),
            Money {
                balance: Paise(9_999_750),
                held: Paise(0),
                charged: Paise(250)
            }
        );
        assert_eq!(call.await.outcome(), "200 completed");
    });
}

#[test]
fn an_attempt_on_its_way_when_the_simulator_is_to_stop_is_noted_and_no_other_begins() {
    let scene = Scene::with_accounts(HOOKED);
    scene.receiver_answers(|_, _| 500);
    scene.post(UAN, SLOW).by("hooked").send();
    scene.machine_goes_on(SignedDuration::from_secs(25));
    // The look-up finishes what is due and begins to deliver it.
    scene.get("/v1/usage").by("hooked").send();
    scene.runtime.block_on(scene.host.drained());
    scene.machine_goes_on(SignedDuration::from_secs(30));
    scene.get("/v1/usage").by("hooked").send();
    assert_eq!(scene.received().len(), 1);
}

/// A store that refuses, once, an entry with such a change.
fn refusing(what: fn(&Change) -> bool) -> Arc<Faulty> {
    let store = Faulty::on(store());
    let mut refused = false;
    store.fails(move |entries| {
        let mut changes = entries.iter().flat_map(|entry| &entry.changes);
        let refuses = !refused && changes.any(what);
        refused |= refuses;
        refuses.then_some(Fault::Refuses)
    });
    store
}

#[test]
fn an_attempt_that_was_made_but_not_written_is_made_again() {
    let journal = refusing(|change| matches!(change, Change::Attempted { .. }));
    let scene = Scene::with_accounts_and_journal(HOOKED, journal);
    scene.post(UAN, SLOW).by("hooked").send();
    scene.machine_goes_on(SignedDuration::from_secs(25));
    scene.get("/v1/usage").by("hooked").send();
    let cell = scene.account("hooked");
    let noted = |event: &Event| matches!(event.kind, EventKind::Attempted { .. });
    let wait = cell.wait_for_events(0, noted, Duration::from_secs(60));
    assert_eq!(scene.runtime.block_on(wait).events.len(), 1);
    assert_eq!(scene.received().len(), 2);
}

#[test]
fn attempts_that_are_not_written_are_made_again_once_a_second_and_no_more() {
    let journal = Faulty::on(store());
    journal.fails(|entries| {
        let mut changes = entries.iter().flat_map(|entry| &entry.changes);
        let attempted = |change: &Change| matches!(change, Change::Attempted { .. });
        changes.any(attempted).then_some(Fault::Refuses)
    });
    let scene = Scene::with_accounts_and_journal(HOOKED, journal.clone());
    for _ in 0..12 {
        scene.post(UAN, SLOW).by("hooked").send();
    }
    scene.machine_goes_on(SignedDuration::from_secs(25));
    scene.get("/v1/usage").by("hooked").send();
    let pause = async { tokio::time::sleep(Duration::from_millis(4500)).await };
    scene.runtime.block_on(pause);
    // At once, and after each second that passed.
    let sent = scene.received().len();
    assert!((12..=12 * 5).contains(&sent), "{sent}");
    journal.fails(|_| None);
}

#[test]
fn an_answer_that_was_held_back_and_not_written_is_given_once_it_is() {
    let journal = refusing(|change| matches!(change, Change::HoldSettled { .. }));
    let scene = Scene::with_accounts_and_journal("", journal);
    let added = scene.host.add_scenarios(&scene.account("local"), HELD_BACK);
    added.unwrap_or_else(|problems| panic!("{problems}"));
    let call = || {
        scene
            .pan(r#"{"pan": "AAAAA1111A"}"#)
            .live()
            .idempotency("k")
    };
    scene.runtime.block_on(async {
        let (first, second) = tokio::join!(call().ask(), call().ask());
        assert_eq!(first.outcome(), "200 completed");
        assert_eq!((second.0.replay, second.0.body), (true, first.0.body));
    });
    assert_eq!(scene.wallet("local").held, Paise(0));
}
