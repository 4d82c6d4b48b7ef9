//! Deliveries: what was sent where, how it was signed, what came of it; and one more attempt.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event_dto::{DeliveryStateDto, receiver_answer};
use super::machine_time::MachineTime;
use super::request::{EmptyBody, NoBody};
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{EnvironmentDto, LimitDto, TimestampDto, VerificationIdDto, environments};
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::{Attempt, Delivery, DeliveryId, Why};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::manage;
use crate::engine::state::signature::base_string;
use crate::engine::state::verification::Verification;
use crate::host::{AccountCell, Host};

/// Which deliveries.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DeliveriesQuery {
    /// Whose. All accounts' where it is left out: the account last used first where clocks stand still.
    account: Option<String>,
    environment: Option<EnvironmentDto>,
    state: Option<DeliveryStateDto>,
    verification_id: Option<VerificationIdDto>,
    /// At most so many.
    limit: Option<LimitDto>,
}

/// Deliveries, newest first.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct DeliveryListDto {
    pub(crate) deliveries: Vec<DeliveryDto>,
}

/// A delivery.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeliveryDto {
    pub(crate) id: String,
    pub(crate) verification_id: String,
    pub(crate) environment: EnvironmentDto,
    pub(crate) state: DeliveryStateDto,
    /// When the next attempt is due, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_due: Option<TimestampDto>,
    /// What the schedule counts from.
    pub(crate) since: TimestampDto,
    pub(crate) attempts: Vec<AttemptDto>,
    /// Of one delivery alone: the body, the same at each attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
    /// Of one delivery alone, and in a list of all accounts: whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) account: Option<String>,
    /// Of one delivery alone: what the account's clock shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) now: Option<TimestampDto>,
    /// Of one delivery alone: when it is still to be attempted if the receiver never takes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) planned: Vec<TimestampDto>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AttemptDto {
    /// From 1.
    pub(crate) number: usize,
    /// When it was due, by the account's clock.
    pub(crate) due: TimestampDto,
    pub(crate) why: Why,
    /// Where it went; nothing where no receiver was registered any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The signature header, where one was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature: Option<String>,
    /// Of one delivery alone: what was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) signature_base: Option<String>,
    /// What the receiver answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Why it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The first bytes of its answer.
    #[serde(default)]
    pub(crate) response_excerpt: String,
}

/// How much of a delivery is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Summary,
    Full,
}

impl DeliveryDto {
    fn of(
        of: &Verification,
        delivery: &Delivery,
        environment: Environment,
        detail: Detail,
    ) -> Self {
        let text = || String::from_utf8_lossy(&of.envelope()).into_owned();
        let attempts = delivery.attempts.iter().zip(1..);
        DeliveryDto {
            id: DeliveryId(of.id).to_string(),
            verification_id: of.id.to_string(),
            environment: EnvironmentDto(environment),
            state: delivery.state().into(),
            next_due: delivery.due().map(TimestampDto),
            since: TimestampDto(delivery.since),
            attempts: attempts
                .map(|(attempt, number)| AttemptDto::of(of, attempt, number, detail))
                .collect(),
            body: (detail == Detail::Full).then(text),
            account: None,
            now: None,
            planned: Vec::new(),
        }
    }
}

impl AttemptDto {
    fn of(of: &Verification, attempt: &Attempt, number: usize, detail: Detail) -> Self {
        let signature = attempt.sent.as_ref().and_then(|sent| sent.signature);
        let base = signature
            .filter(|_| detail == Detail::Full)
            .map(|signature| {
                let base = base_string(signature.at_s, &of.envelope());
                String::from_utf8_lossy(&base).into_owned()
            });
        let (status, reason) = receiver_answer(&attempt.answer);
        AttemptDto {
            number,
            due: TimestampDto(attempt.due),
            why: attempt.why,
            url: attempt.sent.as_ref().map(|sent| sent.url.to_string()),
            signature: signature.map(|signature| signature.to_string()),
            signature_base: base,
            status,
            reason,
            response_excerpt: String::from_utf8_lossy(&attempt.excerpt).into_owned(),
        }
    }
}

