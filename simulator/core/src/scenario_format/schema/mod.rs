//! The JSON Schema of scenario files, for editors: `template.json` with its holes filled by the tables of
//! the readers and by the contract's rows. A file it refuses is refused by the readers, too; they know
//! more, and the last word is theirs.

mod reference;
mod rows;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Contract, Environment, ErrorCode};
use svc_fixtures::path::MAX_POSITION;
use svc_fixtures::template::Character;

use super::expected_answer::STATUSES;
use super::expected_later::{ENDS, SIGNED, TIMES};
use crate::scenario::read::faults::{COPIES, SIGNATURES, WORDS};
use crate::scenario::read::outcomes::BESIDE_PENDING;
use crate::scenario::read::predicates::{NUMBER_PREDICATES, TEXT_PREDICATES};
use crate::scenario::read::prefixes;

pub use reference::reference;

/// A text `<…>` in it is a hole: the part of that name stands there in the schema.
#[derive(Deserialize)]
struct Template {
    parts: Map<String, Value>,
    schema: Value,
}

/// The schema of scenario files. `roles` is whom the answers speak of.
#[must_use]
pub fn schema(contract: &Contract, roles: &BTreeMap<String, Character>) -> Value {
    let template = serde_json::from_str(include_str!("template.json"));
    let Template { mut parts, schema } = template.expect("every print of the schema reads it");
    parts.extend(words_and_numbers(contract));
    parts.insert("headers".to_owned(), rows::headers());
    add_tests(&mut parts);
    let mut schema = filled(&schema, &parts);
    let definitions = &mut schema["definitions"];
    rows::add_fields(contract, &mut definitions["when"]["properties"]);
    definitions["final_outcome"] = final_outcome(&definitions["outcome"]);
    for (role, character) in roles {
        let name = format!("all_{role}");
        definitions[&name] = rows::of_role(contract, roles, role, character);
    }
    for role in roles.keys() {
        schema["properties"][role] = json!({ "$ref": format!("#/definitions/all_{role}") });
    }
    schema
}

/// The schema of files of accounts.
///
/// # Panics
/// Never: it is built in.
#[must_use]
pub fn accounts_schema() -> Value {
    let schema = serde_json::from_str(include_str!("accounts.json"));
    schema.expect("every test of the schema reads it")
}

/// The same value with the parts in its holes.
fn filled(value: &Value, parts: &Map<String, Value>) -> Value {
    let hole = |text: &str| text.strip_prefix('<')?.strip_suffix('>').map(str::to_owned);
    match value {
        Value::String(text) => match hole(text) {
            Some(name) => filled(&parts[&name], parts),
            None => value.clone(),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, parts)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(name, member)| (name.clone(), filled(member, parts)))
                .collect()
        }
        other => other.clone(),
    }
}

/// What the readers and the contract know: words, and the bounds of numbers.
fn words_and_numbers(contract: &Contract) -> Map<String, Value> {
    let operations = contract.operations.iter();
    let operations: Vec<String> = operations.map(|row| row.id.clone()).collect();
    let all: Vec<String> = prefixes(contract)
        .into_iter()
        .chain(operations.clone())
        .collect();
    let parts = [
        ("operations", json!(operations)),
        ("operations and prefixes", json!(all)),
        (
            "fields",
            json!(rows::fields(contract).keys().collect::<Vec<_>>()),
        ),
        ("error codes", json!(ErrorCode::ALL.map(ErrorCode::as_str))),
        (
            "environments",
            json!(Environment::ALL.map(Environment::as_str)),
        ),
        ("wire faults", json!(WORDS.map(|(word, _)| word))),
        ("signature faults", json!(SIGNATURES.map(|(word, _)| word))),
        ("signatures", json!(SIGNED.map(|(word, _)| word))),
        ("delivery ends", json!(ENDS.map(|(word, _)| word))),
        ("statuses", json!(STATUSES)),
        ("a length", whole_number(&(0..=MAX_POSITION))),
        ("copies", whole_number(&COPIES)),
        ("times", whole_number(&TIMES)),
    ];
    let parts = parts.into_iter();
    parts.map(|(name, part)| (name.to_owned(), part)).collect()
}

fn whole_number(range: &RangeInclusive<impl Into<Value> + Copy>) -> Value {
    let (minimum, maximum): (Value, Value) = ((*range.start()).into(), (*range.end()).into());
    json!({ "type": "integer", "minimum": minimum, "maximum": maximum })
}

/// A test of each kind of value: what the value is, and which predicates there are not.
fn add_tests(parts: &mut Map<String, Value>) {
    let of_texts_and_numbers = [&TEXT_PREDICATES[..], &NUMBER_PREDICATES].concat();
    for (values, left_out) in [
        ("texts", &[][..]),
        ("numbers", &TEXT_PREDICATES),
        ("flags", &of_texts_and_numbers),
        ("anything", &[]),
    ] {
        parts["value"] = json!(format!("<a value of {values}>"));
        let mut test = filled(&parts["a test"], parts);
        let predicates = &mut test["anyOf"][0]["anyOf"][2]["properties"];
        keep(predicates, |name| !left_out.contains(&name));
        parts.insert(format!("a test of {values}"), test);
    }
}

/// What something pending comes to: an outcome that is not pending, and has nothing beside it.
fn final_outcome(outcome: &Value) -> Value {
    let mut last = outcome.clone();
    let table = &mut last["anyOf"][0];
    let is_final = |name: &str| {
        !BESIDE_PENDING.contains(&name) && !["pending", "after", "finally"].contains(&name)
    };
    keep(&mut table["properties"], is_final);
    keep(&mut table["dependencies"], is_final);
    table["oneOf"] = json!([{ "required": ["success"] }, { "required": ["error"] }]);
    last
}

fn keep(object: &mut Value, is_kept: impl Fn(&str) -> bool) {
    let members = object
        .as_object_mut()
        .expect("the template has an object here");
    members.retain(|name, _| is_kept(name));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::read::outcomes::BESIDE;
    use crate::scenario::read::when::BESIDE_FIELDS;
    use crate::scenario_format::expected_answer::MEMBERS;

    #[test]
    fn the_template_has_the_keys_that_the_readers_know() {
        let schema = schema(&Contract::built_in(), &BTreeMap::new());
        let of = |at: &str| &schema["definitions"][at];
        let tests = &of("any_test")["anyOf"][0]["anyOf"][2];
        let outcome = &of("outcome")["anyOf"][0];
        for (table, keys) in [
            (of("when"), &BESIDE_FIELDS[..]),
            (tests, &TEXT_PREDICATES),
            (tests, &NUMBER_PREDICATES),
            (outcome, &BESIDE_PENDING),
            (outcome, &BESIDE.map(|(key, _)| key)),
            (of("answer"), &MEMBERS),
        ] {
            for key in keys {
                assert!(table["properties"][key].is_object(), "{key}");
            }
        }
    }
}
