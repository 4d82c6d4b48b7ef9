//! Rows to JSON Schema: the fields of requests and the shapes of answers.

use serde_json::{Map, Value, json};
use svc_fixtures::contract::{
    Contract, Field, Kind, Leaf, Member, MemberPresence, Operation, Presence, Rule, Shape,
};
use svc_fixtures::json::Json;

use super::patterns;

/// The schema of a request body.
pub(super) fn request(contract: &Contract, fields: &[Field]) -> Value {
    let properties = fields.iter();
    let properties: Value = properties
        .map(|it| (it.name.clone(), field(contract, it)))
        .collect();
    let required = fields.iter();
    let required = required.filter(|field| field.presence == Presence::Required);
    let required: Vec<&str> = required.map(|field| field.name.as_str()).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    // Unknown fields are ignored, as of every schema that says nothing of them. Of one that says so, generators make maps:
    // Kotlin's then sends nothing but what is in the map.
    schema
}

fn field(contract: &Contract, field: &Field) -> Value {
    let mut schema = kind(contract, &field.kind, field.may_be_empty);
    let about = match contract.format_of(&field.kind) {
        Some(format) => format!("{}: {}.", field.about, format.about),
        None => format!("{}.", field.about),
    };
    schema["description"] = json!(about);
    if let Presence::Default(value) = &field.presence {
        schema["default"] = plain(value);
    }
    if field.identifies {
        schema["x-identifies-subject"] = json!(true);
    }
    schema
}

/// The same value as `serde_json` holds it.
pub(super) fn plain(value: &Json<'_>) -> Value {
    serde_json::to_value(value).expect("JSON is JSON")
}

fn kind(contract: &Contract, kind: &Kind, may_be_empty: bool) -> Value {
    match kind {
        // Which of all that have the format are right, another service may know of others.
        Kind::Text {
            format: Some(id),
            one_of,
        } => {
            let mut schema = text(&contract.format(*id).rule, may_be_empty);
            if !one_of.is_empty() {
                schema["examples"] = json!(one_of);
            }
            schema
        }
        Kind::Text { one_of, .. } if !one_of.is_empty() => {
            json!({ "type": "string", "enum": one_of })
        }
        Kind::Text { format: None, .. } if may_be_empty => json!({ "type": "string" }),
        Kind::Text { format: None, .. } => json!({ "type": "string", "pattern": "\\S" }),
        Kind::Int { min, max } => bounded("integer", json!(min), json!(max)),
        Kind::Num { min, max } => bounded("number", json!(min), json!(max)),
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::List { items, min_items } => json!({
            "type": "array",
            "items": self::kind(contract, items, false),
            "minItems": min_items,
        }),
        // Of one whose members are free it is said that it has any: it is a map.
        Kind::Object { fields } if fields.is_empty() => {
            json!({ "type": "object", "additionalProperties": true })
        }
        Kind::Object { fields } => request(contract, fields),
    }
}

fn text(rule: &Rule, may_be_empty: bool) -> Value {
    let pattern = match rule {
        Rule::Date(layouts) if *layouts == [ISO_DATE] && !may_be_empty => {
            return json!({ "type": "string", "format": "date" });
        }
        Rule::Pattern(pattern) => pattern.as_str().to_owned(),
        Rule::Date(layouts) => patterns::dates(layouts),
        Rule::Ip => patterns::ip(),
        Rule::Url => patterns::url(),
        Rule::Link => patterns::link(),
        Rule::Decimal { min, max } => patterns::decimal(min.abs().max(*max)),
    };
    let inner = pattern
        .strip_prefix('^')
        .and_then(|it| it.strip_suffix('$'));
    let pattern = match inner.filter(|_| may_be_empty) {
        Some(inner) => format!(r"^(?:\s*|{inner})$"),
        None => pattern,
    };
    json!({ "type": "string", "pattern": pattern })
}

