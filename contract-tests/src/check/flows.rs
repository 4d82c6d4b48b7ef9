//! Flows: calls in a fixed order that carry an identifier from one to the next.

use svc_fixtures::contract::{ErrorCode, Flow, FlowStep, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Check, Stage};
use crate::capture::Credential;
use crate::plan::{Case, Ending, Place, Predicate, RequestTemplate, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "flows.in-order",
        title: "The steps of a flow go through in their order, each in an envelope of its own",
        clauses: &["flows.own-envelope"],
        stage: Stage::Sandbox,
        run: in_order,
    },
    Check {
        id: "flows.carried-identifier",
        title: "A step with an identifier nobody was given is refused",
        clauses: &["ruling.11-carried-ids"],
        stage: Stage::Refused,
        run: unknown,
    },
    Check {
        id: "flows.out-of-order",
        title: "A step before the one it needs is refused, and the message names that one",
        clauses: &["ruling.11-carried-ids", "ruling.10-wrong-otp"],
        stage: Stage::Sandbox,
        run: out_of_order,
    },
    Check {
        id: "flows.accounts-are-apart",
        title: "An identifier given to one account is nothing to another",
        clauses: &["ruling.14-accounts-are-apart"],
        stage: Stage::Sandbox,
        run: apart,
    },
];

/// The later steps of every flow that carries anything, with the operation each calls.
fn later_steps<'c>(setting: &Setting<'c>) -> Vec<(&'c Flow, &'c FlowStep, &'c Operation)> {
    let mut found = Vec::new();
    for operation in setting.operations() {
        if let Some((flow, at)) = setting.contract.step_of(&operation.id)
            && flow.steps[at].takes.is_some()
        {
            found.push((flow, &flow.steps[at], operation));
        }
    }
    found
}

fn refusal(step: &FlowStep) -> Ending {
    match step.unknown_is_not_found {
        true => Ending::Error(ErrorCode::NotFound),
        false => Ending::Error(ErrorCode::InvalidInput),
    }
}

fn in_order(setting: &Setting<'_>) -> Vec<Case> {
    let case = |(flow, _, operation): (&Flow, &FlowStep, &Operation)| {
        let mut case = Case::about(operation, "");
        let last = lead::to_success(&mut case, setting, operation);
        case.expect(
            last,
            flow.clause.clone(),
            Rule::Ends(Ending::success(operation)),
        );
        for earlier in 0..last {
            case.expect(last, "flows.own-envelope", Rule::OtherId(earlier));
        }
        case
    };
    later_steps(setting).into_iter().map(case).collect()
}

fn unknown(setting: &Setting<'_>) -> Vec<Case> {
    let case = |(flow, step, operation): (&Flow, &FlowStep, &Operation)| {
        let field = operation
            .request
            .iter()
            .find(|field| Some(&field.name) == step.takes.as_ref())?;
        let mut case = Case::about(operation, "never issued");
        let text = "never-issued-to-anyone";
        case.push(RequestTemplate::post(
            operation,
            sample::body_with_text(setting.contract, operation, field, text),
        ));
        let case = case.expecting("ruling.11-carried-ids", Rule::Ends(refusal(step)));
        Some(match step.unknown_is_not_found {
            true => case,
            false => case.expecting(
                "ruling.11-carried-ids",
                Rule::Mentions(flow.steps[0].operation.clone()),
            ),
        })
    };
    later_steps(setting).into_iter().filter_map(case).collect()
}

fn out_of_order(setting: &Setting<'_>) -> Vec<Case> {
    let mut cases = Vec::new();
    for (flow, step, operation) in later_steps(setting) {
        let Some(needed) = step
            .after
            .as_ref()
            .and_then(|id| setting.contract.operation(id))
        else {
            continue;
        };
        let mut skipped = Case::about(operation, "the step before left out");
        let (mut carries, first) = lead::before(&mut skipped, setting, operation);
        skipped.steps.truncate(first.map_or(0, |first| first + 1));
        let body = sample::body(setting.contract, operation, Extent::All);
        let call = RequestTemplate {
            carries: carries.clone(),
            ..RequestTemplate::post(operation, body)
        };
        skipped.push(call.clone());
        let refused = Rule::Ends(Ending::Error(ErrorCode::InvalidInput));
        let named = Rule::Mentions(needed.id.clone());
        let clause = "ruling.11-carried-ids";
        cases.push(
            skipped
                .expecting(clause, refused.clone())
                .expecting(clause, named),
        );

        let Some(member) = flow
            .steps
            .iter()
            .find(|step| step.operation == needed.id)
            .and_then(|step| step.done_when.clone())
        else {
            continue;
        };
        for input in setting.inputs.iter().filter(|input| input.refutes) {
            let Some(field) = input.field(setting.contract, needed) else {
                continue;
            };
            let mut case = Case::about(operation, "the step before not done");
            let wrong = lead::to_text(&mut case, setting, needed, field, &input.value);
            let place = Place::of(["data", &member]);
            case.expect(wrong, input.clause.clone(), Rule::Ends(Ending::Completed));
            case.expect(
                wrong,
                input.clause.clone(),
                Rule::Value(place, Predicate::Is(Json::Bool(false))),
            );
            carries.clone_from(&call.carries);
            case.push(RequestTemplate {
                carries: carries.clone(),
                ..call.clone()
            });
            cases.push(case.expecting(clause, refused.clone()));
        }
    }
    cases
}

fn apart(setting: &Setting<'_>) -> Vec<Case> {
    let case = |(_, step, operation): (&Flow, &FlowStep, &Operation)| {
        let mut case = Case::about(operation, "").extension();
        let last = lead::to_success(&mut case, setting, operation);
        let other = Credential::Another("somebody-else".to_owned());
        case.change(last, |request| request.by(other));
        case.expecting("ruling.14-accounts-are-apart", Rule::Ends(refusal(step)))
    };
    later_steps(setting).into_iter().map(case).collect()
}
