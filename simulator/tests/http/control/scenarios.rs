//! Scenarios that are added while the simulator runs, for one account alone.

use serde_json::json;
use svc_simulator::Environment;
use svc_simulator::engine::state::entry::Change;
use svc_simulator::engine::state::scenarios::AddedFile;

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
    insta::assert_snapshot!(error["mistakes"], @r#"[{"file":"added-1/scenarios.toml","line":3,"column":13,"message":"the operation `verify.identity.pam` is not known","hint":"did you mean `verify.identity.pan`?","snippet":"error: the operation `verify.identity.pam` is not known\n --> added-1/scenarios.toml:3:13\n  |\n3 | operation = \"verify.identity.pam\"\n  |             ^^^^^^^^^^^^^^^^^^^^^\n  |\n  = help: did you mean `verify.identity.pan`?"},{"file":"added-1/scenarios.toml","line":5,"column":1,"message":"`whan` is not known here","hint":"did you mean `when`?","snippet":"error: `whan` is not known here\n --> added-1/scenarios.toml:5:1\n  |\n5 | whan = { pan = \"A\" }\n  | ^^^^\n  |\n  = help: did you mean `when`?"}]"#);
    assert_eq!(ruled.call("svc_test_local_s", PAN, ASHA).status, 200);
    let listed = ruled.get("/control/scenarios?account=local_s").body;
    assert!(!listed.contains("added-"));
}

