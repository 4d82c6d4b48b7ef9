//! The fields of a form that stands for a JSON body, made from what the control API says of each: texts are typed as they are,
//! lists line by line or by ticking, objects field by field. What no field can say stands in one more, as JSON.

use maud::{Markup, html};
use serde_json::{Map, Value};

use super::form::Fields;
use super::layout::{items, member, text};

/// The name of the field for what no other can say.
const REST: &str = "rest";

/// What that field is called.
const OTHERS: &str = "Other members, as JSON";

/// How a value is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Widget {
    Line,
    Choice,
    Lines,
    Ticks,
    Nested,
    Json,
}

fn widget(field: &Value) -> Widget {
    let of_texts = field["items"]["type"] == "text";
    let has = |of: &Value, name: &str| !items(of, name).is_empty();
    match field["type"].as_str() {
        Some("boolean") => Widget::Choice,
        Some("list") if of_texts && has(&field["items"], "oneOf") => Widget::Ticks,
        Some("list") if of_texts => Widget::Lines,
        Some("object") if has(field, "fields") => Widget::Nested,
        Some("list" | "object") => Widget::Json,
        _ if has(field, "oneOf") => Widget::Choice,
        _ => Widget::Line,
    }
}

/// The body that was typed; with what is wrong with the other members, which no service is asked with. What can't be read
/// as its field is sent as it was typed: the service says what is wrong.
pub(super) fn typed_body(fields: &[Value], typed: &Fields) -> (Map<String, Value>, Option<String>) {
    let mut body = typed_members(fields, "field", typed);
    match typed.filled(REST).map(serde_json::from_str) {
        Some(Ok(Value::Object(rest))) => body.extend(rest),
        Some(Ok(_)) => {
            return (
                body,
                Some(format!("{OTHERS} are an object: {{\"name\": …}}")),
            );
        }
        Some(Err(error)) => return (body, Some(format!("{OTHERS}: {error}"))),
        None => {}
    }
    (body, None)
}

fn typed_members(fields: &[Value], prefix: &str, typed: &Fields) -> Map<String, Value> {
    let mut members = Map::new();
    for field in fields {
        let name = field["name"].as_str().unwrap_or_default();
        let input = format!("{prefix}.{name}");
        if let Some(value) = typed_value(field, &input, typed) {
            members.insert(name.to_owned(), value);
        }
    }
    members
}

/// What was typed into a field; nothing where it was left out.
fn typed_value(field: &Value, input: &str, typed: &Fields) -> Option<Value> {
    match widget(field) {
        Widget::Nested => {
            let members = typed_members(items(field, "fields"), input, typed);
            (!members.is_empty()).then_some(Value::Object(members))
        }
        Widget::Ticks => {
            let ticked: Vec<&str> = typed.all(input).filter(|it| !it.is_empty()).collect();
            (!ticked.is_empty()).then(|| Value::from(ticked))
        }
        Widget::Lines => {
            let lines = typed.get(input).lines().map(str::trim);
            let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            (!lines.is_empty()).then(|| Value::from(lines))
        }
        Widget::Line | Widget::Choice if field["type"] == "text" => {
            typed.filled(input).map(Value::from)
        }
        Widget::Line | Widget::Choice | Widget::Json => {
            let value = typed.filled(input)?;
            Some(serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)))
        }
    }
}

/// The fields of a form that is filled with this body. What was typed for the other members is left to be mended where it
/// could not be read.
pub(super) fn render(fields: &[Value], body: &Value, typed: &Fields) -> Markup {
    let mut rest = body.as_object().cloned().unwrap_or_default();
    let mut shown = Vec::new();
    for field in fields {
        let name = field["name"].as_str().unwrap_or_default();
        let value = rest
            .get(name)
            .filter(|value| can_say(field, value))
            .cloned();
        if value.is_some() {
            rest.remove(name);
        }
        shown.push(render_field(
            field,
            &format!("field.{name}"),
            value.as_ref(),
        ));
    }
    let unread = typed_body(fields, typed).1.and(typed.filled(REST));
    let rest = match (unread, rest.is_empty()) {
        (Some(unread), _) => unread.to_owned(),
        (None, true) => String::new(),
        (None, false) => format!("{:#}", Value::Object(rest)),
    };
    html! {
        @for field in &shown { (field) }
        details open[!rest.is_empty()] {
            summary { (OTHERS) }
            label {
                span { "An object: its members are added, and win" }
                textarea name=(REST) rows="3" spellcheck="false" { (super::layout::lines(&rest)) }
            }
        }
    }
}

