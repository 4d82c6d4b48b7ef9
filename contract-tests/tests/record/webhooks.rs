//! Webhooks through the proxy.

use svc_test_support::{Reply, Server};

use super::recording::{Recording, raw, request};

/// A recording of webhooks alone.
fn recording_webhooks(hook: &str, more: &[&str]) -> Recording {
    let ways = [
        "--listen",
        "127.0.0.1:0",
        "--forward",
        "http://127.0.0.1:9",
        "--webhooks-listen",
        "127.0.0.1:0",
        "--webhooks-to",
        hook,
    ];
    Recording::start(&[&ways[..], more].concat())
}

#[test]
fn a_signature_is_checked_where_the_secret_is_known_and_that_is_written_nowhere() {
    let receiver = Server::start(|_| Reply::Says(204, Vec::new(), Vec::new()));
    // What `openssl dgst -sha256 -hmac whsec_sample` says of `1800000000.{}`.
    let mac = "f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a";
    for (secret, is_theirs) in [("whsec_sample", true), ("whsec_another", false)] {
        let recording = recording_webhooks(&receiver.url, &["--webhook-secret", secret]);
        let headers = format!(
            "X-Service-Signature: t=1800000000,v1={mac}\r\nX-Note: {secret}\r\nX-Recorded-Signature-Verified: true\r\n"
        );
        raw(
            &recording.addresses[1],
            &request("POST", "/", &headers, "{}"),
        );
        let ended = recording.end();
        let says = "that of something else";
        assert_eq!(ended.said.contains(says), !is_theirs, "{}", ended.said);
        assert_eq!(ended.judged().1.contains(says), !is_theirs);
        let written = format!("{}{}{}", ended.text, ended.said, ended.report);
        assert!(!written.contains(secret), "{written}");
    }
}

#[test]
fn a_webhook_reaches_the_receiver_byte_for_byte_and_is_judged() {
    let receiver = Server::start(|_| Reply::Says(503, Vec::new(), b"later".to_vec()));
    let hook = format!("{}/hooks", receiver.url);
    let recording = recording_webhooks(&hook, &[]);
    let body = "{ \"verificationId\": \"svcv_1\",\"status\":\"pending\" }\n";
    let headers = "X-Service-Signature: t=1,v1=zz\r\nContent-Type: application/json\r\n";
    let came = raw(
        &recording.addresses[1],
        &request("POST", "/", headers, body),
    );
    assert!(came.starts_with("HTTP/1.1 503"), "{came}");
    let posted = receiver.sent_when(1).remove(0);
    assert_eq!(
        (posted.path.as_str(), posted.body.as_slice()),
        ("/hooks", body.as_bytes())
    );
    assert_eq!(posted.header("x-service-signature"), Some("t=1,v1=zz"));
    let ended = recording.end();
    assert_eq!(ended.code, Some(1), "{}", ended.report);
    for broken in [
        "webhook.signature: the signature of a webhook",
        "webhook.envelope: `status` of a webhook is pending",
    ] {
        assert!(ended.said.contains(broken), "{}", ended.said);
    }
    assert_eq!(ended.endings(), ["webhook: 503"]);
    assert_eq!(ended.judged().0, Some(1));
}

/// Nobody takes the body over then, and it is the service's all the same.
#[test]
fn a_webhook_is_written_down_though_its_receiver_is_gone() {
    let recording = recording_webhooks("http://127.0.0.1:9/hooks", &[]);
    let mac = "f52d4e0e4419c81c39140518136f0ea025fb48625c1de7c62ce1ea91a41b6c1a";
    let headers = format!("X-Service-Signature: t=1800000000,v1={mac}\r\n");
    let body = r#"{"verificationId":"svcv_1","status":"completed"}"#;
    let came = raw(
        &recording.addresses[1],
        &request("POST", "/", &headers, body),
    );
    assert!(came.starts_with("HTTP/1.1 502"), "{came}");
    let ended = recording.end();
    assert!(ended.text.contains("svcv_1"), "{}", ended.text);
    assert!(
        !ended.said.contains("`status` of a webhook"),
        "{}",
        ended.said
    );
}
