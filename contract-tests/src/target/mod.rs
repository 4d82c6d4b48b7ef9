//! What is judged, behind one interface: it takes a request and gives an answer, or says why not.

mod capabilities;
mod http;
mod pace;

use std::future::Future;

use serde::{Deserialize, Serialize};

use crate::redact::Secret;
use crate::sink::OwnSink;
use svc_fixtures::contract::Environment;

pub use capabilities::{Capabilities, ProbeError};
pub use http::{HttpTarget, Timeouts};
pub use pace::Pace;

/// A service under test.
pub trait Target: Sync {
    /// Sends one request and waits for its answer. Never retries and follows nothing: what the
    /// service said is what is judged.
    fn send(
        &self,
        request: &Request,
    ) -> impl Future<Output = Result<Response, TransportError>> + Send;

    /// Where it sends to, for people: no user, no password, no query. None where there is no address.
    fn address(&self, environment: Environment) -> Option<String> {
        let _ = environment;
        None
    }

    /// The address of the console it sends to, likewise.
    fn console(&self) -> Option<String> {
        None
    }

    /// The receiver that its webhooks reach without anybody's doing, where it has one.
    fn sink(&self) -> Option<OwnSink> {
        None
    }
}

/// Whom a request goes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// The service: every answer is the envelope.
    #[default]
    Api,
    /// A page that the service serves to people.
    Page,
    /// The control API of a simulator.
    Console,
    /// The run's own receiver of webhooks: what came to that path.
    Sink,
}

/// One request, as it goes out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Whom it goes to.
    #[serde(default)]
    pub door: Door,
    /// Where it goes.
    pub environment: Environment,
    /// The method.
    pub method: String,
    /// The path, as it goes on the wire.
    pub path: String,
    /// The query without its question mark; empty for none.
    pub query: String,
    /// The `Authorization` header, where one is sent.
    pub authorization: Option<Secret>,
    /// The other headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    #[serde(with = "bytes_as_text")]
    pub body: Vec<u8>,
}

/// One answer, as it came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    #[serde(with = "bytes_as_text")]
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum TransportError {
    /// Nobody listens there, or the connection broke.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// It took too long.
    #[error("no answer in time")]
    TimedOut,
    /// The answer is longer than any answer of the service.
    #[error("the answer is over {limit} bytes")]
    TooLong {
        /// How many bytes are read.
        limit: usize,
    },
    /// The request cannot be sent this way.
    #[error("cannot be sent: {0}")]
    NotSendable(String),
}

impl Request {
    /// The header of this name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

impl Response {
    /// The header of this name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    let found = headers
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

/// Bodies in a capture: as text where they are text, so that people can read them.
mod bytes_as_text {
    use data_encoding::BASE64;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Body {
        Text(String),
        Base64(String),
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], out: S) -> Result<S::Ok, S::Error> {
        let body = match std::str::from_utf8(bytes) {
            Ok(text) => Body::Text(text.to_owned()),
            Err(_) => Body::Base64(BASE64.encode(bytes)),
        };
        body.serialize(out)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<u8>, D::Error> {
        match Body::deserialize(reader)? {
            Body::Text(text) => Ok(text.into_bytes()),
            Body::Base64(text) => BASE64.decode(text.as_bytes()).map_err(D::Error::custom),
        }
    }
}
