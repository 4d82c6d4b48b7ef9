//! Scenarios that are added while the simulator runs, for one account alone.

use serde_json::json;

use super::{ASHA, PAN, Ruled, refused, whole};

const GONE: &str = r#"[[scenario]]
name = "gone today"
operation = "verify.identity.pan"
then = { error = "SVC_NO_RECORD_FOUND" }
"#;

fn add(ruled: &Ruled, account: &str, toml: &str) -> crate::client::Answer {
    let body = json!({ "account": account, "toml": toml });
    ruled.post("/control/scenarios", &body.to_string())
}

#[test]
fn an_added_scenario_acts_for_its_account_until_it_is_taken_away() {
    let ruled = Ruled::new();
    let added = add(&ruled, "local_s", GONE);
    insta::assert_snapshot!(whole(&added), @r#"
    201
    {
      "id": "added-1",
      "scenarios": [
        "gone today"
      ]
    }
    "#);
    let call = |name: &str| ruled.call(&format!("svc_test_{name}"), PAN, ASHA).status;
    assert_eq!((call("local_s"), call("local_t")), (422, 200));
    let listed = ruled.get("/control/scenarios?account=local_s").json();
    insta::assert_snapshot!(listed["scenarios"][0], @r#"{"name":"gone today","operations":["verify.identity.pan"],"file":"added-1/scenarios.toml","line":1,"order":0,"added":"added-1"}"#);
    let everybody = ruled.get("/control/scenarios").json();
    let of = |listed: &serde_json::Value| listed["scenarios"].as_array().unwrap().len();
    assert_eq!(of(&listed), of(&everybody) + 1);
    let other = ruled.delete("/control/scenarios/added-1?account=local_t");
    assert_eq!(refused(&other), "404 SCENARIO_NOT_FOUND");
    let removed = ruled.delete("/control/scenarios/added-1?account=local_s");
    assert_eq!((removed.status, call("local_s")), (204, 200));
    let again = ruled.delete("/control/scenarios/added-1?account=local_s");
    assert_eq!(refused(&again), "404 SCENARIO_NOT_FOUND");
}

#[test]
fn an_input_is_explained_as_it_is_answered_for_its_account() {
    let ruled = Ruled::new();
    add(&ruled, "local_s", GONE);
    let explained = |account: &str, operation: &str| {
        let body = json!({ "account": account, "operation": operation, "environment": "live" });
        ruled.post("/control/explain", &body.to_string())
    };
    let explanation = explained("local_s", "verify.identity.pan").json();
    assert_eq!(explanation["decides"]["name"], "gone today");
    assert_eq!(explanation["answer"]["outcome"], "SVC_NO_RECORD_FOUND");
    // Nothing was called: the next call is the account's first.
    let calls = ruled.get("/control/calls?account=local_s").json();
    assert_eq!(calls["calls"], json!([]));
    let explanation = explained("local_t", "verify.identity.pan").json();
    assert_eq!(explanation["decides"]["name"], "PAN that exists");
    assert_eq!(explanation["answer"]["status"], 200);
    let unknown = explained("local_t", "verify.identity.pam");
    assert_eq!(refused(&unknown), "404 OPERATION_NOT_FOUND");
}

#[test]
fn the_newest_wins_and_may_have_the_same_names() {
    let ruled = Ruled::new();
    add(&ruled, "local_s", GONE);
    let newer = GONE.replace("SVC_NO_RECORD_FOUND", "SVC_SOURCE_TIMEOUT");
    assert_eq!(add(&ruled, "local_s", &newer).json()["id"], "added-2");
    assert_eq!(ruled.call("svc_test_local_s", PAN, ASHA).status, 504);
    ruled.delete("/control/scenarios/added-2?account=local_s");
    assert_eq!(ruled.call("svc_test_local_s", PAN, ASHA).status, 422);
}

#[test]
fn every_mistake_is_reported_with_its_line_and_nothing_is_added() {
    let ruled = Ruled::new();
    let wrong = GONE.replace("identity.pan", "identity.pam") + "whan = { pan = \"A\" }\n";
    let refusal = add(&ruled, "local_s", &wrong);
    assert_eq!(refused(&refusal), "400 SCENARIO_MISTAKES");
    let error = &refusal.json()["error"];
    insta::assert_snapshot!(error["message"].as_str().unwrap(), @r#"
    error: the operation `verify.identity.pam` is not known
     --> added-1/scenarios.toml:3:13
      |
    3 | operation = "verify.identity.pam"
      |             ^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `verify.identity.pan`?

    error: `whan` is not known here
     --> added-1/scenarios.toml:5:1
      |
    5 | whan = { pan = "A" }
      | ^^^^
      |
      = help: did you mean `when`?

    2 mistakes found
    "#);
    insta::assert_snapshot!(error["mistakes"], @r#"[{"line":3,"message":"the operation `verify.identity.pam` is not known"},{"line":5,"message":"`whan` is not known here"}]"#);
    assert_eq!(ruled.call("svc_test_local_s", PAN, ASHA).status, 200);
    let listed = ruled.get("/control/scenarios?account=local_s").body;
    assert!(!listed.contains("added-"));
}
