//! A model of an account's money and idempotency keys beside the engine, over random steps.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::Paise;

use crate::scene::{Answer, Scene, UAN};

/// One step of an account's life.
#[derive(Debug, Clone)]
enum Step {
    /// A PAN that ends in this way, under one of a few keys or none.
    Pan { ending: usize, key: Option<u8> },
    /// A history that is pending for 25 seconds.
    SlowHistory { key: Option<u8> },
    /// Time passes.
    Wait { seconds: i64 },
}

/// Inputs and whether they are billed.
const PANS: [(&str, bool); 5] = [
    ("AAAAA0000A", true),
    ("AAAAA9999A", true),
    ("AAAAA0503A", false),
    ("AAAAA0504A", false),
    ("EEEEE0001E", true),
];
const PAN_PRICE: i64 = 250;
const HISTORY_PRICE: i64 = 4000;
const DAY_S: i64 = 24 * 60 * 60;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || prop_oneof![2 => Just(None), 3 => (0u8..6).prop_map(Some)];
    let step = prop_oneof![
        6 => (0..PANS.len(), key()).prop_map(|(ending, key)| Step::Pan { ending, key }),
        2 => key().prop_map(|key| Step::SlowHistory { key }),
        2 => prop_oneof![0i64..40, Just(25), DAY_S - 40..DAY_S + 40].prop_map(|seconds| Step::Wait { seconds }),
    ];
    prop::collection::vec(step, 500)
}

/// What the account must look like.
#[derive(Default)]
struct Model {
    balance: i64,
    /// When each open hold ends.
    pending: Vec<i64>,
    /// By key: since when, the body, and the answer first given.
    keys: HashMap<u8, (i64, String, Answer), FixedState>,
    now: i64,
}

impl Model {
    fn held(&self) -> i64 {
        i64::try_from(self.pending.len()).expect("few") * HISTORY_PRICE
    }

    fn wait(&mut self, seconds: i64) {
        self.now += seconds;
        let now = self.now;
        self.balance -= HISTORY_PRICE
            * i64::try_from(self.pending.iter().filter(|due| **due <= now).count()).expect("few");
        self.pending.retain(|due| *due > now);
    }

    /// What a call must come to, given what it costs; its money is booked.
    fn expect(
        &mut self,
        body: &str,
        key: Option<u8>,
        price: i64,
        settle: impl FnOnce(&mut Model),
    ) -> Expected {
        let kept = key
            .and_then(|key| self.keys.get(&key))
            .filter(|(since, ..)| self.now - since < DAY_S);
        match kept {
            Some((_, same, answer)) if same == body => Expected::Replay(answer.clone()),
            Some(_) => Expected::Status(409),
            None if self.balance - self.held() < price => Expected::Status(402),
            None => {
                settle(self);
                Expected::Executed
            }
        }
    }
}

enum Expected {
    Replay(Answer),
    Status(u16),
    Executed,
}

fn play(steps: Vec<Step>) {
    let scene = Scene::with_accounts("[[account]]\nid = \"model\"\nlive_wallet_inr = 300");
    let mut model = Model {
        balance: 30_000,
        ..Model::default()
    };
    for step in steps {
        let (path, body, key, expected) = match step {
            Step::Wait { seconds } => {
                scene.advance("model", SignedDuration::from_secs(seconds));
                model.wait(seconds);
                check_money(&scene, &model);
                continue;
            }
            Step::Pan { ending, key } => {
                let (pan, billed) = PANS[ending];
                let body = format!(r#"{{"pan": "{pan}"}}"#);
                let charge = if billed { PAN_PRICE } else { 0 };
                let expected = model.expect(&body, key, PAN_PRICE, |model| model.balance -= charge);
                (crate::scene::PAN, body, key, expected)
            }
            Step::SlowHistory { key } => {
                let body = r#"{"uan": "100000000202"}"#.to_owned();
                let expected = model.expect(&body, key, HISTORY_PRICE, |model| {
                    model.pending.push(model.now + 25)
                });
                (UAN, body, key, expected)
            }
        };
        let name = key.map(|key| format!("key-{key}"));
        let mut asked = scene.post(path, &body).live().by("model");
        if let Some(name) = &name {
            asked = asked.idempotency(name);
        }
        let answer = asked.send();
        match expected {
            Expected::Replay(first) => {
                assert_eq!((&answer.0.body, answer.0.replay), (&first.0.body, true))
            }
            Expected::Status(status) => {
                assert_eq!((answer.0.status, answer.0.replay), (status, false))
            }
            Expected::Executed => {
                assert!(
                    !answer.0.replay && !matches!(answer.0.status, 402 | 409),
                    "{}",
                    answer.outcome()
                );
                if let Some(key) = key {
                    model.keys.insert(key, (model.now, body.clone(), answer));
                }
            }
        }
        check_money(&scene, &model);
    }
}

fn check_money(scene: &Scene, model: &Model) {
    let (balance, held, charged) = scene.wallet("model");
    assert_eq!((balance, held), (Paise(model.balance), Paise(model.held())));
    assert_eq!(balance.0 + charged.0, 30_000);
    assert!(0 <= held.0 && held.0 <= balance.0);
}

/// 200 lives of 500 steps each: 100,000 steps.
#[test]
fn money_and_keys_follow_the_model_over_a_hundred_thousand_steps() {
    let config = Config {
        cases: 200,
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&steps(), |steps| {
        play(steps);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
