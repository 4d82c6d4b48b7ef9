//! What was captured, as calls in the order in which they were made, each with what came of it and where it stands.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use svc_capture::{CUT_BODY, Capture, Channel, Credential, Exchange, Response, TransportError};
use svc_fixtures::contract::{Contract, Environment, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::headers::{COUNTED, IDEMPOTENCY_KEY, more_headers};
use super::refusals::{is_about_keys, is_executed};
use crate::scenario::{AnswerForm, MoreHeaders, WireFault};

/// Recorded traffic.
#[derive(Debug, Clone)]
pub struct Traffic {
    /// The calls that can be made again in process.
    pub calls: Vec<TrafficCall>,
    /// What can't, and why.
    pub left_out: BTreeMap<&'static str, usize>,
    /// How many calls were executed under a key of idempotency that the service had answered before, the same call or
    /// another one. The simulator would give its first answer again, or refuse them: they are made under another key.
    pub executed_again: usize,
    /// What the answers share.
    pub shared: AnswerForm,
}

/// One call.
#[derive(Debug, Clone)]
pub struct TrafficCall {
    /// Which of the accounts that were seen made it: what is counted is counted for each.
    pub life: usize,
    /// Where it was sent.
    pub environment: Environment,
    /// The method.
    pub method: String,
    /// The path, as it is on the wire.
    pub path: String,
    /// The query.
    pub query: String,
    /// The headers that count, by name.
    pub headers: BTreeMap<String, String>,
    /// The other ones: rules that are there already may ask for them.
    pub more: MoreHeaders,
    /// The body, as it was sent.
    pub body: Vec<u8>,
    /// The body as it is read; null where it is no JSON.
    pub json: Json<'static>,
    /// The operation, where it calls one.
    pub operation: Option<OperationIndex>,
    /// What came back.
    pub came: Came,
    /// The result, where it came later.
    pub result: Option<Enveloped>,
    /// How long after the call it came, where that was measured.
    pub after_ms: Option<u64>,
    /// How long the answer took.
    pub took_ms: u64,
    /// Whether the service gave an answer again, under the same idempotency key.
    pub is_replay: bool,
    /// Whether it is a step of the bundle that was called before it.
    pub is_step: bool,
    /// Where it stands.
    pub place: Provenance,
}

/// What came of a call at once.
#[derive(Debug, Clone)]
pub enum Came {
    /// An answer.
    Answer(Enveloped),
    /// Something went wrong on the wire.
    Fault(WireFault),
}

/// An envelope and its HTTP status.
#[derive(Debug, Clone, PartialEq)]
pub struct Enveloped {
    /// The status.
    pub status: u16,
    /// The envelope.
    pub envelope: Json<'static>,
}

/// Where a call stands in the capture.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provenance {
    /// When it was made.
    pub at: Option<Timestamp>,
    /// Which exchange of the file it is, from 1.
    pub number: usize,
    /// The line it begins at, where the file has one for it.
    pub line: Option<usize>,
}

impl fmt::Display for Provenance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "exchange {}", self.number)?;
        if let Some(line) = self.line {
            write!(out, " (line {line})")?;
        }
        match self.at {
            Some(at) => write!(out, ", {}", at.strftime("%Y-%m-%d %H:%M:%S UTC")),
            None => Ok(()),
        }
    }
}

impl Enveloped {
    /// The text of a member of the envelope.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.envelope
            .get(name)
            .and_then(Json::as_text)
            .unwrap_or_default()
    }

    /// The error's code, where it is an error.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        self.envelope.get("error")?.get("code")?.as_text()
    }

    fn of(response: &Response) -> Option<Enveloped> {
        let envelope = Json::parse(&response.body).ok()?.into_owned();
        envelope.get("verificationId")?;
        Some(Enveloped {
            status: response.status,
            envelope,
        })
    }
}

impl TrafficCall {
    /// What came at once, where it is an answer.
    #[must_use]
    pub fn answer(&self) -> Option<&Enveloped> {
        match &self.came {
            Came::Answer(answer) => Some(answer),
            Came::Fault(_) => None,
        }
    }

