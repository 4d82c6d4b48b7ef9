//! An account's clock: shown, moved, stopped, let run.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::{Given, Nothing};
use super::detail::{Clock, state_of};
use super::happened::Happened;
use super::query::NoQuery;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get, post};
use super::values::{Span, When};
use crate::engine::state::clock::AccountClock;
use crate::host::AccountCell;
use crate::host::clock_move::{ClockMoveError, ClockTarget};

pub(super) fn routes() -> Vec<Route> {
    const CLOCK: &str = "/control/accounts/{id}/clock";
    vec![
        get(CLOCK, "clock.get", "What an account's clock shows")
            .by(show)
            .refusing(&[Code::AccountNotFound]),
        post(
            CLOCK,
            "clock.set",
            "Move an account's clock forward through all that falls due, stop it, let it run",
        )
        .by(set)
        .refusing(&[Code::AccountNotFound, Code::ClockBackwards]),
    ]
}

/// What a clock shows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlClock", deny_unknown_fields)]
struct Shows {
    now: When,
    state: Clock,
}

/// What is to be done with a clock: at least one of these, not both `advance` and `set`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlClockChange", extend("minProperties" = 1, "not" = { "required": ["advance", "set"] }))]
struct Change {
    /// It shows so much later.
    advance: Option<Span>,
    /// It shows this instant, which must not be before what it shows.
    set: Option<When>,
    /// Whether it stands still: `true` before it is moved, `false` after.
    freeze: Option<bool>,
}

impl Given for Change {}

/// What a clock shows, and what happened on the way there.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlMovedClock", deny_unknown_fields)]
struct Moved {
    now: When,
    state: Clock,
    /// In order.
    happened: Vec<Happened>,
}

async fn show(control: Arc<Control>, asked: Asked<Nothing, NoQuery>) -> Result<Shows, Refusal> {
    let cell = control.account(&asked.part)?;
    Ok(control.shows(&cell))
}

async fn set(control: Arc<Control>, asked: Asked<Change, NoQuery>) -> Result<Moved, Refusal> {
    let cell = control.account(&asked.part)?;
    let Change {
        advance,
        set,
        freeze,
    } = asked.body;
    let target = match (advance, set) {
        (Some(_), Some(_)) => return Err(wrong("give either `advance` or `set`")),
        (None, None) if freeze.is_none() => {
            return Err(wrong("give `advance`, `set` or `freeze`"));
        }
        (Some(Span(by)), None) => Some(ClockTarget::By(by)),
        (None, Some(When(at))) => Some(ClockTarget::At(at)),
        (None, None) => None,
    };
    let now = control.shows(&cell).now.0;
    if let Some(ClockTarget::At(at)) = target
        && at < now
    {
        // Looked at before the clock is stopped: what is refused changes nothing.
        return Err(ClockMoveError::Backwards { now }.into());
    }
    if freeze == Some(true) {
        control.host.set_clock(&cell, AccountClock::frozen)?;
    }
    let happened = match target {
        Some(target) => control.host.move_clock(&cell, target).await?.events,
        None => Vec::new(),
    };
    if freeze == Some(false) {
        control.host.set_clock(&cell, AccountClock::running)?;
    }
    let Shows { now, state } = control.shows(&cell);
    Ok(Moved {
        now,
        state,
        happened: happened.iter().map(Happened::of).collect(),
    })
}

fn wrong(message: &str) -> Refusal {
    Refusal::new(Code::InvalidInput, message)
}

impl Control {
    fn shows(&self, cell: &AccountCell) -> Shows {
        let machine = self.host.now();
        cell.read(|account| Shows {
            now: When(account.clock.read(machine)),
            state: state_of(account),
        })
    }
}
