//! Pending consents: listed, and decided in a person's place as the consent page does.

use serde_json::{Value, json};

use super::{LOCAL, Ruled, raw, refused};

const START: &str = "/v1/verify/document/digilocker/start";
const BACK: &str = "https://app.example/return?a=b#c";

/// A call that asks a person. Gives its id.
fn start(ruled: &Ruled, key: &str) -> String {
    let body = json!({"redirectUrl": BACK, "requestedDocs": ["PAN", "<script>"]}).to_string();
    let answer = ruled.call(key, START, &body).json();
    answer["verificationId"]
        .as_str()
        .expect("it is pending")
        .to_owned()
}

fn listed(ruled: &Ruled, query: &str) -> Vec<Value> {
    let list = ruled.get(&format!("/control/consents{query}")).json();
    list["consents"].as_array().expect("a list of them").clone()
}

fn decide(ruled: &Ruled, id: &str, decision: &str) -> crate::client::Answer {
    let body = json!({ "decision": decision }).to_string();
    ruled.post(&format!("/control/consents/{id}"), &body)
}

#[test]
fn what_is_asked_is_listed_with_its_link_until_it_is_decided() {
    let ruled = Ruled::new();
    let allowed = start(&ruled, "svc_test_local");
    let refused_id = start(&ruled, "svc_live_local");
    ruled.post("/control/accounts/local_b/clock", r#"{"advance": "1h"}"#);
    start(&ruled, "svc_test_local_b");
    let of = |query: &str| listed(&ruled, query).len();
    assert_eq!(
        [
            of(""),
            of("?account=local"),
            of("?account=local&environment=live"),
            of("?environment=test")
        ],
        [3, 2, 1, 2]
    );
    let first = listed(&ruled, "?account=local&environment=test").remove(0);
    assert_eq!(first["verificationId"], *allowed);
    assert_eq!(first["documents"], json!(["PAN", "<script>"]));
    assert_eq!(
        (&first["redirect"], &first["since"]),
        (&json!(BACK), &json!("2027-01-15T08:00:00.000Z"))
    );
    // The link is the page's own.
    let link = first["link"].as_str().unwrap();
    let sandbox = ruled.served.addresses.sandbox;
    let path = link.strip_prefix(&format!("http://{sandbox}")).unwrap();
    assert_eq!(raw(sandbox, "GET", path, LOCAL, "").status, 200);

    let decided = decide(&ruled, &allowed, "allow").json();
    assert_eq!(decided["status"], "completed");
    assert_eq!(
        decided["redirect"],
        format!("https://app.example/return?a=b&verificationId={allowed}&status=completed#c")
    );
    assert_eq!(
        raw(sandbox, "GET", path, LOCAL, "").status,
        410,
        "the page knows"
    );
    let decided = decide(&ruled, &refused_id, "refuse").json();
    assert_eq!(
        (&decided["status"], decided["code"].is_string()),
        (&json!("failed"), true)
    );
    assert_eq!((of(""), of("?account=local")), (1, 0));
    assert_eq!(
        refused(&decide(&ruled, &allowed, "refuse")),
        "409 NOT_PENDING"
    );
    let call = ruled.get(&format!("/control/calls/{allowed}")).json();
    assert_eq!(
        call["status"], "completed",
        "the second decision changed nothing"
    );
}

#[test]
fn what_asks_nobody_is_not_decided() {
    let ruled = Ruled::new();
    let answer = ruled.call("svc_test_local", super::UAN, super::SLOW).json();
    let slow = answer["verificationId"].as_str().unwrap();
    assert_eq!(
        refused(&decide(&ruled, slow, "allow")),
        "404 VERIFICATION_NOT_FOUND"
    );
    assert_eq!(
        refused(&decide(&ruled, "svcv_1", "allow")),
        "404 VERIFICATION_NOT_FOUND"
    );
    let asking = start(&ruled, "svc_test_local");
    assert_eq!(
        refused(&decide(&ruled, &asking, "perhaps")),
        "400 INVALID_INPUT"
    );
    assert_eq!(listed(&ruled, "").len(), 1);
}

#[test]
fn a_copy_is_decided_where_it_is_meant() {
    let ruled = Ruled::new();
    let id = start(&ruled, "svc_test_local");
    ruled.post("/control/accounts/local/fork", r#"{"id": "alpha"}"#);
    let body = json!({ "account": "local", "decision": "allow" }).to_string();
    assert_eq!(
        ruled.post(&format!("/control/consents/{id}"), &body).status,
        200
    );
    let left = listed(&ruled, "");
    assert_eq!((left.len(), &left[0]["account"]), (1, &json!("alpha")));
}
