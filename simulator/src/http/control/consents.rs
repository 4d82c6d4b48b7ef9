//! The consents that are pending, and the decision of each: what a person does on the consent page, for
//! whoever has many of them at hand.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event_dto::{CallStatusDto, status_of};
use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};
use super::values::{EnvironmentDto, TimestampDto, environments};
use crate::engine::call::consent::{ConsentDecision, link};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::delivery::DeliveryId;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::Verification;
use crate::host::{AccountCell, Host};
use svc_server::http::afterwards_url;

/// Whose.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ConsentsQuery {
    /// Of this account alone; of all where it is left out.
    account: Option<String>,
    environment: Option<EnvironmentDto>,
}

/// What persons are asked, the one who waits longest first.
#[derive(Serialize, JsonSchema)]
pub(super) struct ConsentListDto {
    consents: Vec<ConsentDto>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ConsentDto {
    account: String,
    environment: EnvironmentDto,
    verification_id: String,
    endpoint: String,
    /// When the call came in, by the account's clock.
    since: TimestampDto,
    /// When the result comes although nobody decides, where a scenario says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<TimestampDto>,
    /// The documents that are asked for; all of them where it is empty.
    documents: Vec<String>,
    /// Where the person goes afterwards.
    redirect: String,
    /// The consent page.
    link: String,
}

pub(super) async fn list(
    request: ControlRequest<NoBody, ConsentsQuery>,
) -> ControlResult<ConsentListDto> {
    let host = &request.api.host;
    let cells = match &request.query.account {
        Some(id) => vec![request.account_of(id)?],
        None => host.directory().all(),
    };
    let environments = environments(request.query.environment);
    let mut consents: Vec<ConsentDto> = Vec::new();
    for cell in cells {
        cell.read(|account| {
            for &environment in &environments {
                let verifications = &account.environment(environment).verifications;
                if verifications.totals().pinned.count == 0 {
                    continue;
                }
                let open = verifications.open();
                consents.extend(open.filter_map(|it| ConsentDto::of(host, &cell, environment, it)));
            }
        });
    }
    consents.sort_by(|a, b| (a.since.0, &a.verification_id).cmp(&(b.since.0, &b.verification_id)));
    Ok(ConsentListDto { consents })
}

impl ConsentDto {
    /// What a person is asked, where one is.
    fn of(
        host: &Host,
        cell: &AccountCell,
        environment: Environment,
        open: &Verification,
    ) -> Option<Self> {
        let request = open.consent()?;
        Some(ConsentDto {
            account: cell.id().to_string(),
            environment: EnvironmentDto(environment),
            verification_id: open.id.to_string(),
            endpoint: open.endpoint.to_string(),
            since: TimestampDto(open.created_at),
            due: open.due().map(TimestampDto),
            documents: request.documents.clone(),
            redirect: request.redirect.clone(),
            link: host.rules().addresses.of(environment).consent(open.id),
        })
    }
}

/// What the person says.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionDto {
    /// Whose verification: a copy of an account knows those of its original, too.
    account: Option<String>,
    decision: DecisionWordDto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum DecisionWordDto {
    Allow,
    Refuse,
}

/// What came of it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct DecidedDto {
    verification_id: String,
    status: CallStatusDto,
    /// Of what failed: the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// Where the consent page would send the person.
    redirect: String,
    /// The delivery that brings it to the receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<String>,
}

pub(super) async fn decide(request: ControlRequest<DecisionDto>) -> ControlResult<DecidedDto> {
    let unknown = || {
        let message = "no consent was asked for under this id; GET /control/consents lists those that are open";
        ControlError::new(ControlErrorCode::VerificationNotFound, message)
    };
    let over = || {
        let message = "this verification has come to its end, so there is nothing left to decide";
        ControlError::new(ControlErrorCode::NotPending, message)
    };
    let host = &request.api.host;
    let id = VerificationId::parse(&request.id).ok_or_else(unknown)?;
    let (cell, environment) = match &request.body.account {
        None => host.directory().find(id).ok_or_else(unknown)?,
        Some(account) => {
            let cell = request.account_of(account)?;
            let knows = |it: &Environment| {
                let known =
                    |account: &Account| account.environment(*it).verifications.get(id).is_some();
                cell.read(known)
            };
            let environment = Environment::ALL.into_iter().find(knows);
            (cell, environment.ok_or_else(unknown)?)
        }
    };
    let rules = host.rules_of(&cell);
    // Only what a person is asked on the consent page is decided here.
    cell.read(|account| link(&rules, account, environment, id).map(drop))
        .ok_or_else(unknown)?;
    let decision = match request.body.decision {
        DecisionWordDto::Allow => ConsentDecision::Allow,
        DecisionWordDto::Refuse => ConsentDecision::Refuse,
    };
    let decide = || host.consent(&cell, environment, id, decision);
    let decided = host.durably(&cell, decide).await?.ok_or_else(over)?;
    cell.read(|account| {
        let verifications = &account.environment(environment).verifications;
        let (_, answer) = verifications.answered(id).ok_or_else(unknown)?;
        let (status, code) = status_of(answer.state);
        let delivery = verifications.delivery(id);
        Ok(DecidedDto {
            verification_id: id.to_string(),
            status,
            code,
            redirect: afterwards_url(id, &decided),
            delivery_id: delivery.map(|_| DeliveryId(id).to_string()),
        })
    })
}
