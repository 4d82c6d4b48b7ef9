//! Every clause of the contract is asked by a check, or says why none can ask it.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Contract, Environment};

use super::all;
use crate::plan::inputs::Input;
use crate::plan::{Setting, inputs};
use crate::profile::Profile;
use crate::verdict::EVERY_ANSWER;

fn asked(contract: &Contract) -> BTreeSet<String> {
    let setting = Setting::new(contract, inputs::built_in(), "seed").anywhere();
    let every_answer = EVERY_ANSWER.iter().map(|clause| (*clause).to_owned());
    let by_checks = all().into_iter().flat_map(|check| check.asks(&setting));
    by_checks.chain(every_answer).collect()
}

#[test]
fn every_clause_is_asked_or_says_why_it_is_not() {
    let contract = Contract::built_in();
    let asked = asked(&contract);
    let open = contract
        .clauses
        .iter()
        .filter(|clause| !asked.contains(&clause.id) && clause.excluded.is_none());
    let open: Vec<_> = open.map(|clause| &clause.id).collect();
    assert!(open.is_empty(), "nothing asks {open:?}");
}

#[test]
fn nothing_that_is_asked_is_excluded() {
    let contract = Contract::built_in();
    let asked = asked(&contract);
    let excluded = contract
        .clauses
        .iter()
        .filter(|clause| clause.excluded.is_some());
    let odd: Vec<_> = excluded
        .map(|clause| clause.id.as_str())
        .filter(|id| asked.contains(*id))
        .collect();
    assert!(odd.is_empty(), "checks ask {odd:?}");
}

#[test]
fn an_input_that_is_known_of_both_environments_makes_no_case_twice() {
    let contract = Contract::built_in();
    let mut known = inputs::built_in();
    let twins = known.clone().into_iter();
    known.extend(twins.map(|input| Input {
        environment: Environment::Live,
        ..input
    }));
    let mut setting = Setting::new(&contract, known, "seed").anywhere();
    setting.profile = Profile::Provider;
    for check in all() {
        let mut names = BTreeSet::new();
        let cases = check.cases(&setting);
        let mut twice = cases.iter().filter(|case| !names.insert(&case.name));
        assert_eq!(twice.next().map(|case| &case.name), None, "{}", check.id);
    }
}
