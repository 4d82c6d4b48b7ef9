//! Calls as JSON: a line a call, a list of calls, or what the control API's call list answers. What is missing is lenient;
//! what can't be read is left out, with its line and why.

use jiff::Timestamp;
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use super::left_out::{LeftOutLine, LeftOutLines};
use super::seen::{SaidCharge, SeenCall, SeenKind, environment_of, instant, milliseconds};

/// The calls of a file, in the order of the file.
pub(super) struct ReadLines {
    /// Each with its line.
    pub(super) calls: Vec<(usize, SeenCall, String)>,
    /// What was left out.
    pub(super) left_out: LeftOutLines,
    /// Whether the newest stand first.
    pub(super) newest_first: bool,
}

/// So much of a line is shown.
const SNIPPET: usize = 60;

/// Reads a file.
pub(super) fn read_lines(file: &str, text: &str) -> ReadLines {
    let mut read = ReadLines {
        calls: Vec::new(),
        left_out: LeftOutLines::default(),
        newest_first: false,
    };
    // One document of them all, over several lines or on one.
    if let Ok(document) = Json::parse(text.as_bytes())
        && let Some(calls) = document
            .as_list()
            .or_else(|| document.get("calls")?.as_list())
    {
        read.newest_first = document.as_list().is_none();
        for (at, call) in calls.iter().enumerate() {
            // Which line an item stands on nobody can say: its number is told.
            read.add(file, at + 1, call, &call.to_string());
        }
        return read;
    }
    for (at, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        match Json::parse(line.as_bytes()) {
            Ok(json) => read.add(file, at + 1, &json, line),
            Err(mistake) => read.leave_out(file, at + 1, format!("it is no JSON: {mistake}"), line),
        }
    }
    read
}

impl ReadLines {
    fn add(&mut self, file: &str, line: usize, json: &Json<'_>, text: &str) {
        match seen(json) {
            Ok(call) => self.calls.push((line, call, snippet(text))),
            Err(why) => self.leave_out(file, line, why, text),
        }
    }

    fn leave_out(&mut self, file: &str, line: usize, why: String, text: &str) {
        self.left_out.add(LeftOutLine {
            file: file.to_owned(),
            line,
            why,
            text: snippet(text),
        });
    }
}

/// How a line begins.
fn snippet(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(SNIPPET) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A line as it is read: what is the call's own, of its request, of its response.
struct LogLine<'j> {
    line: &'j Json<'j>,
    request: Option<&'j Json<'j>>,
    response: Option<&'j Json<'j>>,
}

/// What a line says of a call.
fn seen(line: &Json<'_>) -> Result<SeenCall, String> {
    if line.as_object().is_none() {
        return Err(format!("it is {}, and no object", line.kind()));
    }
    if line.get("bundle").and_then(Json::as_text).is_some() {
        return Err("it is a step of a bundle: the bundle's line has its price".to_owned());
    }
    let object = |name: &str| line.get(name).filter(|it| it.as_object().is_some());
    let read = LogLine {
        line,
        request: object("request"),
        response: object("response"),
    };
    if let Some(method) = read
        .text("method")
        .filter(|it| !it.eq_ignore_ascii_case("POST"))
    {
        let method: String = method.chars().take(10).collect();
        return Err(format!("{method} asks about calls, and costs nothing"));
    }
    let mut call = read.call()?;
    let body = read.response.and_then(|it| it.get("body"));
    let is_envelope = |it: &&Json<'_>| it.get("billing").is_some();
    let response = read.response.filter(is_envelope);
    match line
        .get("envelope")
        .or(body)
        .or(response)
        .and_then(document)
    {
        Some(envelope) => call.add_envelope(&envelope),
        None => call.add_envelope(line),
    }
    Ok(call)
}

impl<'j> LogLine<'j> {
    /// A member of the line, or of its request.
    fn of(&self, name: &str) -> Option<&'j Json<'j>> {
        self.line.get(name).or_else(|| self.request?.get(name))
    }

