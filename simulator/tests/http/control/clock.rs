//! Clocks: moved through what falls due, stopped, let run; never back.

use super::{Ruled, SLOW, UAN, refused, whole};

const CLOCK: &str = "/control/accounts/local_c/clock";

#[test]
fn moving_a_clock_does_what_falls_due_and_tells_it() {
    let ruled = Ruled::new();
    ruled.put(
        "/control/accounts/local_c/webhook",
        r#"{"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"}"#,
    );
    *ruled.receiver.lock() = 503;
    ruled.call("svc_test_local_c", UAN, SLOW);
    let moved = ruled.post(CLOCK, r#"{"advance": "30s"}"#);
    insta::assert_snapshot!(whole(&moved), @r#"
    200
    {
      "now": "2027-01-15T08:00:30.000Z",
      "state": "running",
      "happened": [
        {
          "at": "2027-01-15T08:00:25.000Z",
          "environment": "test",
          "kind": "resultReady",
          "verificationId": "svcv_a2h08e5yd40ps56ntamqrn0sjs",
          "deliveryId": "dlv_a2h08e5yd40ps56ntamqrn0sjs",
          "status": "completed",
          "delivers": true
        },
        {
          "at": "2027-01-15T08:00:25.000Z",
          "environment": "test",
          "kind": "deliveryAttempted",
          "verificationId": "svcv_a2h08e5yd40ps56ntamqrn0sjs",
          "deliveryId": "dlv_a2h08e5yd40ps56ntamqrn0sjs",
          "httpStatus": 503,
          "attempt": 1,
          "state": "due"
        }
      ]
    }
    "#);
    let there = ruled.post(CLOCK, r#"{"set": "2027-01-15T08:00:54.999Z"}"#);
    assert_eq!(there.json()["happened"], serde_json::json!([]));
    *ruled.receiver.lock() = 204;
    let then = ruled.post(CLOCK, r#"{"advance": "1ms"}"#).json();
    assert_eq!(then["happened"][0]["state"], "delivered");
}

#[test]
fn a_clock_never_goes_back() {
    let ruled = Ruled::new();
    let now = r#"{"set": "2027-01-15T08:00:00Z"}"#;
    assert_eq!(ruled.post(CLOCK, now).status, 200);
    let before = ruled.post(CLOCK, r#"{"set": "2027-01-15T07:59:59.999Z"}"#);
    insta::assert_snapshot!(whole(&before), @r#"
    400
    {
      "error": {
        "code": "CLOCK_BACKWARDS",
        "message": "an account's clock never goes back; it shows 2027-01-15T08:00:00Z; a fresh account begins at the machine's time"
      }
    }
    "#);
    assert_eq!(ruled.post(CLOCK, r#"{"advance": "0s"}"#).status, 200);
    ruled.post(CLOCK, r#"{"freeze": true, "set": "2027-01-15T07:59:59Z"}"#);
    assert_eq!(ruled.get(CLOCK).json()["state"], "running");
}

#[test]
fn a_clock_is_stopped_before_it_is_moved_and_runs_after() {
    let ruled = Ruled::new();
    ruled.post(CLOCK, r#"{"advance": "0s"}"#);
    let shows = || ruled.get(CLOCK).body;
    insta::assert_snapshot!(shows(), @r#"{"now":"2027-01-15T08:00:00.000Z","state":"running"}"#);
    let frozen = ruled.post(CLOCK, r#"{"freeze": true}"#);
    insta::assert_snapshot!(frozen.body, @r#"{"now":"2027-01-15T08:00:00.000Z","state":"frozen","happened":[]}"#);
    ruled.post(CLOCK, r#"{"advance": "6h"}"#);
    insta::assert_snapshot!(shows(), @r#"{"now":"2027-01-15T14:00:00.000Z","state":"frozen"}"#);
    let both = ruled.post(CLOCK, r#"{"set": "2031-01-01T00:00:00Z", "freeze": false}"#);
    insta::assert_snapshot!(both.body, @r#"{"now":"2031-01-01T00:00:00.000Z","state":"running","happened":[]}"#);
    let account = ruled.get("/control/accounts/local_c").json();
    assert!(account["clock"]["aheadMs"].as_i64().unwrap() > 0);
    let other = ruled.get("/control/accounts/local/clock").json();
    assert_eq!(other["now"], "2027-01-15T08:00:00.000Z");
}

#[test]
fn a_change_that_is_none_or_two_is_refused() {
    let ruled = Ruled::new();
    for body in [
        "{}",
        r#"{"advance": "1s", "set": "2031-01-01T00:00:00Z"}"#,
        r#"{"advance": "soon"}"#,
        r#"{"advance": "36526d"}"#,
        r#"{"advance": 5}"#,
        r#"{"set": "2031-01-01"}"#,
        r#"{"set": "+123456-01-01T00:00:00Z"}"#,
        r#"{"freeze": "yes"}"#,
    ] {
        assert_eq!(
            refused(&ruled.post(CLOCK, body)),
            "400 INVALID_INPUT",
            "{body}"
        );
    }
    // Nothing of it was done.
    assert_eq!(ruled.get(CLOCK).json()["now"], "2027-01-15T08:00:00.000Z");
}
