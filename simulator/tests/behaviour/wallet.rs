//! Money on live.

use std::panic::{AssertUnwindSafe, catch_unwind};

use svc_fixtures::contract::{Environment, Paise};
use svc_simulator::engine::state::account::Account;
use svc_simulator::engine::state::entry::{Change, Entry};

use crate::scene::{Money, Scene, UAN};

const EDGE: &str = r#"
    [[account]]
    id = "edge"
    live_wallet_inr = 5.25
"#;

fn pan(scene: &Scene, pan: &str) -> String {
    let body = format!(r#"{{"pan": "{pan}"}}"#);
    scene.pan(&body).live().by("edge").outcome()
}

#[test]
fn a_wallet_covers_what_it_can_and_not_a_paisa_more() {
    let scene = Scene::with_accounts(EDGE);
    assert_eq!(pan(&scene, "AAAAA0000A"), "200 completed");
    assert_eq!(pan(&scene, "AAAAA0422A"), "422 SVC_NO_RECORD_FOUND");
    assert_eq!(
        scene.wallet("edge"),
        Money {
            balance: Paise(25),
            held: Paise(0),
            charged: Paise(500)
        }
    );
    assert_eq!(pan(&scene, "AAAAA0000A"), "402 SVC_INSUFFICIENT_BALANCE");
    insta::assert_snapshot!(scene.pan(r#"{"pan": "AAAAA0000A"}"#).live().by("edge").send(), @r#"
    402
    {
      "success": false,
      "verificationId": "svcv_dsa3ff3cb0gvnzfj2g8yqr1jah",
      "referenceId": null,
      "endpoint": "verify.identity.pan",
      "status": "failed",
      "error": {
        "code": "SVC_INSUFFICIENT_BALANCE",
        "message": "the wallet does not cover the 2.5 INR of this call; no source was contacted and nothing was charged",
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
}

#[test]
fn failures_of_the_source_are_free() {
    let scene = Scene::with_accounts(EDGE);
    for status in ["500", "502", "503", "504"] {
        pan(&scene, &format!("AAAAA0{status}A"));
    }
    assert_eq!(
        scene.wallet("edge"),
        Money {
            balance: Paise(525),
            held: Paise(0),
            charged: Paise(0)
        }
    );
}

#[test]
fn the_sandbox_needs_no_money() {
    let scene = Scene::new();
    let answer = scene.pan(r#"{"pan": "AAAAA0000A"}"#).by("broke").send();
    assert_eq!(
        answer.at("billing"),
        r#"{"charged":false,"amount":0,"currency":"INR"}"#
    );
}

#[test]
fn an_open_hold_is_not_there_for_other_calls() {
    let scene = Scene::with_accounts(
        r#"
        [[account]]
        id = "edge"
        live_wallet_inr = 42
        "#,
    );
    let pending = scene
        .post(UAN, r#"{"uan": "100000000202"}"#)
        .live()
        .by("edge")
        .send();
    assert_eq!(pending.outcome(), "202 pending");
    assert_eq!(
        scene.wallet("edge"),
        Money {
            balance: Paise(4200),
            held: Paise(4000),
            charged: Paise(0)
        }
    );
    assert_eq!(
        pan(&scene, "AAAAA0000A"),
        "402 SVC_INSUFFICIENT_BALANCE",
        "2 of 42 are free, 2.50 are needed"
    );
}

#[test]
fn an_entry_that_takes_money_for_no_verification_is_never_applied_in_silence() {
    let scene = Scene::new();
    for (changes, breaks) in [
        (vec![], false),
        (
            vec![Change::HoldSettled {
                amount: Paise::ZERO,
                charged: Paise(100),
            }],
            true,
        ),
        (vec![Change::HoldOpened { amount: Paise(1) }], true),
    ] {
        let mut account = scene.account("local").read(Account::clone);
        let entry = Entry {
            at: account.clock.read(scene.host.now()),
            environment: Environment::Live,
            changes,
        };
        let applied = catch_unwind(AssertUnwindSafe(|| account.apply(entry)));
        assert_eq!(applied.is_err(), breaks);
    }
}
