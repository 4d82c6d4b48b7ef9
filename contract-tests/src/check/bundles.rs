//! Bundles, step by step: what one of the steps comes to is what the bundle comes to.

use svc_fixtures::contract::{Bundle, BundleMode, Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use super::entry::{Cases, Check, Stage};
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};

pub(super) const CHECKS: &[Check] = &[Check {
    id: "bundles.each-step",
    title: "A bundle fails as each of its steps fails, for nothing, and is completed where one finds no record",
    clauses: &["ruling.29-bundle-outcome", "bundles.one-envelope"],
    stage: Stage::Live,
    cases: Cases::Once(each_step),
}];

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
            let (value, _) = options.iter().find(|(_, step)| *step == operation.id)?;
            let mut body = sample::body(contract, operation, Extent::Required);
            body.set(field.clone(), Json::from(value.clone()));
            body
        }
        BundleMode::Sequence | BundleMode::Parallel => sample::bundle_body(contract, bundle),
    };
    let text = sample::status_text(contract, operation, field, status);
    let mut body = body;
    body.set(
        field.name.clone(),
        sample::with_text(contract, field, &text),
    );
    Some(RequestTemplate::post_to(bundle.path(), body))
}

fn failing(
    setting: &Setting<'_>,
    bundle: &Bundle,
    at: usize,
    operation: &Operation,
    environment: Environment,
) -> Option<Case> {
    let name = format!("{}, step {}: {} fails", bundle.slug, at + 1, operation.id);
    let mut case = Case::new(name).extension().on(environment);
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
    let mut case = Case::new(name).extension();
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
