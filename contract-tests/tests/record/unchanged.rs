//! What is passed on is what came.

use svc_test_support::{Behaviour, Server};

use super::recording::{Recording, raw};

const ANSWER: &[u8] = b"HTTP/1.1 299 Odd Word\r\nX-Zeta: 1\r\nContent-Type: application/json\r\nX-ALPHA: a  b\r\nServer: it\r\nContent-Length: 2\r\n\r\n{}";

#[test]
fn names_order_and_bytes_of_both_heads_are_passed_on() {
    let server = Server::behaving(Behaviour::AnswersOnce(ANSWER));
    let recording = Recording::of(&server.url, &[]);
    let sent = "PUT /v1/x?a=%20b HTTP/1.1\r\nX-Zeta: 1\r\nhOsT: client.example\r\nContent-Length: 3\r\nX-ALPHA: \"q\"\r\n\r\n\0\x01z";
    let sent = sent.replace(
        "Content-Length: 3",
        "Connection: close\r\nContent-Length: 3",
    );
    let came = raw(recording.address(), sent.as_bytes());
    let text = String::from_utf8_lossy(ANSWER).into_owned();
    let text = text.replace(
        "Content-Length: 2\r\n",
        "Content-Length: 2\r\nconnection: close\r\n",
    );
    assert_eq!(came.to_lowercase(), text.to_lowercase());
    assert!(
        came.contains("X-Zeta: 1\r\nContent-Type: application/json\r\nX-ALPHA: a  b"),
        "{came}"
    );
    let passed = server.sent_when(1).remove(0).text;
    let host = server.address;
    let expected = sent.replace("Connection: close\r\n", "");
    assert_eq!(
        passed,
        expected.replace("client.example", &host.to_string())
    );
    assert_eq!(recording.end().capture.cases.len(), 1);
}

#[test]
fn a_body_in_chunks_arrives_whole_and_an_answer_without_one_has_none() {
    let server = Server::behaving(Behaviour::AnswersOnce(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n",
    ));
    let recording = Recording::of(&server.url, &[]);
    let came = raw(
        recording.address(),
        b"GET /v1/usage HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    );
    assert!(
        came.contains("transfer-encoding: chunked") || came.contains("Transfer-Encoding"),
        "{came}"
    );
    let ended = recording.end();
    assert!(ended.text.contains(r#"{\"a\":1}"#), "{}", ended.text);
    let server = Server::behaving(Behaviour::AnswersOnce(
        b"HTTP/1.1 200 OK\r\nContent-Length: 700\r\n\r\n",
    ));
    let recording = Recording::of(&server.url, &[]);
    let came = raw(
        recording.address(),
        b"HEAD /v1/usage HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
    );
    assert!(came.contains("Content-Length: 700"), "{came}");
    assert_eq!(recording.end().endings(), ["HEAD usage: 200"]);
}

#[test]
fn many_requests_share_one_connection() {
    let server = Server::behaving(Behaviour::Answers(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    ));
    let recording = Recording::of(&server.url, &[]);
    let one = "GET /v1/usage HTTP/1.1\r\nHost: h\r\n\r\n";
    let last = "GET /v1/usage HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    let came = raw(
        recording.address(),
        format!("{}{last}", one.repeat(9)).as_bytes(),
    );
    assert_eq!(came.matches("HTTP/1.1 200").count(), 10, "{came}");
    let used: Vec<_> = server.sent().iter().map(|it| it.connection).collect();
    assert_eq!(used, [0; 10]);
    assert_eq!(recording.end().capture.cases.len(), 10);
}

#[test]
fn of_a_long_body_a_beginning_is_recorded_and_all_is_passed_on() {
    let server = Server::behaving(Behaviour::AnswersOnce(
        b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n0123456789012345678901234567890123456789",
    ));
    let recording = Recording::of(&server.url, &["--body-limit", "16"]);
    let sent = super::recording::request("POST", "/v1/x", "", &"y".repeat(100));
    let came = raw(recording.address(), &sent);
    assert!(came.ends_with("0123456789"), "{came}");
    assert_eq!(server.sent_when(1)[0].body.len(), 100);
    let ended = recording.end();
    assert_eq!(ended.endings(), ["/v1/x: the answer is over 16 bytes"]);
    assert!(ended.text.contains("16 of 100 bytes"), "{}", ended.text);
}

#[test]
fn what_can_not_be_read_is_passed_on_and_said_to_be_missing() {
    let server = Server::behaving(Behaviour::AnswersOnce(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\nabc",
    ));
    let recording = Recording::of(&server.url, &[]);
    let sent = super::recording::request("POST", "/v1/x", "", "{}");
    let came = raw(recording.address(), &sent);
    assert!(came.ends_with("abc"), "{came}");
    let ended = recording.end();
    let why = "/v1/x: not recorded: of a body nothing can be read, for it is compressed as br";
    assert_eq!(ended.endings(), [why]);
    let told = "1 of them without what passed: the file says of each why";
    assert!(ended.said.contains(told), "{}", ended.said);
}

#[test]
fn what_a_browser_asks_beforehand_is_passed_on_and_judged_by_nothing() {
    let server = Server::behaving(Behaviour::AnswersOnce(
        b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n",
    ));
    let recording = Recording::of(&server.url, &[]);
    let came = raw(
        recording.address(),
        b"OPTIONS /v1/verify/identity/pan HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n",
    );
    assert!(came.starts_with("HTTP/1.1 204 "), "{came}");
    let ended = recording.end();
    assert!(
        ended.said.contains("0 with something broken"),
        "{}",
        ended.said
    );
    assert_eq!(ended.capture.cases.len(), 1);
}
