//! Webhooks: sent as the schedule says until they are taken, signed, the same bytes each time.

use jiff::SignedDuration;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::delivery::{Attempt, AttemptOutcome, DeliveryState};
use svc_simulator::engine::state::event::EventKind;
use svc_simulator::engine::state::manage;
use svc_simulator::engine::state::signature::Signature;
use svc_simulator::scenario::WebhookConfig;

use crate::scene::{START, Scene, UAN};

pub(crate) const HOOKED: &str = r#"
    [[account]]
    id = "hooked"
    live_wallet_inr = 1000
    webhook = { url = "http://127.0.0.1:9/hook", secret = "whsec_sample" }
"#;

/// Its result comes 25 seconds later.
const SLOW: &str = r#"{"uan": "100000000202"}"#;

const HALF_A_DAY: SignedDuration = SignedDuration::from_hours(12);

fn attempts(scene: &Scene) -> (Vec<Attempt>, DeliveryState) {
    scene.environment("hooked", Environment::Test, |state| {
        let (_, delivery) = state
            .verifications
            .deliveries()
            .next()
            .expect("there is one");
        (delivery.attempts.clone(), delivery.state())
    })
}

fn seconds_since_the_result(attempts: &[Attempt]) -> Vec<i64> {
    let result = START + SignedDuration::from_secs(25);
    let seconds = |attempt: &Attempt| attempt.due.duration_since(result).as_secs();
    attempts.iter().map(seconds).collect()
}

fn rewire(scene: &Scene, url: &str, secret: &str) {
    let config = WebhookConfig {
        url: url.into(),
        secret: secret.into(),
    };
    scene.change("hooked", Environment::Test, |_, _| {
        Ok(manage::set_webhook(Some(config)))
    });
}

#[test]
fn a_receiver_that_fails_k_times_gets_just_the_attempts_up_to_its_first_2xx() {
    for failures in 0..=6 {
        let scene = Scene::with_accounts(HOOKED);
        scene.receiver_answers(move |_, at| if at < failures { 500 } else { 204 });
        let pending = scene.post(UAN, SLOW).by("hooked").send();
        scene.advance("hooked", HALF_A_DAY);
        let (attempts, state) = attempts(&scene);
        let seconds = [0, 30, 120, 600, 3600, 21600];
        let made = 6.min(failures + 1);
        assert_eq!(seconds_since_the_result(&attempts), seconds[..made]);
        let dead = failures == 6;
        let ended = if dead {
            DeliveryState::Dead
        } else {
            DeliveryState::Delivered
        };
        assert_eq!(state, ended);
        let path = format!("/v1/verifications/{}", pending.id());
        let newest = scene.get(&path).by("hooked").send();
        assert_eq!(scene.received().len(), made);
        for posting in scene.received() {
            assert_eq!(posting.body, newest.0.body);
            let signature = Signature::parse(&posting.signature.expect("it is signed"));
            let signature = signature.expect("as the contract says");
            assert!(signature.verify("whsec_sample", &posting.body));
            assert_eq!(signature.at_s, START.as_second());
        }
    }
}

