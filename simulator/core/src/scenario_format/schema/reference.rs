//! The reference of the book: every key with what it is, from the schema.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::scenario::read::when::BESIDE_FIELDS;

/// The tables, by heading and definition.
const TABLES: [(&str, &str); 7] = [
    ("`[[scenario]]`", "scenario"),
    ("`when`, beside the fields of the request", "when"),
    ("A test in `when`", "any_test"),
    ("An outcome: `then`, each of `cases`, `finally`", "outcome"),
    ("`[answers]`", "answers"),
    ("`[[expect]]`", "expect"),
    ("`answer`, each of `answers`, `finally`", "answer"),
];

/// The longest list of words that is shown.
const FEW: usize = 3;

/// The keys of scenario files as Markdown tables.
#[must_use]
pub fn reference(schema: &Value) -> String {
    let mut out = String::new();
    for (heading, name) in TABLES {
        let _ = write!(out, "### {heading}\n\n| key | is | what |\n|---|---|---|\n");
        rows(&schema["definitions"][name], "", &mut out);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// A row a key, those of tables inside it below it.
fn rows(schema: &Value, below: &str, out: &mut String) {
    let Some(properties) = members(schema) else {
        return;
    };
    let fields = schema["patternProperties"].is_object() && properties.contains_key("who");
    for (name, schema) in properties {
        if fields && !BESIDE_FIELDS.contains(&name.as_str()) {
            continue;
        }
        let what = schema["description"].as_str().unwrap_or_default();
        let _ = writeln!(out, "| `{below}{name}` | {} | {what} |", form(schema));
        rows(schema, &format!("{below}{name}."), out);
    }
}

/// The members of the first table among what a value can be.
fn members(schema: &Value) -> Option<&Map<String, Value>> {
    let own = schema["properties"].as_object();
    own.or_else(|| choices(schema).iter().find_map(members))
}

fn choices(schema: &Value) -> &[Value] {
    let many = schema["anyOf"].as_array().or(schema["allOf"].as_array());
    many.map(Vec::as_slice).unwrap_or_default()
}

/// What a value can be, in a few words.
fn form(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return match name.rsplit('/').next().unwrap_or_default() {
            "duration" => "duration",
            "outcome" | "final_outcome" => "outcome",
            "when" => "table of tests",
            "answer" => "table",
            _ => "test",
        }
        .to_owned();
    }
    if let Some(words) = schema["enum"].as_array() {
        let few: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        return match few.len() {
            0..=FEW => few.join(", "),
            count => format!("one of {count} words"),
        };
    }
    if !choices(schema).is_empty() {
        let mut forms: Vec<String> = Vec::new();
        let named = |choice: &&Value| choice["$ref"] == "#/definitions/named";
        for choice in choices(schema).iter().filter(|choice| !named(choice)) {
            let form = form(choice);
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
        return forms.join(" or ");
    }
    let bound = |name: &str| schema[name].as_i64();
    match schema["type"].as_str() {
        Some("string") => "text".to_owned(),
        Some("integer") => match (bound("minimum"), bound("maximum")) {
            (Some(low), Some(high)) => format!("whole number from {low} to {high}"),
            (Some(low), None) => format!("whole number from {low}"),
            _ => "whole number".to_owned(),
        },
        Some("number") => "number".to_owned(),
        Some("boolean") => "`true`, `false`".to_owned(),
        Some("array") => format!("list ({})", form(&schema["items"])),
        Some("object") => "table".to_owned(),
        _ => "anything".to_owned(),
    }
}
