//! What a call comes to, and what ends a pending one.

use svc_fixtures::contract::{Contract, ErrorCode, Operation, OperationIndex};

/// What a call, or a step of a bundle, came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallOutcome {
    /// A result.
    Completed,
    /// An error.
    Failed(ErrorCode),
    /// No result yet; in the end it comes to this.
    Pending(Due, Box<CallOutcome>),
}

/// What ends something that is pending. Instants are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// This instant.
    At(i64),
    /// A person who is asked.
    Consent,
    /// The second call of a bundle in two calls.
    SecondCall,
}

/// One operation that was executed.
#[derive(Debug, Clone)]
pub struct ExecutedStep {
    /// Which one.
    pub operation: OperationIndex,
    /// What it came to.
    pub outcome: CallOutcome,
    /// Whether its input is right: a wrong OTP does not do a step of a flow.
    pub is_right: bool,
    /// Whether it takes something from one that is still pending: then it runs when that has ended.
    pub waits: bool,
    /// Where it stands in the call log; only of a bundle's steps.
    pub record: Option<usize>,
}

impl ExecutedStep {
    /// With the right input.
    #[must_use]
    pub fn new(operation: OperationIndex, outcome: CallOutcome) -> Self {
        ExecutedStep {
            operation,
            outcome,
            is_right: true,
            waits: false,
            record: None,
        }
    }
}

impl CallOutcome {
    /// How an operation's success begins.
    #[must_use]
    pub fn success(operation: &Operation, now: i64) -> Self {
        let pending = operation.pending.as_ref();
        match pending.is_some_and(|pending| pending.always) {
            true => CallOutcome::pending(operation, now),
            false => CallOutcome::Completed,
        }
    }

    /// Pending for as long as the row says, then a result.
    ///
    /// # Panics
    /// Where the operation is never pending.
    #[must_use]
    pub fn pending(operation: &Operation, now: i64) -> Self {
        let row = operation.pending.as_ref();
        let row = row.expect("only what can be pending is");
        let due = match row.by_consent {
            Some(_) => Due::Consent,
            None => Due::At(now.saturating_add_unsigned(row.after_ms)),
        };
        CallOutcome::Pending(due, Box::new(CallOutcome::Completed))
    }

    /// What it comes to in the end.
    #[must_use]
    pub fn finally(&self) -> &CallOutcome {
        match self {
            CallOutcome::Pending(_, finally) => finally.finally(),
            other => other,
        }
    }

    pub(super) fn is_pending(&self) -> bool {
        matches!(self, CallOutcome::Pending(..))
    }

    pub(super) fn is_conclusive(&self) -> bool {
        matches!(
            self,
            CallOutcome::Completed | CallOutcome::Failed(ErrorCode::NoRecordFound)
        )
    }
}

/// Whether one of these steps is of this operation and comes to a result: a later step of the bundle that
/// takes something from it runs only then.
#[must_use]
pub fn has_result(contract: &Contract, steps: &[ExecutedStep], operation: &str) -> bool {
    steps.iter().any(|step| {
        contract.operations[step.operation].id == operation
            && *step.outcome.finally() == CallOutcome::Completed
    })
}

/// Whether one of these steps is of this operation and is pending, or waits itself.
#[must_use]
pub fn is_awaited(contract: &Contract, steps: &[ExecutedStep], operation: &str) -> bool {
    steps.iter().any(|step| {
        let is_open = step.waits || step.outcome.is_pending();
        contract.operations[step.operation].id == operation && is_open
    })
}

/// What a bundle is with these steps: pending while one is, failed as the first one that is not conclusive.
pub(super) fn of_bundle(steps: &[ExecutedStep], awaits_second_call: bool) -> CallOutcome {
    let completed = || Box::new(CallOutcome::Completed);
    if steps.iter().any(|step| step.outcome.is_pending()) {
        let due = steps.iter().filter_map(|step| match step.outcome {
            CallOutcome::Pending(Due::At(at), _) => Some(at),
            _ => None,
        });
        let latest = due.max().expect("no bundle waits for a person");
        return CallOutcome::Pending(Due::At(latest), completed());
    }
    if let Some(failed) = steps.iter().find(|step| !step.outcome.is_conclusive()) {
        return failed.outcome.clone();
    }
    // Only a first step that completed gave what a second call carries.
    let all_completed = steps
        .iter()
        .all(|step| step.outcome == CallOutcome::Completed);
    match awaits_second_call && all_completed {
        true => CallOutcome::Pending(Due::SecondCall, completed()),
        false => CallOutcome::Completed,
    }
}
