//! Does what falls due in time, whether or not anybody calls: ends verifications, makes attempts to
//! deliver, wakes up again. Every change of an account is written and applied here.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::task::AbortHandle;
use tokio_util::task::TaskTracker;

use super::cell::{AccountCell, AccountState, OrphanedReply, Wakeup};
use super::clock::Clock;
use super::courier::{Courier, DueAttempt};
use super::journal::{Commit, Journal, JournalError};
use super::lock_order::MutexGuard;
use super::memory::{MemoryGovernor, MemoryUsage, report_evicted};
use super::metrics::Metrics;
use super::rules_store::RulesStore;
use super::shares::Shares;
use crate::engine;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::delivery::Attempt;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::event;
use crate::engine::state::ids::VerificationId;

/// How long something waits that is due and could not be written.
pub(super) const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Does what falls due.
pub(super) struct Scheduler {
    pub(super) clock: Clock,
    pub(super) rules: Arc<RulesStore>,
    pub(super) memory: Arc<MemoryGovernor>,
    pub(super) journal: Arc<dyn Journal>,
    pub(super) courier: Courier,
    /// What must end before the simulator does: delayed replies and attempts to deliver.
    pub(super) tasks: TaskTracker,
    pub(super) shares: Shares,
    pub(super) metrics: Metrics,
}

/// An account under its lock, at one instant.
pub(super) struct LockedAccount<'a> {
    pub(super) scheduler: &'a Arc<Scheduler>,
    pub(super) cell: &'a Arc<AccountCell>,
    pub(super) state: MutexGuard<'a, AccountState>,
    /// What the machine's clock shows.
    pub(super) machine: Timestamp,
}

impl Scheduler {
    pub(super) fn lock<'a>(self: &'a Arc<Self>, cell: &'a Arc<AccountCell>) -> LockedAccount<'a> {
        let state = cell.lock();
        LockedAccount {
            scheduler: self,
            cell,
            state,
            machine: self.clock.now(),
        }
    }

    /// Gives the store a copy of an account in the place of its entries. It is printed on a thread of its own,
    /// because it is large.
    fn begin_snapshot(&self, cell: &Arc<AccountCell>, state: &AccountState) {
        let (version, account) = (state.version, state.account.clone());
        let (cell, journal) = (Arc::clone(cell), Arc::clone(&self.journal));
        tokio::task::spawn_blocking(move || {
            let snapshot = account.snapshot().to_json();
            cell.lock().unsummed.summed(snapshot.len());
            journal.snapshot(cell.id(), version, snapshot);
        });
    }

