//! Differences between two bodies, for people: pretty JSON, line by line.

use similar::TextDiff;

/// How many equal lines are shown around a difference.
const AROUND: usize = 2;

/// The difference between two JSON documents, as a unified diff of their pretty prints. None where
/// one is something else: then a person sees it at once.
#[must_use]
pub fn between(expected: &str, found: &str) -> Option<String> {
    let (old, new) = (pretty(expected)?, pretty(found)?);
    let diff = TextDiff::from_lines(&old, &new);
    let mut unified = diff.unified_diff();
    let out = unified
        .context_radius(AROUND)
        .header("expected", "found")
        .to_string();
    // Only the white space differs: the documents are the same, the bytes are not.
    Some(if out.is_empty() {
        "the same JSON value in other bytes\n".to_owned()
    } else {
        out
    })
}

/// An object over several lines, as it is written; none for anything else.
fn pretty(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.is_object().then(|| format!("{value:#}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_documents_differ_line_by_line() {
        let found = between(
            r#"{"a":1,"b":2,"c":3,"d":4}"#,
            r#"{"a":1,"b":2,"c":4,"d":4}"#,
        );
        insta::assert_snapshot!(found.expect("both are objects"), @r#"
        --- expected
        +++ found
        @@ -2,5 +2,5 @@
           "a": 1,
           "b": 2,
        -  "c": 3,
        +  "c": 4,
           "d": 4
         }
        "#);
        assert_eq!(between("200", "404"), None);
    }
}
