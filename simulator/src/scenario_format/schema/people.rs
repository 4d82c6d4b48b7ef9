//! The schema of people and companies: what the answers know of them, and what they are asked for by.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{Contract, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::template::{Attribute, Character, Template};

use super::{or_named, role_name};

pub(super) fn define(
    contract: &Contract,
    roles: &BTreeMap<String, Character>,
    definitions: &mut Map<String, Value>,
) {
    let rows = contract.operations.iter();
    let identifying = rows.flat_map(Operation::identifiers);
    let identifying: BTreeSet<&str> = identifying.map(|(_, field)| field.name.as_str()).collect();
    for (role, character) in roles {
        let mut known = Map::new();
        for name in &identifying {
            let what = "What they are asked for by; nobody else may be.";
            let is = json!({ "description": what, "type": "string" });
            known.insert((*name).to_owned(), is);
        }
        for other in roles.keys().filter(|other| *other != role) {
            let what = format!("The name of the {other} they have to do with.");
            let is = json!({ "description": what, "type": "string" });
            known.insert(other.clone(), is);
        }
        for (name, attribute) in &character.attributes {
            known.insert(name.clone(), or_named(sort(attribute)));
        }
        definitions.insert(
            role_name(role),
            json!({
                "description": format!("Each {role} of this folder by name: what is known of them, and what they are asked for by."),
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "properties": known,
                    "additionalProperties": false,
                },
            }),
        );
    }
}

/// What a value must be, as far as the sample tells it.
fn sort(attribute: &Attribute) -> Value {
    json!({ "type": match &attribute.sample {
        Template::Literal(Json::Int(_)) => "integer",
        Template::Literal(Json::Num(_)) => "number",
        Template::Literal(Json::Bool(_)) => "boolean",
        _ => "string",
    } })
}
