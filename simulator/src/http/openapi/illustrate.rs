//! Examples in schemas: each member shows a value that a simulator was sent or gave. Invents nothing but the
//! first of the values to choose from.

use regex_automata::meta::Regex;
use serde_json::{Map, Value, json};

/// Puts an example into every member that has none, taken from these values, the first that has one.
pub(super) fn illustrate(schema: &mut Value, values: &[&Value]) {
    if schema.get("$ref").is_some() || schema.get("examples").is_some() {
        return;
    }
    if let Some(items) = schema.get_mut("items") {
        let each = values.iter().filter_map(|value| value.as_array());
        let each: Vec<&Value> = each.flatten().collect();
        illustrate(items, &each);
    }
    let members = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, member) in members.into_iter().flatten() {
        let inner: Vec<&Value> = values.iter().filter_map(|value| value.get(name)).collect();
        illustrate(member, &inner);
    }
    let patterns = schema.get_mut("patternProperties");
    let patterns = patterns.and_then(Value::as_object_mut);
    for (pattern, member) in patterns.into_iter().flatten() {
        let Ok(names) = Regex::new(pattern) else {
            continue;
        };
        let objects = values.iter().filter_map(|value| value.as_object());
        let inner = objects.flatten().filter(|(name, _)| names.is_match(name));
        let inner: Vec<&Value> = inner.map(|(_, value)| value).collect();
        illustrate(member, &inner);
    }
    let has_parts =
        schema.get("properties").is_some() || schema["items"].get("properties").is_some();
    let reference = schema["items"].get("$ref").is_some();
    let Some(schema) = schema.as_object_mut().filter(|_| !has_parts && !reference) else {
        return;
    };
    let telling =
        |value: &&&Value| !value.is_null() && ***value != json!("") && ***value != json!([]);
    let found = values.iter().find(telling).or(values.first());
    let first_choice = || schema.get("enum").and_then(|choices| choices.get(0));
    let example = found.copied().or_else(first_choice).or(schema.get("const"));
    let example = example
        .cloned()
        .or_else(|| match schema.get("type")?.as_str()? {
            "boolean" => Some(json!(true)),
            _ => None,
        });
    if let Some(example) = example {
        schema.insert("examples".to_owned(), json!([example]));
    }
}

/// Puts examples into the shared schemas that a value reaches by references from its own schema.
pub(super) fn illustrate_shared<'v>(
    shared: &mut Map<String, Value>,
    values: impl IntoIterator<Item = (&'v Value, &'v Value)>,
) {
    let mut reached = Vec::new();
    for (schema, value) in values {
        reach(shared, schema, value, &mut reached);
    }
    for (name, value) in reached {
        if let Some(schema) = shared.get_mut(&name) {
            illustrate(schema, &[value]);
        }
    }
}

fn reach<'v>(
    shared: &Map<String, Value>,
    schema: &Value,
    value: &'v Value,
    reached: &mut Vec<(String, &'v Value)>,
) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if let Some(schema) = shared.get(name) {
            reached.push((name.to_owned(), value));
            reach(shared, schema, value, reached);
        }
        return;
    }
    match value {
        Value::Array(values) => {
            for (value, items) in values.iter().zip(std::iter::repeat(schema.get("items"))) {
                items
                    .into_iter()
                    .for_each(|items| reach(shared, items, value, reached));
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let member = schema.get("properties").and_then(|all| all.get(name));
                let member = member.or(schema.get("additionalProperties"));
                member
                    .into_iter()
                    .for_each(|member| reach(shared, member, value, reached));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_shows_the_first_value_that_tells_something() {
        let mut schema = json!({ "type": "object", "properties": {
            "name": { "type": "string" },
            "items": { "type": "array", "items": { "type": "object", "properties": { "n": { "type": "integer" } } } },
            "tags": { "type": "array", "items": { "type": "string" } },
            "kind": { "type": "string", "enum": ["A", "B"] },
            "never": { "type": "string" },
        } });
        let values = [
            json!({ "name": "", "items": [], "tags": [] }),
            json!({ "name": "ASHA RAO", "items": [{ "n": 3 }], "tags": ["x"] }),
        ];
        illustrate(&mut schema, &[&values[0], &values[1]]);
        let members = &schema["properties"];
        assert_eq!(members["name"]["examples"], json!(["ASHA RAO"]));
        assert_eq!(
            members["items"]["items"]["properties"]["n"]["examples"],
            json!([3])
        );
        assert_eq!(members["tags"]["examples"], json!([["x"]]));
        assert_eq!(members["kind"]["examples"], json!(["A"]));
        assert!(members["never"].get("examples").is_none());
    }
}
