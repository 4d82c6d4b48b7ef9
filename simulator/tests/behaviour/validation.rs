//! What a body may look like.

use svc_simulator::engine::call::{Body, Header};

use crate::scene::{PAN, Scene};

#[test]
fn a_body_that_is_no_json_object_is_invalid_input() {
    let scene = Scene::new();
    let deep = format!(r#"{{"pan": "AAAAA0000A", "x": {}{}}}"#, "[".repeat(200), "]".repeat(200));
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
        assert_eq!(answer.outcome(), "400 SVC_INVALID_INPUT", "{}", String::from_utf8_lossy(body));
    }
    for body in [Body::TooLarge, Body::Incomplete] {
        assert_eq!(scene.post(PAN, "").body(body).outcome(), "400 SVC_INVALID_INPUT");
    }
}

#[test]
fn headers_that_break_their_rule_are_invalid_input_and_named() {
    let scene = Scene::new();
    let body = r#"{"pan": "AAAAA0000A"}"#;
    let long = "k".repeat(256);
    let messages = [
        scene.pan(body).headers(|headers| headers.content_type = Header::Absent).send(),
        scene.pan(body).headers(|headers| headers.content_type = Header::One(b"text/plain")).send(),
        scene.pan(body).headers(|headers| headers.content_encoding = Header::One(b"gzip")).send(),
        scene.pan(body).idempotency("").send(),
        scene.pan(body).idempotency(&long).send(),
        scene.pan(body).headers(|headers| headers.reference_id = Header::Many).send(),
    ]
    .map(|answer| format!("{}: {}", answer.outcome(), answer.at("error.message")));
    insta::assert_snapshot!(messages.join("\n"), @"");
}

#[test]
fn each_field_that_breaks_its_rule_is_named_with_the_rule() {
    let scene = Scene::new();
    let tried = |body: &str| {
        let answer = scene.pan(body).send();
        format!("{body} -> {}: {}", answer.outcome(), answer.at("error.message"))
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
    insta::assert_snapshot!(bodies.map(tried).join("\n"), @"");
}

#[test]
fn an_unknown_path_is_not_found_and_a_known_one_takes_its_method_only() {
    let scene = Scene::new();
    for path in ["/", "/v1/verify/identity", "/v1/verify/identity/pan/", "/v1/verify/Identity/pan", "/v1//verify/identity/pan", "*"] {
        assert_eq!(scene.post(path, "{}").outcome(), "404 SVC_NOT_FOUND", "{path}");
    }
    insta::assert_snapshot!(scene.post("/v1/verify/identity/nothing", "{}").send(), @"");
    insta::assert_snapshot!(scene.get(PAN).send(), @"");
    assert_eq!(scene.post("/v1/usage", "{}").send().0.allow, Some("GET"));
}
