//! Conditions in words: what a rule asks of an input, and what an input has there instead. Decides
//! nothing.

use std::borrow::Cow;
use std::fmt::Write as _;

use svc_fixtures::contract::{FieldIndex, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, find, written};

use crate::scenario::matching::{MatchInput, fields};
use crate::scenario::{Condition, NumberRange, Predicate, Selector};

/// A value longer than this is cut where it is shown.
const SHOWN_CHARACTERS: usize = 60;

/// So many of the values of a condition are shown, those nearest to what was sent.
const SHOWN_VALUES: usize = 3;

impl Condition {
    /// What is looked at, as a person calls it.
    #[must_use]
    pub fn selector_name(&self) -> Cow<'_, str> {
        match &self.selector {
            Selector::Field(name) => name.into(),
            Selector::AnyIdentifier => "any identifier".into(),
            Selector::Inside { field, steps } => inside(field, steps).into(),
            Selector::Account => "account".into(),
            Selector::Environment => "environment".into(),
            Selector::Header(name) => name.as_str().into(),
        }
    }

    /// The values that this condition looks at, each with what it is called.
    pub(super) fn found<'q>(
        &self,
        operation: &Operation,
        input: &MatchInput<'q>,
    ) -> Vec<(String, Json<'q>)> {
        let values: Vec<Json<'q>> = match &self.selector {
            Selector::Field(_) | Selector::AnyIdentifier => {
                let fields = fields(&self.selector, operation).into_iter();
                let sent = |at: FieldIndex| {
                    let name = operation.request[at].name.clone();
                    Some((name, (input.field)(at)?.clone()))
                };
                return fields.filter_map(sent).collect();
            }
            Selector::Inside { field, steps } => {
                let value = operation.field(field).and_then(|at| (input.field)(at));
                let values = value.map(|value| find(value, steps)).unwrap_or_default();
                values.into_iter().cloned().collect()
            }
            selector => input.context.found(selector).into_iter().collect(),
        };
        let values = values.into_iter();
        values
            .map(|value| (self.selector_name().into_owned(), value))
            .collect()
    }

    /// What must hold, in words that go on after "must". Of many values those are shown that are
    /// nearest to one of `sent`.
    #[must_use]
    pub fn demand(&self, sent: &[&str]) -> String {
        match &self.predicate {
            Predicate::OneOf(values) => one_of(values, sent),
            Predicate::Contains(part) => format!("contain {}", quoted(part)),
            Predicate::StartsWith(start) => format!("begin with {}", quoted(start)),
            Predicate::EndsWith(end) => format!("end with {}", quoted(end)),
            Predicate::PathEnds(end) => format!("be a URL whose path ends with {}", quoted(end)),
            Predicate::Query(pair) => format!("be a URL with {} in its query", quoted(pair)),
            Predicate::Matches(pattern) => format!("match /{pattern}/"),
            Predicate::Number(range) => format!("be a number {}", bounds(range)),
            Predicate::Present(true) => "be sent".to_owned(),
            Predicate::Present(false) => "not be sent".to_owned(),
        }
    }

    /// What an input has where this condition looks: `pan is "AAAAA0000A"`.
    #[must_use]
    pub fn looked_at(&self, operation: &Operation, input: &MatchInput<'_>) -> String {
        let mut out = String::new();
        for (name, value) in self.found(operation, input) {
            let between = if out.is_empty() { "" } else { ", " };
            write!(out, "{between}{name} is {}", shown(&value)).expect("a text takes all");
        }
        match out.is_empty() {
            true => format!("{} is not sent", self.selector_name()),
            false => out,
        }
    }
}

/// A place inside a field, as it is written in a file.
fn inside(field: &str, steps: &[Step]) -> String {
    let mut all = vec![Step::Member(field.to_owned())];
    all.extend_from_slice(steps);
    written(&all)
}

fn bounds(range: &NumberRange) -> String {
    let bounds = [
        ("at least", range.at_least),
        ("above", range.above),
        ("at most", range.at_most),
        ("below", range.below),
    ];
    let bounds = bounds.into_iter();
    let given = bounds.filter_map(|(word, bound)| Some(format!("{word} {}", bound?)));
    given.collect::<Vec<_>>().join(" and ")
}

fn one_of(values: &[Json<'static>], sent: &[&str]) -> String {
    if let [value] = values {
        return format!("be {}", shown(value));
    }
    let likeness = |value: &&Json<'static>| {
        let text = value.as_text().unwrap_or_default();
        let best = sent.iter().map(|sent| alike(sent, text)).max();
        std::cmp::Reverse(best.unwrap_or(0))
    };
    let mut nearest: Vec<&Json<'static>> = values.iter().collect();
    nearest.sort_by_cached_key(likeness);
    let shown: Vec<String> = nearest
        .iter()
        .take(SHOWN_VALUES)
        .map(|it| shown(it))
        .collect();
    match values.len().checked_sub(SHOWN_VALUES) {
        None | Some(0) => format!("be one of {}", shown.join(", ")),
        Some(more) => format!("be one of {} and {more} more", shown.join(", ")),
    }
}

/// How alike two texts are, in thousandths; the same but for case and spaces is nearly all.
pub(super) fn alike(sent: &str, wanted: &str) -> u32 {
    const BUT_FOR_CASE: u32 = 990;
    const ONE_SLIP: u32 = 850;
    if sent == wanted {
        return 1000;
    }
    let plain = |text: &str| -> String {
        let kept = text.chars().filter(|it| !it.is_whitespace() && *it != '-');
        kept.flat_map(char::to_lowercase).collect()
    };
    if plain(sent) == plain(wanted) {
        return BUT_FOR_CASE;
    }
    let score = (strsim::normalized_damerau_levenshtein(sent, wanted) * 1000.0) as u32;
    // One slip is near however short the text is, but for those that are hardly more than a slip.
    match wanted.chars().count() > 2 && strsim::damerau_levenshtein(sent, wanted) == 1 {
        true => score.max(ONE_SLIP),
        false => score,
    }
}

/// A value for people: cut where it is long.
fn shown(value: &Json<'_>) -> String {
    match value.as_text() {
        Some(text) => quoted(text),
        None => cut(&value.to_string()),
    }
}

fn quoted(text: &str) -> String {
    Json::from(cut(text)).to_string()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearest_to_what_was_sent_is_shown() {
        let values = ["aaa", "bbb", "abc", "abd", "xyz"].map(Json::from).to_vec();
        let condition = Condition {
            selector: Selector::Field("x".to_owned()),
            predicate: Predicate::OneOf(values),
        };
        assert_eq!(
            condition.demand(&["abx"]),
            r#"be one of "abc", "abd", "aaa" and 2 more"#
        );
    }

    #[test]
    fn case_spaces_and_dashes_are_small_slips() {
        assert!(alike("abcpr1234f", "ABCPR1234F") > alike("ABCPR1234G", "ABCPR1234F"));
        assert_eq!(alike("UDYAM KA 01", "UDYAM-KA-01"), 990);
        assert_eq!(alike("a", "a"), 1000);
        assert_eq!(alike("KA08", "KA09"), 850);
        assert!(alike("A1", "A2") < 800);
    }
}
