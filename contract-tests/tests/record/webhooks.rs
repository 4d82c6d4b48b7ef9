//! Webhooks through the proxy.

use svc_test_support::{Reply, Server};

use super::recording::{Recording, raw, request};

#[test]
fn a_webhook_reaches_the_receiver_byte_for_byte_and_is_judged() {
    let receiver = Server::start(|_| Reply::Says(503, Vec::new(), b"later".to_vec()));
    let hook = format!("{}/hooks", receiver.url);
    let recording = Recording::start(&[
        "--listen",
        "127.0.0.1:0",
        "--forward",
        "http://127.0.0.1:9",
        "--webhooks-listen",
        "127.0.0.1:0",
        "--webhooks-to",
        &hook,
    ]);
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
