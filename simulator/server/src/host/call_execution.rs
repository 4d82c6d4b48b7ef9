//! One call against one account: decided under the account's lock, and waited for outside it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::futures::Notified;

use super::cell::AccountCell;
use super::journal::{Commit, JournalError};
use super::scheduler::{LockedAccount, RETRY_AFTER, Scheduler};
use super::shares::{OverShare, SharePart};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::{self, Decision, Prepared, Room, UnauthenticatedCall};

/// A prepared call and the account that it is for.
pub(super) struct CallExecution<'a> {
    pub(super) scheduler: &'a Arc<Scheduler>,
    pub(super) rules: &'a Arc<Rules>,
    /// Of which edition of the account's own scenarios they are, at least.
    pub(super) edition: u64,
    pub(super) cell: &'a Arc<AccountCell>,
    pub(super) prepared: Prepared<'a>,
}

/// Why a call has no reply.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error("{}{}", decided(.0), .0)]
    Journal(#[from] JournalError),
    #[error("a delayed call ended without a reply")]
    NoReply,
}

/// What is known of a call whose entry is not.
fn decided(error: &JournalError) -> &'static str {
    match error.maybe_written() {
        true => "nobody knows whether an entry was written and the call executed: ",
        false => "an entry was not written; the call was not executed: ",
    }
}

impl CallError {
    /// As the caller is told.
    pub(super) fn rejection(&self) -> Rejection {
        match self {
            CallError::Journal(error) if error.maybe_written() => Rejection::InternalUnheard,
            CallError::Journal(_) | CallError::NoReply => Rejection::Internal,
        }
    }
}

/// A call that waits for the one that is executed under its idempotency key.
#[derive(Debug)]
struct WaitingDuplicate {
    generation: u64,
    original: VerificationId,
    /// The reply to it, once it has ended.
    reply: Arc<OnceLock<Reply>>,
    _part: SharePart,
}

/// A call whose reply is delayed for some real time.
#[derive(Debug)]
struct DelayedCall {
    environment: Environment,
    verification: VerificationId,
    generation: u64,
    delay_ms: u64,
    _part: SharePart,
}

/// What became of a call.
pub(super) enum Executed {
    /// This is its reply.
    Answered(Reply),
    /// Its key does not work.
    Unauthenticated(UnauthenticatedCall),
    /// The account was closed before it was executed.
    AccountClosed,
    /// Scenarios of the account were edited since it was prepared.
    RulesChanged,
}

/// What must be written, or true, before anybody is told what a look came to.
enum Basis {
    /// The entries that the account has by now.
    Entries(Commit),
    /// That no other replica has changed the account. All that was decided here before is asked with it.
    Asked(Commit),
}

/// What one look at the account came to.
enum Progress {
    /// Something of the account was not written: it has to be read again before.
    Lost,
    Ended(Executed),
    Delayed(DelayedCall),
    Waiting(WaitingDuplicate),
}

