//! The rules that are measured, as a person would write them, and the calls they mean.

use std::fmt::Write as _;
use std::sync::Arc;

use svc_fixtures::reading::Source;

/// What the rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Exact,
    Contains,
    StartsWith,
    EndsWith,
    Anchored,
    Free,
}

/// Which inputs are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inputs {
    /// Each is meant by a rule.
    Named,
    /// Each is meant by a rule that gives the canned answer: what an unnamed input gets.
    Canned,
    /// No rule means them.
    Unnamed,
}

impl Shape {
    pub(crate) const ALL: [Shape; 6] = [
        Shape::Exact,
        Shape::Contains,
        Shape::StartsWith,
        Shape::EndsWith,
        Shape::Anchored,
        Shape::Free,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Exact => "exact",
            Shape::Contains => "contains",
            Shape::StartsWith => "starts_with",
            Shape::EndsWith => "ends_with",
            Shape::Anchored => "matches ^…$",
            Shape::Free => "matches",
        }
    }

    /// How many rules are compared with the base.
    pub(crate) fn counts(self) -> &'static [usize] {
        match self {
            Shape::Exact => &[1_000, 10_000, 100_000],
            _ => &[1_000],
        }
    }

    fn when(self, number: usize) -> String {
        match self {
            Shape::Exact => format!("pan = \"{}\"", pan(number)),
            Shape::Contains => format!("name = {{ contains = \"NO {number:05}\" }}"),
            Shape::StartsWith => format!("name = {{ starts_with = \"{}\" }}", start(number)),
            Shape::EndsWith => format!("name = {{ ends_with = \"{}\" }}", end(number)),
            Shape::Anchored => {
                let start = start(number);
                format!("name = {{ matches = '^{start} [A-Z]+ \\d{{5}}$' }}")
            }
            Shape::Free => format!("name = {{ matches = 'NO 0*{number:05}( |$)' }}"),
        }
    }
}

/// The file with so many rules. Their outcomes differ as those of people do.
pub(crate) fn file(shape: Shape, count: usize) -> Arc<Source> {
    let mut text = String::new();
    for number in 0..count {
        let when = shape.when(number);
        // In fifths: ten rules have the same shares of each as a thousand.
        let then = match number % 5 {
            0 => "error = \"SVC_NO_RECORD_FOUND\"".to_owned(),
            1 => "error = \"SVC_SOURCE_TIMEOUT\"".to_owned(),
            2 => "success = {}".to_owned(),
            _ => format!("success = {{ nameOnPan = \"PERSON {number}\" }}"),
        };
        let written = write!(
            text,
            "[[scenario]]\nname = \"{} {number}\"\noperation = \"verify.identity.pan\"\n\
             when = {{ {when} }}\nthen = {{ {then} }}\n\n",
            shape.name()
        );
        written.expect("a text takes all that is written");
    }
    Source::new("bench/rules.toml", text)
}

/// The body of a call: one that the rule of this number means, or one like it that none means.
pub(crate) fn body(shape: Shape, number: usize, inputs: Inputs) -> String {
    let number = match inputs {
        Inputs::Canned => number - number % 5 + 2,
        Inputs::Named | Inputs::Unnamed => number,
    };
    let named = inputs != Inputs::Unnamed;
    let (pan, person) = match shape {
        Shape::Exact if named => (pan(number), number),
        _ => (pan(number + 500_000), number),
    };
    let name = match named || shape == Shape::Exact {
        true => name(person),
        false => name(person).replace("NO ", "NR ").replace(' ', "-"),
    };
    format!("{{\"pan\":\"{pan}\",\"name\":\"{name}\"}}")
}

/// Five letters, four digits, a letter: another one for each number below a million.
fn pan(number: usize) -> String {
    let letter = |place: u32| char::from(b'A' + (number / 26_usize.pow(place) % 26) as u8);
    format!("BENC{}{:04}{}", letter(0), number % 10_000, letter(1))
}

fn name(number: usize) -> String {
    format!("{} RAO {number:05}", start(number))
}

fn start(number: usize) -> String {
    format!("PERSON NO {number:05}")
}

fn end(number: usize) -> String {
    format!("RAO {number:05}")
}
