//! Strategies for requests that are almost valid: rules of one field broken, or of two.

use proptest::prelude::*;
use svc_fixtures::contract::{Blame, ErrorCode, Operation};
use svc_fixtures::sample::Violation;
use svc_fixtures::sample::any::Inputs;

use super::definition::Script;
use super::oracle;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};

/// One call that breaks a rule of one field, or of two.
pub(super) fn call(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Script> {
    let inputs = Inputs::new(setting.contract);
    let body = inputs.body(&operation.request);
    let places: Vec<usize> = (0..operation.request.len()).collect();
    let most = places.len().min(2);
    let places = proptest::sample::subsequence(places, 1..=most);
    let fields = operation.request.iter();
    let violations: Vec<_> = fields.map(|field| inputs.violation(field)).collect();
    let violations = places.prop_flat_map(move |places| {
        let of_place = |place: usize| violations[place].clone();
        places.into_iter().map(of_place).collect::<Vec<_>>()
    });
    let environment = proptest::sample::select(setting.environments.clone());
    let own = operation.clone();
    (body, violations, environment)
        .prop_map(move |(mut body, broken, environment)| {
            for violation in &broken {
                violation.put_in(&mut body);
            }
            let names: Vec<_> = broken.iter().map(Violation::name).collect();
            let mut case = Case::about(&own, &names.join(" and ")).on(environment);
            case.push(RequestTemplate::post(&own, body));
            Script::new(refused(case, &broken))
        })
        .boxed()
}

/// With the refusal these broken rules must have.
fn refused(case: Case, broken: &[Violation]) -> Case {
    let blame = |violation: &Violation| (violation.blame, violation.field.clone());
    let blames: Vec<_> = broken.iter().map(blame).collect();
    let Some(refusal) = oracle::refused_for(&blames) else {
        return case;
    };
    let both = blames.iter().any(|(blame, _)| *blame == Blame::Identifier);
    let clause = match refusal.code {
        ErrorCode::InvalidIdentifier => "errors.invalid-identifier",
        _ if both => "ruling.07-input-first",
        _ => "errors.invalid-input",
    };
    let case = case.expecting(clause, Rule::Ends(Ending::Error(refusal.code)));
    match refusal.names {
        Some(field) => case.expecting("ruling.06-message", Rule::Mentions(field)),
        None => case,
    }
}
