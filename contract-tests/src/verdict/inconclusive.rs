//! Whether a call that a case needs a result of may have none: another service's people are its own.
//!
//! The specification fixes the outcome of a few inputs on the sandbox, and of none on live. For every
//! other a service that follows the specification alone may know no record, or answer pending where the
//! operation can be. Then what the case expects of the result is not judged; that the answer is right
//! in itself is.

use svc_fixtures::contract::{Clause, ClauseKind, Environment, ErrorCode, Field, Operation};
use svc_fixtures::json::Json;

use super::answer::Answer;
use crate::capture::Channel;
use crate::plan::inputs::InputTarget;
use crate::plan::{
    CarriedPart, Carry, Ending, RequestTemplate, Rule, Setting, Step, VERIFICATIONS,
};

const NO_RECORD: &str = "the service knows no record of this input, and the specification does not say that there is one";
const PENDING: &str = "the result is not there yet, and the specification does not say that it is";

const OTP: &str = "which OTP is right on live only who is sent it knows";

const WALLET: &str = "the wallet of this account does not cover the call, and what is in it is not the service's doing";

const USED: &str =
    "what it carries was used before, and the specification does not say that it may be used again";

const NO_LOOK_UP: &str =
    "this service has no look-up there, and where it is the specification does not say";

const NO_BUNDLE: &str = "this service has no such bundle there, and where it is and what it takes the specification does not say";

const ONE_KEY: &str = "this service refuses the key of another path's call, and whether it may the specification does not say";

const NO_SUB_PATH: &str = "this service has nothing there, and the specification does not show what stands in the place of the last part of the path";

const CARRIED: &str = "what it carries is of a call without a result";

/// Why nothing is judged that a case expects of an answer to the last of its steps so far; none where it is judged.
/// `skipped` are the steps before it of which that was so.
pub(super) fn why(
    setting: &Setting<'_>,
    environment: Environment,
    steps: &[Step],
    answer: &Answer<'_>,
    skipped: &[usize],
) -> Option<&'static str> {
    let (step, before) = steps.split_last()?;
    let wanted = |ending: Ending| {
        let mut rules = step.expect.iter().map(|expected| &expected.rule);
        rules.any(|rule| *rule == Rule::Ends(ending))
    };
    if setting.by_rulings() || answer.looked_up() {
        return None;
    }
    if is_without_look_up(step, before, skipped) {
        return Some(NO_LOOK_UP);
    }
    if is_without_bundle(setting, step, before, skipped, answer) {
        return Some(match answer.code() {
            Some(ErrorCode::IdempotencyConflict) => ONE_KEY,
            _ => NO_BUNDLE,
        });
    }
    let mut carries = step.request.carries.iter();
    if carries.any(|carry| skipped.contains(&carry.from)) {
        return Some(CARRIED);
    }
    if answer.failed() && before.iter().any(|it| used(it, step)) {
        return Some(USED);
    }
    let refuses = wanted(Ending::Error(ErrorCode::InsufficientBalance));
    // The sandbox needs no money.
    let refuses = refuses || environment == Environment::Test;
    if answer.failed() && answer.code() == Some(ErrorCode::InsufficientBalance) && !refuses {
        return Some(WALLET);
    }
    let operation = answer.operation(setting)?;
    if operation.path.ends_with('*') && answer.code() == Some(ErrorCode::NotFound) {
        return Some(NO_SUB_PATH);
    }
    let mut rules = step.expect.iter().map(|expected| &expected.rule);
    let charged = rules.any(|rule| matches!(rule, Rule::Charged(true) | Rule::Price(_)));
    let completed = wanted(Ending::Completed) || charged;
    let mut rules = step.expect.iter().map(|expected| &expected.rule);
    let compared = rules.any(|rule| matches!(rule, Rule::BalanceFell(_) | Rule::SameResult(_)));
    let on_live = environment == Environment::Live;
    if answer.failed() && (completed || compared) && on_live && by_otp(setting, operation) {
        return Some(OTP);
    }
    let pending = answer.text(&["status"]) == "pending";
    if pending && completed && operation.pending.is_some() {
        return Some(PENDING);
    }
    let result = wanted(Ending::Completed) || wanted(Ending::Pending) || wanted(Ending::Accepted);
    let none = answer.failed() && answer.code() == Some(ErrorCode::NoRecordFound);
    // What a person must agree to first has no record to be missing.
    let asks = operation.pending.as_ref().is_some_and(|row| row.always);
    // What was answered before is known.
    let part = |carry: &Carry| carry.part == CarriedPart::Beginning;
    let none = none && !asks && !step.request.carries.iter().any(part);
    let none = none && !is_of_an_answer(setting, operation);
    let fixed = || {
        by_clause(setting, environment, step) || by_input(setting, environment, operation, answer)
    };
    (none && result && !fixed()).then_some(NO_RECORD)
}

