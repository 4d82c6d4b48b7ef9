//! Tickets: what was put off. Hold and claim stay open until the ticket is finished.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Paise;

use super::flow::FlowChange;
use super::ids::VerificationId;
use super::kept::{Heap, Sum, text};
use crate::engine::call::bundle::{BundleDrawn, StepDrawn};
use crate::engine::call::request::Environment;
use crate::engine::call::resolve::{ConsentAsked, Drawn, Due};
use crate::scenario::{Because, WebhookFault, WireFault};

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
    pub claim: Option<Arc<str>>,
    /// What is put aside for it.
    pub hold: Option<Paise>,
    /// Why it gets its outcome.
    pub because: Because,
    /// What goes wrong on the way of its first answer.
    pub wire: Option<WireFault>,
    /// What goes wrong with the webhook that brings its result.
    pub webhook: WebhookFault,
    /// The earlier call whose verification it brings to its end.
    pub resumes: Option<Resumed>,
}

/// An earlier call of the same verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resumed {
    /// Its idempotency key.
    pub claim: Option<Arc<str>>,
}

impl Matter {
    /// The same verification, brought to its end by a second call: its id, hold, beginning and
    /// webhook stay, key, reference and wire are the second call's.
    #[must_use]
    pub fn resumed_by(&self, second: Matter) -> Matter {
        Matter {
            claim: second.claim,
            reference: second.reference,
            wire: second.wire,
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
    bytes: usize,
}

impl Heap for Matter {
    fn heap(&self) -> usize {
        let texts = [&self.reference.as_deref(), &self.claim.as_deref()];
        texts.into_iter().flatten().map(|it| text(it)).sum()
    }
}

impl Heap for Drawn {
    fn heap(&self) -> usize {
        match self {
            Drawn::Completed { data, flow } => {
                let flow = flow.as_ref().map_or(0, |flow| match flow {
                    FlowChange::Begin { .. } => 512,
                    FlowChange::Done { .. } => 64,
                });
                data.len() + flow
            }
            Drawn::Failed { .. } => 0,
            Drawn::Pending {
                data,
                consent,
                finally,
                ..
            } => {
                let consent = consent.as_ref().map_or(0, |consent| consent.heap());
                size_of::<Drawn>() + data.len() + consent + finally.heap()
            }
            Drawn::Bundle(bundle) => {
                let steps = bundle.steps.iter();
                let steps = steps
                    .map(|step| size_of::<StepDrawn>() + step.matter.heap() + step.drawn.heap());
                size_of::<BundleDrawn>() + steps.sum::<usize>()
            }
        }
    }
}

impl Heap for ConsentAsked {
    fn heap(&self) -> usize {
        let asks = self.asks.iter().map(|it| size_of::<String>() + text(it));
        size_of::<Self>() + text(&self.redirect) + asks.sum::<usize>()
    }
}

impl Heap for Ticket {
    fn heap(&self) -> usize {
        let consent = self.consent.as_ref().map_or(0, |consent| consent.heap());
        self.matter.heap() + self.drawn.heap() + consent
    }
}

/// What a ticket takes: its place in both orders, which are trees that are half full at worst, and
/// what was drawn.
fn weight(ticket: &Ticket) -> usize {
    let places = size_of::<(VerificationId, Ticket)>() + size_of::<(Timestamp, VerificationId)>();
    places * 3 / 2 + ticket.heap()
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
        self.bytes += weight(&ticket);
        self.by_verification.insert(verification, ticket);
    }

    /// Closes the ticket of a verification, where it has one.
    pub fn close(&mut self, verification: VerificationId) {
        let Some(ticket) = self.by_verification.remove(&verification) else {
            return;
        };
        self.bytes -= weight(&ticket);
        if let Due::At(at) = ticket.due {
            self.by_due.remove(&(at, verification));
        }
    }

    /// All of them. None is ever forgotten.
    #[must_use]
    pub fn sum(&self) -> Sum {
        Sum {
            count: self.by_verification.len(),
            bytes: self.bytes,
        }
    }

    /// All of them, counted anew: for tests.
    #[must_use]
    pub fn recount(&self) -> Sum {
        Sum {
            count: self.iter().count(),
            bytes: self.iter().map(weight).sum(),
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
