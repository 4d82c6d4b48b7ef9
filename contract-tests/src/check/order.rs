//! The order of checks: at each border what would be refused for two reasons is refused for the earlier one.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::control::{control, fresh};
use super::entry::{Cases, Check, Stage};
use super::idempotency::REPLAY;
use crate::capture::{Credential, KeyKind};
use crate::plan::{Case, Ending, Payload, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "order.keys",
        title: "Who calls is looked at before what is called: key, environment, allowlist, rate limit, route",
        clauses: &[CLAUSE],
        stage: Stage::Sandbox,
        cases: Cases::Once(keys),
    },
    Check {
        id: "order.bodies",
        title: "Fields come before the idempotency key, and that before carried identifiers",
        clauses: &[CLAUSE],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(bodies),
    },
    Check {
        id: "order.wallet",
        title: "The wallet is looked at after all that is refused, and before what is executed",
        clauses: &[CLAUSE, "billing.insufficient-balance"],
        stage: Stage::Live,
        cases: Cases::PerOperation(wallet),
    },
];

const CLAUSE: &str = "ruling.06-order-of-checks";

/// Says that nothing is charged where the wallet does not cover a call.
const UNCOVERED: &str = "billing.insufficient-balance";

/// A call that is refused so.
fn refused(name: &str, request: RequestTemplate, code: ErrorCode) -> Case {
    let mut case = Case::new(name).extension();
    case.push(request);
    case.expecting(CLAUSE, Rule::fails(code))
}

fn keys(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let call = super::authentication::any_call(setting)?;
    let nowhere = RequestTemplate {
        path: "/v1/no/such/path".to_owned(),
        ..call.clone()
    };
    let named = |name: &str| name.to_owned();
    let (nothing, invalid) = (Credential::Nothing, ErrorCode::AuthInvalid);
    let blocked = || Credential::BuiltIn(named("blocked"));
    let elsewhere = Credential::BuiltInElsewhere(named("blocked"));
    let mut cases = vec![
        refused(
            "key before route",
            nowhere.clone().by(nothing.clone()),
            invalid,
        ),
        refused(
            "key before fields",
            call.clone().raw("{").by(nothing),
            invalid,
        ),
        refused(
            "key before environment",
            call.clone().by(Credential::UnknownElsewhere),
            invalid,
        ),
        refused(
            "environment before allowlist",
            call.clone().by(elsewhere),
            ErrorCode::KeyEnvironmentMismatch,
        ),
        refused(
            "allowlist before route",
            nowhere.clone().by(blocked()),
            ErrorCode::IpNotAllowed,
        ),
        refused(
            "allowlist before fields",
            call.clone().raw("{").by(blocked()),
            ErrorCode::IpNotAllowed,
        ),
        refused(
            "route before fields",
            nowhere.clone().raw("{"),
            ErrorCode::NotFound,
        ),
        allowlist_before_rate_limit(&call),
    ];
    // More at once than the limit allows, however much of it earlier calls have used up.
    let mut limited = Case::new("rate limit before route").extension();
    for _ in 0..6 {
        limited.push(nowhere.clone().by(Credential::BuiltIn(named("throttled"))));
    }
    limited.send_together(0);
    let some = Rule::SomeEnds(Ending::Error(ErrorCode::RateLimited));
    cases.push(limited.expecting(CLAUSE, some));
    Some(cases)
}

fn allowlist_before_rate_limit(call: &RequestTemplate) -> Case {
    let mut case = Case::new("allowlist before rate limit").extension();
    fresh(&mut case);
    let only = r#"{"networks": ["203.0.113.0/24"]}"#;
    control(&mut case, "PUT", "allowlist", only);
    let one = r#"{"perSecond": 1, "burst": 1}"#;
    control(&mut case, "PUT", "rate-limit", one);
    for _ in 0..3 {
        let step = case.push(call.clone());
        case.expect(step, CLAUSE, Rule::fails(ErrorCode::IpNotAllowed));
    }
    case
}

/// The same call of an operation with an identifier in it that was issued to nobody; none where it carries none.
fn never_issued(setting: &Setting<'_>, operation: &Operation) -> Option<RequestTemplate> {
    let carried = setting.contract.carried_field(operation)?;
    let field = operation
        .request
        .iter()
        .find(|field| field.name == carried)?;
    let text = "never-issued-to-anyone";
    let body = sample::body_with_text(setting.contract, operation, field, text);
    Some(RequestTemplate::post(operation, body))
}

