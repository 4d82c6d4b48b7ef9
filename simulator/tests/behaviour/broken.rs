//! Requests that are almost valid: each rule of each field broken, alone and in pairs.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use svc_fixtures::contract::{Blame, Contract, Field, Kind, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::sample::any::runner;
use svc_fixtures::sample::{self, Violation};
use svc_simulator::engine::call::request::Environment;

use crate::samples::Catalogue;

/// Every rule of a field broken, and each once more one step away from the value it had.
pub(crate) fn broken(
    contract: &Contract,
    field: &Field,
    body: &Json<'static>,
    seed: usize,
) -> Vec<Violation> {
    let had = body.get(&field.name).cloned();
    let had = had.unwrap_or_else(|| sample::value(contract, field));
    let mut all = sample::violations(contract, field);
    all.extend(sample::near_violations(contract, field, &had, seed));
    all
}

/// Every text and number of a value that is long enough not to stand in a message by chance.
fn leaves(value: &Json<'_>, found: &mut Vec<String>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| leaves(item, found)),
        Json::Object(members) => members.iter().for_each(|(_, value)| leaves(value, found)),
        Json::Text(text) => found.push(text.to_string()),
        Json::Int(_) | Json::Num(_) => found.push(value.to_string()),
        Json::Null | Json::Bool(_) => {}
    }
}

/// The values a message may list.
fn listed(kind: &Kind) -> &[String] {
    match kind {
        Kind::Text { one_of, .. } => one_of,
        Kind::List { items, .. } => listed(items),
        _ => &[],
    }
}

/// Sends a body with these rules broken, in the order of their fields, and judges the refusal.
fn refused(
    catalogue: &Catalogue,
    operation: &Operation,
    mut body: Json<'static>,
    broken: &[Violation],
) -> Result<(), TestCaseError> {
    let mut sent = Vec::new();
    for violation in broken {
        leaves(violation.value.as_ref().unwrap_or(&Json::Null), &mut sent);
        violation.put_in(&mut body);
    }
    let first = broken.iter().find(|it| it.blame == Blame::Input);
    let first = first.unwrap_or(&broken[0]);
    let code = match first.blame {
        Blame::Input => "400 SVC_INVALID_INPUT",
        Blame::Identifier => "400 SVC_INVALID_IDENTIFIER",
    };
    let answer = catalogue.send(operation, &body, Environment::Test);
    let message = answer.at("error.message");
    prop_assert_eq!(answer.outcome(), code, "{}: {}", message, body);
    let name = format!("`{}", first.field);
    let named = message.strip_prefix(&name);
    let named = named.is_some_and(|rest| rest.starts_with(['`', '.', '[']));
    prop_assert!(named, "{} does not name {}: {}", message, name, body);
    let index = operation.field(&first.field).expect("a field");
    let kind = &operation.request[index].kind;
    let format = catalogue.contract().format_of(kind);
    // What the rows say themselves a message may say: the listed values, with what they begin with, and the format's words.
    let is_public = |value: &String| {
        let words = format.is_some_and(|format| format.about.contains(value.as_str()));
        words || listed(kind).iter().any(|it| it.starts_with(value.as_str()))
    };
    let is_private = |value: &&String| value.chars().count() > 3 && !is_public(value);
    for value in sent.iter().filter(is_private) {
        prop_assert!(!message.contains(value), "{} repeats {:?}", message, value);
    }
    Ok(())
}

#[test]
fn each_rule_broken_alone_is_the_right_400_and_names_its_field() {
    let catalogue = Catalogue::new();
    let inputs = catalogue.inputs();
    let contract = catalogue.contract();
    for operation in &contract.operations {
        let cases = (inputs.body(&operation.request), any::<usize>());
        let outcome = runner(3).run(&cases, |(body, seed)| {
            for field in &operation.request {
                for violation in broken(contract, field, &body, seed) {
                    refused(&catalogue, operation, body.clone(), &[violation])?;
                }
            }
            Ok(())
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}

#[test]
fn of_two_broken_fields_an_input_mistake_comes_first_then_the_first_field() {
    let catalogue = Catalogue::new();
    let inputs = catalogue.inputs();
    let contract = catalogue.contract();
    let several = |operation: &&Operation| operation.request.len() > 1;
    for operation in contract.operations.iter().filter(several) {
        let fields = prop::sample::subsequence((0..operation.request.len()).collect::<Vec<_>>(), 2);
        let picks = [any::<prop::sample::Index>(), any::<prop::sample::Index>()];
        let cases = (
            inputs.body(&operation.request),
            fields,
            picks,
            any::<usize>(),
        );
        let outcome = runner(24).run(&cases, |(body, fields, picks, seed)| {
            let pick = |(&index, pick): (&usize, &prop::sample::Index)| {
                let all = broken(contract, &operation.request[index], &body, seed);
                pick.get(&all).clone()
            };
            let picked: Vec<Violation> = fields.iter().zip(&picks).map(pick).collect();
            refused(&catalogue, operation, body.clone(), &picked)
        });
        outcome.unwrap_or_else(|failure| panic!("{}: {failure}", operation.id));
    }
}