    fn text(&self, name: &str) -> Option<&'j str> {
        self.of(name).and_then(Json::as_text)
    }

    /// The first of these members that is there.
    fn any(&self, names: &[&str]) -> Option<&'j Json<'j>> {
        names.iter().find_map(|name| self.line.get(name))
    }

    fn call(&self) -> Result<SeenCall, String> {
        let line = self.line;
        let flag = |name: &str| self.of(name).and_then(Json::as_bool).unwrap_or(false);
        let again = self.response.and_then(|it| header(it, "idempotent-replay"));
        let code = line.get("code").or_else(|| line.get("error")?.get("code"));
        let key = self.text("idempotencyKey").map(str::to_owned);
        let names = ["path", "url", "endpoint", "operation"];
        let name = names.iter().find_map(|name| self.text(name));
        let is_call = self.any(&["path", "request", "method"]).is_some();
        Ok(SeenCall {
            name: name.unwrap_or_default().to_owned(),
            account: self.text("account").unwrap_or_default().to_owned(),
            environment: self.environment()?,
            at: self.time()?,
            http_status: self.http_status(),
            status: line
                .get("status")
                .and_then(Json::as_text)
                .map(str::to_owned),
            code: code.and_then(Json::as_text).map(str::to_owned),
            said: self.charge()?,
            key: key.or_else(|| header(self.request?, "idempotency-key")),
            is_replay: flag("replay")
                || flag("idempotentReplay")
                || again.as_deref() == Some("true"),
            is_unanswered: false,
            body: self.of("body").and_then(document),
            subject: self
                .any(&["subject", "input"])
                .cloned()
                .map(Json::into_owned),
            took_ms: self
                .any(&["tookMs", "durationMs", "latencyMs"])
                .and_then(milliseconds),
            after_ms: line.get("resultAfterMs").and_then(milliseconds),
            id: self.text("verificationId").map(str::to_owned),
            data: None,
            kind: if is_call {
                SeenKind::Call
            } else {
                SeenKind::Envelope
            },
        })
    }

    fn time(&self) -> Result<Option<Timestamp>, String> {
        let at = self.any(&["at", "time", "timestamp", "createdAt"]);
        let time = at.and_then(instant);
        match at.is_some_and(|at| *at != Json::Null) && time.is_none() {
            true => Err(
                "its time is none: write 2026-11-23T10:00:00Z, or seconds since 1970".to_owned(),
            ),
            false => Ok(time),
        }
    }

    fn environment(&self) -> Result<Option<Environment>, String> {
        let name = self.text("environment");
        let found = name
            .map(|name| environment_of(name).ok_or("its environment is neither `live` nor `test`"));
        found.transpose().map_err(str::to_owned)
    }

    fn charge(&self) -> Result<Option<SaidCharge>, String> {
        let (charged, amount) = (self.line.get("charged"), self.line.get("amount"));
        let said = SaidCharge::read(charged, amount);
        let is_there = [charged, amount]
            .into_iter()
            .flatten()
            .any(|it| *it != Json::Null);
        match is_there && said.is_none() {
            true => Err(
                "its charge is no amount: rupees, 0 or more, with at most two decimals".to_owned(),
            ),
            false => Ok(said),
        }
    }

    fn http_status(&self) -> Option<u16> {
        let own = [self.line.get("httpStatus"), self.line.get("status")];
        let status = own.into_iter().find_map(|it| it?.as_int());
        let status = status.or_else(|| self.response?.get("status")?.as_int());
        status.and_then(|status| u16::try_from(status).ok())
    }
}

/// The JSON of a member: as it is, or in a text.
fn document(of: &Json<'_>) -> Option<Json<'static>> {
    match of {
        Json::Text(text) => Json::parse(text.as_bytes()).ok().map(Json::into_owned),
        Json::Null => None,
        other => Some(other.clone().into_owned()),
    }
}

/// A header of a list of `{name, value}`, of a list of pairs, or of an object.
fn header(of: &Json<'_>, name: &str) -> Option<String> {
    let headers = of.get("headers")?;
    let is_it = |found: &str| found.eq_ignore_ascii_case(name);
    let value = match headers {
        Json::Object(members) => members
            .iter()
            .find(|(key, _)| is_it(key))
            .map(|(_, value)| value),
        Json::List(items) => items.iter().find_map(|item| {
            let (key, value) = match item {
                Json::List(pair) => (pair.first()?, pair.get(1)?),
                line => (line.get("name")?, line.get("value")?),
            };
            key.as_text().is_some_and(is_it).then_some(value)
        }),
        _ => None,
    };
    value.and_then(Json::as_text).map(str::to_owned)
}