const ISO_DATE: &str = "YYYY-MM-DD";

/// An expression for a layout of `DD`, `MM` and `YYYY`.
fn layout_pattern(layout: &str) -> String {
    let pattern = |character| match character {
        'D' | 'M' | 'Y' => "[0-9]".to_owned(),
        '-' | '/' | ' ' => character.to_string(),
        other => format!("\\{other}"),
    };
    layout.chars().map(pattern).collect()
}

fn bounded(kind: &str, min: Value, max: Value) -> Value {
    let mut schema = json!({ "type": kind });
    for (name, bound) in [("minimum", min), ("maximum", max)] {
        if !bound.is_null() {
            schema[name] = bound;
        }
    }
    schema
}

/// The schema of what an operation answers. What no built-in input is answered with stands beside the
/// values to choose from (ruling 39).
pub(super) fn data(operation: &Operation) -> Value {
    let mut schema = answer(&operation.response);
    for unreachable in &operation.unreachable {
        let place = at(&mut schema, &operation.response, &unreachable.path);
        let known = place["x-unreachable-values"].take();
        let mut values = known.as_array().cloned().unwrap_or_default();
        values.push(json!({ "value": plain(&unreachable.value), "why": unreachable.why }));
        place["x-unreachable-values"] = json!(values);
    }
    schema
}

