//! The call log: what came in, and what came of it (ruling 35).

use serde_json::{Value, json};

use super::{ASHA, PAN, Ruled, raw, refused};

const AUTHORIZED: &str = "Host: a\r\nAuthorization: Bearer svc_test_local\r\n";
const JSON: &str = "Content-Type: application/json\r\n";

/// Sends a request to the sandbox.
fn send(ruled: &Ruled, method: &str, path: &str, headers: &str, body: &str) -> u16 {
    raw(ruled.served.addresses.sandbox, method, path, headers, body).status
}

/// The newest call in the log of `local`.
fn newest(ruled: &Ruled) -> Value {
    ruled.get("/control/calls?account=local").json()["calls"][0].clone()
}

/// The newest request in the log of `local` after a call with this body.
fn logged(ruled: &Ruled, body: &str) -> Value {
    send(ruled, "POST", PAN, &format!("{AUTHORIZED}{JSON}"), body);
    newest(ruled)["request"].clone()
}

fn unauthenticated(ruled: &Ruled) -> Value {
    ruled.get("/control/calls?unauthenticated=true").json()
}

#[test]
fn a_call_is_logged_as_it_came_in_but_for_its_credentials() {
    let ruled = Ruled::new();
    let headers = format!(
        "{AUTHORIZED}Cookie: session=hunter2\r\nX-Api-Key: hunter3\r\nX-Trace: 1\r\nAccept: */*\r\nX-Trace: 2\r\n\
         X-Reference-Id: order 7\r\nX-Odd: caf\u{e9}\r\n{JSON}"
    );
    let path = format!("{PAN}?api_key=hunter4&debug=svc_live_local");
    let body = "{ \"pan\": \"AAAAA0000A\",\n  \"nmae\": \"svc_test_local_worker\" }";
    assert_eq!(send(&ruled, "POST", &path, &headers, body), 200);
    let listed = newest(&ruled);
    let id = listed["verificationId"].as_str().expect("an id");
    let one = ruled.get(&format!("/control/calls/{id}"));
    assert_eq!(one.json()["request"], listed["request"]);
    assert!(!one.body.contains("hunter") && !one.body.contains("_worker"));
    insta::assert_snapshot!(format!("{:#}", listed["request"]), @r#"
    {
      "method": "POST",
      "path": "/v1/verify/identity/pan",
      "query": "api_key=***&debug=svc_live_***",
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
          "name": "cookie",
          "value": "***"
        },
        {
          "name": "x-api-key",
          "value": "***"
        },
        {
          "name": "x-trace",
          "value": "1"
        },
        {
          "name": "x-trace",
          "value": "2"
        },
        {
          "name": "accept",
          "value": "*/*"
        },
        {
          "name": "x-reference-id",
          "value": "order 7"
        },
        {
          "name": "x-odd",
          "value": "café"
        },
        {
          "name": "content-type",
          "value": "application/json"
        },
        {
          "name": "content-length",
          "value": "58"
        }
      ],
      "body": "{ \"pan\": \"AAAAA0000A\",\n  \"nmae\": \"svc_test_***\" }",
      "bodyBytes": 58,
      "caller": "127.0.0.1",
      "unknownMembers": [
        "nmae"
      ]
    }
    "#);
}

#[test]
fn bytes_that_are_no_text_are_logged_in_base_64() {
    let ruled = Ruled::new();
    let mut client = crate::client::Client::to(ruled.served.addresses.sandbox);
    let head = format!("POST {PAN} HTTP/1.1\r\n{AUTHORIZED}X-Raw: \u{1}");
    let head = head.replace('\u{1}', "");
    let rest = b"\xff\xfe\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 3\r\n\r\n\x00\xff\x01";
    let answer = client.ask([head.as_bytes(), rest].concat());
    assert_eq!(answer.status, 400);
    let request = &newest(&ruled)["request"];
    assert_eq!(
        (&request["body"], &request["bodyEncoding"]),
        (&json!("AP8B"), &json!("base64"))
    );
    assert_eq!(request["bodyBytes"], 3);
    let headers = request["headers"].as_array().expect("headers");
    let raw = headers.iter().find(|line| line["name"] == "x-raw");
    assert_eq!(
        raw,
        Some(&json!({ "name": "x-raw", "value": "//4=", "encoding": "base64" }))
    );
}

