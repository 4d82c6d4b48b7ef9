//! Calls, deliveries, redeliveries, triggers and the audit.

use super::{ASHA, PAN, Ruled, SLOW, UAN, raw, refused, whole};

fn hooked(account: &str) -> Ruled {
    let ruled = Ruled::new();
    let body = r#"{"url": "http://127.0.0.1:9/hook", "secret": "whsec_sample"}"#;
    ruled.put(&format!("/control/accounts/{account}/webhook"), body);
    ruled
}

#[test]
fn a_delivery_tells_where_it_went_and_how_it_was_signed() {
    let ruled = hooked("local_d");
    *ruled.receiver.lock() = 500;
    ruled.call("svc_test_local_d", UAN, SLOW);
    ruled.post("/control/accounts/local_d/clock", r#"{"advance": "25s"}"#);
    let listed = ruled.get("/control/deliveries?account=local_d");
    assert!(!listed.body.contains("whsec"));
    insta::assert_snapshot!(whole(&listed), @r#"
    200
    {
      "deliveries": [
        {
          "id": "dlv_1em6fc4xvp90z2580eee840xb2",
          "verificationId": "svcv_1em6fc4xvp90z2580eee840xb2",
          "environment": "test",
          "state": "due",
          "nextDue": "2027-01-15T08:00:55.000Z",
          "since": "2027-01-15T08:00:25.000Z",
          "attempts": [
            {
              "number": 1,
              "due": "2027-01-15T08:00:25.000Z",
              "why": "schedule",
              "url": "http://127.0.0.1:9/hook",
              "signature": "t=1800000000,v1=16f9f2fca8d90defc6e80e7957aab0bfc1a2e4395771c191ddf35a91892e036a",
              "status": 500,
              "responseExcerpt": ""
            }
          ]
        }
      ]
    }
    "#);
    let id = listed.json()["deliveries"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let one = ruled.get(&format!("/control/deliveries/{id}"));
    insta::assert_snapshot!(whole(&one), @r#"
    200
    {
      "id": "dlv_1em6fc4xvp90z2580eee840xb2",
      "verificationId": "svcv_1em6fc4xvp90z2580eee840xb2",
      "environment": "test",
      "state": "due",
      "nextDue": "2027-01-15T08:00:55.000Z",
      "since": "2027-01-15T08:00:25.000Z",
      "attempts": [
        {
          "number": 1,
          "due": "2027-01-15T08:00:25.000Z",
          "why": "schedule",
          "url": "http://127.0.0.1:9/hook",
          "signature": "t=1800000000,v1=16f9f2fca8d90defc6e80e7957aab0bfc1a2e4395771c191ddf35a91892e036a",
          "signatureBase": "1800000000.{\"success\":true,\"verificationId\":\"svcv_1em6fc4xvp90z2580eee840xb2\",\"referenceId\":null,\"endpoint\":\"verify.employment.uan\",\"status\":\"completed\",\"data\":{\"uan\":\"100000000202\",\"memberName\":\"KAUSHIK BOSE\",\"dateOfBirth\":\"1994-10-13\",\"employmentHistory\":[{\"establishmentId\":\"TRAGT4810832202\",\"establishmentName\":\"YAMUNAKETU SHUBHDEEP AGRO PRIVATE LIMITED\",\"doj\":\"2019-09-07\",\"dol\":\"\",\"designation\":\"MANAGER\",\"memberId\":\"TRAGT48108322020000357\"},{\"establishmentId\":\"TSNZB3302086318\",\"establishmentName\":\"HARIUTSAV MANIUTSAV PHARMA INDIA LIMITED\",\"doj\":\"2014-12-27\",\"dol\":\"2019-08-08\",\"designation\":\"TRAINEE\",\"memberId\":\"TSNZB33020863180000426\"}]},\"billing\":{\"charged\":false,\"amount\":0,\"currency\":\"INR\"},\"meta\":{\"createdAt\":\"2027-01-15T08:00:00.000Z\",\"environment\":\"test\",\"latencyMs\":20000}}",
          "status": 500,
          "responseExcerpt": ""
        }
      ],
      "body": "{\"success\":true,\"verificationId\":\"svcv_1em6fc4xvp90z2580eee840xb2\",\"referenceId\":null,\"endpoint\":\"verify.employment.uan\",\"status\":\"completed\",\"data\":{\"uan\":\"100000000202\",\"memberName\":\"KAUSHIK BOSE\",\"dateOfBirth\":\"1994-10-13\",\"employmentHistory\":[{\"establishmentId\":\"TRAGT4810832202\",\"establishmentName\":\"YAMUNAKETU SHUBHDEEP AGRO PRIVATE LIMITED\",\"doj\":\"2019-09-07\",\"dol\":\"\",\"designation\":\"MANAGER\",\"memberId\":\"TRAGT48108322020000357\"},{\"establishmentId\":\"TSNZB3302086318\",\"establishmentName\":\"HARIUTSAV MANIUTSAV PHARMA INDIA LIMITED\",\"doj\":\"2014-12-27\",\"dol\":\"2019-08-08\",\"designation\":\"TRAINEE\",\"memberId\":\"TSNZB33020863180000426\"}]},\"billing\":{\"charged\":false,\"amount\":0,\"currency\":\"INR\"},\"meta\":{\"createdAt\":\"2027-01-15T08:00:00.000Z\",\"environment\":\"test\",\"latencyMs\":20000}}",
      "account": "local_d",
      "now": "2027-01-15T08:00:25.000Z",
      "planned": [
        "2027-01-15T08:00:55.000Z",
        "2027-01-15T08:02:25.000Z",
        "2027-01-15T08:10:25.000Z",
        "2027-01-15T09:00:25.000Z",
        "2027-01-15T14:00:25.000Z"
      ]
    }
    "#);
    for (query, found) in [
        ("state=due", 1),
        ("state=dead", 0),
        ("environment=live", 0),
        ("limit=1", 1),
    ] {
        let path = format!("/control/deliveries?account=local_d&{query}");
        let found_now = ruled.get(&path).json()["deliveries"]
            .as_array()
            .unwrap()
            .len();
        assert_eq!(found_now, found, "{query}");
    }
}

#[test]
fn a_dead_letter_is_sent_again_by_hand() {
    let ruled = hooked("local_d");
    *ruled.receiver.lock() = 500;
    ruled.call("svc_test_local_d", UAN, SLOW);
    ruled.post(
        "/control/accounts/local_d/clock",
        r#"{"freeze": true, "advance": "7h"}"#,
    );
    let dead = ruled.get("/control/deliveries?account=local_d").json()["deliveries"][0].clone();
    assert_eq!(dead["state"], "dead");
    assert_eq!(dead["attempts"].as_array().unwrap().len(), 6);
    *ruled.receiver.lock() = 204;
    let next = ruled.get("/control/events?account=local_d").json()["next"].clone();
    let id = dead["id"].as_str().unwrap();
    let asked = ruled.post(&format!("/control/deliveries/{id}/redeliver"), "");
    assert_eq!((asked.status, asked.json()["id"].as_str()), (202, Some(id)));
    let path =
        format!("/control/events?account=local_d&kind=deliveryAttempted&from={next}&wait=10s");
    assert_eq!(ruled.get(&path).json()["events"][0]["attempt"], 7);
    let shown = ruled.get(&format!("/control/deliveries/{id}")).json();
    assert_eq!(shown["state"], "delivered");
    assert_eq!(shown["attempts"][6]["why"], "hand");
}

#[test]
fn what_nobody_knows_is_not_found() {
    let ruled = Ruled::new();
    let id = "0123456789abcdefghjkmnpqrs";
    for (answer, ending) in [
        (
            ruled.get(&format!("/control/deliveries/dlv_{id}")),
            "404 DELIVERY_NOT_FOUND",
        ),
        (ruled.get("/control/deliveries/x"), "404 DELIVERY_NOT_FOUND"),
        (
            ruled.post(&format!("/control/deliveries/dlv_{id}/redeliver"), "{}"),
            "404 DELIVERY_NOT_FOUND",
        ),
        (
            ruled.get(&format!("/control/calls/svcv_{id}")),
            "404 VERIFICATION_NOT_FOUND",
        ),
        (ruled.get("/control/calls/x"), "404 VERIFICATION_NOT_FOUND"),
        (
            ruled.get("/control/deliveries?account=nobody"),
            "404 ACCOUNT_NOT_FOUND",
        ),
        (
            ruled.get("/control/calls?account=nobody"),
            "404 ACCOUNT_NOT_FOUND",
        ),
        (
            ruled.get("/control/calls?account=local&before=svcv_0"),
            "400 INVALID_INPUT",
        ),
    ] {
        assert_eq!(refused(&answer), ending, "{answer:?}");
    }
}

#[test]
fn calls_are_listed_newest_first_and_page_by_page() {
    let ruled = Ruled::new();
    let mut ids = Vec::new();
    for name in ["ASHA RAO", "ASHA K RAO", "A RAO"] {
        let body = format!(r#"{{"pan": "AAAAA0000A", "name": "{name}"}}"#);
        let answer = ruled.call("svc_live_local_q", PAN, &body).json();
        ids.insert(0, answer["verificationId"].as_str().unwrap().to_owned());
    }
    ruled.call("svc_test_local_q", PAN, r#"{"pan": "AAAAA9999A"}"#);
    let listed = |query: &str| {
        let path = format!("/control/calls?account=local_q&{query}");
        let calls = ruled.get(&path).json()["calls"].clone();
        let calls = calls.as_array().unwrap().clone();
        let ids = calls
            .iter()
            .filter_map(|it| it["verificationId"].as_str().map(str::to_owned));
        ids.collect::<Vec<_>>()
    };
    assert_eq!(listed("environment=live"), ids);
    assert_eq!(listed("environment=live&limit=2"), ids[..2]);
    assert_eq!(
        listed(&format!("environment=live&limit=2&before={}", ids[1])),
        ids[2..]
    );
    assert_eq!(listed("status=failed").len(), 1);
    assert_eq!(listed("endpoint=verify.employment.uan").len(), 0);
    let failed = ruled.get("/control/calls?account=local_q&status=failed");
    insta::assert_snapshot!(whole(&failed), @r#"
    200
    {
      "calls": [
        {
          "verificationId": "svcv_6cezg4hz939cd93bgqa4kxxfjv",
          "environment": "test",
          "endpoint": "verify.identity.pan",
          "at": "2027-01-15T08:00:00.000Z",
          "status": "failed",
          "httpStatus": 422,
          "code": "SVC_NO_RECORD_FOUND",
          "charged": 0,
          "because": "scenario \"PAN that does not exist\" ((built in) scenarios/universal.toml:5)",
          "request": {
            "method": "POST",
            "path": "/v1/verify/identity/pan",
            "headers": [
              {
                "name": "host",
                "value": "a"
              },
              {
                "name": "authorization",
                "value": "Bearer svc_test_***"
              },
              {
                "name": "content-type",
                "value": "application/json"
              },
              {
                "name": "content-length",
                "value": "21"
              }
            ],
            "body": "{\"pan\": \"AAAAA9999A\"}",
            "bodyBytes": 21,
            "caller": "127.0.0.1",
            "unknownMembers": []
          }
        }
      ],
      "kept": 4,
      "forgotten": 0
    }
    "#);
    let one = ruled.get(&format!("/control/calls/{}", ids[0])).json();
    assert_eq!(
        (one["account"].as_str(), one["charged"].as_f64()),
        (Some("local_q"), Some(2.5))
    );
    assert_eq!(one["envelope"]["verificationId"], ids[0]);
}

#[test]
fn calls_of_one_instant_are_listed_in_the_order_in_which_they_came() {
    let ruled = Ruled::new();
    let listed = || {
        let calls = ruled.get("/control/calls?account=local_o").json()["calls"].clone();
        let of = |it: &serde_json::Value| format!("{} {}", it["endpoint"], it["httpStatus"]);
        calls.as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    for (path, body) in [(PAN, ASHA), (UAN, SLOW), (PAN, "{}"), (PAN, ASHA)] {
        ruled.call("svc_test_local_o", path, body);
    }
    let (pan, uan) = (r#""verify.identity.pan""#, r#""verify.employment.uan""#);
    let lines = |status| {
        [
            format!("{pan} 200"),
            format!("{pan} 400"),
            format!("{uan} {status}"),
            format!("{pan} 200"),
        ]
    };
    assert_eq!(listed(), lines(202));
    // Its place stays the same when it comes to its end.
    ruled.post("/control/accounts/local_o/clock", r#"{"advance": "25s"}"#);
    assert_eq!(listed(), lines(200));
}

#[test]
fn a_webhook_happens_on_demand() {
    let ruled = hooked("local_g");
    let triggered = ruled.post("/control/trigger", r#"{"account": "local_g"}"#);
    insta::assert_snapshot!(whole(&triggered), @r#"
    200
    {
      "verificationId": "svcv_s6bz231x3fp4cf3yn8zxzwt911",
      "deliveryId": "dlv_s6bz231x3fp4cf3yn8zxzwt911"
    }
    "#);
    let attempted = ruled.wait_for("local_g", "deliveryAttempted");
    assert_eq!(attempted["deliveryId"], triggered.json()["deliveryId"]);
    let pending = ruled.call("svc_test_local_g", UAN, SLOW).json();
    let id = pending["verificationId"].as_str().unwrap();
    let body = format!(r#"{{"account": "local_g", "verificationId": "{id}"}}"#);
    assert_eq!(
        ruled.post("/control/trigger", &body).json()["verificationId"],
        id
    );
    let again = ruled.post("/control/trigger", &body);
    assert_eq!(refused(&again), "409 NOT_PENDING");
}

#[test]
fn a_bundle_is_triggered_by_an_input_of_a_step_that_is_pending() {
    let ruled = hooked("local_g");
    for bundle in [
        "bundles.employment-claim-verification",
        "bundles.dynamic-bank-validation",
    ] {
        let body = format!(r#"{{"account": "local_g", "operation": "{bundle}"}}"#);
        let triggered = ruled.post("/control/trigger", &body).json();
        let id = triggered["verificationId"].as_str().expect("an id");
        assert_eq!(
            triggered["deliveryId"],
            id.replace("svcv_", "dlv_"),
            "{triggered}"
        );
    }
}

#[test]
fn a_trigger_says_plainly_when_nothing_is_sent() {
    let ruled = Ruled::new();
    let unheard = ruled.post("/control/trigger", r#"{"account": "local_g"}"#);
    insta::assert_snapshot!(whole(&unheard), @r#"
    200
    {
      "verificationId": "svcv_s6bz231x3fp4cf3yn8zxzwt911",
      "note": "no webhook endpoint is registered for test: the result can be looked up and nothing is sent; PUT /control/accounts/local_g/webhook registers one"
    }
    "#);
    let at_once = r#"{"account": "local_g", "operation": "verify.identity.pan"}"#;
    let at_once = ruled.post("/control/trigger", at_once);
    insta::assert_snapshot!(at_once.json()["note"], @r#""the call was answered at once; only results that were pending are sent""#);
    for (body, ending) in [
        (
            r#"{"account": "local", "operation": "verify.none"}"#,
            "404 OPERATION_NOT_FOUND",
        ),
        (r#"{"account": "revoked"}"#, "409 NO_ACTIVE_KEY"),
        (
            r#"{"account": "broke", "environment": "live"}"#,
            "409 CALL_REFUSED",
        ),
        (
            r#"{"account": "local", "verificationId": "svcv_0123456789abcdefghjkmnpqrs"}"#,
            "404 VERIFICATION_NOT_FOUND",
        ),
        (
            r#"{"account": "local", "operation": "a", "verificationId": "svcv_0123456789abcdefghjkmnpqrs"}"#,
            "400 INVALID_INPUT",
        ),
    ] {
        assert_eq!(
            refused(&ruled.post("/control/trigger", body)),
            ending,
            "{body}"
        );
    }
    // An account that may be used from elsewhere alone is asked from there.
    assert_eq!(
        ruled
            .post("/control/trigger", r#"{"account": "blocked"}"#)
            .status,
        200
    );
}

#[test]
fn every_access_to_a_credit_report_is_in_the_audit() {
    let ruled = Ruled::new();
    let call = |environment: &str| {
        let body = format!(
            r#"{{"account": "local_u", "environment": "{environment}",
                "operation": "verify.financial.credit-report"}}"#
        );
        ruled.post("/control/trigger", &body).json()["verificationId"].clone()
    };
    call("test");
    let id = call("live");
    let path = format!("/v1/verifications/{}", id.as_str().unwrap());
    let key = "Host: a\r\nAuthorization: Bearer svc_live_local_u\r\n";
    let looked_up = raw(ruled.served.addresses.live, "GET", &path, key, "");
    assert_eq!(looked_up.status, 200);
    let audit = ruled.get("/control/audit?account=local_u");
    insta::assert_snapshot!(whole(&audit), @r#"
    200
    {
      "accesses": [
        {
          "verificationId": "svcv_m97acfy17sck0kgzqq05vt9kc0",
          "environment": "live",
          "at": "2027-01-15T08:00:00.000Z",
          "by": "call",
          "retainedUntil": "2034-01-15"
        },
        {
          "verificationId": "svcv_m97acfy17sck0kgzqq05vt9kc0",
          "environment": "live",
          "at": "2027-01-15T08:00:00.000Z",
          "by": "lookUp",
          "retainedUntil": "2034-01-15"
        }
      ]
    }
    "#);
    let test = ruled.get("/control/audit?account=local_u&environment=test");
    assert_eq!(test.body, r#"{"accesses":[]}"#);
}
