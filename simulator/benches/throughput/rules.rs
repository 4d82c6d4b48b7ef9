//! Scenario files with many rules, as a person would write them, and the inputs they mean. All of
//! them give a success: an error costs less to answer.

use std::fmt::Write as _;

/// What the rules look at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// One PAN.
    Exact,
    /// What a name contains, begins with, ends with or matches.
    Pattern,
}

/// Which inputs are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inputs {
    /// Each is meant by a rule.
    Named,
    /// Each is meant by a rule that gives what an unnamed input gets.
    Canned,
    /// No rule means them.
    Unnamed,
}

/// A file with so many rules.
pub(crate) fn file(kind: Kind, count: usize) -> String {
    let mut text = String::new();
    for number in 0..count {
        let when = match (kind, number % 4) {
            (Kind::Exact, _) => format!("pan = \"{}\"", pan(number)),
            (Kind::Pattern, 0) => format!("name = {{ contains = \"NO {number:05}\" }}"),
            (Kind::Pattern, 1) => format!("name = {{ starts_with = \"PERSON NO {number:05}\" }}"),
            (Kind::Pattern, 2) => format!("name = {{ ends_with = \"RAO {number:05}\" }}"),
            (Kind::Pattern, _) => format!("name = {{ matches = '^PERSON NO {number:05} [A-Z]+' }}"),
        };
        // Of two neighbours one is as everybody else, so that few rules have the same share of both.
        let success = match number % 2 {
            0 => String::new(),
            _ => format!("nameOnPan = \"PERSON {number}\""),
        };
        let written = write!(
            text,
            "[[scenario]]\nname = \"bench {number}\"\noperation = \"verify.identity.pan\"\n\
             when = {{ {when} }}\nthen = {{ success = {{ {success} }} }}\n\n"
        );
        written.expect("a text takes all that is written");
    }
    text
}

/// The body of a call: one that the rule of this number means, or one like it that none means. What no rule looks at is
/// another one in each turn, so that few rules are asked by as many different bodies as many.
pub(crate) fn body(kind: Kind, number: usize, turn: usize, inputs: Inputs) -> String {
    let number = match inputs {
        Inputs::Canned => number - number % 2,
        Inputs::Named | Inputs::Unnamed => number,
    };
    let named = inputs != Inputs::Unnamed;
    let pan = match (kind, named) {
        (Kind::Exact, true) => pan(number),
        (Kind::Exact, false) => pan(number + 500_000),
        (Kind::Pattern, _) => pan(turn + 500_000),
    };
    let name = match (kind, named) {
        (Kind::Pattern, true) => format!("PERSON NO {number:05} RAO {number:05}"),
        (Kind::Pattern, false) => format!("PERSON-NR-{number:05}-RAO-{number:05}"),
        (Kind::Exact, _) => format!("PERSON NO {turn:05} RAO {turn:05}"),
    };
    format!("{{\"pan\":\"{pan}\",\"name\":\"{name}\"}}")
}

/// Five letters, four digits, a letter: another one for each number below a million.
fn pan(number: usize) -> String {
    let letter = |place: u32| char::from(b'A' + (number / 10_000 / 26_usize.pow(place) % 26) as u8);
    format!("BEN{}{}{:04}A", letter(1), letter(0), number % 10_000)
}