#[test]
fn a_body_is_logged_up_to_8_kib() {
    let ruled = Ruled::new();
    let body = |length: usize| {
        let frame = r#"{"pan": "AAAAA0000A", "x": ""}"#.len();
        format!(
            r#"{{"pan": "AAAAA0000A", "x": "{}"}}"#,
            "x".repeat(length - frame)
        )
    };
    for (length, kept, cut) in [
        (8191, 8191, Value::Null),
        (8192, 8192, Value::Null),
        (8193, 8192, json!(true)),
        (1_000_000, 8192, json!(true)),
    ] {
        let sent = body(length);
        let request = logged(&ruled, &sent);
        assert_eq!(request["body"], sent[..kept], "{length}");
        assert_eq!(
            (&request["bodyBytes"], &request["bodyCut"]),
            (&json!(length), &cut)
        );
        assert_eq!(request["unknownMembers"], json!(["x"]), "{length}");
    }
}

#[test]
fn a_body_that_did_not_arrive_whole_is_not_logged() {
    let ruled = Ruled::new();
    let headers = format!("{AUTHORIZED}{JSON}Content-Length: 99999999\r\n");
    assert_eq!(send(&ruled, "POST", PAN, &headers, ""), 400);
    let request = &newest(&ruled)["request"];
    assert_eq!(
        (&request["body"], &request["bodyBytes"]),
        (&Value::Null, &Value::Null)
    );
    let headers = request["headers"].to_string();
    assert!(headers.contains("99999999"), "{headers}");
}

