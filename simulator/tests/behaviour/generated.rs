//! Generated values and bodies that obey the contract's rows. Judges no answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use jiff::civil::Date;
use proptest::prelude::*;
use proptest::string::string_regex;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::{Contract, Field, Kind, Operation, Presence, Rule};
use svc_fixtures::json::Json;
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::scenario::Predicate;

use crate::samples::Body;

/// A runner that tries the same cases every time and leaves no files behind.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Makes values for the fields of one contract.
pub(crate) struct Generator<'r> {
    contract: &'r Contract,
    /// Texts that a scenario names, and the sentinel.
    named: Vec<String>,
}

impl<'r> Generator<'r> {
    pub(crate) fn new(rules: &'r Rules) -> Self {
        let mut named = vec![format!("x {} y", rules.contract.service.sentinel.text)];
        for scenario in rules.scenarios.all() {
            for condition in &scenario.conditions {
                match &condition.predicate {
                    Predicate::OneOf(values) => {
                        let texts = values.iter().filter_map(Json::as_text);
                        named.extend(texts.map(str::to_owned));
                    }
                    Predicate::PathEnds(end) => {
                        named.push(format!("https://assets.example/a{end}?b"))
                    }
                    Predicate::Query(pair) => {
                        named.push(format!("https://app.example/back?a=1&{pair}"))
                    }
                    _ => {}
                }
            }
        }
        named.dedup();
        Generator {
            contract: &rules.contract,
            named,
        }
    }

    /// A valid body: the required fields, some of the others, some that no row names, in any order.
    pub(crate) fn body(&self, operation: &Operation) -> BoxedStrategy<Body> {
        let extra = prop::collection::vec(("x_[a-z]{1,6}", any_json()), 0..3);
        (self.members(&operation.request), extra)
            .prop_map(|(mut members, extra)| {
                for (name, value) in extra {
                    if members.iter().all(|(known, _)| *known != name) {
                        members.push((name, value));
                    }
                }
                members
            })
            .prop_shuffle()
            .boxed()
    }

    fn members(&self, fields: &[Field]) -> BoxedStrategy<Body> {
        let member = |field: &Field| {
            let name = field.name.clone();
            let value = self
                .value(field)
                .prop_map(move |value| (name.clone(), value));
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

    /// A valid value of a field.
    pub(crate) fn value(&self, field: &Field) -> BoxedStrategy<Json<'static>> {
        let any = self.kind(&field.kind);
        let formats = &self.contract.formats;
        let sentinel = self.contract.service.sentinel.text.as_str();
        let fits = |value: &Json<'_>| field.check(value, formats, &[sentinel]).is_ok();
        let texts = self.named.iter().map(|text| Json::from(text.clone()));
        let mut named: Vec<Json<'static>> = texts
            .map(|text| match field.kind {
                Kind::List { .. } => Json::List(vec![text]),
                _ => text,
            })
            .filter(fits)
            .collect();
        named.push(field.sample(formats));
        if field.may_be_empty {
            named.push(Json::from(""));
        }
        prop_oneof![6 => any, 1 => prop::sample::select(named)].boxed()
    }

    fn kind(&self, kind: &Kind) -> BoxedStrategy<Json<'static>> {
        match kind {
            Kind::Text { format, one_of } if !one_of.is_empty() => {
                let format = format.map(|id| self.contract.format(id));
                let allowed: Vec<String> = one_of
                    .iter()
                    .filter(|text| format.is_none_or(|format| format.fits(text)))
                    .cloned()
                    .collect();
                prop::sample::select(allowed).prop_map(Json::from).boxed()
            }
            Kind::Text {
                format: Some(id), ..
            } => {
                let format = self.contract.format(*id).clone();
                text_of(&format.rule)
                    .prop_filter("empty texts are no values", |text| !text.is_empty())
                    .prop_filter("a format and its rule agree", move |text| format.fits(text))
                    .prop_map(Json::from)
                    .boxed()
            }
            Kind::Text { format: None, .. } => free_text().prop_map(Json::from).boxed(),
            Kind::Int { min, max } => (min.unwrap_or(i64::MIN)..=max.unwrap_or(i64::MAX))
                .prop_map(Json::Int)
                .boxed(),
            Kind::Num { min, max } => {
                let (min, max) = (min.unwrap_or(-1e15), max.unwrap_or(1e15));
                let whole = prop::sample::select(vec![Json::Num(min), Json::Num(max)]);
                prop_oneof![(min..=max).prop_map(Json::Num), whole].boxed()
            }
            Kind::Bool => any::<bool>().prop_map(Json::Bool).boxed(),
            Kind::List { items, min_items } => {
                let sizes = *min_items..=min_items + 3;
                let items = prop::collection::vec(self.kind(items), sizes);
                items.prop_map(Json::List).boxed()
            }
            Kind::Object { fields } if fields.is_empty() => any_object().boxed(),
            Kind::Object { fields } => self.members(fields).prop_map(object).boxed(),
        }
    }
}

