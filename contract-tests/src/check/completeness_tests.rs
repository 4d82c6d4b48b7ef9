//! Every clause of the contract is proven by a check, or says why none can prove it.

use std::collections::BTreeSet;

use svc_fixtures::contract::Contract;

use super::all;
use crate::plan::{Setting, inputs};
use crate::verdict::EVERY_ANSWER;

fn proven(contract: &Contract) -> BTreeSet<String> {
    let setting = Setting::new(contract, inputs::built_in(), "seed").everything();
    let every_answer = EVERY_ANSWER.iter().map(|clause| (*clause).to_owned());
    let by_checks = all().into_iter().flat_map(|check| check.proves(&setting));
    by_checks.chain(every_answer).collect()
}

#[test]
fn every_clause_is_proven_or_says_why_it_is_not() {
    let contract = Contract::built_in();
    let proven = proven(&contract);
    let open = contract
        .clauses
        .iter()
        .filter(|clause| !proven.contains(&clause.id) && clause.excluded.is_none());
    let open: Vec<_> = open.map(|clause| &clause.id).collect();
    assert!(open.is_empty(), "nothing proves {open:?}");
}

#[test]
fn nothing_that_is_proven_is_excluded() {
    let contract = Contract::built_in();
    let proven = proven(&contract);
    let excluded = contract
        .clauses
        .iter()
        .filter(|clause| clause.excluded.is_some());
    let odd: Vec<_> = excluded
        .map(|clause| clause.id.as_str())
        .filter(|id| proven.contains(*id))
        .collect();
    assert!(odd.is_empty(), "checks prove {odd:?}");
}
