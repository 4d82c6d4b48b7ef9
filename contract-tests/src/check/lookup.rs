//! Look-up of a verification, whose path only our rulings give, and the usage.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::bundle_bodies::success;
use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use super::wallet::{cheapest, without_record};
use crate::capture::{Credential, KeyKind};
use crate::plan::{
    Case, EarlierValue, Ending, Place, RequestTemplate, Rule, Setting, UsageRow, VERIFICATIONS,
    lead,
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "lookup.found",
        title: "A verification can be looked up under its id, whatever it ended in",
        clauses: &["ruling.27-verification-lookup", "envelope.usage-log"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(found),
    },
    Check {
        id: "lookup.logged",
        title: "A call without a record and one without a result yet can be looked up as they ended, and on live none of the sandbox",
        clauses: &["envelope.usage-log", "errors.not-found"],
        stage: Stage::Sandbox,
        cases: Cases::Once(logged),
    },
    Check {
        id: "lookup.charged",
        title: "The look-up of a charged call says what that was charged, and costs nothing itself",
        clauses: &["envelope.usage-log", "billing.balance-falls"],
        stage: Stage::Live,
        cases: Cases::Once(charged),
    },
    Check {
        id: "lookup.unknown",
        title: "An id nobody has, or another account's, is not found, and none is without a key",
        clauses: &[
            "errors.not-found",
            "auth.bearer",
            "auth.wrong-environment",
            "errors.auth-invalid",
            "ruling.27-verification-lookup",
            "ruling.14-accounts-are-apart",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Once(unknown),
    },
    Check {
        id: "usage.counts",
        title: "The usage grows by what was called and what it cost",
        clauses: &["usage.endpoint", "ruling.27-usage"],
        stage: Stage::Sandbox,
        cases: Cases::Everywhere(usage),
    },
];

fn found(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let case = |name: &str, call: &dyn Fn(&mut Case) -> Option<usize>| {
        let mut case = Case::about(operation, name).extension();
        let step = call(&mut case)?;
        case.change(step, |request| request.header("x-reference-id", REFERENCE));
        let looked = case.push(RequestTemplate::look_up(step));
        let reference = Rule::is(["referenceId"], REFERENCE);
        case.expect(looked, "ruling.27-verification-lookup", reference);
        let clauses = ["ruling.27-verification-lookup", "envelope.usage-log"];
        case.expect_each(looked, clauses, &Rule::SameBytes(step));
        Some(case)
    };
    let success = case("success", &|case| {
        Some(lead::to_success(case, setting, operation))
    });
    let refusal = case("refused", &|case| {
        Some(case.push(RequestTemplate::post(operation, Json::Object(Vec::new()))))
    });
    let failure = case("no record", &|case| {
        lead::to_status(case, setting, operation, 422)
    });
    Some([success, refusal, failure].into_iter().flatten().collect())
}

/// Says that calls are logged under their ids.
const LOGGED: &str = "envelope.usage-log";

/// A look-up between two charged calls.
fn charged(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let mut case = Case::about(operation, "").on(Environment::Live);
    let call = lead::to_success(&mut case, setting, operation);
    case.expect(call, "billing.conclusive", Rule::Charged(true));
    let looked = case.push(RequestTemplate::look_up(call));
    case.expect(looked, LOGGED, Rule::Logs(call));
    case.push_again(call);
    let fell = Rule::BalanceAddsUp(call);
    Some(vec![case.expecting("billing.balance-falls", fell)])
}

/// Each beside one that is found: where the look-up is only a ruling says.
fn logged(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let operation = *cheapest(setting).first()?;
    let case = |name: &str| {
        let mut case = Case::new(name);
        let step = lead::to_success(&mut case, setting, operation);
        case.push(RequestTemplate::look_up(step));
        (case, step)
    };
    let found = |mut case: Case, step: usize| {
        case.push(RequestTemplate::look_up(step));
        let lost = Ending::Error(ErrorCode::NotFound);
        case.expecting(LOGGED, Rule::NoneEnds(lost))
    };
    // What is logged is found as often as it is looked for.
    let failed = |case: Case, step: usize| {
        let case = found(case, step).expecting(LOGGED, Rule::Logs(step));
        found(case, step).expecting(LOGGED, Rule::Logs(step))
    };
    let none = without_record(setting).and_then(|(operation, input)| {
        let (mut case, _) = case("no record");
        let field = input.field(setting.contract, operation)?;
        let step = lead::to_input(&mut case, setting, operation, field, input);
        Some(failed(case, step))
    });
    let mut operations = cheapest(setting).into_iter();
    let down = operations.find_map(|operation| {
        let (mut case, _) = case("source down");
        let step = super::wallet::to_source_down(&mut case, setting, operation)?;
        Some(failed(case, step))
    });
    let mut operations = setting.operations();
    let later = operations.find(|row| row.pending.as_ref().is_some_and(|row| row.always));
    let pending = later.map(|operation| {
        let (mut case, _) = case("pending");
        let step = lead::to_success(&mut case, setting, operation);
        found(case, step)
    });
    // One that the service is known to have, before one that it may have.
    let mut bundles: Vec<_> = setting.contract.bundles.iter().collect();
    bundles.sort_by_key(|bundle| bundle.example.is_none());
    let call = bundles.into_iter().find_map(|it| success(setting, it));
    let bundle = call.map(|call| {
        let (mut case, _) = case("bundle");
        let step = case.push(call);
        found(case, step)
    });
    // Another wallet is another account's.
    let poor = setting.has_key(Environment::Test, KeyKind::Poor).then(|| {
        let (mut case, step) = case("another account's");
        let other = Credential::Given(KeyKind::Poor);
        case.push(RequestTemplate::look_up(step).by(other));
        case.expecting("errors.not-found", Rule::fails(ErrorCode::NotFound))
    });
    let (mut case, step) = case("of the other environment");
    case.push(RequestTemplate::look_up(step).to(Environment::Live));
    let refused = Rule::fails(ErrorCode::NotFound);
    let elsewhere = case.expecting("errors.not-found", refused);
    let cases = [none, down, pending, bundle, poor, Some(elsewhere)];
    let each = each_logged(setting, operation);
    Some(cases.into_iter().flatten().chain(each).collect())
}

/// How many calls are looked up in one case.
const LOOKED_UP: usize = 8;

/// Every other operation's, too, beside one that is found.
fn each_logged(setting: &Setting<'_>, operation: &Operation) -> Vec<Case> {
    let alone = |it: &&Operation| {
        it.pending.is_none()
            && setting.contract.carried_field(it).is_none()
            && it.id != operation.id
    };
    let all: Vec<&Operation> = setting.operations().filter(alone).collect();
    let case = |some: &[&Operation]| {
        let mut case = Case::new(format!("{} and others", some[0].id));
        for operation in some.iter().chain(&[operation]) {
            case.push(lead::sample_call(setting, operation));
        }
        case.send_together(0);
        let found = case.push(RequestTemplate::look_up(some.len()));
        let where_completed = |step: usize, rule: Rule| {
            let place = Place::of(["status"]);
            let status = EarlierValue { step, place };
            Rule::Where(status, "completed".into(), Box::new(rule))
        };
        for step in 0..some.len() {
            let looked = case.push(RequestTemplate::look_up(step));
            let logged = where_completed(step, Rule::SameEnding(step));
            case.expect(looked, LOGGED, where_completed(found, logged));
        }
        case
    };
    all.chunks(LOOKED_UP).map(case).collect()
}

fn unknown(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let not_found = |name: &str, path: &str, clause: &str| {
        let mut case = Case::new(name).extension();
        case.push(RequestTemplate::get(path));
        case.expecting(clause, Rule::fails(ErrorCode::NotFound))
    };
    let nobody = format!("{VERIFICATIONS}svcv_00000000000000000000000000");
    let nonsense = format!("{VERIFICATIONS}nonsense");
    let mut cases = vec![
        not_found("an id nobody has", &nobody, "errors.not-found"),
        not_found("no id at all", &nonsense, "ruling.27-verification-lookup"),
    ];
    cases.extend(beside_one_that_is_found(setting, &nobody));
    if let Some(operation) = setting.operations().next() {
        let mut case = Case::new("another account's").extension();
        let step = lead::to_success(&mut case, setting, operation);
        let other = Credential::Another("somebody-else".to_owned());
        let looked = case.push(RequestTemplate::look_up(step).by(other));
        let refused = Rule::fails(ErrorCode::NotFound);
        case.expect(looked, "ruling.14-accounts-are-apart", refused);
        cases.push(case);
    }
    Some(cases)
}

/// Where the look-up is only a ruling says: a service that finds one there finds no other, and none without a key.
fn beside_one_that_is_found(setting: &Setting<'_>, nobody: &str) -> Option<Case> {
    let operation = setting.operations().next()?;
    let mut case = Case::new("an id nobody has, beside one that is found");
    let step = lead::to_success(&mut case, setting, operation);
    let found = case.push(RequestTemplate::look_up(step));
    let other = case.push(RequestTemplate::get(nobody));
    case.expect(other, "errors.not-found", Rule::fails(ErrorCode::NotFound));
    let cut = case.push(RequestTemplate::look_up_cut(step));
    case.expect(cut, "errors.not-found", Rule::fails(ErrorCode::NotFound));
    for credential in [Credential::Nothing, Credential::Unknown] {
        let request = case.steps[found].request.clone();
        let refused = case.push(request.by(credential));
        let clauses = ["auth.bearer", "errors.auth-invalid"];
        case.expect_each(refused, clauses, &Rule::fails(ErrorCode::AuthInvalid));
    }
    if setting.environments.contains(&Environment::Live) {
        let request = case.steps[found].request.clone();
        let refused = case.push(request.by(Credential::OtherEnvironment));
        let mismatch = Rule::fails(ErrorCode::KeyEnvironmentMismatch);
        case.expect(refused, "auth.wrong-environment", mismatch);
    }
    Some(case)
}

fn usage(
    setting: &Setting<'_>,
    operation: &Operation,
    environment: Environment,
) -> Option<Vec<Case>> {
    let mut case = Case::about(operation, "").on(environment).extension();
    let since = case.push(RequestTemplate::get("/v1/usage"));
    case.expect(since, "usage.endpoint", Rule::Ends(Ending::Completed));
    lead::to_success(&mut case, setting, operation);
    let mut by = UsageRow {
        calls: 1,
        completed: i64::from(Ending::success(operation) == Ending::Completed),
        ..UsageRow::default()
    };
    for (status, no_record) in [(422, 1), (503, 0)] {
        if lead::to_status(&mut case, setting, operation, status).is_some() {
            by.calls += 1;
            by.no_record += no_record;
            by.failed += 1 - no_record;
        }
    }
    case.push_again(since);
    let endpoint = operation.id.clone();
    let grew = Rule::UsageGrew {
        since,
        endpoint,
        by,
    };
    Some(vec![case.expecting("ruling.27-usage", grew)])
}
