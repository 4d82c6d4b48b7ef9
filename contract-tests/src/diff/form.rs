//! The form of a value: what two services are compared by where the value itself is data.

use std::collections::BTreeSet;
use std::fmt;

use jiff::Timestamp;
use svc_fixtures::contract::parse_date;
use svc_fixtures::json::Json;

/// The longest value that is shown as it is.
const LONGEST: usize = 60;

/// The form of a value, or the value where services must agree on it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without a fraction.
    Whole,
    /// Any other number.
    Fraction,
    /// A number outside the range it has by the contract.
    Outside,
    /// A text without a layout.
    Text,
    /// The empty text.
    Empty,
    /// A text of this layout.
    Layout(&'static str),
    /// A list.
    List,
    /// An object.
    Object,
    /// This value, where the value counts.
    Said(String),
}

/// What JSON calls a value: a difference of these is one of type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueType {
    Null,
    Bool,
    Number,
    Text,
    List,
    Object,
}

/// A date with its day first.
pub(crate) const DAY_FIRST: &str = "date DD/MM/YYYY";
/// A date with its month first.
const MONTH_FIRST: &str = "date MM/DD/YYYY";
/// A date of which that is not clear.
const EITHER_FIRST: &str = "date with slashes";

/// Dates with slashes of which it is clear what stands first.
const CLEAR: [&str; 2] = [DAY_FIRST, MONTH_FIRST];

/// Whether these are the same dates for all that can be seen: of one it is not clear what stands first.
pub(super) fn may_be_one(left: &BTreeSet<Form>, right: &BTreeSet<Form>) -> bool {
    let either = BTreeSet::from([Form::Layout(EITHER_FIRST)]);
    let slashes = |forms: &BTreeSet<Form>| {
        let mut all = forms.iter();
        forms.len() == 1 && all.any(|it| CLEAR.iter().any(|clear| *it == Form::Layout(clear)))
    };
    *left == either && slashes(right) || *right == either && slashes(left)
}

/// What is said of dates of which it is not clear what stands first, and what it may be.
pub(super) fn unclear() -> (String, [String; 2]) {
    let words = |layout| Form::Layout(layout).to_string();
    (words(EITHER_FIRST), CLEAR.map(words))
}

/// The layouts of dates, with how they are read.
const DATES: [(&str, &str); 4] = [
    ("date YYYY-MM-DD", "YYYY-MM-DD"),
    ("date DD-MM-YYYY", "DD-MM-YYYY"),
    ("date YYYY-MM", "YYYY-MM"),
    ("date MM/YYYY", "MM/YYYY"),
];

impl Form {
    /// The form of a value.
    #[must_use]
    pub fn of(value: &Json<'_>) -> Self {
        match value {
            Json::Null => Form::Null,
            Json::Bool(_) => Form::Bool,
            Json::Int(_) => Form::Whole,
            Json::Num(number) if number.fract() == 0.0 => Form::Whole,
            Json::Num(_) => Form::Fraction,
            Json::Text(text) => Form::of_text(text),
            Json::List(_) => Form::List,
            Json::Object(_) => Form::Object,
        }
    }

    fn of_text(text: &str) -> Self {
        if text.is_empty() {
            return Form::Empty;
        }
        if text.starts_with("data:") && text.contains(',') {
            return Form::Layout("data: URI");
        }
        if text.starts_with("https://") || text.starts_with("http://") {
            return Form::Layout("address");
        }
        let reads = |layout| parse_date(layout, text).is_some();
        if let Some((name, _)) = DATES.iter().find(|(_, layout)| reads(layout)) {
            return Form::Layout(name);
        }
        match (reads("DD/MM/YYYY"), reads("MM/DD/YYYY")) {
            (true, true) => return Form::Layout(EITHER_FIRST),
            (true, false) => return Form::Layout(DAY_FIRST),
            (false, true) => return Form::Layout(MONTH_FIRST),
            (false, false) => {}
        }
        let instant = text.len() > 10 && text.as_bytes().get(10) == Some(&b'T');
        match instant && text.parse::<Timestamp>().is_ok() {
            true if text.ends_with('Z') || text.ends_with("+00:00") => Form::Layout("timestamp"),
            true => Form::Layout("timestamp with an offset"),
            false => Form::Text,
        }
    }

