//! The registry of checks: a plain slice, one file a family. A check says which cases it runs, made
//! from the contract's rows; it sends nothing and judges nothing.

mod accepted;
mod accounts;
mod authentication;
mod billing;
mod body;
mod bundle_bodies;
mod bundles;
mod clocks;
mod consent;
mod control;
mod entry;
mod envelope;
mod errors;
mod examples;
mod flows;
mod idempotency;
mod identifiers;
mod lookup;
mod near_bodies;
mod order;
mod other_keys;
mod pairs;
mod pending;
mod registered;
mod scopes;
mod together;
mod usage;
mod validation;
mod wallet;
mod webhooks;

#[cfg(test)]
mod completeness_tests;

use svc_fixtures::contract::Contract;
use svc_fixtures::reading::Problems;

pub use entry::{Cases, Check, Stage, asked_in};

/// Whether the examples read by these rows.
///
/// # Errors
/// Every mistake of every file of examples.
pub(crate) fn examples_read(contract: &Contract) -> Result<(), Problems> {
    examples::read(contract).map(drop)
}

/// Every check, family by family.
#[must_use]
pub fn all() -> Vec<Check> {
    let families = [
        authentication::CHECKS,
        other_keys::CHECKS,
        order::CHECKS,
        wallet::FIRST,
        body::CHECKS,
        validation::CHECKS,
        accepted::CHECKS,
        envelope::CHECKS,
        identifiers::CHECKS,
        errors::CHECKS,
        idempotency::CHECKS,
        near_bodies::CHECKS,
        scopes::CHECKS,
        flows::CHECKS,
        pending::CHECKS,
        lookup::CHECKS,
        billing::CHECKS,
        wallet::CHECKS,
        together::CHECKS,
        usage::CHECKS,
        bundles::CHECKS,
        webhooks::CHECKS,
        registered::CHECKS,
        consent::CHECKS,
        clocks::CHECKS,
        accounts::CHECKS,
        examples::CHECKS,
    ];
    let mut all = families.concat();
    all.extend(pairs::checks());
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::plan::{Setting, inputs};
    use crate::verdict::EVERY_ANSWER;
    use svc_fixtures::contract::{Contract, Environment};

    fn setting(contract: &Contract) -> Setting<'_> {
        Setting::new(contract, inputs::built_in(), "seed").anywhere()
    }

    #[test]
    fn every_clause_a_check_asks_is_a_clause_of_the_contract() {
        let contract = Contract::built_in();
        let known: BTreeSet<&str> = contract
            .clauses
            .iter()
            .map(|clause| clause.id.as_str())
            .collect();
        for check in all() {
            for clause in check.asks(&setting(&contract)) {
                assert!(
                    known.contains(clause.as_str()),
                    "{} asks {clause}, which is no clause",
                    check.id
                );
            }
        }
        let strangers: Vec<_> = EVERY_ANSWER
            .iter()
            .filter(|clause| !known.contains(**clause))
            .collect();
        assert!(strangers.is_empty(), "{strangers:?}");
    }

    #[test]
    fn what_a_check_says_it_asks_is_in_its_cases() {
        let contract = Contract::built_in();
        for check in all() {
            let steps = check
                .cases(&setting(&contract))
                .into_iter()
                .flat_map(|case| case.steps);
            let expected: BTreeSet<String> = steps
                .flat_map(|step| step.expect)
                .map(|expectation| expectation.clause)
                .collect();
            for clause in check.clauses {
                let shown = expected.contains(*clause) || EVERY_ANSWER.contains(clause);
                assert!(shown, "{} says it asks {clause}", check.id);
            }
        }
    }

    #[test]
    fn ids_and_the_names_of_cases_are_unique() {
        let contract = Contract::built_in();
        let mut ids = BTreeSet::new();
        for check in all() {
            assert!(ids.insert(check.id), "{} is there twice", check.id);
            let mut names = BTreeSet::new();
            for case in check.cases(&setting(&contract)) {
                assert!(
                    names.insert(case.name.clone()),
                    "{}: {} is there twice",
                    check.id,
                    case.name
                );
            }
        }
    }

    #[test]
    fn nothing_that_only_a_ruling_says_is_asked_of_a_real_host() {
        let contract = Contract::built_in();
        let real = Setting::new(&contract, inputs::built_in(), "seed");
        for check in all() {
            for case in check.cases(&real) {
                assert!(
                    !case.extension && case.environment == Environment::Test,
                    "{}: {}",
                    check.id,
                    case.name
                );
                let asked = case.steps.iter().flat_map(|step| &step.expect);
                assert!(
                    asked
                        .into_iter()
                        .all(|asked| real.covers(&asked.clause) || asked.rule.is_only_noted()),
                    "{}",
                    case.name
                );
            }
        }
    }
}
