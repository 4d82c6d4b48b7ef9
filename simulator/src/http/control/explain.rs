//! Why a call of an account gets what it gets, and a way to every other outcome. The call is made in
//! process, as if the account were fresh: nothing of it changes.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use svc_fixtures::json::Json;

use super::Control;
use super::body::Given;
use super::query::NoQuery;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, post};
use super::values::In;
use crate::engine::call::request::Environment;
use crate::http::explanation::{Explanation, explained};
use crate::rehearsal::{self, Rehearsal};
use crate::scenario::AccountConfig;

pub(super) fn routes() -> Vec<Route> {
    vec![
        post(
            "/control/explain",
            "explain",
            "Why an input gets what it gets, and an input for every outcome",
        )
        .by(explain)
        .refusing(&[Code::AccountNotFound, Code::OperationNotFound]),
    ]
}

/// A call to explain.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "ControlExplain")]
struct Explain {
    account: String,
    /// `test` where it is left out.
    environment: Option<In>,
    /// The dotted name of the operation.
    operation: String,
    /// The body; the operation's sample where it is left out.
    body: Option<Map<String, Value>>,
    /// Its `X-Reference-Id`; none where it is left out.
    reference_id: Option<String>,
    /// Its `Idempotency-Key`; none where it is left out.
    idempotency_key: Option<String>,
}

impl Given for Explain {}

async fn explain(
    control: Arc<Control>,
    asked: Asked<Explain, NoQuery>,
) -> Result<Explanation, Refusal> {
    let Explain {
        account,
        environment,
        operation,
        body,
        reference_id,
        idempotency_key,
    } = asked.body;
    let cell = control.account(&account)?;
    let rules = control.host.rules_of(&cell);
    let index = rules.operation(&operation).ok_or_else(|| {
        let message = "there is no such operation; `svc-simulator operations` lists them, and of a bundle each step is one";
        Refusal::new(Code::OperationNotFound, message)
    })?;
    let environment = Environment::from(environment.unwrap_or(In::Test));
    // Every outcome is tried: too long for a task that others wait behind.
    let explaining = tokio::task::spawn_blocking(move || {
        let config = cell.read(|account| account.config().clone());
        let all = control.host.directory().all();
        let accounts = all.iter().map(|cell| cell.read(|it| it.config().clone()));
        let accounts: Vec<AccountConfig> = accounts.collect();
        let mut rehearsal = Rehearsal::new(&rules, config.clone());
        let body = body.map_or_else(
            || rehearsal.body(environment, index, &[]),
            |body| as_json(&Value::Object(body)),
        );
        let key = rehearsal.key(environment);
        let asked = rehearsal::Asked {
            environment,
            key: &key,
            called: rehearsal::Called::Operation(index),
            body: &body,
            idempotency_key: idempotency_key.as_deref(),
            reference_id: reference_id.as_deref(),
        };
        let heard = rehearsal.ask(&asked);
        explained(&rules, &accounts, &config, index, &asked, &heard)
    });
    let explained = explaining.await;
    explained.map_err(|_| Refusal::new(Code::InternalError, Code::InternalError.meaning()))
}

/// A value that was JSON before.
fn as_json(value: &Value) -> Json<'static> {
    let text = value.to_string();
    let json = Json::parse(text.as_bytes()).expect("what was read is JSON, and no deeper now");
    json.into_owned()
}
