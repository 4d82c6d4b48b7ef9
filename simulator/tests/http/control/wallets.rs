//! The wallet's history: what was put in, held, taken and given back, with what was in it after each.

use serde_json::{Value, json};

use svc_simulator::engine::state::environment::RetentionLimits;
use svc_simulator::host::memory::MemoryLimits;

use super::{ASHA, PAN, Ruled, SLOW, UAN};

const WALLET: &str = "/control/accounts/local_w/wallet";

/// Kind, amount, and what was in it and held after each, oldest first.
fn entries(ruled: &Ruled) -> Vec<(String, f64, f64, f64)> {
    let wallet = ruled.get(WALLET).json();
    let entries = wallet["entries"].as_array().expect("a list").iter().rev();
    let number = |value: &Value| value.as_f64().expect("a number");
    let entry = |it: &Value| {
        let kind = it["kind"].as_str().expect("a kind").to_owned();
        let [amount, balance, held] = ["amount", "balance", "held"].map(|name| number(&it[name]));
        (kind, amount, balance, held)
    };
    entries.map(entry).collect()
}

#[test]
fn every_rupee_that_moves_is_in_the_history_with_what_was_left() {
    let ruled = Ruled::new();
    ruled.post(WALLET, r#"{"balance": 0}"#);
    ruled.post(WALLET, r#"{"topUp": 50}"#);
    ruled.call("svc_live_local_w", PAN, ASHA);
    ruled.call("svc_live_local_w", PAN, r#"{"pan": "AAAAA0504A"}"#);
    let pending = ruled.call("svc_live_local_w", UAN, SLOW).json();
    let wallet = ruled.get(WALLET).json();
    let held = &wallet["holds"][0];
    assert_eq!(held["verificationId"], pending["verificationId"]);
    assert_eq!(
        (&held["amount"], &held["due"]),
        (&wallet["held"], &json!("2027-01-15T08:00:25.000Z"))
    );
    ruled.post("/control/accounts/local_w/clock", r#"{"next": true}"#);
    ruled.post(WALLET, r#"{"balance": 1}"#);
    let found = entries(&ruled);
    insta::assert_debug_snapshot!(found, @r#"
    [
        (
            "topUp",
            100000.0,
            100000.0,
            0.0,
        ),
        (
            "withdrawal",
            100000.0,
            0.0,
            0.0,
        ),
        (
            "topUp",
            50.0,
            50.0,
            0.0,
        ),
        (
            "hold",
            2.5,
            50.0,
            2.5,
        ),
        (
            "commit",
            2.5,
            47.5,
            0.0,
        ),
        (
            "hold",
            2.5,
            47.5,
            2.5,
        ),
        (
            "release",
            2.5,
            47.5,
            0.0,
        ),
        (
            "hold",
            40.0,
            47.5,
            40.0,
        ),
        (
            "commit",
            40.0,
            7.5,
            0.0,
        ),
        (
            "withdrawal",
            6.5,
            1.0,
            0.0,
        ),
    ]
    "#);
    // Each line follows from the one before it.
    for pair in found.windows(2) {
        let ((_, _, balance, held), (kind, amount, after, held_after)) = (&pair[0], &pair[1]);
        let (more, more_held) = match kind.as_str() {
            "topUp" => (*amount, 0.0),
            "withdrawal" => (-amount, 0.0),
            "hold" => (0.0, *amount),
            "commit" => (-amount, -amount),
            _ => (0.0, -amount),
        };
        assert!((balance + more - after).abs() < 0.001, "{pair:?}");
        assert!((held + more_held - held_after).abs() < 0.001, "{pair:?}");
    }
    let wallet = ruled.get(WALLET).json();
    assert_eq!(
        (&wallet["balance"], &wallet["held"]),
        (&json!(1), &json!(0))
    );
    let last = &wallet["entries"][1];
    assert_eq!(last["verificationId"], pending["verificationId"]);
    assert_eq!(last["endpoint"], "verify.employment.uan");
    // What was done by hand and in the sandbox holds nothing.
    assert_eq!(wallet["holds"], json!([]));
    ruled.call("svc_test_local_w", PAN, ASHA);
    assert_eq!(entries(&ruled), found);
}

#[test]
fn the_history_is_bounded_like_the_call_log_and_says_what_it_forgot() {
    let limits = MemoryLimits {
        retention: RetentionLimits {
            calls: 4,
            ..RetentionLimits::DEFAULT
        },
        ..MemoryLimits::default()
    };
    let ruled = Ruled::with(|builder| builder.memory_limits(limits));
    ruled.post(WALLET, r#"{"topUp": 500}"#);
    for at in 0..6 {
        ruled.call(
            "svc_live_local_w",
            PAN,
            &format!(r#"{{"pan": "AAAAP{at}000A"}}"#),
        );
        ruled.call(
            "svc_live_local_w",
            PAN,
            &format!(r#"{{"pan": "AAAAP100{at}A"}}"#),
        );
    }
    let wallet = ruled.get(&format!("{WALLET}?limit=2")).json();
    assert_eq!(
        wallet["entries"].as_array().expect("a list").len(),
        4,
        "each holds and charges"
    );
    assert!(
        wallet["forgotten"].as_u64().expect("a count") >= 3,
        "{wallet}"
    );
    assert_eq!(wallet["entries"][0]["balance"], wallet["balance"]);
    ruled.post("/control/accounts/local_w/reset", "");
    let anew = ruled.get(WALLET).json();
    assert_eq!(
        (&anew["forgotten"], anew["entries"].as_array().map(Vec::len)),
        (&json!(0), Some(1))
    );
}
