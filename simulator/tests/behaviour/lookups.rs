//! Look-up of verifications and usage.

use crate::scene::{PAN, Scene, UAN};

#[test]
fn any_call_that_reached_the_account_can_be_looked_up() {
    let scene = Scene::new();
    let calls = [
        scene.pan(r#"{"pan": "AAAAA0000A"}"#).send(),
        scene.pan(r#"{"pan": "AAAAA9999A"}"#).send(),
        scene.pan("{").send(),
        scene.post("/v1/nothing", "{}").send(),
        scene
            .pan(r#"{"pan": "AAAAA0000A"}"#)
            .method("DELETE")
            .send(),
    ];
    for call in calls {
        let path = format!("/v1/verifications/{}", call.id());
        let found = scene.get(&path).send();
        assert_eq!((found.0.status, &found.0.body), (200, &call.0.body));
    }
}

#[test]
fn what_is_not_this_accounts_is_not_found() {
    let scene = Scene::new();
    let call = scene.pan(r#"{"pan": "AAAAA0000A"}"#).send();
    let path = format!("/v1/verifications/{}", call.id());
    assert_eq!(
        scene.get(&path).by("local_b").outcome(),
        "404 SVC_NOT_FOUND"
    );
    assert_eq!(scene.get(&path).live().outcome(), "404 SVC_NOT_FOUND");
    for id in ["svcv_00000000000000000000000000", "svcv_", "x", "svcv_%00"] {
        let path = format!("/v1/verifications/{id}");
        assert_eq!(scene.get(&path).outcome(), "404 SVC_NOT_FOUND", "{id}");
    }
}

#[test]
fn usage_counts_each_endpoint_and_adds_up() {
    let scene = Scene::new();
    for pan in ["AAAAA0000A", "AAAAA9999A", "AAAAA0503A", "bad"] {
        scene
            .post(PAN, &format!(r#"{{"pan": "{pan}"}}"#))
            .live()
            .idempotency(pan)
            .send();
        scene
            .post(PAN, &format!(r#"{{"pan": "{pan}"}}"#))
            .live()
            .idempotency(pan)
            .send();
    }
    scene.post(UAN, r#"{"uan": "100000000001"}"#).live().send();
    insta::assert_snapshot!(scene.get("/v1/usage").live().send(), @r#"
    200
    {
      "success": true,
      "verificationId": "svcv_9kkcy14ab42krcsgxs2kbf4ek2",
      "referenceId": null,
      "endpoint": "usage",
      "status": "completed",
      "data": {
        "endpoints": [
          {
            "endpoint": "verify.employment.uan",
            "calls": 1,
            "completed": 1,
            "noRecord": 0,
            "failed": 0,
            "billed": 1,
            "amount": 40
          },
          {
            "endpoint": "verify.identity.pan",
            "calls": 5,
            "completed": 1,
            "noRecord": 1,
            "failed": 3,
            "billed": 2,
            "amount": 5
          }
        ],
        "totals": {
          "calls": 6,
          "completed": 2,
          "noRecord": 1,
          "failed": 3,
          "billed": 3,
          "amount": 45
        },
        "walletBalance": 99955
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
    let none = scene.get("/v1/usage?to=2027-01-14").live().send();
    assert_eq!(none.at("data.totals.calls"), "0");
    assert_eq!(
        scene.get("/v1/usage?from=soon").outcome(),
        "400 SVC_INVALID_INPUT"
    );
}