    /// The answer that says most: the result, where it came later.
    #[must_use]
    pub fn last(&self) -> Option<&Enveloped> {
        self.result.as_ref().or_else(|| self.answer())
    }

    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }
}

const KEYS: &str = "it is about keys: a rule asks for inputs, not for who calls";
const CONSOLE: &str = "it asks a console, a page or a receiver of webhooks";
const NO_ENVELOPE: &str = "what came back is no envelope";
const GAVE_UP: &str =
    "whoever asked, or recorded, did not wait for the answer: that says nothing of the service";
const NOT_SENT: &str = "there was no connection, or it was not sent";
const NOT_THERE: &str = "the capture names it, and left out what was sent and answered";
const LONG: &str = "its body is not in the capture";

impl Traffic {
    /// The calls of a capture. `text` is its file, for the lines.
    #[must_use]
    pub(super) fn of(contract: &Contract, capture: &Capture, text: &str) -> Self {
        let lines = exchange_lines(text);
        // A simulator opens an account for each case; any other service has one for all.
        let is_own = capture.capabilities.control.is_some();
        let mut traffic = Traffic {
            calls: Vec::new(),
            left_out: BTreeMap::new(),
            executed_again: 0,
            shared: AnswerForm::default(),
        };
        let mut ended = Vec::new();
        let mut number = 0;
        for (case, captured) in capture.cases.iter().enumerate() {
            if captured.is_left_out() {
                *traffic.left_out.entry(NOT_THERE).or_default() += 1;
            }
            for exchange in &captured.exchanges {
                number += 1;
                ended.extend(brought(contract, exchange));
                let place = Provenance {
                    at: exchange.at_s.and_then(|at| Timestamp::from_second(at).ok()),
                    number,
                    line: lines.get(number - 1).copied(),
                };
                let life = if is_own { case } else { 0 };
                match call(contract, exchange, (life, is_own), place) {
                    Ok(call) => traffic.calls.push(call),
                    Err(why) => *traffic.left_out.entry(why).or_default() += 1,
                }
            }
        }
        if lines.len() != number {
            traffic
                .calls
                .iter_mut()
                .for_each(|call| call.place.line = None);
        }
        traffic
            .calls
            .sort_by_key(|call| (call.life, call.place.at, call.place.number));
        traffic.note_replays();
        traffic.note_results(&ended, capture.capabilities.movable_clock);
        traffic
    }

    /// Calls under a key that was used for the same before: they were answered, not executed, unless the answer is
    /// another one.
    fn note_replays(&mut self) {
        let mut used: BTreeMap<_, (String, usize, usize)> = BTreeMap::new();
        let mut told = Vec::new();
        // What was executed under a key, each path and body once.
        let mut executed: BTreeMap<_, Vec<(String, Vec<u8>)>> = BTreeMap::new();
        for (at, call) in self.calls.iter_mut().enumerate() {
            let Some(key) = call.header(IDEMPOTENCY_KEY) else {
                continue;
            };
            let stored = call
                .answer()
                .and_then(Enveloped::code)
                .is_none_or(is_executed);
            let of_key = (call.life, call.environment.as_str(), key.to_owned());
            let asked = (call.path.clone(), call.body.clone());
            let known = executed.entry(of_key).or_default();
            let before = known.iter().position(|it| *it == asked);
            let before = before.unwrap_or(if stored { known.len() } else { 0 });
            if stored && before == known.len() {
                self.executed_again += usize::from(before > 0);
                known.push(asked);
            }
            let key = match before {
                0 => key.to_owned(),
                _ => format!("{key}-other-{before}"),
            };
            call.headers.insert(IDEMPOTENCY_KEY.to_owned(), key.clone());
            let scope = (
                call.life,
                call.environment.as_str(),
                key,
                call.path.clone(),
                call.body.clone(),
            );
            let id = |call: &TrafficCall| {
                let id = call.answer().map(|it| it.text("verificationId"));
                id.unwrap_or_default().to_owned()
            };
            let own = id(call);
            let Some((first, times, place)) = used.get_mut(&scope) else {
                if stored {
                    used.insert(scope, (own, 1, at));
                }
                continue;
            };
            let is_another = !first.is_empty() && !own.is_empty() && own != *first;
            if is_another && stored && !call.is_replay {
                self.executed_again += 1;
                (*first, *times, *place) = (own, *times + 1, at);
            } else {
                call.is_replay = true;
                told.extend(call.answer().cloned().map(|answer| (*place, answer)));
            }
            if *times > 1 {
                let key = format!("{}-{times}", scope.2);
                call.headers.insert(IDEMPOTENCY_KEY.to_owned(), key);
            }
        }
        // Whoever did not get the answer asked again for it.
        for (place, answer) in told {
            let first = &mut self.calls[place];
            if matches!(first.came, Came::Fault(_)) {
                first.result.get_or_insert(answer);
            }
        }
    }

