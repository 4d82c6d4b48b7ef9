//! The JSON Schema of scenario files, for editors: made from the tables the readers use and from the
//! rows, so that it names what there is. A file it refuses is refused by the readers, too; they know
//! more, and the last word is theirs.

mod conditions;
mod expectations;
mod outcomes;
mod people;
mod reference;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Contract, ErrorCode};
use svc_fixtures::template::Character;

use crate::scenario::read::prefixes;

pub use reference::reference;

/// The schema of scenario files. `roles` is whom the answers speak of.
#[must_use]
pub fn schema(contract: &Contract, roles: &BTreeMap<String, Character>) -> Value {
    let mut properties = Map::new();
    let mut add = |name: &str, schema: Value| properties.insert(name.to_owned(), schema);
    add(
        "scenario",
        about(
            "The rules: which input gets which outcome. The first that holds wins.",
            list(&refer("scenario")),
        ),
    );
    add(
        "expect",
        about(
            "Calls and the parts of their answers that somebody relies on; `check` plays them.",
            list(&refer("expect")),
        ),
    );
    add(
        "values",
        json!({
            "description": "Values with a name: \"$name\" stands for one wherever it is used.",
            "type": "object",
        }),
    );
    for role in roles.keys() {
        add(role, refer(&role_name(role)));
    }
    let mut definitions = Map::new();
    definitions.insert("named".to_owned(), named());
    definitions.insert("duration".to_owned(), duration());
    definitions.insert("scenario".to_owned(), scenario(contract));
    conditions::define(contract, &mut definitions);
    outcomes::define(&mut definitions);
    expectations::define(contract, &mut definitions);
    people::define(contract, roles, &mut definitions);
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Scenario files of svc-simulator",
        "description": "Which input gets which outcome; README.md beside the built-in files explains it.",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "definitions": definitions,
    })
}

fn scenario(contract: &Contract) -> Value {
    let one_or_more = or_named(json!({ "anyOf": [refer("outcome"), some(&refer("outcome"))] }));
    json!({
        "type": "object",
        "properties": {
            "name": text("Its name, unique in its folder; the call log shows it."),
            "operation": about(
                "The operations it is for: an id, a prefix that ends in `.*`, or `*`.",
                or_named(json!({ "enum": operations(contract) })),
            ),
            "when": about(
                "What an input must be like, all of it; without it every input is.",
                or_named(refer("when")),
            ),
            "then": about(
                "What happens; a list is a sequence over the calls with the same input.",
                one_or_more.clone(),
            ),
            "cases": about(
                "Instead of `then`, one outcome a case; `{case}` in the texts of `when` is its name.",
                or_named(json!({
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": one_or_more,
                })),
            ),
            "start_over": about(
                "Whether a sequence begins again after its last outcome; else it stays on it.",
                or_named(json!({ "type": "boolean" })),
            ),
        },
        "required": ["name", "operation"],
        "oneOf": [{ "required": ["then"] }, { "required": ["cases"] }],
        "additionalProperties": false,
    })
}

/// Every id, every prefix of one, and all.
fn operations(contract: &Contract) -> Vec<String> {
    prefixes(contract)
        .into_iter()
        .chain(ids(contract))
        .collect()
}

fn ids(contract: &Contract) -> impl Iterator<Item = String> {
    contract.operations.iter().map(|row| row.id.clone())
}

fn named() -> Value {
    json!({
        "description": "What has this name in [values], or is said of somebody: \"$soon\", \"$asha.pan\".",
        "type": "string",
        "pattern": "^\\$[^$\\d\\s]",
    })
}

fn duration() -> Value {
    json!({
        "description": "A whole number and a unit: 500ms, 30s, 2m, 6h or 7d.",
        "type": "string",
        "pattern": "^[0-9]+(ms|s|m|h|d)$",
    })
}

fn error_codes() -> Value {
    json!({ "enum": ErrorCode::ALL.map(ErrorCode::as_str) })
}

/// How what can be said of those of a role is called.
fn role_name(role: &str) -> String {
    format!("all_{role}")
}

fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

/// The same, with what it is for people. Nothing counts beside a `$ref`.
fn about(what: &str, schema: Value) -> Value {
    let mut described = Map::new();
    described.insert("description".to_owned(), json!(what));
    match schema {
        Value::Object(members) if !members.contains_key("$ref") => {
            described.extend(members.into_iter().filter(|(key, _)| key != "description"));
        }
        other => {
            described.insert("allOf".to_owned(), json!([other]));
        }
    }
    Value::Object(described)
}

/// The same, or the name of a value.
fn or_named(schema: Value) -> Value {
    json!({ "anyOf": [schema, refer("named")] })
}

fn text(what: &str) -> Value {
    json!({ "description": what, "type": "string" })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

/// A list that is not empty.
fn some(items: &Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1 })
}
