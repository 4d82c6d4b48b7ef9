//! A JSON value as YAML for people: blocks in the order of the members, and quotes only where they are needed.

use serde_json::Value;

/// The value as a document.
pub(super) fn print(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out.trim_start_matches('\n').to_owned() + "\n"
}

/// Writes a value after its key or its dash: on the same line where it is single, below it where it is not.
fn block(value: &Value, indent: usize, out: &mut String) {
    let margin = "  ".repeat(indent);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                out.push_str(&format!("\n{margin}{}:", scalar(name)));
                block(value, indent + 1, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut inner = String::new();
                block(item, indent + 1, &mut inner);
                // The first member stands on the line of the dash.
                let first = inner.trim_start_matches(['\n', ' ']);
                out.push_str(&format!("\n{margin}- {first}"));
            }
        }
        Value::String(text) => match literal(text) {
            Some(style) => {
                out.push_str(&format!(" {style}"));
                for line in text.trim_end_matches('\n').split('\n') {
                    let margin = if line.is_empty() { "" } else { &margin };
                    out.push_str(&format!("\n{margin}{line}"));
                }
            }
            None => out.push_str(&format!(" {}", scalar(text))),
        },
        single => out.push_str(&format!(" {single}")),
    }
}

/// How a text of several lines is written as it is, where that is possible.
fn literal(text: &str) -> Option<&'static str> {
    let plain = text.chars().all(|c| c == '\n' || !c.is_control());
    let lines = text.trim_end_matches('\n');
    let ends = text.len() - lines.len();
    let begins = !lines.starts_with([' ', '\n']);
    match ends {
        _ if !plain || !begins || !lines.contains('\n') => None,
        0 => Some("|-"),
        1 => Some("|"),
        _ => None,
    }
}

/// A text on one line, with quotes unless every reader takes it for a text without them.
fn scalar(text: &str) -> String {
    const TAKEN: [&str; 10] = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan",
    ];
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '$');
    let known = |c: char| c.is_ascii_alphanumeric() || " -_./$,{}()'`".contains(c);
    let ends = !text.ends_with(' ');
    let taken = TAKEN.contains(&text.to_ascii_lowercase().as_str());
    match begins && ends && !taken && text.chars().all(known) {
        true => text.to_owned(),
        // A JSON text is a YAML text.
        false => Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_written_in_blocks() {
        let value = json!({
            "openapi": "3.1.0", "on": "no", "empty": {}, "none": [], "count": 1.5, "text": "a: b # c",
            "about": "one\n\ntwo\n", "list": [{ "a": 1, "b": [true, null] }, "x", [2, 3]], "200": { "$ref": "#/x" },
        });
        insta::assert_snapshot!(print(&value), @r##"
        openapi: "3.1.0"
        "on": "no"
        empty: {}
        none: []
        count: 1.5
        text: "a: b # c"
        about: |
          one

          two
        list:
          - a: 1
            b:
              - true
              - null
          - x
          - - 2
            - 3
        "200":
          $ref: "#/x"
        "##);
    }
}
