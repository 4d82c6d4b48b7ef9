//! Calls at the same time: each has an answer of its own, and the wallet is what it were if they had come one after
//! the other.

use svc_fixtures::contract::{Environment, ErrorCode};

use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use super::idempotency::another;
use super::wallet::cheapest;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "together.answers",
        title: "Of different calls at once each has its own answer",
        clauses: &["envelope.reference-id", "envelope.endpoint"],
        stage: Stage::Sandbox,
        cases: Cases::Once(answers),
    },
    Check {
        id: "together.charges",
        title: "Of charges at once none is forgotten",
        clauses: &["billing.balance-falls"],
        stage: Stage::Live,
        cases: Cases::Once(charges),
    },
    Check {
        id: "together.one-key",
        title: "Calls at once with one key are charged once",
        clauses: &["idempotency.no-double-charge"],
        stage: Stage::Live,
        cases: Cases::Once(one_key),
    },
    Check {
        id: "together.conflict",
        title: "Of two bodies at once with one key one is a conflict",
        clauses: &["idempotency.conflict"],
        stage: Stage::Sandbox,
        cases: Cases::Once(conflict),
    },
];

/// How many calls are made at once.
const AT_ONCE: usize = 3;

fn answers(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut case = Case::new("different operations");
    let operations = cheapest(setting).into_iter().take(2 * AT_ONCE);
    for (at, operation) in operations.enumerate() {
        let reference = format!("{REFERENCE}-{at}");
        let call = lead::sample_call(setting, operation);
        case.push(call.header("x-reference-id", reference));
    }
    case.send_together(0);
    Some(vec![case])
}

/// A charged call, others at once, and the first one again: the balance has fallen by all that were charged.
fn around(
    setting: &Setting<'_>,
    clause: &str,
    of_first: impl Fn(RequestTemplate) -> RequestTemplate,
) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let mut case = Case::about(operation, "").on(Environment::Live);
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, "billing.conclusive", Rule::Charged(true));
    let call = case.steps[first].request.clone();
    let from = case.steps.len();
    for _ in 0..AT_ONCE {
        case.push(of_first(call.clone()));
    }
    case.send_together(from);
    case.push(call);
    Some(vec![case.expecting(clause, Rule::BalanceAddsUp(first))])
}

fn charges(setting: &Setting<'_>) -> Option<Vec<Case>> {
    around(setting, "billing.balance-falls", |call| call)
}

fn conflict(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let mut case = Case::about(operation, "");
    let key = format!("{}-two-bodies", setting.seed);
    let call = lead::sample_call(setting, operation).idempotency(&key);
    let other = another(setting, operation, &call);
    case.push(call);
    case.push(other);
    case.send_together(0);
    let conflict = Ending::Error(ErrorCode::IdempotencyConflict);
    Some(vec![
        case.expecting("idempotency.conflict", Rule::SomeEnds(conflict)),
    ])
}

fn one_key(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let key = format!("{}-together", setting.seed);
    let clause = "idempotency.no-double-charge";
    let cases = around(setting, clause, |call| call.idempotency(&key))?;
    // Where each was executed each may say that it was charged, and the wallet adds up.
    let once = |case: Case| case.expecting(clause, Rule::OneId);
    Some(cases.into_iter().map(once).collect())
}