    /// Results that webhooks brought, and how long after the call that was.
    fn note_results(&mut self, ended: &[(Enveloped, Option<i64>)], moves: bool) {
        for (answer, at) in ended {
            let id = answer.text("verificationId");
            let is_it = |call: &&mut TrafficCall| {
                let first = call.answer();
                !call.is_replay
                    && first.is_some_and(|it| {
                        it.text("verificationId") == id && it.text("status") == "pending"
                    })
            };
            let Some(call) = self.calls.iter_mut().find(is_it) else {
                continue;
            };
            let since = call.place.at.map(Timestamp::as_second);
            let after = at
                .zip(since)
                .and_then(|(at, since)| u64::try_from(at - since).ok());
            if call.after_ms.is_none() && !moves {
                call.after_ms = after.map(|after| after * 1000);
            }
            call.result.get_or_insert_with(|| answer.clone());
        }
    }
}

/// The line each exchange begins at, in a file that is printed over several lines, or has a line for each case.
fn exchange_lines(text: &str) -> Vec<usize> {
    let lines = text.lines().zip(1..);
    let begins = lines.flat_map(|(line, number)| {
        let spread = usize::from(line.trim_start().starts_with("\"request\": {"));
        std::iter::repeat_n(number, spread + line.matches("\"request\":{").count())
    });
    begins.collect()
}

fn call(
    contract: &Contract,
    exchange: &Exchange,
    (life, is_own): (usize, bool),
    place: Provenance,
) -> Result<TrafficCall, &'static str> {
    let request = &exchange.request;
    if request.channel != Channel::Api {
        return Err(CONSOLE);
    }
    let caller = match &exchange.credential {
        Credential::Own => None,
        // Of a service with one account for all a second key is another client, or the first one's next key.
        Credential::Another(name) if !is_own && !is_refused_for_its_key(exchange) => Some(name),
        _ => return Err(KEYS),
    };
    if request.padded_to.is_some() || request.header(CUT_BODY).is_some() {
        return Err(LONG);
    }
    let (came, is_replay) = match &exchange.response {
        Ok(response) => {
            let replay = response
                .header("idempotent-replay")
                .is_some_and(|it| it == "true");
            (
                Came::Answer(Enveloped::of(response).ok_or(NO_ENVELOPE)?),
                replay,
            )
        }
        Err(error) if error.is_of_the_client() => return Err(GAVE_UP),
        Err(error) => (Came::Fault(fault(error).ok_or(NOT_SENT)?), false),
    };
    let json = Json::parse(&request.body)
        .map(Json::into_owned)
        .unwrap_or(Json::Null);
    let header = |name: &&str| {
        let sent = request.header(name)?;
        // Two callers may choose the same.
        let sent = match caller {
            Some(caller) if *name == IDEMPOTENCY_KEY => format!("{caller}-{sent}"),
            _ => sent.to_owned(),
        };
        Some(((*name).to_owned(), sent))
    };
    Ok(TrafficCall {
        life,
        environment: request.environment,
        method: request.method.clone(),
        path: request.path.clone(),
        query: request.query.clone(),
        headers: COUNTED.iter().filter_map(header).collect(),
        more: more_headers(&request.headers),
        body: request.body.clone(),
        json,
        operation: operation(contract, &request.method, &request.path),
        came,
        result: exchange.result.as_ref().and_then(Enveloped::of),
        after_ms: None,
        took_ms: exchange.took_ms,
        is_replay,
        is_step: false,
        place,
    })
}

