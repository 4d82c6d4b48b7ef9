//! Accounts never influence each other, whatever the interleaving and however far their clocks are
//! apart.

use jiff::SignedDuration;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::Paise;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::clock::AccountClock;
use svc_simulator::engine::state::manage;
use svc_simulator::host::transport::WebhookRequest;
use svc_simulator::scenario::WebhookConfig;

use crate::scene::{PAN, Scene, UAN};

/// What is done.
#[derive(Debug, Clone)]
enum Act {
    Call {
        path: &'static str,
        body: &'static str,
        live: bool,
        key: Option<u8>,
    },
    /// Its clock is moved, by up to some years.
    Wait {
        seconds: i64,
    },
    /// Its clock stands still, or runs on.
    Freeze(bool),
    /// The machine's clock goes on: the same for all accounts.
    MachineGoesOn {
        seconds: i64,
    },
    TopUp,
    RotateKey,
    Reset,
    /// Scenarios of its own are added.
    AddScenario,
}

const BODIES: [(&str, &str); 6] = [
    (PAN, r#"{"pan": "AAAAA0000A"}"#),
    (PAN, r#"{"pan": "AAAAA0503A"}"#),
    (PAN, r#"{"pan": "bad"}"#),
    (UAN, r#"{"uan": "100000000202"}"#),
    (UAN, r#"{"uan": "100000000001"}"#),
    (
        "/v1/verify/company/udyam/otp-confirm",
        r#"{"udyamNumber": "UDYAM-KA-01-0000001", "otp": "123456"}"#,
    ),
];

const ADDED: &str = r#"
    [[scenario]]
    name = "of one account"
    operation = "verify.identity.pan"
    when = { pan = "AAAAA0000A" }
    then = { error = "SVC_NO_RECORD_FOUND" }
"#;

fn acts() -> impl Strategy<Value = Vec<(bool, Act)>> {
    let key = proptest::option::of(0u8..3);
    let call = (0..BODIES.len(), any::<bool>(), key).prop_map(|(at, live, key)| {
        let (path, body) = BODIES[at];
        Act::Call {
            path,
            body,
            live,
            key,
        }
    });
    let act = prop_oneof![
        12 => call,
        2 => (0i64..100_000).prop_map(|seconds| Act::Wait { seconds }),
        1 => (0i64..200_000_000).prop_map(|seconds| Act::Wait { seconds }),
        1 => any::<bool>().prop_map(Act::Freeze),
        2 => (0i64..60).prop_map(|seconds| Act::MachineGoesOn { seconds }),
        1 => Just(Act::TopUp),
        1 => Just(Act::RotateKey),
        1 => Just(Act::Reset),
        1 => Just(Act::AddScenario),
    ];
    prop::collection::vec((any::<bool>(), act), 1..40)
}

const FIRST: &str = "local_first";
const SECOND: &str = "local_second";

/// Takes about every other delivery, whichever came before it.
fn status(posting: &WebhookRequest, _: usize) -> u16 {
    let sum = posting
        .body
        .iter()
        .map(|byte| u16::from(*byte))
        .sum::<u16>();
    if sum.is_multiple_of(2) { 204 } else { 500 }
}

/// All that can be seen of the first account; the second one's acts may be left out.
fn seen(acts: &[(bool, Act)], with_second: bool) -> String {
    let scene = Scene::new();
    scene.receiver_answers(status);
    register(&scene, FIRST);
    if with_second {
        register(&scene, SECOND);
    }
    let mut answers = String::new();
    for (second, act) in acts {
        let everybody = matches!(act, Act::MachineGoesOn { .. });
        if *second && !with_second && !everybody {
            continue;
        }
        let said = play(&scene, if *second { SECOND } else { FIRST }, act);
        if !second {
            answers += &said;
        }
    }
    scene.advance(FIRST, SignedDuration::from_hours(7));
    let account = scene.account(FIRST).read(|account| format!("{account:#?}"));
    answers + &account
}

fn register(scene: &Scene, name: &str) {
    let config = WebhookConfig {
        url: format!("http://127.0.0.1:9/{name}").into(),
        secret: "whsec_sample".into(),
    };
    for environment in Environment::ALL {
        let config = config.clone();
        scene.change(name, environment, |_, _| {
            Ok(manage::set_webhook(Some(config)))
        });
    }
}

fn play(scene: &Scene, name: &str, act: &Act) -> String {
    let _in_runtime = scene.runtime.enter();
    let cell = scene.account(name);
    match act {
        Act::Wait { seconds } => {
            let happened = scene.advance(name, SignedDuration::from_secs(*seconds));
            return format!("{happened:?}\n");
        }
        Act::Freeze(freeze) => {
            let set = if *freeze {
                AccountClock::frozen
            } else {
                AccountClock::running
            };
            scene
                .host
                .set_clock(&cell, set)
                .expect("a memory journal takes all");
        }
        Act::MachineGoesOn { seconds } => {
            scene.machine_goes_on(SignedDuration::from_secs(*seconds));
        }
        Act::TopUp => scene.change(name, Environment::Live, |account, _| {
            manage::top_up(account, Environment::Live, Paise(100))
        }),
        Act::RotateKey => {
            let key = scene.host.rotate_key(&cell, Environment::Test);
            return format!("{:?}\n", key.expect("one key always works").key.name());
        }
        Act::Reset => {
            scene.host.reset(&cell).expect("a memory journal takes all");
            register(scene, name);
        }
        Act::AddScenario => {
            let added = scene.host.add_scenarios(&cell, ADDED);
            return added.unwrap_or_else(|problems| panic!("{problems}"));
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
            return asked.by(name).send().to_string();
        }
    }
    String::new()
}

#[test]
fn leaving_one_account_out_changes_nothing_that_is_seen_of_the_other() {
    let config = Config {
        cases: 60,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&acts(), |acts| {
        prop_assert_eq!(seen(&acts, true), seen(&acts, false));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
