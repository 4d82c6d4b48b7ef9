//! The values of an envelope that have no parts, each with its path.

use svc_fixtures::json::Json;

/// A value without parts, or an array or object without any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct EnvelopeLeaf<'j>(pub &'j Json<'static>);

impl<'j> EnvelopeLeaf<'j> {
    /// Its text, where it is one.
    #[must_use]
    pub(super) fn text(&self) -> Option<&'j str> {
        self.0.as_text()
    }
}

/// The values without parts, each with its path.
#[must_use]
pub(super) fn leaves<'j>(json: &'j Json<'static>) -> Vec<(String, EnvelopeLeaf<'j>)> {
    let mut found = Vec::new();
    collect(json, String::new(), &mut found);
    found
}

fn collect<'j>(json: &'j Json<'static>, path: String, found: &mut Vec<(String, EnvelopeLeaf<'j>)>) {
    match json {
        Json::Object(members) if !members.is_empty() => {
            for (name, value) in members {
                let below = if path.is_empty() {
                    name.to_string()
                } else {
                    format!("{path}.{name}")
                };
                collect(value, below, found);
            }
        }
        Json::List(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                collect(item, format!("{path}[{at}]"), found);
            }
        }
        _ => found.push((path, EnvelopeLeaf(json))),
    }
}

/// Whether two values are the same to readers of JSON.
#[must_use]
pub(super) fn same(left: &Json<'_>, right: &Json<'_>) -> bool {
    let numbers = left.as_num().zip(right.as_num());
    left == right || numbers.is_some_and(|(left, right)| left.total_cmp(&right).is_eq())
}
