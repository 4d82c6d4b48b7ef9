//! What happened to an account, as whoever moved its clock or waits for it reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account_dto::ClockStateDto;
use super::values::{EnvironmentDto, TimestampDto};
use crate::engine::state::delivery::{AttemptOutcome, DeliveryId, DeliveryState};
use crate::engine::state::event::{Event, EventKind};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::State;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum EventKindDto {
    CallAnswered,
    ResultReady,
    DeliveryAttempted,
    DeliveryRequested,
    KeyEnded,
    LimitRestored,
    IdempotencyKeyLapsed,
    ClockSet,
    #[default]
    AccountChanged,
    AccountReset,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum CallStatusDto {
    Completed,
    Pending,
    Failed,
}

/// How a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DeliveryStateDto {
    Due,
    Delivered,
    Dead,
}

/// Something that happened to an account. Which members there are depends on `kind`.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventDto {
    /// Its number among the account's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// When, by the account's clock.
    at: TimestampDto,
    environment: EnvironmentDto,
    pub(super) kind: EventKindDto,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verification_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<String>,
    /// Of a call, and of a result: how it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<CallStatusDto>,
    /// Of what failed: the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// What a call was answered with, or what a receiver answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    /// Of an attempt that no receiver answered: why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Of an attempt: which one it was, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<usize>,
    /// Of an attempt: how the delivery stands after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<DeliveryStateDto>,
    /// Of a result: whether a delivery begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivers: Option<bool>,
    /// The API key, or the idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Of a clock that was set: whether it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<ClockStateDto>,
}

/// How a call stands, and its error where it failed.
pub(super) fn status_of(state: State) -> (CallStatusDto, Option<String>) {
    match state {
        State::Completed => (CallStatusDto::Completed, None),
        State::Pending => (CallStatusDto::Pending, None),
        State::Failed(code) => (CallStatusDto::Failed, Some(code.to_string())),
    }
}

impl From<DeliveryState> for DeliveryStateDto {
    fn from(state: DeliveryState) -> Self {
        match state {
            DeliveryState::Due(_) => DeliveryStateDto::Due,
            DeliveryState::Delivered => DeliveryStateDto::Delivered,
            DeliveryState::Dead => DeliveryStateDto::Dead,
        }
    }
}

/// What a receiver answered, or why it did not.
pub(super) fn receiver_answer(answer: &AttemptOutcome) -> (Option<u16>, Option<String>) {
    match answer {
        AttemptOutcome::Status(status) => (Some(*status), None),
        AttemptOutcome::Nothing(reason) => (None, Some(reason.clone())),
    }
}

impl EventDto {
    /// An event without its number.
    pub(super) fn of(event: &Event) -> Self {
        let of_account = |kind| EventDto {
            at: TimestampDto(event.at),
            environment: EnvironmentDto(event.environment),
            kind,
            ..EventDto::default()
        };
        let of_verification = |kind, id: &VerificationId| EventDto {
            verification_id: Some(id.to_string()),
            ..of_account(kind)
        };
        let delivery = |id: &VerificationId| Some(DeliveryId(*id).to_string());
        match &event.kind {
            EventKind::Answered {
                verification,
                status,
                state,
            } => EventDto {
                http_status: Some(*status),
                ..of_verification(EventKindDto::CallAnswered, verification).with_state(*state)
            },
            EventKind::Resulted {
                verification,
                state,
                delivers,
            } => EventDto {
                delivers: Some(*delivers),
                delivery_id: delivery(verification).filter(|_| *delivers),
                ..of_verification(EventKindDto::ResultReady, verification).with_state(*state)
            },
            EventKind::Attempted {
                verification,
                number,
                answer,
                state,
            } => {
                let (http_status, reason) = receiver_answer(answer);
                EventDto {
                    delivery_id: delivery(verification),
                    attempt: Some(*number),
                    http_status,
                    reason,
                    state: Some((*state).into()),
                    ..of_verification(EventKindDto::DeliveryAttempted, verification)
                }
            }
            EventKind::RedeliveryRequested { verification } => EventDto {
                delivery_id: delivery(verification),
                ..of_verification(EventKindDto::DeliveryRequested, verification)
            },
            EventKind::KeyEnded { key } => of_account(EventKindDto::KeyEnded).with_key(key),
            EventKind::LimitRestored { key } => {
                of_account(EventKindDto::LimitRestored).with_key(key)
            }
            EventKind::IdempotencyKeyExpired { key } => {
                of_account(EventKindDto::IdempotencyKeyLapsed).with_key(key)
            }
            EventKind::ClockSet { clock } => EventDto {
                clock: Some(clock.into()),
                ..of_account(EventKindDto::ClockSet)
            },
            EventKind::Changed => of_account(EventKindDto::AccountChanged),
            EventKind::Reset => of_account(EventKindDto::AccountReset),
        }
    }

    /// The event with its number.
    pub(super) fn numbered(self, seq: u64) -> Self {
        EventDto {
            seq: Some(seq),
            ..self
        }
    }

    fn with_state(self, state: State) -> Self {
        let (status, code) = status_of(state);
        EventDto {
            status: Some(status),
            code,
            ..self
        }
    }

    fn with_key(self, key: &str) -> Self {
        EventDto {
            key: Some(key.to_owned()),
            ..self
        }
    }
}
