//! Strategies for values and bodies that obey the contract's rows. Knows no operation by name and
//! nothing of outcomes: what a value leads to is foreseen elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;
use proptest::string::string_regex;
use svc_fixtures::contract::{Contract, Field, Format, Kind, Presence, Rule};
use svc_fixtures::json::Json;

use crate::plan::{Members, sample};

/// A body that obeys these fields: the required ones, some of the others, in any order.
pub(crate) fn body(contract: &Contract, fields: &[Field]) -> BoxedStrategy<Members> {
    members(contract, fields).prop_shuffle().boxed()
}

fn members(contract: &Contract, fields: &[Field]) -> BoxedStrategy<Members> {
    let member = |field: &Field| {
        let name = field.name.clone();
        let value = value(contract, field).prop_map(move |value| (name.clone(), value));
        match field.presence {
            Presence::Required => value.prop_map(Some).boxed(),
            Presence::Optional | Presence::Default(_) => proptest::option::of(value).boxed(),
        }
    };
    let members: Vec<_> = fields.iter().map(member).collect();
    members
        .prop_map(|members| members.into_iter().flatten().collect())
        .boxed()
}

/// A value that obeys a field: the sample, or another one.
pub(crate) fn value(contract: &Contract, field: &Field) -> BoxedStrategy<Json<'static>> {
    let known = Just(sample::value(contract, field));
    let mut choices = vec![(1, known.boxed()), (4, of_kind(contract, &field.kind))];
    if field.may_be_empty {
        choices.push((1, Just(Json::from("")).boxed()));
    }
    proptest::strategy::Union::new_weighted(choices).boxed()
}

fn of_kind(contract: &Contract, kind: &Kind) -> BoxedStrategy<Json<'static>> {
    match kind {
        Kind::Text { format, one_of } if !one_of.is_empty() => {
            let format = format.map(|id| contract.format(id));
            let fits = |text: &&String| format.is_none_or(|format| format.fits(text));
            let allowed: Vec<String> = one_of.iter().filter(fits).cloned().collect();
            proptest::sample::select(allowed)
                .prop_map(Json::from)
                .boxed()
        }
        Kind::Text {
            format: Some(id), ..
        } => text(contract.format(*id)).prop_map(Json::from).boxed(),
        Kind::Text { format: None, .. } => free_text().prop_map(Json::from).boxed(),
        Kind::Int { min, max } => {
            let (min, max) = (min.unwrap_or(i64::MIN), max.unwrap_or(i64::MAX));
            let border = proptest::sample::select(vec![min, max]);
            prop_oneof![3 => min..=max, 1 => border]
                .prop_map(Json::Int)
                .boxed()
        }
        Kind::Num { min, max } => {
            let (min, max) = (min.unwrap_or(-1e15), max.unwrap_or(1e15));
            let border = proptest::sample::select(vec![min, max]);
            prop_oneof![3 => min..=max, 1 => border]
                .prop_map(Json::Num)
                .boxed()
        }
        Kind::Bool => any::<bool>().prop_map(Json::Bool).boxed(),
        Kind::List { items, min_items } => {
            let items =
                proptest::collection::vec(of_kind(contract, items), *min_items..=min_items + 2);
            items.prop_map(Json::List).boxed()
        }
        Kind::Object { fields } if fields.is_empty() => any_object().boxed(),
        Kind::Object { fields } => members(contract, fields).prop_map(object).boxed(),
    }
}

/// A JSON object with these members.
pub(crate) fn object(members: Members) -> Json<'static> {
    let members = members.into_iter();
    Json::Object(members.map(|(name, value)| (name.into(), value)).collect())
}

/// A text of a format; never empty.
pub(crate) fn text(format: &Format) -> BoxedStrategy<String> {
    let (checked, example) = (format.clone(), format.example.clone());
    let made = match &format.rule {
        Rule::Pattern(pattern) => {
            let whole = pattern.as_str();
            let inside = whole
                .strip_prefix("^(?:")
                .and_then(|text| text.strip_suffix(")$"));
            let texts = string_regex(inside.unwrap_or(whole));
            // An expression that no text can be made from leaves the format's example.
            texts.map_or_else(|_| Just(example.clone()).boxed(), Strategy::boxed)
        }
        Rule::Date(layouts) => date(layouts.clone()).boxed(),
        Rule::Ip => ip().boxed(),
        Rule::Url => URL.prop_map(|text| text).boxed(),
        Rule::Decimal { min, max } => (*min..=*max, 0usize..9)
            .prop_map(|(number, digits)| format!("{number:.digits$}"))
            .boxed(),
    };
    made.prop_map(move |text| match !text.is_empty() && checked.fits(&text) {
        true => text,
        false => example.clone(),
    })
    .boxed()
}

