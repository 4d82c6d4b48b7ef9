//! The schema of `when`: the fields of all requests, and what stands beside them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Contract, Environment, Kind};

use super::{about, or_named, refer, some};
use crate::scenario::HeaderName;
use crate::scenario::read::predicates::{NUMBER_PREDICATES, TEXT_PREDICATES};

/// What a value of a field is, as far as the schema tells it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Text,
    Number,
    Bool,
    Any,
}

impl Sort {
    fn of(kind: &Kind) -> Sort {
        match kind {
            Kind::Text { .. } => Sort::Text,
            Kind::Int { .. } | Kind::Num { .. } => Sort::Number,
            Kind::Bool => Sort::Bool,
            Kind::List { items, .. } => Sort::of(items),
            Kind::Object { .. } => Sort::Any,
        }
    }

    fn predicate(self) -> Value {
        refer(match self {
            Sort::Text => "text_test",
            Sort::Number => "number_test",
            Sort::Bool => "bool_test",
            Sort::Any => "any_test",
        })
    }
}

pub(super) fn define(contract: &Contract, definitions: &mut Map<String, Value>) {
    let text = json!({ "type": "string" });
    let number = or_named(json!({ "type": "number" }));
    let bool = or_named(json!({ "type": "boolean" }));
    let any = json!({ "not": { "type": "null" } });
    let every: Vec<&str> = TEXT_PREDICATES
        .into_iter()
        .chain(NUMBER_PREDICATES)
        .collect();
    for (name, value, predicates) in [
        ("text_test", text, every.as_slice()),
        ("number_test", number, &NUMBER_PREDICATES),
        ("bool_test", bool, &[]),
        ("any_test", any, &every),
    ] {
        definitions.insert(name.to_owned(), predicate(&value, predicates));
    }
    definitions.insert("when".to_owned(), when(contract));
}

/// A value, a list of values, or a table of tests.
fn predicate(value: &Value, predicates: &[&str]) -> Value {
    let mut properties = Map::new();
    properties.insert(
        "one_of".to_owned(),
        about("One of these.", or_named(some(value))),
    );
    for name in predicates {
        let is = if NUMBER_PREDICATES.contains(name) {
            or_named(json!({ "type": "number" }))
        } else {
            json!({ "type": "string" })
        };
        properties.insert((*name).to_owned(), about(said(name), is));
    }
    for name in ["present", "absent"] {
        let is = or_named(json!({ "type": "boolean" }));
        properties.insert(name.to_owned(), about(said(name), is));
    }
    let table = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "minProperties": 1,
        "not": { "required": ["present", "absent"] },
    });
    let alone = json!({ "allOf": [value, { "not": { "type": ["array", "object"] } }] });
    or_named(json!({ "anyOf": [alone, some(value), table] }))
}

fn said(predicate: &str) -> &'static str {
    match predicate {
        "contains" => "A text with this in it.",
        "starts_with" => "A text that begins so.",
        "ends_with" => "A text that ends so.",
        "path_ends" => "A URL whose path ends so, whatever its host.",
        "query" => "A URL with this among the pairs of its query.",
        "matches" => "A text in which this regular expression is found.",
        "at_least" => "A number that is this or more.",
        "at_most" => "A number that is this or less.",
        "above" => "A number over this.",
        "below" => "A number under this.",
        "present" => "Whether it was sent.",
        _ => "Whether it was not sent.",
    }
}

fn when(contract: &Contract) -> Value {
    let mut fields: BTreeMap<&str, (Sort, &str)> = BTreeMap::new();
    for field in contract.operations.iter().flat_map(|row| &row.request) {
        let sort = Sort::of(&field.kind);
        let known = fields.entry(&field.name).or_insert((sort, &field.about));
        if known.0 != sort {
            known.0 = Sort::Any;
        }
    }
    let mut properties = Map::new();
    let text = || refer("text_test");
    for (name, what, is) in [
        (
            "any_identifier",
            "The fields that identify the subject: one of them must hold.",
            refer("any_test"),
        ),
        (
            "who",
            "One of those declared in this folder is asked for.",
            json!({ "anyOf": [{ "type": "string" }, some(&json!({ "type": "string" }))] }),
        ),
        (
            "account",
            "The account's id: its first key's name after svc_test_ or svc_live_.",
            text(),
        ),
        ("environment", "Where the call comes in.", environments()),
        ("header", "A header of the request.", or_named(headers())),
    ] {
        properties.insert(name.to_owned(), about(what, is));
    }
    for (name, (sort, what)) in fields {
        properties.insert(name.to_owned(), about(what, sort.predicate()));
    }
    json!({
        "type": "object",
        "properties": properties,
        // What stands inside a field: "consentArtifact.ip", "urls[0]".
        "patternProperties": { "^[^.\\[]+[.\\[]": refer("any_test") },
        "additionalProperties": false,
    })
}

pub(super) fn environments() -> Value {
    or_named(json!({ "enum": Environment::ALL.map(Environment::as_str) }))
}

/// Their names are written in any case.
fn headers() -> Value {
    let (mut properties, mut patterns) = (Map::new(), Map::new());
    for name in HeaderName::ALL.map(HeaderName::as_str) {
        let letters = name.chars().map(|c| match c.is_ascii_alphabetic() {
            true => format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase()),
            false => c.to_string(),
        });
        let pattern: String = letters.collect();
        let what = "What this header must be, in any case of its name.";
        properties.insert(name.to_owned(), about(what, refer("text_test")));
        patterns.insert(format!("^{pattern}$"), refer("text_test"));
    }
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": false,
    })
}
