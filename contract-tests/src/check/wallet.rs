//! The wallet, seen in the answers alone: what one shows is what an earlier one showed, less what was charged
//! since. Asked of every service, with the cheapest operations there are.

use svc_fixtures::contract::{Environment, ErrorCode, Operation, Paise};

use super::entry::{Cases, Check, Stage};
use super::idempotency::another;
use crate::plan::{Case, Ending, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "wallet.prices",
        title: "Calls of different prices lower the balance by their own",
        clauses: &["billing.balance-falls"],
        stage: Stage::Live,
        cases: Cases::Once(prices),
    },
    Check {
        id: "wallet.failures",
        title: "A source that is down lowers no balance, whatever the answer says",
        clauses: &["billing.failures-are-free"],
        stage: Stage::Live,
        cases: Cases::Once(failures),
    },
    Check {
        id: "wallet.no-record",
        title: "No record is charged once, and its replay costs nothing",
        clauses: &[
            "billing.no-record-is-billed",
            "idempotency.no-double-charge",
        ],
        stage: Stage::Live,
        cases: Cases::Once(no_record),
    },
    Check {
        id: "wallet.conflict",
        title: "A conflict lowers no balance",
        clauses: &["billing.failures-are-free"],
        stage: Stage::Live,
        cases: Cases::Once(conflict),
    },
    Check {
        id: "wallet.pending",
        title: "On live a result that is not there yet is not charged",
        clauses: &["billing.hold"],
        stage: Stage::Live,
        cases: Cases::PerOperation(pending),
    },
];

const FREE: &str = "billing.failures-are-free";

/// The operations that are answered at once and take nothing from others, cheapest first.
fn cheapest<'c>(setting: &Setting<'c>) -> Vec<&'c Operation> {
    let alone = |it: &&Operation| {
        it.pending.is_none() && it.price > Paise::ZERO && setting.contract.step_of(&it.id).is_none()
    };
    let mut found: Vec<_> = setting.operations().filter(alone).collect();
    found.sort_by_key(|it| it.price);
    found
}

fn on_live(operation: &Operation) -> Case {
    Case {
        environment: Environment::Live,
        ..Case::about(operation, "")
    }
}

fn prices(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = cheapest(setting);
    operations.dedup_by_key(|it| it.price);
    let mut case = Case {
        environment: Environment::Live,
        ..Case::new("one after the other")
    };
    let mut before = None;
    for operation in operations.into_iter().take(3) {
        let step = lead::to_success(&mut case, setting, operation);
        case.expect(step, "billing.conclusive", Rule::Charged(true));
        if let Some(before) = before {
            case.expect(step, "billing.balance-falls", Rule::BalanceFell(before));
        }
        before = Some(step);
    }
    Some(vec![case])
}

/// Whether a source can be down on live only the service knows: where it is not, the call costs its price.
fn failures(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let sentinel = &setting.contract.service.sentinel.text;
    let (operation, field) = cheapest(setting).into_iter().find_map(|operation| {
        let mut fields = operation.identifiers();
        let (_, field) =
            fields.find(|(_, field)| !field.ruled.iter().any(|it| it == "identifies"))?;
        Some((operation, field))
    })?;
    let mut case = on_live(operation);
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, FREE, Rule::Charged(true));
    let down = lead::to_text(&mut case, setting, operation, field, sentinel);
    let row = &setting.contract.service.sentinel;
    case.expect(down, FREE, Rule::Ends(Ending::NoFaultBut(row.error)));
    case.push_again(first);
    Some(vec![case.expecting(FREE, Rule::BalanceAddsUp(first))])
}

fn no_record(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let none = Ending::Error(ErrorCode::NoRecordFound);
    let (operation, field, input) = cheapest(setting).into_iter().find_map(|operation| {
        let mut inputs = setting.inputs.iter();
        let input = inputs.find(|it| {
            it.field(setting.contract, operation).is_some() && it.ending(operation) == Some(none)
        })?;
        Some((operation, input.field(setting.contract, operation)?, input))
    })?;
    let mut case = on_live(operation);
    let first = lead::to_text(&mut case, setting, operation, field, &input.value);
    let plain = case.steps[first].request.clone();
    let key = format!("{}-wallet-none", setting.seed);
    case.change(first, |request| request.idempotency(&key));
    // Whether there is such a record on live the specification does not say: charged it is either way.
    let clause = "billing.no-record-is-billed";
    case.expect(first, clause, Rule::Ends(Ending::Understood));
    let again = case.push_again(first);
    let clause = "idempotency.no-double-charge";
    case.expect(again, clause, Rule::SameEnding(first));
    case.push(plain);
    Some(vec![case.expecting(clause, Rule::BalanceFell(first))])
}

fn conflict(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let mut case = on_live(operation);
    let first = lead::to_success(&mut case, setting, operation);
    let plain = case.steps[first].request.clone();
    let key = format!("{}-wallet-conflict", setting.seed);
    case.change(first, |request| request.idempotency(&key));
    case.expect(first, FREE, Rule::Charged(true));
    let other = another(setting, operation, &case.steps[first].request);
    let other = case.push(other);
    let conflict = Rule::fails(ErrorCode::IdempotencyConflict);
    case.expect(other, "idempotency.conflict", conflict);
    case.push(plain);
    Some(vec![case.expecting(FREE, Rule::BalanceFell(first))])
}

fn pending(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    operation.pending.as_ref().filter(|row| row.always)?;
    let mut case = on_live(operation);
    let step = lead::to_success(&mut case, setting, operation);
    case.expect(step, "billing.hold", Rule::succeeds(operation));
    Some(vec![case.expecting("billing.hold", Rule::Charged(false))])
}
