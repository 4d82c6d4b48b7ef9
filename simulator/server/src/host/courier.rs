//! Which attempt to deliver is made next, and how it is made (ruling 25): signed and sent to the receiver.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use super::cell::AccountState;
use super::clock::Clock;
use super::transport::{Transport, WebhookRequest, WebhookResponse};
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::{Attempt, AttemptOutcome, Delivery, SentRequest, Why};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::signature::Signature;
use crate::engine::state::verification::Verification;
use crate::scenario::{SignatureFault, WebhookConfig};

/// How many attempts are made at once to one receiver: that of one environment of an account. Further
/// ones wait, so that a receiver that does not answer takes no more sockets.
pub const MAX_IN_FLIGHT: usize = 8;

/// Which clock the timestamps of signatures are read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureClock {
    /// The machine's: a receiver that checks the timestamp accepts it, whatever the account's clock shows.
    Real,
    /// The account's.
    Account,
}

/// Makes attempts to deliver.
pub(super) struct Courier {
    pub(super) transport: Arc<dyn Transport>,
    pub(super) signature_clock: SignatureClock,
    pub(super) clock: Clock,
}

/// An attempt that is about to be made, with the URL and the secret of this moment.
pub(super) struct DueAttempt {
    pub(super) environment: Environment,
    pub(super) verification: VerificationId,
    /// The generation of the account: after a reset the outcome of the attempt is dropped.
    pub(super) generation: u64,
    /// How many were made before it.
    pub(super) earlier: usize,
    due: Timestamp,
    why: Why,
    receiver: Option<WebhookConfig>,
    signature: SignatureFault,
    signed_at: Timestamp,
    body: Bytes,
}

impl Courier {
    /// The next attempt of an environment that may begin by now, where one more may be made at once.
    pub(super) fn next_due(
        &self,
        state: &AccountState,
        environment: Environment,
        now: Timestamp,
    ) -> Option<DueAttempt> {
        let in_flight = state.in_flight.iter();
        if in_flight.filter(|(to, _)| *to == environment).count() >= MAX_IN_FLIGHT {
            return None;
        }
        let verifications = &state.account.environment(environment).verifications;
        let due = verifications.due_attempts();
        let (at, verification, delivery) = due
            .take_while(|(at, ..)| *at <= now)
            .find(|(_, it, _)| !state.in_flight.contains(&(environment, it.id)))?;
        Some(self.attempt(state, environment, at, verification, delivery, now))
    }

    pub(super) fn attempt(
        &self,
        state: &AccountState,
        environment: Environment,
        due: Timestamp,
        verification: &Verification,
        delivery: &Delivery,
        now: Timestamp,
    ) -> DueAttempt {
        DueAttempt {
            environment,
            verification: verification.id,
            generation: state.generation,
            earlier: delivery.attempts.len(),
            due,
            why: delivery.why(),
            receiver: state.account.environment(environment).webhook.clone(),
            signature: delivery.fault.signature,
            signed_at: match self.signature_clock {
                SignatureClock::Real => self.clock.real(),
                SignatureClock::Account => now,
            },
            body: verification.envelope(),
        }
    }

    /// Sends a due attempt, and gives what came of it.
    pub(super) async fn send(&self, attempt: &DueAttempt) -> Attempt {
        let Some(WebhookConfig { url, secret }) = &attempt.receiver else {
            let answer = AttemptOutcome::Nothing("no webhook endpoint is registered".to_owned());
            return attempt.outcome(None, answer, Bytes::new());
        };
        let sign =
            |secret: &str| Signature::sign(secret, attempt.signed_at.as_second(), &attempt.body);
        let signature = match attempt.signature {
            SignatureFault::Genuine => Some(sign(secret)),
            SignatureFault::Wrong => Some(sign(&format!("not {secret}"))),
            SignatureFault::None => None,
        };
        let request = WebhookRequest {
            url: url.to_string(),
            signature: signature.map(|signature| signature.to_string()),
            body: attempt.body.clone(),
        };
        let WebhookResponse { answered, excerpt } = self.transport.post(request).await;
        let url = Arc::clone(url);
        attempt.outcome(Some(SentRequest { url, signature }), answered, excerpt)
    }
}

impl DueAttempt {
    fn outcome(
        &self,
        sent: Option<SentRequest>,
        answer: AttemptOutcome,
        excerpt: Bytes,
    ) -> Attempt {
        Attempt {
            due: self.due,
            why: self.why,
            sent,
            answer,
            excerpt,
        }
    }
}
