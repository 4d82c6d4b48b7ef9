//! The courier: sends what is due, notes what came of it. An attempt of one delivery at a time, a few
//! at once to one receiver, none under a lock.

use std::sync::Arc;

use jiff::Timestamp;

use super::Host;
use super::cell::{AccountCell, Held};
use super::journal::JournalError;
use super::transport::{WebhookRequest, WebhookResponse};
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::{Answered, Attempt, Delivery, Sent, Why};
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::ids::VerificationId;
use crate::engine::state::signature::Signature;
use crate::engine::state::verification::Verification;
use crate::scenario::{SignatureFault, WebhookConfig};

/// So many attempts are on their way to one receiver at once: an account's receiver of one
/// environment. Further ones wait, so that a receiver that does not answer takes no more sockets; no
/// other account waits for it.
pub const IN_FLIGHT: usize = 8;

/// Which time signatures say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureClock {
    /// The machine's: a receiver that looks at the time takes it whatever the account's clock shows.
    Real,
    /// The account's.
    Account,
}

/// An attempt that is about to be made.
pub(super) struct Outgoing {
    environment: Environment,
    verification: VerificationId,
    due: Timestamp,
    why: Why,
    generation: u64,
    receiver: Option<WebhookConfig>,
    signature: SignatureFault,
    at_s: i64,
    body: bytes::Bytes,
}

impl Host {
    /// Begins the attempts that are due, as many as may be on their way at once.
    pub(super) fn send_due(
        self: &Arc<Self>,
        cell: &Arc<AccountCell>,
        held: &mut Held,
        machine: Timestamp,
    ) {
        if held.moving.is_some() || self.waiting.is_closed() {
            return;
        }
        let now = held.account.clock.read(machine);
        for environment in Environment::ALL {
            while let Some(outgoing) = self.next_due(held, environment, now) {
                let key = (environment, outgoing.verification);
                held.in_flight.insert(key);
                let (host, cell) = (Arc::clone(self), Arc::clone(cell));
                self.waiting.spawn(async move {
                    let attempt = host.attempt(&outgoing).await;
                    host.attempted(&cell, &outgoing, attempt);
                });
            }
        }
    }

    fn next_due(&self, held: &Held, environment: Environment, now: Timestamp) -> Option<Outgoing> {
        let to_this = held.in_flight.iter().filter(|(to, _)| *to == environment);
        if to_this.count() >= IN_FLIGHT {
            return None;
        }
        let verifications = &held.account.environment(environment).verifications;
        let mut due = verifications.due_attempts();
        let (at, verification, delivery) = due
            .by_ref()
            .take_while(|(at, ..)| *at <= now)
            .find(|(_, it, _)| !held.in_flight.contains(&(environment, it.id)))?;
        Some(self.outgoing(held, environment, at, verification, delivery, now))
    }

    /// URL and secret are those of this moment.
    pub(super) fn outgoing(
        &self,
        held: &Held,
        environment: Environment,
        due: Timestamp,
        verification: &Verification,
        delivery: &Delivery,
        now: Timestamp,
    ) -> Outgoing {
        let signed_at = match self.signature_clock {
            SignatureClock::Real => self.clock.real(),
            SignatureClock::Account => now,
        };
        Outgoing {
            environment,
            verification: verification.id,
            due,
            why: delivery.why(),
            generation: held.generation,
            receiver: held.account.environment(environment).webhook.clone(),
            signature: delivery.fault.signature,
            at_s: signed_at.as_second(),
            body: verification.envelope(),
        }
    }

    /// Sends it and waits for what comes of it.
    pub(super) async fn attempt(&self, outgoing: &Outgoing) -> Attempt {
        let Some(WebhookConfig { url, secret }) = &outgoing.receiver else {
            let answer = Answered::Nothing("no webhook endpoint is registered".to_owned());
            return outgoing.came_to(None, answer, bytes::Bytes::new());
        };
        let sign = |secret: &str| Signature::sign(secret, outgoing.at_s, &outgoing.body);
        let signature = match outgoing.signature {
            SignatureFault::Genuine => Some(sign(secret)),
            SignatureFault::Wrong => Some(sign(&format!("not {secret}"))),
            SignatureFault::None => None,
        };
        let posting = WebhookRequest {
            url: url.to_string(),
            signature: signature.map(|signature| signature.to_string()),
            body: outgoing.body.clone(),
        };
        let WebhookResponse { answered, excerpt } = self.transport.post(posting).await;
        let url = Arc::clone(url);
        outgoing.came_to(Some(Sent { url, signature }), answered, excerpt)
    }

    /// Notes what came of an attempt, and goes on with what waited for it.
    fn attempted(self: &Arc<Self>, cell: &Arc<AccountCell>, outgoing: &Outgoing, attempt: Attempt) {
        let mut held = cell.lock();
        if held.generation != outgoing.generation {
            return;
        }
        held.in_flight
            .remove(&(outgoing.environment, outgoing.verification));
        let machine = self.clock.now();
        match self.note(cell, &mut held, outgoing, attempt, machine) {
            Ok(()) => self.go_on_with(cell, &mut held, machine),
            // It stays due and is sent again: at least once.
            Err(error) => {
                tracing::error!(account = %cell.id, %error, "an attempt was not written");
                cell.changed.notify_waiters();
                self.arm_after_rest(cell);
            }
        }
    }

    /// Writes down what came of an attempt.
    pub(super) fn note(
        &self,
        cell: &AccountCell,
        held: &mut Held,
        outgoing: &Outgoing,
        attempt: Attempt,
        machine: Timestamp,
    ) -> Result<(), JournalError> {
        let entry = Entry {
            at: held.account.clock.read(machine),
            environment: outgoing.environment,
            changes: vec![Change::Attempted {
                verification: outgoing.verification,
                attempt,
            }],
        };
        self.apply(cell, held, entry)
    }
}

impl Outgoing {
    /// Whether the account was set back since.
    pub(super) fn is_of(&self, held: &Held) -> bool {
        self.generation == held.generation
    }

    fn came_to(&self, sent: Option<Sent>, answer: Answered, excerpt: bytes::Bytes) -> Attempt {
        Attempt {
            due: self.due,
            why: self.why,
            sent,
            answer,
            excerpt,
        }
    }
}