/// Whether a field can say a value, so that it is read again as it is.
fn can_say(field: &Value, value: &Value) -> bool {
    match widget(field) {
        Widget::Nested => {
            let known = |name: &String| {
                items(field, "fields")
                    .iter()
                    .find(|it| it["name"] == **name)
            };
            value.as_object().is_some_and(|members| {
                !members.is_empty()
                    && members
                        .iter()
                        .all(|(name, value)| known(name).is_some_and(|field| can_say(field, value)))
            })
        }
        Widget::Ticks => texts(value).is_some_and(|ticked| {
            let choices = items(&field["items"], "oneOf");
            !ticked.is_empty()
                && ticked
                    .iter()
                    .all(|it| choices.iter().any(|choice| choice == it))
        }),
        Widget::Choice if field["type"] == "text" => items(field, "oneOf").contains(value),
        Widget::Choice => value.is_boolean(),
        Widget::Line | Widget::Lines | Widget::Json => {
            let typed = Fields::one("it", &as_text(field, value));
            typed_value(field, "it", &typed).as_ref() == Some(value)
        }
    }
}

fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// A value as it is typed.
fn as_text(field: &Value, value: &Value) -> String {
    match (value, widget(field)) {
        (Value::String(it), _) => it.clone(),
        (list, Widget::Lines) => texts(list).map_or_else(|| list.to_string(), |it| it.join("\n")),
        (other, Widget::Json) => format!("{other:#}"),
        (other, _) => other.to_string(),
    }
}

fn render_field(field: &Value, input: &str, value: Option<&Value>) -> Markup {
    let required = field["required"] == true;
    let name = field["name"].as_str().unwrap_or_default();
    let typed = value.map_or_else(String::new, |value| as_text(field, value));
    let about = html! {
        span { (text(name)) @if required { " (required)" } ": " (member(field, "about")) }
    };
    let rule = html! { span.quiet { (member(field, "rule")) } };
    match widget(field) {
        Widget::Nested => html! {
            fieldset {
                legend { (about) }
                @for inner in items(field, "fields") {
                    @let name = inner["name"].as_str().unwrap_or_default();
                    (render_field(inner, &format!("{input}.{name}"), value.and_then(|it| it.get(name))))
                }
            }
        },
        Widget::Ticks => html! {
            fieldset {
                legend { (about) }
                @let ticked = value.and_then(texts).unwrap_or_default();
                @for choice in items(&field["items"], "oneOf").iter().filter_map(Value::as_str) {
                    label.tick { input type="checkbox" name=(input) value=(choice) checked[ticked.contains(&choice)]; " " (text(choice)) }
                }
                (rule)
            }
        },
        Widget::Lines => html! {
            label {
                (about)
                textarea.few name=(input) rows="3" spellcheck="false" { (super::layout::lines(&typed)) }
                span.quiet { "one in a line; " (member(field, "rule")) }
            }
        },
        Widget::Json => html! {
            label {
                (about)
                textarea.few name=(input) rows="3" spellcheck="false" { (super::layout::lines(&typed)) }
                span.quiet { "as JSON; " (member(field, "rule")) }
            }
        },
        Widget::Choice => html! {
            label {
                (about)
                select name=(input) {
                    @if !required || field["type"] == "boolean" || typed.is_empty() { option value="" { "left out" } }
                    @for choice in choices(field) { option value=(choice) selected[choice == typed] { (text(choice)) } }
                }
                (rule)
            }
        },
        Widget::Line => html! {
            label { (about) input name=(input) value=(typed); (rule) }
        },
    }
}

