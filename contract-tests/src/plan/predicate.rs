//! What must hold of one value of an answer, as data. How it is judged is in `verdict/`.

use std::fmt;

use regex::Regex;
use svc_fixtures::json::Json;

use super::place::Place;

/// What must hold of a value. All but [`Predicate::Absent`] and [`Predicate::IfPresent`] ask for a
/// value to be there.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicate {
    /// It is this; numbers are compared as numbers, members in any order.
    Is(Json<'static>),
    /// It is not there.
    Absent,
    /// It is there, whatever it is.
    Present,
    /// It is a text in which this is found.
    Matches(Pattern),
    /// It is a number, and no smaller.
    AtLeast(f64),
    /// It is a number, and no greater.
    AtMost(f64),
    /// This holds of the number of its characters, items or members.
    Length(Box<Predicate>),
    /// It is a list with items, and this holds of each.
    Each(Box<Predicate>),
    /// It is a list, and this holds of some item; or a text with this text in it.
    Contains(Box<Predicate>),
    /// It is one of these.
    OneOf(Vec<Json<'static>>),
    /// It is what stands in the answer to an earlier step.
    SameAs(EarlierValue),
    /// It is another than what stands in the answer to an earlier step.
    OtherThan(EarlierValue),
    /// It is a number, and smaller than the one in the answer to an earlier step.
    LessThan(EarlierValue),
    /// It says whether this holds of a value of an answer.
    Tells(EarlierValue, Box<Predicate>),
    /// It is of one of these types.
    Type(Vec<JsonType>),
    /// Each of these holds of what stands at a place inside it.
    Has(Vec<(Place, Predicate)>),
    /// It is there, and this does not hold.
    Not(Box<Predicate>),
    /// This holds of it, or it is not there.
    IfPresent(Box<Predicate>),
    /// All of these hold.
    All(Vec<Predicate>),
}

/// A value in the answer to an earlier step of the same case, or to the step itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierValue {
    /// The step.
    pub step: usize,
    /// Where it stands in that answer.
    pub place: Place,
}

/// A regular expression, equal to another with the same text.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// Reads an expression; it may be found anywhere in a text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(text: &str) -> Result<Self, regex::Error> {
        Regex::new(text).map(Pattern)
    }

    /// Whether it is found in a text.
    #[must_use]
    pub fn is_found_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

/// A type of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// A string.
    Text,
    /// A number without a fraction.
    Int,
    /// Any number.
    Num,
    /// `true` or `false`.
    Bool,
    /// An array.
    List,
    /// An object.
    Object,
    /// `null`
    Null,
}

impl JsonType {
    /// All of them, with their names in the examples.
    pub const ALL: [(&str, JsonType); 7] = [
        ("string", JsonType::Text),
        ("int", JsonType::Int),
        ("num", JsonType::Num),
        ("bool", JsonType::Bool),
        ("array", JsonType::List),
        ("object", JsonType::Object),
        ("null", JsonType::Null),
    ];

    /// Its name in the examples.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut all = JsonType::ALL.iter();
        all.find(|(_, kind)| *kind == self)
            .map_or("", |(name, _)| name)
    }

    /// Whether a value is of this type.
    #[must_use]
    pub fn fits(self, value: &Json<'_>) -> bool {
        match self {
            JsonType::Text => matches!(value, Json::Text(_)),
            JsonType::Int => matches!(value, Json::Int(_)),
            JsonType::Num => matches!(value, Json::Int(_) | Json::Num(_)),
            JsonType::Bool => matches!(value, Json::Bool(_)),
            JsonType::List => matches!(value, Json::List(_)),
            JsonType::Object => matches!(value, Json::Object(_)),
            JsonType::Null => matches!(value, Json::Null),
        }
    }
}

impl Predicate {
    /// Itself and every predicate inside it.
    #[must_use]
    pub fn all(&self) -> Vec<&Predicate> {
        let inside: Vec<&Predicate> = match self {
            Predicate::Length(test)
            | Predicate::Each(test)
            | Predicate::Contains(test)
            | Predicate::Not(test)
            | Predicate::IfPresent(test) => vec![test],
            Predicate::Has(tests) => tests.iter().map(|(_, test)| test).collect(),
            Predicate::All(tests) => tests.iter().collect(),
            _ => Vec::new(),
        };
        let inside = inside.into_iter().flat_map(Predicate::all);
        [self].into_iter().chain(inside).collect()
    }

    /// The values of earlier answers it looks at.
    #[must_use]
    pub fn earlier(&self) -> Vec<&EarlierValue> {
        let tests = self.all().into_iter();
        let earlier = tests.filter_map(|test| match test {
            Predicate::SameAs(value) | Predicate::OtherThan(value) => Some(value),
            Predicate::LessThan(value) | Predicate::Tells(value, _) => Some(value),
            _ => None,
        });
        earlier.collect()
    }
}

/// What a finding says was expected.
impl fmt::Display for Predicate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Predicate::Is(value) => write!(out, "{value}"),
            Predicate::Absent => out.write_str("nothing"),
            Predicate::Present => out.write_str("any value"),
            Predicate::Matches(pattern) => write!(out, "a text like {}", pattern.0),
            Predicate::AtLeast(number) => write!(out, "at least {number}"),
            Predicate::AtMost(number) => write!(out, "at most {number}"),
            Predicate::Length(test) => {
                write!(out, "{test} items, members or characters")
            }
            Predicate::Each(test) => write!(out, "items, each {test}"),
            Predicate::Contains(test) => write!(out, "in it {test}"),
            Predicate::OneOf(values) => write!(out, "one of {}", joined(values, ", ")),
            Predicate::SameAs(earlier) => write!(out, "the same as {earlier}"),
            Predicate::OtherThan(earlier) => write!(out, "another than {earlier}"),
            Predicate::LessThan(earlier) => write!(out, "less than {earlier}"),
            Predicate::Tells(value, test) => write!(out, "whether {value} is {test}"),
            Predicate::Type(types) => {
                let names: Vec<_> = types.iter().map(|kind| kind.name()).collect();
                write!(out, "of type {}", names.join(" or "))
            }
            Predicate::Has(tests) => {
                let each = |(place, test): &(Place, Predicate)| format!("`{place}` {test}");
                let all: Vec<_> = tests.iter().map(each).collect();
                write!(out, "with {}", all.join(" and "))
            }
            Predicate::Not(test) => write!(out, "not {test}"),
            Predicate::IfPresent(test) => write!(out, "nothing, or {test}"),
            Predicate::All(tests) => out.write_str(&joined(tests, " and ")),
        }
    }
}

impl fmt::Display for EarlierValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` of step {}", self.place, self.step + 1)
    }
}

fn joined<T: ToString>(all: &[T], between: &str) -> String {
    let all: Vec<_> = all.iter().map(ToString::to_string).collect();
    all.join(between)
}
