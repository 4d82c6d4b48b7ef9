//! Accounts never influence each other, whatever the interleaving.

use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::scene::{PAN, Scene, UAN};

/// What one of two accounts does.
#[derive(Debug, Clone)]
enum Act {
    Call {
        path: &'static str,
        body: &'static str,
        live: bool,
        key: Option<u8>,
    },
    Wait {
        seconds: i64,
    },
}

const BODIES: [(&str, &str); 5] = [
    (PAN, r#"{"pan": "AAAAA0000A"}"#),
    (PAN, r#"{"pan": "AAAAA0503A"}"#),
    (PAN, r#"{"pan": "bad"}"#),
    (UAN, r#"{"uan": "100000000202"}"#),
    (UAN, r#"{"uan": "100000000001"}"#),
];

fn acts() -> impl Strategy<Value = Vec<(bool, Act)>> {
    let call = (0..BODIES.len(), any::<bool>(), proptest::option::of(0u8..3)).prop_map(
        |(at, live, key)| {
            let (path, body) = BODIES[at];
            Act::Call {
                path,
                body,
                live,
                key,
            }
        },
    );
    let act =
        prop_oneof![5 => call, 1 => (0i64..100_000).prop_map(|seconds| Act::Wait { seconds })];
    prop::collection::vec((any::<bool>(), act), 1..40)
}

/// What the first account is answered; the second one's acts may be left out.
fn answers(acts: &[(bool, Act)], with_second: bool) -> Vec<String> {
    let scene = Scene::new();
    let mut answers = Vec::new();
    for (second, act) in acts {
        if *second && !with_second {
            continue;
        }
        let name = if *second {
            "local_second"
        } else {
            "local_first"
        };
        match act {
            Act::Wait { seconds } => {
                scene.advance(name, SignedDuration::from_secs(*seconds));
            }
            Act::Call {
                path,
                body,
                live,
                key,
            } => {
                let key = key.map(|key| format!("key-{key}"));
                let mut asked = scene.post(path, body);
                if *live {
                    asked = asked.live();
                }
                if let Some(key) = &key {
                    asked = asked.idempotency(key);
                }
                let answer = asked.by(name).send();
                if !second {
                    answers.push(answer.to_string());
                }
            }
        }
    }
    answers
}

#[test]
fn leaving_one_accounts_calls_out_changes_no_byte_of_the_others_answers() {
    let config = Config {
        cases: 60,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&acts(), |acts| {
        prop_assert_eq!(answers(&acts, true), answers(&acts, false));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
