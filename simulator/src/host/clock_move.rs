//! Moves an account's clock (ruling 24). All that falls due on the way is done in order, one after the
//! other, and no lock is held while a webhook is sent.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::cell::AccountCell;
use super::courier::DueAttempt;
use super::journal::JournalError;
use super::scheduler::Scheduler;
use crate::engine::call::request::Environment;
use crate::engine::state::event::{self, Event, EventKind};

/// What an account's clock is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockTarget {
    /// So much later than it shows.
    By(SignedDuration),
    /// An instant.
    At(Timestamp),
}

/// What moving a clock came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockMove {
    /// What the clock shows.
    pub now: Timestamp,
    /// What happened on the way, in order.
    pub events: Vec<Event>,
}

/// Why a clock was not moved.
#[derive(Debug, thiserror::Error)]
pub enum ClockMoveError {
    /// The clock already shows a later instant.
    #[error("an account's clock never goes back; it shows {now}")]
    PastInstant {
        /// What it shows.
        now: Timestamp,
    },
    /// There is no such instant.
    #[error("no clock shows an instant so late")]
    TooLate,
    /// An entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Moves an account's clock forward and does all that falls due on the way.
pub(super) async fn move_clock(
    scheduler: &Arc<Scheduler>,
    cell: &Arc<AccountCell>,
    target: ClockTarget,
) -> Result<ClockMove, ClockMoveError> {
    let mut moving = MovingClock::begin(scheduler, cell).await;
    let to = moving.resolve(target)?;
    loop {
        match moving.step(to)? {
            Step::Send(due) => {
                let attempt = scheduler.courier.send(&due).await;
                let mut locked = scheduler.lock(cell);
                // The account may have been reset meanwhile.
                if locked.state.generation == due.generation {
                    locked.record_attempt(&due, attempt)?;
                }
            }
            Step::Continue => {}
            Step::Arrived(now) => {
                let events = moving.arrive();
                return Ok(ClockMove { now, events });
            }
        }
    }
}

/// What is to be done next on the way.
enum Step {
    Send(DueAttempt),
    Continue,
    Arrived(Timestamp),
}

/// A clock that is being moved, by one caller at a time. However the move ends, the account does by itself
/// what is due afterwards.
struct MovingClock<'a> {
    scheduler: &'a Arc<Scheduler>,
    cell: &'a Arc<AccountCell>,
    /// Events of passed time are made up to here.
    passed: Timestamp,
}

impl<'a> MovingClock<'a> {
    /// Waits until nobody else moves the clock, then until the attempts have ended that were being made:
    /// what they come to decides what is due.
    async fn begin(scheduler: &'a Arc<Scheduler>, cell: &'a Arc<AccountCell>) -> Self {
        cell.wait_until(|state| {
            let free = state.clock_move.is_none();
            free.then(|| state.clock_move = Some(Vec::new()))
        })
        .await;
        let moving = MovingClock {
            scheduler,
            cell,
            passed: Timestamp::MIN,
        };
        cell.wait_until(|state| state.in_flight.is_empty().then_some(()))
            .await;
        moving
    }

    /// The instant the clock is to show.
    fn resolve(&mut self, target: ClockTarget) -> Result<Timestamp, ClockMoveError> {
        let now = self.scheduler.lock(self.cell).now();
        let to = match target {
            ClockTarget::By(by) => now
                .saturating_add(by)
                .map_err(|_| ClockMoveError::TooLate)?,
            ClockTarget::At(at) => at,
        };
        self.passed = now;
        match to >= now {
            true => Ok(to),
            false => Err(ClockMoveError::PastInstant { now }),
        }
    }

    /// Moves on to the next instant at which something is due, and no further than `to`.
    fn step(&mut self, to: Timestamp) -> Result<Step, ClockMoveError> {
        let mut locked = self.scheduler.lock(self.cell);
        let shown = locked.now();
        let account = &locked.state.account;
        let attempt = account.first_attempt().map(|(at, ..)| at);
        let result = account.first_due().map(|(at, ..)| at);
        let due = attempt.into_iter().chain(result).min();
        let arrives = due.is_none_or(|due| due > to);
        // A clock that runs may be ahead of what is due, and even of its target.
        let next = due.filter(|_| !arrives).unwrap_or(to).max(shown);
        for event in event::passed(account, self.passed, next) {
            locked.state.record(event);
        }
        self.passed = next.max(self.passed);
        if next > shown {
            let clock = locked.state.account.clock.moved(locked.machine, next);
            let clock = clock.map_err(|_| ClockMoveError::PastInstant { now: shown })?;
            locked.set_clock(clock)?;
        }
        locked.finish_due()?;
        if arrives {
            return Ok(Step::Arrived(next));
        }
        let attempt = locked.state.account.first_attempt();
        Ok(match attempt.filter(|(at, ..)| *at <= next) {
            Some((at, environment, verification, delivery)) => {
                let (courier, state) = (&self.scheduler.courier, &locked.state);
                Step::Send(courier.attempt(state, environment, at, verification, delivery, next))
            }
            None => Step::Continue,
        })
    }

    /// Reports where the clock arrived. Gives what happened on the way.
    fn arrive(&self) -> Vec<Event> {
        let mut locked = self.scheduler.lock(self.cell);
        let arrived = Event {
            at: locked.now(),
            environment: Environment::Test,
            kind: EventKind::ClockSet {
                clock: locked.state.account.clock,
            },
        };
        let events = locked.state.clock_move.take().unwrap_or_default();
        locked.state.record(arrived);
        // Only the end of the move lets another one begin.
        locked.state.clock_move = Some(Vec::new());
        self.cell.changed.notify_waiters();
        events
    }
}

impl Drop for MovingClock<'_> {
    fn drop(&mut self) {
        let mut locked = self.scheduler.lock(self.cell);
        locked.state.clock_move = None;
        locked.schedule();
        self.cell.changed.notify_waiters();
    }
}
