//! What an account's state shows: money that is held and charged, accesses that are audited, outcomes
//! that come in sequence. Asked where the control API can be.

use svc_fixtures::contract::{Environment, ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use super::control::{advance, call, control, fresh, look};
use super::entry::{Cases, Check, Stage, clause_below};
use super::pending::{comes_after_ms, pending, slow};
use super::wallet::{cheapest, identifier, to_source_down, without_record};
use super::webhooks::look_up;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "accounts.hold",
        title: "A pending live call holds its price until its result commits it",
        clauses: &["ruling.22-wallet-adds-up", "ruling.22-hold-while-pending"],
        stage: Stage::Live,
        cases: Cases::PerOperation(hold),
    },
    Check {
        id: "accounts.held-money",
        title: "What a pending call holds is not there for the next one",
        clauses: &["billing.hold", "ruling.22-hold-while-pending"],
        stage: Stage::Live,
        cases: Cases::PerOperation(held_money),
    },
    Check {
        id: "accounts.just-enough",
        title: "A wallet with just the price covers one call, also after one that failed, and no second one beside it",
        clauses: &["billing.insufficient-balance", "billing.hold"],
        stage: Stage::Live,
        cases: Cases::Once(just_enough),
    },
    Check {
        id: "accounts.balance",
        title: "A wallet is topped up, set, and never set below what is held",
        clauses: &["ruling.34-control-api"],
        stage: Stage::Live,
        cases: Cases::Once(balance),
    },
    Check {
        id: "accounts.audit",
        title: "Every access to a live answer that is retained is audited, with the day it is kept to",
        clauses: &["ruling.23-audit", "limits.credit-report-retention"],
        stage: Stage::Live,
        cases: Cases::PerOperation(audit),
    },
    Check {
        id: "accounts.sequence",
        title: "The outcomes of a sequence come call by call, whatever the idempotency keys",
        clauses: &["ruling.33-sequences", "ruling.04-provider"],
        stage: Stage::Sandbox,
        cases: Cases::Once(sequence),
    },
    Check {
        id: "accounts.caller-address",
        title: "Whom a call comes from is who is connected, not what a header says",
        clauses: &["ruling.16-caller-address"],
        stage: Stage::Refused,
        cases: Cases::Once(caller_address),
    },
];

/// What is in a simulator's wallet when an account comes into being.
const FULL: Paise = Paise(10_000_000);

fn rupees(amount: Paise) -> Json<'static> {
    Json::parse(amount.to_string().as_bytes())
        .map(|json| json.into_owned())
        .expect("an amount is a JSON number")
}

/// Reads the account and expects these figures of its live wallet: balance, held, charged.
fn expect_wallet(case: &mut Case, clauses: &[&str], figures: [Paise; 3]) {
    let step = look(case, "accounts/{account}", "");
    let [balance, held, charged] = figures;
    for (name, amount) in [
        ("balance", balance),
        ("held", held),
        ("charged", charged),
        ("toppedUp", FULL),
    ] {
        let rule = Rule::is(["live", name], rupees(amount));
        case.expect_each(step, clauses.iter().copied(), &rule);
    }
}

fn hold(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let after_ms = comes_after_ms(operation)?;
    let mut case = Case::about(operation, "").on(Environment::Live).extension();
    fresh(&mut case);
    let call = pending(&mut case, setting, operation)?;
    let price = operation.price;
    let clauses = ["ruling.22-wallet-adds-up", "ruling.22-hold-while-pending"];
    expect_wallet(&mut case, &clauses, [FULL, price, Paise::ZERO]);
    advance(&mut case, after_ms);
    let result = look_up(&mut case, call);
    case.expect(result, clauses[1], Rule::Charged(true));
    let left = Paise(FULL.0 - price.0);
    expect_wallet(&mut case, &clauses, [left, Paise::ZERO, price]);
    Some(vec![case])
}

