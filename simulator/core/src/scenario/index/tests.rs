//! The index chooses what a plain scan of all rules in order chooses, whatever the rules and inputs.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::{Contract, Environment, FieldIndex, OperationIndex};
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_fixtures::template::Answers;

use super::super::matching::{first_place, holds};
use super::super::{
    Choice, MatchInput, RequestContext, ScenarioIndex, ScenarioSet, read_scenarios,
};

/// The fields of an operation that compares names, and of one with a list of URLs and a number.
const NAMES: [&str; 3] = ["name", "father_name", "state"];
const IMAGES: [&str; 2] = ["imageUrls", "threshold"];
const CASES: u32 = 400;

/// What a scan in order chooses: of the rules that hold, behind this place, the first; of its cases the one
/// whose first condition holds in the first field.
fn scanned(
    contract: &Contract,
    set: &ScenarioSet,
    match_input: &MatchInput<'_>,
    after: Option<ScenarioIndex>,
) -> Choice {
    let after = after.map(|rule| set.get(rule).order);
    let operation = &contract.operations[match_input.operation];
    let rules = set.iter();
    let holding = rules.filter(|(_, rule)| {
        let mut conditions = rule.conditions.iter();
        after.is_none_or(|after| rule.order > after)
            && rule.operations.contains(&match_input.operation)
            && conditions.all(|condition| holds(condition, operation, match_input))
    });
    let first = holding.min_by_key(|(number, rule)| {
        let first = rule.conditions.first();
        let place = first.and_then(|first| first_place(first, operation, match_input));
        (
            rule.order,
            place.unwrap_or((FieldIndex(usize::MAX), 0)),
            *number,
        )
    });
    first.map_or(Choice::NoMatch, |(number, _)| Choice::Scenario(number))
}

/// The operation that has these fields.
fn with_fields(contract: &Contract, names: &[&str]) -> OperationIndex {
    let mut rows = contract.indexed_operations();
    let found = rows.find(|(_, row)| names.iter().all(|name| row.field(name).is_some()));
    found.expect("there is such an operation").0
}

/// One of very few texts, so that rules and inputs meet.
fn text() -> impl Strategy<Value = String> {
    "[abB]{0,3}( [ab]{1,2})?"
}

fn url() -> impl Strategy<Value = String> {
    "https://[ab](/[ab]){0,2}(\\?[xy]=[ab](&[xy]=[ab])?)?"
}

/// One entry of `when`, of a text field.
fn condition(field: &'static str) -> impl Strategy<Value = String> {
    let long = prop::collection::vec(text(), 9..14);
    let some = prop::collection::vec(text(), 1..4);
    let listed = prop_oneof![some, long].prop_map(|texts| format!("{texts:?}"));
    let predicate = |name: &'static str, text: BoxedStrategy<String>| {
        text.prop_map(move |text| format!("{{ {name} = {text:?} }}"))
    };
    let pattern = "\\^?[ab]{0,2}(\\[ab\\]|\\.|b\\+)?[ab]?\\$?";
    let value = prop_oneof![
        3 => text().prop_map(|text| format!("{text:?}")),
        1 => text().prop_map(|text| format!("{:?}", format!("{text}{{case}}"))),
        2 => listed,
        1 => predicate("contains", text().boxed()),
        1 => predicate("starts_with", text().boxed()),
        1 => predicate("ends_with", text().boxed()),
        1 => predicate("path_ends", "(/?[ab]){1,2}".boxed()),
        1 => predicate("query", "[xy]=[ab]".boxed()),
        2 => predicate("matches", pattern.boxed()),
        1 => any::<bool>().prop_map(|there| format!("{{ present = {there} }}")),
    ];
    value.prop_map(move |value| format!("{field} = {value}"))
}

fn threshold() -> impl Strategy<Value = String> {
    let value = prop_oneof![Just("1"), Just("1.0"), Just("2"), Just("[1, 3, true]")];
    value.prop_map(|value| format!("threshold = {value}"))
}

