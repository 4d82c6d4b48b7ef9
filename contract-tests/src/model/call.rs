//! A call as the model sees it, and what must come of it.

use svc_fixtures::contract::{BundleIndex, Contract, ErrorCode, OperationIndex, Paise};
use svc_fixtures::json::Json;

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endpoint {
    /// An operation.
    Operation(OperationIndex),
    /// A bundle.
    Bundle(BundleIndex),
}

impl Endpoint {
    /// Its dotted name, as the usage has it.
    #[must_use]
    pub fn name(self, contract: &Contract) -> String {
        match self {
            Endpoint::Operation(at) => contract.operations[at].id.clone(),
            Endpoint::Bundle(at) => format!("bundles.{}", contract.bundles[at].slug),
        }
    }
}

/// Which part of what is called a call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// The first call of a bundle in two calls.
    First,
    /// The second one.
    Second,
}

/// A call that is not refused whatever the account is like.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is called.
    pub endpoint: Endpoint,
    /// Which part of it.
    pub part: Part,
    /// What makes two calls under one idempotency key the same.
    pub content: Vec<u8>,
    /// Its idempotency key.
    pub key: Option<String>,
    /// Its `X-Reference-Id`.
    pub reference: Option<String>,
    /// What must be free in a live wallet.
    pub price: Paise,
    /// Where it stands in a flow.
    pub flow_position: Option<FlowPosition>,
}

/// Where a call stands in a flow whose order is enforced.
#[derive(Debug, Clone)]
pub struct FlowPosition {
    /// Which flow, by its place among the contract's rows.
    pub flow: usize,
    /// Which of its steps.
    pub step: usize,
    /// The identifier it carries; none where it is the first step.
    pub carried: Option<String>,
    /// Whether that is an input whose outcome is fixed: nobody need have issued it.
    pub carried_is_fixed: bool,
    /// Whether another field is such an input: no first call could have said that.
    pub is_fixed: bool,
    /// What it says, by field.
    pub fields: Vec<(String, Json<'static>)>,
}

/// Why a call is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// As what.
    pub code: ErrorCode,
    /// What the message must name, where only one thing can be meant.
    pub names: Option<String>,
}

impl Refusal {
    /// With this code; nothing must be named.
    #[must_use]
    pub fn of(code: ErrorCode) -> Self {
        Refusal { code, names: None }
    }

    /// As invalid input; nothing must be named.
    #[must_use]
    pub fn input() -> Self {
        Refusal::of(ErrorCode::InvalidInput)
    }

    pub(super) fn naming(name: &str) -> Self {
        Refusal {
            names: Some(name.to_owned()),
            ..Refusal::input()
        }
    }
}

/// What must come of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// It is refused.
    Refused(Refusal),
    /// It gets this answer again.
    Replay(usize),
    /// It waits for the answer of this verification, which has its key.
    Waits(usize),
    /// It is executed.
    Runs(Start),
}

/// How the execution of a call starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// What is held for it.
    pub hold: Paise,
    /// The bundle that it is the second call of.
    pub resumes: Option<usize>,
}
