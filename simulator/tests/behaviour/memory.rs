//! Memory is bounded: what is forgotten first, what never is, and what a call is answered where there is
//! no room. That accounts rebuild from their entries, and that what they weigh is what counting anew
//! gives, every scene asserts when it ends.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::environment::{EnvironmentState, Evictions, RetentionLimits};
use svc_simulator::engine::state::manage;
use svc_simulator::host::directory::KeyAccounts;
use svc_simulator::host::memory::MemoryLimits;
use svc_simulator::scenario::WebhookConfig;

use crate::audit;
use crate::scene::{Scene, UAN};

const SLOW: &str = r#"{"uan": "100000000202"}"#;
const TEST: Environment = Environment::Test;

fn keeping(calls: usize, bytes: usize) -> MemoryLimits {
    MemoryLimits {
        retention: RetentionLimits {
            calls,
            bytes,
            ..RetentionLimits::DEFAULT
        },
        ..MemoryLimits::DEFAULT
    }
}

fn pan(number: usize) -> String {
    format!(r#"{{"pan": "AAAAA{number:04}B"}}"#)
}

fn known(scene: &Scene, id: &str) -> bool {
    let path = format!("/v1/verifications/{id}");
    scene.get(&path).send().0.status == 200
}

fn evictions(scene: &Scene) -> Evictions {
    scene.environment("local", TEST, EnvironmentState::evictions)
}

#[test]
fn the_call_that_ended_first_is_forgotten_first_and_a_pending_one_never() {
    let scene = Scene::bounded(keeping(3, 1 << 20));
    let pending = scene.post(UAN, SLOW).send().id();
    let ids: Vec<_> = (0..2).map(|at| scene.pan(&pan(at)).send().id()).collect();
    assert_eq!(evictions(&scene).calls, 0);
    scene.pan(&pan(2)).send();
    assert_eq!(evictions(&scene).calls, 1);
    let kept = |id: &str| {
        scene.environment("local", TEST, |state| {
            state
                .verifications
                .log()
                .any(|(call, _)| call.id.to_string() == id)
        })
    };
    assert_eq!((kept(&ids[0]), kept(&ids[1])), (false, true));
    assert!(kept(&pending));
}

#[test]
fn a_delivery_that_has_ended_is_forgotten_beyond_its_count_and_a_due_one_never() {
    let limits = MemoryLimits {
        retention: RetentionLimits {
            deliveries: 1,
            ..RetentionLimits::DEFAULT
        },
        ..MemoryLimits::DEFAULT
    };
    let scene = Scene::bounded(limits);
    hook(&scene);
    scene.receiver_answers(|_, nth| if nth == 0 { 500 } else { 200 });
    // Those that are due, those that have ended, those forgotten: the first is tried again after 30 s.
    for (number, expected) in [(1, 0, 0), (1, 1, 0), (0, 1, 2)].into_iter().enumerate() {
        let body = format!(r#"{{"uan": "100000000202", "n": {number}}}"#);
        scene.post(UAN, &body).send();
        scene.advance("local", SignedDuration::from_secs(26));
        let counts = scene.environment("local", TEST, |state| {
            let totals = state.verifications.totals();
            let evicted = state.verifications.evicted().deliveries;
            (totals.deliveries_due, totals.deliveries_ended, evicted)
        });
        assert_eq!(counts, expected, "after delivery {number}");
    }
}

fn hook(scene: &Scene) {
    let webhook = WebhookConfig {
        url: "http://127.0.0.1:9/".into(),
        secret: "whsec_sample".into(),
    };
    scene.change("local", TEST, |_, _| {
        Ok(manage::set_webhook(Some(webhook.clone())))
    });
}

#[test]
fn keys_are_forgotten_before_their_day_only_where_bytes_run_out_and_no_id_comes_twice() {
    let scene = Scene::bounded(keeping(10_000, 64 << 10));
    let first = scene.pan(&pan(0)).idempotency("first").send();
    let (mut number, mut ids) = (0, BTreeSet::from([first.id()]));
    while evictions(&scene).idempotency_keys == 0 {
        let again = scene.pan(&pan(0)).idempotency("first").send();
        assert!(again.0.replay, "after {number} others");
        number += 1;
        let key = format!("key-{number}");
        assert!(ids.insert(scene.pan(&pan(number)).idempotency(&key).send().id()));
    }
    let again = scene.pan(&pan(0)).idempotency("first").send();
    assert!(!again.0.replay && ids.insert(again.id()));
    assert!(scene.environment("local", TEST, |state| state.evictable_bytes()) <= 64 << 10);
}

#[test]
fn a_key_and_a_webhook_outlive_their_calls_place_in_the_log_with_the_same_bytes() {
    let scene = Scene::bounded(keeping(1, 1 << 20));
    hook(&scene);
    scene.receiver_answers(|_, nth| if nth == 0 { 500 } else { 200 });
    let first = scene.post(UAN, SLOW).idempotency("k").send();
    scene.advance("local", SignedDuration::from_secs(26));
    let result = scene
        .get(&format!("/v1/verifications/{}", first.id()))
        .send();
    for number in 0..3 {
        scene.pan(&pan(number)).send();
    }
    scene.advance("local", SignedDuration::from_mins(1));
    scene.pan(&pan(3)).send();
    let logged = scene.environment("local", TEST, |state| {
        let log = state.verifications.log();
        log.map(|(call, _)| call.id.to_string()).collect::<Vec<_>>()
    });
    assert!(
        logged.len() == 1 && !logged.contains(&first.id()),
        "{logged:?}"
    );
    let bodies: Vec<_> = scene.received().into_iter().map(|it| it.body).collect();
    assert_eq!(bodies, [result.0.body.clone(), result.0.body]);
    let again = scene.post(UAN, SLOW).idempotency("k").send();
    assert_eq!((again.0.replay, &again.0.body), (true, &first.0.body));
}

#[test]
fn ids_never_come_twice_however_often_counts_are_forgotten() {
    let scene = Scene::bounded(keeping(1, 64 << 10));
    let mut ids = BTreeSet::new();
    for number in 0..6000 {
        let body = match number % 7 {
            0 => pan(0),
            _ => format!(r#"{{"pan": "AAAAA0000B", "n": {number}}}"#),
        };
        assert!(ids.insert(scene.pan(&body).send().id()), "call {number}");
    }
    assert!(evictions(&scene).counters > 0);
}

#[test]
fn what_is_pending_is_kept_until_it_fills_the_room_and_then_calls_are_refused() {
    let scene = Scene::bounded(keeping(10, 64 << 10));
    let mut pending = Vec::new();
    let (refused, body) = loop {
        let body = format!(r#"{{"uan": "100000000202", "n": {}}}"#, pending.len());
        let answer = scene.post(UAN, &body).idempotency(&body).send();
        match answer.0.status {
            202 => pending.push((answer.id(), body)),
            _ => break (answer, body),
        }
    };
    assert_eq!(
        (refused.outcome(), refused.0.retry_after_s),
        ("429 SVC_RATE_LIMITED".into(), Some(1))
    );
    assert!(refused.at("error.message").contains("--keep-bytes"));
    assert!(pending.len() > 10 && pending.iter().all(|(id, _)| known(&scene, id)));
    let (_, first) = &pending[0];
    assert!(scene.post(UAN, first).idempotency(first).send().0.replay);
    scene.advance("local", SignedDuration::from_secs(26));
    assert_eq!(
        scene.post(UAN, &body).idempotency(&body).send().0.status,
        202
    );
}

fn accounts(most: usize) -> MemoryLimits {
    MemoryLimits {
        max_accounts: most,
        account_idle: Duration::from_hours(1),
        ..MemoryLimits::DEFAULT
    }
}

#[test]
fn an_account_that_a_key_opened_goes_when_it_was_idle_too_long_and_begins_anew() {
    let scene = Scene::bounded(accounts(10));
    let first = scene.pan(&pan(0)).by("local_w").send();
    scene.machine_goes_on(SignedDuration::from_hours(1) - SignedDuration::from_millis(1));
    assert_eq!(scene.host.close_idle(), 0);
    scene.machine_goes_on(SignedDuration::from_millis(1));
    assert_eq!(scene.host.close_idle(), 1);
    assert_eq!(
        scene.host.directory().opened_by_keys(),
        KeyAccounts {
            open: 0,
            most_of_one_address: 0,
            closed: 1
        }
    );
    assert_eq!(
        scene.host.directory().all().len(),
        6,
        "the built-in ones stay"
    );
    assert_eq!(scene.pan(&pan(0)).by("local_w").send().id(), first.id());
}

#[test]
fn an_idle_account_stays_while_something_is_pending_or_to_be_delivered() {
    let scene = Scene::bounded(accounts(10));
    let pending = scene.post(UAN, SLOW).by("local_w").send().id();
    scene.machine_goes_on(SignedDuration::from_hours(2));
    assert_eq!(scene.host.close_idle(), 0);
    let path = format!("/v1/verifications/{pending}");
    let ended = scene.get(&path).by("local_w").send();
    assert_eq!(ended.at("status"), "completed");
    scene.machine_goes_on(SignedDuration::from_hours(2));
    assert_eq!(scene.host.close_idle(), 1);
}

#[test]
fn where_there_are_too_many_accounts_the_one_idle_longest_goes() {
    let scene = Scene::bounded(accounts(3));
    let opened = |name: &str| scene.pan(&pan(0)).by(name).outcome();
    opened("local_a");
    scene.machine_goes_on(SignedDuration::from_secs(1));
    opened("local_b");
    scene.machine_goes_on(SignedDuration::from_millis(8_999));
    assert_eq!(
        opened("local_c"),
        "429 SVC_RATE_LIMITED",
        "nobody is idle yet"
    );
    scene.machine_goes_on(SignedDuration::from_millis(1));
    assert_eq!(opened("local_c"), "200 completed");
    let names: Vec<_> = scene.host.directory().all();
    let names: Vec<_> = names.iter().map(|cell| cell.id().to_string()).collect();
    assert!(!names.contains(&"local_a".into()) && names.contains(&"local_b".into()));
    assert_eq!(
        scene.host.directory().opened_by_keys(),
        KeyAccounts {
            open: 2,
            most_of_one_address: 2,
            closed: 1
        }
    );
}

#[test]
fn where_no_account_can_go_a_new_one_is_refused() {
    let scene = Scene::bounded(accounts(1));
    scene.post(UAN, SLOW).by("local_a").send();
    scene.machine_goes_on(SignedDuration::from_secs(20));
    let refused = scene.pan(&pan(0)).by("local_b").send();
    assert_eq!(
        (refused.outcome(), refused.0.retry_after_s),
        ("429 SVC_RATE_LIMITED".into(), Some(1))
    );
    assert!(refused.at("error.message").contains("--max-accounts"));
    assert!(scene.host.account("local_c").is_err());
}

#[test]
fn where_all_together_take_too_much_the_heaviest_gives_way_and_a_light_one_keeps_all() {
    let limits = MemoryLimits {
        total_bytes: 256 << 10,
        ..keeping(10_000, 256 << 10)
    };
    let scene = Scene::bounded(limits);
    let light = scene.pan(&pan(0)).by("local_light").send().id();
    for number in 0..600 {
        scene.pan(&pan(number)).send();
        assert!(
            scene.host.memory_usage().bytes <= 256 << 10,
            "call {number}"
        );
    }
    assert!(scene.host.memory_usage().evictions > 0 && evictions(&scene).calls > 0);
    let path = format!("/v1/verifications/{light}");
    assert_eq!(scene.get(&path).by("local_light").send().0.status, 200);
}

#[test]
fn where_pending_calls_of_all_take_the_room_further_ones_are_refused_until_they_end() {
    let limits = MemoryLimits {
        total_bytes: 128 << 10,
        ..keeping(10_000, 128 << 10)
    };
    let scene = Scene::bounded(limits);
    let slow = |number: usize| format!(r#"{{"uan": "100000000202", "n": {number}}}"#);
    let names = ["local_a", "local_b", "local_c"];
    let mut ask = (0..).map(|number| {
        let answer = scene.post(UAN, &slow(number)).by(names[number % 3]).send();
        (number, answer)
    });
    let refused = ask.find(|(_, answer)| answer.0.status != 202);
    let (number, refused) = refused.expect("there is an end to it");
    assert_eq!(refused.outcome(), "429 SVC_RATE_LIMITED");
    assert!(refused.at("error.message").contains("--keep-total"));
    let pending =
        |name: &str| scene.environment(name, TEST, |state| state.verifications.open().count());
    assert_eq!(names.map(pending).iter().sum::<usize>(), number);
    for name in names {
        scene.advance(name, SignedDuration::from_secs(26));
    }
    scene.pan(&pan(0)).send();
    assert_eq!(scene.pan(&pan(0)).send().0.status, 200);
}

#[test]
fn three_accounts_full_of_pending_calls_leave_room_for_others() {
    let limits = MemoryLimits {
        total_bytes: 1 << 20,
        ..keeping(10_000, 512 << 10)
    };
    let scene = Scene::bounded(limits);
    let slow = |number: usize| format!(r#"{{"uan": "100000000202", "n": {number}}}"#);
    let fill = |name: &str| {
        let ask = |number| scene.post(UAN, &slow(number)).by(name).send();
        let refused = (0..).map(ask).find(|answer| answer.0.status != 202);
        refused.expect("there is an end to it")
    };
    for name in ["local_a", "local_b", "local_c"] {
        let refused = fill(name);
        assert_eq!(refused.outcome(), "429 SVC_RATE_LIMITED");
        let message = refused.at("error.message");
        assert!(message.contains("--keep-bytes") || message.contains("--keep-total"));
    }
    for number in 0..5 {
        let body = slow(number);
        let innocent = scene.post(UAN, &body).by("local_innocent").send();
        assert_eq!(innocent.0.status, 202, "pending call {number}");
        let innocent = scene.pan(&pan(number)).by("local_innocent").send();
        assert_eq!(innocent.0.status, 200, "call {number}");
    }
    assert_eq!(fill("local_a").outcome(), "429 SVC_RATE_LIMITED");
}

#[test]
fn an_address_that_opened_its_share_of_accounts_is_refused_more_and_no_other_is() {
    let scene = Scene::bounded(accounts(10));
    let open = |name: &str, peer: &str| scene.pan(&pan(0)).by(name).from(peer).send();
    let mut opened = 0;
    let refused = loop {
        let answer = open(&format!("local_g{opened}"), "192.0.2.1");
        match answer.0.status {
            200 => opened += 1,
            _ => break answer,
        }
    };
    assert_eq!(opened, 6);
    assert_eq!(refused.outcome(), "429 SVC_RATE_LIMITED");
    assert!(refused.at("error.message").contains("--max-accounts"));
    assert_eq!(open("local_i1", "192.0.2.2").outcome(), "200 completed");
    scene.machine_goes_on(SignedDuration::from_secs(11));
    // Its own idle accounts make room, not those of somebody else.
    assert_eq!(open("local_g", "192.0.2.1").outcome(), "200 completed");
    let there = scene.host.directory().all();
    assert!(there.iter().any(|cell| &**cell.id() == "local_i1"));
    assert_eq!(
        scene.host.directory().opened_by_keys(),
        KeyAccounts {
            open: 7,
            most_of_one_address: 6,
            closed: 1
        }
    );
}

/// One step of an account's life.
#[derive(Debug, Clone)]
enum Step {
    Pan { number: usize, key: Option<u8> },
    Slow { number: usize, key: Option<u8> },
    Otp { number: usize },
    Report { number: usize },
    Wait { seconds: i64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || prop_oneof![Just(None), (0u8..100).prop_map(Some)];
    let step = prop_oneof![
        8 => (0usize..500, key()).prop_map(|(number, key)| Step::Pan { number, key }),
        3 => (0usize..500, key()).prop_map(|(number, key)| Step::Slow { number, key }),
        2 => (0usize..500).prop_map(|number| Step::Otp { number }),
        2 => (0usize..500).prop_map(|number| Step::Report { number }),
        2 => prop_oneof![0i64..40, Just(90_000)].prop_map(|seconds| Step::Wait { seconds }),
    ];
    prop::collection::vec(step, 250)
}

fn play(steps: &[Step]) -> Result<(), TestCaseError> {
    let limits = MemoryLimits {
        total_bytes: 192 << 10,
        ..keeping(60, 64 << 10)
    };
    let scene = Scene::bounded(limits);
    hook(&scene);
    let mut pending = BTreeSet::new();
    for step in steps {
        let (path, body, key) = match step {
            Step::Wait { seconds } => {
                scene.advance("local", SignedDuration::from_secs(*seconds));
                pending.clear();
                continue;
            }
            Step::Pan { number, key } => (crate::scene::PAN, pan(*number), *key),
            Step::Slow { number, key } => (
                UAN,
                format!(r#"{{"uan": "100000000202", "n": {number}}}"#),
                *key,
            ),
            Step::Otp { number } => (
                "/v1/verify/identity/mobile-otp/start",
                format!(r#"{{"mobile": "9{number:09}"}}"#),
                None,
            ),
            Step::Report { number } => (
                audit::REPORT,
                audit::BODY.replace("Asha Rao", &format!("P {number}")),
                None,
            ),
        };
        let key = key.map(|key| format!("key-{key}"));
        let asked = scene.post(path, &body);
        let asked = match step {
            Step::Report { .. } => asked.live(),
            _ => asked,
        };
        let answer = match &key {
            Some(key) => asked.idempotency(key).send(),
            None => asked.send(),
        };
        let refused_for_its_key = answer.0.status == 409 && key.is_some();
        prop_assert!(
            answer.0.status < 300 || refused_for_its_key,
            "{}",
            answer.outcome()
        );
        if answer.0.status == 202 && !answer.0.replay {
            pending.insert(answer.id());
        }
        scene.environment("local", Environment::Live, |state| {
            prop_assert!(state.evictable_bytes() <= 64 << 10 && state.sums_hold());
            Ok(())
        })?;
        scene.environment("local", TEST, |state| {
            prop_assert!(state.evictable_bytes() <= 64 << 10);
            let totals = state.verifications.totals();
            prop_assert!(totals.logged <= 60 || totals.logged_evictable == 0);
            prop_assert!(state.sums_hold());
            let log = state.verifications.log();
            let there = log.map(|(call, _)| call.id.to_string());
            let there: BTreeSet<_> = there.collect();
            prop_assert!(pending.is_subset(&there));
            Ok(())
        })?;
        prop_assert!(scene.host.memory_usage().bytes <= 192 << 10);
    }
    Ok(())
}

#[test]
fn over_random_lives_the_bounds_hold_the_sums_are_true_and_nothing_pending_is_lost() {
    let config = Config {
        cases: 10,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&steps(), |steps| play(&steps));
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