#[test]
fn a_text_is_checked_with_the_place_of_each_mistake_and_nothing_is_added() {
    let ruled = Ruled::new();
    let check = |toml: &str| {
        let body = json!({ "account": "local", "toml": toml }).to_string();
        ruled.post("/control/scenarios/check", &body).json()
    };
    let good = check(GONE);
    assert_eq!(
        (&good["scenarios"], &good["mistakes"]),
        (&json!(["gone today"]), &json!([]))
    );
    let wrong = check(&GONE.replace("identity.pan", "identity.pam"));
    insta::assert_snapshot!(format!("{:#}", wrong["mistakes"]), @r#"
    [
      {
        "file": "added-1/scenarios.toml",
        "line": 3,
        "column": 13,
        "message": "the operation `verify.identity.pam` is not known",
        "hint": "did you mean `verify.identity.pan`?",
        "snippet": "error: the operation `verify.identity.pam` is not known\n --> added-1/scenarios.toml:3:13\n  |\n3 | operation = \"verify.identity.pam\"\n  |             ^^^^^^^^^^^^^^^^^^^^^\n  |\n  = help: did you mean `verify.identity.pan`?"
      }
    ]
    "#);
    assert_eq!(wrong["scenarios"], json!([]));
    let listed = ruled.get("/control/scenarios?account=local").body;
    assert!(!listed.contains("added-"));
}

#[test]
fn what_contradicts_itself_is_a_mistake_as_for_check_and_is_not_added() {
    let ruled = Ruled::new();
    let rule = |operation: &str, success: &str| {
        format!(
            "[[scenario]]\nname = \"both\"\noperation = \"{operation}\"\nwhen = {{ name = \"A B\" }}\nthen = {{ success = {{ {success} }} }}\n"
        )
    };
    let told = |toml: &str| {
        let body = json!({ "account": "local", "toml": toml }).to_string();
        let checked = ruled.post("/control/scenarios/check", &body).json();
        let added = ruled.post("/control/scenarios", &body).status;
        format!("{} {added}", checked["mistakes"][0]["message"])
    };
    let hits = rule("screen.negative-diligence", "clean = true, matchCount = 2");
    let cases = rule(
        "screen.court-records",
        "verdict = \"CLEAR\", cases_total = 2",
    );
    insta::assert_snapshot!([told(&hits), told(&cases)].join("\n"), @r#"
    "`clean` is set to true and would be false: it contradicts `matchCount`, line 5" 400
    "`verdict` is set to \"CLEAR\" and would be \"RECORDS_FOUND\": it contradicts `cases_total`, line 5" 400
    "#);
}

#[test]
fn added_scenarios_are_rewritten_in_their_place() {
    let ruled = Ruled::new();
    add(&ruled, "local_s", GONE);
    let rewrite = |id: &str, toml: &str| {
        let body = json!({ "account": "local_s", "toml": toml }).to_string();
        ruled.put(&format!("/control/scenarios/{id}"), &body)
    };
    let slow = GONE.replace("SVC_NO_RECORD_FOUND", "SVC_SOURCE_TIMEOUT");
    let rewritten = rewrite("added-1", &slow.replace("gone", "slow"));
    assert_eq!(
        rewritten.json(),
        json!({ "id": "added-1", "scenarios": ["slow today"] })
    );
    let call = || ruled.call("svc_test_local_s", PAN, ASHA).status;
    assert_eq!(call(), 504);
    let refusal = rewrite("added-1", &GONE.replace("then", "than"));
    assert_eq!(refused(&refusal), "400 SCENARIO_MISTAKES");
    assert_eq!(call(), 504, "a text with a mistake changes nothing");
    assert_eq!(refused(&rewrite("added-2", GONE)), "404 SCENARIO_NOT_FOUND");
}

#[test]
fn files_say_how_often_each_rule_decided_and_which_never_did() {
    let ruled = Ruled::new();
    let two = format!(
        "{GONE}\n# Nobody is called so.\n{}",
        GONE.replace("gone today", "never")
            .replace("then =", "when = { pan = \"ZZZPZ9999Z\" }\nthen =",)
    );
    let two = two.replacen("then =", "when = { pan = \"AAAAA0000A\" }\nthen =", 1);
    assert_eq!(add(&ruled, "local_s", &two).status, 201);
    for _ in 0..3 {
        assert_eq!(ruled.call("svc_test_local_s", PAN, ASHA).status, 422);
    }
    let files = ruled.get("/control/scenarios/files?account=local_s").json();
    let first = &files["files"][0];
    assert_eq!(
        *first,
        json!({
            "file": "added-1/scenarios.toml", "added": "added-1", "rules": 2, "never": 1, "fired": 3,
        })
    );
    assert_eq!(files["calls"], 3);
    let file = ruled
        .get("/control/scenarios/file?account=local_s&file=added-1/scenarios.toml")
        .json();
    assert_eq!(file["toml"], *two);
    let rule = |at: usize| (&file["rules"][at]["name"], &file["rules"][at]["fired"]);
    assert_eq!(
        (rule(0), rule(1)),
        (
            (&json!("gone today"), &json!(3)),
            (&json!("never"), &json!(0))
        )
    );
    let own = file["rules"][0]["toml"].as_str().unwrap();
    assert!(
        own.starts_with("[[scenario]]") && own.ends_with("}"),
        "{own}"
    );
    assert_eq!(
        two.lines()
            .nth(file["rules"][1]["line"].as_u64().unwrap() as usize - 1),
        Some("[[scenario]]")
    );
    // Over all accounts, and of the files that everybody has.
    ruled.call("svc_test_local_t", PAN, r#"{"pan": "AAAAA9999A"}"#);
    let all = ruled.get("/control/scenarios/files").json();
    assert_eq!(all["calls"], 4);
    let fired: u64 = all["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["fired"].as_u64().unwrap())
        .sum();
    assert_eq!(fired, 1, "what one account added is no file of all");
    let unknown = ruled.get("/control/scenarios/file?file=nothing.toml");
    assert_eq!(refused(&unknown), "404 SCENARIO_NOT_FOUND");
}

#[test]
fn what_does_not_fit_any_more_is_listed_with_its_mistakes() {
    let ruled = Ruled::new();
    add(&ruled, "local_s", GONE);
    let host = ruled.served.host();
    let cell = host.account("local_s").unwrap().unwrap();
    // As another version may have accepted it.
    let file = AddedFile {
        path: "added-2/scenarios.toml".into(),
        toml: "[[scenario]]\nname = \"of old\"\n".into(),
    };
    let change = Change::ScenariosAdded { file };
    let changed = host.change(&cell, Environment::Test, |_, _| Ok(vec![change.clone()]));
    changed.unwrap();
    assert_eq!(ruled.call("svc_test_local_s", PAN, ASHA).status, 422);
    let listed = ruled.get("/control/scenarios?account=local_s").json();
    let left_out = &listed["leftOut"][0];
    assert_eq!(left_out["added"], "added-2");
    let message = left_out["message"].as_str().unwrap();
    assert!(message.contains("added-2/scenarios.toml:1"), "{message}");
    let removed = ruled.delete("/control/scenarios/added-2?account=local_s");
    assert_eq!(removed.status, 204, "{removed:?}");
    let listed = ruled.get("/control/scenarios?account=local_s").json();
    assert_eq!(listed["leftOut"], serde_json::Value::Null);
}
