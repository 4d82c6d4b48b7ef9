//! Whether one value of an answer is what a case says of it.

use svc_fixtures::json::Json;

use super::answer::{Answer, Answers, NOTHING_BEFORE, earlier, shown};
use super::finding::Findings;
use crate::plan::{EarlierValue, Place, Predicate};

/// Judges what stands at a place of an answer.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    clause: &str,
    answers: &Answers<'_>,
    answer: &Answer<'_>,
    (place, test): (&Place, &Predicate),
) {
    let compared = test.earlier();
    let missing = |value: &&EarlierValue| earlier(answers, value.step).is_none();
    if compared.iter().any(missing) {
        return findings.skip(NOTHING_BEFORE);
    }
    let found = answer.json.as_ref().and_then(|json| place.find(json));
    let mut expected = test.to_string();
    for value in compared {
        expected = format!("{expected}, which was {}", shown(value_of(answers, value)));
    }
    let fits = holds(test, found, answers);
    findings.must(
        clause,
        fits,
        format_args!("`{place}`"),
        expected,
        shown(found),
    );
}

fn value_of<'x>(answers: &'x Answers<'_>, value: &EarlierValue) -> Option<&'x Json<'x>> {
    let answer = earlier(answers, value.step)?;
    value.place.find(answer.json.as_ref()?)
}

fn holds(test: &Predicate, found: Option<&Json<'_>>, answers: &Answers<'_>) -> bool {
    let Some(found) = found else {
        return match test {
            Predicate::Absent | Predicate::IfPresent(_) => true,
            Predicate::All(tests) => tests.iter().all(|test| holds(test, None, answers)),
            _ => false,
        };
    };
    let then = |value| value_of(answers, value);
    let inside = |test: &Predicate, found: &Json<'_>| holds(test, Some(found), answers);
    match test {
        Predicate::Is(value) => same(found, value),
        Predicate::Absent => false,
        Predicate::Present => true,
        Predicate::Matches(pattern) => found
            .as_text()
            .is_some_and(|text| pattern.is_found_in(text)),
        Predicate::AtLeast(least) => found.as_num().is_some_and(|number| number >= *least),
        Predicate::AtMost(most) => found.as_num().is_some_and(|number| number <= *most),
        Predicate::Length(test) => length(found).is_some_and(|length| inside(test, &length)),
        Predicate::Each(test) => found
            .as_list()
            .is_some_and(|items| !items.is_empty() && items.iter().all(|item| inside(test, item))),
        Predicate::Contains(test) => match (found, &**test) {
            (Json::List(items), test) => items.iter().any(|item| inside(test, item)),
            (Json::Text(text), Predicate::Is(Json::Text(part))) => text.contains(&**part),
            _ => false,
        },
        Predicate::OneOf(values) => values.iter().any(|value| same(found, value)),
        Predicate::SameAs(value) => then(value).is_some_and(|value| same(found, value)),
        Predicate::OtherThan(value) => then(value).is_some_and(|value| !same(found, value)),
        Predicate::LessThan(value) => match (found.as_num(), then(value).and_then(Json::as_num)) {
            (Some(number), Some(then)) => number < then,
            _ => false,
        },
        Predicate::Tells(value, test) => match (then(value), says(found)) {
            (Some(value), Some(says)) => says == inside(test, value) || is_near(test, value),
            _ => false,
        },
        Predicate::Type(types) => types.iter().any(|kind| kind.fits(found)),
        Predicate::Has(tests) => tests
            .iter()
            .all(|(place, test)| holds(test, place.find(found), answers)),
        Predicate::Not(test) => !inside(test, found),
        Predicate::IfPresent(test) => inside(test, found),
        Predicate::All(tests) => tests.iter().all(|test| inside(test, found)),
    }
}

/// Whether rounding in print may have brought a number over a border.
fn is_near(border: &Predicate, found: &Json<'_>) -> bool {
    match (border, found.as_num()) {
        (Predicate::AtLeast(least), Some(number)) => (number - least).abs() < 0.01,
        _ => false,
    }
}

/// What a flag says: a boolean, or a yes or no in words.
fn says(flag: &Json<'_>) -> Option<bool> {
    match flag {
        Json::Bool(says) => Some(*says),
        Json::Text(text) if text.eq_ignore_ascii_case("yes") => Some(true),
        Json::Text(text) if text.eq_ignore_ascii_case("no") => Some(false),
        _ => None,
    }
}

/// How many items or characters it has.
fn length(value: &Json<'_>) -> Option<Json<'static>> {
    let length = match value {
        Json::List(items) => items.len(),
        Json::Object(members) => members.len(),
        Json::Text(text) => text.chars().count(),
        _ => return None,
    };
    i64::try_from(length).ok().map(Json::Int)
}

/// Numbers are compared as numbers, members in any order.
pub(super) fn same(a: &Json<'_>, b: &Json<'_>) -> bool {
    match (a, b) {
        (Json::List(a), Json::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(members), Json::Object(others)) => {
            let mut pairs = members.iter().map(|(name, value)| (value, b.get(name)));
            members.len() == others.len()
                && pairs.all(|(value, other)| other.is_some_and(|other| same(value, other)))
        }
        _ => a == b || (a.as_num().is_some() && a.as_num() == b.as_num()),
    }
}

#[cfg(test)]
mod tests;
