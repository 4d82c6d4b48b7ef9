//! Bundles, step by step: what one of the steps comes to is what the bundle comes to.

use svc_fixtures::contract::{Bundle, BundleMode, Environment, ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample;

use super::bundle_bodies::{
    another_body, call_on_live, chosen, of_source_down, other_bodies, success,
};
use super::control::{control, fresh};
use super::entry::{Cases, Check, Stage};
use super::envelope::REFERENCE;
use super::wallet::cheapest;
use crate::capture::{Credential, KeyKind};
use crate::plan::inputs::InputTarget;
use crate::plan::{
    Case, EarlierValue, Ending, Payload, Place, RequestTemplate, Rule, Setting, lead,
};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "bundles.answer",
        title: "A bundle answers like every call, and under its idempotency key once",
        clauses: &[
            "bundles.one-envelope",
            "idempotency.replay",
            "idempotency.conflict",
            "sandbox.sentinel",
            "auth.bearer",
            "auth.wrong-environment",
        ],
        stage: Stage::Sandbox,
        cases: Cases::Once(answer),
    },
    Check {
        id: "bundles.given",
        title: "A bundle ends as the file of inputs says",
        clauses: &[],
        stage: Stage::Sandbox,
        cases: Cases::Once(given),
    },
    Check {
        id: "bundles.given-live",
        title: "A bundle ends on live as the file of inputs says, and on an empty wallet is not executed",
        clauses: &[],
        stage: Stage::Live,
        cases: Cases::Once(given_on_live),
    },
    Check {
        id: "bundles.each-step",
        title: "A bundle fails as each of its steps fails, for nothing, and is completed where one finds no record",
        clauses: &["ruling.29-bundle-outcome", "bundles.one-envelope"],
        stage: Stage::Live,
        cases: Cases::Once(each_step),
    },
    Check {
        id: "bundles.wallet",
        title: "A bundle lowers the balance by what it says, its replay and a failed one by nothing, and an empty wallet has none",
        clauses: &[
            "billing.balance-falls",
            "billing.failures-are-free",
            "idempotency.replay",
        ],
        stage: Stage::Live,
        cases: Cases::Once(wallet),
    },
    Check {
        id: "bundles.hold",
        title: "A bundle that fails costs nothing, and what it held is there for the next one",
        clauses: &["billing.failures-are-free", "billing.hold"],
        stage: Stage::Live,
        cases: Cases::Once(hold),
    },
];

const CLAUSE: &str = "ruling.29-bundle-outcome";

fn each_step(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let mut cases = Vec::new();
    for bundle in &setting.contract.bundles {
        let steps = setting.contract.bundle_steps(bundle).enumerate();
        for (at, operation) in steps {
            for environment in &setting.environments {
                cases.extend(failing(setting, bundle, at, operation, *environment));
            }
            cases.extend(without_record(setting, bundle, at, operation));
        }
    }
    Some(cases)
}

/// The call of a bundle in which a step is asked for a status, where that step can be asked for one.
fn call(
    setting: &Setting<'_>,
    bundle: &Bundle,
    operation: &Operation,
    status: u16,
) -> Option<RequestTemplate> {
    let contract = setting.contract;
    let (_, field) = operation.identifiers().next()?;
    let body = match &bundle.mode {
        // The second call goes on where the first one stands.
        BundleMode::TwoCalls => return None,
        BundleMode::Choice { field, options } => {
            let (value, step) = options.iter().find(|(_, step)| *step == operation.id)?;
            chosen(setting, field, value, step)?
        }
        BundleMode::Sequence | BundleMode::Parallel => sample::bundle_body(contract, bundle),
    };
    let text = sample::status_text(contract, operation, field, status);
    let mut body = body;
    body.set(
        field.name.clone(),
        sample::with_text(contract, field, &text),
    );
    Some(RequestTemplate::post_to(bundle.path.clone(), body))
}

