//! What happened to an account, as somebody who waits for it wants to know. Made from entries, so
//! that nothing that changes an account can be left out, and from what only the passing of time does.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Environment;

use super::access::KeyState;
use super::account::Account;
use super::clock::AccountClock;
use super::delivery::{AttemptOutcome, DeliveryState};
use super::entry::{Change, Entry};
use super::ids::VerificationId;
use super::verification::{Phase, State, Verification};
use super::verifications::Verifications;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When, by the account's clock.
    pub at: Timestamp,
    /// In which of its environments.
    pub environment: Environment,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// A call was answered.
    Answered {
        /// Its id.
        verification: VerificationId,
        /// With this HTTP status.
        status: u16,
        /// How it stands.
        state: State,
    },
    /// A pending verification came to its end.
    Resulted {
        /// Its id.
        verification: VerificationId,
        /// How it ended.
        state: State,
        /// Whether a delivery began.
        delivers: bool,
    },
    /// An attempt to deliver was made.
    Attempted {
        /// Of which verification's delivery.
        verification: VerificationId,
        /// Which attempt it was, from 1.
        number: usize,
        /// What came of it. By far the largest part of an event, of which every account has a thousand.
        answer: Box<AttemptOutcome>,
        /// How the delivery stands now.
        state: DeliveryState,
    },
    /// A delivery was asked for again by hand.
    RedeliveryRequested {
        /// Of which verification.
        verification: VerificationId,
    },
    /// A rotated key stopped working.
    KeyEnded {
        /// The key.
        key: Arc<str>,
    },
    /// A key that had used up its rate limit has its whole burst again.
    LimitRestored {
        /// The key.
        key: Arc<str>,
    },
    /// An idempotency key may be used anew.
    IdempotencyKeyExpired {
        /// The key.
        key: Box<str>,
    },
    /// The clock was set.
    ClockSet {
        /// How it stands.
        clock: AccountClock,
    },
    /// Wallet, keys, webhook endpoint, allowlist, rate limit or scenarios were changed.
    Changed,
    /// The account was set back to its beginning.
    Reset,
}

/// What an entry does to an account that it was not applied to yet.
pub fn of<'e>(account: &'e Account, entry: &'e Entry) -> impl Iterator<Item = Event> + 'e {
    let (at, environment) = (entry.at, entry.environment);
    let changes = entry.changes.iter();
    let kinds = changes.filter_map(move |change| kind(account, environment, change));
    kinds.map(move |kind| Event {
        at,
        environment,
        kind,
    })
}

fn kind(account: &Account, environment: Environment, change: &Change) -> Option<EventKind> {
    let verifications = &account.environment(environment).verifications;
    Some(match change {
        Change::Recorded(verification) => recorded(verifications, verification)?,
        Change::Attempted {
            verification,
            attempt,
        } => {
            let delivery = verifications.delivery(*verification)?;
            EventKind::Attempted {
                verification: *verification,
                number: delivery.attempts.len() + 1,
                answer: Box::new(attempt.answer.clone()),
                state: delivery.state_after(attempt, &account.settings.webhook_schedule_ms),
            }
        }
        Change::RedeliveryRequested { verification } => EventKind::RedeliveryRequested {
            verification: *verification,
        },
        Change::ClockSet { clock } => EventKind::ClockSet { clock: *clock },
        Change::Reset => EventKind::Reset,
        Change::ToppedUp { .. }
        | Change::KeyAdded { .. }
        | Change::KeyChanged { .. }
        | Change::AllowlistSet { .. }
        | Change::RateLimitSet { .. }
        | Change::WebhookSet { .. }
        | Change::ScenariosAdded { .. }
        | Change::ScenariosRewritten { .. }
        | Change::ScenariosRemoved { .. } => EventKind::Changed,
        Change::Opened(_)
        | Change::Forked(_)
        | Change::RateLimitConsumed { .. }
        | Change::CallCounted { .. }
        | Change::SequenceAdvanced { .. }
        | Change::HoldOpened { .. }
        | Change::HoldSettled { .. }
        | Change::FlowAdvanced(_)
        | Change::Accessed(_)
        | Change::Evicted { .. } => return None,
    })
}

/// A verification was answered, or has its result. Its bundle speaks for a step, and a delayed call says
/// nothing yet.
fn recorded(verifications: &Verifications, verification: &Verification) -> Option<EventKind> {
    let answer = verification.answer.as_ref()?;
    if verification.bundle.is_some() || matches!(verification.phase, Phase::Delayed { .. }) {
        return None;
    }
    let before = verifications.get(verification.id);
    let was_pending = before.is_some_and(|it| matches!(it.phase, Phase::Pending { .. }));
    Some(match was_pending && !verification.is_open() {
        true => EventKind::Resulted {
            verification: verification.id,
            state: answer.state,
            delivers: verification.delivery.is_some(),
        },
        false => EventKind::Answered {
            verification: verification.id,
            status: answer.status,
            state: answer.state,
        },
    })
}

/// What the passing of time alone does to an account after `from` and not later than `to`, in order:
/// keys that stop working, rate limits that are whole again, idempotency keys that may be used anew.
#[must_use]
pub fn passed(account: &Account, from: Timestamp, to: Timestamp) -> Vec<Event> {
    let within = |at: &Timestamp| from < *at && *at <= to;
    let mut events = Vec::new();
    for (key, window) in account.keys.iter().zip(&account.windows) {
        let mut note = |at, kind| {
            events.push(Event {
                at,
                environment: key.environment,
                kind,
            });
        };
        let name = || Arc::clone(&key.text);
        if let KeyState::Rotated { until } = key.state
            && within(&until)
        {
            note(until, EventKind::KeyEnded { key: name() });
        }
        if let Some(at) = window.whole_again().filter(within) {
            note(at, EventKind::LimitRestored { key: name() });
        }
    }
    for environment in Environment::ALL {
        let retention = account.settings.retention;
        let verifications = &account.environment(environment).verifications;
        for (at, key) in verifications.expiring(from, to, retention) {
            let kind = EventKind::IdempotencyKeyExpired { key: key.into() };
            events.push(Event {
                at,
                environment,
                kind,
            });
        }
    }
    events.sort_by_key(|event| event.at);
    events
}
