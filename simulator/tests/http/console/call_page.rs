//! A call's page: the stages it walked, its money, its key, why it got its outcome, and its line for a shell.

use serde_json::Value;

use super::super::control::{ASHA, Ruled, SLOW, UAN, raw};
use super::PAN;
use crate::client::Answer;

const OTP: &str = "/v1/verify/identity/mobile-otp/verify";
const STRANGE: &str = r#"{"request_id": "nobody", "otp": "000000"}"#;
const TIMEOUT: &str = r#"{"pan": "AAAAA0504A"}"#;

/// A call with more headers.
fn call(ruled: &Ruled, key: &str, path: &str, headers: &str, body: &str) -> Answer {
    let headers = format!(
        "Host: a\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n{headers}"
    );
    let address = match key.starts_with("svc_live_") {
        true => ruled.served.addresses.live,
        false => ruled.served.addresses.sandbox,
    };
    raw(address, "POST", path, &headers, body)
}

fn id(answer: &Answer) -> String {
    let id = answer.json()["verificationId"].take();
    id.as_str().expect("an id").to_owned()
}

fn page(ruled: &Ruled, id: &str) -> String {
    let page = ruled.get(&format!("/calls/{id}"));
    assert_eq!(page.status, 200, "{}", page.body);
    page.body
}

fn told(ruled: &Ruled, id: &str) -> Value {
    ruled.get(&format!("/control/calls/{id}")).json()
}

/// The stages by their state, as the control API tells them.
fn stages(told: &Value, state: &str) -> Vec<String> {
    let stages = told["stages"].as_array().expect("a list").iter();
    let stages = stages.filter(|it| it["state"] == state);
    let names = stages.map(|it| it["stage"].as_str().expect("a name").to_owned());
    names.collect()
}

#[test]
fn a_refused_call_ended_at_the_stage_that_refused_it_and_reached_none_after_it() {
    let ruled = Ruled::new();
    let key = "Idempotency-Key: k\r\n";
    call(&ruled, "svc_test_local", PAN, key, ASHA);
    for (caller, path, headers, body, stage, after) in [
        ("svc_test_blocked", PAN, "", ASHA, "allowlist", "rateLimit"),
        ("svc_test_local", PAN, "", "{}", "prepare", "claim"),
        (
            "svc_test_local",
            "/v1/nothing",
            "",
            "{}",
            "prepare",
            "claim",
        ),
        ("svc_test_local", PAN, key, TIMEOUT, "claim", "room"),
        ("svc_test_local", OTP, "", STRANGE, "flow", "hold"),
        ("svc_live_broke", PAN, "", ASHA, "hold", "resolve"),
    ] {
        let answer = call(&ruled, caller, path, headers, body);
        let id = id(&answer);
        let told = told(&ruled, &id);
        assert_eq!(stages(&told, "refused"), [stage], "{path} {body}");
        assert_eq!(stages(&told, "notReached")[0], after, "{path} {body}");
        let page = page(&ruled, &id);
        assert_eq!(page.matches("<li class=\"ended\">").count(), 1, "{page}");
        assert!(
            page.contains(&format!("refused with {}", answer.code())),
            "{page}"
        );
    }
}

#[test]
fn a_call_too_many_ended_at_the_rate_limit() {
    let ruled = Ruled::new();
    let many = || call(&ruled, "svc_test_throttled", PAN, "", ASHA);
    let refused = std::iter::repeat_with(many).find(|it| it.status == 429);
    let refused = refused.expect("the burst ends");
    let told = told(&ruled, &id(&refused));
    assert_eq!(stages(&told, "refused"), ["rateLimit"]);
}

#[test]
fn a_live_call_says_what_was_put_aside_and_what_became_of_it() {
    let ruled = Ruled::new();
    for (path, body, ended) in [
        (PAN, ASHA, Some(true)),
        (PAN, TIMEOUT, Some(false)),
        (UAN, SLOW, None),
    ] {
        let id = id(&call(&ruled, "svc_live_local", path, "", body));
        let told = told(&ruled, &id);
        let money = &told["money"];
        let charged = money["charged"].as_f64().map(|it| it > 0.0);
        assert_eq!(charged, ended, "{told:#}");
        if ended.is_some() {
            let parts = [&money["charged"], &money["released"]].map(|it| it.as_f64().expect("INR"));
            assert_eq!(money["held"].as_f64(), Some(parts[0] + parts[1]));
        }
        let amount = |name: &str| format!("{:.2}", money[name].as_f64().unwrap_or_default());
        let what = match ended {
            Some(true) => format!("; {} charged", amount("charged")),
            Some(false) => format!("; {} given back", amount("released")),
            None => ", and held until the result is there".to_owned(),
        };
        let words = format!("{} INR put aside{what}</li>", amount("held"));
        let page = page(&ruled, &id);
        assert!(page.contains(&words), "{words}: {page}");
        let waiting = stages(&told, "waiting");
        assert_eq!(waiting.is_empty(), ended.is_some(), "{told:#}");
    }
    let sandbox = id(&call(&ruled, "svc_test_local", PAN, "", ASHA));
    let told = told(&ruled, &sandbox);
    assert_eq!(told["money"], Value::Null);
    assert_eq!(stages(&told, "skipped"), ["claim", "flow", "hold"]);
    assert!(page(&ruled, &sandbox).contains("<li class=\"ended good\">"));
}

