//! What is still to come of an account, and its clock moved to the next of it.

use serde_json::{Value, json};

use super::{PAN, Ruled, SLOW, UAN, refused};

const CLOCK: &str = "/control/accounts/local_c/clock";
const TIMELINE: &str = "/control/accounts/local_c/timeline";

/// An account with a pending result, and with a receiver that takes nothing.
fn pending() -> Ruled {
    let ruled = Ruled::new();
    ruled.put(
        "/control/accounts/local_c/webhook",
        r#"{"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"}"#,
    );
    *ruled.receiver.lock() = 503;
    ruled.call("svc_test_local_c", UAN, SLOW);
    ruled
}

/// The kinds of what is due, with when.
fn due(ruled: &Ruled) -> Vec<(String, String)> {
    let timeline = ruled.get(TIMELINE).json();
    let due = timeline["due"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    due.map(|it| (text(&it["at"]), text(&it["kind"]))).collect()
}

#[test]
fn the_timeline_says_what_the_clock_will_bring_and_a_move_brings_just_that() {
    let ruled = pending();
    let timeline = ruled.get(TIMELINE).json();
    insta::assert_snapshot!(format!("{timeline:#}"), @r#"
    {
      "now": "2027-01-15T08:00:00.000Z",
      "state": "running",
      "due": [
        {
          "at": "2027-01-15T08:00:25.000Z",
          "environment": "test",
          "kind": "resultReady",
          "verificationId": "svcv_a2h08e5yd40ps56ntamqrn0sjs",
          "endpoint": "verify.employment.uan"
        }
      ],
      "more": 0,
      "waiting": []
    }
    "#);
    // Each step goes to what the timeline has first, and tells it.
    for (at, kind) in [
        ("2027-01-15T08:00:25.000Z", "resultReady"),
        ("2027-01-15T08:00:55.000Z", "deliveryAttempted"),
        ("2027-01-15T08:02:25.000Z", "deliveryAttempted"),
    ] {
        assert_eq!(due(&ruled)[0], (at.to_owned(), kind.to_owned()));
        let moved = ruled.post(CLOCK, r#"{"next": true}"#).json();
        assert_eq!(moved["now"], at);
        assert_eq!(moved["happened"][0]["kind"], kind);
        assert_eq!(moved["happened"][0]["at"], at);
    }
}

#[test]
fn where_nothing_is_due_the_clock_does_not_even_stop() {
    let ruled = Ruled::new();
    ruled.post(CLOCK, r#"{"advance": "0s"}"#);
    let refusal = ruled.post(CLOCK, r#"{"next": true, "freeze": true}"#);
    assert_eq!(refused(&refusal), "409 NOTHING_DUE");
    let shown = ruled.get(TIMELINE).json();
    assert_eq!(
        (&shown["state"], &shown["due"]),
        (&json!("running"), &json!([]))
    );
    for body in [
        r#"{"next": false}"#,
        r#"{"next": true, "advance": "1s"}"#,
        r#"{"next": true, "set": "2031-01-01T00:00:00Z"}"#,
    ] {
        assert_eq!(
            refused(&ruled.post(CLOCK, body)),
            "400 INVALID_INPUT",
            "{body}"
        );
    }
}

#[test]
fn keys_that_end_and_idempotency_keys_that_lapse_are_due_too() {
    let ruled = Ruled::new();
    let rotated = ruled.post(
        "/control/accounts/local_c/keys/rotate",
        r#"{"environment": "test"}"#,
    );
    let call = json!({
        "account": "local_c", "path": PAN, "idempotencyKey": "order-7",
        "body": { "pan": "AAAAA0000A", "name": "Asha Rao" },
    });
    assert_eq!(ruled.post("/control/calls", &call.to_string()).status, 200);
    let kinds: Vec<String> = due(&ruled).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, ["keyEnded", "idempotencyKeyLapsed"]);
    let shown = ruled.get(TIMELINE).json();
    assert_eq!(shown["due"][0]["key"], rotated.json()["replaces"]["key"]);
    assert_eq!(shown["due"][0]["at"], rotated.json()["replaces"]["until"]);
    assert_eq!(shown["due"][1]["key"], "order-7");
    let first = ruled.get(&format!("{TIMELINE}?limit=1")).json();
    assert_eq!(
        (first["due"].as_array().unwrap().len(), &first["more"]),
        (1, &json!(1))
    );
}
