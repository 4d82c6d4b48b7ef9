//! Moves an account's clock (ruling 24). All that falls due on the way is done in order, and no lock is held
//! while a webhook is sent. Attempts are made one after the other while receivers answer; while one is
//! silent, as many at once as the courier makes.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::cell::{AccountCell, AccountState};
use super::courier::MAX_IN_FLIGHT;
use super::journal::JournalError;
use super::scheduler::{LockedAccount, Scheduler};
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::Delivery;
use crate::engine::state::event::{self, Event, EventKind};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::timeline;
use crate::engine::state::verification::Verification;

/// What an account's clock is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockTarget {
    /// So much later than it shows.
    By(SignedDuration),
    /// An instant.
    At(Timestamp),
    /// When the next thing is due.
    Next,
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
    /// Nothing is due.
    #[error("nothing of the account is due at any instant")]
    NothingDue,
    /// There is no such instant.
    #[error("no clock shows an instant so late")]
    TooLate,
    /// It took longer than it may.
    #[error("receivers did not answer in time; the clock shows {now} now")]
    TookTooLong {
        /// What it shows.
        now: Timestamp,
    },
    /// An entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// A receiver that takes longer does not keep the others waiting.
const PATIENCE: Duration = Duration::from_millis(250);

/// Moves an account's clock forward and does all that falls due on the way, within so much real time. An
/// attempt that is being made when the time is over is still made to its end.
pub(super) async fn move_clock(
    scheduler: &Arc<Scheduler>,
    cell: &Arc<AccountCell>,
    target: ClockTarget,
    within: Duration,
) -> Result<ClockMove, ClockMoveError> {
    let moved = tokio::time::timeout(within, moved(scheduler, cell, target)).await;
    moved.unwrap_or_else(|_| {
        let now = scheduler.lock(cell).now();
        Err(ClockMoveError::TookTooLong { now })
    })
}

async fn moved(
    scheduler: &Arc<Scheduler>,
    cell: &Arc<AccountCell>,
    target: ClockTarget,
) -> Result<ClockMove, ClockMoveError> {
    let mut moving = MovingClock::begin(scheduler, cell).await;
    // No other replica makes attempts that are due on the way.
    scheduler.take_work(cell).await?;
    if scheduler.journal.shared().is_some() {
        // Whoever moved it last may not have told this replica yet.
        cell.mark_stale();
    }
    scheduler.reload(cell).await?;
    let to = moving.resolve(target)?;
    loop {
        match moving.step(to)? {
            Step::Sent => moving.wait_for_prompt_receiver().await,
            Step::Blocked(seen) => moving.wait_for_change(seen).await,
            Step::Continue => {}
            // Somebody else changed the account meanwhile: there may be more to do.
            Step::Arrived(_) if !moving.is_written().await? => {}
            Step::Arrived(now) => {
                let events = moving.arrive();
                return Ok(ClockMove { now, events });
            }
        }
    }
}

/// What was done on the way.
enum Step {
    /// An attempt was begun.
    Sent,
    /// Nothing can be done before an attempt ends.
    Blocked(Ahead),
    Continue,
    Arrived(Timestamp),
}

/// What is to be done next, while attempts are being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ahead {
    /// When something is due that can be done now: a result, an attempt.
    due: Option<Timestamp>,
    /// The clock must not pass this before an attempt ends: it may fail, and be due again then.
    barrier: Option<Timestamp>,
    in_flight: usize,
    generation: u64,
}

impl Ahead {
    fn of(state: &AccountState) -> Self {
        let account = &state.account;
        let (mut due, mut barrier) = (account.first_due().map(|(at, ..)| at), None);
        for environment in Environment::ALL {
            let next = next_attempt(state, environment).map(|(at, ..)| at);
            match has_capacity(state, environment) {
                true => due = due.into_iter().chain(next).min(),
                false => barrier = barrier.into_iter().chain(next).min(),
            }
        }
        let schedule_ms = &account.settings.webhook_schedule_ms;
        let again = state.in_flight.iter().filter_map(|(environment, id)| {
            let verifications = &account.environment(*environment).verifications;
            verifications.delivery(*id)?.next_after_attempt(schedule_ms)
        });
        Ahead {
            due,
            barrier: barrier.into_iter().chain(again).min(),
            in_flight: state.in_flight.len(),
            generation: state.generation,
        }
    }
}

/// Whether one more attempt may be made at once.
fn has_capacity(state: &AccountState, environment: Environment) -> bool {
    let in_flight = state.in_flight.iter();
    in_flight.filter(|(of, _)| *of == environment).count() < MAX_IN_FLIGHT
}