    /// Looks at an account again after some real time. The task may be ended as long as it waits.
    fn wake_after(self: &Arc<Self>, wait: Duration, cell: &Arc<AccountCell>) -> AbortHandle {
        // A task that waits does not keep an account that is closed meanwhile.
        let (scheduler, cell) = (Arc::clone(self), Arc::downgrade(cell));
        let woken = tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            let Some(cell) = cell.upgrade() else {
                return;
            };
            // From here on nobody ends it.
            {
                let mut state = cell.lock();
                state.attempts_wait = false;
                let own = |it: &mut Wakeup| Some(it.task.id()) == tokio::task::try_id();
                state.wakeup.take_if(own);
            }
            if let Err(error) = scheduler.run_due(&cell).await {
                tracing::error!(account = %cell.id(), %error, "a due result was not written; it stays due");
            }
        });
        woken.abort_handle()
    }

    /// Does what is due, and schedules what is due next.
    pub(super) async fn run_due(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
    ) -> Result<(), JournalError> {
        loop {
            let commit = {
                let mut locked = self.lock(cell);
                locked.run_due()?;
                locked.state.commit.clone()
            };
            if self.written(cell, commit).await? {
                return Ok(());
            }
        }
    }

    /// Makes an attempt, once what it tells of is written, and records what came of it. Then goes on with
    /// what waited for it.
    async fn deliver(self: Arc<Self>, cell: Arc<AccountCell>, due: DueAttempt, commit: Commit) {
        let delivered = match self.written(&cell, commit).await {
            // Another replica makes it.
            Ok(true) if !self.works_on(&cell) => Ok(()),
            Ok(true) => {
                let attempt = self.courier.send(&due).await;
                self.metrics.attempted(&attempt.answer);
                let (account, taken) = (cell.id(), attempt.answer.taken());
                tracing::debug!(%account, verification = %due.verification, taken, "an attempt to deliver ended");
                self.record_attempt(&cell, &due, &attempt).await
            }
            // It may not be due at all.
            Ok(false) => Ok(()),
            Err(error) => Err(error),
        };
        let mut locked = self.lock(&cell);
        if locked.state.generation != due.generation {
            return;
        }
        let key = (due.environment, due.verification);
        locked.state.in_flight.remove(&key);
        match delivered {
            Ok(()) => locked.schedule(),
            // It stays due and is sent again: at least once.
            Err(error) => {
                tracing::error!(account = %cell.id(), verification = %due.verification, %error, "an attempt was not written");
                match locked.state.clock_move.is_some() {
                    true => locked.state.unwritten_attempt = Some(error),
                    // Each that fails would begin all others again.
                    false if std::mem::replace(&mut locked.state.attempts_wait, true) => {}
                    false => {
                        self.wake_after(RETRY_AFTER, &cell);
                    }
                }
            }
        }
        cell.changed.notify_waiters();
    }

    /// Records what came of an attempt, unless the account was reset meanwhile.
    async fn record_attempt(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        due: &DueAttempt,
        attempt: &Attempt,
    ) -> Result<(), JournalError> {
        loop {
            let commit = {
                let mut locked = self.lock(cell);
                if locked.state.generation != due.generation || locked.is_recorded(due) {
                    return Ok(());
                }
                locked.record_attempt(due, attempt.clone())?;
                locked.state.commit.clone()
            };
            if self.written(cell, commit).await? {
                return Ok(());
            }
        }
    }
}

