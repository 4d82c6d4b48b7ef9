//! HTTP archives (HAR 1.2), as browsers and proxies write them: read like traffic that passes, and written from a capture.

use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use data_encoding::BASE64;
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING};
use hyper::{Method, StatusCode};
use jiff::Timestamp;
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use svc_fixtures::contract::Environment;

use super::file::CaptureFile;
use super::flight::Landed;
use super::seen::{Seen, SeenBody, SeenHeaders};
use super::{RecordPlan, Recorded, RouteKind, desk};
use crate::capture::{Arrived, Capture, Channel, Exchange, TransportError};
use crate::target::is_loopback;

/// An archive, as far as it is calls of the service.
#[derive(Debug)]
pub struct Archive {
    calls: Vec<Seen>,
    /// How many entries are of other addresses.
    pub others: usize,
    /// Whether all calls went to this machine.
    pub local: bool,
    /// Which environments they went to.
    pub environments: Vec<Environment>,
}

#[derive(Debug, Deserialize)]
struct Har {
    log: Log,
}

#[derive(Debug, Deserialize)]
struct Log {
    /// Each as it stands there: what is of no call of the service may be of any form.
    entries: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    started_date_time: String,
    /// In milliseconds; null where it never ended.
    #[serde(default)]
    time: Option<f64>,
    request: HarRequest,
    response: HarResponse,
    /// What an archive made of a capture says beside: whether it is a webhook.
    #[serde(default, rename = "_webhook")]
    webhook: bool,
    /// And what went wrong on the wire.
    #[serde(default, rename = "_transportError")]
    transport_error: Option<TransportError>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarRequest {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<HarHeader>,
    #[serde(default)]
    post_data: Option<HarContent>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HarResponse {
    status: i64,
    #[serde(default)]
    status_text: String,
    #[serde(default)]
    headers: Vec<HarHeader>,
    #[serde(default)]
    content: HarContent,
    /// How long the body was on the way; negative where nobody knows.
    #[serde(default)]
    body_size: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct HarHeader {
    name: String,
    value: String,
}

#[derive(Debug, Default, Deserialize)]
struct HarContent {
    #[serde(default)]
    size: i64,
    text: Option<String>,
    encoding: Option<String>,
}

/// The beginning of all paths of the interface.
const INTERFACE: &str = "/v1/";

impl Entry {
    /// Whether it is a call: not what a browser asks beforehand or redirects by itself, nor the beginning of a web socket.
    fn is_call(&self) -> bool {
        let (request, response) = (&self.request, &self.response);
        let by_itself = response.status_text == "Internal Redirect";
        let socket = request.url.starts_with("ws") || response.status == 101;
        request.method != "OPTIONS" && !by_itself && !socket
    }
}

impl Archive {
    /// Reads the text of an archive. Entries that are no calls of the interface are counted and left out.
    ///
    /// # Errors
    /// Where it is no archive, or one of its calls can't be read.
    pub fn read(text: &str) -> anyhow::Result<Self> {
        let har: Har = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .context("it is no HTTP archive")?;
        let mut archive = Archive {
            calls: Vec::new(),
            others: 0,
            local: true,
            environments: Vec::new(),
        };
        for (at, entry) in har.log.entries.into_iter().enumerate() {
            let is_webhook = entry.get("_webhook") == Some(&Value::Bool(true));
            let url = entry.get("request").and_then(|it| it.get("url")?.as_str());
            let url = url.and_then(|url| Url::parse(url).ok());
            let Some(url) = url.filter(|url| is_webhook || url.path().contains(INTERFACE)) else {
                archive.others += 1;
                continue;
            };
            let read = || {
                let entry: Entry = serde_json::from_value(entry)?;
                let number = archive.calls.len() as u64 + 1;
                let is_call = entry.is_call();
                is_call.then(|| seen(number, &url, entry)).transpose()
            };
            let Some(seen) = read().with_context(|| format!("entry {}", at + 1))? else {
                archive.others += 1;
                continue;
            };
            archive.local &= is_loopback(&url);
            if let RouteKind::Calls(environment) = seen.kind
                && !archive.environments.contains(&environment)
            {
                archive.environments.push(environment);
            }
            archive.calls.push(seen);
        }
        match archive.calls.is_empty() {
            true => bail!(
                "none of its {} entries is a call below {INTERFACE}",
                archive.others
            ),
            false => Ok(archive),
        }
    }

    /// Judges the calls and writes them, as if they passed.
    pub fn record(self, plan: &RecordPlan, file: CaptureFile, say: desk::Say) -> Recorded {
        let (to_desk, landed) = mpsc::channel();
        for seen in self.calls {
            to_desk
                .send(Some(Landed { seen, place: None }))
                .expect("its other end is below");
        }
        drop(to_desk);
        desk::work(plan, file, &landed, say)
    }
}

fn seen(number: u64, url: &Url, entry: Entry) -> anyhow::Result<Seen> {
    let (request, response) = (entry.request, entry.response);
    let headers = headers(&request.headers);
    let path = url.path();
    let path = match entry.webhook {
        true => path,
        false => &path[path.find(INTERFACE).unwrap_or_default()..],
    };
    let came = body(&response.content)?;
    let took_ms = entry.time.unwrap_or_default().clamp(0.0, 86_400_000.0);
    let began: Timestamp = entry.started_date_time.parse().context("startedDateTime")?;
    let status = u16::try_from(response.status).ok();
    let status = status.and_then(|status| StatusCode::from_u16(status).ok());
    // Of what was broken off the archive does not say by whom.
    let unanswered = status.is_none() && entry.transport_error.is_none();
    let told = response
        .content
        .size
        .max(response.body_size.unwrap_or_default());
    let text = response.content.text.as_deref().unwrap_or_default();
    let missing = text.is_empty() && told > 0;
    let lacks = match (unanswered, missing) {
        (true, _) => Some("the archive has no answer to it"),
        (false, true) => Some("the archive has no body of its answer"),
        (false, false) => None,
    };
    Ok(Seen {
        number,
        kind: match entry.webhook {
            true => RouteKind::Webhooks,
            false => RouteKind::Calls(environment(&headers, &came.bytes)),
        },
        method: Method::from_bytes(request.method.as_bytes()).context("the method")?,
        path: path.to_owned(),
        query: url.query().unwrap_or_default().to_owned(),
        sent: body(&request.post_data.unwrap_or_default())?,
        answer: status.map(|status| (status, SeenHeaders::of(&self::headers(&response.headers)))),
        error: status.is_none().then(|| {
            entry
                .transport_error
                .unwrap_or_else(|| TransportError::Cut {
                    why: "the archive has no answer".to_owned(),
                    arrived: Arrived::default(),
                })
        }),
        unread: lacks.map(str::to_owned),
        came,
        headers: SeenHeaders::of(&headers),
        took: Duration::from_secs_f64(took_ms / 1000.0),
        at_s: began.as_second(),
    })
}

/// The sandbox unless the answer or the key says live.
fn environment(headers: &HeaderMap, came: &[u8]) -> Environment {
    let key = headers.get("authorization").map(HeaderValue::as_bytes);
    let prefix = Environment::Live.key_prefix().as_bytes();
    let live = key.is_some_and(|key| key.windows(prefix.len()).any(|part| part == prefix));
    match live {
        true => Environment::Live,
        false => desk::environment_of(came),
    }
}

fn body(content: &HarContent) -> anyhow::Result<SeenBody> {
    let text = content.text.as_deref().unwrap_or_default();
    let bytes = match content.encoding.as_deref() {
        Some("base64") => BASE64.decode(text.as_bytes()).context("a body in base64")?,
        _ => text.as_bytes().to_vec(),
    };
    Ok(SeenBody {
        length: bytes.len(),
        bytes,
        whole: true,
    })
}

/// Headers as a message has them: an archive has bodies as they were before they were coded, and the names of HTTP/2
/// that begin with a colon are none of HTTP/1.
fn headers(headers: &[HarHeader]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for header in headers {
        let name = HeaderName::from_bytes(header.name.as_bytes());
        let value = HeaderValue::from_str(&header.value);
        if let (Ok(name), Ok(value)) = (name, value)
            && ![CONTENT_ENCODING, TRANSFER_ENCODING].contains(&name)
        {
            map.append(name, value);
        }
    }
    map
}

/// A capture as an archive. It says nothing of addresses, so those are made up.
#[must_use]
pub fn export(capture: &Capture) -> Value {
    let exchanges = capture.cases.iter().flat_map(|case| {
        let named = move |exchange| (case.case.as_str(), exchange);
        case.exchanges.iter().map(named)
    });
    let http = |(_, exchange): &(&str, &Exchange)| {
        matches!(
            exchange.request.channel,
            Channel::Api | Channel::Page | Channel::Webhook
        )
    };
    let entries: Vec<_> = exchanges
        .filter(http)
        .map(|(name, one)| entry(name, one, capture.local))
        .collect();
    json!({ "log": {
        "version": "1.2",
        "creator": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "entries": entries,
    } })
}

fn entry(name: &str, exchange: &Exchange, local: bool) -> Value {
    let request = &exchange.request;
    // What was sent on this machine has nobody's data in it, which is known by the address.
    let host = match (request.channel, request.environment, local) {
        (Channel::Webhook, _, true) => "http://127.0.0.1:9000",
        (Channel::Webhook, _, false) => "https://receiver.example",
        (_, Environment::Test, true) => "http://127.0.0.1:8801",
        (_, Environment::Test, false) => "https://sandbox.example",
        (_, Environment::Live, true) => "http://127.0.0.1:8802",
        (_, Environment::Live, false) => "https://live.example",
    };
    let began = Timestamp::from_second(exchange.at_s.unwrap_or_default()).unwrap_or_default();
    let query = request.query.split('&').filter(|pair| !pair.is_empty());
    let query = query.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let query: Vec<_> = query
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    let mut sent = request.headers.clone();
    if let Some(key) = &request.authorization {
        sent.push(("authorization".to_owned(), key.expose().to_owned()));
    }
    let mut asked = json!({
        "method": request.method, "url": request.url_at(host), "httpVersion": "HTTP/1.1",
        "cookies": [], "headers": pairs(&sent), "queryString": query,
        "headersSize": -1, "bodySize": request.body.len(),
    });
    if !request.body.is_empty() {
        let mut data = content(&request.body, request.header("content-type"));
        if let Some(data) = data.as_object_mut() {
            data.remove("size");
        }
        asked["postData"] = data;
    }
    let (answered, error) = match &exchange.response {
        Ok(response) => {
            let body = content(&response.body, response.header("content-type"));
            let headers = pairs(&response.headers);
            (answer(response.status, &headers, &body), String::new())
        }
        Err(error) => (
            answer(0, &json!([]), &content(&[], None)),
            error.to_string(),
        ),
    };
    let took = exchange.took_ms;
    let mut entry = json!({
        "startedDateTime": began.to_string(), "time": took, "request": asked, "response": answered,
        "cache": {}, "timings": { "send": 0, "wait": took, "receive": 0 }, "comment": name,
    });
    if let Err(why) = &exchange.response {
        entry["_error"] = error.into();
        entry["_transportError"] = json!(why);
    }
    if request.channel == Channel::Webhook {
        entry["_webhook"] = true.into();
    }
    entry
}

fn answer(status: u16, headers: &Value, content: &Value) -> Value {
    json!({
        "status": status, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": headers,
        "content": content, "redirectURL": "", "headersSize": -1, "bodySize": content["size"],
    })
}

fn pairs(headers: &[(String, String)]) -> Value {
    let pairs = headers.iter();
    let pairs = pairs.map(|(name, value)| json!({ "name": name, "value": value }));
    pairs.collect()
}

/// A body, as text where it is text.
fn content(body: &[u8], kind: Option<&str>) -> Value {
    let kind = kind.unwrap_or("application/octet-stream");
    match std::str::from_utf8(body) {
        Ok(text) => json!({ "size": body.len(), "mimeType": kind, "text": text }),
        Err(_) => json!({
            "size": body.len(), "mimeType": kind, "text": BASE64.encode(body), "encoding": "base64",
        }),
    }
}
