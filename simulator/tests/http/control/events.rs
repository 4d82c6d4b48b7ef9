//! Waiting for what happens.

use super::{ASHA, PAN, Ruled, SLOW, UAN, refused, whole};

#[test]
fn what_happened_is_answered_at_once() {
    let ruled = Ruled::new();
    ruled.call("svc_test_local_e", PAN, ASHA);
    ruled.post("/control/accounts/local_e/wallet", r#"{"topUp": 1}"#);
    let answer = ruled.get("/control/events?account=local_e");
    insta::assert_snapshot!(whole(&answer), @r#"
    200
    {
      "events": [
        {
          "seq": 0,
          "at": "2027-01-15T08:00:00.000Z",
          "environment": "test",
          "kind": "callAnswered",
          "verificationId": "svcv_2t75851dkh20k0kn48ergb4wtf",
          "status": "completed",
          "httpStatus": 200
        },
        {
          "seq": 1,
          "at": "2027-01-15T08:00:00.000Z",
          "environment": "live",
          "kind": "accountChanged"
        }
      ],
      "next": 2,
      "missed": false
    }
    "#);
    let rest = ruled.get("/control/events?account=local_e&from=1").json();
    assert_eq!(rest["events"][0]["kind"], "accountChanged");
    let none = ruled
        .get("/control/events?account=local_e&kind=clockSet")
        .json();
    assert_eq!(
        (none["events"].clone(), none["next"].clone()),
        (serde_json::json!([]), 2.into())
    );
}

#[test]
fn whoever_waits_is_answered_when_it_happens() {
    let ruled = Ruled::new();
    let pending = ruled.call("svc_test_local_e", UAN, SLOW).json();
    let id = pending["verificationId"].as_str().unwrap();
    let path = format!("/control/events?account=local_e&verificationId={id}&from=1&wait=10s");
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| ruled.get(&path));
        // Somebody else's events are not what is waited for.
        ruled.call("svc_test_local_e", PAN, ASHA);
        ruled.post("/control/accounts/local_e/clock", r#"{"advance": "25s"}"#);
        let heard = waits.join().unwrap().json();
        assert_eq!(heard["events"].as_array().unwrap().len(), 1);
        assert_eq!(heard["events"][0]["kind"], "resultReady");
    });
}

#[test]
fn nobody_waits_longer_than_was_asked() {
    let ruled = Ruled::new();
    let empty = ruled.get("/control/events?account=local&wait=20ms");
    insta::assert_snapshot!(empty.body, @r#"{"events":[],"next":0,"missed":false}"#);
    let long = ruled.get("/control/events?account=local&wait=60001ms");
    assert_eq!(refused(&long), "400 INVALID_INPUT");
}

#[test]
fn nobody_waits_for_a_simulator_that_stops() {
    let ruled = Ruled::new();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| ruled.get("/control/events?account=local&wait=60s"));
        // On a machine that is busy its thread may not even have begun.
        let waiting = || ruled.get("/control/memory").json()["shares"]["waits"]["taken"].clone();
        while waiting() != 1 {
            assert!(!waits.is_finished(), "it did not wait");
            std::thread::yield_now();
        }
        ruled.served.close();
        assert_eq!(waits.join().unwrap().status, 200);
    });
}
