//! What operations come to by the marks of an input and by what a reference asks for.

use svc_contract_tests::model::{CallOutcome, Due, Endpoint, ExecutedStep, has_result, is_awaited};
use svc_fixtures::contract::{BundleMode, ErrorCode, Operation};

use crate::catalogue::{CARRIED, Catalogue, Mark, Run, Template};
use crate::instruct::{self, Instruct, LATE_MS, SEQUENCE, SLOW_FAILS_MS, SLOW_MS, SOON_MS};

/// What a sequence is of: others count for themselves.
pub(crate) type Sequence = Vec<(String, String)>;

/// What all steps of a call come to.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    pub(crate) steps: Vec<ExecutedStep>,
    pub(crate) delay_ms: i64,
    pub(crate) sequences: Vec<Sequence>,
    pub(crate) webhook: WebhookPatch,
    /// Whether the answer breaks on the wire.
    pub(crate) breaks: bool,
}

/// What is done to a webhook.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WebhookPatch {
    pub(crate) copies: bool,
    pub(crate) lags: bool,
}

/// Runs everything a template runs, one after the other.
pub(crate) fn resolve(
    catalogue: &Catalogue,
    template: &Template,
    carried: (&str, Mark),
    reference: Option<&str>,
    now: i64,
    decided: impl Fn(&Sequence) -> usize,
) -> Resolved {
    let contract = &catalogue.contract;
    let mut resolved = Resolved::default();
    let parallel = match template.endpoint {
        Endpoint::Bundle(at) => contract.bundles[at].mode == BundleMode::Parallel,
        Endpoint::Operation(_) => false,
    };
    for run in &template.runs {
        let given = |from: &String| has_result(contract, &resolved.steps, from);
        if run.needs.as_ref().is_some_and(|from| !given(from)) {
            continue;
        }
        let awaited = |from: &String| is_awaited(contract, &resolved.steps, from);
        let waits = run.needs.as_ref().is_some_and(awaited);
        let row = &contract.operations[run.operation];
        let mark = mark(run, carried.1);
        let asked = instruct::instruct(reference, row).filter(|_| mark != Mark::Sentinel);
        let mut sequence = run.identifiers.clone();
        for (_, value) in &mut sequence {
            *value = value.replace(CARRIED, carried.0);
        }
        let outcome = outcome(catalogue, row, mark, asked, now, decided(&sequence));
        let delay_ms = match asked {
            // It runs by the account's clock, which waits for nothing.
            _ if waits => 0,
            Some(Instruct::Slow) => SLOW_MS,
            Some(Instruct::SlowFails) => SLOW_FAILS_MS,
            _ => 0,
        };
        resolved.delay_ms = match parallel {
            true => resolved.delay_ms.max(delay_ms),
            false => resolved.delay_ms + delay_ms,
        };
        resolved.webhook.copies |= asked == Some(Instruct::Copies);
        resolved.webhook.lags |= asked == Some(Instruct::Laggard);
        // A step that waits has no part in this answer.
        resolved.breaks |= asked == Some(Instruct::Breaks) && !waits;
        if asked == Some(Instruct::Sequence) {
            resolved.sequences.push(sequence);
        }
        resolved.steps.push(ExecutedStep {
            is_right: run.otp_is_right,
            waits,
            ..ExecutedStep::new(run.operation, outcome)
        });
    }
    resolved
}

/// The sentinel comes before all; then the first identifying field that asks for something.
fn mark(run: &Run, carried: Mark) -> Mark {
    match (run.mark, carried) {
        (Mark::Sentinel, _) | (_, Mark::Sentinel) => Mark::Sentinel,
        (Mark::None, carried) => carried,
        (own, _) => own,
    }
}

fn outcome(
    catalogue: &Catalogue,
    row: &Operation,
    mark: Mark,
    asked: Option<Instruct>,
    now: i64,
    decided: usize,
) -> CallOutcome {
    let ends = |code: Option<ErrorCode>| code.map_or(CallOutcome::Completed, CallOutcome::Failed);
    let later = |after_ms: i64, finally: CallOutcome| {
        CallOutcome::Pending(Due::At(now + after_ms), Box::new(finally))
    };
    let success = || CallOutcome::success(row, now);
    let by_code = |code: Option<ErrorCode>| code.map_or_else(success, CallOutcome::Failed);
    match (mark, asked) {
        (Mark::Sentinel, _) => CallOutcome::Failed(ErrorCode::SourceUnavailable),
        (_, Some(Instruct::Says(code))) => CallOutcome::Failed(code),
        (_, Some(Instruct::Slow | Instruct::Breaks)) => success(),
        (_, Some(Instruct::SlowFails)) => CallOutcome::Failed(ErrorCode::SourceTimeout),
        (_, Some(Instruct::Sequence)) => by_code(SEQUENCE[decided % SEQUENCE.len()]),
        (_, Some(Instruct::Late(code))) => later(LATE_MS, ends(code)),
        (_, Some(Instruct::Copies | Instruct::Laggard)) => later(SOON_MS, CallOutcome::Completed),
        (Mark::Status(202), None) => CallOutcome::pending(row, now),
        (Mark::Status(status), None) => {
            let mut codes = ErrorCode::ALL.into_iter();
            let code = codes.rfind(|code| catalogue.status(*code) == status);
            CallOutcome::Failed(code.expect("a status of the table"))
        }
        (Mark::None, None) => success(),
    }
}
