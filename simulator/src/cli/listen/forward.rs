//! Forwards a delivery to a local application with the same bytes and headers.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, StatusCode};
use reqwest::{Client, Url};

/// How long the application may take to be reached, and to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// An application that deliveries are forwarded to.
#[derive(Debug, Clone)]
pub(super) struct Forwarder {
    client: Client,
    url: Url,
}

/// The outcome of forwarding a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ForwardResult {
    /// The application answered.
    Answered(StatusCode),
    /// It did not; the text says why.
    Failed(String),
}

impl Forwarder {
    pub(super) fn new(client: Client, url: Url) -> Self {
        Forwarder { client, url }
    }

    /// Posts the bytes that came, with the headers that came, but for those of the connection.
    pub(super) async fn post(&self, headers: &HeaderMap, body: Bytes) -> ForwardResult {
        let mut headers = headers.clone();
        for of_connection in [
            CONNECTION,
            CONTENT_LENGTH,
            EXPECT,
            HOST,
            TE,
            TRAILER,
            TRANSFER_ENCODING,
            UPGRADE,
        ] {
            headers.remove(of_connection);
        }
        let post = self.client.post(self.url.clone()).headers(headers);
        let post = post.body(body).timeout(ANSWER_TIMEOUT).send();
        match tokio::time::timeout(CONNECT_TIMEOUT + ANSWER_TIMEOUT, post).await {
            Ok(Ok(answer)) => ForwardResult::Answered(answer.status()),
            Ok(Err(error)) if !error.is_timeout() => ForwardResult::Failed(format!(
                "{} can't be reached ({}): is the application running there?",
                self.url,
                anyhow::Error::new(error).root_cause()
            )),
            Ok(Err(_)) | Err(_) => ForwardResult::Failed(format!(
                "{} did not answer within {} s",
                self.url,
                ANSWER_TIMEOUT.as_secs()
            )),
        }
    }
}
