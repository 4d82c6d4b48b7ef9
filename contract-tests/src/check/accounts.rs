//! What an account's state shows: money that is held and charged, accesses that are audited, outcomes
//! that come in sequence. Asked where the control API can be.

use svc_fixtures::contract::{Environment, ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use super::control::{advance, control, fresh, look};
use super::entry::{Check, Stage};
use super::pending::pending;
use super::webhooks::look_up;
use crate::plan::{Case, Ending, Place, Predicate, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "accounts.hold",
        title: "A pending live call holds its price until its result commits it",
        clauses: &["ruling.22-wallet-adds-up", "ruling.22-hold-while-pending"],
        stage: Stage::Live,
        run: hold,
    },
    Check {
        id: "accounts.balance",
        title: "A wallet is topped up, set, and never set below what is held",
        clauses: &["ruling.34-control-api"],
        stage: Stage::Live,
        run: balance,
    },
    Check {
        id: "accounts.audit",
        title: "Every access to a live answer that is retained is audited, with the day it is kept to",
        clauses: &["ruling.23-audit", "limits.credit-report-retention"],
        stage: Stage::Live,
        run: audit,
    },
    Check {
        id: "accounts.sequence",
        title: "The outcomes of a sequence come call by call, whatever the idempotency keys",
        clauses: &["ruling.33-sequences", "ruling.04-provider"],
        stage: Stage::Sandbox,
        run: sequence,
    },
    Check {
        id: "accounts.caller-address",
        title: "Whom a call comes from is who is connected, not what a header says",
        clauses: &["ruling.16-caller-address"],
        stage: Stage::Refused,
        run: caller_address,
    },
];

/// What is in a simulator's wallet when an account comes into being.
const FULL: Paise = Paise(10_000_000);

fn rupees(amount: Paise) -> Json<'static> {
    Json::parse(amount.to_string().as_bytes())
        .map(|json| json.into_owned())
        .expect("an amount is a JSON number")
}

fn expect_wallet(case: &mut Case, clauses: &[&str], figures: [(&str, Paise); 4]) {
    let step = look(case, "accounts/{account}", "");
    for (name, amount) in figures {
        let place = Place::of(["live", name]);
        for clause in clauses {
            let rule = Rule::Value(place.clone(), Predicate::Is(rupees(amount)));
            case.expect(step, *clause, rule);
        }
    }
}

fn hold(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let row = operation
            .pending
            .as_ref()
            .filter(|row| row.by_consent.is_none())?;
        let mut case = Case::about(operation, "").on(Environment::Live).extension();
        fresh(&mut case);
        let call = pending(&mut case, setting, operation)?;
        let price = operation.price;
        let clauses = ["ruling.22-wallet-adds-up", "ruling.22-hold-while-pending"];
        let held = |balance, held, charged| {
            [
                ("balance", balance),
                ("held", held),
                ("charged", charged),
                ("toppedUp", FULL),
            ]
        };
        expect_wallet(&mut case, &clauses, held(FULL, price, Paise::ZERO));
        advance(&mut case, row.after_ms);
        let result = look_up(&mut case, call);
        case.expect(result, clauses[1], Rule::Charged(true));
        let left = Paise(FULL.0 - price.0);
        expect_wallet(&mut case, &clauses, held(left, Paise::ZERO, price));
        Some(case)
    };
    setting.operations().filter_map(case).collect()
}

