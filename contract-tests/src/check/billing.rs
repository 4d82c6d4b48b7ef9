//! Billing: nothing on the sandbox; on live every conclusive result once, with sums that add up.

use svc_fixtures::contract::{ErrorCode, Operation, Paise};

use super::entry::{Check, Stage};
use crate::capture::Credential;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "billing.sandbox",
        title: "The sandbox never charges, not for a record that is not there either",
        clauses: &["billing.sandbox-free", "sandbox.no-record-not-charged"],
        stage: Stage::Sandbox,
        run: sandbox,
    },
    Check {
        id: "billing.conclusive",
        title: "A live result is charged its price, and the balance falls by it",
        clauses: &[
            "billing.conclusive",
            "billing.balance-falls",
            "envelope.wallet-balance",
            "ruling.21-prices",
        ],
        stage: Stage::Live,
        run: conclusive,
    },
    Check {
        id: "billing.no-record",
        title: "A live answer that there is no record is charged like a result",
        clauses: &["billing.no-record-is-billed", "billing.balance-falls"],
        stage: Stage::Live,
        run: no_record,
    },
    Check {
        id: "billing.failures",
        title: "A failure and a refusal cost nothing, and what was held is released",
        clauses: &["billing.failures-are-free", "billing.hold"],
        stage: Stage::Live,
        run: failures,
    },
    Check {
        id: "billing.replay",
        title: "A replay is not charged again",
        clauses: &["idempotency.no-double-charge"],
        stage: Stage::Live,
        run: replay,
    },
    Check {
        id: "billing.insufficient-balance",
        title: "A call the wallet cannot cover is refused and costs nothing",
        clauses: &[
            "billing.insufficient-balance",
            "errors.insufficient-balance",
        ],
        stage: Stage::Live,
        run: insufficient,
    },
];

fn sandbox(setting: &Setting<'_>) -> Vec<Case> {
    let free = |case: Case, clause: &str| case.expecting(clause, Rule::Charged(false));
    let cases = |operation| {
        let mut success = Case::about(operation, "success");
        lead::to_success(&mut success, setting, operation);
        let mut none = Case::about(operation, "no record").extension();
        let found = lead::to_status(&mut none, setting, operation, 422);
        let none = found.map(|_| free(none, "sandbox.no-record-not-charged"));
        [free(success, "billing.sandbox-free")]
            .into_iter()
            .chain(none)
            .collect::<Vec<_>>()
    };
    setting.operations().flat_map(cases).collect()
}

/// The operations whose success is charged at once.
fn charged<'c>(setting: &Setting<'c>) -> Vec<&'c Operation> {
    let at_once = |operation: &&Operation| {
        operation.price > Paise::ZERO && Ending::success(operation) == Ending::Completed
    };
    match setting.live() {
        true => setting.operations().filter(at_once).collect(),
        false => Vec::new(),
    }
}

/// A case on live that begins with a charged success; answers its place, too.
fn begun(setting: &Setting<'_>, operation: &Operation, name: &str) -> (Case, usize) {
    let mut case = Case {
        environment: Environment::Live,
        ..Case::about(operation, name)
    };
    let first = lead::to_success(&mut case, setting, operation);
    case.expect(first, "billing.conclusive", Rule::Charged(true));
    (case, first)
}

fn conclusive(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let (mut case, first) = begun(setting, operation, "");
        case.expect(first, "ruling.21-prices", Rule::Price(operation.price));
        case.expect(first, "billing.conclusive", Rule::Ends(Ending::Completed));
        case.push_again(first);
        case.expecting("billing.conclusive", Rule::Charged(true))
            .expecting("billing.balance-falls", Rule::BalanceFell(first))
    };
    charged(setting).into_iter().map(case).collect()
}

fn no_record(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case {
            environment: Environment::Live,
            ..Case::about(operation, "")
        }
        .extension();
        let first = lead::to_status(&mut case, setting, operation, 422)?;
        let clause = "billing.no-record-is-billed";
        case.expect(
            first,
            clause,
            Rule::Ends(Ending::Error(ErrorCode::NoRecordFound)),
        );
        case.expect(first, clause, Rule::Charged(true));
        case.expect(first, "ruling.21-prices", Rule::Price(operation.price));
        case.push_again(first);
        Some(case.expecting("billing.balance-falls", Rule::BalanceFell(first)))
    };
    charged(setting).into_iter().filter_map(case).collect()
}

/// A charged success, calls that must cost nothing, and the success again: the balance has fallen
/// by the last call alone.
fn failures(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let (mut case, first) = begun(setting, operation, "");
        let again = case.steps[first].request.clone();
        let refused = case.push(RequestTemplate::post(operation, Json::Object(Vec::new())));
        case.expect(refused, "billing.failures-are-free", Rule::Charged(false));
        let mut last = first;
        for row in super::errors::outcomes(setting).filter(|row| !row.billed) {
            let before = case.steps.len();
            let failed = lead::to_status(&mut case, setting, operation, row.status)?;
            // What leads to it may be charged itself.
            last = if failed > before { failed - 1 } else { last };
            case.expect(failed, "billing.failures-are-free", Rule::Charged(false));
            case.expect(
                failed,
                "billing.failures-are-free",
                Rule::Ends(Ending::Error(row.code)),
            );
        }
        case.push(again);
        Some(
            case.expecting("billing.hold", Rule::BalanceFell(last))
                .extension(),
        )
    };
    charged(setting).into_iter().filter_map(case).collect()
}

fn replay(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let (mut case, first) = begun(setting, operation, "");
        let plain = case.steps[first].request.clone();
        let keyed = plain
            .clone()
            .idempotency(&format!("{}-billing-{}", setting.seed, operation.id));
        case.steps[first].request = keyed.clone();
        for _ in 0..2 {
            let again = case.push(keyed.clone());
            case.expect(
                again,
                "idempotency.no-double-charge",
                Rule::SameResult(first),
            );
        }
        case.push(plain);
        case.expecting("idempotency.no-double-charge", Rule::BalanceFell(first))
    };
    charged(setting).into_iter().map(case).collect()
}

/// An empty wallet. Where an identifier is carried, only a fixed one needs no earlier call.
fn insufficient(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case {
            environment: Environment::Live,
            ..Case::about(operation, "")
        }
        .extension();
        let step = match operation
            .identifiers()
            .any(|(_, field)| setting.contract.carries(operation, field))
        {
            true => lead::to_status(&mut case, setting, operation, 422)?,
            false => lead::to_success(&mut case, setting, operation),
        };
        if step > 0 {
            return None;
        }
        let broke = Credential::BuiltIn("broke".to_owned());
        case.change(step, |request| request.by(broke));
        let refused = Rule::Ends(Ending::Error(ErrorCode::InsufficientBalance));
        Some(
            case.expecting("billing.insufficient-balance", refused.clone())
                .expecting("errors.insufficient-balance", refused)
                .expecting("billing.insufficient-balance", Rule::Charged(false)),
        )
    };
    charged(setting).into_iter().filter_map(case).collect()
}
