//! What a body may look like.

use svc_simulator::engine::call::request::{Body, Header};

use crate::scene::{PAN, Scene};

#[test]
fn a_body_that_is_no_json_object_is_invalid_input() {
    let scene = Scene::new();
    let deep = format!(
        r#"{{"pan": "AAAAA0000A", "x": {}{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let bodies: [&[u8]; 13] = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\"AAAAA0000A\"",
        b"{\"pan\": \"AAAAA0000A\"} x",
        b"{\"pan\": \"AAAAA0000A\", \"pan\": \"AAAAA0000A\"}",
        b"\xEF\xBB\xBF{\"pan\": \"AAAAA0000A\"}",
        b"{\"pan\": \"AAAAA0000\xff\"}",
        b"{\"pan\": \"\\ud800AAAA0000A\"}",
        b"\xfe\xff\0{\0}",
        b"{\"pan\": NaN}",
        deep.as_bytes(),
    ];
    for body in bodies {
        let answer = scene.post(PAN, "").body(Body::Whole(body)).send();
        assert_eq!(
            answer.outcome(),
            "400 SVC_INVALID_INPUT",
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    for body in [Body::TooLarge, Body::Incomplete] {
        assert_eq!(
            scene.post(PAN, "").body(body).outcome(),
            "400 SVC_INVALID_INPUT"
        );
    }
}

#[test]
fn headers_that_break_their_rule_are_invalid_input_and_named() {
    let scene = Scene::new();
    let body = r#"{"pan": "AAAAA0000A"}"#;
    let long = "k".repeat(256);
    let messages = [
        scene
            .pan(body)
            .headers(|headers| headers.content_type = Header::Absent)
            .send(),
        scene
            .pan(body)
            .headers(|headers| headers.content_type = Header::One(b"text/plain"))
            .send(),
        scene
            .pan(body)
            .headers(|headers| headers.content_encoding = Header::One(b"gzip"))
            .send(),
        scene.pan(body).idempotency("").send(),
        scene.pan(body).idempotency(&long).send(),
        scene
            .pan(body)
            .headers(|headers| headers.reference_id = Header::Many)
            .send(),
    ]
    .map(|answer| format!("{}: {}", answer.outcome(), answer.at("error.message")));
    insta::assert_snapshot!(messages.join("\n"), @"
    400 SVC_INVALID_INPUT: Content-Type: must be sent once and be application/json
    400 SVC_INVALID_INPUT: Content-Type: must be sent once and be application/json
    400 SVC_INVALID_INPUT: Content-Encoding: is not supported; send the body as it is
    400 SVC_INVALID_INPUT: Idempotency-Key: must be sent once and be 1 to 255 printable characters
    400 SVC_INVALID_INPUT: Idempotency-Key: must be sent once and be 1 to 255 printable characters
    400 SVC_INVALID_INPUT: X-Reference-Id: must be sent once, as text in UTF-8 without control characters
    ");
}

#[test]
fn each_field_that_breaks_its_rule_is_named_with_the_rule() {
    let scene = Scene::new();
    let tried = |body: &str| {
        let answer = scene.pan(body).send();
        format!(
            "{body} -> {}: {}",
            answer.outcome(),
            answer.at("error.message")
        )
    };
    let bodies = [
        r#"{}"#,
        r#"{"pan": null}"#,
        r#"{"pan": 5}"#,
        r#"{"pan": ""}"#,
        r#"{"pan": "AAAAA0000"}"#,
        r#"{"pan": "AAAAA0000AA"}"#,
        r#"{"pan": "AAAA00000A"}"#,
        r#"{"pan": "AAAAA0000A", "name": ""}"#,
        r#"{"pan": "AAAAA0000A", "name": null}"#,
        r#"{"pan": "AAAAA", "name": ["Asha"]}"#,
        r#"{"pan": "aaaaa0000a", "more": {"of": "anything"}}"#,
    ];
    insta::assert_snapshot!(bodies.map(tried).join("\n"), @r#"
    {} -> 400 SVC_INVALID_INPUT: `pan` is required
    {"pan": null} -> 400 SVC_INVALID_INPUT: `pan` must be a string, not null
    {"pan": 5} -> 400 SVC_INVALID_INPUT: `pan` must be a string, not an integer
    {"pan": ""} -> 400 SVC_INVALID_INPUT: `pan` must not be empty
    {"pan": "AAAAA0000"} -> 400 SVC_INVALID_IDENTIFIER: `pan` must be 5 letters, 4 digits and a letter
    {"pan": "AAAAA0000AA"} -> 400 SVC_INVALID_IDENTIFIER: `pan` must be 5 letters, 4 digits and a letter
    {"pan": "AAAA00000A"} -> 400 SVC_INVALID_IDENTIFIER: `pan` must be 5 letters, 4 digits and a letter
    {"pan": "AAAAA0000A", "name": ""} -> 400 SVC_INVALID_INPUT: `name` must not be empty
    {"pan": "AAAAA0000A", "name": null} -> 400 SVC_INVALID_INPUT: `name` must be a string, not null
    {"pan": "AAAAA", "name": ["Asha"]} -> 400 SVC_INVALID_INPUT: `name` must be a string, not an array
    {"pan": "aaaaa0000a", "more": {"of": "anything"}} -> 200 completed:
    "#);
}

#[test]
fn an_unknown_path_is_not_found_and_a_known_one_takes_its_method_only() {
    let scene = Scene::new();
    for path in [
        "/",
        "/v1/verify/identity",
        "/v1/verify/identity/pan/",
        "/v1/verify/Identity/pan",
        "/v1//verify/identity/pan",
        "*",
    ] {
        assert_eq!(
            scene.post(path, "{}").outcome(),
            "404 SVC_NOT_FOUND",
            "{path}"
        );
    }
    insta::assert_snapshot!(scene.post("/v1/verify/identity/nothing", "{}").send(), @r#"
    404
    {
      "success": false,
      "verificationId": "svcv_tj42a1p20pswde9ca0wctwdeyx",
      "referenceId": null,
      "endpoint": "verify.identity.nothing",
      "status": "failed",
      "error": {
        "code": "SVC_NOT_FOUND",
        "message": "no operation has this path",
        "retryable": false
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "test",
        "latencyMs": 0
      }
    }
    "#);
    insta::assert_snapshot!(scene.get(PAN).send(), @r#"
    405
    Allow: POST
    {
      "success": false,
      "verificationId": "svcv_hkvaz2w44wpahqhyj6hraqddf0",
      "referenceId": null,
      "endpoint": "verify.identity.pan",
      "status": "failed",
      "error": {
        "code": "SVC_INVALID_INPUT",
        "message": "this path takes POST only",
        "retryable": false
      },
      "billing": {
        "charged": false,
        "amount": 0,
        "currency": "INR"
      },
      "meta": {
        "createdAt": "2027-01-15T08:00:00.000Z",
        "environment": "test",
        "latencyMs": 0
      }
    }
    "#);
    assert_eq!(scene.post("/v1/usage", "{}").send().0.allow, Some("GET"));
}