/// Where bundles are, and what they take, only a ruling says: of a service that has one there the rest is asked, too.
fn answer(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let bundles = setting.contract.bundles.iter();
    let case = |bundle: &Bundle| {
        let call = success(setting, bundle)?;
        let mut case = Case::of_bundle(bundle, &bundle.slug);
        let key = format!("{}-answer-{}", setting.seed, bundle.slug);
        let keyed = call.clone().idempotency(&key);
        let first = case.push(keyed.header("x-reference-id", REFERENCE));
        let completes = match may_be_slow(setting, bundle) {
            true => Ending::CompletedOrPending,
            false => Ending::Completed,
        };
        let clauses = ["bundles.one-envelope", &bundle.clause];
        case.expect_each(first, clauses, &Rule::Ends(completes));
        let again = case.push_again(first);
        case.expect(again, "idempotency.replay", Rule::SameResult(first));
        for (body, ending) in other_bodies(setting, bundle, &call) {
            let step = case.push(RequestTemplate::post_to(bundle.path.clone(), body));
            case.expect(step, &bundle.clause, Rule::Ends(ending));
        }
        if let Some(body) = another_body(setting, bundle, &call) {
            let other = RequestTemplate::post_to(bundle.path.clone(), body);
            let step = case.push(other.idempotency(&key));
            // Whether it is looked at first what is asked nobody says.
            let refused = Rule::Ends(Ending::Rejected);
            case.expect(step, "idempotency.conflict", refused);
        }
        let step = case.push(call.clone().by(Credential::Nothing));
        let refused = Rule::fails(ErrorCode::AuthInvalid);
        case.expect(step, "auth.bearer", refused);
        if setting.live() {
            let step = case.push(call.by(Credential::OtherEnvironment));
            let refused = Rule::fails(ErrorCode::KeyEnvironmentMismatch);
            case.expect(step, "auth.wrong-environment", refused);
        }
        Some(case)
    };
    let more = |bundle| {
        [
            sentinel(setting, bundle),
            beside_an_operation(setting, bundle),
        ]
    };
    let more = setting.contract.bundles.iter().flat_map(more).flatten();
    Some(bundles.filter_map(case).chain(more).collect())
}

/// Whether a service may say later what a bundle comes to, since one of its steps may take long. The simulator's own bodies
/// are of nobody for whom it does.
fn may_be_slow(setting: &Setting<'_>, bundle: &Bundle) -> bool {
    let mut steps = setting.contract.bundle_steps(bundle);
    !setting.by_rulings() && steps.any(|step| step.pending.is_some())
}

/// Where the answer to a step says how it stands.
fn status_of(step: usize) -> EarlierValue {
    let place = Place::of(["status"]);
    EarlierValue { step, place }
}

/// A bundle whose every step is told of somebody whose source is down has no result.
fn sentinel(setting: &Setting<'_>, bundle: &Bundle) -> Option<Case> {
    let contract = setting.contract;
    // What another takes is known where its file says it.
    let known = setting.by_rulings() || bundle.example.is_some();
    let call = success(setting, bundle).filter(|_| known)?;
    let Payload::Json(sent) = &call.payload else {
        return None;
    };
    let mut body = sent.clone();
    let text = &contract.service.sentinel.text;
    for step in contract.bundle_steps(bundle) {
        let fields = step.identifiers().map(|(_, field)| field);
        let known: Vec<_> = fields.filter(|it| sent.get(&it.name).is_some()).collect();
        // Of one that is told of nobody nothing is known.
        known.first()?;
        for field in known {
            body.set(field.name.clone(), sample::with_text(contract, field, text));
        }
    }
    let mut case = Case::of_bundle(bundle, format!("{}: the sentinel", bundle.slug));
    case.push(RequestTemplate::post_to(call.path.clone(), body));
    Some(case.expecting("sandbox.sentinel", Rule::NoneEnds(Ending::Completed)))
}