fn rule(on_names: String, on_images: String) -> impl Strategy<Value = String> {
    let names = (
        prop::option::of(condition("name")),
        prop::option::of(condition("father_name")),
        prop::option::of(condition("state")),
        prop::option::of(condition("any_identifier")),
    );
    let names = names.prop_map(move |(a, b, c, d)| (on_names.clone(), vec![a, b, c, d]));
    let images = (
        prop::option::of(condition("imageUrls")),
        prop::option::of(threshold()),
    );
    let images = images.prop_map(move |(a, b)| (on_images.clone(), vec![a, b]));
    let rule = (prop_oneof![names, images], any::<bool>());
    rule.prop_map(|((operation, when), cases)| {
        let when: Vec<String> = when.into_iter().flatten().collect();
        let then = match cases {
            true => "cases.a = { success = {} }\ncases.b = { success = {} }",
            false => "then = { success = {} }",
        };
        let when = when.join(", ");
        format!("operation = {operation:?}\nwhen = {{ {when} }}\n{then}\n")
    })
}

fn input() -> impl Strategy<Value = Json<'static>> {
    let names = (
        text(),
        prop::option::of(text()),
        prop::option::of(prop_oneof![text(), url()]),
    );
    let member = |name: &'static str, value: Option<String>| {
        value.map(|value| (name.into(), Json::from(value)))
    };
    let names = names.prop_map(move |(name, father, state)| {
        let members = [
            member("name", Some(name)),
            member("father_name", father),
            member("state", state),
        ];
        Json::Object(members.into_iter().flatten().collect())
    });
    let threshold = prop_oneof![
        Just(Json::Int(1)),
        Just(Json::Num(1.0)),
        Just(Json::Int(2)),
        Just(Json::Bool(true)),
        Just(Json::Null),
    ];
    let images = (
        prop::collection::vec(prop_oneof![url(), text()], 0..4),
        threshold,
    );
    let images = images.prop_map(|(urls, threshold)| {
        let urls = Json::List(urls.into_iter().map(Json::from).collect());
        Json::Object(vec![
            ("imageUrls".into(), urls),
            ("threshold".into(), threshold),
        ])
    });
    prop_oneof![2 => names, 1 => images]
}

#[test]
fn the_index_chooses_what_a_scan_in_order_chooses() {
    let contract = Contract::built_in();
    let names = with_fields(&contract, &NAMES);
    let images = with_fields(&contract, &IMAGES);
    let id = |operation: OperationIndex| contract.operations[operation].id.clone();
    let config = Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (named, unnamed) = (Cell::new(0), Cell::new(0));
    let strategy = (
        prop::collection::vec(rule(id(names), id(images)), 0..24),
        prop::collection::vec(input(), 1..24),
    );
    let ran = TestRunner::new_with_rng(config, rng).run(&strategy, |(rules, inputs)| {
        let read = |file: &str| {
            let source = Source::new("random.toml", file);
            read_scenarios(&contract, &Answers::default(), &[source])
        };
        let mut file = String::new();
        for (number, rule) in rules.iter().enumerate() {
            let rule = format!("[[scenario]]\nname = \"{number}\"\n{rule}");
            // What can never hold is refused.
            if read(&rule).is_ok() {
                file += &rule;
            }
        }
        let set = read(&file);
        let set = set.unwrap_or_else(|problems| panic!("{problems}"));
        for input in &inputs {
            let operation = if input.get("name").is_some() {
                names
            } else {
                images
            };
            let row = &contract.operations[operation];
            let field = |at: FieldIndex| input.get(&row.request[at].name);
            let match_input = MatchInput {
                operation,
                field: &field,
                context: RequestContext::plain("local", Environment::Test),
            };
            let chosen = set.choose(&contract, &match_input);
            prop_assert_eq!(
                &chosen,
                &scanned(&contract, &set, &match_input, None),
                "{}",
                input
            );
            if let Choice::Scenario(rule) = chosen {
                let next = set.choose_after(&contract, &match_input, rule);
                let expected = scanned(&contract, &set, &match_input, Some(rule));
                prop_assert_eq!(next, expected, "{}", input);
            }
            let count = if chosen == Choice::NoMatch {
                &unnamed
            } else {
                &named
            };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
    let (named, unnamed) = (named.get(), unnamed.get());
    assert!(named > 1_000 && unnamed > 500, "{named} {unnamed}");
}
