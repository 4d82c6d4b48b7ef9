//! Flows: calls in a fixed order that carry an identifier from one to the next.

use svc_fixtures::contract::{Environment, ErrorCode, Field, Flow, FlowKey, FlowStep, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Cases, Check, Stage};
use crate::capture::Credential;
use crate::plan::inputs::Input;
use crate::plan::{
    Carry, Case, EarlierValue, Ending, Place, Predicate, RequestTemplate, Rule, Setting, lead,
};

const CARRIED: &str = "ruling.11-carried-ids";

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "flows.in-order",
        title: "The steps of a flow go through in their order, each in an envelope of its own",
        clauses: &["flows.own-envelope"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(in_order),
    },
    Check {
        id: "flows.another-begun",
        title: "A flow goes on where it stands though another one was begun",
        clauses: &["flows.own-envelope"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(another_begun),
    },
    Check {
        id: "flows.carried-identifier",
        title: "A step with an identifier nobody was given is refused",
        clauses: &[
            "ruling.11-carried-ids",
            "flows.bank-account-v1",
            "flows.dynamic-bank-validation",
            "flows.mobile-otp",
            "flows.mobile-otp-silent",
        ],
        stage: Stage::Refused,
        cases: Cases::PerOperation(unknown),
    },
    Check {
        id: "flows.out-of-order",
        title: "A step before the one it needs is refused, and the message names that one",
        clauses: &["ruling.11-carried-ids", "ruling.10-wrong-otp"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(out_of_order),
    },
    Check {
        id: "flows.environments-are-apart",
        title: "An identifier given on the sandbox is nothing to live",
        clauses: &["ruling.14-accounts-are-apart"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(elsewhere),
    },
    Check {
        id: "flows.accounts-are-apart",
        title: "An identifier given to one account is nothing to another",
        clauses: &["ruling.14-accounts-are-apart"],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(apart),
    },
];

/// The flow that an operation is a later step of, where it takes anything from the steps before, and
/// the step.
fn later_step<'c>(
    setting: &Setting<'c>,
    operation: &Operation,
) -> Option<(&'c Flow, &'c FlowStep)> {
    let (flow, at) = setting.contract.step_of(&operation.id)?;
    let step = &flow.steps[at];
    step.takes.is_some().then_some((flow, step))
}

/// How a call is refused whose carried identifier was never issued.
pub(super) fn refusal(step: &FlowStep) -> Rule {
    Rule::fails(match step.unknown_is_not_found {
        true => ErrorCode::NotFound,
        false => ErrorCode::InvalidInput,
    })
}

fn in_order(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (flow, _) = later_step(setting, operation)?;
    let mut case = Case::about(operation, "");
    let last = lead::to_success(&mut case, setting, operation);
    case.expect(last, &flow.clause, Rule::succeeds(operation));
    for earlier in 0..last {
        case.expect(last, "flows.own-envelope", Rule::OtherId(earlier));
    }
    // A reference of the caller's own is another thing than what the steps carry.
    let mut referenced = Case::about(operation, "with a reference");
    let last = lead::to_success(&mut referenced, setting, operation);
    for step in 0..=last {
        let mine = format!("{}-{step}", setting.seed);
        referenced.change(step, |request| request.header("x-reference-id", mine));
    }
    let referenced = referenced.expecting(&flow.clause, Rule::succeeds(operation));
    Some(vec![case, referenced])
}

/// How many others are begun while a flow waits for its next step.
const OTHERS: usize = 4;

/// The others are about somebody else, whom the service need not know.
fn another_begun(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (flow, _) = later_step(setting, operation)?;
    let mut case = Case::about(operation, "");
    let (carries, first) = lead::before(&mut case, setting, operation);
    let begins = setting.contract.operation(&flow.steps[0].operation)?;
    for _ in 0..OTHERS {
        let other = lead::to_status(&mut case, setting, begins, 200)?;
        case.expect(other, &flow.clause, Rule::Ends(Ending::Understood));
    }
    case.push(lead::sample_call(setting, operation).carrying(carries));
    let case = case.expecting("flows.own-envelope", Rule::OtherId(first?));
    let case = case.expecting(&flow.clause, Rule::succeeds(operation));
    let mut cases = vec![case];
    cases.extend(mixed_up(setting, operation));
    cases.extend(each_its_own(setting, operation));
    Some(cases)
}

/// Of two flows one has gone on: that goes on to its end, and the other one must not leave out a step. Somebody else's
/// was begun after it; of one number the later one goes on, since a service may send one OTP at a time.
fn each_its_own(setting: &Setting<'_>, operation: &Operation) -> Vec<Case> {
    let somebody_else = |case: &mut Case, begins: &Operation| {
        let (carries, first) = lead::before(case, setting, operation);
        let behind = case.steps.split_off(first? + 1);
        let other = lead::to_status(case, setting, begins, 200)?;
        case.steps.extend(behind);
        Some((carries, other))
    };
    let one_number = |case: &mut Case, begins: &Operation| {
        let other = case.push(lead::sample_call(setting, begins));
        let (carries, _) = lead::before(case, setting, operation);
        Some((carries, other))
    };
    type Begin<'b> = &'b dyn Fn(&mut Case, &Operation) -> Option<(Vec<Carry>, usize)>;
    let both: [(&str, Begin<'_>); 2] = [
        ("somebody else's was begun, too", &somebody_else),
        ("an earlier one of the number", &one_number),
    ];
    let case = |(name, begin): (&str, Begin<'_>)| {
        let (flow, step) = later_step(setting, operation)?;
        step.after.as_ref()?;
        let begins = setting.contract.operation(&flow.steps[0].operation)?;
        let mut case = Case::about(operation, name);
        let (carries, other) = begin(&mut case, begins)?;
        case.expect(other, &flow.clause, Rule::Ends(Ending::Understood));
        let from = other;
        let of_the_other = carries.iter().cloned();
        let of_the_other = of_the_other.map(|carry| Carry { from, ..carry }).collect();
        let call = lead::sample_call(setting, operation);
        let goes_on = case.push(call.clone().carrying(carries));
        case.expect(goes_on, &flow.clause, Rule::succeeds(operation));
        case.push(call.carrying(of_the_other));
        Some(case.expecting(&flow.clause, Rule::Ends(Ending::Rejected)))
    };
    both.into_iter().filter_map(case).collect()
}

/// The call of a later step with no amount that may be right by chance.
fn unlucky(setting: &Setting<'_>, operation: &Operation) -> RequestTemplate {
    let mut body = sample::body(setting.contract, operation, Extent::All);
    for field in &operation.request {
        if field.format(setting.contract) == Some("amount") {
            body.set(field.name.clone(), Json::from("98765.43"));
        }
    }
    RequestTemplate::post(operation, body)
}

/// A flow to its end, once with another begun meanwhile between twice alone: all end in the same.
fn mixed_up(setting: &Setting<'_>, operation: &Operation) -> Option<Case> {
    let (flow, step) = later_step(setting, operation)?;
    let last = flow.steps.last()?;
    if last.operation != step.operation {
        return None;
    }
    let begins = setting.contract.operation(&flow.steps[0].operation)?;
    let mut case = Case::about(operation, "whose it is");
    let mut steps = [0; 3];
    for (at, step) in steps.iter_mut().enumerate() {
        let (carries, _) = lead::before(&mut case, setting, operation);
        if at == 1 {
            let other = lead::to_status(&mut case, setting, begins, 200)?;
            case.expect(other, &flow.clause, Rule::Ends(Ending::Understood));
        }
        *step = case.push(unlucky(setting, operation).carrying(carries));
        case.expect(*step, &flow.clause, Rule::succeeds(operation));
    }
    let [before, meanwhile, after] = steps;
    let alike = Rule::Alike {
        given: [before, after],
        left_out: [meanwhile; 2],
    };
    Some(case.expecting(&flow.clause, alike))
}

fn unknown(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (flow, step) = later_step(setting, operation)?;
    let mut fields = operation.request.iter();
    let field = fields.find(|field| Some(&field.name) == step.takes.as_ref())?;
    let mut case = Case::about(operation, "never issued");
    let text = "never-issued-to-anyone";
    let body = sample::body_with_text(setting.contract, operation, field, text);
    let call = case.push(RequestTemplate::post(operation, body));
    case.expect(call, CARRIED, refusal(step));
    case.expect(call, &flow.clause, Rule::Ends(Ending::Rejected));
    if !step.unknown_is_not_found {
        let first = flow.steps[0].operation.clone();
        case.expect(call, CARRIED, Rule::Mentions(first));
    }
    let mut cases = vec![case];
    cases.extend(of_step_before(setting, operation));
    cases.extend(of_other_flows(setting, operation).unwrap_or_default());
    Some(cases)
}

/// What the first step issued is carried, and not what the step between is called.
fn of_step_before(setting: &Setting<'_>, operation: &Operation) -> Option<Case> {
    let (flow, step) = later_step(setting, operation)?;
    let mut case = Case::about(operation, "of the step before it");
    let (_, first) = lead::before(&mut case, setting, operation);
    let before = case.steps.len().checked_sub(1)?;
    if first? == before {
        return None;
    }
    let carry = Carry {
        field: step.takes.clone(),
        ..Carry::into_path(before, Place::of(["verificationId"]))
    };
    case.push(lead::sample_call(setting, operation).carrying(vec![carry]));
    Some(refused_as(case, flow, step))
}

/// What other flows issued leads nowhere here.
fn of_other_flows(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (flow, step) = later_step(setting, operation)?;
    let issued = |flow: &Flow| match flow.steps[0].issues.as_ref() {
        Some(FlowKey::Member(name)) if !flow.advisory => Some(name.clone()),
        _ => None,
    };
    issued(flow)?;
    let case = |other: &Flow| {
        let member = issued(other).filter(|_| other.name != flow.name)?;
        let begins = setting.contract.operation(&other.steps[0].operation)?;
        let mut case = Case::about(operation, &format!("of another flow, {}", other.name));
        let first = lead::to_success(&mut case, setting, begins);
        let carry = Carry {
            field: step.takes.clone(),
            ..Carry::into_path(first, Place::of(["data", &member]))
        };
        case.push(lead::sample_call(setting, operation).carrying(vec![carry]));
        Some(refused_as(case, flow, step))
    };
    Some(setting.contract.flows.iter().filter_map(case).collect())
}

/// The last call of a case is refused for what it carries.
fn refused_as(case: Case, flow: &Flow, step: &FlowStep) -> Case {
    let case = case.expecting(CARRIED, refusal(step));
    case.expecting(&flow.clause, Rule::Ends(Ending::Rejected))
}

fn out_of_order(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (flow, step) = later_step(setting, operation)?;
    let needed = setting.contract.operation(step.after.as_ref()?)?;
    let mut skipped = Case::about(operation, "the step before left out");
    let (carries, first) = lead::before(&mut skipped, setting, operation);
    skipped.steps.truncate(first.map_or(0, |first| first + 1));
    let call = lead::sample_call(setting, operation).carrying(carries);
    skipped.push(call.clone());
    let refused = Rule::fails(ErrorCode::InvalidInput);
    let named = Rule::Mentions(needed.id.clone());
    let skipped = skipped.expecting(CARRIED, refused.clone());
    let skipped = skipped.expecting(&flow.clause, Rule::Ends(Ending::Rejected));
    let skipped = skipped.expecting(CARRIED, named);
    let mut cases = vec![skipped.clone()];
    cases.extend(setting.live().then(|| skipped.on(Environment::Live)));

    let mut steps = flow.steps.iter();
    let before = steps.find(|step| step.operation == needed.id);
    let Some(member) = before.and_then(|step| step.done_when.as_ref()) else {
        return Some(cases);
    };
    let inputs = setting.inputs.iter();
    for input in inputs.filter(|it| it.refutes && it.environment == Environment::Test) {
        let Some(field) = input.field(setting.contract, needed) else {
            continue;
        };
        let mut case = Case::about(operation, "the step before not done");
        let wrong = lead::to_input(&mut case, setting, needed, field, input);
        case.expect(wrong, &input.clause, Rule::Ends(Ending::Completed));
        case.expect(wrong, &input.clause, Rule::is(["data", member], false));
        case.push(call.clone());
        let denied = EarlierValue {
            step: wrong,
            place: Place::of(["data", member]),
        };
        let denies = |rule| Rule::Where(denied.clone(), Json::Bool(false), Box::new(rule));
        let refused_where = denies(Rule::Ends(Ending::Rejected));
        let case = case.expecting(&flow.clause, refused_where);
        cases.push(case.expecting(CARRIED, refused.clone()));
        let mut again = Case::about(operation, "the step before done at the second try");
        let wrong = lead::to_input(&mut again, setting, needed, field, input);
        let mut right = lead::sample_call(setting, needed);
        right
            .carries
            .clone_from(&again.steps[wrong].request.carries);
        let right = again.push(right);
        let done = denies(Rule::is(["data", member], true));
        again.expect(right, &flow.clause, done);
        again.push(call.clone());
        let goes_on = denies(Rule::succeeds(operation));
        cases.push(again.expecting(&flow.clause, goes_on));
        cases.extend(wrong_on_live(setting, needed, field, input, &denied));
    }
    Some(cases)
}

/// What was sent to nobody is not right on live.
fn wrong_on_live(
    setting: &Setting<'_>,
    operation: &Operation,
    field: &Field,
    input: &Input,
    denied: &EarlierValue,
) -> Option<Case> {
    let mut known = setting.inputs.iter();
    let is_known = known.any(|it| it.environment == Environment::Live && it.value == input.value);
    if !setting.live() || is_known {
        return None;
    }
    let mut case = Case::about(operation, "a wrong one").on(Environment::Live);
    lead::to_input(&mut case, setting, operation, field, input);
    let not = Box::new(Rule::Value(
        denied.place.clone(),
        Predicate::Is(Json::Bool(false)),
    ));
    let right = Rule::Where(denied.clone(), Json::Bool(true), not);
    Some(case.expecting(&operation.clause, right))
}

fn elsewhere(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (flow, step) = later_step(setting, operation)?;
    let mut case = Case::about(operation, "").on(Environment::Live);
    let last = lead::to_success(&mut case, setting, operation);
    for earlier in 0..last {
        case.change(earlier, |request| request.to(Environment::Test));
    }
    case.expect(last, "ruling.14-accounts-are-apart", refusal(step));
    Some(vec![
        case.expecting(&flow.clause, Rule::Ends(Ending::Rejected)),
    ])
}

fn apart(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    let (_, step) = later_step(setting, operation)?;
    let mut case = Case::about(operation, "").extension();
    let last = lead::to_success(&mut case, setting, operation);
    let other = Credential::Another("somebody-else".to_owned());
    case.change(last, |request| request.by(other));
    Some(vec![
        case.expecting("ruling.14-accounts-are-apart", refusal(step)),
    ])
}