/// What an operation was answered under a key is no bundle's answer to the same.
fn beside_an_operation(setting: &Setting<'_>, bundle: &Bundle) -> Option<Case> {
    let call = success(setting, bundle)?;
    let step = setting.contract.bundle_steps(bundle).next()?;
    let mut case = Case::of_bundle(bundle, format!("{}: beside an operation", bundle.slug));
    let key = format!("{}-beside-{}", setting.seed, bundle.slug);
    let mut operation = call.clone().idempotency(&key);
    operation.path = sample::path(step);
    let first = case.push(operation);
    case.push(call.idempotency(&key));
    Some(case.expecting("bundles.one-envelope", Rule::OtherId(first)))
}

/// What a file says that the service has is asked of any.
fn given(setting: &Setting<'_>) -> Option<Vec<Case>> {
    given_on(setting, Environment::Test)
}

fn given_on_live(setting: &Setting<'_>) -> Option<Vec<Case>> {
    given_on(setting, Environment::Live)
}

fn given_on(setting: &Setting<'_>, environment: Environment) -> Option<Vec<Case>> {
    let mut cases = Vec::new();
    let bundles = &setting.contract.bundles;
    let inputs = setting.inputs.iter();
    for input in inputs.filter(|input| input.environment == environment) {
        let InputTarget::Bundle { slug, path } = &input.target else {
            continue;
        };
        let Some(bundle) = bundles.iter().find(|it| it.slug == *slug) else {
            continue;
        };
        let at = cases.len() + 1;
        let case = Case::of_bundle(bundle, format!("{slug}: {}, row {at}", input.ends));
        let mut case = case.on(environment);
        let body = Json::object(input.with.clone());
        let ending = input.ending_of_bundle()?;
        // What a failed one takes nevertheless shows in the balance of the next call.
        let beside = cheapest(setting).into_iter().next();
        let beside = beside.filter(|_| environment == Environment::Live && ending.code().is_some());
        let before = beside.map(|it| lead::to_success(&mut case, setting, it));
        let call = RequestTemplate::post_to(path.clone(), body);
        let poor = Some(call.clone()).filter(|_| ending == Ending::Completed);
        cases.extend(poor.and_then(|call| of_empty_wallet(setting, &case, call)));
        let asked = case.push(call);
        let ending = match ending {
            Ending::Completed if may_be_slow(setting, bundle) => Ending::CompletedOrPending,
            ending => ending,
        };
        case.expect(asked, input.clause.clone(), Rule::Ends(ending));
        if let (Some(operation), Some(before)) = (beside, before) {
            let after = lead::to_success(&mut case, setting, operation);
            let free = Rule::BalanceAddsUp(before);
            case.expect(after, "billing.failures-are-free", free);
        }
        cases.push(case);
    }
    Some(cases)
}

/// The same on live with the key of an empty wallet, where there is one.
fn of_empty_wallet(setting: &Setting<'_>, like: &Case, call: RequestTemplate) -> Option<Case> {
    let on_live = like.environment == Environment::Live;
    if !on_live || !setting.has_key(Environment::Live, KeyKind::Poor) {
        return None;
    }
    let mut case = Case {
        operation: like.operation.clone(),
        ..Case::new(format!("{}, an empty wallet", like.name))
    }
    .on(Environment::Live);
    case.push(call.by(Credential::Given(KeyKind::Poor)));
    let refused = Rule::fails(ErrorCode::InsufficientBalance);
    Some(case.expecting("billing.insufficient-balance", refused))
}

