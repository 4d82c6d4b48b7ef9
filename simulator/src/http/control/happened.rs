//! What happened to an account, as whoever moved its clock or waits for it reads it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::ErrorCode;

use super::detail::Clock;
use super::values::{In, Shown, When};
use crate::engine::state::delivery::{Answered, DeliveryId, DeliveryState};
use crate::engine::state::event::{Event, What};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::verification::State;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(super) enum Kind {
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
pub(super) enum Standing {
    Completed,
    Pending,
    Failed,
}

/// How a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Progress {
    Due,
    Delivered,
    Dead,
}

/// Something that happened to an account. Which members there are depends on `kind`.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlEvent", deny_unknown_fields)]
pub(super) struct Happened {
    /// Its number among the account's events.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    /// When, by the account's clock.
    at: When,
    environment: In,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    verification_id: Option<Shown<VerificationId>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_id: Option<Shown<DeliveryId>>,
    /// Of a call, and of a result: how it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Standing>,
    /// Of what failed: the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<Shown<ErrorCode>>,
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
    state: Option<Progress>,
    /// Of a result: whether a delivery begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivers: Option<bool>,
    /// The API key, or the idempotency key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Of a clock that was set: whether it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<Clock>,
}

/// How a call stands, and its error where it failed.
pub(super) fn standing(state: State) -> (Standing, Option<Shown<ErrorCode>>) {
    match state {
        State::Completed => (Standing::Completed, None),
        State::Pending => (Standing::Pending, None),
        State::Failed(code) => (Standing::Failed, Some(Shown(code))),
    }
}

/// How a delivery stands.
pub(super) fn progress(state: DeliveryState) -> Progress {
    match state {
        DeliveryState::Due(_) => Progress::Due,
        DeliveryState::Delivered => Progress::Delivered,
        DeliveryState::Dead => Progress::Dead,
    }
}

/// What a receiver answered, or why it did not.
pub(super) fn answered(answer: &Answered) -> (Option<u16>, Option<String>) {
    match answer {
        Answered::Status(status) => (Some(*status), None),
        Answered::Nothing(reason) => (None, Some(reason.clone())),
    }
}

/// The kind of an event.
pub(super) fn kind(event: &Event) -> Kind {
    match &event.what {
        What::Answered { .. } => Kind::CallAnswered,
        What::Resulted { .. } => Kind::ResultReady,
        What::Attempted { .. } => Kind::DeliveryAttempted,
        What::RedeliveryRequested { .. } => Kind::DeliveryRequested,
        What::KeyEnded { .. } => Kind::KeyEnded,
        What::LimitRestored { .. } => Kind::LimitRestored,
        What::IdempotencyKeyExpired { .. } => Kind::IdempotencyKeyLapsed,
        What::ClockSet { .. } => Kind::ClockSet,
        What::Changed => Kind::AccountChanged,
        What::Reset => Kind::AccountReset,
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

impl Happened {
    /// An event without its number.
    pub(super) fn of(event: &Event) -> Self {
        let mut happened = Happened::bare(event);
        let delivery = verification(event).map(|it| Shown(DeliveryId(it)));
        match &event.what {
            What::Answered { status, state, .. } => {
                happened.http_status = Some(*status);
                happened.stands(*state);
            }
            What::Resulted {
                state, delivers, ..
            } => {
                happened.stands(*state);
                happened.delivers = Some(*delivers);
                happened.delivery_id = delivery.filter(|_| *delivers);
            }
            What::Attempted {
                number,
                answer,
                state,
                ..
            } => {
                happened.delivery_id = delivery;
                happened.attempt = Some(*number);
                (happened.http_status, happened.reason) = answered(answer);
                happened.state = Some(progress(*state));
            }
            What::RedeliveryRequested { .. } => happened.delivery_id = delivery,
            What::KeyEnded { key } | What::LimitRestored { key } => {
                happened.key = Some(key.to_string());
            }
            What::IdempotencyKeyExpired { key } => happened.key = Some(key.to_string()),
            What::ClockSet { clock } => {
                let frozen = clock.frozen_at().is_some();
                happened.clock = Some(if frozen {
                    Clock::Frozen
                } else {
                    Clock::Running
                });
            }
            What::Changed | What::Reset => {}
        }
        happened
    }

    /// An event with its number.
    pub(super) fn numbered(seq: u64, event: &Event) -> Self {
        Happened {
            seq: Some(seq),
            ..Happened::of(event)
        }
    }

    fn bare(event: &Event) -> Self {
        Happened {
            seq: None,
            at: When(event.at),
            environment: event.environment.into(),
            kind: kind(event),
            verification_id: verification(event).map(Shown),
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

    fn stands(&mut self, state: State) {
        let (status, code) = standing(state);
        self.status = Some(status);
        self.code = code;
    }
}