impl LockedAccount<'_> {
    /// What the account's clock shows.
    pub(super) fn now(&self) -> Timestamp {
        self.state.account.clock.read(self.machine)
    }

    /// The rules the account's calls are decided by.
    pub(super) fn rules(&self) -> Arc<Rules> {
        self.scheduler.rules.of(self.cell)
    }

    /// Commits what a call changes. Where nearly all memory is taken, the oldest of its account makes room.
    pub(super) fn commit_call(&mut self, mut entry: Entry) -> Result<(), JournalError> {
        if let Some(levels) = self.scheduler.memory.full(&self.scheduler.clock) {
            let state = &mut *self.state;
            let taken = state
                .account
                .environment(entry.environment)
                .evictable_bytes();
            if taken > levels.evictable {
                let down_to = taken - 1;
                entry.changes.insert(0, Change::Evicted { down_to });
            }
            state.events.make_room(levels.events);
        }
        self.commit(entry)
    }

    /// Gives an entry to the journal, applies it, and wakes those who wait for a change.
    pub(super) fn commit(&mut self, entry: Entry) -> Result<(), JournalError> {
        let (cell, state) = (self.cell, &mut *self.state);
        // Whoever found the account before it was closed changes what nobody sees any more: the journal may
        // have another account of this name by now.
        if !state.closed {
            let journal = &self.scheduler.journal;
            let entries = std::slice::from_ref(&entry);
            let appended = journal.append(cell.id(), state.version, entries)?;
            (state.version, state.commit) = (appended.version, appended.commit);
            state.unsummed.add(appended.bytes);
        }
        self.state.due_noted |= entry.may_fall_due();
        self.apply(entry);
        self.note_due();
        cell.changed.notify_waiters();
        Ok(())
    }

    /// Applies an entry that was decided here, or by another replica.
    pub(super) fn apply(&mut self, entry: Entry) {
        let state = &mut *self.state;
        if entry.changes.contains(&Change::Reset) {
            state.reset_at = state.version.number;
        }
        // Most entries make at most two events, which need no list of their own.
        let mut events = event::of(&state.account, &entry);
        let (first, second) = (events.next(), events.next());
        let more: Vec<_> = events.collect();
        let environment = entry.environment;
        let evicted = state.account.environment(environment).evictions().total();
        // An eviction among many accounts is reported once, for all of them.
        let reported = matches!(entry.changes.first(), Some(Change::Evicted { .. }));
        let scenarios = state.account.scenarios.as_ref().map(Arc::as_ptr);
        state.account.apply(entry);
        if state.account.scenarios.as_ref().map(Arc::as_ptr) != scenarios {
            self.cell.follow_scenarios(&state.account);
        }
        for event in first.into_iter().chain(second).chain(more) {
            state.record(event);
        }
        self.scheduler.memory.measure(state);
        if state.unsummed.is_due() {
            self.scheduler.begin_snapshot(self.cell, state);
        }
        if !reported {
            report_evicted(&state.account, environment, evicted);
        }
    }

    /// Commits changes that happen now.
    pub(super) fn commit_now(
        &mut self,
        environment: Environment,
        changes: Vec<Change>,
    ) -> Result<(), JournalError> {
        self.commit(Entry {
            at: self.now(),
            environment,
            changes,
        })
    }

    /// Sets the account's clock.
    pub(super) fn set_clock(&mut self, clock: AccountClock) -> Result<(), JournalError> {
        self.commit(Entry {
            at: clock.read(self.machine),
            environment: Environment::Test,
            changes: vec![Change::ClockSet { clock }],
        })
    }

    /// Does what is due, and schedules what is due next.
    pub(super) fn run_due(&mut self) -> Result<(), JournalError> {
        let finished = self.finish_due();
        self.schedule();
        finished
    }

    /// Ends every verification that is due by now, in order.
    pub(super) fn finish_due(&mut self) -> Result<(), JournalError> {
        let now = self.now();
        while let Some((at, environment, verification)) =
            self.state.account.first_due().filter(|&(at, ..)| at <= now)
        {
            let finished = self.finish(&self.rules(), environment, verification, at)?;
            if finished.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Ends the calls whose replies were delayed when the account was last known: nobody waits for the
    /// replies any more, but each call is charged once.
    pub(super) fn finish_delayed(&mut self) -> Result<(), JournalError> {
        let now = self.now();
        for (environment, verification) in self.state.delayed() {
            self.finish(&self.rules(), environment, verification, now)?;
        }
        Ok(())
    }

    /// Ends a verification. Gives the reply; none where it is not open.
    pub(super) fn finish(
        &mut self,
        rules: &Rules,
        environment: Environment,
        verification: VerificationId,
        at: Timestamp,
    ) -> Result<Option<Reply>, JournalError> {
        let account = &self.state.account;
        let Some((reply, entry)) = engine::finish(rules, account, environment, verification, at)
        else {
            return Ok(None);
        };
        self.commit(entry)?;
        let awaited = self.state.awaited.remove(&verification);
        if let Some(awaited) = awaited.and_then(|it| it.upgrade()) {
            // It ends once.
            drop(awaited.set(reply.clone()));
        }
        Ok(Some(reply))
    }

    /// Begins the attempts that are due, and sees to it that what is due next is done in time. Whoever
    /// moves the account's clock does both instead, until the move ends.
    pub(super) fn schedule(&mut self) {
        if self.state.clock_move.is_none() && self.scheduler.works_on(self.cell) {
            self.begin_attempts();
            self.schedule_wakeup();
        }
    }

    /// Begins the attempts that are due, as many as may be made at once.
    fn begin_attempts(&mut self) {
        let scheduler = self.scheduler;
        if scheduler.tasks.is_closed() || self.state.attempts_wait {
            return;
        }
        let now = self.now();
        for environment in Environment::ALL {
            while let Some(due) = scheduler.courier.next_due(&self.state, environment, now) {
                self.begin_attempt(due);
            }
        }
    }

    /// Begins an attempt, on a task of its own.
    pub(super) fn begin_attempt(&mut self, due: DueAttempt) {
        let (scheduler, cell) = (Arc::clone(self.scheduler), Arc::clone(self.cell));
        let key = (due.environment, due.verification);
        self.state.in_flight.insert(key);
        let tasks = self.scheduler.tasks.clone();
        let commit = self.state.commit.clone();
        tasks.spawn(scheduler.deliver(cell, due, commit));
    }

    fn schedule_wakeup(&mut self) {
        if self.state.account.clock.frozen_at().is_some() {
            return;
        }
        let now = self.now();
        let Some(at) = self.state.next_due(now) else {
            return;
        };
        match &self.state.wakeup {
            Some(planned) if planned.at <= at => return,
            Some(later) => later.task.abort(),
            None => {}
        }
        let wait = match at > now {
            true => self.scheduler.clock.to_real_time(at.duration_since(now)),
            // It was due already and could not be written: not again at once.
            false => RETRY_AFTER,
        };
        let task = self.scheduler.wake_after(wait, self.cell);
        self.state.wakeup = Some(Wakeup { at, task });
    }

    /// Resets the account. The replies to the calls that are delayed are kept beside it, because it will
    /// not know these calls any more.
    pub(super) fn reset(&mut self) -> Result<(), JournalError> {
        self.orphan_delayed();
        self.commit_now(Environment::Test, vec![Change::Reset])?;
        self.forget_generation();
        Ok(())
    }

    /// Keeps the replies to the calls that are delayed, for the account will not know these calls any more.
    pub(super) fn orphan_delayed(&mut self) {
        let (rules, now) = (self.rules(), self.now());
        let state = &mut *self.state;
        state.orphaned.retain(|_, orphan| !orphan.delivered);
        for (environment, verification) in state.delayed() {
            let account = &state.account;
            if let Some((reply, _)) =
                engine::finish(&rules, account, environment, verification, now)
            {
                let orphan = OrphanedReply {
                    reply,
                    delivered: false,
                };
                let key = (state.generation, verification);
                state.orphaned.insert(key, orphan);
            }
        }
    }

    /// The account was reset: what began before changes nothing any more.
    pub(super) fn forget_generation(&mut self) {
        self.state.generation += 1;
        self.state.in_flight.clear();
        self.state.awaited.clear();
    }

    /// Whether it is known what came of an attempt: another replica made it, too, because it took this one for
    /// dead, or it was written before the connection to the store was lost. Twice would be two of the schedule.
    fn is_recorded(&self, due: &DueAttempt) -> bool {
        let state = self.state.account.environment(due.environment);
        let delivery = state.verifications.delivery(due.verification);
        delivery.is_some_and(|delivery| delivery.attempts.len() > due.earlier)
    }

    /// Records what came of an attempt.
    pub(super) fn record_attempt(
        &mut self,
        due: &DueAttempt,
        attempt: Attempt,
    ) -> Result<(), JournalError> {
        let change = Change::Attempted {
            verification: due.verification,
            attempt: Box::new(attempt),
        };
        self.commit_now(due.environment, vec![change])
    }

    /// Evicts what has ended, until no evictable part of the account is above this level.
    pub(super) fn shrink_to(&mut self, level: usize) {
        let usage = MemoryUsage::of(&self.state);
        if usage.events > level {
            self.state.events.trim(level);
        }
        for (environment, evictable) in Environment::ALL.into_iter().zip(usage.evictable) {
            if evictable > level {
                let forgotten = vec![Change::Evicted { down_to: level }];
                if let Err(error) = self.commit_now(environment, forgotten) {
                    tracing::error!(account = %self.cell.id(), %error, "what is to be forgotten was not written");
                }
            }
        }
        self.scheduler.memory.measure(&mut self.state);
    }
}