fn bodies(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let begun = |name: &str, key: &str| {
        let mut case = Case::about(operation, name).extension();
        let first = lead::to_success(&mut case, setting, operation);
        case.change(first, |request| request.idempotency(key));
        case.expect(first, CLAUSE, Rule::succeeds(operation));
        case
    };
    let key = |about: &str| format!("{}-{about}-{}", setting.seed, operation.id);
    let own = key("fields");
    let mut fields = begun("fields before the key", &own);
    let empty = RequestTemplate::post(operation, Json::Object(Vec::new()));
    fields.push(empty.idempotency(&own));
    let fields = fields.expecting(CLAUSE, Rule::fails(ErrorCode::InvalidInput));
    let carried = never_issued(setting, operation).map(|call| {
        let own = key("carried");
        let mut case = begun("the key before a carried identifier", &own);
        case.push(call.idempotency(&own));
        case.expecting(CLAUSE, Rule::fails(ErrorCode::IdempotencyConflict))
    });
    Some([fields].into_iter().chain(carried).collect())
}

fn wallet(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    if !setting.has_key(Environment::Live, KeyKind::Poor) {
        return None;
    }
    let on_live = |name: &str| {
        let case = Case::about(operation, name).on(Environment::Live);
        case.extension()
    };
    let broke = || Credential::Given(KeyKind::Poor);
    let mut fields = on_live("fields before the wallet");
    let empty = RequestTemplate::post(operation, Json::Object(Vec::new()));
    fields.push(empty.by(broke()));
    let fields = fields.expecting(CLAUSE, Rule::fails(ErrorCode::InvalidInput));
    let mut cases = vec![fields];
    if let Some(call) = never_issued(setting, operation) {
        let mut case = on_live("a carried identifier before the wallet");
        case.push(call.by(broke()));
        let (flow, at) = setting.contract.step_of(&operation.id)?;
        let refusal = super::flows::refusal(&flow.steps[at]);
        cases.push(case.expecting(CLAUSE, refusal));
        return Some(cases);
    }
    let mut outcome = Case {
        extension: false,
        ..on_live("the wallet before the outcome")
    };
    let failed = super::wallet::to_source_down(&mut outcome, setting, operation)
        .or_else(|| lead::to_status(&mut outcome, setting, operation, 503));
    // On live the text that takes a source down is an input as any other, which most fields need not take: one that is
    // written like the sample they do.
    let well_formed = |case: &Case, step: usize| match &case.steps[step].request.payload {
        Payload::Json(body) => operation.identifiers().any(|(_, field)| {
            let sample = sample::value(setting.contract, field);
            let sent = body.get(&field.name).filter(|sent| **sent != sample);
            let texts = sent.and_then(Json::as_text).zip(sample.as_text());
            texts.is_some_and(|(sent, sample)| form(sent) == form(sample))
        }),
        _ => true,
    };
    let failed = failed.filter(|step| setting.by_rulings() || well_formed(&outcome, *step));
    if let Some(step) = failed {
        outcome.change(step, |request| request.by(broke()));
        let uncovered = Rule::fails(ErrorCode::InsufficientBalance);
        outcome.expect_each(step, [CLAUSE, UNCOVERED], &uncovered);
        cases.push(outcome.expecting(UNCOVERED, Rule::Charged(false)));
    }
    // What stands under a key is one matter for all operations.
    let first = setting.operations().next();
    if first.is_some_and(|first| first.id == operation.id) {
        let case = on_live("the key before the wallet");
        cases.push(replay_from_an_empty_wallet(case, setting, operation));
    }
    Some(cases)
}

/// Where a text has letters, and where digits.
fn form(text: &str) -> String {
    let class = |c: char| match c {
        c if c.is_ascii_alphabetic() => 'A',
        c if c.is_ascii_digit() => '9',
        c => c,
    };
    text.chars().map(class).collect()
}

/// What was paid for is had again when nothing is left, and nothing else is.
fn replay_from_an_empty_wallet(
    mut case: Case,
    setting: &Setting<'_>,
    operation: &Operation,
) -> Case {
    fresh(&mut case);
    let first = lead::to_success(&mut case, setting, operation);
    let plain = case.steps[first].request.clone();
    let key = format!("{}-wallet-{}", setting.seed, operation.id);
    case.change(first, |request| request.idempotency(&key));
    control(&mut case, "POST", "wallet", r#"{"balance": 0}"#);
    let again = case.push_again(first);
    for rule in [Rule::SameBytes(first), Rule::Header(REPLAY, Some("true"))] {
        case.expect(again, CLAUSE, rule);
    }
    let other = case.push(plain);
    let uncovered = Rule::fails(ErrorCode::InsufficientBalance);
    case.expect_each(other, [CLAUSE, UNCOVERED], &uncovered);
    case
}
