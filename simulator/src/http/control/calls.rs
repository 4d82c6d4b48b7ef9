//! The call log (ruling 35): what was asked, what came of it, and why.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::json::Json;

use super::event_dto::{CallStatusDto, status_of};
use super::received_dto::{self, ReceivedRequestDto, presented_key};
use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};
use super::values::{
    EnvironmentDto, LimitDto, RupeesDto, TimestampDto, TrueDto, VerificationIdDto, environments,
};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::received::ReceivedRequest;
use crate::engine::state::verification::{Answer, Verification};
use crate::host::Host;
use crate::host::unauthenticated::UnauthenticatedRecord;

/// Which calls.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallsQuery {
    /// Whose calls.
    account: Option<String>,
    /// In the place of an account: the calls that no account could be found for, or whose key does not work.
    unauthenticated: Option<TrueDto>,
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
    /// When it came in, by the account's clock; of an unauthenticated call by the machine's.
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
    /// The request as it came in; left out of the step of a bundle.
    #[serde(
        serialize_with = "received_dto::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<ReceivedRequestDto<'static>>")]
    request: Option<Arc<ReceivedRequest>>,
    /// The second call of a bundle in two calls, as it came in.
    #[serde(
        serialize_with = "received_dto::serialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<ReceivedRequestDto<'static>>")]
    second_request: Option<Arc<ReceivedRequest>>,
    /// Of an unauthenticated call: the key it presented, cut to its prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    presented_key: Option<String>,
    /// Of one call alone: whose it is. Of an unauthenticated call: whose key it presented, where that is known and
    /// does not work.
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<String>,
    /// Of one call alone: its newest envelope, as a look-up gives it. Of an unauthenticated call: its answer.
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
            request: call.request.clone(),
            second_request: call.second_request.clone(),
            presented_key: None,
            account: None,
            envelope: None,
        }
    }

    fn unauthenticated(record: &UnauthenticatedRecord) -> Option<Self> {
        let call = &*record.verification;
        let answer = call.answer.as_ref()?;
        Some(CallDto {
            at: TimestampDto(record.at),
            presented_key: call.request.as_deref().and_then(presented_key),
            account: record.account.as_ref().map(ToString::to_string),
            envelope: Some(envelope_of(answer)),
            ..CallDto::of(call, answer, record.environment)
        })
    }
}

fn envelope_of(answer: &Answer) -> Json<'static> {
    let envelope = Json::parse(&answer.envelope).expect("an envelope is JSON");
    envelope.into_owned()
}

pub(super) async fn list(
    request: ControlRequest<NoBody, CallsQuery>,
) -> ControlResult<CallListDto> {
    let query = &request.query;
    match (&query.account, query.unauthenticated) {
        (Some(account), None) => {
            let cell = request.account_of(account)?;
            cell.read(|account| query.page(account))
        }
        (None, Some(TrueDto::True)) => query.unauthenticated(&request.api.host),
        (Some(_), Some(_)) => Err(ControlError::invalid_input(
            "unauthenticated: these calls are no account's; leave `account` out",
        )),
        (None, None) => Err(ControlError::invalid_input(
            "account: is missing; or ask for `unauthenticated=true`",
        )),
    }
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
        let wanted = calls.filter(|call| self.wants(call));
        let calls = wanted.take(self.limit.unwrap_or_default().0);
        let evicted = environments
            .iter()
            .map(|it| account.environment(*it).verifications.evicted().calls);
        Ok(CallListDto {
            calls: calls.collect(),
            forgotten: evicted.sum(),
        })
    }
}

impl CallsQuery {
    fn unauthenticated(&self, host: &Host) -> ControlResult<CallListDto> {
        if self.before.is_some() {
            let message = "before: the ids of unauthenticated calls may recur; all that are kept fit in one list";
            return Err(ControlError::invalid_input(message));
        }
        let kept = host.unauthenticated_calls();
        let environments = environments(self.environment);
        let calls = kept.calls.iter().rev();
        let calls = calls.filter(|call| environments.contains(&call.environment));
        let calls = calls.filter_map(|call| CallDto::unauthenticated(call));
        let calls = calls.filter(|call| self.wants(call));
        Ok(CallListDto {
            calls: calls.take(self.limit.unwrap_or_default().0).collect(),
            forgotten: kept.forgotten,
        })
    }

    fn wants(&self, call: &CallDto) -> bool {
        let endpoint = self.endpoint.as_ref();
        endpoint.is_none_or(|endpoint| call.endpoint == *endpoint)
            && self.status.is_none_or(|status| call.status == status)
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
        Ok(CallDto {
            account: Some(account.id.to_string()),
            envelope: Some(envelope_of(answer)),
            ..CallDto::of(call, answer, environment)
        })
    })
}
