//! Calls that the control API makes as an account would.

use serde_json::json;

use super::{ASHA, PAN, Ruled, refused};

fn make(ruled: &Ruled, call: serde_json::Value) -> serde_json::Value {
    ruled.post("/control/calls", &call.to_string()).json()
}

#[test]
fn a_call_that_is_made_is_the_accounts_own() {
    let ruled = Ruled::new();
    let made = make(
        &ruled,
        json!({
            "account": "local_m", "path": PAN, "idempotencyKey": "k1", "referenceId": "r1",
            "body": { "pan": "AAAAA0000A", "name": "Asha Rao" },
        }),
    );
    let direct = ruled.call("svc_test_local_n", PAN, ASHA).json();
    assert_eq!(made["status"], 200);
    assert_eq!(made["answer"]["data"], direct["data"]);
    assert_eq!(
        made["request"]["headers"]["Authorization"],
        "Bearer svc_test_local_m"
    );
    assert_eq!(made["request"]["headers"]["X-Reference-Id"], "r1");
    let url = format!("http://{}{PAN}", ruled.served.addresses.sandbox);
    assert_eq!(made["request"]["url"], url);
    let id = made["answer"]["verificationId"].as_str().unwrap();
    let logged = ruled.get(&format!("/control/calls/{id}")).json();
    assert_eq!(logged["account"], "local_m");
    assert_eq!(logged["envelope"], made["answer"]);
    let again = make(
        &ruled,
        json!({
            "account": "local_m", "path": PAN, "idempotencyKey": "k1",
            "body": { "pan": "AAAAA0000A", "name": "Asha Rao" },
        }),
    );
    assert_eq!(again["headers"]["Idempotent-Replay"], "true");
}

#[test]
fn what_the_service_refuses_is_an_answer_and_what_no_account_can_send_is_not() {
    let ruled = Ruled::new();
    let broken = make(
        &ruled,
        json!({ "account": "local_m", "path": PAN, "text": "{\"pan\": " }),
    );
    assert_eq!(
        (&broken["status"], &broken["answer"]["error"]["code"]),
        (&json!(400), &json!("SVC_INVALID_INPUT"))
    );
    let unknown = make(
        &ruled,
        json!({ "account": "local_m", "path": PAN, "key": "svc_test_nobody", "body": {} }),
    );
    assert_eq!(unknown["status"], 401);
    let usage = make(
        &ruled,
        json!({ "account": "local_m", "path": "/v1/usage?from=2027-01-01", "method": "GET" }),
    );
    // The malformed body reached the operation, the unknown key nothing.
    assert_eq!(usage["answer"]["data"]["totals"]["calls"], 1);
    for body in [
        json!({ "account": "local_m", "path": "v1" }),
        json!({ "account": "local_m", "path": "/v1/a b" }),
        json!({ "account": "local_m", "path": PAN, "text": "", "body": {} }),
        json!({ "account": "local_m", "path": PAN, "method": "PUT" }),
    ] {
        let answer = ruled.post("/control/calls", &body.to_string());
        assert_eq!(refused(&answer), "400 INVALID_INPUT", "{body}");
    }
    let nobody = ruled.post(
        "/control/calls",
        r#"{"account": "nobody", "path": "/v1/usage"}"#,
    );
    assert_eq!(refused(&nobody), "404 ACCOUNT_NOT_FOUND");
}

#[test]
fn an_allowlist_lets_the_control_api_call_from_where_the_account_may() {
    let ruled = Ruled::new();
    ruled.put(
        "/control/accounts/local_m/allowlist",
        r#"{"networks": ["203.0.113.7"]}"#,
    );
    assert_eq!(ruled.call("svc_test_local_m", PAN, ASHA).status, 403);
    let body = json!({ "pan": "AAAAA0000A", "name": "Asha Rao" });
    let made = make(
        &ruled,
        json!({ "account": "local_m", "path": PAN, "body": body }),
    );
    assert_eq!(made["status"], 200);
}
