//! Why a call of an account gets what it gets, and a way to every other outcome. The call is made in
//! process, as if the account were fresh: nothing of it changes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use svc_fixtures::json::Json;

use super::response::ControlError;
use super::route::{ControlRequest, ControlResult};
use super::values::EnvironmentDto;
use crate::http::explanation::{self, ExplanationDto};
use crate::rehearsal::{self, Rehearsal};
use crate::scenario::{AccountConfig, MoreHeaders};

/// A call to explain.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ExplainDto {
    account: String,
    /// `test` where it is left out.
    environment: Option<EnvironmentDto>,
    /// The dotted name of the operation.
    operation: String,
    /// The body; the operation's sample where it is left out.
    body: Option<Map<String, Value>>,
    /// Its `X-Reference-Id`; none where it is left out.
    reference_id: Option<String>,
    /// Its `Idempotency-Key`; none where it is left out.
    idempotency_key: Option<String>,
    /// Other headers it sends, each by its name; none where it is left out.
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

pub(super) async fn explain(request: ControlRequest<ExplainDto>) -> ControlResult<ExplanationDto> {
    let cell = request.account_of(&request.body.account)?;
    let ask = request.body;
    let rules = request.api.host.rules_of(&cell);
    let index = rules
        .contract
        .operation_index(&ask.operation)
        .ok_or_else(|| {
            let lists = "`svc-simulator operations` lists them, and of a bundle each step is one";
            let known = rules.contract.operations.iter();
            ControlError::no_operation(&ask.operation, known.map(|row| row.id.as_str()), lists)
        })?;
    let EnvironmentDto(environment) = ask.environment.unwrap_or_default();
    // Every outcome is tried: too long for a task that others wait behind.
    let explaining = tokio::task::spawn_blocking(move || {
        let config = cell.read(|account| account.config().clone());
        let all = request.api.host.directory().all();
        let accounts = all.iter().map(|cell| cell.read(|it| it.config().clone()));
        let accounts: Vec<AccountConfig> = accounts.collect();
        let mut rehearsal = Rehearsal::new(&rules, config.clone());
        let body = ask.body.map_or_else(
            || rehearsal.body(environment, index, &[]),
            |body| as_json(&Value::Object(body)),
        );
        let key = rehearsal.key(environment);
        let lower = |(name, text): (String, String)| (name.to_ascii_lowercase(), text);
        let headers = MoreHeaders(ask.headers.into_iter().map(lower).collect());
        let spec = rehearsal::CallSpec {
            environment,
            key: &key,
            target: rehearsal::CallTarget::Operation(index),
            body: &body,
            idempotency_key: ask.idempotency_key.as_deref(),
            reference_id: ask.reference_id.as_deref(),
            headers: &headers,
        };
        let observed = rehearsal.call(&spec);
        explanation::explain(&rules, &accounts, &config, index, &spec, &observed)
    });
    explaining.await.map_err(|_| ControlError::internal())
}

/// A value that was JSON before.
fn as_json(value: &Value) -> Json<'static> {
    let text = value.to_string();
    let json = Json::parse(text.as_bytes()).expect("what was read is JSON, and no deeper now");
    json.into_owned()
}
