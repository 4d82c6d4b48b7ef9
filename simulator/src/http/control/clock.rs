//! An account's clock: shown, moved, stopped, let run.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account_dto::ClockStateDto;
use super::event_dto::EventDto;
use super::response::ControlError;
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{DurationDto, OnlyTrueDto, TimestampDto};
use crate::engine::state::account::Account;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::timeline;
use crate::host::AccountCell;
use crate::host::clock_move::{ClockMoveError, ClockTarget};

/// What a clock shows.
#[derive(Serialize, JsonSchema)]
pub(super) struct ClockReadingDto {
    now: TimestampDto,
    state: ClockStateDto,
}

/// What is to be done with a clock: at least one of these, and one of `advance`, `set` and `next` at most.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "not" = { "anyOf": [
    { "required": ["advance", "set"] }, { "required": ["advance", "next"] }, { "required": ["set", "next"] },
] }))]
pub(super) struct ClockChangeDto {
    /// It shows so much later.
    advance: Option<DurationDto>,
    /// It shows this instant, which must not be before what it shows.
    set: Option<TimestampDto>,
    /// It shows when the next thing is due that `GET /control/accounts/{id}/timeline` lists.
    next: Option<OnlyTrueDto>,
    /// Whether it stands still: `true` before it is moved, `false` after.
    freeze: Option<bool>,
}

/// What a clock shows, and what happened on the way there.
#[derive(Serialize, JsonSchema)]
pub(super) struct MovedClockDto {
    now: TimestampDto,
    state: ClockStateDto,
    /// In order.
    happened: Vec<EventDto>,
}

pub(super) async fn show(request: ControlRequest) -> ControlResult<ClockReadingDto> {
    let cell = request.account()?;
    Ok(request.api.shows(&cell))
}

pub(super) async fn set(request: ControlRequest<ClockChangeDto>) -> ControlResult<MovedClockDto> {
    let cell = request.account()?;
    let change = request.body;
    let invalid = |message| Err(ControlError::invalid_input(message));
    let target = match (change.advance, change.set, change.next) {
        (None, None, None) if change.freeze.is_none() => {
            return invalid("give `advance`, `set`, `next` or `freeze`");
        }
        (Some(DurationDto(by)), None, None) => Some(ClockTarget::By(by)),
        (None, Some(TimestampDto(at)), None) => Some(ClockTarget::At(at)),
        (None, None, Some(OnlyTrueDto)) => Some(ClockTarget::Next),
        (None, None, None) => None,
        _ => return invalid("give one of `advance`, `set` and `next`"),
    };
    // Receivers that do not answer make it wait.
    let _part = target
        .map(|_| request.api.host.shares().begin_clock_move(cell.taken()))
        .transpose()?;
    let now = request.api.shows(&cell).now.0;
    if let Some(ClockTarget::At(at)) = target
        && at < now
    {
        // Looked at before the clock is stopped: what is refused changes nothing.
        return Err(ClockMoveError::PastInstant { now }.into());
    }
    let is_due = |account: &Account| timeline::next(account, now).is_some();
    if target == Some(ClockTarget::Next) && !cell.read(is_due) {
        return Err(ClockMoveError::NothingDue.into());
    }
    if change.freeze == Some(true) {
        request.api.set_clock(&cell, AccountClock::frozen).await?;
    }
    let happened = match target {
        Some(target) => request.api.host.move_clock(&cell, target).await?.events,
        None => Vec::new(),
    };
    if change.freeze == Some(false) {
        request.api.set_clock(&cell, AccountClock::running).await?;
    }
    let ClockReadingDto { now, state } = request.api.shows(&cell);
    Ok(MovedClockDto {
        now,
        state,
        happened: happened.iter().map(EventDto::of).collect(),
    })
}

impl ControlApi {
    async fn set_clock(
        &self,
        cell: &Arc<AccountCell>,
        set: fn(&AccountClock, Timestamp) -> AccountClock,
    ) -> ControlResult<()> {
        let set = || self.host.set_clock(cell, set).map(drop);
        Ok(self.host.durably(cell, set).await?)
    }

    fn shows(&self, cell: &AccountCell) -> ClockReadingDto {
        let machine = self.host.now();
        cell.read(|account| ClockReadingDto {
            now: TimestampDto(account.clock.read(machine)),
            state: (&account.clock).into(),
        })
    }
}
