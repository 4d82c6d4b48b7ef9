//! The call log (ruling 35): what was asked, what came of it, and why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::json::Json;

use super::event_dto::{CallStatusDto, status_of};
use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};
use super::values::{
    EnvironmentDto, LimitDto, RupeesDto, TimestampDto, VerificationIdDto, environments,
};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::{Answer, Verification};

/// Which calls.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallsQuery {
    account: String,
    environment: Option<EnvironmentDto>,
    /// The dotted name of an operation or a bundle.
    endpoint: Option<String>,
    status: Option<CallStatusDto>,
    /// At most so many.
    limit: Option<LimitDto>,
    /// Only calls before the one with this `verificationId`: the last of the page before.
    before: Option<VerificationIdDto>,
}

/// Calls, newest first.
#[derive(Serialize, JsonSchema)]
pub(super) struct CallListDto {
    calls: Vec<CallDto>,
    /// How many older ones were forgotten to bound memory.
    forgotten: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallDto {
    verification_id: String,
    environment: EnvironmentDto,
    endpoint: String,
    /// When it came in, by the account's clock.
    at: TimestampDto,
    status: CallStatusDto,
    /// The HTTP status of its newest answer.
    http_status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// In INR.
    charged: RupeesDto,
    /// Why it got this outcome.
    because: String,
    /// Of one call alone: whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    /// Of one call alone: its newest envelope, as a look-up gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    envelope: Option<Json<'static>>,
}

impl CallDto {
    fn of(call: &Verification, answer: &Answer, environment: Environment) -> Self {
        let (status, code) = status_of(answer.state);
        CallDto {
            verification_id: call.id.to_string(),
            environment: EnvironmentDto(environment),
            endpoint: call.endpoint.to_string(),
            at: TimestampDto(call.created_at),
            status,
            http_status: answer.status,
            code,
            charged: RupeesDto(call.charged),
            because: call.because.to_string(),
            account: None,
            envelope: None,
        }
    }
}

pub(super) async fn list(
    request: ControlRequest<NoBody, CallsQuery>,
) -> ControlResult<CallListDto> {
    let cell = request.account_of(&request.query.account)?;
    let query = request.query;
    cell.read(|account| query.page(account))
}

impl CallsQuery {
    fn page(&self, account: &Account) -> ControlResult<CallListDto> {
        let environments = environments(self.environment);
        let mut found: Vec<(Environment, &Verification, &Answer)> = Vec::new();
        for &environment in &environments {
            let log = account.environment(environment).verifications.log();
            found.extend(log.map(|(call, answer)| (environment, call, answer)));
        }
        // Those of one instant stay in the order in which they came, the sandbox's before live ones.
        found.sort_by_key(|(_, call, _)| call.created_at);
        found.reverse();
        let from = match self.before {
            None => 0,
            Some(VerificationIdDto(before)) => {
                let place = found.iter().position(|(_, call, _)| call.id == before);
                let unknown = "before: the account has no such call; it may have been forgotten";
                place.ok_or_else(|| ControlError::invalid_input(unknown))? + 1
            }
        };
        let found = found.into_iter().skip(from);
        let calls = found.map(|(environment, call, answer)| CallDto::of(call, answer, environment));
        let wanted = |call: &CallDto| {
            let endpoint = self.endpoint.as_ref();
            endpoint.is_none_or(|endpoint| call.endpoint == *endpoint)
                && self.status.is_none_or(|status| call.status == status)
        };
        let calls = calls.filter(wanted).take(self.limit.unwrap_or_default().0);
        let evicted = environments
            .iter()
            .map(|it| account.environment(*it).verifications.evicted().calls);
        Ok(CallListDto {
            calls: calls.collect(),
            forgotten: evicted.sum(),
        })
    }
}

pub(super) async fn one(request: ControlRequest) -> ControlResult<CallDto> {
    let unknown = || {
        let message = "no account knows this verification; GET /control/calls?account= lists calls";
        ControlError::new(ControlErrorCode::VerificationNotFound, message)
    };
    let id = VerificationId::parse(&request.id).ok_or_else(unknown)?;
    let (cell, environment) = request.api.host.directory().find(id).ok_or_else(unknown)?;
    cell.read(|account| {
        let verifications = &account.environment(environment).verifications;
        let (call, answer) = verifications.answered(id).ok_or_else(unknown)?;
        let envelope = Json::parse(&answer.envelope).expect("an envelope is JSON");
        Ok(CallDto {
            account: Some(account.id.to_string()),
            envelope: Some(envelope.into_owned()),
            ..CallDto::of(call, answer, environment)
        })
    })
}
