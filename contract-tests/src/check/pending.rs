//! Pending: the first answer of a call that takes long. Its end comes by webhook.

use svc_fixtures::contract::Operation;

use super::entry::{Cases, Check, Stage, clause_below};
use crate::plan::{Case, Ending, Rule, Setting, lead};
use svc_fixtures::contract::Environment;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "pending.first-answer",
        title: "Where the result is not there yet the answer is pending, with what leads to it",
        clauses: &["states.pending", "ruling.03-pending-answer"],
        stage: Stage::Sandbox,
        cases: Cases::Everywhere(first_answer),
    },
    Check {
        id: "pending.replay",
        title: "A replay of a pending call is the answer first given",
        clauses: &["ruling.19-replay-bytes", "idempotency.replay"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(replay),
    },
    Check {
        id: "pending.not-charged-yet",
        title: "On live the first answer of a pending call is not charged",
        clauses: &["ruling.22-hold-while-pending"],
        stage: Stage::Live,
        cases: Cases::PerOperation(not_charged),
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
pub(super) fn settled(
    case: &mut Case,
    setting: &Setting<'_>,
    envelope: usize,
    operation: &Operation,
) {
    if case.environment == Environment::Live {
        case.expect(envelope, "billing.conclusive", Rule::Charged(true));
        let price = super::billing::price(setting, operation);
        case.expect(envelope, "ruling.21-prices", price);
    }
}

/// After how many milliseconds the result of an operation comes by itself, where it takes long.
pub(super) fn comes_after_ms(operation: &Operation) -> Option<u64> {
    let row = operation.pending.as_ref()?;
    row.by_consent.is_none().then_some(row.after_ms)
}

/// The operations whose result takes long and comes by itself, with that time.
pub(super) fn slow<'c>(setting: &Setting<'c>) -> impl Iterator<Item = (&'c Operation, u64)> {
    let operations = setting.operations();
    operations.filter_map(|operation| Some((operation, comes_after_ms(operation)?)))
}

fn first_answer(
    setting: &Setting<'_>,
    operation: &Operation,
    environment: Environment,
) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "").on(environment).extension();
    let step = pending(&mut case, setting, operation)?;
    let clauses = ["states.pending", "ruling.03-pending-answer"].map(str::to_owned);
    let own = clause_below(setting, operation, "pending");
    let clauses = clauses.into_iter().chain(own);
    case.expect_each(step, clauses, &Rule::Ends(Ending::Pending));
    Some(vec![case])
}

fn replay(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "").extension();
    let first = pending(&mut case, setting, operation)?;
    let key = format!("{}-pending-{}", setting.seed, operation.id);
    case.change(first, |request| request.idempotency(&key));
    let again = case.push_again(first);
    case.expect(again, "idempotency.replay", Rule::SameResult(first));
    for rule in [Rule::SameBytes(first), Rule::SameEnding(first)] {
        case.expect(again, "ruling.19-replay-bytes", rule);
    }
    Some(vec![case])
}

fn not_charged(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "").on(Environment::Live).extension();
    let step = pending(&mut case, setting, operation)?;
    for rule in [Rule::Ends(Ending::Pending), Rule::Charged(false)] {
        case.expect(step, "ruling.22-hold-while-pending", rule);
    }
    Some(vec![case])
}
