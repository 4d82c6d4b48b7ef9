//! Texts of others on a page: shown as text, whatever is in them, and not longer than a page bears.

use maud::{Markup, html};
use serde_json::Value;

use crate::http::invisible::write_out_invisible;

/// The longest text that is shown whole, in characters.
const LONGEST: usize = 16 * 1024;

/// A text with what nobody sees of it written out, cut where it is very long.
pub(super) fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => write_out_invisible(text, &['\n', '\t']),
        Some((end, _)) => format!(
            "{}… (cut here; it has {} characters)",
            write_out_invisible(&text[..end], &['\n', '\t']),
            text.chars().count()
        ),
    }
}

/// A value as JSON, laid out, with members of these paths marked.
pub(super) fn json(value: &Value, marked: &[String]) -> Markup {
    html! { pre tabindex="0" { (render(value, "", 0, marked)) } }
}

/// A text that may be JSON.
pub(super) fn json_text(text: &str, marked: &[String]) -> Markup {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() || value.is_array() => json(&value, marked),
        _ => html! { pre tabindex="0" { (shown(text)) } },
    }
}

fn render(value: &Value, path: &str, depth: usize, marked: &[String]) -> Markup {
    let (inner, outer) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    match value {
        Value::Object(members) if !members.is_empty() => html! {
            "{\n"
            @for (at, (name, value)) in members.iter().enumerate() {
                @let path = match path { "" => name.clone(), path => format!("{path}.{name}") };
                (inner)
                @if marked.iter().any(|one| *one == path || one == name) {
                    mark title="no field of the operation has this name: it was ignored" { (quoted(name)) }
                } @else { (quoted(name)) }
                ": " (render(value, &path, depth + 1, marked))
                @if at + 1 < members.len() { "," }
                "\n"
            }
            (outer) "}"
        },
        Value::Array(items) if !items.is_empty() => html! {
            "[\n"
            @for (at, item) in items.iter().enumerate() {
                (inner) (render(item, path, depth + 1, marked))
                @if at + 1 < items.len() { "," }
                "\n"
            }
            (outer) "]"
        },
        Value::String(text) => html! { (quoted(text)) },
        other => html! { (other.to_string()) },
    }
}

fn quoted(text: &str) -> String {
    shown(&Value::from(text).to_string())
}

/// The badge of an outcome: text and colour say the same.
pub(super) fn badge(status: &str, code: Option<&str>) -> Markup {
    let kind = match status {
        "completed" | "delivered" => "good",
        "pending" | "due" => "wait",
        _ => "bad",
    };
    html! { span class={ "badge " (kind) } { (code.unwrap_or(status)) } }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_others_sent_is_text_and_never_markup() {
        let hostile = json!({ "<b>": "</pre><script>alert(1)</script>\u{202e}" });
        insta::assert_snapshot!(json(&hostile, &["<b>".to_owned()]).into_string(), @r#"
        <pre tabindex="0">{
          <mark title="no field of the operation has this name: it was ignored">&quot;&lt;b&gt;&quot;</mark>: &quot;&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;\u{202e}&quot;
        }</pre>
        "#);
    }

    #[test]
    fn a_very_long_text_is_cut_and_says_so() {
        let long = "x".repeat(1_000_000);
        let shown = shown(&long);
        assert!(shown.len() < LONGEST + 100, "{}", shown.len());
        assert!(shown.ends_with("it has 1000000 characters)"));
    }
}
