//! Bundles: which steps one runs, and what each is given. A bundle is a plan of several steps; all that
//! comes after the plan is done as for a single operation.

use std::borrow::Cow;

use svc_fixtures::contract::{
    Bundle, BundleIndex, BundleMode, Contract, Field, Operation, OperationIndex, Paise,
    check_request,
};
use svc_fixtures::json::Json;

use super::input::check_lists;
use super::rules::Rules;
use super::step_plan::{StepPlan, plan_step};
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::flow::carried_field;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::verification::{Resolved, Step, WaitingStep, WaitingSteps};
use crate::scenario::RequestContext;

/// A bundle that is to be run.
#[derive(Debug)]
pub struct BundlePlan<'a> {
    /// Which.
    pub bundle: BundleIndex,
    /// The whole body.
    pub body: Json<'a>,
    /// The steps it runs, by their place in the bundle.
    pub steps: Vec<usize>,
    /// The step that goes on with an earlier call, in the second call of a bundle in two calls.
    pub second: Option<StepPlan<'a>>,
    /// Who calls, and how: each step is asked for so.
    pub around: RequestContext<'a>,
}

/// What comes of a step of a bundle, when it is its turn.
#[derive(Debug)]
pub enum NextStep<'r> {
    /// It runs.
    Runs(Box<StepPlan<'r>>),
    /// It takes its input from one that is still pending, or that waits itself (ruling 29).
    Waits,
    /// It lacks what it takes from an earlier one.
    LeftOut,
}

/// Checks the body of a bundle: the fields of every step that are not taken from an earlier one.
///
/// # Errors
/// The first mistake of the first step that has one, as a call of that step would get it.
pub fn plan_bundle<'a>(
    rules: &'a Rules,
    around: RequestContext<'a>,
    bundle: BundleIndex,
    body: Json<'a>,
) -> Result<BundlePlan<'a>, Rejection> {
    let row = &rules.contract.bundles[bundle];
    let second = second_call(rules, around, row, &body)?;
    let steps = match (&row.mode, &second) {
        (BundleMode::Choice { field, options }, _) => vec![chosen(row, field, options, &body)?],
        (BundleMode::TwoCalls, Some(_)) => vec![1],
        (BundleMode::TwoCalls, None) => vec![0],
        (BundleMode::Sequence | BundleMode::Parallel, _) => (0..row.steps.len()).collect(),
    };
    for &step in &steps {
        let operation = rules.contract.operation(&row.steps[step]);
        let operation = operation.expect("the reader knows every step");
        check_own(rules, row, operation, &body)?;
    }
    Ok(BundlePlan {
        bundle,
        body,
        steps,
        second,
        around,
    })
}

/// The second step of a bundle in two calls, where the body carries what the first one issued.
fn second_call<'a>(
    rules: &'a Rules,
    around: RequestContext<'a>,
    row: &Bundle,
    body: &Json<'a>,
) -> Result<Option<StepPlan<'a>>, Rejection> {
    if row.mode != BundleMode::TwoCalls {
        return Ok(None);
    }
    let operation = rules.contract.operation_index(&row.steps[1]);
    let operation = operation.expect("the reader knows every step");
    let carried = rules.steps[operation.0]
        .and_then(|step| carried_field(&rules.contract, step))
        .filter(|field| body.get(field).is_some());
    if carried.is_none() {
        return Ok(None);
    }
    let members = rules.contract.operations[operation].given_by_bundle(body);
    plan_step(rules, around, operation, Json::Object(members), None).map(Some)
}

/// Checks what a step takes from the body; what an earlier step may give it need not be there.
fn check_own(
    rules: &Rules,
    row: &Bundle,
    operation: &Operation,
    body: &Json<'_>,
) -> Result<(), Rejection> {
    let given = operation.given_by_bundle(body);
    let own = |field: &&Field| {
        let mut carries = row.carries.iter();
        let sent = given.iter().any(|(name, _)| *name == field.name);
        sent || !carries.any(|carry| carry.step == operation.id && carry.field == field.name)
    };
    let own: Vec<Field> = operation.request.iter().filter(own).cloned().collect();
    let index = rules.contract.operation_index(&operation.id);
    let exempt = index.map_or(&[][..], |index| rules.scenarios.exempt(index));
    check_lists(&own, &given)?;
    check_request(&own, &rules.contract.formats, &given, exempt).map_err(|mistake| {
        Rejection::Invalid {
            blame: mistake.blame,
            message: mistake.message,
        }
    })
}