/// The schema of the place in an answer that a choice names.
fn at<'s>(schema: &'s mut Value, shape: &Shape, path: &str) -> &'s mut Value {
    let Some(path) = path
        .strip_prefix('.')
        .or(Some(path))
        .filter(|path| !path.is_empty())
    else {
        return schema;
    };
    match (path.strip_prefix("[]"), shape) {
        (Some(rest), Shape::List(item)) => at(&mut schema["items"], item, rest),
        (_, Shape::Object(members)) => {
            let begins = |member: &&Member| {
                let rest = path.strip_prefix(member.name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let found = members.iter().filter(begins);
            // A name may have dots of its own.
            let member = found.max_by_key(|member| member.name.len());
            let member = member.expect("the reader found it");
            let rest = &path[member.name.len()..];
            let inner = match member.name.strip_suffix("[#]") {
                Some(stem) => &mut schema["patternProperties"][numbered(stem)],
                None => &mut schema["properties"][&member.name],
            };
            at(inner, &member.shape, rest)
        }
        _ => schema,
    }
}

/// What the names `stem[0]`, `stem[1]` and so on are like.
fn numbered(stem: &str) -> String {
    format!("^{}\\[[0-9]+\\]$", regex_syntax::escape(stem))
}

/// The schema of a value of an answer.
pub(super) fn answer(shape: &Shape) -> Value {
    match shape {
        Shape::Leaf { leaf, nullable, .. } => nulled(self::leaf(leaf), *nullable),
        Shape::List(item) => json!({ "type": "array", "items": answer(item) }),
        Shape::Object(members) => object(members),
        Shape::AnyObject => json!({ "type": "object" }),
    }
}

/// The schema of an object with these members.
pub(super) fn object<'m>(members: impl IntoIterator<Item = &'m Member>) -> Value {
    let (mut properties, mut patterns) = (Map::new(), Map::new());
    let mut required = Vec::new();
    for member in members {
        let mut form = answer(&member.shape);
        if member.extension {
            form["x-simulator-extension"] = json!(true);
        }
        match member.name.strip_suffix("[#]") {
            Some(stem) => {
                patterns.insert(numbered(stem), form);
            }
            None => {
                properties.insert(member.name.clone(), form);
                if member.presence == MemberPresence::Always {
                    required.push(member.name.as_str());
                }
            }
        }
    }
    let mut schema = json!({ "type": "object", "properties": properties });
    if !patterns.is_empty() {
        schema["patternProperties"] = Value::Object(patterns);
    }
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn leaf(leaf: &Leaf) -> Value {
    match leaf {
        Leaf::Text => json!({ "type": "string" }),
        Leaf::OneOf(choices) if choices.len() == 1 => {
            json!({ "type": "string", "const": choices[0] })
        }
        Leaf::OneOf(choices) => json!({ "type": "string", "enum": choices }),
        Leaf::Date {
            layout,
            may_be_empty: false,
        } if layout == ISO_DATE => {
            json!({ "type": "string", "format": "date" })
        }
        Leaf::Date {
            layout,
            may_be_empty,
        } => {
            let optional = if *may_be_empty { "?" } else { "" };
            let pattern = format!("^(?:{}){optional}$", layout_pattern(layout));
            json!({ "type": "string", "pattern": pattern })
        }
        Leaf::Timestamp => json!({ "type": "string", "format": "date-time" }),
        Leaf::DataUri => json!({ "type": "string", "pattern": "^data:[^,]*," }),
        Leaf::Int { range } => {
            let (min, max) = range.unzip();
            bounded("integer", json!(min), json!(max))
        }
        Leaf::Num { range } => {
            let (min, max) = range.unzip();
            bounded("number", json!(min), json!(max))
        }
        Leaf::Bool => json!({ "type": "boolean" }),
    }
}

fn nulled(mut schema: Value, nullable: bool) -> Value {
    if !nullable {
        return schema;
    }
    if let Some(choices) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        choices.push(Value::Null);
    }
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Unreachable;

    use super::*;

    #[test]
    fn layouts_become_expressions() {
        assert_eq!(
            layout_pattern("DD.MM.YYYY"),
            r"[0-9][0-9]\.[0-9][0-9]\.[0-9][0-9][0-9][0-9]"
        );
    }

    #[test]
    fn what_no_input_is_answered_with_stands_beside_the_choice() {
        let contract = Contract::built_in();
        let mut operations = contract.operations.into_iter();
        let mut row = operations
            .find(|row| row.response.member("matches").is_some())
            .expect("some answer lists matches");
        row.response = Shape::Object(vec![Member {
            name: "a.b[#]".to_owned(),
            presence: MemberPresence::Always,
            extension: false,
            shape: Shape::List(Box::new(Shape::Leaf {
                leaf: Leaf::Bool,
                nullable: false,
                ruled: false,
                sure: false,
            })),
        }]);
        row.unreachable = [true, false]
            .map(|value| Unreachable {
                path: "a.b[#][]".to_owned(),
                value: Json::Bool(value),
                why: "Nobody asks.".to_owned(),
            })
            .into();
        let schema = data(&row);
        let place = &schema["patternProperties"][r"^a\.b\[[0-9]+\]$"]["items"];
        let values = &place["x-unreachable-values"];
        assert_eq!(values[1], json!({ "value": false, "why": "Nobody asks." }));
        assert_eq!(place["type"], "boolean");
    }

    #[test]
    fn a_member_that_only_a_ruling_knows_is_marked() {
        let member = |extension| Member {
            name: "n".to_owned(),
            presence: MemberPresence::Always,
            extension,
            shape: Shape::AnyObject,
        };
        let marked = |extension| {
            let schema = object([&member(extension)]);
            schema["properties"]["n"]
                .get("x-simulator-extension")
                .is_some()
        };
        assert_eq!([marked(true), marked(false)], [true, false]);
    }

    #[test]
    fn a_numbered_member_is_a_pattern_of_names() {
        let member = Member {
            name: "owner.name[#]".to_owned(),
            presence: MemberPresence::Always,
            extension: false,
            shape: Shape::Leaf {
                leaf: Leaf::Text,
                nullable: true,
                ruled: false,
                sure: false,
            },
        };
        let schema = object([&member]);
        let named = &schema["patternProperties"][r"^owner\.name\[[0-9]+\]$"];
        assert_eq!(named, &json!({ "type": ["string", "null"] }));
        assert!(schema.get("required").is_none());
    }
}
