//! Every value that the form of an answer lists, and both of true and false, is given by a documented
//! built-in input, or the operation's row says why not (ruling 39). Documented are the samples, the inputs
//! that scenarios name, the people who are declared and the `[[expect]]` blocks of the built-in files.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Contract, Environment, OperationIndex, Unreachable};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::rehearsal::{CallSpec, CallTarget, Rehearsal, check_expectations, named_input};
use svc_simulator::scenario::{AccountConfig, Caller, accounts, read_accounts};
use svc_simulator::scenario_format::{Expectation, read_expectations};

/// By operation and place, the values that were seen, as JSON.
type Seen = BTreeMap<(String, String), BTreeSet<String>>;

fn rules() -> Rules {
    Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files read")
}

fn all_accounts() -> Vec<AccountConfig> {
    read_accounts(&accounts()).expect("the built-in accounts read")
}

fn expectations(rules: &Rules) -> Vec<Expectation> {
    let found = read_expectations(&rules.contract, rules.cast(), rules.sources());
    found.unwrap_or_else(|problems| panic!("{problems}"))
}

/// Makes the call, takes its result when it comes, and notes what was answered.
fn play(
    rules: &Rules,
    config: &AccountConfig,
    operation: OperationIndex,
    given: &[(String, Json<'static>)],
    seen: &mut Seen,
) {
    let mut rehearsal = Rehearsal::new(rules, config.clone());
    let body = rehearsal.body(Environment::Test, operation, given);
    let caller = Caller::plain(&config.id, Environment::Test);
    let key = rehearsal.key(Environment::Test);
    let spec = CallSpec::by(&caller, &key, CallTarget::Operation(operation), &body);
    let observed = rehearsal.call(&spec);
    let result = match observed.is_pending() {
        true => rehearsal.result(&observed, None),
        false => None,
    };
    let observed = result.unwrap_or(observed);
    let row = &rules.contract.operations[operation];
    let Some(data) = observed.envelope.get("data") else {
        return;
    };
    for (path, value) in row.response.chosen(data) {
        let values = seen.entry((row.id.clone(), path)).or_default();
        values.insert(value.to_string());
    }
}

fn seen(rules: &Rules) -> Seen {
    let (accounts, mut seen) = (all_accounts(), Seen::new());
    let config = &accounts[0];
    for (index, row) in rules.contract.indexed_operations() {
        for extent in [Extent::Required, Extent::Shown] {
            let body = sample::body(&rules.contract, row, extent);
            let fields = body.as_object().expect("a body is an object").iter();
            let step = rules.contract.flows.iter().flat_map(|flow| &flow.steps);
            let mut step = step.filter(|step| step.operation == row.id);
            let takes = step.find_map(|step| step.takes.clone());
            let own = fields.filter(|(name, _)| Some(&**name) != takes.as_deref());
            let given = own.map(|(name, value)| (name.to_string(), value.clone()));
            play(rules, config, index, &given.collect::<Vec<_>>(), &mut seen);
        }
        let body = sample::body(&rules.contract, row, Extent::Required);
        for (scenario, rule) in rules.scenarios.iter() {
            if rule.operations.contains(&index)
                && let Some((set, _)) = named_input(rules, index, scenario, &body)
            {
                play(rules, config, index, &set, &mut seen);
            }
        }
    }
    for expectation in expectations(rules) {
        let call = &expectation.call;
        play(rules, config, expectation.operation, call, &mut seen);
    }
    seen
}

/// What is wrong: values that are neither seen nor excused, and excuses that are none.
fn wrong(contract: &Contract, seen: &Seen) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in &contract.operations {
        for choice in row.response.choices() {
            let place = (row.id.clone(), choice.path.clone());
            for value in &choice.values {
                let excused = |it: &Unreachable| it.path == choice.path && it.value == *value;
                let is_excused = row.unreachable.iter().any(excused);
                let values = seen.get(&place);
                let is_seen = values.is_some_and(|seen| seen.contains(&value.to_string()));
                let what = match (is_seen, is_excused) {
                    (false, false) => "is given by no documented input",
                    (true, true) => "is said to be unreachable and is given",
                    _ => continue,
                };
                wrong.push(format!("{} {} {value} {what}", row.id, choice.path));
            }
        }
    }
    wrong
}

#[test]
fn every_value_is_given_by_a_documented_input_or_the_row_says_why_not() {
    let rules = rules();
    let wrong = wrong(&rules.contract, &seen(&rules));
    assert!(
        wrong.is_empty(),
        "{} values\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_value_that_nothing_gives_and_an_excuse_that_is_none_are_found() {
    let mut contract = Contract::built_in();
    let row = contract
        .operations
        .iter_mut()
        .find(|row| !row.response.choices().is_empty());
    let row = row.expect("some answer chooses");
    let (id, choice) = (row.id.clone(), row.response.choices().remove(0));
    let excuse = |value: &Json<'static>| Unreachable {
        path: choice.path.clone(),
        value: value.clone(),
        why: "Nobody asks.".to_owned(),
    };
    row.unreachable = vec![excuse(&choice.values[0]), excuse(&choice.values[1])];
    contract.operations.retain(|row| row.id == id);
    let place = (id.clone(), choice.path.clone());
    let only = |value: &Json<'static>| BTreeSet::from([value.to_string()]);
    let seen = Seen::from([(place, only(&choice.values[0]))]);
    let found = wrong(&contract, &seen).into_iter();
    let found: Vec<String> = found.filter(|it| it.contains(&choice.path)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("is said to be unreachable"), "{found:?}");
    contract.operations[0].unreachable.clear();
    let found = wrong(&contract, &seen).into_iter();
    let found: Vec<String> = found.filter(|it| it.contains(&choice.path)).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("no documented input"), "{found:?}");
}

#[test]
fn what_the_built_in_files_expect_is_met() {
    let mut rules = rules();
    rules.addresses = svc_simulator::http::ListenerAddresses::DEFAULT
        .urls()
        .in_answers();
    let report = check_expectations(&rules, &all_accounts(), &expectations(&rules));
    assert!(report.met > 0);
    assert!(report.unmet.is_empty(), "{}", report.unmet);
}
