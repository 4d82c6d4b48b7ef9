//! The HTTP target: what it sends, what it follows, and when it gives up.

use svc_contract_tests::capture::{Channel, Request, Response, TransportError};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::target::{HttpTarget, Target, Timeouts};
use svc_fixtures::contract::Environment;
use svc_test_support::{Behaviour, Server};
use svc_tls::Tls;

fn request(environment: Environment) -> Request {
    Request {
        channel: Channel::Api,
        environment,
        method: "POST".to_owned(),
        path: "/v1/some/path".to_owned(),
        query: "a=b".to_owned(),
        authorization: Some(Secret::new("Bearer svc_test_key")),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: b"{}".to_vec(),
        padded_to: None,
    }
}

/// Sends one request to a server that answers with these bytes; answers what it was sent, too.
async fn exchange(answer: &'static [u8]) -> (String, Result<Response, TransportError>) {
    let server = Server::behaving(Behaviour::AnswersOnce(answer));
    let base = format!("{}/", server.url).parse().expect("a URL");
    let target =
        HttpTarget::new(base, None, Timeouts::default(), &Tls::default()).expect("a client");
    let answered = target.send(&request(Environment::Test)).await;
    (server.sent()[0].text.to_lowercase(), answered)
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_not_followed() {
    let (sent, answered) = exchange(
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\n{}",
    )
    .await;
    let answered = answered.expect("an answer");
    assert_eq!(
        (answered.status, answered.body.as_slice()),
        (302, b"{}".as_slice())
    );
    assert_eq!(answered.header("Location"), Some("http://127.0.0.1:1/"));
    assert!(
        sent.starts_with("post /v1/some/path?a=b http/1.1"),
        "{sent}"
    );
    assert!(
        sent.contains("authorization: bearer svc_test_key"),
        "{sent}"
    );
}

#[tokio::test]
async fn a_connection_that_breaks_is_no_answer() {
    let (_, answered) = exchange(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}").await;
    assert!(
        matches!(&answered, Err(TransportError::Cut { arrived, .. })
            if arrived.status == Some(200) && arrived.bytes == 2),
        "{answered:?}"
    );
}

#[tokio::test]
async fn without_an_address_of_live_nothing_is_sent_there() {
    let base = "http://127.0.0.1:1/".parse().expect("a URL");
    let target =
        HttpTarget::new(base, None, Timeouts::default(), &Tls::default()).expect("a client");
    let answered = target.send(&request(Environment::Live)).await;
    assert!(
        matches!(answered, Err(TransportError::NotSendable(_))),
        "{answered:?}"
    );
}