pub(super) async fn list(
    request: ControlRequest<NoBody, DeliveriesQuery>,
) -> ControlResult<DeliveryListDto> {
    let deliveries = match &request.query.account {
        Some(id) => request.query.of(&*request.account_of(id)?),
        None => {
            // Every account is looked at: too long for a task that others wait behind.
            let (host, query) = (Arc::clone(&request.api.host), request.query);
            let all = tokio::task::spawn_blocking(move || query.of_all(&host));
            all.await.map_err(|_| ControlError::internal())?
        }
    };
    Ok(DeliveryListDto { deliveries })
}

impl DeliveriesQuery {
    /// The newest of an account.
    fn of(&self, cell: &AccountCell) -> Vec<DeliveryDto> {
        cell.read(|account| {
            let mut found: Vec<(Environment, &Verification, &Delivery)> = Vec::new();
            for environment in environments(self.environment) {
                let all = account.environment(environment).verifications.deliveries();
                let wanted = all.filter(|(of, delivery)| {
                    let state = DeliveryStateDto::from(delivery.state());
                    self.state.is_none_or(|wanted| state == wanted)
                        && self.verification_id.is_none_or(|wanted| of.id == wanted.0)
                });
                found.extend(wanted.map(|(of, delivery)| (environment, of, delivery)));
            }
            // Those of one instant by id, so that the order is the same every time.
            found.sort_by_key(|(.., delivery)| std::cmp::Reverse(delivery.since));
            let page = found.into_iter().take(self.limit.unwrap_or_default().0);
            page.map(|(environment, of, it)| DeliveryDto::of(of, it, environment, Detail::Summary))
                .collect()
        })
    }

    /// The newest of all accounts.
    fn of_all(&self, host: &Host) -> Vec<DeliveryDto> {
        let machine = host.now();
        let mut all = Vec::new();
        for cell in host.directory().all() {
            let time = MachineTime::of(&cell, machine);
            all.extend(self.of(&cell).into_iter().map(|mut delivery| {
                delivery.account = Some(cell.id().to_string());
                (time.when(delivery.since.0), delivery)
            }));
        }
        // Those of one account stay in their order.
        all.sort_by_key(|(came, _)| std::cmp::Reverse(*came));
        all.truncate(self.limit.unwrap_or_default().0);
        all.into_iter().map(|(_, delivery)| delivery).collect()
    }
}

pub(super) async fn one(request: ControlRequest) -> ControlResult<DeliveryDto> {
    let (cell, environment, id) = request.api.delivery(&request.id)?;
    let machine = request.api.host.now();
    let schedule_ms = &request
        .api
        .host
        .rules()
        .contract
        .service
        .webhook_schedule_ms;
    let row = cell.read(|account| {
        let of = account.environment(environment).verifications.get(id)?;
        let delivery = of.delivery.as_deref()?;
        let planned = delivery.planned(schedule_ms).into_iter();
        Some(DeliveryDto {
            account: Some(account.id.to_string()),
            now: Some(TimestampDto(account.clock.read(machine))),
            planned: planned.map(TimestampDto).collect(),
            ..DeliveryDto::of(of, delivery, environment, Detail::Full)
        })
    });
    row.ok_or_else(unknown)
}

pub(super) async fn redeliver(request: ControlRequest<EmptyBody>) -> ControlResult<DeliveryDto> {
    let (cell, environment, id) = request.api.delivery(&request.id)?;
    let host = &request.api.host;
    let redeliver = || {
        host.change(&cell, environment, |account, _| {
            manage::redeliver(account, environment, id)
        })
    };
    host.durably(&cell, redeliver).await?;
    let row = cell.read(|account| {
        let of = account.environment(environment).verifications.get(id)?;
        let delivery = of.delivery.as_deref()?;
        Some(DeliveryDto::of(of, delivery, environment, Detail::Summary))
    });
    row.ok_or_else(unknown)
}

fn unknown() -> ControlError {
    let message = "there is no such delivery; GET /control/deliveries?account= lists them";
    ControlError::new(ControlErrorCode::DeliveryNotFound, message)
}

impl ControlApi {
    fn delivery(
        &self,
        text: &str,
    ) -> Result<(Arc<AccountCell>, Environment, VerificationId), ControlError> {
        let DeliveryId(id) = DeliveryId::parse(text).ok_or_else(unknown)?;
        let (cell, environment) = self.host.directory().find(id).ok_or_else(unknown)?;
        Ok((cell, environment, id))
    }
}
