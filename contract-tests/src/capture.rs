//! What was recorded: exchanges by check and case. Can be saved and judged again. Holds no key.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::prices::PriceList;
use crate::profile::Profile;
use crate::redact::Secret;
use svc_fixtures::contract::Environment;

/// Whom a request goes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// The service: every answer is the envelope.
    #[default]
    Api,
    /// A page that the service serves to people.
    Page,
    /// The control API of a simulator.
    Console,
    /// The run's own receiver of webhooks: what came to that path.
    Sink,
    /// The same receiver, where the provider's own console has registered it: what came for a verification.
    Registered,
}

/// One request, as it goes out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Whom it goes to.
    #[serde(default)]
    pub channel: Channel,
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
    /// The length that spaces behind the body bring it to, where it has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padded_to: Option<usize>,
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
    /// No connection came about.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// The connection broke before the answer was whole.
    #[error("the connection broke: {why}; {arrived}")]
    Cut {
        /// Why.
        why: String,
        /// What came before.
        arrived: Arrived,
    },
    /// It took too long.
    #[error("no answer in time: {0}")]
    TimedOut(Arrived),
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

/// What came of an answer that is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Arrived {
    /// Its status, where that came.
    pub status: Option<u16>,
    /// How many bytes of its body.
    pub bytes: usize,
    /// How long was waited in all.
    pub waited_ms: u64,
}

impl fmt::Display for Arrived {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            None => out.write_str("nothing")?,
            Some(status) => write!(out, "status {status} and {} bytes of the body", self.bytes)?,
        }
        write!(out, " came in {} ms", self.waited_ms)
    }
}

impl Request {
    /// The path, with the query where there is one.
    #[must_use]
    pub fn path_and_query(&self) -> String {
        match self.query.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }

    /// The URL that it goes to, where a service is reached at this address. The path of a page is one that an answer named:
    /// it begins at the root of the host, and has the address' own path already where there is one.
    #[must_use]
    pub fn url_at(&self, address: &str) -> String {
        let address = address.trim_end_matches('/');
        let host_at = address.find("://").map_or(0, |at| at + 3);
        let path_at = address[host_at..].find('/').map(|at| host_at + at);
        let base = match (self.channel, path_at) {
            (Channel::Page, Some(path_at)) => &address[..path_at],
            _ => address,
        };
        format!("{base}{}", self.path_and_query())
    }

    /// The body, as it goes on the wire.
    #[must_use]
    pub fn sent_body(&self) -> Vec<u8> {
        let mut body = self.body.clone();
        let length = self.padded_to.unwrap_or_default().max(body.len());
        body.resize(length, b' ');
        body
    }

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

/// One request and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// What was sent.
    pub request: Request,
    /// The key it was sent with.
    #[serde(default)]
    pub credential: Credential,
    /// When it came back by this machine's clock, in Unix seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_s: Option<i64>,
    /// What came back.
    pub response: Result<Response, TransportError>,
    /// How long that took.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub took_ms: u64,
    /// The result, where what came back was pending and it was waited for: the envelope as it was looked up or came by
    /// webhook, with the status that an answer of it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Response>,
}

impl Exchange {
    /// What a case goes on with: the result, where it came later.
    #[must_use]
    pub fn last(&self) -> Option<&Response> {
        self.result.as_ref().or(self.response.as_ref().ok())
    }
}

/// Which key a call presents: enough to send the like again, and no key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Credential {
    /// The run's own, for the environment the call is sent to.
    #[default]
    Own,
    /// The run's own for the other environment.
    OtherEnvironment,
    /// One with the right beginning that nobody has.
    Unknown,
    /// One with the beginning of the other environment's keys that nobody has.
    UnknownElsewhere,
    /// The run's own with a mistake in it.
    Mistyped(Mistake),
    /// What the run's own becomes when the console rotates it.
    Rotated,
    /// That of another account of this run, by a name of its own. Only a simulator has those.
    Another(String),
    /// That of an account that is built into a simulator, by its name.
    BuiltIn(String),
    /// The same, of the other environment.
    BuiltInElsewhere(String),
    /// None, but this value of the header.
    Header(String),
    /// No header at all.
    Nothing,
}