/// A wallet that covers one call and a half: while the first one is pending, and when it was charged, too, a
/// second one is refused.
fn held_money(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let after_ms = comes_after_ms(operation);
    let left = Paise(operation.price.0 * 3 / 2);
    let mut case = with_balance(operation, "", left);
    let call = pending(&mut case, setting, operation)?;
    let clauses = ["billing.hold", "ruling.22-hold-while-pending"];
    let refused = Rule::fails(ErrorCode::InsufficientBalance);
    // What a person brings does not come by itself.
    for by_ms in [0].into_iter().chain(after_ms) {
        if by_ms > 0 {
            advance(&mut case, by_ms);
            let result = look_up(&mut case, call);
            case.expect(result, clauses[1], Rule::Charged(true));
        }
        let second = pending(&mut case, setting, operation)?;
        case.expect_each(second, clauses, &refused);
        case.expect(second, clauses[0], Rule::Charged(false));
    }
    Some(vec![case])
}

/// A case on live with so much in the wallet.
fn with_balance(operation: &Operation, name: &str, balance: Paise) -> Case {
    let case = Case::about(operation, name);
    let mut case = case.on(Environment::Live).extension();
    fresh(&mut case);
    let body = format!(r#"{{"balance": {balance}}}"#);
    control(&mut case, "POST", "wallet", &body);
    case
}

fn just_enough(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut operations = cheapest(setting).into_iter();
    let operation = operations.find(|it| identifier(it).is_some())?;
    let (price, hold) = (operation.price, "billing.hold");
    let refused = Rule::fails(ErrorCode::InsufficientBalance);
    let left = |case: &mut Case, clause: &str, balance: Paise| {
        let step = look(case, "accounts/{account}", "");
        for (name, amount) in [("balance", balance), ("held", Paise::ZERO)] {
            case.expect(step, clause, Rule::is(["live", name], rupees(amount)));
        }
    };

    let clause = "billing.insufficient-balance";
    let less = Paise(price.0 - 1);
    let mut topped_up = with_balance(operation, "a paisa less", less);
    let call = lead::to_success(&mut topped_up, setting, operation);
    topped_up.expect(call, clause, refused);
    topped_up.expect(call, clause, Rule::Charged(false));
    left(&mut topped_up, clause, less);
    control(&mut topped_up, "POST", "wallet", r#"{"topUp": 0.01}"#);
    let again = topped_up.push_again(call);
    topped_up.expect(again, clause, Rule::Ends(Ending::Completed));
    left(&mut topped_up, clause, Paise::ZERO);

    let mut failed = with_balance(operation, "after a failure", price);
    let down = to_source_down(&mut failed, setting, operation)?;
    let row = &setting.contract.service.sentinel;
    failed.expect(down, hold, Rule::fails(row.error));
    lead::to_success(&mut failed, setting, operation);
    let mut failed = failed.expecting(hold, Rule::Ends(Ending::Completed));
    left(&mut failed, hold, Paise::ZERO);

    let mut at_once = with_balance(operation, "several at once", price);
    let from = at_once.steps.len();
    for _ in 0..3 {
        lead::to_success(&mut at_once, setting, operation);
    }
    at_once.send_together(from);
    left(&mut at_once, hold, Paise::ZERO);

    let (operation, input) = without_record(setting)?;
    let field = input.field(setting.contract, operation)?;
    let twice = Paise(2 * operation.price.0);
    let mut none = with_balance(operation, "after no record", twice);
    let found = lead::to_input(&mut none, setting, operation, field, input);
    none.expect(found, hold, Rule::fails(ErrorCode::NoRecordFound));
    left(&mut none, hold, operation.price);
    lead::to_success(&mut none, setting, operation);
    let none = none.expecting(hold, Rule::Ends(Ending::Completed));
    Some(vec![topped_up, failed, at_once, none])
}

fn balance(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (operation, _) = slow(setting).next()?;
    let name = "around a hold";
    let mut case = Case::about(operation, name)
        .on(Environment::Live)
        .extension();
    fresh(&mut case);
    pending(&mut case, setting, operation)?;
    let price = operation.price;
    let wallet = "/control/accounts/{account}/wallet";
    for (body, status) in [
        (format!(r#"{{"balance": {}}}"#, Paise(price.0 - 1)), 409),
        (format!(r#"{{"balance": {price}}}"#), 200),
        (r#"{"balance": 1, "topUp": 1}"#.to_owned(), 400),
        (r#"{"topUp": 0.001}"#.to_owned(), 400),
    ] {
        call(&mut case, "POST", wallet, &body, status);
    }
    let step = control(&mut case, "POST", "wallet", r#"{"topUp": 500.00}"#);
    let sum = rupees(Paise(price.0 + 50_000));
    case.expect(step, "ruling.34-control-api", Rule::is(["balance"], sum));
    Some(vec![case])
}

fn audit(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    if !operation.audited {
        return None;
    }
    let mut case = Case::about(operation, "").on(Environment::Live).extension();
    fresh(&mut case);
    let then = r#"{"set": "2041-03-01T00:00:00Z"}"#;
    control(&mut case, "POST", "clock", then);
    let call = lead::to_success(&mut case, setting, operation);
    case.change(call, |request| request.idempotency("audited"));
    case.push_again(call);
    look_up(&mut case, call);
    let step = look(&mut case, "audit", "account={account}&environment=live");
    let years = setting.contract.service.audit_retention_years;
    let until = format!("{}-03-01", 2041 + i64::from(years));
    let clauses = ["ruling.23-audit", "limits.credit-report-retention"].map(str::to_owned);
    let own = clause_below(setting, operation, "audit");
    for clause in clauses.into_iter().chain(own) {
        for (at, by) in ["call", "replay", "lookUp"].into_iter().enumerate() {
            for (name, value) in [("by", by), ("retainedUntil", &until)] {
                let rule = Rule::is(["accesses", &at.to_string(), name], value);
                case.expect(step, &clause, rule);
            }
        }
    }
    Some(vec![case])
}

fn sequence(setting: &Setting<'_>) -> Option<Vec<Case>> {
    // One that is answered at once and takes nothing from others.
    let operation = setting.operations().find(|operation| {
        operation.pending.is_none() && setting.contract.step_of(&operation.id).is_none()
    })?;
    let mut case = Case::about(operation, "fails once, then succeeds").extension();
    fresh(&mut case);
    let toml = format!(
        "[[scenario]]\nname = \"in sequence\"\noperation = \"{}\"\n\
         then = [{{ error = \"SVC_SOURCE_TIMEOUT\" }}, {{ success = {{}}, provider = \"source-b\" }}]\n",
        operation.id
    );
    let body = Json::object([("account", Json::from("{account}")), ("toml", toml.into())]);
    let (path, body) = ("/control/scenarios", body.to_string());
    call(&mut case, "POST", path, &body, 201);
    for (key, ending) in [
        ("one", Ending::Error(ErrorCode::SourceTimeout)),
        ("one", Ending::Error(ErrorCode::SourceTimeout)),
        ("two", Ending::Completed),
        ("three", Ending::Completed),
    ] {
        let step = lead::to_success(&mut case, setting, operation);
        case.change(step, |request| request.idempotency(key));
        case.expect(step, "ruling.33-sequences", Rule::Ends(ending));
        if ending == Ending::Completed {
            let provider = Rule::is(["meta", "provider"], "source-b");
            case.expect(step, "ruling.04-provider", provider);
        }
    }
    Some(vec![case])
}

fn caller_address(_: &Setting<'_>) -> Option<Vec<Case>> {
    let mut case = Case::new("an allowed address in a header").extension();
    fresh(&mut case);
    let only = r#"{"networks": ["203.0.113.0/24"]}"#;
    control(&mut case, "PUT", "allowlist", only);
    case.push(RequestTemplate::get("/v1/usage").header("x-forwarded-for", "203.0.113.9"));
    let refused = Rule::fails(ErrorCode::IpNotAllowed);
    Some(vec![case.expecting("ruling.16-caller-address", refused)])
}