#[test]
fn unknown_members_are_named_by_their_paths_whether_the_call_succeeds_or_not() {
    let ruled = Ruled::new();
    let unknown = |body: &str| logged(&ruled, body)["unknownMembers"].clone();
    assert_eq!(unknown(ASHA), json!([]));
    assert_eq!(unknown(r#"{"pna": "AAAAA0000A"}"#), json!(["pna"]));
    assert_eq!(unknown("[1]"), json!([]));
    let many: Vec<String> = (0..40).map(|at| format!(r#""m{at}": 1"#)).collect();
    let named = unknown(&format!("{{{}}}", many.join(", ")));
    assert_eq!(named.as_array().map(Vec::len), Some(32));
    let long = unknown(&format!(r#"{{"{}": 1}}"#, "n".repeat(5000)));
    assert_eq!(long[0].as_str().map(str::len), Some(100));
    // Of other operations, and of bundles.
    for (path, body, named) in [
        (
            "/v1/verify/financial/credit-report",
            r#"{"consentArtifact": {"timestamp": "t", "Ip": "a"}, "consent": "y"}"#,
            json!(["consentArtifact.Ip", "consent"]),
        ),
        (
            "/v1/bundles/address-utility-verification",
            r#"{"bpNumber": 1, "png.serviceProvider": "a", "png.nothing": 1, "gas.bpNumber": 1, "a": {"b": 1}}"#,
            json!(["png.nothing", "gas.bpNumber", "a"]),
        ),
    ] {
        send(&ruled, "POST", path, &format!("{AUTHORIZED}{JSON}"), body);
        let call = newest(&ruled);
        assert_eq!(call["request"]["unknownMembers"], named, "{call:#}");
    }
}

#[test]
fn calls_that_no_account_could_be_found_for_are_listed_apart() {
    let ruled = Ruled::new();
    for authorization in [
        "",
        "Authorization: Bearer svc_test_nobody\r\n",
        "Authorization: Bearer sk_live_elsewhere\r\n",
        "Authorization: svc_test_local\r\n",
        "Authorization: Bearer svc_live_local\r\n",
        "Authorization: Bearer svc_test_revoked\r\n",
    ] {
        let headers = format!("Host: a\r\n{authorization}{JSON}");
        assert_eq!(send(&ruled, "POST", PAN, &headers, ASHA), 401);
    }
    let bare = "GET /v1/usage HTTP/1.1\nHost: a\n\n";
    let mut client = crate::client::Client::to(ruled.served.addresses.live);
    assert_eq!(client.ask(bare).status, 400);
    let list = unauthenticated(&ruled);
    let calls = list["calls"].as_array().expect("calls").iter();
    let rows = calls.map(|call| {
        let value = |name: &str| call[name].as_str().unwrap_or("-").to_owned();
        let request = &call["request"];
        format!(
            "{} {} {} {} {} {} {}",
            value("environment"),
            request["method"],
            request["path"],
            call["httpStatus"],
            value("presentedKey"),
            value("account"),
            call["envelope"]["error"]["message"]
        )
    });
    insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @r#"
    live "GET" "/v1/usage" 400 - - "every line of the request's head must end with CR LF, not with a line feed alone"
    test "POST" "/v1/verify/identity/pan" 401 svc_test_*** revoked "this API key was revoked"
    test "POST" "/v1/verify/identity/pan" 401 svc_live_*** local "this API key belongs to the other environment: svc_test_ keys work on the sandbox, svc_live_ keys on production"
    test "POST" "/v1/verify/identity/pan" 401 svc_test_*** - "send the header `Authorization: Bearer <API key>` once"
    test "POST" "/v1/verify/identity/pan" 401 *** - "this API key is not known"
    test "POST" "/v1/verify/identity/pan" 401 svc_test_*** - "this API key is not known"
    test "POST" "/v1/verify/identity/pan" 401 - - "send the header `Authorization: Bearer <API key>` once"
    "#);
    let text = list.to_string();
    assert!(
        !text.contains("nobody") && !text.contains("elsewhere"),
        "{text}"
    );
    let of_live = ruled.get("/control/calls?unauthenticated=true&environment=live");
    assert_eq!(of_live.json()["calls"].as_array().map(Vec::len), Some(1));
    let two = ruled.get("/control/calls?unauthenticated=true&limit=2");
    assert_eq!(two.json()["calls"].as_array().map(Vec::len), Some(2));
    for account in ["local", "revoked"] {
        let own = ruled.get(&format!("/control/calls?account={account}"));
        assert_eq!(own.json()["calls"], json!([]), "{account}");
    }
    let memory = ruled.get("/control/memory").json();
    assert_eq!(memory["unauthenticated"]["calls"], 7);
}

#[test]
fn a_list_is_of_all_accounts_or_one_or_of_unauthenticated_calls() {
    let ruled = Ruled::new();
    for query in [
        "?before=svcv_00000000000000000000000000",
        "?unauthenticated=false",
        "?unauthenticated=",
        "?account=local&unauthenticated=true",
        "?unauthenticated=true&before=svcv_00000000000000000000000000",
    ] {
        let answer = ruled.get(&format!("/control/calls{query}"));
        assert_eq!(refused(&answer), "400 INVALID_INPUT", "{query}");
    }
    assert_eq!(unauthenticated(&ruled)["calls"], json!([]));
}

#[test]
fn a_list_of_all_accounts_names_them_and_has_the_newest_call_first() {
    let ruled = Ruled::new();
    let ids = ["svc_test_local_a", "svc_live_local_b", "svc_test_local_a"].map(|key| {
        ruled.post("/control/accounts/local_a/clock", r#"{"advance":"1h"}"#);
        let answer = ruled.call(key, PAN, ASHA);
        answer.json()["verificationId"].clone()
    });
    let all = ruled.get("/control/calls?limit=2").json();
    let shown = all["calls"].as_array().expect("a list").iter();
    let shown: Vec<_> = shown
        .map(|call| (&call["account"], &call["verificationId"]))
        .collect();
    assert_eq!(shown.len(), 2);
    assert_eq!(shown[0], (&json!("local_a"), &ids[2]));
    assert_eq!(all["kept"], 3);
    let none = ruled.get("/control/calls?text=nowhere").json();
    assert_eq!((&none["calls"], &none["kept"]), (&json!([]), &json!(3)));
}