/// The attempt of an environment that is due first and not being made.
fn next_attempt(
    state: &AccountState,
    environment: Environment,
) -> Option<(Timestamp, VerificationId, &Verification, &Delivery)> {
    let verifications = &state.account.environment(environment).verifications;
    let mut due = verifications.due_attempts();
    let (at, verification, delivery) =
        due.find(|(_, it, _)| !state.in_flight.contains(&(environment, it.id)))?;
    Some((at, verification.id, verification, delivery))
}

/// A clock that is being moved, by one caller at a time. However the move ends, the account does by itself
/// what is due afterwards.
struct MovingClock<'a> {
    scheduler: &'a Arc<Scheduler>,
    cell: &'a Arc<AccountCell>,
    /// Events of passed time are made up to here.
    passed: Timestamp,
    /// Whether a receiver did not answer soon.
    silent: bool,
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
            silent: false,
        };
        // An attempt that was being made before is no part of the move, whether or not it has ended by now.
        cell.wait_until(|state| {
            let ended = state.in_flight.is_empty();
            ended.then(|| state.clock_move = Some(Vec::new()))
        })
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
            ClockTarget::Next => timeline::next(&self.scheduler.lock(self.cell).state.account, now)
                .ok_or(ClockMoveError::NothingDue)?,
        };
        self.passed = now;
        match to >= now {
            true => Ok(to),
            false => Err(ClockMoveError::PastInstant { now }),
        }
    }

    /// Waits until all that was done on the way is written.
    async fn is_written(&self) -> Result<bool, JournalError> {
        let commit = self.cell.lock().commit.clone();
        self.scheduler.written(self.cell, commit).await
    }

    /// Moves on to the next instant at which something is due, and no further than `to`.
    fn step(&mut self, to: Timestamp) -> Result<Step, ClockMoveError> {
        let mut locked = self.scheduler.lock(self.cell);
        if let Some(error) = locked.state.unwritten_attempt.take() {
            return Err(error.into());
        }
        let shown = locked.now();
        let ahead = Ahead::of(&locked.state);
        let arrives = ahead.due.is_none_or(|due| due > to);
        // A clock that runs may be ahead of what is due, and even of its target.
        let next = ahead.due.filter(|_| !arrives).unwrap_or(to).max(shown);
        let waits = arrives || ahead.barrier.is_some_and(|barrier| barrier <= next);
        if waits && ahead.in_flight > 0 {
            return Ok(Step::Blocked(ahead));
        }
        for event in event::passed(&locked.state.account, self.passed, next) {
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
        Ok(match self.begin_attempt(&mut locked, next) {
            true => Step::Sent,
            false => Step::Continue,
        })
    }

    /// Begins the attempt that is due first, where one is by now. Says whether one was.
    fn begin_attempt(&self, locked: &mut LockedAccount<'_>, now: Timestamp) -> bool {
        let state = &locked.state;
        let all = Environment::ALL.into_iter();
        let free = all.filter(|environment| has_capacity(state, *environment));
        let due = free.filter_map(|environment| {
            let (at, id, verification, delivery) = next_attempt(state, environment)?;
            (at <= now).then_some((at, id, environment, verification, delivery))
        });
        let first = due.min_by_key(|&(at, id, environment, ..)| (at, id, environment));
        let Some((at, _, environment, verification, delivery)) = first else {
            return false;
        };
        let courier = &self.scheduler.courier;
        let due = courier.attempt(state, environment, at, verification, delivery, now);
        locked.begin_attempt(due);
        true
    }

    /// Waits for the attempts that are being made, until they have ended or a receiver is silent. While one
    /// is, the next attempt does not wait for this one.
    async fn wait_for_prompt_receiver(&mut self) {
        if !self.silent {
            let ended = |state: &mut AccountState| state.in_flight.is_empty().then_some(());
            let ended = tokio::time::timeout(PATIENCE, self.cell.wait_until(ended)).await;
            self.silent = ended.is_err();
        }
    }

    /// Waits until there may be something to do.
    async fn wait_for_change(&mut self, seen: Ahead) {
        let change = |state: &mut AccountState| {
            let ahead = Ahead::of(state);
            let unwritten = state.unwritten_attempt.is_some();
            (unwritten || ahead != seen).then_some(ahead)
        };
        let ahead = self.cell.wait_until(change).await;
        self.silent &= ahead.in_flight > 0;
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
        locked.state.unwritten_attempt = None;
        locked.note_due();
        locked.schedule();
        self.cell.changed.notify_waiters();
    }
}
