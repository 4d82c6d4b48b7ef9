//! Why a call gets what it gets, as far as its scenario goes: what an input is compared with is what
//! the engine itself made of the call.

use super::CallSpec;
use crate::engine::Plan;
use crate::engine::call::rules::Rules;
use crate::engine::state::rejection::Rejection;
use crate::scenario::{Choice, MatchInput, RequestContext};
use crate::scenario_analysis::{Explanation, explain, matched_values};

/// What looking into a call came to.
#[derive(Debug)]
pub struct Inspection {
    /// What was chosen, and what else there is.
    pub explanation: Explanation,
    /// What the call has where the rule that decides looks.
    pub met: Vec<String>,
}

/// Looks into a call of an account.
///
/// # Errors
/// Why no scenario is asked: the call is refused as it is.
pub fn inspect(rules: &Rules, account: &str, spec: &CallSpec<'_>) -> Result<Inspection, Rejection> {
    spec.prepared(rules, account, |prepared| {
        let run = match prepared.plan? {
            Plan::Operation(step) => step,
            // A bundle asks for each of its steps.
            Plan::Bundle(_) | Plan::LookUp(_) | Plan::Usage(_) => {
                return Err(Rejection::UnknownPath);
            }
        };
        let input = MatchInput {
            operation: run.operation,
            field: &|index| run.input.field(index),
            context: RequestContext {
                reference_id: spec.reference_id,
                idempotency_key: spec.idempotency_key,
                ..RequestContext::plain(account, spec.environment)
            },
        };
        let explanation = explain(&rules.contract, &rules.scenarios, &input);
        debug_assert_eq!(explanation.choice, run.choice);
        let row = &rules.contract.operations[run.operation];
        let met = match explanation.choice {
            Choice::Scenario(number) => matched_values(rules.scenarios.get(number), row, &input),
            Choice::Sentinel { .. } | Choice::NoMatch => Vec::new(),
        };
        Ok(Inspection { explanation, met })
    })
}
