//! What is still to come of an account by its clock: results, attempts to deliver, and what the passing of
//! time alone does. Says when, and does nothing of it.

use jiff::Timestamp;
use svc_fixtures::contract::Environment;

use super::account::Account;
use super::delivery::Delivery;
use super::event::{self, EventKind};
use super::ids::VerificationId;
use super::verification::Verification;

/// Something that is still to come.
#[derive(Debug, Clone, PartialEq)]
pub struct Upcoming<'a> {
    /// When it is due, by the account's clock.
    pub at: Timestamp,
    /// In which of its environments.
    pub environment: Environment,
    /// What.
    pub kind: UpcomingKind<'a>,
}

/// What is still to come.
#[derive(Debug, Clone, PartialEq)]
pub enum UpcomingKind<'a> {
    /// The result of a pending verification.
    Result(&'a Verification),
    /// The next attempt to deliver one.
    Attempt(&'a Verification, &'a Delivery),
    /// What happens by itself: a key that ends, a rate limit that is whole again, an idempotency key that
    /// may be used anew.
    Passes(EventKind),
}

/// All that is still to come after an instant, or is due already, in order. Each delivery is in it once, with its
/// next attempt: whether there will be another one depends on what comes of that.
#[must_use]
pub fn upcoming(account: &Account, now: Timestamp) -> Vec<Upcoming<'_>> {
    let mut all = Vec::new();
    for environment in Environment::ALL {
        let verifications = &account.environment(environment).verifications;
        let mut note = |at, kind| {
            all.push(Upcoming {
                at,
                environment,
                kind,
            });
        };
        for it in verifications.open() {
            if let Some(at) = it.due() {
                note(at, UpcomingKind::Result(it));
            }
        }
        for (at, verification, delivery) in verifications.due_attempts() {
            note(at, UpcomingKind::Attempt(verification, delivery));
        }
    }
    let passing = event::passed(account, now, Timestamp::MAX).into_iter();
    all.extend(passing.map(|event| Upcoming {
        at: event.at,
        environment: event.environment,
        kind: UpcomingKind::Passes(event.kind),
    }));
    // In the order in which a clock that is moved does it: results before attempts, then by id.
    all.sort_by_key(|it| {
        let (rank, id) = match &it.kind {
            UpcomingKind::Passes(_) => (0, VerificationId::NONE),
            UpcomingKind::Result(of) => (1, of.id),
            UpcomingKind::Attempt(of, _) => (2, of.id),
        };
        (it.at, rank, id, it.environment)
    });
    all
}

/// When the first of it comes: no earlier than now, where it is due already. None where nothing is to come.
#[must_use]
pub fn next(account: &Account, now: Timestamp) -> Option<Timestamp> {
    let result = account.first_due().map(|(at, ..)| at);
    let attempt = account.first_attempt().map(|(at, ..)| at);
    let passing = event::passed(account, now, Timestamp::MAX);
    let passing = passing.first().map(|event| event.at);
    let first = result.into_iter().chain(attempt).chain(passing).min();
    first.map(|at| at.max(now))
}
