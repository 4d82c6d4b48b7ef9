//! Billing: nothing on the sandbox; on live every conclusive result once, with sums that add up.

use svc_fixtures::contract::{ErrorCode, Operation, Paise};

use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use super::identifiers::expect_repeated;
use super::wallet::{cheapest, down, to_source_down};
use crate::capture::{Credential, KeyKind};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "billing.sandbox",
        title: "The sandbox never charges, not for a record that is not there either",
        clauses: &["billing.sandbox-free", "sandbox.no-record-not-charged"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(sandbox),
    },
    Check {
        id: "billing.conclusive",
        title: "A live result is charged its price",
        clauses: &[
            "billing.conclusive",
            "envelope.wallet-balance",
            "ruling.21-prices",
        ],
        stage: Stage::Live,
        cases: Cases::PerOperation(conclusive),
    },
    Check {
        id: "billing.no-record",
        title: "A live answer that there is no record is charged like a result",
        clauses: &["billing.no-record-is-billed", "billing.balance-falls"],
        stage: Stage::Live,
        cases: Cases::PerOperation(no_record),
    },
    Check {
        id: "billing.failures",
        title: "A failure and a refusal cost nothing, and what was held is released",
        clauses: &["billing.failures-are-free", "billing.hold"],
        stage: Stage::Live,
        cases: Cases::PerOperation(failures),
    },
    Check {
        id: "billing.replay",
        title: "The balance falls by what a result costs, and a replay is not charged again",
        clauses: &["billing.balance-falls", "idempotency.no-double-charge"],
        stage: Stage::Live,
        cases: Cases::PerOperation(replay),
    },
    Check {
        id: "billing.insufficient-balance",
        title: "A call the wallet cannot cover is refused and costs nothing",
        clauses: &[
            "billing.insufficient-balance",
            "errors.insufficient-balance",
        ],
        stage: Stage::Live,
        cases: Cases::PerOperation(insufficient),
    },
];

fn sandbox(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let free = |case: Case, clause: &str| case.expecting(clause, Rule::Charged(false));
    let mut success = Case::about(operation, "success");
    lead::to_success(&mut success, setting, operation);
    let mut none = Case::about(operation, "no record").extension();
    let found = lead::to_status(&mut none, setting, operation, 422);
    let none = found.map(|_| free(none, "sandbox.no-record-not-charged"));
    let success = free(success, "billing.sandbox-free");
    Some([success].into_iter().chain(none).collect())
}

/// A case on live about an operation whose success is charged at once; none about another one.
fn charged(setting: &Setting<'_>, operation: &Operation) -> Option<Case> {
    let at_once = Ending::success(operation) == Ending::Completed;
    let asked = setting.live() && operation.price > Paise::ZERO && at_once;
    asked.then(|| Case {
        environment: Environment::Live,
        ..Case::about(operation, "")
    })
}

/// The same, beginning with a charged success; answers its place, too.
fn begun(setting: &Setting<'_>, operation: &Operation) -> Option<(Case, usize)> {
    let mut case = charged(setting, operation)?;
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, "billing.conclusive", Rule::Charged(true));
    Some((case, first))
}

/// What an operation costs: what a list says, else its row.
pub(super) fn price(setting: &Setting<'_>, operation: &Operation) -> Rule {
    let listed = setting.prices.operation(&operation.id);
    Rule::Price(listed.unwrap_or(operation.price))
}

fn conclusive(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (mut once, first) = begun(setting, operation)?;
    once.expect(first, "ruling.21-prices", price(setting, operation));
    once.expect(first, "billing.conclusive", Rule::Ends(Ending::Completed));
    expect_repeated(&mut once, first, setting, operation);
    Some(vec![once])
}

fn no_record(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = charged(setting, operation)?.extension();
    let first = lead::to_status(&mut case, setting, operation, 422)?;
    let clause = "billing.no-record-is-billed";
    case.expect(first, clause, Rule::fails(ErrorCode::NoRecordFound));
    case.expect(first, clause, Rule::Charged(true));
    case.expect(first, "ruling.21-prices", price(setting, operation));
    case.push_again(first);
    let fell = Rule::BalanceFell(first);
    Some(vec![case.expecting("billing.balance-falls", fell)])
}