#[test]
fn what_happened_on_the_way_is_listed_in_order() {
    let scene = Scene::with_accounts(HOOKED);
    scene.receiver_answers(|_, at| if at == 0 { 503 } else { 200 });
    scene.post(UAN, SLOW).by("hooked").send();
    let happened = scene.advance("hooked", SignedDuration::from_mins(2));
    let lines: Vec<String> = happened
        .iter()
        .map(|event| {
            let seconds = event.at.duration_since(START).as_secs();
            let what = match &event.kind {
                EventKind::Resulted { state, .. } => format!("{state:?}"),
                EventKind::Attempted {
                    number,
                    answer,
                    state,
                    ..
                } => {
                    format!("attempt {number}: {answer:?}, {}", state.as_str())
                }
                other => format!("{other:?}"),
            };
            format!("{seconds} s: {what}")
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    25 s: Completed
    25 s: attempt 1: Status(503), due
    55 s: attempt 2: Status(200), delivered
    ");
}

#[test]
fn the_url_and_the_secret_are_those_of_the_attempt() {
    let scene = Scene::with_accounts(HOOKED);
    scene.receiver_answers(|_, at| if at == 0 { 500 } else { 200 });
    scene.post(UAN, SLOW).by("hooked").send();
    scene.advance("hooked", SignedDuration::from_secs(25));
    rewire(&scene, "http://127.0.0.1:9/other", "whsec_other");
    scene.advance("hooked", SignedDuration::from_secs(30));
    let second = &scene.received()[1];
    assert_eq!(second.url, "http://127.0.0.1:9/other");
    let signature = second.signature.as_deref().map(Signature::parse);
    let signature = signature
        .expect("it is signed")
        .expect("as the contract says");
    assert!(signature.verify("whsec_other", &second.body));
    assert!(!signature.verify("whsec_sample", &second.body));
}

#[test]
fn without_a_receiver_at_the_end_there_is_no_delivery_and_nothing_is_lost() {
    let scene = Scene::new();
    let pending = scene.post(UAN, SLOW).send();
    scene.advance("local", SignedDuration::from_secs(25));
    let count = scene.environment("local", Environment::Test, |state| {
        state.verifications.deliveries().count()
    });
    assert_eq!(count, 0);
    let path = format!("/v1/verifications/{}", pending.id());
    assert_eq!(scene.get(&path).outcome(), "200 completed");
}

#[test]
fn a_receiver_that_was_taken_away_fails_the_attempt_with_a_word() {
    let scene = Scene::with_accounts(HOOKED);
    scene.receiver_answers(|_, _| 500);
    scene.post(UAN, SLOW).by("hooked").send();
    scene.advance("hooked", SignedDuration::from_secs(25));
    let cell = scene.account("hooked");
    let removed = scene.host.change(&cell, Environment::Test, |_, _| {
        Ok(manage::set_webhook(None))
    });
    removed.expect("a memory journal takes all");
    scene.advance("hooked", SignedDuration::from_secs(30));
    let reason = AttemptOutcome::Nothing("no webhook endpoint is registered".to_owned());
    assert_eq!(attempts(&scene).0[1].answer, reason);
}

#[test]
fn a_dead_letter_is_sent_again_when_it_is_asked_for() {
    let scene = Scene::with_accounts(HOOKED);
    scene.receiver_answers(|_, at| if at < 6 { 500 } else { 200 });
    scene.post(UAN, SLOW).by("hooked").send();
    scene.advance("hooked", HALF_A_DAY);
    let verification = scene.environment("hooked", Environment::Test, |state| {
        let (of, _) = state
            .verifications
            .deliveries()
            .next()
            .expect("there is one");
        of.id
    });
    scene.change("hooked", Environment::Test, |account, _| {
        manage::redeliver(account, Environment::Test, verification)
    });
    scene.advance("hooked", SignedDuration::ZERO);
    let (attempts, state) = attempts(&scene);
    assert_eq!((attempts.len(), state), (7, DeliveryState::Delivered));
    assert_eq!(attempts[6].due, START + HALF_A_DAY);
}

#[test]
fn a_clock_that_runs_delivers_by_itself() {
    let scene = Scene::with_accounts(HOOKED);
    scene.post(UAN, SLOW).by("hooked").send();
    let cell = scene.account("hooked");
    let from = cell.next_event_number();
    let delivered = |event: &svc_simulator::engine::state::event::Event| {
        matches!(
            event.kind,
            EventKind::Attempted {
                state: DeliveryState::Delivered,
                ..
            }
        )
    };
    // Nobody calls and nobody moves the account's clock: only the machine's goes on.
    scene.machine_goes_on(SignedDuration::from_secs(25));
    let wait = cell.wait_for_events(from, delivered, std::time::Duration::from_secs(60));
    assert_eq!(scene.runtime.block_on(wait).events.len(), 1);
}

/// When the webhook of a slow history with this fault is sent, in seconds after the result, and how
/// it is signed.
fn sent_with(fault: &str) -> Vec<(i64, &'static str)> {
    let scene = Scene::with(&format!(
        r#"
        [[scenario]]
        name = "a faulty webhook"
        operation = "verify.employment.uan"
        when = {{ uan = "100000000777" }}
        then = {{ pending = {{}}, after = "25s", webhook = {fault} }}
        "#
    ));
    let config = WebhookConfig {
        url: "http://127.0.0.1:9/hook".into(),
        secret: "whsec_sample".into(),
    };
    scene.change("local", Environment::Test, |_, _| {
        Ok(manage::set_webhook(Some(config)))
    });
    scene.post(UAN, r#"{"uan": "100000000777"}"#).send();
    scene.advance("local", HALF_A_DAY);
    let attempts: Vec<Attempt> = scene.environment("local", Environment::Test, |state| {
        let deliveries = state.verifications.deliveries();
        deliveries.flat_map(|(_, it)| it.attempts.clone()).collect()
    });
    let signed = scene.received().into_iter().map(|posting| {
        let header = posting.signature?;
        let signature = Signature::parse(&header).expect("as the contract says");
        Some(signature.verify("whsec_sample", &posting.body))
    });
    let words = signed.map(|valid| match valid {
        Some(true) => "genuine",
        Some(false) => "wrong",
        None => "none",
    });
    let seconds = seconds_since_the_result(&attempts);
    seconds.into_iter().zip(words).collect()
}

#[test]
fn faults_of_a_scenario_act_on_the_webhook() {
    for (fault, sent) in [
        ("{ copies = 2 }", vec![(0, "genuine"), (0, "genuine")]),
        (r#"{ delay = "90s" }"#, vec![(90, "genuine")]),
        (r#"{ signature = "wrong" }"#, vec![(0, "wrong")]),
        (r#"{ signature = "none" }"#, vec![(0, "none")]),
        // Nothing comes to overtake it.
        ("{ out_of_order = true }", vec![(30, "genuine")]),
    ] {
        assert_eq!(sent_with(fault), sent, "{fault}");
    }
}
