//! What the model remembers of a call.

use svc_fixtures::contract::{Contract, Paise};

use super::call::Endpoint;
use super::outcome::{CallOutcome, Due, ExecutedStep, of_bundle};

/// A call that was executed.
#[derive(Debug, Clone)]
pub struct Verification {
    /// What was called.
    pub endpoint: Endpoint,
    /// When it was called.
    pub at: i64,
    /// How far it is.
    pub phase: Phase,
    /// What is held for it until it has ended.
    pub hold: Paise,
    /// What it was charged.
    pub charge: Paise,
    /// What was executed: several steps only of a bundle.
    pub steps: Vec<ExecutedStep>,
    /// Whether it is a bundle in two calls whose second one has not come.
    pub(super) awaits_second_call: bool,
    /// Where it stands in the call log, once it was answered.
    pub record: Option<usize>,
}

/// How far a verification is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its answer was not given yet.
    Delayed,
    /// It was answered, and its result is still to come.
    Pending(Due),
    /// It has its result.
    Ended,
}

/// One use of an idempotency key that was executed.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The key.
    pub key: String,
    /// What makes a call the same.
    pub(super) content: Vec<u8>,
    /// When it was made.
    pub at: i64,
    /// What was executed.
    pub verification: usize,
    /// What it was answered.
    pub answer: Option<usize>,
}

/// One line of the call log.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its id, where it is known.
    pub id: Option<String>,
    /// The HTTP status of its newest answer.
    pub status: u16,
    /// What it came to by now.
    pub outcome: CallOutcome,
    /// What it was charged.
    pub charged: Paise,
    /// The balance when it was charged.
    pub balance: Paise,
    /// Its newest answer, where somebody saw that.
    pub answer: Option<usize>,
}

impl Record {
    /// A line with an answer that nobody saw yet.
    pub(super) fn of(
        contract: &Contract,
        endpoint: Endpoint,
        outcome: &CallOutcome,
        charged: Paise,
        balance: Paise,
    ) -> Self {
        Record {
            id: None,
            status: status(contract, endpoint, outcome),
            outcome: outcome.clone(),
            charged,
            balance,
            answer: None,
        }
    }

    /// Of a call that cost nothing, with its answer.
    #[must_use]
    pub fn free(id: Option<String>, status: u16, outcome: CallOutcome, answer: usize) -> Self {
        Record {
            id,
            status,
            outcome,
            charged: Paise::ZERO,
            balance: Paise::ZERO,
            answer: Some(answer),
        }
    }
}

impl Verification {
    /// What it comes to by what its steps came to.
    #[must_use]
    pub fn outcome(&self) -> CallOutcome {
        match self.endpoint {
            Endpoint::Operation(_) => self.steps[0].outcome.clone(),
            Endpoint::Bundle(_) => of_bundle(&self.steps, self.awaits_second_call),
        }
    }
}

/// The HTTP status of an answer that says this.
fn status(contract: &Contract, endpoint: Endpoint, outcome: &CallOutcome) -> u16 {
    match (outcome, endpoint) {
        (CallOutcome::Completed, _) | (CallOutcome::Pending(..), Endpoint::Bundle(_)) => 200,
        (CallOutcome::Failed(code), _) => contract.error(*code).status,
        (CallOutcome::Pending(..), Endpoint::Operation(at)) => {
            let pending = contract.operations[at].pending.as_ref();
            pending.expect("only what can be pending is").status
        }
    }
}