/// A JSON object with these members.
pub(crate) fn object(members: Body) -> Json<'static> {
    let members = members
        .into_iter()
        .map(|(name, value)| (name.into(), value));
    Json::Object(members.collect())
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

fn text_of(rule: &Rule) -> BoxedStrategy<String> {
    match rule {
        Rule::Pattern(pattern) => {
            let text = pattern.as_str();
            let inside = text
                .strip_prefix("^(?:")
                .and_then(|text| text.strip_suffix(")$"));
            string_regex(inside.unwrap_or(text))
                .expect("a format's expression makes texts")
                .boxed()
        }
        Rule::Date(layouts) => (any_date(), prop::sample::select(layouts.clone()))
            .prop_map(|(date, layout)| written(date, &layout))
            .boxed(),
        Rule::Ip => {
            let four = any::<u32>().prop_map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits)));
            let six = any::<u128>().prop_map(|bits| IpAddr::V6(Ipv6Addr::from_bits(bits)));
            prop_oneof![four, six].prop_map(|ip| ip.to_string()).boxed()
        }
        Rule::Url => {
            let host = "([a-z]{1,9}\\.example|127\\.0\\.0\\.1|\\[::1\\]|[\\p{Lu}\\p{Ll}]{1,6})";
            string_regex(&format!(
                "https?://{host}(:[1-9][0-9]{{1,3}})?(/[^\\s\\pC?#]{{0,9}}){{0,3}}(\\?[a-z]=[a-z0-9]{{1,5}})?(#[a-z]{{1,4}})?"
            ))
            .expect("an expression")
            .boxed()
        }
        Rule::Decimal { min, max } => (*min..=*max, 0usize..9)
            .prop_map(|(number, digits)| format!("{number:.digits$}"))
            .boxed(),
    }
}

fn any_date() -> impl Strategy<Value = Date> {
    let year = prop_oneof![3 => 1900i16..2030, 1 => prop::sample::select(vec![1i16, 13, 14, 9985, 9986, 9999])];
    (year, 1i8..=12, 1i8..=31).prop_filter_map("there is no such day", |(year, month, day)| {
        Date::new(year, month, day).ok()
    })
}

fn written(date: Date, layout: &str) -> String {
    layout
        .replace("DD", &format!("{:02}", date.day()))
        .replace("MM", &format!("{:02}", date.month()))
        .replace("YYYY", &format!("{:04}", date.year()))
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
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::List),
            prop::collection::btree_map("\\PC{0,6}", inner, 0..3)
                .prop_map(|members| object(members.into_iter().collect())),
        ]
    })
    .boxed()
}

fn any_object() -> impl Strategy<Value = Json<'static>> {
    prop::collection::btree_map("[a-zA-Z]{1,8}", any_json(), 0..4)
        .prop_map(|members| object(members.into_iter().collect()))
}
