//! What is due: finished in time, whether or not anybody calls. Writes entries down and applies them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use jiff::Timestamp;

use super::Host;
use super::cell::{AccountCell, Held, UNARMED};
use super::journal::JournalError;
use super::memory::tell_forgotten;
use crate::engine;
use crate::engine::call::request::Environment;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::event;

/// How long something rests that is due and could not be written.
const REST: Duration = Duration::from_secs(1);

impl Host {
    /// Writes an entry down, applies it and tells those who wait.
    pub(super) fn apply(
        &self,
        cell: &AccountCell,
        held: &mut Held,
        entry: Entry,
    ) -> Result<(), JournalError> {
        self.journal
            .append(&cell.id, std::slice::from_ref(&entry))?;
        let mut happened = event::of(&held.account, &entry);
        let (first, second) = (happened.next(), happened.next());
        let more: Vec<_> = happened.collect();
        let environment = entry.environment;
        let forgotten = held.account.environment(environment).evictions().total();
        // Who makes many accounts forget tells it once.
        let told = matches!(entry.changes.as_slice(), [Change::Evicted { .. }]);
        held.account.apply(entry);
        for event in first.into_iter().chain(second).chain(more) {
            held.happened(event);
        }
        self.memory.weigh(cell, held);
        if !told {
            tell_forgotten(&held.account, environment, forgotten);
        }
        cell.changed.notify_waiters();
        Ok(())
    }

    /// Finishes every ticket that is due by now, in order.
    pub(super) fn finish_due(
        &self,
        cell: &AccountCell,
        held: &mut Held,
        machine: Timestamp,
    ) -> Result<(), JournalError> {
        let now = held.account.clock.read(machine);
        while let Some((at, environment, verification)) =
            held.account.first_due().filter(|&(at, ..)| at <= now)
        {
            let rules = self.rules_of(cell);
            let finished = engine::finish(&rules, &held.account, environment, verification, at);
            let Some((_, entry)) = finished else {
                break;
            };
            self.apply(cell, held, entry)?;
        }
        Ok(())
    }

    /// Sends what is due now, and sees to it that what is due next is done in time even if nobody
    /// calls.
    pub(super) fn go_on_with(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        held: &mut Held,
        machine: Timestamp,
    ) {
        self.send_due(cell, held, machine);
        self.arm(cell, held, machine);
    }

    fn arm(self: &Arc<Self>, cell: &Arc<AccountCell>, held: &Held, machine: Timestamp) {
        let clock = &held.account.clock;
        // Who moves a clock does what is due on the way, and arms when it has come to its end.
        if clock.frozen_at().is_some() || held.moving.is_some() {
            return;
        }
        let now = clock.read(machine);
        let Some(at) = next(held, now) else {
            return;
        };
        let at_ms = at.as_millisecond();
        if cell.armed.load(Ordering::Relaxed) <= at_ms {
            return;
        }
        cell.armed.store(at_ms, Ordering::Relaxed);
        let wait = match at > now {
            true => self.clock.takes(at.duration_since(now)),
            // It was due already and could not be done: not again at once.
            false => REST,
        };
        // An account that ends meanwhile is not kept by who waits for its time.
        let (host, cell) = (Arc::clone(self), Arc::downgrade(cell));
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let Some(cell) = cell.upgrade() else {
                return;
            };
            cell.armed.store(UNARMED, Ordering::Relaxed);
            if let Err(error) = host.go_on(&cell) {
                tracing::error!(account = %cell.id, %error, "a due result was not written; it stays due");
            }
        });
    }

    /// Finishes the calls whose answer was held back when the account was last known: nobody waits
    /// for it any more, but each is booked once.
    pub(super) fn finish_held_back(&self, cell: &AccountCell) -> Result<(), JournalError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        let now = held.account.clock.read(machine);
        for environment in Environment::ALL {
            let verifications = &held.account.environment(environment).verifications;
            let delayed: Vec<_> = verifications.delayed().map(|it| it.id).collect();
            for verification in delayed {
                let (rules, account) = (self.rules_of(cell), &held.account);
                let finished = engine::finish(&rules, account, environment, verification, now);
                if let Some((_, entry)) = finished {
                    self.apply(cell, &mut held, entry)?;
                }
            }
        }
        Ok(())
    }

    /// Looks again after a rest.
    pub(super) fn arm_after_rest(self: &Arc<Self>, cell: &Arc<AccountCell>) {
        let (host, cell) = (Arc::clone(self), Arc::downgrade(cell));
        tokio::spawn(async move {
            tokio::time::sleep(REST).await;
            if let Some(cell) = cell.upgrade() {
                // What is not written yet is told where it was tried.
                let _ = host.go_on(&cell);
            }
        });
    }

    /// Does what is due and waits for what comes next.
    pub(super) fn go_on(self: &Arc<Self>, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        let mut held = cell.lock();
        let machine = self.clock.now();
        let finished = self.finish_due(cell, &mut held, machine);
        self.go_on_with(cell, &mut held, machine);
        finished
    }
}

/// When there is something to do next: a result, or an attempt that is not due yet. One that is due
/// begins when another one ends.
fn next(held: &Held, now: Timestamp) -> Option<Timestamp> {
    let account = &held.account;
    let result = account.first_due().map(|(at, ..)| at);
    let attempts = Environment::ALL
        .into_iter()
        .map(|environment| &account.environment(environment).verifications)
        .filter_map(|verifications| verifications.attempt_due_after(now));
    result.into_iter().chain(attempts).min()
}
