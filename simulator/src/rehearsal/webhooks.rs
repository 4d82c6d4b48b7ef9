//! The webhooks of a rehearsal: attempts are made as they fall due, to a receiver whose answers are
//! given. Nothing is sent.

use bytes::Bytes;

use super::{Observed, Rehearsal};
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::{Attempt, AttemptOutcome, DeliveryState};
use crate::engine::state::entry::{Change, Entry};
use crate::scenario::{SignatureFault, WebhookConfig};
use crate::scenario_format::DeliveryEnd;

/// How a webhook arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObservedDelivery {
    /// So many times.
    pub times: u32,
    /// How its delivery ended.
    pub ends: DeliveryEnd,
    /// What was wrong with its signature.
    pub signature: SignatureFault,
}

/// More attempts than any schedule and its copies make.
const MOST: usize = 1000;

/// Where nothing is ever sent.
const RECEIVER: &str = "http://127.0.0.1:9/webhooks";

impl Rehearsal<'_> {
    /// Registers a receiver where the account has none.
    pub fn register(&mut self, environment: Environment) {
        if self.account.environment(environment).webhook.is_some() {
            return;
        }
        let config = WebhookConfig {
            url: RECEIVER.into(),
            secret: "whsec_sample".into(),
        };
        self.account.apply(Entry {
            at: self.now,
            environment,
            changes: vec![Change::WebhookSet {
                webhook: Some(config),
            }],
        });
    }

    /// Makes all attempts to bring the result of a call, to a receiver that answers with these statuses,
    /// the last one again and again. None where no webhook brings it.
    pub fn deliver(&mut self, first: &Observed, receiver: &[u16]) -> Option<ObservedDelivery> {
        let verification = first.verification?;
        let environment = first.environment;
        for made in 0..MOST {
            let state = self.account.environment(environment);
            let delivery = state.verifications.delivery(verification)?;
            let Some(due) = delivery.due() else { break };
            let status = receiver.get(made).or(receiver.last())?;
            let attempt = Attempt {
                due,
                why: delivery.why(),
                sent: None,
                answer: AttemptOutcome::Status(*status),
                excerpt: Bytes::new(),
            };
            self.finish_due(due.max(self.now));
            self.account.apply(Entry {
                at: self.now,
                environment,
                changes: vec![Change::Attempted {
                    verification,
                    attempt: Box::new(attempt),
                }],
            });
        }
        let state = self.account.environment(environment);
        let delivery = state.verifications.delivery(verification)?;
        Some(ObservedDelivery {
            times: u32::try_from(delivery.attempts.len()).ok()?,
            ends: match delivery.state() {
                DeliveryState::Delivered => DeliveryEnd::Delivered,
                DeliveryState::Due(_) | DeliveryState::Dead => DeliveryEnd::Dead,
            },
            signature: delivery.fault.signature,
        })
    }
}
