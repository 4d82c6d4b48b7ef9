//! Pending: the first answer of a call that takes long. Its end comes by webhook.

use svc_fixtures::contract::Operation;

use super::entry::{Check, Stage, everywhere};
use crate::plan::{Case, Ending, Rule, Setting, lead};
use svc_fixtures::contract::Environment;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "pending.first-answer",
        title: "Where the result is not there yet the answer is pending, with what leads to it",
        clauses: &["states.pending", "ruling.03-pending-answer"],
        stage: Stage::Sandbox,
        run: first_answer,
    },
    Check {
        id: "pending.replay",
        title: "A replay of a pending call is the answer first given",
        clauses: &["ruling.19-replay-bytes", "idempotency.replay"],
        stage: Stage::Sandbox,
        run: replay,
    },
    Check {
        id: "pending.not-charged-yet",
        title: "On live the first answer of a pending call is not charged",
        clauses: &["ruling.22-hold-while-pending"],
        stage: Stage::Live,
        run: not_charged,
    },
];

/// Adds a call that is answered as pending; answers its place.
pub(super) fn pending(
    case: &mut Case,
    setting: &Setting<'_>,
    operation: &Operation,
) -> Option<usize> {
    match operation.pending.as_ref()?.always {
        true => Some(lead::to_success(case, setting, operation)),
        false => lead::to_status(case, setting, operation, 202),
    }
}

/// On live the result of a pending call, with or without a record, costs the operation's price.
pub(super) fn settled(case: &mut Case, envelope: usize, operation: &Operation) {
    if case.environment == Environment::Live {
        case.expect(envelope, "billing.conclusive", Rule::Charged(true));
        case.expect(envelope, "ruling.21-prices", Rule::Price(operation.price));
    }
}

fn first_answer(setting: &Setting<'_>) -> Vec<Case> {
    let cases = |environment| {
        let case = move |operation: &Operation| {
            let mut case = Case::about(operation, "").on(environment).extension();
            let step = pending(&mut case, setting, operation)?;
            let own = format!("{}.pending", operation.clause);
            let known = setting
                .contract
                .clauses
                .iter()
                .any(|clause| clause.id == own);
            let clauses = ["states.pending", "ruling.03-pending-answer"].map(str::to_owned);
            for clause in clauses.into_iter().chain(known.then_some(own)) {
                case.expect(step, clause, Rule::Ends(Ending::Pending));
            }
            Some(case)
        };
        setting.operations().filter_map(case).collect::<Vec<_>>()
    };
    everywhere(setting).flat_map(cases).collect()
}

fn replay(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "").extension();
        let first = pending(&mut case, setting, operation)?;
        let key = format!("{}-pending-{}", setting.seed, operation.id);
        case.change(first, |request| request.idempotency(&key));
        case.push_again(first);
        Some(
            case.expecting("idempotency.replay", Rule::SameResult(first))
                .expecting("ruling.19-replay-bytes", Rule::SameBytes(first))
                .expecting("ruling.19-replay-bytes", Rule::SameEnding(first)),
        )
    };
    setting.operations().filter_map(case).collect()
}

fn not_charged(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "").on(Environment::Live).extension();
        pending(&mut case, setting, operation)?;
        let clause = "ruling.22-hold-while-pending";
        Some(
            case.expecting(clause, Rule::Ends(Ending::Pending))
                .expecting(clause, Rule::Charged(false)),
        )
    };
    setting.operations().filter_map(case).collect()
}
