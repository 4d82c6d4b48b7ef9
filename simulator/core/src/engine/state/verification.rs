//! One verification, from the first byte of its call to its last webhook: one record.

use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{ErrorCode, Paise};

use super::delivery::Delivery;
use super::flow::{Flow, FlowChange};
use super::form::{self, is_default};
use super::ids::{BodyDigest, VerificationId};
use super::received::ReceivedRequest;
use super::stage::Stage;
use crate::scenario::{Because, WebhookFault, WireFault};

/// One verification. A call makes one; a bundle makes one, and one more for each of its steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// Its id.
    pub id: VerificationId,
    /// The bundle that it is a step of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<VerificationId>,
    /// What was called, dotted.
    pub endpoint: Arc<str>,
    /// Whether the usage counts it: an operation or a bundle was reached.
    #[serde(default, skip_serializing_if = "is_default")]
    pub counted: bool,
    /// When its call came in, by the account's clock.
    pub created_at: Timestamp,
    /// The `X-Reference-Id` of its latest call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Box<str>>,
    /// Its call as it came in. A step of a bundle has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ReceivedRequest>,
    /// The second call of a bundle in two calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_request: Option<Box<ReceivedRequest>>,
    /// The typical latency of what was called.
    pub latency_ms: u32,
    /// `meta.provider`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Arc<str>>,
    /// Why it gets its outcome.
    pub because: Because,
    /// The stage that refused its call. Records of older stores have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_at: Option<Stage>,
    /// How far it has come.
    pub phase: Phase,
    /// What is held for it in the wallet, on live, until it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<Paise>,
    /// What was charged for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub charged: Paise,
    /// The HTTP status of the pending answer that its call got, where the result came later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_status: Option<u16>,
    /// Its newest answer. None while its first one is delayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The idempotency keys of its calls. A bundle in two calls may have two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    /// What its steps came to: an operation has one step, a bundle several. Empty once it has ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// The steps of a bundle that are still to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Box<WaitingSteps>>,
    /// The flow that it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Box<Flow>>,
    /// The webhook that brings its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Box<Delivery>>,
    /// What goes wrong with the first answer of its latest call on the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireFault>,
    /// What goes wrong with its webhook.
    #[serde(default, skip_serializing_if = "is_default")]
    pub webhook: WebhookFault,
}

/// How far a verification has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Phase {
    /// Its call is being executed; the answer is held back for some real time.
    Delayed {
        /// How long, in real milliseconds.
        delay_ms: u64,
    },
    /// It was answered as pending; the result is still to come.
    Pending {
        /// When.
        due: Due,
    },
    /// It has its result.
    Ended,
}

/// When the result of a pending verification comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Due {
    /// At an instant of the account's clock.
    At(Timestamp),
    /// When a person acts on the consent page.
    Consent,
    /// When the caller comes back with what the first answer gave.
    SecondCall,
    /// When the bundle ends that it is a step of.
    WithBundle,
}

/// An answer as it was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// What it says of the verification.
    pub state: State,
    /// The printed envelope.
    #[serde(with = "form::bytes")]
    pub envelope: Box<[u8]>,
}

/// What an answer says of its verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum State {
    /// It has its result.
    Completed,
    /// Its result is still to come.
    Pending,
    /// It ended in an error.
    Failed(ErrorCode),
}

/// An idempotency key, claimed by a call of this verification (ruling 18).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// The key.
    pub key: Arc<str>,
    /// Says whether another call has the same body.
    pub body: BodyDigest,
    /// When it was claimed, by the account's clock.
    pub at: Timestamp,
    /// The answer first given under it.
    pub answer: FirstAnswer,
}

/// The answer that was first given under an idempotency key (ruling 19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FirstAnswer {
    /// None yet: the call runs.
    InFlight,
    /// The newest answer of its verification.
    Newest,
    /// An earlier one: the verification was pending then.
    Earlier(Answer),
}

/// One operation that a verification runs, and what it came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// Its own id; of a verification that is no bundle, the verification's.
    pub id: VerificationId,
    /// The operation, dotted.
    pub endpoint: Arc<str>,
    /// Its typical latency.
    pub latency_ms: u32,
    /// `meta.provider`.
    pub provider: Option<Arc<str>>,
    /// Why it gets its outcome.
    pub because: Because,
    /// Its list price.
    pub price: Paise,
    /// What it came to.
    pub outcome: Resolved,
}

/// The steps of a bundle that take their input from a step that is still pending, and what it takes to run
/// them when that one has ended (ruling 29).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingSteps {
    /// Which, in the bundle's order.
    pub steps: Vec<WaitingStep>,
    /// The body of the bundle's call.
    pub body: Box<str>,
    /// The content type of the bundle's call.
    pub content_type: Option<Box<str>>,
}

/// A step of a bundle before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WaitingStep {
    /// Its place in the bundle.
    pub place: usize,
    /// Its own id.
    pub id: VerificationId,
    /// What its latency is chosen by.
    pub number: u64,
}

/// What an operation came to, with its answer filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Resolved {
    /// A result.
    Completed {
        /// The printed `data`.
        #[serde(with = "form::bytes")]
        data: Vec<u8>,
        /// What it does to the account's flows.
        flow: Option<FlowChange>,
    },
    /// An error.
    Failed {
        /// Its code.
        code: ErrorCode,
        /// The message for people, where it is not the code's own meaning.
        message: Option<Arc<str>>,
    },
    /// Nothing yet.
    Pending {
        /// The HTTP status of the pending answer.
        status: u16,
        /// The printed `data` of the pending answer.
        #[serde(with = "form::bytes")]
        data: Vec<u8>,
        /// When the result comes.
        due: Due,
        /// What a person is asked who may bring the result.
        consent: Option<Box<ConsentRequest>>,
        /// The result.
        finally: Box<Resolved>,
    },
}

