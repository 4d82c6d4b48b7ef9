//! A webhook on demand: a pending verification comes to its end now, where need be after a call that
//! makes one. Names no operation: the contract's rows and the scenarios say which will do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use svc_fixtures::contract::{Bundle, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::make_call::allowed_peer;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{EnvironmentDto, VerificationIdDto};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::delivery::DeliveryId;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::State;
use crate::host::AccountCell;
use crate::http::in_process_call::InProcessCall;
use crate::http::named_inputs::pending_input;

/// What is to come to its end: a pending verification, or a call that is made first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TriggerDto {
    account: String,
    /// `test` where it is left out.
    environment: Option<EnvironmentDto>,
    /// A verification that is pending.
    verification_id: Option<VerificationIdDto>,
    /// The operation or bundle to call, by its dotted name; where it is left out, the first whose result can
    /// come by webhook.
    operation: Option<String>,
    /// The body to call it with; where it is left out, a fixed input that is answered as pending, else the sample.
    body: Option<Map<String, Value>>,
}

/// What came to its end.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TriggeredDto {
    pub(crate) verification_id: String,
    /// The delivery that brings it to the receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delivery_id: Option<String>,
    /// Why there is no delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}

pub(super) async fn trigger(request: ControlRequest<TriggerDto>) -> ControlResult<TriggeredDto> {
    let cell = request.account_of(&request.body.account)?;
    let ask = request.body;
    let EnvironmentDto(environment) = ask.environment.unwrap_or_default();
    let api = &request.api;
    let (id, is_pending) = match ask.verification_id {
        None => {
            let operation = ask.operation.as_deref();
            api.call(&cell, environment, operation, ask.body).await?
        }
        Some(_) if ask.operation.is_some() || ask.body.is_some() => {
            let message = "give either `verificationId`, or `operation` and `body`";
            return Err(ControlError::invalid_input(message));
        }
        Some(VerificationIdDto(id)) => {
            check_pending(&cell, environment, id)?;
            (id, true)
        }
    };
    let end = || api.host.end_now(&cell, environment, id);
    api.host.durably(&cell, end).await?;
    Ok(cell.read(|account| {
        let delivery = account.environment(environment).verifications.delivery(id);
        let note = match (delivery, is_pending) {
            (Some(_), _) => None,
            (None, true) => Some(format!(
                "no webhook endpoint is registered for {environment}: the result can be looked up \
                 and nothing is sent; PUT /control/accounts/{}/webhook registers one",
                account.id
            )),
            (None, false) => Some(
                "the call was answered at once; only results that were pending are sent".to_owned(),
            ),
        };
        TriggeredDto {
            verification_id: id.to_string(),
            delivery_id: delivery.map(|_| DeliveryId(id).to_string()),
            note,
        }
    }))
}

/// Checks that a verification of the account is pending.
fn check_pending(
    cell: &AccountCell,
    environment: Environment,
    id: VerificationId,
) -> ControlResult<()> {
    let state = cell.read(|account| {
        let verifications = &account.environment(environment).verifications;
        verifications.answered(id).map(|(_, answer)| answer.state)
    });
    let (code, message) = match state {
        Some(State::Pending) => return Ok(()),
        Some(_) => (
            ControlErrorCode::NotPending,
            "this verification has ended; POST /control/deliveries/ID/redeliver sends its webhook \
             again"
                .to_owned(),
        ),
        None => (
            ControlErrorCode::VerificationNotFound,
            format!(
                "the account has no such verification in {environment}; `environment` says where \
                 it is"
            ),
        ),
    };
    Err(ControlError::new(code, message))
}

impl ControlApi {
    /// Makes a call with a key of the account. Says which verification it began, and whether that is
    /// pending.
    async fn call(
        &self,
        cell: &AccountCell,
        environment: Environment,
        operation: Option<&str>,
        body: Option<Map<String, Value>>,
    ) -> ControlResult<(VerificationId, bool)> {
        let rules = self.host.rules_of(cell);
        let (path, input) = call_that_pends(&rules, operation)?;
        let body = body.map_or_else(|| input.to_string(), |body| Value::Object(body).to_string());
        let key = self.newest_key(cell, environment)?;
        let call = InProcessCall::post(environment, &key, &path, &body);
        let reply = call.from(allowed_peer(cell)).answer(&self.host).await;
        outcome_of(&reply)
    }
}

/// The path and the body of a call that is answered as pending: of this operation or bundle, of the sample where none of its
/// inputs is; without a name of the first that can be.
fn call_that_pends(rules: &Rules, named: Option<&str>) -> ControlResult<(String, Json<'static>)> {
    let contract = &rules.contract;
    let mut bundles = contract.bundles.iter();
    if let Some(bundle) = bundles.find(|bundle| Some(bundle.endpoint().as_str()) == named) {
        return Ok((bundle.path.clone(), bundle_that_pends(rules, bundle)));
    }
    let unknown = || {
        let bundles: Vec<String> = contract.bundles.iter().map(Bundle::endpoint).collect();
        let operations = contract.operations.iter().map(|row| row.id.as_str());
        let known = operations.chain(bundles.iter().map(String::as_str));
        let lists = "`svc-simulator operations` lists them";
        ControlError::no_operation(named.unwrap_or_default(), known, lists)
    };
    let named = named
        .map(|id| contract.operation_index(id).ok_or_else(unknown))
        .transpose()?;
    let sample = |index: OperationIndex| {
        let body = sample::body(contract, &contract.operations[index], Extent::Shown);
        (index, body)
    };
    let found = pending_input(rules, named).or_else(|| named.map(sample));
    let (index, input) = found.ok_or_else(unknown)?;
    Ok((sample::path(&contract.operations[index]), input))
}

/// The sample of a bundle, with the input of its first step that can be answered as pending.
fn bundle_that_pends(rules: &Rules, bundle: &Bundle) -> Json<'static> {
    let mut body = sample::bundle_body(&rules.contract, bundle);
    let steps = bundle.steps.iter();
    let mut steps = steps.filter_map(|step| rules.contract.operation_index(step));
    if let Some((_, input)) = steps.find_map(|step| pending_input(rules, Some(step))) {
        for field in rules.contract.bundle_fields(bundle) {
            if let Some(value) = input.get(&field.name) {
                body.set(field.name, value.clone());
            }
        }
    }
    body
}

/// The verification that an answer is about, and whether it is pending, where the answer does not refuse.
fn outcome_of(reply: &Reply) -> ControlResult<(VerificationId, bool)> {
    let envelope: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    if envelope["success"] != true {
        let text = |name: &str| envelope["error"][name].as_str().unwrap_or_default();
        let (code, status, reason) = (text("code"), reply.status, text("message"));
        let message = format!("the call was answered with {code} ({status}): {reason}");
        return Err(ControlError::new(ControlErrorCode::CallRefused, message));
    }
    let id = envelope["verificationId"].as_str();
    let id = id.and_then(VerificationId::parse);
    let id = id.expect("every envelope has the id of its verification");
    Ok((id, envelope["status"] == "pending"))
}
