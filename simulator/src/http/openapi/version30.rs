//! The document for readers of OpenAPI 3.0: what 3.1 says otherwise is said as 3.0 has it, and what 3.0 has no
//! word for goes into an extension or is left out.

use serde_json::{Map, Value, json};

/// The document in the words of 3.0.
pub(super) fn lowered(mut document: Value) -> Value {
    document["openapi"] = json!("3.0.3");
    let info = document["info"].as_object_mut();
    if let Some(info) = info {
        info.remove("summary");
        if let Some(license) = info.get_mut("license").and_then(Value::as_object_mut) {
            license.remove("identifier");
        }
    }
    lower(&mut document);
    let Value::Object(members) = document else {
        return document;
    };
    let renamed = members
        .into_iter()
        .map(|(name, value)| match name.as_str() {
            "webhooks" => ("x-webhooks".to_owned(), value),
            _ => (name, value),
        });
    Value::Object(renamed.collect())
}

fn lower(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(lower),
        Value::Object(members) => {
            said_as_3_0(members);
            for (name, value) in members {
                match name.as_str() {
                    // The names in here are not those of a schema.
                    "properties" | "schemas" => {
                        value
                            .as_object_mut()
                            .into_iter()
                            .flatten()
                            .for_each(|(_, it)| lower(it));
                    }
                    "example" | "examples" | "default" | "enum" | "value" => {}
                    _ if name.starts_with("x-") => {}
                    _ => lower(value),
                }
            }
        }
        _ => {}
    }
}

/// Changes one object, where it is a schema.
fn said_as_3_0(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = schema.get("type") {
        let mut named = kinds.iter().filter(|kind| **kind != "null");
        let (one, more) = (named.next().cloned(), named.next().is_some());
        if kinds.iter().any(|kind| kind == "null") {
            schema.insert("nullable".to_owned(), json!(true));
        }
        match one.filter(|_| !more) {
            Some(one) => schema.insert("type".to_owned(), one),
            None => schema.remove("type"),
        };
    }
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".to_owned(), json!([only]));
    }
    if let Some(Value::Array(examples)) = schema.get("examples") {
        let first = examples.first().cloned();
        schema.remove("examples");
        // Readers of 3.0 take an `id` inside of it for the name of a schema.
        if let Some(first) = first.filter(|first| !first.is_object()) {
            schema.insert("example".to_owned(), first);
        }
    }
    if schema.remove("patternProperties").is_some() {
        schema.insert("additionalProperties".to_owned(), json!(true));
    }
    for (exclusive, bound) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(limit) = schema
            .get(exclusive)
            .filter(|limit| limit.is_number())
            .cloned()
        {
            schema.insert(bound.to_owned(), limit);
            schema.insert(exclusive.to_owned(), json!(true));
        }
    }
    // What stands beside a reference is not read.
    if schema.len() > 1 && schema.get("$ref").is_some_and(Value::is_string) {
        let reference = schema.remove("$ref");
        schema.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_3_1_says_otherwise_is_said_as_3_0_has_it() {
        let document = json!({
            "openapi": "3.1.0",
            "info": { "title": "t", "summary": "s", "license": { "name": "MIT", "identifier": "MIT" } },
            "components": { "schemas": { "A": { "type": "object", "properties": {
                "const": { "type": "string", "const": "x" },
                "n": { "type": ["string", "null"], "examples": ["a", "b"] },
                "r": { "$ref": "#/components/schemas/A", "description": "d" },
            } } } },
            "webhooks": { "w": { "post": { "requestBody": { "content": { "application/json": {
                "examples": { "one": { "value": { "const": 1, "type": ["string", "null"] } } },
            } } } } } },
        });
        insta::assert_snapshot!(format!("{:#}", lowered(document)), @r##"
        {
          "openapi": "3.0.3",
          "info": {
            "title": "t",
            "license": {
              "name": "MIT"
            }
          },
          "components": {
            "schemas": {
              "A": {
                "type": "object",
                "properties": {
                  "const": {
                    "type": "string",
                    "enum": [
                      "x"
                    ]
                  },
                  "n": {
                    "type": "string",
                    "nullable": true,
                    "example": "a"
                  },
                  "r": {
                    "description": "d",
                    "allOf": [
                      {
                        "$ref": "#/components/schemas/A"
                      }
                    ]
                  }
                }
              }
            }
          },
          "x-webhooks": {
            "w": {
              "post": {
                "requestBody": {
                  "content": {
                    "application/json": {
                      "examples": {
                        "one": {
                          "value": {
                            "const": 1,
                            "type": [
                              "string",
                              "null"
                            ]
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
        "##);
    }
}
