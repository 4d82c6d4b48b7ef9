//! What is still to come of an account: by its clock, and what waits for somebody else.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account_dto::{ClockStateDto, PendingDto};
use super::event_dto::EventKindDto;
use super::request::NoBody;
use super::route::{ControlRequest, ControlResult};
use super::values::{EnvironmentDto, LimitDto, TimestampDto};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::delivery::{DeliveryId, Why};
use crate::engine::state::event::EventKind;
use crate::engine::state::timeline::{Upcoming, UpcomingKind, upcoming};
use crate::engine::state::verification::Verification;

/// How much of it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TimelineQuery {
    /// At most so many that are due by the clock.
    limit: Option<LimitDto>,
}

/// What is still to come.
#[derive(Serialize, JsonSchema)]
pub(super) struct TimelineDto {
    /// What the account's clock shows.
    now: TimestampDto,
    state: ClockStateDto,
    /// What comes by the clock, the first first. Moving the clock there does it.
    due: Vec<DueDto>,
    /// How many more there are.
    more: usize,
    /// What no clock brings: a person, a second call or the real delay of a scenario has to.
    waiting: Vec<WaitingDto>,
}

/// Something that is due. Which members there are depends on `kind`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DueDto {
    /// When, by the account's clock.
    at: TimestampDto,
    environment: EnvironmentDto,
    /// The kind of the event that it will be.
    kind: EventKindDto,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_id: Option<String>,
    /// What was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<String>,
    /// Of an attempt: which one it will be, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<usize>,
    /// Of an attempt: why it is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
    /// The API key, or the idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct WaitingDto {
    environment: EnvironmentDto,
    #[serde(flatten)]
    pending: PendingDto,
}

pub(super) async fn show(
    request: ControlRequest<NoBody, TimelineQuery>,
) -> ControlResult<TimelineDto> {
    let cell = request.account()?;
    let (machine, limit) = (request.api.host.now(), request.query.limit);
    Ok(cell.read(|account| {
        let now = account.clock.read(machine);
        let all = upcoming(account, now);
        let shown = all.iter().take(limit.unwrap_or_default().0);
        let due: Vec<DueDto> = shown.map(DueDto::of).collect();
        TimelineDto {
            now: TimestampDto(now),
            state: (&account.clock).into(),
            more: all.len() - due.len(),
            due,
            waiting: waiting(account),
        }
    }))
}

fn waiting(account: &Account) -> Vec<WaitingDto> {
    let of = |environment| {
        let open = account.environment(environment).verifications.open();
        let waiting = open.filter(|it| it.due().is_none());
        waiting.map(move |it| WaitingDto {
            environment: EnvironmentDto(environment),
            pending: PendingDto::of(it),
        })
    };
    Environment::ALL.into_iter().flat_map(of).collect()
}

impl DueDto {
    fn of(upcoming: &Upcoming<'_>) -> Self {
        let of = |kind| DueDto {
            at: TimestampDto(upcoming.at),
            environment: EnvironmentDto(upcoming.environment),
            kind,
            verification_id: None,
            endpoint: None,
            delivery_id: None,
            attempt: None,
            why: None,
            key: None,
        };
        let about = |kind, verification: &Verification| DueDto {
            verification_id: Some(verification.id.to_string()),
            endpoint: Some(verification.endpoint.to_string()),
            ..of(kind)
        };
        let with_key = |kind, key: &str| DueDto {
            key: Some(key.to_owned()),
            ..of(kind)
        };
        match &upcoming.kind {
            UpcomingKind::Result(verification) => about(EventKindDto::ResultReady, verification),
            UpcomingKind::Attempt(verification, delivery) => DueDto {
                delivery_id: Some(DeliveryId(verification.id).to_string()),
                attempt: Some(delivery.attempts.len() + 1),
                why: Some(delivery.why()),
                ..about(EventKindDto::DeliveryAttempted, verification)
            },
            UpcomingKind::Passes(EventKind::KeyEnded { key }) => {
                with_key(EventKindDto::KeyEnded, key)
            }
            UpcomingKind::Passes(EventKind::LimitRestored { key }) => {
                with_key(EventKindDto::LimitRestored, key)
            }
            UpcomingKind::Passes(EventKind::IdempotencyKeyExpired { key }) => {
                with_key(EventKindDto::IdempotencyKeyLapsed, key)
            }
            // Nothing else passes by itself.
            UpcomingKind::Passes(_) => of(EventKindDto::AccountChanged),
        }
    }
}
