//! One account, pure and synchronous: the life of a call. READ FIRST.
//!
//! ```text
//! bytes → Call → Caller → &Operation → Input → Claim{Replay|Fresh} → Hold → Choice{outcome, because}
//!       → Reply → Settlement → Entry → [Delivery]; any stage may end in a Rejection → Reply → Entry
//! ```
//! [`prepare()`] needs no state and runs outside any lock; [`decide`] reads one account under its lock
//! and says what changes, as an [`Entry`]; the host applies it. What is put off comes back as a
//! ticket, and [`finish`] ends it. No clock, no randomness, no input or output: time is an argument.

use jiff::Timestamp;

use super::authenticate::Credential;
use super::prepare::{Execution, Planned, Prepared, prepare};
use super::reply::Reply;
use super::request::{Call, Environment};
use super::rules::Rules;
use super::settle::{Answer, conclude, refuse};
use super::stages::matter_of;
use crate::engine::state::account::{Account, EnvironmentState};
use crate::engine::state::audit::first_accesses;
use crate::engine::state::delivery::Delivery;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::idempotency::Claimed;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::ticket::Ticket;

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is answered; the entry must be applied before the answer leaves.
    Answered {
        /// The answer.
        reply: Reply,
        /// What changes; nothing for a replay, a look-up or a 401.
        entry: Option<Entry>,
    },
    /// The answer is held back for some real time; then the ticket is finished.
    PutOff {
        /// The ticket.
        verification: VerificationId,
        /// For how long, in real milliseconds.
        delay_ms: u64,
        /// What changes.
        entry: Entry,
    },
    /// A call with the same idempotency key and body is being executed: ask [`decide_waiting`] when
    /// it is done.
    Running {
        /// As this verification.
        on: VerificationId,
        /// What changes.
        entry: Option<Entry>,
    },
}

/// Decides a call. All checks are made here, in the order of the contract; a mistake that
/// [`prepare()`] found waits for those that come before it.
#[must_use]
pub fn decide(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    machine: Timestamp,
) -> Decision {
    let mut walk = CallPipeline::starting(rules, account, prepared, machine);
    match walk.stages() {
        Ok(decision) => decision,
        Err(rejection) => walk.refused(&rejection),
    }
}

/// Decides a call that waited for the one that runs as this verification under its key. It was let
/// in when it came and is not asked again: it gets that call's answer, even where the key lapsed
/// meanwhile.
#[must_use]
pub fn decide_waiting(
    rules: &Rules,
    account: &Account,
    prepared: &Prepared<'_>,
    on: VerificationId,
    machine: Timestamp,
) -> Decision {
    let mut walk = CallPipeline::starting(rules, account, prepared, machine);
    match walk.claimed_by(on) {
        Some(Claimed::Replay(reply, id)) => walk.replayed(reply, id),
        Some(Claimed::Running(on)) => Decision::Running { on, entry: None },
        Some(Claimed::Fresh) | None => decide(rules, account, prepared, machine),
    }
}

/// One call on its way through the stages.
pub(super) struct CallPipeline<'a> {
    pub(super) rules: &'a Rules,
    pub(super) account: &'a Account,
    pub(super) books: &'a EnvironmentState,
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) now: Timestamp,
    /// What changed so far.
    pub(super) changes: Vec<Change>,
}

impl<'a> CallPipeline<'a> {
    fn starting(
        rules: &'a Rules,
        account: &'a Account,
        prepared: &'a Prepared<'a>,
        machine: Timestamp,
    ) -> Self {
        CallPipeline {
            rules,
            account,
            books: account.books(prepared.environment),
            prepared,
            now: account.clock.read(machine),
            changes: Vec::with_capacity(3),
        }
    }

