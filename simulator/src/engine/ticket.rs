//! Tickets: what was put off. Hold and claim stay open until the ticket is finished.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Paise;

use super::call::Environment;
use super::ids::VerificationId;
use super::outcome::{ConsentAsked, Drawn, Due};
use crate::scenario::{Because, WebhookFault};

/// What is known of a call from its beginning to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Matter {
    /// Its id.
    pub verification: VerificationId,
    /// Where it came in.
    pub environment: Environment,
    /// What was called, dotted.
    pub endpoint: Arc<str>,
    /// Whether an operation was reached, so that the usage counts it.
    pub counts: bool,
    /// Its `X-Reference-Id`.
    pub reference: Option<Box<str>>,
    /// When it came in, by the account's clock.
    pub created_at: Timestamp,
    /// The operation's typical latency.
    pub latency_ms: u32,
    /// `meta.provider`.
    pub provider: Option<Arc<str>>,
    /// Its idempotency key.
    pub claim: Option<Box<str>>,
    /// What is put aside for it.
    pub hold: Option<Paise>,
    /// Why it gets its outcome.
    pub because: Because,
    /// The earlier call whose verification it brings to its end.
    pub resumes: Option<Resumed>,
    /// What goes wrong with the webhook that brings its result.
    pub webhook: WebhookFault,
}

/// An earlier call of the same verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed {
    /// Its idempotency key.
    pub claim: Option<Box<str>>,
}

impl Matter {
    /// The same verification, brought to its end by a second call: its id, hold and beginning stay,
    /// key and reference are the second call's.
    #[must_use]
    pub fn resumed_by(&self, second: Matter) -> Matter {
        Matter {
            claim: second.claim,
            reference: second.reference,
            resumes: Some(Resumed {
                claim: self.claim.clone(),
            }),
            ..self.clone()
        }
    }
}

/// A call whose answer or result was put off.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// The call.
    pub matter: Matter,
    /// What it will end in.
    pub drawn: Drawn,
    /// When.
    pub due: Due,
    /// Whether it was answered as pending already.
    pub answered: bool,
    /// What a person is asked who may bring the result before it is due.
    pub consent: Option<Box<ConsentAsked>>,
}

/// The open tickets of one account and environment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tickets {
    by_verification: BTreeMap<VerificationId, Ticket>,
    /// Those that are due at an instant, first of all the next.
    by_due: BTreeSet<(Timestamp, VerificationId)>,
}

impl Tickets {
    /// The ticket of a verification.
    #[must_use]
    pub fn get(&self, verification: VerificationId) -> Option<&Ticket> {
        self.by_verification.get(&verification)
    }

    /// Opens a ticket, or replaces the one its verification has.
    pub fn open(&mut self, ticket: Ticket) {
        let verification = ticket.matter.verification;
        self.close(verification);
        if let Due::At(at) = ticket.due {
            self.by_due.insert((at, verification));
        }
        self.by_verification.insert(verification, ticket);
    }

    /// Closes the ticket of a verification, where it has one.
    pub fn close(&mut self, verification: VerificationId) {
        if let Some(Ticket {
            due: Due::At(at), ..
        }) = self.by_verification.remove(&verification)
        {
            self.by_due.remove(&(at, verification));
        }
    }

    /// The ticket due first by the account's clock, and when; of several at once, that of the
    /// lowest id.
    #[must_use]
    pub fn first_due(&self) -> Option<(Timestamp, VerificationId)> {
        self.by_due.first().copied()
    }

    /// Those whose answer is held back for some real time.
    pub fn held_back(&self) -> impl Iterator<Item = &Ticket> {
        self.iter()
            .filter(|ticket| matches!(ticket.due, Due::Real { .. }))
    }

    /// All of them, by verification.
    pub fn iter(&self) -> impl Iterator<Item = &Ticket> {
        self.by_verification.values()
    }
}
