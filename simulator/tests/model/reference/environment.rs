//! One environment of the account: the contract tests' model of it, and what only a simulator shows beside it:
//! sequences of outcomes, ids made from content, and webhooks.

use std::collections::BTreeMap;

use bytes::Bytes;
use svc_contract_tests::model::{CallOutcome, EnvironmentState, Phase};
use svc_fixtures::contract::{Contract, Paise};

use super::audit::Audit;
use super::delivery::Delivery;
use super::resolve::{Sequence, WebhookPatch};

/// One environment of an account.
#[derive(Debug, Clone)]
pub(crate) struct Environment<'c> {
    pub(crate) state: EnvironmentState<'c>,
    pub(crate) registered: bool,
    pub(crate) deliveries: Vec<Delivery>,
    /// Every outcome of a sequence that was given, by what it was of.
    pub(crate) sequences: Vec<Sequence>,
    /// Who looked at what must be kept.
    pub(crate) audit: Audit,
    /// What every recorded call asked.
    pub(crate) asked: Vec<String>,
    /// The answers that were seen. The model knows them by their places.
    answers: Vec<Given>,
    /// What is done to the webhook of a verification.
    patches: BTreeMap<usize, WebhookPatch>,
}

/// An answer as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Bytes,
}

impl<'c> Environment<'c> {
    pub(crate) fn new(contract: &'c Contract, live: bool, topped_up: i64) -> Self {
        Environment {
            state: EnvironmentState::new(contract, live, Paise(topped_up)),
            registered: false,
            deliveries: Vec::new(),
            sequences: Vec::new(),
            audit: Audit::new(live),
            asked: Vec::new(),
            answers: Vec::new(),
            patches: BTreeMap::new(),
        }
    }

    /// The id of a verification, once it is known.
    pub(crate) fn id(&self, at: usize) -> Option<&str> {
        let record = self.state.verifications[at].record?;
        self.state.records[record].id.as_deref()
    }

    pub(crate) fn answer(&self, number: usize) -> &Given {
        &self.answers[number]
    }

    /// The body of the newest answer of a line of the call log, once it was seen.
    pub(crate) fn body(&self, record: usize) -> Option<&Bytes> {
        let answer = self.state.records[record].answer?;
        Some(&self.answers[answer].body)
    }

    /// The newest answer of a line of the call log is seen.
    pub(crate) fn saw_body(&mut self, record: usize, body: Bytes) {
        let status = self.state.records[record].status;
        let answer = self.saw(Given {
            status,
            retry_after: None,
            body,
        });
        self.state.records[record].answer = Some(answer);
    }

    /// The number of an answer that was given.
    pub(crate) fn saw(&mut self, given: Given) -> usize {
        self.answers.push(given);
        self.answers.len() - 1
    }

    /// What is done to the webhook of a verification.
    pub(crate) fn patch(&mut self, at: usize, patch: WebhookPatch) {
        let own = self.patches.entry(at).or_default();
        own.copies |= patch.copies;
        own.lags |= patch.lags;
    }

    /// The first answer to a call, or that to its second one.
    pub(crate) fn conclude(&mut self, at: usize, now: i64) -> CallOutcome {
        let was_pending = self.id(at).is_some();
        let outcome = self.state.conclude(at);
        if was_pending && self.state.verifications[at].phase == Phase::Ended {
            self.deliver(at, now);
        }
        outcome
    }

    /// The result of a call that was answered as pending.
    pub(crate) fn end(&mut self, at: usize, now: i64) {
        self.state.end(at);
        self.deliver(at, now);
    }

    fn deliver(&mut self, at: usize, now: i64) {
        if self.registered {
            let id = self.id(at).expect("a pending call is known").to_owned();
            let patch = self.patches.get(&at).copied().unwrap_or_default();
            self.deliveries.push(Delivery::new(id, now, patch));
        }
    }
}
