//! Accounts: opened, shown, copied, reset, deleted.

use super::{ASHA, PAN, Ruled, SLOW, UAN, refused, whole};

const ORDERS: &str = r#"{"id": "orders", "walletInr": 100, "allowlist": ["127.0.0.0/8"],
    "rateLimit": {"perSecond": 50, "burst": 100},
    "webhook": {"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"}}"#;

#[test]
fn an_account_shows_all_of_itself_but_the_secrets() {
    let ruled = Ruled::new();
    assert_eq!(ruled.post("/control/accounts", ORDERS).status, 201);
    ruled.call("svc_test_orders", UAN, SLOW);
    ruled.call("svc_live_orders", PAN, ASHA);
    let shown = ruled.get("/control/accounts/orders");
    assert!(!shown.body.contains("whsec"));
    insta::assert_snapshot!(whole(&shown), @r#"
    200
    {
      "id": "orders",
      "clock": {
        "now": "2027-01-15T08:00:00.000Z",
        "state": "running",
        "aheadMs": 0
      },
      "keys": [
        {
          "key": "svc_test_orders",
          "environment": "test",
          "state": "active"
        },
        {
          "key": "svc_live_orders",
          "environment": "live",
          "state": "active"
        }
      ],
      "allowlist": [
        "127.0.0.0/8"
      ],
      "rateLimit": {
        "perSecond": 50,
        "burst": 100
      },
      "test": {
        "balance": 0,
        "held": 0,
        "charged": 0,
        "webhook": {
          "url": "http://127.0.0.1:9/hook"
        },
        "calls": {
          "kept": 1,
          "forgotten": 0
        },
        "pending": [
          {
            "verificationId": "svcv_g5ebcrr8dyfc4b8ap836d8cnep",
            "endpoint": "verify.employment.uan",
            "due": "2027-01-15T08:00:25.000Z"
          }
        ],
        "deliveries": {
          "due": 0,
          "delivered": 0,
          "dead": 0,
          "forgotten": 0
        },
        "usage": {
          "calls": 1,
          "completed": 0,
          "noRecord": 0,
          "failed": 0,
          "billed": 0,
          "amount": 0
        }
      },
      "live": {
        "balance": 97.5,
        "held": 0,
        "charged": 2.5,
        "toppedUp": 100,
        "webhook": {
          "url": "http://127.0.0.1:9/hook"
        },
        "calls": {
          "kept": 1,
          "forgotten": 0
        },
        "pending": [],
        "deliveries": {
          "due": 0,
          "delivered": 0,
          "dead": 0,
          "forgotten": 0
        },
        "usage": {
          "calls": 1,
          "completed": 1,
          "noRecord": 0,
          "failed": 0,
          "billed": 1,
          "amount": 2.5
        }
      }
    }
    "#);
}

#[test]
fn every_account_is_listed_with_its_clock_its_wallet_and_its_calls() {
    let ruled = Ruled::new();
    ruled.call("svc_live_local", PAN, ASHA);
    let listed = ruled.get("/control/accounts");
    assert_eq!(listed.status, 200);
    let listed = listed.json();
    let accounts = listed["accounts"].as_array().unwrap();
    let ids: Vec<&str> = accounts.iter().filter_map(|it| it["id"].as_str()).collect();
    insta::assert_snapshot!(ids.join(" "), @"blocked broke local revoked rotated throttled");
    let local = accounts.iter().find(|it| it["id"] == "local").unwrap();
    insta::assert_snapshot!(local, @r#"{"id":"local","now":"2027-01-15T08:00:00.000Z","clock":"running","live":{"balance":99997.5,"held":0,"charged":2.5},"calls":{"test":0,"live":1}}"#);
}

#[test]
fn an_id_that_is_taken_is_not_opened_twice() {
    let ruled = Ruled::new();
    for (id, ending) in [
        ("local", "409 ACCOUNT_EXISTS"),
        ("rotated_old", "409 ACCOUNT_EXISTS"),
        ("a b", "400 INVALID_INPUT"),
        ("", "400 INVALID_INPUT"),
        ("../local", "400 INVALID_INPUT"),
    ] {
        let body = format!(r#"{{"id": "{id}"}}"#);
        assert_eq!(
            refused(&ruled.post("/control/accounts", &body)),
            ending,
            "{id}"
        );
    }
    let long = |length: usize| format!(r#"{{"id": "{}"}}"#, "a".repeat(length));
    assert_eq!(ruled.post("/control/accounts", &long(100)).status, 201);
    assert_eq!(ruled.post("/control/accounts", &long(101)).status, 400);
}

#[test]
fn an_account_named_local_and_more_comes_into_being_at_first_use() {
    let ruled = Ruled::new();
    let worker = "/control/accounts/local_worker7";
    for read in ["", "/clock", "/memory"] {
        let unknown = ruled.get(&format!("{worker}{read}"));
        assert_eq!(refused(&unknown), "404 ACCOUNT_NOT_FOUND", "{read}");
    }
    assert_eq!(refused(&ruled.delete(worker)), "404 ACCOUNT_NOT_FOUND");
    // A request that changes it brings it into being, and so does a call.
    ruled.post(&format!("{worker}/clock"), r#"{"advance": "1s"}"#);
    assert_eq!(ruled.get(worker).status, 200);
    ruled.post(
        "/control/accounts/local%5Fworker8/clock",
        r#"{"advance": "1s"}"#,
    );
    assert_eq!(ruled.get("/control/accounts/local%5Fworker8").status, 200);
    ruled.call("svc_test_local_worker9", PAN, ASHA);
    assert_eq!(ruled.get("/control/accounts/local_worker9").status, 200);
    let unknown = ruled.post("/control/accounts/worker7/clock", r#"{"advance": "1s"}"#);
    assert_eq!(refused(&unknown), "404 ACCOUNT_NOT_FOUND");
    // A key's name that is no account's id is none.
    let old = ruled.get("/control/accounts/rotated_old");
    assert_eq!(refused(&old), "404 ACCOUNT_NOT_FOUND");
    let broken = ruled.get("/control/accounts/%ff");
    assert_eq!(refused(&broken), "400 INVALID_INPUT");
}

#[test]
fn a_copy_has_the_state_and_goes_its_own_way() {
    let ruled = Ruled::new();
    let pending = ruled.call("svc_live_local_a", UAN, SLOW).json();
    let copied = ruled.post("/control/accounts/local_a/fork", r#"{"id": "copy"}"#);
    assert_eq!(copied.status, 201);
    let id = &pending["verificationId"];
    assert_eq!(copied.json()["live"]["pending"][0]["verificationId"], *id);
    assert_eq!(copied.json()["live"]["held"], 40);
    ruled.post("/control/accounts/copy/clock", r#"{"advance": "25s"}"#);
    let charged = |id: &str| {
        let account = ruled.get(&format!("/control/accounts/{id}")).json();
        (
            account["live"]["charged"].clone(),
            account["live"]["held"].clone(),
        )
    };
    assert_eq!(charged("copy"), (40.into(), 0.into()));
    assert_eq!(charged("local_a"), (0.into(), 40.into()));
    assert_eq!(ruled.call("svc_live_copy", PAN, ASHA).status, 200);
    let again = ruled.post("/control/accounts/local_a/fork", r#"{"id": "copy"}"#);
    assert_eq!(refused(&again), "409 ACCOUNT_EXISTS");
}

#[test]
fn a_reset_leaves_no_trace_and_ids_recur() {
    let ruled = Ruled::new();
    let first = ruled.call("svc_live_local_r", PAN, ASHA).json();
    let second = ruled.call("svc_live_local_r", PAN, ASHA).json();
    assert_ne!(first["verificationId"], second["verificationId"]);
    ruled.put(
        "/control/accounts/local_r/webhook",
        r#"{"url": "http://127.0.0.1:9/", "secret": "whsec_sample"}"#,
    );
    let reset = ruled.post("/control/accounts/local_r/reset", "{}").json();
    assert_eq!(reset["live"]["balance"], 100_000);
    assert_eq!(reset["live"]["calls"]["kept"], 0);
    assert_eq!(reset["live"].get("webhook"), None);
    let again = ruled.call("svc_live_local_r", PAN, ASHA).json();
    assert_eq!(again["verificationId"], first["verificationId"]);
}

#[test]
fn a_reset_answers_calls_in_flight() {
    let ruled = Ruled::new();
    let slow = r#"[[scenario]]
        name = "held back"
        operation = "verify.identity.pan"
        then = { success = {}, delay = "1500ms" }"#;
    let body = serde_json::json!({ "account": "local_f", "toml": slow });
    assert_eq!(
        ruled.post("/control/scenarios", &body.to_string()).status,
        201
    );
    std::thread::scope(|scope| {
        let call = scope.spawn(|| ruled.call("svc_live_local_f", PAN, ASHA));
        let held_back = || {
            let account = ruled.get("/control/accounts/local_f").json();
            account["live"]["pending"][0]["waitsFor"] == "answer"
        };
        while !held_back() {
            assert!(!call.is_finished(), "it was not held back");
        }
        let reset = ruled.post("/control/accounts/local_f/reset", "");
        assert_eq!(reset.json()["live"]["pending"], serde_json::json!([]));
        let answer = call.join().unwrap();
        assert_eq!(
            (answer.status, answer.json()["success"].clone()),
            (200, true.into())
        );
        let after = ruled.get("/control/accounts/local_f").json();
        assert_eq!(after["live"]["balance"], 100_000);
        assert_eq!(after["live"]["calls"]["kept"], 0);
        let again = ruled.call("svc_live_local_f", PAN, ASHA).json();
        assert_eq!(again["verificationId"], answer.json()["verificationId"]);
    });
}

#[test]
fn the_key_of_a_deleted_account_is_unknown() {
    let ruled = Ruled::new();
    ruled.post("/control/accounts", r#"{"id": "short-lived"}"#);
    assert_eq!(ruled.call("svc_test_short-lived", PAN, ASHA).status, 200);
    assert_eq!(ruled.delete("/control/accounts/short-lived").status, 204);
    let answer = ruled.call("svc_test_short-lived", PAN, ASHA);
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (401, "SVC_AUTH_INVALID")
    );
    let gone = ruled.delete("/control/accounts/short-lived");
    assert_eq!(refused(&gone), "404 ACCOUNT_NOT_FOUND");
}