impl CallExecution<'_> {
    /// Executes it.
    pub(super) async fn run(&mut self) -> Result<Executed, CallError> {
        let mut waiting = None;
        loop {
            // Made before the look, so that no change in between is missed.
            let changed = self.cell.changed.notified();
            self.cell.yield_while_contended().await;
            if self.cell.is_stale() || self.cell.looks_first() {
                self.scheduler.reload(self.cell).await?;
            }
            let (progress, basis) = self.step(waiting.take())?;
            // What it was decided on is written first, whether or not it adds to that.
            let written = match basis {
                Basis::Entries(commit) if commit.is_written() => true,
                Basis::Entries(commit) => self.scheduler.written(self.cell, commit).await?,
                Basis::Asked(asked) => self.scheduler.confirmed(self.cell, asked).await?,
            };
            match progress {
                _ if !written => {}
                Progress::Lost => self.scheduler.reload(self.cell).await?,
                Progress::Ended(executed) => return Ok(executed),
                Progress::Delayed(call) => {
                    return self.finish_later(call).await.map(Executed::Answered);
                }
                Progress::Waiting(duplicate) => {
                    waiting = Some(duplicate);
                    self.wait(changed).await;
                }
            }
        }
    }

    /// One look at the account under its lock: what fell due before, then the call.
    fn step(
        &mut self,
        waiting: Option<WaitingDuplicate>,
    ) -> Result<(Progress, Basis), JournalError> {
        let mut locked = self.scheduler.lock(self.cell);
        if locked.state.lost || locked.state.commit.has_failed() {
            return Ok((Progress::Lost, Basis::Entries(Commit::WRITTEN)));
        }
        let version = locked.state.version;
        let progress = self.decide(&mut locked, waiting)?;
        let unchanged = locked.state.version == version && !locked.state.closed;
        // What adds nothing is true only as long as no other replica has changed the account.
        if unchanged && self.scheduler.journal.shared().is_some() {
            let checked = self
                .scheduler
                .journal
                .append(self.cell.id(), version, &[])?;
            return Ok((progress, Basis::Asked(checked.commit)));
        }
        Ok((progress, Basis::Entries(locked.state.commit.clone())))
    }

    /// Waits until there may be something new. What another replica does is looked for now and then, too: it
    /// may have died before it told anybody.
    async fn wait(&self, changed: Notified<'_>) {
        let shared = self.scheduler.journal.shared().is_some();
        if !shared {
            return changed.await;
        }
        if tokio::time::timeout(RETRY_AFTER, changed).await.is_err() {
            self.cell.mark_stale();
        }
    }

    fn decide(
        &mut self,
        locked: &mut LockedAccount<'_>,
        waiting: Option<WaitingDuplicate>,
    ) -> Result<Progress, JournalError> {
        let generation = locked.state.generation;
        if let Some(reply) = waiting.as_ref().and_then(|it| self.left_reply(locked, it)) {
            return Ok(Progress::Ended(Executed::Answered(reply.replayed())));
        }
        let waiting = waiting.filter(|it| it.generation == generation);
        if locked.state.closed {
            return Ok(Progress::Ended(Executed::AccountClosed));
        }
        if self.cell.edition() != self.edition {
            return Ok(Progress::Ended(Executed::RulesChanged));
        }
        locked.finish_due()?;
        self.measure_shares(locked, waiting.as_ref());
        let (account, machine) = (&locked.state.account, locked.machine);
        let decision = match &waiting {
            Some(WaitingDuplicate { original, .. }) => {
                engine::decide_waiting(self.rules, account, &self.prepared, *original, machine)
            }
            None => engine::decide(self.rules, account, &self.prepared, machine),
        };
        let part = || self.scheduler.shares.delay(self.cell.taken());
        Ok(match decision {
            Decision::Answered { reply, entry } => {
                if let Some(entry) = entry {
                    locked.commit_call(entry)?;
                    locked.schedule();
                }
                Progress::Ended(Executed::Answered(reply))
            }
            Decision::Unauthenticated(call) => Progress::Ended(Executed::Unauthenticated(call)),
            Decision::Delayed {
                verification,
                delay_ms,
                entry,
            } => {
                locked.commit(entry)?;
                Progress::Delayed(DelayedCall {
                    environment: self.prepared.environment,
                    verification,
                    generation,
                    delay_ms,
                    _part: part(),
                })
            }
            Decision::InFlight { on, entry } => {
                if let Some(entry) = entry {
                    locked.commit(entry)?;
                }
                Progress::Waiting(WaitingDuplicate {
                    generation,
                    original: on,
                    reply: locked.state.await_reply(on),
                    _part: part(),
                })
            }
        })
    }

    /// The reply to the call that this one waited for, where the account has it no more: it was reset meanwhile, or forgot the call
    /// as it ended.
    fn left_reply(&self, locked: &LockedAccount<'_>, it: &WaitingDuplicate) -> Option<Reply> {
        let state = &locked.state;
        if it.generation != state.generation {
            let orphan = state.orphaned.get(&(it.generation, it.original))?;
            return Some(orphan.reply.clone());
        }
        let environment = state.account.environment(self.prepared.environment);
        let is_known = environment.verifications.get(it.original).is_some();
        it.reply.get().filter(|_| !is_known).cloned()
    }

    /// What the account may still take of that which all accounts share. A duplicate that waited was let
    /// in when it came.
    fn measure_shares(&mut self, locked: &LockedAccount<'_>, waiting: Option<&WaitingDuplicate>) {
        let scheduler = self.scheduler;
        self.prepared.room = match scheduler.memory.has_room(&locked.state) {
            true => Room::Enough,
            false => Room::None,
        };
        let delays = match waiting {
            Some(_) => Ok(()),
            None => scheduler.shares.check_delays(self.cell.taken()),
        };
        self.prepared.delays = delays.map_err(|over| match over {
            OverShare::Own => Rejection::TooManyDelayed,
            OverShare::OfAll => Rejection::NoDelaysLeft,
        });
    }

    /// Ends a delayed call on a task of its own, so that it ends even if its client gives up.
    async fn finish_later(&self, call: DelayedCall) -> Result<Reply, CallError> {
        let scheduler = Arc::clone(self.scheduler);
        let (rules, cell) = (Arc::clone(self.rules), Arc::clone(self.cell));
        let finished = self.scheduler.tasks.spawn(async move {
            let mut wait = Duration::from_millis(call.delay_ms);
            loop {
                tokio::time::sleep(wait).await;
                let finished = match finish_delayed(&scheduler, &rules, &cell, &call) {
                    Ok((reply, commit)) => match scheduler.written(&cell, commit).await {
                        Ok(true) => Ok(reply),
                        Ok(false) => {
                            wait = Duration::ZERO;
                            continue;
                        }
                        Err(error) => Err(error.into()),
                    },
                    Err(error) => Err(error),
                };
                match finished {
                    // The call began and is in the journal: it stays open, for those with its key, too, until it
                    // is written how it ended.
                    Err(CallError::Journal(error)) if !scheduler.tasks.is_closed() => {
                        tracing::error!(account = %cell.id(), verification = %call.verification, %error, "an answer was not written; it is held back");
                        wait = RETRY_AFTER;
                    }
                    finished => return finished,
                }
            }
        });
        finished.await.unwrap_or(Err(CallError::NoReply))
    }
}

fn finish_delayed(
    scheduler: &Arc<Scheduler>,
    rules: &Rules,
    cell: &Arc<AccountCell>,
    call: &DelayedCall,
) -> Result<(Reply, Commit), CallError> {
    let mut locked = scheduler.lock(cell);
    if locked.state.generation != call.generation {
        let orphaned = &mut locked.state.orphaned;
        let orphan = orphaned.get_mut(&(call.generation, call.verification));
        let orphan = orphan.ok_or(CallError::NoReply)?;
        orphan.delivered = true;
        return Ok((orphan.reply.clone(), Commit::WRITTEN));
    }
    let now = locked.now();
    let finished = locked.finish(rules, call.environment, call.verification, now);
    locked.schedule();
    // Another replica may have ended it, because it took this one for dead.
    let ended = || {
        let verifications = &locked
            .state
            .account
            .environment(call.environment)
            .verifications;
        let answer = verifications.get(call.verification)?.answer.as_ref()?;
        Some(Reply::of(answer))
    };
    let reply = finished?.or_else(ended).ok_or(CallError::NoReply)?;
    Ok((reply, locked.state.commit.clone()))
}