#[test]
fn a_key_names_its_replays_and_the_other_calls_that_brought_it() {
    let ruled = Ruled::new();
    let key = "Idempotency-Key: order-<1>\r\n";
    let first = id(&call(&ruled, "svc_test_local", PAN, key, ASHA));
    assert_eq!(
        told(&ruled, &first)["keys"][0]["replays"],
        serde_json::json!([])
    );
    call(&ruled, "svc_test_local", PAN, key, ASHA);
    call(&ruled, "svc_test_local_other", PAN, key, ASHA);
    let conflict = id(&call(&ruled, "svc_test_local", PAN, key, TIMEOUT));
    insta::assert_snapshot!(format!("{:#}", told(&ruled, &first)["keys"]).replace(&conflict, "svcv_conflict"), @r#"
    [
      {
        "key": "order-<1>",
        "claimedAt": "2027-01-15T08:00:00.000Z",
        "keptUntil": "2027-01-16T08:00:00.000Z",
        "replays": [
          {
            "at": "2027-01-15T08:00:00.000Z",
            "caller": "127.0.0.1"
          }
        ],
        "others": [
          {
            "verificationId": "svcv_conflict",
            "endpoint": "verify.identity.pan",
            "at": "2027-01-15T08:00:00.000Z",
            "httpStatus": 409,
            "code": "SVC_IDEMPOTENCY_CONFLICT"
          }
        ]
      }
    ]
    "#);
    let shown = page(&ruled, &first);
    for part in [
        "order-&lt;1&gt;",
        "given again",
        &format!("/calls/{conflict}\""),
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let refused = page(&ruled, &conflict);
    assert!(refused.contains(&format!("/calls/{first}\"")), "{refused}");
    assert!(refused.contains("did not claim it"), "{refused}");
    ruled.post("/control/accounts/local/reset", "");
    let again = id(&call(&ruled, "svc_test_local", PAN, key, ASHA));
    assert_eq!(again, first, "after a reset ids recur");
    assert_eq!(
        told(&ruled, &first)["keys"][0]["replays"],
        serde_json::json!([])
    );
}

#[test]
fn the_page_names_what_nearly_decided_and_an_input_for_every_other_outcome() {
    let ruled = Ruled::new();
    let made = id(&call(
        &ruled,
        "svc_test_local",
        PAN,
        "",
        r#"{"pan":"AAAAA0000B"}"#,
    ));
    let page = page(&ruled, &made);
    for part in [
        "nearly decide",
        "PAN that exists",
        "and must be &quot;AAAAA0000A&quot;",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let outcomes = page.split("id=\"outcomes\"").nth(1).expect("a table");
    let row = outcomes
        .split("<tr>")
        .find(|row| row.contains("SVC_NO_RECORD_FOUND"));
    let link = row
        .and_then(|row| row.split("href=\"").nth(1))
        .expect("a link");
    let link = link
        .split('"')
        .next()
        .expect("an address")
        .replace("&amp;", "&");
    let form = ruled.get(&link);
    assert!(
        form.body
            .contains("name=\"field.pan\" value=\"AAAAA9999A\""),
        "{}",
        form.body
    );
}

#[test]
fn a_bundle_leads_to_its_steps_and_each_of_them_back() {
    let ruled = Ruled::new();
    let form = ruled
        .get("/control/operations/bundles.full-identity-kyc")
        .json();
    let (path, body) = (
        form["path"].as_str().expect("a path"),
        form["sample"].to_string(),
    );
    let mut failing = form["sample"].clone();
    failing["dlNumber"] = "ZZZZZ0000Z".into();
    let failed = call(&ruled, "svc_test_local", path, "", &failing.to_string());
    let failed = page(&ruled, &id(&failed));
    let steps = failed.split("Its steps").nth(1).expect("a list");
    assert!(steps.contains("SVC_SOURCE_UNAVAILABLE"), "{steps}");
    assert!(steps.contains("verify.identity.face-liveness"), "{steps}");
    let bundle = id(&call(&ruled, "svc_test_local", path, "", &body));
    let shown = page(&ruled, &bundle);
    let steps = shown.split("Its steps").nth(1).expect("a list");
    let step = steps
        .split("/calls/")
        .nth(1)
        .and_then(|it| it.split('"').next());
    let step = page(&ruled, step.expect("a link"));
    assert!(
        step.contains(&format!("<a href=\"/calls/{bundle}\">a bundle</a>")),
        "{step}"
    );
    assert!(
        step.contains("the bundle&#39;s call has the request")
            || step.contains("the bundle's call has the request")
    );
}

#[test]
fn the_line_for_a_shell_has_all_of_the_request_but_its_key() {
    let ruled = Ruled::new();
    let headers = "Idempotency-Key: it's 1\r\nX-Empty:\r\nCookie: a=b\r\nAccept-Encoding: gzip\r\n";
    let made = id(&call(
        &ruled,
        "svc_test_local",
        PAN,
        headers,
        r#"{"pan":"AAAAA0000A","name":"D'Souza"}"#,
    ));
    let line = told(&ruled, &made)["curl"].take();
    let line = line.as_str().expect("a line");
    let base = ruled.served.addresses.sandbox.to_string();
    insta::assert_snapshot!(line.replace(&base, "HOST"), @r#"
    curl -sS 'http://HOST/v1/verify/identity/pan' \
      -H "authorization: Bearer $SVC_API_KEY" \
      -H 'content-type: application/json' \
      -H 'idempotency-key: it'\''s 1' \
      -H 'x-empty;' \
      --data-raw '{"pan":"AAAAA0000A","name":"D'\''Souza"}'
    "#);
    assert!(!page(&ruled, &made).contains("svc_test_local<"));
    // Of what was not kept whole there is none.
    let long = format!(r#"{{"pan":"AAAAA0000A","name":"{}"}}"#, "x".repeat(9000));
    let cut = id(&call(&ruled, "svc_test_local", PAN, "", &long));
    assert_eq!(told(&ruled, &cut)["curl"], Value::Null);
}

#[test]
fn what_is_wrong_with_a_call_is_explained_for_another_of_its_account() {
    let ruled = Ruled::new();
    let toml = "[[scenario]]\nname = \"gone <today>\"\noperation = \"verify.identity.pan\"\nthen = { error = \"SVC_NO_RECORD_FOUND\" }\n";
    let body = serde_json::json!({ "account": "local_own", "toml": toml });
    ruled.post("/control/scenarios", &body.to_string());
    let made = id(&call(&ruled, "svc_test_local_own", PAN, "", ASHA));
    let page = page(&ruled, &made);
    let link = "/scenarios/file?account=local_own&amp;file=added-1%2Fscenarios.toml#line-1";
    assert!(
        page.contains(link) && page.contains("gone &lt;today&gt;"),
        "{page}"
    );
}

#[test]
fn a_call_whose_result_came_later_says_what_it_was_answered_itself() {
    let ruled = Ruled::new();
    let id = id(&call(
        &ruled,
        "svc_test_local",
        UAN,
        "Idempotency-Key: later\r\n",
        SLOW,
    ));
    assert_eq!(told(&ruled, &id)["pendingHttpStatus"], Value::Null);
    ruled.post("/control/accounts/local/clock", r#"{"advance": "1h"}"#);
    let told = told(&ruled, &id);
    assert_eq!(told["pendingHttpStatus"], 202, "{told:#}");
    let page = page(&ruled, &id);
    for said in [
        "the call itself was answered 202, pending",
        "answered 202 as pending; later ",
        "whoever retries with this key is told again that it is pending",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let list = ruled.get("/calls?account=local").body;
    assert!(list.contains("202, then "), "{list}");
}

#[test]
fn what_a_caller_saw_in_the_place_of_the_answer_is_told() {
    let rule = "[[scenario]]\nname = \"x\"\noperation = \"verify.identity.pan\"\n\
                then = { success = {}, wire = { cut_after = 9 } }\n";
    let ruled = Ruled::with(|builder| builder.scenarios(rule));
    let address = ruled.served.addresses.sandbox;
    let mut client = crate::client::Client::to(address);
    client.write(ruled.served.call("svc_test_local", ""));
    let _ = client.try_rest();
    let call = &super::calls(&ruled, "local")[0];
    let fault = "the body breaks off after 9 bytes at most";
    assert_eq!(call["onTheWire"], fault, "{call:#}");
    let page = page(&ruled, call["verificationId"].as_str().expect("an id"));
    assert!(page.contains(&format!("; on the wire {fault}")), "{page}");
    assert!(ruled.get("/calls").body.contains("broken on the wire"));
}
