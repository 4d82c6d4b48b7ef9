//! The HTTP target: what it sends, what it follows, and when it gives up.

use svc_contract_tests::capture::{Channel, Request, Response, TransportError};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::target::{HttpTarget, Target, Timeouts};
use svc_fixtures::contract::Environment;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

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
    }
}

/// Sends one request to a server that answers with these bytes; answers what it was sent, too.
async fn exchange(answer: &'static str) -> (String, Result<Response, TransportError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}/", listener.local_addr().expect("an address"));
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a connection");
        let mut sent = vec![0; 4096];
        let length = socket.read(&mut sent).await.expect("a request");
        socket
            .write_all(answer.as_bytes())
            .await
            .expect("it is still there");
        String::from_utf8_lossy(&sent[..length]).to_lowercase()
    });
    let target = HttpTarget::new(base.parse().expect("a URL"), None, Timeouts::default());
    let answered = target
        .expect("a client")
        .send(&request(Environment::Test))
        .await;
    (server.await.expect("the server ends"), answered)
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_not_followed() {
    let (sent, answered) = exchange(
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\n{}",
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
    let (_, answered) = exchange("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}").await;
    assert!(
        matches!(answered, Err(TransportError::Unreachable(_))),
        "{answered:?}"
    );
}

#[tokio::test]
async fn without_an_address_of_live_nothing_is_sent_there() {
    let base = "http://127.0.0.1:1/".parse().expect("a URL");
    let target = HttpTarget::new(base, None, Timeouts::default()).expect("a client");
    let answered = target.send(&request(Environment::Live)).await;
    assert!(
        matches!(answered, Err(TransportError::NotSendable(_))),
        "{answered:?}"
    );
}