/// What a bundle, its replay, and one whose source is down cost is between the balances of calls of another operation. A
/// service that has a bundle there is asked the rest.
fn wallet(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let beside = cheapest(setting).into_iter().next()?;
    let down = Rule::Ends(Ending::NoFaultBut(setting.contract.service.sentinel.error));
    let (falls, free) = ("billing.balance-falls", "billing.failures-are-free");
    let case = |bundle: &Bundle| {
        let call = call_on_live(setting, bundle)?;
        let mut case = Case::of_bundle(bundle, &bundle.slug).on(Environment::Live);
        let before = lead::to_success(&mut case, setting, beside);
        let key = format!("{}-bundle-{}", setting.seed, bundle.slug);
        let first = case.push(call.clone().idempotency(&key));
        let charged = Rule::Charged(true);
        let charged = match may_be_slow(setting, bundle) {
            true => Rule::Where(status_of(first), "completed".into(), Box::new(charged)),
            false => charged,
        };
        case.expect(first, "billing.conclusive", charged);
        case.expect(first, falls, Rule::BalanceAddsUp(before));
        let again = case.push_again(first);
        for rule in [Rule::SameResult(first), Rule::SameEnding(first)] {
            case.expect(again, "idempotency.replay", rule);
        }
        if let Some(failing) = of_source_down(setting, bundle, &call) {
            let failed = case.push(failing);
            case.expect(failed, free, down.clone());
        }
        let after = lead::to_success(&mut case, setting, beside);
        case.expect_each(after, [falls, free], &Rule::BalanceAddsUp(before));
        if setting.has_key(Environment::Live, KeyKind::Poor) {
            let poor = case.push(call.by(Credential::Given(KeyKind::Poor)));
            let refused = Rule::fails(ErrorCode::InsufficientBalance);
            case.expect(poor, "billing.insufficient-balance", refused);
        }
        Some(case)
    };
    Some(setting.contract.bundles.iter().filter_map(case).collect())
}

/// Of bundles that run all of their steps: what they cost together is in the wallet.
fn hold(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let (contract, free) = (setting.contract, "billing.failures-are-free");
    let whole = |it: &&Bundle| matches!(it.mode, BundleMode::Sequence | BundleMode::Parallel);
    let case = |bundle: &Bundle| {
        let call = success(setting, bundle)?;
        let failing = of_source_down(setting, bundle, &call)?;
        let case = Case::of_bundle(bundle, &bundle.slug);
        let mut case = case.extension().on(Environment::Live);
        fresh(&mut case);
        let price: Paise = contract.bundle_steps(bundle).map(|step| step.price).sum();
        let balance = format!(r#"{{"balance": {price}}}"#);
        control(&mut case, "POST", "wallet", &balance);
        let failed = case.push(failing);
        let down = Rule::fails(contract.service.sentinel.error);
        case.expect(failed, free, down);
        case.expect(failed, free, Rule::Charged(false));
        case.push(call);
        Some(case.expecting("billing.hold", Rule::Ends(Ending::Completed)))
    };
    let bundles = contract.bundles.iter().filter(whole);
    Some(bundles.filter_map(case).collect())
}

fn failing(
    setting: &Setting<'_>,
    bundle: &Bundle,
    at: usize,
    operation: &Operation,
    environment: Environment,
) -> Option<Case> {
    let name = format!("{}, step {}: {} fails", bundle.slug, at + 1, operation.id);
    let mut case = Case::of_bundle(bundle, name).extension().on(environment);
    let step = case.push(call(setting, bundle, operation, 504)?);
    let fails = Rule::fails(ErrorCode::SourceTimeout);
    case.expect_each(
        step,
        [CLAUSE, "bundles.one-envelope", &bundle.clause],
        &fails,
    );
    case.expect(step, CLAUSE, Rule::Charged(false));
    Some(case)
}

fn without_record(
    setting: &Setting<'_>,
    bundle: &Bundle,
    at: usize,
    operation: &Operation,
) -> Option<Case> {
    let name = format!(
        "{}, step {}: {} finds nothing",
        bundle.slug,
        at + 1,
        operation.id
    );
    let mut case = Case::of_bundle(bundle, name).extension();
    let step = case.push(call(setting, bundle, operation, 422)?);
    let at = match bundle.mode {
        BundleMode::Choice { .. } => 0,
        _ => at,
    };
    let code = ErrorCode::NoRecordFound.as_str();
    case.expect(step, CLAUSE, Rule::Ends(Ending::Completed));
    let place = ["data", "steps", &at.to_string(), "error", "code"];
    case.expect(step, CLAUSE, Rule::is(place, code));
    Some(case)
}