    /// The stages, one after the other.
    fn stages(&mut self) -> Result<Decision, Rejection> {
        let key = self.admitted()?;
        self.account.allowlist.admit(self.prepared.peer)?;
        self.take_from_limit(key)?;
        let execution = match self.prepared.planned.as_ref().map_err(Clone::clone)? {
            Planned::Verification(id) => return self.look_up(id),
            Planned::Usage(period) => return Ok(self.report(*period)),
            Planned::Execution(execution) => execution,
        };
        match self.claimed()? {
            Claimed::Replay(reply, id) => return Ok(self.replayed(reply, id)),
            Claimed::Running(on) => return Ok(self.waits(on)),
            Claimed::Fresh => {}
        }
        // One that brings a pending bundle to its end makes room.
        if !matches!(execution, Execution::Bundle(bundle) if bundle.second.is_some()) {
            self.has_room()?;
        }
        let (matter, drawn, delay_ms) = match execution {
            Execution::Bundle(bundle) => self.run_bundle(bundle)?,
            Execution::Run(run) => {
                let flow = self.resumed(run)?;
                let hold = self.held(self.rules.contract.operations[run.operation].price)?;
                self.begin(run, flow, hold)
            }
        };
        Ok(match delay_ms {
            0 => self.concluded(matter, drawn),
            _ => self.put_off(matter, drawn, delay_ms),
        })
    }
}

/// Ends what was put off: the answer that was held back, or the result of a pending verification.
/// None where the ticket is no longer open.
#[must_use]
pub fn finish(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    verification: VerificationId,
    now: Timestamp,
) -> Option<(Reply, Entry)> {
    let ticket = account.books(environment).tickets.get(verification)?;
    Some(end(rules, account, environment, ticket.clone(), now))
}

pub(super) fn end(
    rules: &Rules,
    account: &Account,
    environment: Environment,
    ticket: Ticket,
    now: Timestamp,
) -> (Reply, Entry) {
    let books = account.books(environment);
    let Ticket {
        matter,
        drawn,
        answered,
        ..
    } = ticket;
    // Nobody waits on a wire for the result of what was answered as pending.
    let (answer, wire) = match (answered, matter.wire) {
        (true, _) => (Answer::Result(matter), None),
        (false, wire) => (Answer::First(matter), wire),
    };
    let (reply, concluded) = conclude(rules, books, answer, drawn, now);
    let accesses = first_accesses(rules, environment, &concluded, now);
    let mut changes: Vec<Change> = accesses.collect();
    changes.push(Change::Concluded(Box::new(concluded)));
    let entry = Entry {
        at: now,
        environment,
        changes,
    };
    (reply.sent_over(wire), entry)
}

/// The ticket that is due first by the account's clock, in either environment.
#[must_use]
pub fn first_due(account: &Account) -> Option<(Timestamp, Environment, VerificationId)> {
    let due = |environment| {
        let (at, verification) = account.books(environment).tickets.first_due()?;
        Some((at, verification, environment))
    };
    let (at, verification, environment) = Environment::ALL.into_iter().filter_map(due).min()?;
    Some((at, environment, verification))
}

/// The attempt to deliver that is due first by the account's clock, in either environment.
#[must_use]
pub fn first_attempt(account: &Account) -> Option<(Timestamp, Environment, &Delivery)> {
    let due = |environment| {
        let (at, delivery) = account.books(environment).deliveries.due().next()?;
        Some((at, environment, delivery))
    };
    let due = Environment::ALL.into_iter().filter_map(due);
    due.min_by_key(|&(at, environment, delivery)| (at, delivery.verification, environment))
}

/// The answer to a call whose key no account has: nothing is recorded, nothing is counted.
#[must_use]
pub fn unauthenticated_reply(
    rules: &Rules,
    call: &Call<'_>,
    rejection: &Rejection,
    machine: Timestamp,
) -> Reply {
    let nobody = Credential { key: "" };
    let prepared = prepare(rules, "", nobody, call);
    refuse(
        rules,
        &matter_of(&prepared, prepared.content.verification(0), machine),
        rejection,
    )
    .0
}
