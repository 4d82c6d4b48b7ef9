//! A webhook on demand: a pending verification comes to its end now, where need be after a call that
//! makes one. Names no operation: the contract's rows and the scenarios say which will do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use svc_fixtures::sample::{self, Extent};

use super::event_dto::CallStatusDto;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{EnvironmentDto, TextDto, VerificationIdDto};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::DeliveryId;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::keys::KeyState;
use crate::engine::state::verification::State;
use crate::host::AccountCell;
use crate::http::in_process_call::InProcessCall;
use crate::http::named_inputs::pending_input;

/// What is to come to its end: a pending verification, or a call that is made first.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ControlTrigger")]
pub(super) struct TriggerDto {
    account: String,
    /// `test` where it is left out.
    environment: Option<EnvironmentDto>,
    /// A verification that is pending.
    verification_id: Option<VerificationIdDto>,
    /// The operation to call, by its dotted name; where it is left out, the first whose result can
    /// come by webhook.
    operation: Option<String>,
    /// The body to call it with; where it is left out, a fixed input that is answered as pending.
    body: Option<Map<String, Value>>,
}

/// What came to its end.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlTriggered", deny_unknown_fields)]
pub(super) struct TriggeredDto {
    verification_id: TextDto<VerificationId>,
    /// The delivery that brings it to the receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<TextDto<DeliveryId>>,
    /// Why there is no delivery.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) async fn trigger(request: ControlRequest<TriggerDto>) -> ControlResult<TriggeredDto> {
    let TriggerDto {
        account,
        environment,
        verification_id,
        operation,
        body,
    } = request.body;
    let cell = request.api.account(&account)?;
    let environment = Environment::from(environment.unwrap_or(EnvironmentDto::Test));
    let (id, status) = match verification_id {
        None => {
            request
                .api
                .call(&cell, environment, operation.as_deref(), body)
                .await?
        }
        Some(_) if operation.is_some() || body.is_some() => {
            let message = "give either `verificationId`, or `operation` and `body`";
            return Err(ControlError::invalid_input(message));
        }
        Some(VerificationIdDto(id)) => (
            request.api.pending(&cell, environment, id)?,
            CallStatusDto::Pending,
        ),
    };
    request.api.host.end_now(&cell, environment, id)?;
    Ok(cell.read(|account| {
        let state = account.environment(environment);
        let delivery = state
            .verifications
            .delivery(id)
            .map(|_| TextDto(DeliveryId(id)));
        let note = match (&delivery, status) {
            (Some(_), _) => None,
            (None, CallStatusDto::Pending) => Some(format!(
                "no webhook endpoint is registered for {environment}: the result can be looked up \
                 and nothing is sent; PUT /control/accounts/{}/webhook registers one",
                account.id
            )),
            (None, _) => Some(
                "the call was answered at once; only results that were pending are sent".to_owned(),
            ),
        };
        TriggeredDto {
            verification_id: TextDto(id),
            delivery_id: delivery,
            note,
        }
    }))
}

impl ControlApi {
    /// A verification of the account that is pending.
    fn pending(
        &self,
        cell: &AccountCell,
        environment: Environment,
        id: VerificationId,
    ) -> ControlResult<VerificationId> {
        let state = cell.read(|account| {
            let verifications = &account.environment(environment).verifications;
            verifications.answered(id).map(|(_, answer)| answer.state)
        });
        match state {
            Some(State::Pending) => Ok(id),
            Some(_) => {
                let message = "this verification has ended; POST /control/deliveries/ID/redeliver \
                               sends its webhook again";
                Err(ControlError::new(ControlErrorCode::NotPending, message))
            }
            None => {
                let message = format!(
                    "the account has no such verification in {environment}; `environment` says \
                     where it is"
                );
                Err(ControlError::new(
                    ControlErrorCode::VerificationNotFound,
                    message,
                ))
            }
        }
    }

    /// Makes a call with a key of the account.
    async fn call(
        &self,
        cell: &AccountCell,
        environment: Environment,
        operation: Option<&str>,
        body: Option<Map<String, Value>>,
    ) -> Result<(VerificationId, CallStatusDto), ControlError> {
        let rules = self.host.rules_of(cell);
        let unknown = || {
            let message = "there is no such operation; `svc-simulator operations` lists them";
            ControlError::new(ControlErrorCode::OperationNotFound, message)
        };
        let named = operation
            .map(|id| rules.contract.operation_index(id).ok_or_else(unknown))
            .transpose()?;
        let fixed = pending_input(&rules, named);
        let (index, input) = match (named, fixed) {
            (_, Some((index, input))) => (index, input),
            (Some(index), None) => {
                let operation = &rules.contract.operations[index];
                (
                    index,
                    sample::body(&rules.contract, operation, Extent::Shown),
                )
            }
            (None, None) => return Err(unknown()),
        };
        let body = body.map_or_else(|| input.to_string(), |body| Value::Object(body).to_string());
        let path = sample::path(&rules.contract.operations[index]);
        let reply = self.post(cell, environment, &path, &body).await?;
        outcome_of(&reply)
    }

    /// Posts as the account would, from where it may.
    async fn post(
        &self,
        cell: &AccountCell,
        environment: Environment,
        path: &str,
        body: &str,
    ) -> ControlResult<Reply> {
        let (key, peer) = cell.read(|account| {
            let mut keys = account.keys.iter().rev();
            let works =
                keys.find(|key| key.environment == environment && key.state == KeyState::Active);
            let network = account.allowlist.0.first().map(|network| network.addr());
            (works.map(|key| key.text.to_string()), network)
        });
        let key = key.ok_or_else(|| {
            let message = format!("no key of the account works in {environment}; add one");
            ControlError::new(ControlErrorCode::NoActiveKey, message)
        })?;
        let post = InProcessCall::post(environment, &key, path, body);
        let call = InProcessCall {
            peer: peer.unwrap_or(post.peer),
            ..post
        };
        Ok(call.answer(&self.host).await)
    }
}

/// The verification that an answer is about, and how it stands, where the answer does not refuse.
fn outcome_of(reply: &Reply) -> Result<(VerificationId, CallStatusDto), ControlError> {
    let envelope: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    if envelope["success"] != true {
        let text = |name: &str| {
            envelope["error"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        let message = format!(
            "the call was answered with {} ({}): {}",
            text("code"),
            reply.status,
            text("message")
        );
        return Err(ControlError::new(ControlErrorCode::CallRefused, message));
    }
    let id = envelope["verificationId"]
        .as_str()
        .and_then(VerificationId::parse);
    let id = id.expect("every envelope has the id of its verification");
    match envelope["status"] == "pending" {
        true => Ok((id, CallStatusDto::Pending)),
        false => Ok((id, CallStatusDto::Completed)),
    }
}