/// The step that a field of the request chooses.
fn chosen(
    row: &Bundle,
    field: &str,
    options: &[(String, String)],
    body: &Json<'_>,
) -> Result<usize, Rejection> {
    let values: Vec<&str> = options.iter().map(|(value, _)| value.as_str()).collect();
    let wrong = || Rejection::input(format!("`{field}` must be one of {}", values.join(", ")));
    let value = body.get(field).and_then(Json::as_text).ok_or_else(wrong)?;
    let chosen = options.iter().find(|(known, _)| known == value);
    let (_, operation) = chosen.ok_or_else(wrong)?;
    let step = row.steps.iter().position(|step| step == operation);
    Ok(step.expect("the reader knows every choice"))
}

impl<'a> BundlePlan<'a> {
    /// The second step, where it goes on with an earlier call.
    #[must_use]
    pub fn going_on(&self, state: &EnvironmentState) -> Option<&StepPlan<'a>> {
        let second = self.second.as_ref()?;
        (!second.is_fixed(state)).then_some(second)
    }

    /// What is put aside for it: the sum of all steps it will run. A second call that goes on with
    /// an earlier one was paid for by that.
    #[must_use]
    pub fn price(&self, contract: &Contract, state: &EnvironmentState) -> Paise {
        let row = &contract.bundles[self.bundle];
        let price = |id: &String| contract.operation(id).map_or(Paise::ZERO, |row| row.price);
        match (&row.mode, &self.second) {
            (BundleMode::TwoCalls, _) if self.going_on(state).is_some() => Paise::ZERO,
            (BundleMode::TwoCalls, None) => row.steps.iter().map(price).sum(),
            _ => self.steps.iter().map(|&step| price(&row.steps[step])).sum(),
        }
    }

    /// What is kept of it while steps wait.
    #[must_use]
    pub fn waiting(&self, steps: Vec<WaitingStep>) -> Option<Box<WaitingSteps>> {
        let content_type = self.around.content_type.map(Box::from);
        (!steps.is_empty()).then(|| {
            Box::new(WaitingSteps {
                steps,
                body: self.body.to_string().into(),
                content_type,
            })
        })
    }

    /// A step's own plan: what the body gives it, and what earlier steps do, of which these wait.
    #[must_use]
    pub fn step<'r>(
        &'r self,
        rules: &'r Rules,
        operation: OperationIndex,
        earlier: &[Step],
        waiting: &[WaitingStep],
    ) -> NextStep<'r> {
        let bundle = &rules.contract.bundles[self.bundle];
        let row = &rules.contract.operations[operation];
        let mut members = row.given_by_bundle(&self.body);
        let carries = bundle.carries.iter();
        for carry in carries.filter(|carry| carry.step == row.id) {
            if members.iter().any(|(name, _)| *name == carry.field) {
                continue;
            }
            if waiting
                .iter()
                .any(|step| bundle.steps[step.place] == carry.from)
            {
                return NextStep::Waits;
            }
            let from = earlier.iter().find(|step| *step.endpoint == *carry.from);
            let data = match from.map(|step| &step.outcome) {
                Some(Resolved::Completed { data, .. }) => data,
                Some(Resolved::Pending { .. }) => return NextStep::Waits,
                Some(Resolved::Failed { .. }) | None => return NextStep::LeftOut,
            };
            let answer = Json::parse(data).ok();
            let value = answer.as_ref().and_then(|answer| carry.taken(answer));
            let Some(value) = value else {
                return NextStep::LeftOut;
            };
            members.push((Cow::Owned(carry.field.clone()), value.clone().into_owned()));
        }
        let plan = plan_step(rules, self.around, operation, Json::Object(members), None);
        plan.map_or(NextStep::LeftOut, |plan| NextStep::Runs(Box::new(plan)))
    }
}