const URL: &str = "https?://([a-z]{1,9}\\.example|127\\.0\\.0\\.1|\\[::1\\])(:[1-9][0-9]{1,3})?(/[a-zA-Zé0-9._~-]{0,9}){0,3}(\\?[a-z]=[a-z0-9]{1,5})?(#[a-z]{1,4})?";

/// Days that every month has, and a leap day.
fn date(layouts: Vec<String>) -> impl Strategy<Value = String> {
    let year = prop_oneof![3 => 1900..2030_i32, 1 => proptest::sample::select(vec![1, 13, 14, 9986, 9999])];
    let day = prop_oneof![
        7 => (year, 1..=12_i32, 1..=28_i32),
        1 => Just((2024, 2, 29)),
    ];
    (day, proptest::sample::select(layouts)).prop_map(|((year, month, day), layout)| {
        layout
            .replace("DD", &format!("{day:02}"))
            .replace("MM", &format!("{month:02}"))
            .replace("YYYY", &format!("{year:04}"))
    })
}

fn ip() -> impl Strategy<Value = String> {
    let four = any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits)));
    let six = any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)));
    prop_oneof![four, six].prop_map(|ip| ip.to_string())
}

/// Names, numbers, addresses and texts nobody would think of; never empty.
pub(crate) fn free_text() -> BoxedStrategy<String> {
    prop_oneof![
        "[A-Z][a-z]{1,8} [A-Z][a-z]{1,8}",
        "[A-Z0-9]{1,16}",
        "[0-9]{1,4}, [A-Z]{3,9} ROAD, (PUNE|BENGALURU|[A-Z]{3,9}) [1-9][0-9]{5}",
        "\\PC{1,24}",
        "(?s:.){1,12}",
    ]
    .boxed()
}

/// Any JSON value, a few levels deep.
pub(crate) fn any_json() -> BoxedStrategy<Json<'static>> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(Json::Int),
        (-1e300..1e300).prop_map(Json::Num),
        free_text().prop_map(Json::from),
        Just(Json::from("")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let named = proptest::collection::btree_map("\\PC{0,6}", inner.clone(), 0..3);
        prop_oneof![
            proptest::collection::vec(inner, 0..3).prop_map(Json::List),
            named.prop_map(|members| object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

fn any_object() -> impl Strategy<Value = Json<'static>> {
    proptest::collection::btree_map("[a-zA-Z]{1,8}", any_json(), 0..4)
        .prop_map(|members| object(members.into_iter().collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::test_runner::TestRunner;
    use svc_fixtures::contract::check_request;

    #[test]
    fn every_generated_body_obeys_its_rows() {
        let contract = Contract::built_in();
        let mut runner = TestRunner::deterministic();
        for operation in &contract.operations {
            for _ in 0..20 {
                let tree = body(&contract, &operation.request).new_tree(&mut runner);
                let made = proptest::strategy::ValueTree::current(&tree.expect("a body"));
                let members: Vec<_> = made
                    .into_iter()
                    .map(|(name, value)| (name.into(), value))
                    .collect();
                let checked = check_request(&operation.request, &contract.formats, &members, &[]);
                assert_eq!(checked, Ok(()), "{}", operation.id);
            }
        }
    }

    #[test]
    fn every_format_has_texts_beside_its_example() {
        let mut runner = TestRunner::deterministic();
        for format in &Contract::built_in().formats {
            let texts = text(format);
            let mut made = || {
                let tree = texts.new_tree(&mut runner).expect("a text");
                proptest::strategy::ValueTree::current(&tree)
            };
            let others = (0..20)
                .map(|_| made())
                .filter(|text| *text != format.example);
            assert!(others.count() > 10, "{}", format.name);
        }
    }
}
