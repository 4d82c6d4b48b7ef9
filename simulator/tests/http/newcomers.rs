//! What somebody meets who begins: hints where a name is wrong, strictness and latency when they are asked for, rules that
//! look at any header, and all accounts set back at once.

use super::client::Answer;
use super::control::{ASHA, LOCAL_JSON, PAN, Ruled, UAN, whole};
use svc_simulator::engine::call::call_settings::UnknownMembers;

fn message(answer: &Answer) -> String {
    let json = answer.json();
    let message = json["error"]["message"].as_str();
    format!("{} {}", answer.status, message.unwrap_or_default())
}

#[test]
fn a_mistyped_path_of_the_api_is_answered_with_what_may_be_meant() {
    let ruled = Ruled::new();
    let said = |path: &str| message(&ruled.call("svc_test_local", path, "{}"));
    insta::assert_snapshot!([
        "/v1/verify/identity/pn",
        "/verify/identity/pan",
        "/v1/verify/identity/PAN",
        "/v1/verify/pan",
        "/v1/bundles/fraud-chek",
        "/v1/verification/svcv_1",
        "/v2/something/else",
    ].map(said).join("\n"), @"
    404 no operation has this path; did you mean POST /v1/verify/identity/pan?
    404 no operation has this path; did you mean POST /v1/verify/identity/pan?
    404 no operation has this path; did you mean POST /v1/verify/identity/pan?
    404 no operation has this path; did you mean POST /v1/verify/identity/pan?
    404 no operation has this path; did you mean POST /v1/bundles/fraud-check?
    404 no operation has this path; did you mean GET /v1/verifications/{verificationId}?
    404 no operation has this path
    ");
}

#[test]
fn a_mistyped_name_of_the_control_api_is_answered_with_what_may_be_meant() {
    let ruled = Ruled::new();
    let said = |path: &str| message(&ruled.get(path));
    let explained = r#"{"account": "local", "operation": "verify.identity.pam"}"#;
    let explained = message(&ruled.post("/control/explain", explained));
    let trigger = r#"{"account": "local", "operation": "zzz"}"#;
    let triggered = message(&ruled.post("/control/trigger", trigger));
    let read = [
        "/control/acounts",
        "/control/accounts/local/clok",
        "/openapi.yml",
        "/nothing/of/the/kind",
        "/control/accounts/lokal",
        "/control/operations/bundles.fraud-chek",
    ];
    let all: Vec<String> = read
        .map(said)
        .into_iter()
        .chain([explained, triggered])
        .collect();
    insta::assert_snapshot!(all.join("\n"), @r#"
    404 the console has nothing at this path; did you mean /control/accounts? /openapi.json lists what it has
    404 the console has nothing at this path; did you mean /control/accounts/{id}/clock? /openapi.json lists what it has
    404 the console has nothing at this path; did you mean /openapi.yaml? /openapi.json lists what it has
    404 the console has nothing at this path; /openapi.json lists what it has
    404 there is no account "lokal"; did you mean `local`? GET /control/accounts lists them, POST opens one
    404 there is no operation "bundles.fraud-chek"; did you mean `bundles.fraud-check`? GET /control/operations lists them
    404 there is no operation "verify.identity.pam"; did you mean `verify.identity.pan`? `svc-simulator operations` lists them, and of a bundle each step is one
    404 there is no operation "zzz"; no name that is known here is near it. `svc-simulator operations` lists them
    "#);
}

#[test]
fn a_part_of_the_document_is_there_alone_and_what_has_none_is_said() {
    let ruled = Ruled::new();
    let counted = |query: &str| {
        let document = ruled.get(&format!("/openapi.json{query}")).json();
        let paths = document["paths"].as_object().unwrap().keys();
        let control = paths.clone().filter(|path| path.starts_with("/control/"));
        (paths.len() > control.clone().count(), control.count() > 0)
    };
    assert_eq!(counted(""), (true, true));
    assert_eq!(counted("?only=api"), (true, false));
    assert_eq!(counted("?only=control"), (false, true));
    let said = |path: &str| message(&ruled.get(path));
    insta::assert_snapshot!([
        "/openapi.json?only=console",
        "/openapi.yaml?part=api",
        "/postman.json?only=control",
    ].map(said).join("\n"), @r#"
    400 only: must be one of api, control
    400 there is no member "part" here; known here: only
    400 a Postman collection has the API alone: leave out only=control
    "#);
}

#[test]
fn unknown_members_are_refused_where_that_is_asked_for() {
    let body = r#"{"pan": "AAAAA0000A", "nmae": "Asha Rao", "more": {"a": 1}}"#;
    let ignored = Ruled::new();
    assert_eq!(ignored.call("svc_test_local", PAN, body).status, 200);
    let strict = Ruled::with(|builder| builder.unknown_members(UnknownMembers::Refused));
    let said = |path: &str, body: &str| message(&strict.call("svc_live_local", path, body));
    insta::assert_snapshot!([
        said(PAN, body),
        // What is wrong with a field that there is comes first.
        said(PAN, r#"{"nmae": "Asha Rao"}"#),
        said("/v1/bundles/company-tan-identity", r#"{"tann": "BLRA00001A", "tan": "BLRA00001A", "cin": "U72200KA2010PTC000001"}"#),
    ].join("\n"), @"
    400 nmae: verify.identity.pan has no such field, and members that no field names are refused here; did you mean `name`?
    400 `pan` is required
    400 tann: bundles.company-tan-identity has no such field, and members that no field names are refused here; did you mean `tan`?
    ");
    assert_eq!(strict.call("svc_live_local", PAN, ASHA).status, 200);
    let wallet = strict.get("/control/accounts/local/wallet").json();
    assert_eq!(wallet["charged"], 2.5, "{wallet}");
}

const BY_HEADER: &str = r#"
[[scenario]]
name = "chaos"
operation = "*"
when = { header."X-Chaos" = { starts_with = "down" } }
then = { error = "SVC_SOURCE_UNAVAILABLE" }
"#;

#[test]
fn a_rule_looks_at_a_header_of_any_name() {
    let ruled = Ruled::with(|builder| builder.scenarios(BY_HEADER));
    let sandbox = ruled.served.addresses.sandbox;
    let status = |more: &str| {
        let headers = format!("{LOCAL_JSON}Authorization: Bearer svc_test_local\r\n{more}");
        super::control::raw(sandbox, "POST", PAN, &headers, ASHA).status
    };
    for (headers, expected) in [
        ("", 200),
        ("X-Chaos: down\r\n", 503),
        ("x-chaos: down for a while\r\n", 503),
        ("X-Chaos: up\r\n", 200),
        ("X-Chaos: down\r\nX-Chaos: down\r\n", 200),
    ] {
        assert_eq!(status(headers), expected, "{headers}");
    }
    let ask = r#"{"account": "local", "operation": "verify.identity.pan", "headers": {"X-Chaos": "down"}}"#;
    let explained = ruled.post("/control/explain", ask).json();
    assert_eq!(explained["decides"]["name"], "chaos", "{explained:#}");
}

const HISTORY: &str = r#"
[[scenario]]
name = "the history of whoever asks so takes its time"
operation = "verify.employment.uan"
when = { header."X-Chaos" = "slow" }
then = { pending = {}, after = "1h" }

[[scenario]]
name = "and then the employer is unknown"
operation = "verify.employment.epfo-name-search"
when = { header."X-Chaos" = "slow" }
then = { error = "SVC_NO_RECORD_FOUND", message = "by the header" }
"#;

#[test]
fn a_step_that_waits_for_another_is_matched_by_the_headers_of_its_call() {
    let ruled = Ruled::with(|builder| builder.scenarios(HISTORY));
    let headers = format!("{LOCAL_JSON}Authorization: Bearer svc_test_local\r\nX-Chaos: slow\r\n");
    let path = "/v1/bundles/employment-claim-verification";
    let sandbox = ruled.served.addresses.sandbox;
    let asked = super::control::raw(
        sandbox,
        "POST",
        path,
        &headers,
        r#"{"mobile": "9000000001"}"#,
    );
    assert_eq!(asked.json()["status"], "pending", "{asked:?}");
    let id = asked.json()["verificationId"].as_str().unwrap().to_owned();
    ruled.post("/control/accounts/local/clock", r#"{"advance": "2h"}"#);
    let call = ruled.get(&format!("/control/calls/{id}"));
    assert!(call.body.contains("by the header"), "{}", call.body);
}

#[test]
fn all_accounts_are_set_back_at_once() {
    let ruled = Ruled::new();
    for key in [
        "svc_live_local",
        "svc_live_local_worker7",
        "svc_live_rotated",
    ] {
        assert_eq!(
            ruled.call(key, UAN, r#"{"uan": "100000000202"}"#).status,
            202
        );
        assert_eq!(ruled.call(key, PAN, ASHA).status, 200);
    }
    insta::assert_snapshot!(whole(&ruled.post("/control/reset", "")), @r#"
    200
    {
      "accounts": [
        "blocked",
        "broke",
        "local",
        "local_worker7",
        "revoked",
        "rotated",
        "throttled"
      ]
    }
    "#);
    let accounts = ruled.get("/control/accounts").json();
    for account in accounts["accounts"].as_array().unwrap() {
        assert_eq!(account["calls"]["live"], 0, "{account}");
        assert_eq!(account["live"]["held"], 0, "{account}");
        assert_eq!(account["live"]["charged"], 0, "{account}");
    }
}
