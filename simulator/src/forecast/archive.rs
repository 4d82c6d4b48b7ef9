//! The calls of an HTTP archive (HAR 1.2), as browsers and proxies save them.

use data_encoding::BASE64;
use jiff::Timestamp;
use serde::Deserialize;
use svc_capture::{Arrived, Channel, Credential, Exchange, Request, Response, TransportError};
use svc_fixtures::contract::Environment;

use super::captured::seen;
use super::left_out::{LeftOutLine, LeftOutLines};
use super::seen::SeenCall;

/// What all paths of the service begin with.
const INTERFACE: &str = "/v1/";

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "startedDateTime")]
    started: String,
    #[serde(default)]
    time: f64,
    request: Asked,
    response: Answered,
}

#[derive(Deserialize)]
struct Asked {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    #[serde(default, rename = "postData")]
    posted: Option<Content>,
}

#[derive(Deserialize)]
struct Answered {
    #[serde(default)]
    status: i64,
    #[serde(default)]
    headers: Vec<Header>,
    #[serde(default)]
    content: Content,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize, Default)]
struct Content {
    #[serde(default)]
    text: String,
    #[serde(default)]
    encoding: String,
}

/// The calls of an archive, each with its number; none where the text is no archive.
pub(super) fn read_archive(
    file: &str,
    text: &str,
    left_out: &mut LeftOutLines,
) -> Option<Vec<(usize, SeenCall, String)>> {
    let archive: Archive = serde_json::from_str(text).ok()?;
    let mut calls = Vec::new();
    for (at, entry) in archive.log.entries.into_iter().enumerate() {
        let number = at + 1;
        let path = path_of(&entry.request.url).to_owned();
        let line = format!("{} {path}", entry.request.method);
        match entry.calls(path) {
            Ok(seen) => calls.extend(seen.into_iter().map(|call| (number, call, line.clone()))),
            Err(why) => left_out.add(LeftOutLine {
                file: file.to_owned(),
                line: number,
                why: why.to_owned(),
                text: line,
            }),
        }
    }
    Some(calls)
}

/// The path of an address, without its query.
fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

impl Entry {
    fn calls(self, path: String) -> Result<Vec<SeenCall>, &'static str> {
        // What stands before it is where a proxy has the service.
        let Some(below) = path.find(INTERFACE) else {
            return Err("it is no call of the service");
        };
        let at: Option<Timestamp> = self.started.parse().ok();
        // Whole milliseconds: what is below, or no time at all, is none.
        let took_ms = self.time.clamp(0.0, 1e12).round() as u64;
        let response = match u16::try_from(self.response.status) {
            Ok(status) if status > 0 => Ok(Response {
                status,
                headers: headers(self.response.headers),
                body: self.response.content.bytes(),
            }),
            _ => Err(TransportError::TimedOut(Arrived {
                waited_ms: took_ms,
                ..Arrived::default()
            })),
        };
        let exchange = Exchange {
            request: Request {
                channel: Channel::Api,
                environment: Environment::Live,
                method: self.request.method,
                path: path[below..].to_owned(),
                query: String::new(),
                authorization: None,
                headers: headers(self.request.headers),
                body: self.request.posted.unwrap_or_default().bytes(),
                padded_to: None,
            },
            credential: Credential::Nothing,
            at_s: at.map(Timestamp::as_second),
            response,
            took_ms,
            result: None,
        };
        let mut calls = seen(&exchange, String::new(), None)?;
        for call in &mut calls {
            call.at = at.or(call.at);
        }
        Ok(calls)
    }
}

impl Content {
    fn bytes(self) -> Vec<u8> {
        match self.encoding.as_str() {
            "base64" => BASE64.decode(self.text.as_bytes()).unwrap_or_default(),
            _ => self.text.into_bytes(),
        }
    }
}

/// Names in lower case, as a capture has them; without keys, which nobody here needs.
fn headers(all: Vec<Header>) -> Vec<(String, String)> {
    let named = all
        .into_iter()
        .map(|it| (it.name.to_ascii_lowercase(), it.value));
    named.filter(|(name, _)| name != "authorization").collect()
}
