//! What happened to an account, as whoever moved its clock or waits for it reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::ErrorCode;

use super::account_dto::ClockStateDto;
use super::values::{EnvironmentDto, TextDto, TimestampDto};
use crate::engine::state::delivery::{Answered, DeliveryId, DeliveryState};
use crate::engine::state::event::{Event, What};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::State;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) enum EventKindDto {
    CallAnswered,
    ResultReady,
    DeliveryAttempted,
    DeliveryRequested,
    KeyEnded,
    LimitRestored,
    IdempotencyKeyLapsed,
    ClockSet,
    AccountChanged,
    AccountReset,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum CallStatusDto {
    Completed,
    Pending,
    Failed,
}

/// How a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum DeliveryStateDto {
    Due,
    Delivered,
    Dead,
}

/// Something that happened to an account. Which members there are depends on `kind`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlEvent", deny_unknown_fields)]
pub(super) struct EventDto {
    /// Its number among the account's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// When, by the account's clock.
    at: TimestampDto,
    environment: EnvironmentDto,
    kind: EventKindDto,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_id: Option<TextDto<VerificationId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<TextDto<DeliveryId>>,
    /// Of a call, and of a result: how it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<CallStatusDto>,
    /// Of what failed: the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<TextDto<ErrorCode>>,
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
pub(super) fn status_of(state: State) -> (CallStatusDto, Option<TextDto<ErrorCode>>) {
    match state {
        State::Completed => (CallStatusDto::Completed, None),
        State::Pending => (CallStatusDto::Pending, None),
        State::Failed(code) => (CallStatusDto::Failed, Some(TextDto(code))),
    }
}

/// How a delivery stands.
pub(super) fn delivery_state(state: DeliveryState) -> DeliveryStateDto {
    match state {
        DeliveryState::Due(_) => DeliveryStateDto::Due,
        DeliveryState::Delivered => DeliveryStateDto::Delivered,
        DeliveryState::Dead => DeliveryStateDto::Dead,
    }
}

/// What a receiver answered, or why it did not.
pub(super) fn receiver_answer(answer: &Answered) -> (Option<u16>, Option<String>) {
    match answer {
        Answered::Status(status) => (Some(*status), None),
        Answered::Nothing(reason) => (None, Some(reason.clone())),
    }
}

/// The kind of an event.
pub(super) fn kind(event: &Event) -> EventKindDto {
    match &event.what {
        What::Answered { .. } => EventKindDto::CallAnswered,
        What::Resulted { .. } => EventKindDto::ResultReady,
        What::Attempted { .. } => EventKindDto::DeliveryAttempted,
        What::RedeliveryRequested { .. } => EventKindDto::DeliveryRequested,
        What::KeyEnded { .. } => EventKindDto::KeyEnded,
        What::LimitRestored { .. } => EventKindDto::LimitRestored,
        What::IdempotencyKeyExpired { .. } => EventKindDto::IdempotencyKeyLapsed,
        What::ClockSet { .. } => EventKindDto::ClockSet,
        What::Changed => EventKindDto::AccountChanged,
        What::Reset => EventKindDto::AccountReset,
    }
}

/// The verification that an event is about.
pub(super) fn verification(event: &Event) -> Option<VerificationId> {
    match &event.what {
        What::Answered { verification, .. }
        | What::Resulted { verification, .. }
        | What::Attempted { verification, .. }
        | What::RedeliveryRequested { verification } => Some(*verification),
        What::KeyEnded { .. }
        | What::LimitRestored { .. }
        | What::IdempotencyKeyExpired { .. }
        | What::ClockSet { .. }
        | What::Changed
        | What::Reset => None,
    }
}

impl EventDto {
    /// An event without its number.
    pub(super) fn of(event: &Event) -> Self {
        let mut dto = EventDto::base(event);
        let delivery = verification(event).map(|it| TextDto(DeliveryId(it)));
        match &event.what {
            What::Answered { status, state, .. } => {
                dto.http_status = Some(*status);
                dto.set_status(*state);
            }
            What::Resulted {
                state, delivers, ..
            } => {
                dto.set_status(*state);
                dto.delivers = Some(*delivers);
                dto.delivery_id = delivery.filter(|_| *delivers);
            }
            What::Attempted {
                number,
                answer,
                state,
                ..
            } => {
                dto.delivery_id = delivery;
                dto.attempt = Some(*number);
                (dto.http_status, dto.reason) = receiver_answer(answer);
                dto.state = Some(delivery_state(*state));
            }
            What::RedeliveryRequested { .. } => dto.delivery_id = delivery,
            What::KeyEnded { key } | What::LimitRestored { key } => {
                dto.key = Some(key.to_string());
            }
            What::IdempotencyKeyExpired { key } => dto.key = Some(key.to_string()),
            What::ClockSet { clock } => {
                let frozen = clock.frozen_at().is_some();
                dto.clock = Some(if frozen {
                    ClockStateDto::Frozen
                } else {
                    ClockStateDto::Running
                });
            }
            What::Changed | What::Reset => {}
        }
        dto
    }

    /// An event with its number.
    pub(super) fn numbered(seq: u64, event: &Event) -> Self {
        EventDto {
            seq: Some(seq),
            ..EventDto::of(event)
        }
    }

    fn base(event: &Event) -> Self {
        EventDto {
            seq: None,
            at: TimestampDto(event.at),
            environment: event.environment.into(),
            kind: kind(event),
            verification_id: verification(event).map(TextDto),
            delivery_id: None,
            status: None,
            code: None,
            http_status: None,
            reason: None,
            attempt: None,
            state: None,
            delivers: None,
            key: None,
            clock: None,
        }
    }

    fn set_status(&mut self, state: State) {
        let (status, code) = status_of(state);
        self.status = Some(status);
        self.code = code;
    }
}