fn balance(setting: &Setting<'_>) -> Vec<Case> {
    let pends = |operation: &&Operation| {
        let row = operation.pending.as_ref();
        row.is_some_and(|row| row.by_consent.is_none())
    };
    let Some(operation) = setting.operations().find(pends) else {
        return Vec::new();
    };
    let mut case = Case::about(operation, "around a hold")
        .on(Environment::Live)
        .extension();
    fresh(&mut case);
    if pending(&mut case, setting, operation).is_none() {
        return Vec::new();
    }
    let clause = "ruling.34-control-api";
    let price = operation.price;
    let path = "/control/accounts/{account}/wallet";
    for (body, status) in [
        (format!(r#"{{"balance": {}}}"#, Paise(price.0 - 1)), 409),
        (format!(r#"{{"balance": {price}}}"#), 200),
        (r#"{"balance": 1, "topUp": 1}"#.to_owned(), 400),
        (r#"{"topUp": 0.001}"#.to_owned(), 400),
    ] {
        let step = case.push(RequestTemplate::console("POST", path, &body));
        case.expect(step, clause, Rule::Status(status));
    }
    let step = control(&mut case, "POST", "wallet", r#"{"topUp": 500.00}"#);
    let place = Place::of(["balance"]);
    let rule = Rule::Value(place, Predicate::Is(rupees(Paise(price.0 + 50_000))));
    case.expect(step, clause, rule);
    vec![case]
}

fn audit(setting: &Setting<'_>) -> Vec<Case> {
    let case = |operation: &Operation| {
        let mut case = Case::about(operation, "").on(Environment::Live).extension();
        fresh(&mut case);
        control(
            &mut case,
            "POST",
            "clock",
            r#"{"set": "2041-03-01T00:00:00Z"}"#,
        );
        let call = lead::to_success(&mut case, setting, operation);
        case.change(call, |request| request.idempotency("audited"));
        case.push_again(call);
        look_up(&mut case, call);
        let step = look(&mut case, "audit", "account={account}&environment=live");
        let own = format!("{}.audit", operation.clause);
        let known = setting
            .contract
            .clauses
            .iter()
            .any(|clause| clause.id == own);
        let years = setting.contract.service.audit_retention_years;
        let until = format!("{}-03-01", 2041 + i64::from(years));
        let clauses = ["ruling.23-audit", "limits.credit-report-retention"];
        let clauses = clauses
            .into_iter()
            .map(str::to_owned)
            .chain(known.then_some(own));
        for clause in clauses {
            for (at, by) in ["call", "replay", "lookUp"].into_iter().enumerate() {
                for (name, value) in [("by", by), ("retainedUntil", &until)] {
                    let place = Place::of(["accesses", &at.to_string(), name]);
                    let rule = Rule::Value(place, Predicate::Is(value.to_owned().into()));
                    case.expect(step, clause.clone(), rule);
                }
            }
        }
        Some(case)
    };
    let audited = setting.operations().filter(|operation| operation.audited);
    audited.filter_map(case).collect()
}

/// An operation that is answered at once and takes nothing from others.
fn simple<'c>(setting: &Setting<'c>) -> Option<&'c Operation> {
    let is_simple = |operation: &&Operation| {
        operation.pending.is_none() && setting.contract.step_of(&operation.id).is_none()
    };
    setting.operations().find(is_simple)
}

fn sequence(setting: &Setting<'_>) -> Vec<Case> {
    let Some(operation) = simple(setting) else {
        return Vec::new();
    };
    let mut case = Case::about(operation, "fails once, then succeeds").extension();
    fresh(&mut case);
    let toml = format!(
        "[[scenario]]\nname = \"in sequence\"\noperation = \"{}\"\n\
         then = [{{ error = \"SVC_SOURCE_TIMEOUT\" }}, {{ success = {{}}, provider = \"source-b\" }}]\n",
        operation.id
    );
    let body = Json::object([("account", Json::from("{account}")), ("toml", toml.into())]);
    let added = case.push(RequestTemplate::console(
        "POST",
        "/control/scenarios",
        &body.to_string(),
    ));
    case.expect(added, "ruling.34-control-api", Rule::Status(201));
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
            let place = Place::of(["meta", "provider"]);
            case.expect(
                step,
                "ruling.04-provider",
                Rule::Value(place, Predicate::Is("source-b".into())),
            );
        }
    }
    vec![case]
}

fn caller_address(_: &Setting<'_>) -> Vec<Case> {
    let mut case = Case::new("an allowed address in a header").extension();
    fresh(&mut case);
    let only = r#"{"networks": ["203.0.113.0/24"]}"#;
    control(&mut case, "PUT", "allowlist", only);
    let request = RequestTemplate::get("/v1/usage").header("x-forwarded-for", "203.0.113.9");
    let step = case.push(request);
    let refused = Rule::Ends(Ending::Error(ErrorCode::IpNotAllowed));
    case.expect(step, "ruling.16-caller-address", refused);
    vec![case]
}