/// What is wrong with a key that is nearly the run's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mistake {
    /// Something stands behind it.
    Longer,
    /// Its end is missing.
    Shorter,
    /// Its letters are small where they are capitals, and the other way round.
    OtherCase,
}

/// The exchanges of one try of a case, one a step. Fewer than steps where one could not be made, or
/// had no whole answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CapturedCase {
    /// The id of the check.
    pub check: String,
    /// The name of the case.
    pub case: String,
    /// How often the case was tried before: each try has keys and an account of its own.
    #[serde(default, rename = "try", skip_serializing_if = "is_first")]
    pub try_: usize,
    /// How long the try took, what it waited for at its own pace included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub took_ms: u64,
    /// The exchanges.
    pub exchanges: Vec<Exchange>,
    /// Whether it was not tried again although something was in its way, since that had stayed in the way of
    /// others like it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_up: bool,
    /// Why there is none for the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_first(try_: &usize) -> bool {
    *try_ == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(ms: &u64) -> bool {
    *ms == 0
}

impl CapturedCase {
    /// A case of which nothing was sent yet.
    #[must_use]
    pub fn new(check: impl Into<String>, case: impl Into<String>) -> Self {
        CapturedCase {
            check: check.into(),
            case: case.into(),
            try_: 0,
            took_ms: 0,
            exchanges: Vec::new(),
            given_up: false,
            stopped: None,
        }
    }
}

/// What can be done with a service beside calling it. By default nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// The address of its control API, where it has one.
    pub control: Option<String>,
    /// Whether the clocks of its accounts can be moved there.
    pub movable_clock: bool,
    /// The address at which its webhooks reach this run, where its console is told of it.
    pub webhook_sink: Option<String>,
    /// Whether its own console has been told of that address by somebody, with a secret that the run was given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub registered: bool,
}

/// A whole run, with all that is needed to plan it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Capture {
    /// What made the run's keys and references its own.
    pub seed: String,
    /// Where it was sent.
    pub environments: Vec<Environment>,
    /// By which rules it was judged.
    pub profile: Profile,
    /// What calls cost there, where a list says so.
    #[serde(default, skip_serializing_if = "PriceList::is_empty")]
    pub prices: PriceList,
    /// Whether the answers came over HTTP, with all their headers.
    pub http: bool,
    /// What could be done with the service beside calling it.
    #[serde(default)]
    pub capabilities: Capabilities,
    /// Whether it was sent to this machine: then it holds nothing of a real person.
    #[serde(default)]
    pub local: bool,
    /// The cases.
    pub cases: Vec<CapturedCase>,
}

impl Capture {
    /// As JSON, for a file.
    ///
    /// # Errors
    /// Where a part of it is no JSON, which no exchange makes.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// From such a file.
    ///
    /// # Errors
    /// Where it is none.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The same with one case alone: what is saved of a failing one.
    #[must_use]
    pub fn of_case(&self, check: &str, case: &str) -> Self {
        let mine = |captured: &&CapturedCase| captured.check == check && captured.case == case;
        Capture {
            cases: self.cases.iter().filter(mine).cloned().collect(),
            ..self.clone()
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_at_the_root_of_the_host_and_a_call_below_the_address() {
        let at = |channel, path: &str, address| {
            let request = Request {
                channel,
                environment: Environment::Test,
                method: "GET".to_owned(),
                path: path.to_owned(),
                query: "a=b".to_owned(),
                authorization: None,
                headers: Vec::new(),
                body: Vec::new(),
                padded_to: None,
            };
            request.url_at(address)
        };
        let (plain, proxied) = ("http://127.0.0.1:1", "https://host.example/sim/live/");
        assert_eq!(
            at(Channel::Api, "/v1/x", plain),
            "http://127.0.0.1:1/v1/x?a=b"
        );
        assert_eq!(
            at(Channel::Api, "/v1/x", proxied),
            "https://host.example/sim/live/v1/x?a=b"
        );
        assert_eq!(
            at(Channel::Page, "/consent/x", plain),
            "http://127.0.0.1:1/consent/x?a=b"
        );
        let named = "/sim/live/consent/x";
        assert_eq!(
            at(Channel::Page, named, proxied),
            "https://host.example/sim/live/consent/x?a=b"
        );
    }
}
