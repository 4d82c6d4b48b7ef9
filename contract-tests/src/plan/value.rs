//! What must hold of one value of an answer, as data. How it is judged is in `verdict/`.

use std::fmt;

use regex::Regex;
use svc_fixtures::json::Json;

use super::place::Place;

/// What must hold of a value. All but [`Test::Absent`] ask for a value to be there.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
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
    /// This holds of the number of its characters or items.
    Length(Box<Test>),
    /// It is a list with items, and this holds of each.
    Each(Box<Test>),
    /// It is a list, and this holds of some item; or a text with this text in it.
    Contains(Box<Test>),
    /// It is one of these.
    OneOf(Vec<Json<'static>>),
    /// It is what stands in the answer to an earlier step.
    SameAs(Earlier),
    /// It is another than what stands in the answer to an earlier step.
    OtherThan(Earlier),
    /// It is a number, and smaller than the one in the answer to an earlier step.
    LessThan(Earlier),
    /// It is of one of these types.
    Type(Vec<JsonType>),
    /// Each of these holds of what stands at a place inside it.
    Has(Vec<(Place, Test)>),
    /// It is there, and this does not hold.
    Not(Box<Test>),
    /// All of these hold.
    All(Vec<Test>),
}

/// A value in the answer to an earlier step of the same case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Earlier {
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
    /// All of them.
    pub const ALL: [JsonType; 7] = [
        JsonType::Text,
        JsonType::Int,
        JsonType::Num,
        JsonType::Bool,
        JsonType::List,
        JsonType::Object,
        JsonType::Null,
    ];

    /// Its name in the examples.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            JsonType::Text => "string",
            JsonType::Int => "int",
            JsonType::Num => "num",
            JsonType::Bool => "bool",
            JsonType::List => "array",
            JsonType::Object => "object",
            JsonType::Null => "null",
        }
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

impl Test {
    /// The values of earlier answers it looks at.
    #[must_use]
    pub fn earlier(&self) -> Vec<&Earlier> {
        match self {
            Test::SameAs(earlier) | Test::OtherThan(earlier) | Test::LessThan(earlier) => {
                vec![earlier]
            }
            Test::Length(test) | Test::Each(test) | Test::Contains(test) | Test::Not(test) => {
                test.earlier()
            }
            Test::Has(tests) => tests.iter().flat_map(|(_, test)| test.earlier()).collect(),
            Test::All(tests) => tests.iter().flat_map(Test::earlier).collect(),
            Test::Is(_)
            | Test::Absent
            | Test::Present
            | Test::Matches(_)
            | Test::AtLeast(_)
            | Test::AtMost(_)
            | Test::OneOf(_)
            | Test::Type(_) => Vec::new(),
        }
    }
}

/// What a finding says was expected.
impl fmt::Display for Test {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Test::Is(value) => write!(out, "{value}"),
            Test::Absent => out.write_str("nothing"),
            Test::Present => out.write_str("any value"),
            Test::Matches(pattern) => write!(out, "a text like {}", pattern.0),
            Test::AtLeast(number) => write!(out, "at least {number}"),
            Test::AtMost(number) => write!(out, "at most {number}"),
            Test::Length(test) => write!(out, "as many items or characters as {test}"),
            Test::Each(test) => write!(out, "items, each {test}"),
            Test::Contains(test) => write!(out, "in it {test}"),
            Test::OneOf(values) => write!(out, "one of {}", joined(values, ", ")),
            Test::SameAs(earlier) => write!(out, "the same as {earlier}"),
            Test::OtherThan(earlier) => write!(out, "another than {earlier}"),
            Test::LessThan(earlier) => write!(out, "less than {earlier}"),
            Test::Type(types) => {
                let names: Vec<_> = types.iter().map(|kind| kind.name()).collect();
                write!(out, "of type {}", names.join(" or "))
            }
            Test::Has(tests) => {
                let each = |(place, test): &(Place, Test)| format!("`{place}` {test}");
                let all: Vec<_> = tests.iter().map(each).collect();
                write!(out, "with {}", all.join(" and "))
            }
            Test::Not(test) => write!(out, "not {test}"),
            Test::All(tests) => out.write_str(&joined(tests, " and ")),
        }
    }
}

impl fmt::Display for Earlier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` of step {}", self.place, self.step + 1)
    }
}

fn joined<T: ToString>(all: &[T], between: &str) -> String {
    let all: Vec<_> = all.iter().map(ToString::to_string).collect();
    all.join(between)
}
