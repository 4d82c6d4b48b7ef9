//! Why a call gets what it gets, as far as its scenario goes: what an input is compared with is what
//! the engine itself made of the call.

use super::CallSpec;
use crate::engine::Plan;
use crate::engine::call::rules::Rules;
use crate::engine::state::rejection::Rejection;
use crate::scenario::{MatchInput, RequestContext};
use crate::scenario_analysis::{Explanation, explain};

/// Looks into a call of an account.
///
/// # Errors
/// Why no scenario is asked: the call is refused as it is.
pub fn inspect(
    rules: &Rules,
    account: &str,
    spec: &CallSpec<'_>,
) -> Result<Explanation, Rejection> {
    let (path, body) = (spec.target.path(rules), spec.body.to_string());
    let request = spec.request(&path, &body);
    request.prepared(rules, account, super::BEGINS, |prepared| {
        let run = match prepared.plan? {
            Plan::Operation(step) => step,
            // A bundle asks for each of its steps.
            Plan::Bundle(_) | Plan::LookUp(_) | Plan::Usage(_) => {
                return Err(Rejection::UnknownPath { meant: None });
            }
        };
        let input = MatchInput {
            operation: run.operation,
            field: &|index| run.input.field(index),
            context: RequestContext {
                reference_id: spec.reference_id,
                idempotency_key: spec.idempotency_key,
                headers: Some(spec.headers),
                ..RequestContext::plain(account, spec.environment)
            },
        };
        let explanation = explain(&rules.contract, &rules.scenarios, &input);
        debug_assert_eq!(explanation.choice, *run.choice());
        Ok(explanation)
    })
}
