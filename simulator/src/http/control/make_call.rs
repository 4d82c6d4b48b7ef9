//! A call that is made as an account would make it: with its key, to the handler of the API listener, in
//! process. What the service answers is the answer's content, whatever its status is.

use std::collections::BTreeMap;
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::EnvironmentDto;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::state::access::{Key, KeyState};
use crate::host::AccountCell;
use crate::http::in_process_call::InProcessCall;

/// A call to make.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("not" = { "required": ["body", "text"] }))]
pub(super) struct CallToMakeDto {
    account: String,
    /// `test` where it is left out.
    environment: Option<EnvironmentDto>,
    /// `POST` where it is left out.
    method: Option<MethodDto>,
    /// With its query, where it has one: `/v1/usage?from=2026-01-01`.
    #[schemars(extend("pattern" = "^/[!-~]*$"))]
    path: String,
    /// The body.
    body: Option<Map<String, Value>>,
    /// The body as it is to be sent, where it may be no JSON object.
    text: Option<String>,
    /// Its `Idempotency-Key`; none where it is left out.
    idempotency_key: Option<String>,
    /// Its `X-Reference-Id`; none where it is left out.
    reference_id: Option<String>,
    /// The API key to present; where it is left out, the newest of the account that works.
    key: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum MethodDto {
    Get,
    Post,
}

impl MethodDto {
    fn as_str(self) -> &'static str {
        match self {
            MethodDto::Get => "GET",
            MethodDto::Post => "POST",
        }
    }
}

/// A call that was made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MadeCallDto {
    request: SentCallDto,
    /// The HTTP status of its answer.
    status: u16,
    /// The headers of the answer that the service sets.
    headers: BTreeMap<&'static str, String>,
    /// The envelope.
    answer: Map<String, Value>,
    /// What a client would see in the place of the answer, where a scenario breaks it on the wire.
    #[serde(skip_serializing_if = "Option::is_none")]
    on_the_wire: Option<String>,
}

/// A call as it was sent.
#[derive(Serialize, JsonSchema)]
struct SentCallDto {
    method: MethodDto,
    url: String,
    headers: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

pub(super) async fn make(request: ControlRequest<CallToMakeDto>) -> ControlResult<MadeCallDto> {
    let cell = request.account_of(&request.body.account)?;
    let (api, ask) = (&request.api, request.body);
    let EnvironmentDto(environment) = ask.environment.unwrap_or_default();
    if !ask.path.starts_with('/') || !ask.path.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = "path: begins with `/`, and is percent-encoded";
        return Err(ControlError::invalid_input(message));
    }
    let body = match (ask.body, ask.text) {
        (Some(_), Some(_)) => {
            return Err(ControlError::invalid_input("give either `body` or `text`"));
        }
        (Some(body), None) => Some(Value::Object(body).to_string()),
        (None, text) => text,
    };
    let key = match ask.key {
        Some(key) => key,
        None => api.newest_key(&cell, environment)?,
    };
    let (path, query) = ask.path.split_once('?').unwrap_or((&ask.path, ""));
    let method = ask.method.unwrap_or(MethodDto::Post);
    let call = InProcessCall {
        method: method.as_str(),
        query,
        body: body.as_deref(),
        idempotency_key: ask.idempotency_key.as_deref(),
        reference_id: ask.reference_id.as_deref(),
        ..InProcessCall::post(environment, &key, path, "")
    };
    let reply = call.from(allowed_peer(&cell)).answer(&api.host).await;
    let base = api.host.rules().addresses.of(environment).base().to_owned();
    let optional = [
        ("Content-Type", body.as_ref().map(|_| "application/json")),
        ("Idempotency-Key", ask.idempotency_key.as_deref()),
        ("X-Reference-Id", ask.reference_id.as_deref()),
    ];
    let sent = optional.into_iter();
    let sent = sent.filter_map(|(name, value)| Some((name, value?.to_owned())));
    let authorization = ("Authorization", format!("Bearer {key}"));
    Ok(MadeCallDto {
        request: SentCallDto {
            method,
            url: format!("{base}{}", ask.path),
            headers: sent.chain([authorization]).collect(),
            body,
        },
        status: reply.status,
        headers: headers_of(&reply),
        on_the_wire: reply.wire.map(|fault| fault.to_string()),
        answer: serde_json::from_slice(&reply.body).map_err(|_| ControlError::internal())?,
    })
}

fn headers_of(reply: &Reply) -> BTreeMap<&'static str, String> {
    let retry_after = reply.retry_after_s.map(|seconds| seconds.to_string());
    let replay = reply.replay.then(|| "true".to_owned());
    let optional = [
        ("Retry-After", retry_after),
        ("Allow", reply.allow.map(str::to_owned)),
        ("Idempotent-Replay", replay),
    ];
    let sent = optional.into_iter();
    let sent = sent.filter_map(|(name, value)| Some((name, value?)));
    sent.collect()
}

/// An address that the account's keys may be used from, where it says from which.
pub(super) fn allowed_peer(cell: &AccountCell) -> Option<IpAddr> {
    cell.read(|account| account.allowlist.0.first().map(|network| network.addr()))
}

impl ControlApi {
    /// The newest key of an account that works in an environment.
    pub(super) fn newest_key(
        &self,
        cell: &AccountCell,
        environment: Environment,
    ) -> ControlResult<String> {
        let key = cell.read(|account| {
            let works =
                |key: &&Key| key.environment == environment && key.state == KeyState::Active;
            let key = account.keys.iter().rev().find(works);
            key.map(|key| key.text.to_string())
        });
        key.ok_or_else(|| {
            let message = format!("no key of the account works in {environment}; add one");
            ControlError::new(ControlErrorCode::NoActiveKey, message)
        })
    }
}