fn choices(field: &Value) -> Vec<&str> {
    match field["type"].as_str() {
        Some("boolean") => vec!["true", "false"],
        _ => items(field, "oneOf")
            .iter()
            .filter_map(Value::as_str)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields() -> Vec<Value> {
        let text = |name: &str| json!({ "name": name, "type": "text" });
        let list =
            |name: &str, items: Value| json!({ "name": name, "type": "list", "items": items });
        vec![
            text("name"),
            json!({ "name": "months", "type": "integer" }),
            json!({ "name": "agreed", "type": "boolean" }),
            json!({ "name": "kind", "type": "text", "oneOf": ["A", "B"] }),
            list("urls", json!({ "type": "text" })),
            list("kinds", json!({ "type": "text", "oneOf": ["X", "Y"] })),
            json!({ "name": "artifact", "type": "object", "fields": [text("ip"), text("at")] }),
            json!({ "name": "any", "type": "object" }),
        ]
    }

    /// What a browser sends of a form as it was rendered, by the values of its fields.
    fn sent(form: &str) -> Fields {
        Fields::of(form.as_bytes())
    }

    #[test]
    fn each_kind_of_field_is_read_as_its_kind() {
        let form = "field.name=Asha+Rao&field.months=12&field.agreed=true&field.kind=B&field.urls=a%0D%0A%0D%0A+b\
                    &field.kinds=X&field.kinds=Y&field.artifact.ip=1.2.3.4&field.artifact.at=&field.any=%7B%22a%22%3A1%7D";
        let body = Value::Object(typed_body(&fields(), &sent(form)).0);
        assert_eq!(
            body,
            json!({
                "name": "Asha Rao", "months": 12, "agreed": true, "kind": "B", "urls": ["a", "b"],
                "kinds": ["X", "Y"], "artifact": { "ip": "1.2.3.4" }, "any": { "a": 1 },
            })
        );
    }

    #[test]
    fn what_is_no_value_of_its_field_is_sent_as_it_was_typed() {
        let form = "field.months=many&field.any=%7B&rest=%7B%22more%22%3Anull%7D";
        let body = Value::Object(typed_body(&fields(), &sent(form)).0);
        assert_eq!(body, json!({ "months": "many", "any": "{", "more": null }));
    }

    #[test]
    fn other_members_that_are_no_object_are_sent_nowhere_and_left_to_be_mended() {
        for (typed, mistake) in [
            ("rest={%22a%22:1}", None),
            (
                "rest=no+json",
                Some("Other members, as JSON: expected ident"),
            ),
            ("rest=[1]", Some("Other members, as JSON are an object")),
        ] {
            let (body, found) = typed_body(&fields(), &sent(typed));
            assert_eq!(found.is_some(), mistake.is_some(), "{typed}");
            let found = found.unwrap_or_default();
            assert!(found.starts_with(mistake.unwrap_or_default()), "{found}");
            assert!(!body.contains_key("rest"), "{typed}");
        }
        let form = render(&fields(), &json!({}), &sent("rest=no+json")).into_string();
        assert!(form.contains("no json</textarea>"), "{form}");
    }

    #[test]
    fn a_body_fills_the_form_and_what_no_field_can_say_stands_in_one_more() {
        let odd = json!({
            "name": null, "months": "12", "agreed": false, "kind": "C", "urls": ["a\nb"], "kinds": ["X", "Z"],
            "artifact": { "ip": "1.2.3.4", "other": 1 }, "more": [1],
        });
        let form = render(&fields(), &odd, &Fields::default()).into_string();
        assert!(
            form.contains(r#"<option value="false" selected>"#),
            "{form}"
        );
        for member in [
            "name", "months", "kind", "urls", "kinds", "artifact", "more",
        ] {
            let quoted = format!("&quot;{member}&quot;: ");
            assert!(form.contains(&quoted), "{member}: {form}");
        }
        let plain = json!({ "name": "Asha", "urls": ["a", "b"], "kinds": ["Y"], "artifact": { "ip": "x" } });
        let form = render(&fields(), &plain, &Fields::default()).into_string();
        assert!(!form.contains("&quot;"), "{form}");
        assert!(form.contains(">a\nb</textarea>"), "{form}");
        assert!(
            form.contains(r#"name="field.kinds" value="Y" checked"#),
            "{form}"
        );
        assert!(
            form.contains(r#"name="field.artifact.ip" value="x""#),
            "{form}"
        );
    }
}