/// What a person is asked on the consent page (ruling 28).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsentRequest {
    /// The documents that the caller would like to see; all there are where empty.
    pub documents: Vec<String>,
    /// Where the person goes afterwards.
    pub redirect: String,
    /// What the verification ends in when the person refuses.
    pub refused: ErrorCode,
}

impl Resolved {
    /// Its result, where it was pending.
    #[must_use]
    pub fn ended(self) -> Resolved {
        match self {
            Resolved::Pending { finally, .. } => finally.ended(),
            ended => ended,
        }
    }
}

impl Claim {
    /// Whether its retention is over (ruling 18). A claim whose verification has not ended lasts longer.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp, retention: SignedDuration) -> bool {
        now.duration_since(self.at) >= retention
    }
}

impl Verification {
    /// One whose call came in at this instant of the account's clock, and of which nothing was executed
    /// yet.
    #[must_use]
    pub fn new(id: VerificationId, endpoint: Arc<str>, created_at: Timestamp) -> Self {
        Verification {
            id,
            bundle: None,
            endpoint,
            counted: false,
            created_at,
            reference: None,
            request: None,
            second_request: None,
            latency_ms: 0,
            provider: None,
            because: Because::Refused,
            refused_at: None,
            phase: Phase::Delayed { delay_ms: 0 },
            hold: None,
            charged: Paise::ZERO,
            pending_status: None,
            answer: None,
            claims: Vec::new(),
            steps: Vec::new(),
            waiting: None,
            flow: None,
            delivery: None,
            wire: None,
            webhook: WebhookFault::default(),
        }
    }

    /// Its calls as they came in.
    pub fn requests(&self) -> impl Iterator<Item = &ReceivedRequest> {
        let second = self.second_request.as_deref();
        self.request.iter().chain(second)
    }

    /// Whether its result is still to come.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.phase != Phase::Ended
    }

    /// When its result is due by the account's clock, where that decides it.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        match self.phase {
            Phase::Pending { due: Due::At(at) } => Some(at),
            _ => None,
        }
    }

    /// Whether it is a bundle: then its steps are verifications of their own, too.
    #[must_use]
    pub fn is_bundle(&self) -> bool {
        self.because == Because::Bundle
    }

    /// What a person is asked who may bring its result before it is due.
    #[must_use]
    pub fn consent(&self) -> Option<&ConsentRequest> {
        match (self.phase, self.steps.as_slice()) {
            (Phase::Pending { .. }, [step]) if !self.is_bundle() => match &step.outcome {
                Resolved::Pending { consent, .. } => consent.as_deref(),
                Resolved::Completed { .. } | Resolved::Failed { .. } => None,
            },
            _ => None,
        }
    }

    /// When the next attempt of its webhook is due.
    #[must_use]
    pub fn attempt_due(&self) -> Option<Timestamp> {
        self.delivery.as_ref()?.due()
    }

    /// Whether something is still to come of it, so that it is never evicted.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.is_open() || self.attempt_due().is_some()
    }

    /// Its claim of this key.
    #[must_use]
    pub fn claim(&self, key: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| *claim.key == *key)
    }

    /// The answer first given under a claim of it; none while the call runs.
    #[must_use]
    pub fn first_answer<'v>(&'v self, claim: &'v Claim) -> Option<&'v Answer> {
        match &claim.answer {
            FirstAnswer::InFlight => None,
            FirstAnswer::Newest => self.answer.as_ref(),
            FirstAnswer::Earlier(answer) => Some(answer),
        }
    }

    /// Gives it a newer answer: the claims in flight were first given this one, all others keep theirs.
    /// Says whether it was answered before.
    pub fn give(&mut self, answer: Answer) -> bool {
        let earlier = self.answer.replace(answer);
        let pending = earlier.as_ref().filter(|it| it.state == State::Pending);
        self.pending_status = self.pending_status.or(pending.map(|it| it.status));
        for claim in &mut self.claims {
            match (&claim.answer, &earlier) {
                (FirstAnswer::InFlight, _) => claim.answer = FirstAnswer::Newest,
                (FirstAnswer::Newest, Some(earlier)) => {
                    claim.answer = FirstAnswer::Earlier(earlier.clone());
                }
                (FirstAnswer::Newest, None) | (FirstAnswer::Earlier(_), _) => {}
            }
        }
        earlier.is_some()
    }

    /// The bytes of its newest envelope; none while the first answer is delayed.
    #[must_use]
    pub fn envelope(&self) -> Bytes {
        self.answer.as_ref().map_or_else(Bytes::new, Answer::sent)
    }

    /// Takes back the second call of a bundle, whose answer is delayed. Gives the keys that it claimed.
    pub(super) fn roll_back_second_call(&mut self) -> Vec<Arc<str>> {
        self.phase = Phase::Pending {
            due: Due::SecondCall,
        };
        self.second_request = None;
        // The first call of a bundle in two calls ran the first step.
        self.steps.truncate(1);
        let claims = std::mem::take(&mut self.claims).into_iter();
        let (answered, claimed): (Vec<_>, Vec<_>) =
            claims.partition(|it| it.answer != FirstAnswer::InFlight);
        self.claims = answered;
        claimed.into_iter().map(|claim| claim.key).collect()
    }
}

impl Answer {
    /// Its envelope as it goes out: a copy, so that what is kept stays one piece of memory, in the order of the log.
    #[must_use]
    pub fn sent(&self) -> Bytes {
        Bytes::copy_from_slice(&self.envelope)
    }
}