/// Whether it is the key that an answer is about, and not what was asked.
fn is_refused_for_its_key(exchange: &Exchange) -> bool {
    let answer = exchange.response.as_ref().ok().and_then(Enveloped::of);
    let code = answer.as_ref().and_then(Enveloped::code);
    code.is_some_and(is_about_keys)
}

fn operation(contract: &Contract, method: &str, path: &str) -> Option<OperationIndex> {
    let is_called = |row: &svc_fixtures::contract::Operation| match row.path.strip_suffix('*') {
        Some(before) => path
            .strip_prefix(before)
            .is_some_and(|rest| !rest.is_empty() && !rest.contains('/')),
        None => sample::path(row) == path,
    };
    let mut rows = contract.indexed_operations();
    rows.find(|(_, row)| method == "POST" && is_called(row))
        .map(|(at, _)| at)
}

/// What a rule calls what went wrong.
fn fault(error: &TransportError) -> Option<WireFault> {
    match error {
        TransportError::Cut { arrived, .. } => Some(match arrived.status {
            None if arrived.garbage => WireFault::Garbage,
            None => WireFault::Reset,
            Some(_) => WireFault::CutAfter(u64::try_from(arrived.bytes).ok()?),
        }),
        TransportError::TimedOut(arrived) => Some(match arrived.status {
            None => WireFault::Never,
            Some(_) => WireFault::Slow {
                over_ms: arrived.waited_ms.saturating_mul(2),
            },
        }),
        TransportError::Unreachable(_)
        | TransportError::TooLong { .. }
        | TransportError::NotSendable(_) => None,
    }
}

/// The results that an exchange with a receiver of webhooks brought, and when.
fn brought(contract: &Contract, exchange: &Exchange) -> Vec<(Enveloped, Option<i64>)> {
    let is_receiver = matches!(
        exchange.request.channel,
        Channel::Sink | Channel::Registered | Channel::Webhook
    );
    let mut found = Vec::new();
    if is_receiver {
        // Of what a receiver has stored nobody knows when it came.
        if let Ok(json) = Json::parse(&exchange.request.body) {
            envelopes(contract, &json, exchange.at_s, &mut found);
        }
        if let Some(Ok(json)) = exchange
            .response
            .as_ref()
            .ok()
            .map(|it| Json::parse(&it.body))
        {
            envelopes(contract, &json, None, &mut found);
        }
    }
    found
}

fn envelopes(
    contract: &Contract,
    json: &Json<'_>,
    at: Option<i64>,
    found: &mut Vec<(Enveloped, Option<i64>)>,
) {
    match json {
        Json::Object(members) => {
            let status = json.get("status").and_then(Json::as_text);
            let ended = matches!(status, Some("completed" | "failed"))
                && json.get("verificationId").is_some();
            if ended {
                let envelope = json.clone().into_owned();
                let code = envelope
                    .get("error")
                    .and_then(|it| it.get("code"))
                    .and_then(Json::as_text);
                let known = code.and_then(svc_fixtures::contract::ErrorCode::parse);
                let status = known.map_or(200, |code| contract.error(code).status);
                return found.push((Enveloped { status, envelope }, at));
            }
            members
                .iter()
                .for_each(|(_, value)| envelopes(contract, value, at, found));
        }
        Json::List(items) => items
            .iter()
            .for_each(|item| envelopes(contract, item, at, found)),
        Json::Text(text) if text.starts_with(['{', '[']) => {
            if let Ok(inner) = Json::parse(text.as_bytes()) {
                envelopes(contract, &inner, at, found);
            }
        }
        _ => {}
    }
}