/// Whether an operation is asked about what an earlier one answered: that is known.
fn is_of_an_answer(setting: &Setting<'_>, operation: &Operation) -> bool {
    let Some((flow, at)) = setting.contract.step_of(&operation.id) else {
        return false;
    };
    let first = setting.contract.operation(&flow.steps[0].operation);
    let answers = |name: &String| first.is_some_and(|first| first.response.member(name).is_some());
    at > 0 && flow.steps[0].remembers.iter().any(answers)
}

/// Whether a look-up says nothing: where the first one of a case did not find what was there, it is asked for elsewhere.
fn is_without_look_up(step: &Step, before: &[Step], skipped: &[usize]) -> bool {
    let looks_up = |it: &Step| {
        it.request.channel == Channel::Api && it.request.path.starts_with(VERIFICATIONS)
    };
    let first = before.iter().position(looks_up);
    looks_up(step) && first.is_none_or(|first| skipped.contains(&first))
}

/// The same of bundles: where they are, and what they take.
fn is_without_bundle(
    setting: &Setting<'_>,
    step: &Step,
    before: &[Step],
    skipped: &[usize],
    answer: &Answer<'_>,
) -> bool {
    // Whose call a file of inputs says is asked in earnest.
    let given = |slug: &str| {
        let mut inputs = setting.inputs.iter();
        inputs.any(|it| matches!(&it.target, InputTarget::Bundle { slug: own, .. } if own == slug))
    };
    let contract = setting.contract;
    let is_bundle = |it: &Step| {
        let bundle = contract.bundle_at(&it.request.path);
        bundle.is_some_and(|at| !given(&contract.bundles[at].slug))
    };
    let first = before.iter().position(is_bundle);
    let has_none = answer.failed() || answer.text(&["status"]) == "pending";
    is_bundle(step) && first.map_or(has_none, |first| skipped.contains(&first))
}

/// Whether a step carries to its operation what an earlier one carried there, and is no retry of it: a wrong OTP or
/// amount may use up what it came with.
fn used(earlier: &Step, step: &Step) -> bool {
    let [one, other] = [&earlier.request, &step.request];
    let key = |it: &RequestTemplate| {
        let mut headers = it.headers.iter();
        headers.find_map(|(name, value)| (name == "idempotency-key").then(|| value.clone()))
    };
    let is_retry = key(one).is_some() && key(one) == key(other);
    // Nothing is used up by looking at it.
    if other.method == "GET" {
        return false;
    }
    let mut carries = other.carries.iter();
    one.path == other.path && carries.any(|carry| one.carries.contains(carry)) && !is_retry
}

/// Whether an operation is a later step of a flow in which somebody must say an OTP.
fn by_otp(setting: &Setting<'_>, operation: &Operation) -> bool {
    let Some((flow, at)) = setting.contract.step_of(&operation.id) else {
        return false;
    };
    let mut steps = flow
        .steps
        .iter()
        .filter_map(|step| setting.contract.operation(&step.operation));
    let is_otp = |field: &Field| field.format(setting.contract) == Some("otp");
    at > 0 && steps.any(|step| step.request.iter().any(is_otp))
}

/// Whether a step's ending is that of an input which the specification fixes for the sandbox: its clause says so, and
/// is about inputs.
fn by_clause(setting: &Setting<'_>, environment: Environment, step: &Step) -> bool {
    let mut endings = step.expect.iter();
    environment == Environment::Test
        && endings.any(|expected| {
            let mut clauses = setting.contract.clauses.iter();
            let fixes = |clause: &Clause| {
                clause.id == expected.clause && clause.kind == ClauseKind::SandboxOnly
            };
            let mut inputs = setting.inputs.iter();
            let about_inputs = inputs.any(|input| input.clause == expected.clause);
            matches!(expected.rule, Rule::Ends(_)) && about_inputs && clauses.any(fixes)
        })
}

/// Whether an input of `inputs.toml`, or of a file that was given, says that there is a result for what was sent.
fn by_input(
    setting: &Setting<'_>,
    environment: Environment,
    operation: &Operation,
    answer: &Answer<'_>,
) -> bool {
    let body = Json::parse(&answer.request.body).unwrap_or(Json::Null);
    let sent = |name: &str| body.get(name).and_then(Json::as_text);
    let completes = |ending| ending == Some(Ending::success(operation));
    let inputs = setting.inputs.iter();
    let mut here = inputs.filter(|input| input.environment == environment);
    here.any(|input| {
        let field = input.field(setting.contract, operation);
        let given = field.is_some_and(|field| sent(&field.name) == Some(input.value.as_str()));
        // It says so of what stands beside it, and of nothing else.
        let mut beside = input.with.iter();
        let beside = beside.all(|(name, value)| body.get(name) == Some(value));
        given && beside && completes(input.ending(operation))
    })
}
