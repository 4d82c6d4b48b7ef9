//! Moving an account's clock: everything that falls due on the way is done in order, one after the
//! other, and no lock is held while something is sent.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::Host;
use super::cell::{AccountCell, Held};
use super::courier::Outgoing;
use super::journal::JournalError;
use crate::engine::call::request::Environment;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::event::{self, Event, What};

/// Where a clock is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockTarget {
    /// So much later than it shows.
    By(SignedDuration),
    /// At an instant.
    At(Timestamp),
}

/// What moving a clock came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockMove {
    /// What it shows.
    pub now: Timestamp,
    /// What happened on the way, in order.
    pub events: Vec<Event>,
}

/// Why a clock was not moved.
#[derive(Debug, thiserror::Error)]
pub enum ClockMoveError {
    /// The clock already shows a later instant.
    #[error("an account's clock never goes back; it shows {now}")]
    Backwards {
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

/// What is to be done next on the way.
enum Next {
    Send(Outgoing),
    Again,
    Arrived(Timestamp),
}

impl Host {
    /// Moves an account's clock forward, doing all that falls due on the way in order of due time,
    /// then of id: results, keys and limits that end, attempts to deliver. Comes back when it is all
    /// done. Whoever stops waiting leaves the clock where it was then.
    ///
    /// # Errors
    /// [`ClockMoveError`]; what was done before stays done.
    pub async fn move_clock(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        target: ClockTarget,
    ) -> Result<ClockMove, ClockMoveError> {
        let _one_at_a_time = cell.moves.lock().await;
        let way = Way::begin(self, cell);
        way.alone().await;
        let (from, to) = way.ends(target)?;
        let mut passed = from;
        loop {
            match self.step_on(cell, &mut passed, to)? {
                Next::Send(outgoing) => {
                    let attempt = self.attempt(&outgoing).await;
                    let mut held = cell.lock();
                    if outgoing.is_of(&held) {
                        let machine = self.clock.now();
                        self.note(cell, &mut held, &outgoing, attempt, machine)?;
                    }
                }
                Next::Again => {}
                Next::Arrived(now) => {
                    let events = way.end();
                    return Ok(ClockMove { now, events });
                }
            }
        }
    }

    /// Stops an account's clock, or lets it run on from what it shows.
    ///
    /// # Errors
    /// Where the entry is not written.
    pub fn set_clock(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        set: impl FnOnce(&AccountClock, Timestamp) -> AccountClock,
    ) -> Result<Timestamp, JournalError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        self.finish_due(cell, &mut held, machine)?;
        let clock = set(&held.account.clock, machine);
        self.clock_set(cell, &mut held, clock, machine)?;
        self.go_on_with(cell, &mut held, machine);
        Ok(clock.read(machine))
    }

    /// Goes on to the next instant at which something is due, and no further than `to`.
    fn step_on(
        &self,
        cell: &AccountCell,
        passed: &mut Timestamp,
        to: Timestamp,
    ) -> Result<Next, ClockMoveError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        let shown = held.account.clock.read(machine);
        let attempt = held.account.first_attempt().map(|(at, ..)| at);
        let result = held.account.first_due().map(|(at, ..)| at);
        let due = attempt.into_iter().chain(result).min();
        let arrives = due.is_none_or(|due| due > to);
        // A clock that runs may be ahead of what is due, and even of where it is to be.
        let next = due.filter(|_| !arrives).unwrap_or(to).max(shown);
        for event in event::passed(&held.account, *passed, next) {
            held.happened(event);
        }
        *passed = next.max(*passed);
        if next > shown {
            let clock = held.account.clock.moved(machine, next);
            let clock = clock.map_err(|_| ClockMoveError::Backwards { now: shown })?;
            self.clock_set(cell, &mut held, clock, machine)?;
        }
        self.finish_due(cell, &mut held, machine)?;
        if arrives {
            return Ok(Next::Arrived(next));
        }
        let sends = held.account.first_attempt().filter(|(at, ..)| *at <= next);
        Ok(match sends {
            Some((at, environment, verification, delivery)) => {
                Next::Send(self.outgoing(&held, environment, at, verification, delivery, next))
            }
            None => Next::Again,
        })
    }

    fn clock_set(
        &self,
        cell: &AccountCell,
        held: &mut Held,
        clock: AccountClock,
        machine: Timestamp,
    ) -> Result<(), JournalError> {
        let entry = Entry {
            at: clock.read(machine),
            environment: Environment::Test,
            changes: vec![Change::ClockSet(clock)],
        };
        self.apply(cell, held, entry)
    }
}

/// A clock on its way. However it ends, the account goes on by itself afterwards.
struct Way<'a> {
    host: &'a Arc<Host>,
    cell: &'a Arc<AccountCell>,
}

impl<'a> Way<'a> {
    fn begin(host: &'a Arc<Host>, cell: &'a Arc<AccountCell>) -> Self {
        cell.lock().moving = Some(Vec::new());
        Way { host, cell }
    }

    /// Waits for the attempts that were on their way before: what they come to decides what is due.
    async fn alone(&self) {
        loop {
            let changed = self.cell.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.cell.lock().in_flight.is_empty() {
                return;
            }
            changed.await;
        }
    }

    /// From where to where it goes.
    fn ends(&self, target: ClockTarget) -> Result<(Timestamp, Timestamp), ClockMoveError> {
        let machine = self.host.clock.now();
        let now = self.cell.lock().account.clock.read(machine);
        let to = match target {
            ClockTarget::By(by) => now
                .saturating_add(by)
                .map_err(|_| ClockMoveError::TooLate)?,
            ClockTarget::At(at) => at,
        };
        match to >= now {
            true => Ok((now, to)),
            false => Err(ClockMoveError::Backwards { now }),
        }
    }

    fn end(&self) -> Vec<Event> {
        let mut held = self.cell.lock();
        let happened = held.moving.take().unwrap_or_default();
        let clock = held.account.clock;
        held.happened(Event {
            at: clock.read(self.host.clock.now()),
            environment: Environment::Test,
            what: What::ClockSet { clock },
        });
        self.cell.changed.notify_waiters();
        happened
    }
}

impl Drop for Way<'_> {
    fn drop(&mut self) {
        let mut held = self.cell.lock();
        held.moving = None;
        let machine = self.host.clock.now();
        self.host.go_on_with(self.cell, &mut held, machine);
    }
}
