//! Hands a delivery on to a local application: the same bytes and headers. Judges nothing.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use http::{HeaderMap, StatusCode};
use reqwest::{Client, Url};

/// How long the application may take to be reached, and to answer.
const REACH: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(30);

/// An application that deliveries are handed on to.
#[derive(Debug, Clone)]
pub(super) struct Forward {
    client: Client,
    url: Url,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Forwarded {
    /// The application answered.
    Answered(StatusCode),
    /// It did not; the text says why.
    Failed(String),
}

impl Forward {
    pub(super) fn new(client: Client, url: Url) -> Self {
        Forward { client, url }
    }

    /// Posts the bytes that came, with the headers that came, but for those of the connection.
    pub(super) async fn post(&self, headers: &HeaderMap, body: Bytes) -> Forwarded {
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
        let post = self
            .client
            .post(self.url.clone())
            .headers(headers)
            .body(body);
        match tokio::time::timeout(REACH + ANSWER, post.timeout(ANSWER).send()).await {
            Ok(Ok(answer)) => Forwarded::Answered(answer.status()),
            Ok(Err(error)) if error.is_timeout() => self.late(),
            Ok(Err(error)) => Forwarded::Failed(format!(
                "{} can't be reached ({}): is the application running there?",
                self.url,
                deepest(&error)
            )),
            Err(_) => self.late(),
        }
    }

    fn late(&self) -> Forwarded {
        Forwarded::Failed(format!(
            "{} did not answer within {} s",
            self.url,
            ANSWER.as_secs()
        ))
    }
}

/// What lies behind an error: the error itself only says that something failed.
pub(super) fn deepest(error: &dyn std::error::Error) -> String {
    let mut deepest = error;
    while let Some(cause) = deepest.source() {
        deepest = cause;
    }
    deepest.to_string()
}
