//! The calls of captures, as the contract tests record them.

use jiff::Timestamp;
use svc_capture::{Capture, Channel, Exchange, Response, TransportError};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use super::left_out::{LeftOutLine, LeftOutLines};
use super::seen::{SeenCall, SeenKind};

/// The calls of a capture, each with its number, and results that webhooks brought.
pub(super) fn read_capture(
    file: &str,
    capture: &Capture,
    left_out: &mut LeftOutLines,
) -> Vec<(usize, SeenCall, String)> {
    // A simulator opens an account for each case; any other service has one for all.
    let is_own = capture.capabilities.control.is_some();
    let mut calls = Vec::new();
    let mut number = 0;
    for (case, captured) in capture.cases.iter().enumerate() {
        if captured.is_left_out() {
            left_out.add(LeftOutLine {
                file: file.to_owned(),
                line: number + 1,
                why: "the capture left out what was sent and answered".to_owned(),
                text: captured.case.clone(),
            });
        }
        for exchange in &captured.exchanges {
            number += 1;
            let account = if is_own {
                case.to_string()
            } else {
                String::new()
            };
            let line = format!("{} {}", exchange.request.method, exchange.request.path);
            match seen(exchange, account, Some(exchange.request.environment)) {
                Ok(seen) => calls.extend(seen.into_iter().map(|call| (number, call, line.clone()))),
                Err(why) => left_out.add(LeftOutLine {
                    file: file.to_owned(),
                    line: number,
                    why: why.to_owned(),
                    text: line,
                }),
            }
        }
    }
    calls
}

/// The call of an exchange and the result that came for it; only the result, where it is a webhook. Where nobody says where
/// it went the answer does.
pub(super) fn seen(
    exchange: &Exchange,
    account: String,
    environment: Option<Environment>,
) -> Result<Vec<SeenCall>, &'static str> {
    let request = &exchange.request;
    let at = exchange.at_s.and_then(|at| Timestamp::from_second(at).ok());
    match request.channel {
        Channel::Api => {}
        Channel::Webhook | Channel::Sink | Channel::Registered => {
            let envelope = envelope(&request.body);
            let envelope = envelope.ok_or("it asks a receiver of webhooks, and costs nothing")?;
            return Ok(vec![result(&envelope, account, at)]);
        }
        Channel::Page | Channel::Console => {
            return Err("it asks a page or a console, and costs nothing");
        }
    }
    if request.method != "POST" {
        // A look-up tells the result of a call that was pending.
        let answer = exchange.response.as_ref().ok();
        let told = answer.and_then(|it| envelope(&it.body));
        let told = told.ok_or("it asks about calls, and costs nothing")?;
        return Ok(vec![result(&told, account, at)]);
    }
    let mut call = SeenCall {
        name: request.path.clone(),
        account: account.clone(),
        environment,
        at,
        key: request.header("idempotency-key").map(str::to_owned),
        body: Json::parse(&request.body).ok().map(Json::into_owned),
        kind: SeenKind::Call,
        ..SeenCall::default()
    };
    match &exchange.response {
        Ok(response) => call.add_response(response),
        Err(TransportError::Unreachable(_) | TransportError::NotSendable(_)) => {
            return Err("there was no connection, or it was not sent");
        }
        Err(_) => call.is_unanswered = true,
    }
    // The figure of the envelope is what the service says; what was measured is what a caller waits.
    // Where it is known when it came it was measured, though it be less than a millisecond.
    let measured = exchange.took_ms > 0 || exchange.at_s.is_some();
    call.took_ms = measured.then_some(exchange.took_ms).or(call.took_ms);
    let later = exchange.result.as_ref().and_then(|it| envelope(&it.body));
    let later = later.map(|envelope| result(&envelope, account, None));
    Ok([call].into_iter().chain(later).collect())
}

fn result(envelope: &Json<'_>, account: String, at: Option<Timestamp>) -> SeenCall {
    let mut result = SeenCall {
        account,
        at,
        kind: SeenKind::Result,
        ..SeenCall::default()
    };
    result.add_envelope(envelope);
    // The envelope says when the call was made, not when this came.
    result.at = at;
    result
}

fn envelope(body: &[u8]) -> Option<Json<'static>> {
    let json = Json::parse(body).ok()?.into_owned();
    json.get("verificationId")?;
    Some(json)
}

impl SeenCall {
    fn add_response(&mut self, response: &Response) {
        self.http_status = Some(response.status);
        self.is_replay = response
            .header("idempotent-replay")
            .is_some_and(|it| it == "true");
        if let Some(envelope) = envelope(&response.body) {
            self.add_envelope(&envelope);
        }
    }
}