    /// A value that counts itself, as it is printed.
    pub(super) fn said(value: &Json<'_>) -> Self {
        let text = match value {
            Json::Text(text) => text.to_string(),
            other => other.to_string(),
        };
        match text.chars().count() > LONGEST {
            true => Form::Said(text.chars().take(LONGEST).chain(['…']).collect()),
            false => Form::Said(text),
        }
    }

    pub(super) fn json_type(&self) -> Option<ValueType> {
        Some(match self {
            Form::Null => ValueType::Null,
            Form::Bool => ValueType::Bool,
            Form::Whole | Form::Fraction | Form::Outside => ValueType::Number,
            Form::Text | Form::Empty | Form::Layout(_) => ValueType::Text,
            Form::List => ValueType::List,
            Form::Object => ValueType::Object,
            Form::Said(_) => return None,
        })
    }
}

/// These forms without those that say nothing beside others: of a list of dates some may be read in two ways.
#[must_use]
pub fn settled(forms: &BTreeSet<Form>) -> BTreeSet<Form> {
    let either = Form::Layout(EITHER_FIRST);
    let mut settled = forms.clone();
    if CLEAR
        .iter()
        .any(|layout| forms.contains(&Form::Layout(layout)))
    {
        settled.remove(&either);
    }
    if settled.contains(&Form::Fraction) {
        settled.remove(&Form::Whole);
    }
    settled
}

impl fmt::Display for ValueType {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            ValueType::Null => "null",
            ValueType::Bool => "true or false",
            ValueType::Number => "a number",
            ValueType::Text => "a text",
            ValueType::List => "a list",
            ValueType::Object => "an object",
        })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Whole => out.write_str("a whole number"),
            Form::Fraction => out.write_str("a number with a fraction"),
            Form::Outside => out.write_str("a number outside its range"),
            Form::Empty => out.write_str("an empty text"),
            Form::Layout(name) if name.starts_with('a') => write!(out, "an {name}"),
            Form::Layout(name) => write!(out, "a {name}"),
            Form::Said(value) => out.write_str(value),
            other => match other.json_type() {
                Some(kind) => kind.fmt(out),
                None => Ok(()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_layout_that_a_reader_would_see_in_it() {
        let form = |text: &str| Form::of_text(text).to_string();
        assert_eq!(form("2020-01-31"), "a date YYYY-MM-DD");
        assert_eq!(form("31/01/2020"), "a date DD/MM/YYYY");
        assert_eq!(form("01/31/2020"), "a date MM/DD/YYYY");
        assert_eq!(form("01/02/2020"), "a date with slashes");
        assert_eq!(form("2020-01"), "a date YYYY-MM");
        assert_eq!(form("2027-01-15T08:00:00Z"), "a timestamp");
        assert_eq!(
            form("2027-01-15T08:00:00+05:30"),
            "a timestamp with an offset"
        );
        assert_eq!(form("https://a.example/b"), "an address");
        assert_eq!(form("31/31/2020"), "a text");
        assert_eq!(form(""), "an empty text");
    }

    #[test]
    fn a_date_that_can_be_read_in_two_ways_is_what_those_beside_it_are() {
        let forms = |texts: &[&str]| {
            let forms: BTreeSet<_> = texts.iter().map(|text| Form::of_text(text)).collect();
            let settled = settled(&forms);
            settled.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(forms(&["01/02/2020", "01/31/2020"]), ["a date MM/DD/YYYY"]);
        assert_eq!(forms(&["01/02/2020"]), ["a date with slashes"]);
    }
}