/// A charged success, calls that must cost nothing, and the success again: the balance has fallen
/// by the last call alone.
fn failures(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (mut case, first) = begun(setting, operation)?;
    let again = case.steps[first].request.clone();
    let clause = "billing.failures-are-free";
    let refused = case.push(RequestTemplate::post(operation, Json::Object(Vec::new())));
    case.expect(refused, clause, Rule::Charged(false));
    let mut last = first;
    for row in super::errors::outcomes(setting).filter(|row| !row.billed) {
        let before = case.steps.len();
        let failed = lead::to_status(&mut case, setting, operation, row.status)?;
        // What leads to it may be charged itself.
        last = if failed > before { failed - 1 } else { last };
        case.expect(failed, clause, Rule::Charged(false));
        case.expect(failed, clause, Rule::fails(row.code));
    }
    case.push(again);
    let fell = Rule::BalanceFell(last);
    Some(vec![case.expecting("billing.hold", fell).extension()])
}

/// What a source that is down, a result, its replay and another one cost is between balances, of which the first is
/// another operation's: one that is always told too high or too low would not be seen beside its own.
fn replay(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let mut case = charged(setting, operation)?;
    let other = before(&mut case, setting, operation);
    if let Some(failed) = to_source_down(&mut case, setting, operation) {
        case.expect(failed, "billing.failures-are-free", down(setting));
    }
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, "billing.conclusive", Rule::Charged(true));
    if let Some(other) = other {
        let clauses = ["billing.balance-falls", "billing.failures-are-free"];
        case.expect_each(first, clauses, &Rule::BalanceAddsUp(other));
    }
    let plain = case.steps[first].request.clone();
    let key = format!("{}-billing-{}", setting.seed, operation.id);
    case.change(first, |request| {
        let request = request.header("x-reference-id", REFERENCE);
        request.idempotency(&key)
    });
    let clause = "idempotency.no-double-charge";
    let again = case.push_again(first);
    case.expect(again, clause, Rule::SameResult(first));
    let second = case.push(plain);
    case.expect(second, "billing.conclusive", Rule::Charged(true));
    Some(vec![case.expecting(clause, Rule::BalanceFell(first))])
}

/// The cheapest of the other operations, called; answers its place.
fn before(case: &mut Case, setting: &Setting<'_>, operation: &Operation) -> Option<usize> {
    let mut others = cheapest(setting).into_iter();
    let other = others.find(|other| other.id != operation.id)?;
    Some(lead::to_success(case, setting, other))
}

/// An empty wallet. Where an identifier is carried, only a fixed one needs no earlier call.
fn insufficient(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    if !setting.has_key(Environment::Live, KeyKind::Poor) {
        return None;
    }
    let mut case = charged(setting, operation)?;
    let mut identifiers = operation.identifiers();
    let step = match identifiers.any(|(_, field)| setting.contract.carries(operation, field)) {
        // Of an id that no service has issued it may say so before it looks at the wallet.
        true if !setting.by_rulings() => return None,
        true => lead::to_status(&mut case, setting, operation, 422)?,
        false => lead::to_success(&mut case, setting, operation),
    };
    if step > 0 {
        return None;
    }
    let poor = Credential::Given(KeyKind::Poor);
    case.change(step, |request| {
        request.by(poor).header("x-reference-id", REFERENCE)
    });
    let clauses = [
        "billing.insufficient-balance",
        "errors.insufficient-balance",
    ];
    let uncovered = Rule::fails(ErrorCode::InsufficientBalance);
    case.expect_each(step, clauses, &uncovered);
    let case = case.expecting(clauses[0], Rule::Charged(false));
    // What no record is known of is found out for a price, too.
    let none = Ending::Error(ErrorCode::NoRecordFound);
    let mut inputs = setting.inputs.iter();
    let without_record = inputs.find_map(|input| {
        let field = input.field(setting.contract, operation)?;
        (input.ending(operation) == Some(none)).then_some((field, input))
    });
    let without_record = without_record.map(|(field, input)| {
        let mut case = Case::about(operation, &input.value).on(Environment::Live);
        let step = lead::to_input(&mut case, setting, operation, field, input);
        case.change(step, |request| request.by(Credential::Given(KeyKind::Poor)));
        case.expect_each(step, clauses, &uncovered);
        case
    });
    Some([case].into_iter().chain(without_record).collect())
}
