//! The parts of the schema that have a key for each row: the fields of all requests, the headers, and
//! what can be said of people and companies.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use svc_fixtures::contract::{Contract, Field, Kind, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::template::{Attribute, Character, Template};

use crate::scenario::HeaderName;
use crate::scenario::read::people::{BREAKS, STORY};

/// All fields of requests by name; those of one name stand in the order of the operations.
pub(super) fn fields(contract: &Contract) -> BTreeMap<&str, Vec<&Field>> {
    let mut fields: BTreeMap<&str, Vec<&Field>> = BTreeMap::new();
    for field in contract.operations.iter().flat_map(|row| &row.request) {
        fields.entry(&field.name).or_default().push(field);
    }
    fields
}

/// The test that fits the values of a field.
fn test_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Text { .. } => "text_test",
        Kind::Int { .. } | Kind::Num { .. } => "number_test",
        Kind::Bool => "bool_test",
        Kind::List { items, .. } => test_of(items),
        Kind::Object { .. } => "any_test",
    }
}

/// What can be asked of each field.
pub(super) fn add_fields(contract: &Contract, when: &mut Value) {
    for (name, fields) in fields(contract) {
        let tests: BTreeSet<&str> = fields.iter().map(|field| test_of(&field.kind)).collect();
        let test = match tests.len() {
            1 => test_of(&fields[0].kind),
            _ => "any_test",
        };
        when[name] = test_with(&fields[0].about, test);
    }
}

fn test_with(what: &str, test: &str) -> Value {
    json!({ "description": what, "allOf": [{ "$ref": format!("#/definitions/{test}") }] })
}

/// Their names are written in any case.
pub(super) fn headers() -> Value {
    let (mut properties, mut patterns) = (json!({}), json!({}));
    for name in &HeaderName::ALL {
        let name = name.as_str();
        let letters = name.chars().map(|c| match c.is_ascii_alphabetic() {
            true => format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase()),
            false => c.to_string(),
        });
        let pattern: String = letters.collect();
        let what = "What this header must be, in any case of its name.";
        properties[name] = test_with(what, "text_test");
        patterns[format!("^{pattern}$")] = json!({ "$ref": "#/definitions/text_test" });
    }
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": test_with(
            "What the header of this name must be, in any case of its name; none that holds a secret.",
            "text_test",
        ),
    })
}

/// What can be said of those of a role, and what they are asked for by.
pub(super) fn of_role(
    contract: &Contract,
    roles: &BTreeMap<String, Character>,
    role: &str,
    character: &Character,
) -> Value {
    let identifying = contract.operations.iter().flat_map(Operation::identifiers);
    let identifying: BTreeSet<&str> = identifying.map(|(_, field)| field.name.as_str()).collect();
    let mut known = json!({});
    for name in identifying {
        let what = "What they are asked for by; nobody else may be.";
        known[name] = json!({ "description": what, "type": "string" });
    }
    for other in roles.keys().filter(|other| *other != role) {
        let what = format!("The name of the {other} they have to do with.");
        known[other] = json!({ "description": what, "type": "string" });
    }
    for (name, attribute) in &character.attributes {
        let is = json!({ "type": type_of(attribute) });
        known[name] = json!({ "anyOf": [is, { "$ref": "#/definitions/named" }] });
    }
    let what =
        "What they are there for, and what should come of it; `svc-simulator people` shows it.";
    known[STORY] = json!({ "description": what, "type": "string", "minLength": 1 });
    let what = "That the letters of what they are asked for by say something else than what is known of them.";
    known[BREAKS] = json!({ "description": what, "type": "boolean" });
    json!({
        "description": format!("Each {role} of this folder by name: what is known of them, and what they are asked for by."),
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": known,
            "additionalProperties": false,
        },
    })
}

/// What a value must be, as far as the sample shows it.
fn type_of(attribute: &Attribute) -> &'static str {
    match &attribute.sample {
        Template::Literal(Json::Int(_)) => "integer",
        Template::Literal(Json::Num(_)) => "number",
        Template::Literal(Json::Bool(_)) => "boolean",
        Template::List(_) => "array",
        _ => "string",
    }
}
