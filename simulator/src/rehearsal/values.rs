//! Values that a predicate may hold for, made from a sample. Makes suggestions: a caller tries them.

use svc_fixtures::json::Json;
use svc_fixtures::sample::first_text;

use super::pattern;
use crate::scenario::{NumberRange, Predicate};

/// So many places in a text are tried for what must be in it.
const PLACES: usize = 24;

/// Numbers at the bounds of a range and just beside them, written as the sample is.
fn numbers(range: &NumberRange, sample: &Json<'static>) -> Vec<Json<'static>> {
    let beside = |bound: Option<f64>, by: [f64; 2]| bound.map(|bound| by.map(|by| bound + by));
    let found = [
        range.at_least.map(|bound| [bound; 2]),
        range.at_most.map(|bound| [bound; 2]),
        beside(range.above, [1.0, 0.001]),
        beside(range.below, [-1.0, -0.001]),
    ];
    let found = found.into_iter().flatten().flatten();
    let as_sample = |number: f64| match sample {
        Json::Text(_) => Json::from(number.to_string()),
        _ if number.fract() == 0.0 => Json::Int(number as i64),
        _ => Json::Num(number),
    };
    found
        .filter(|number| range.contains(*number))
        .map(as_sample)
        .collect()
}

/// Values that a test may hold for, in the form of the sample: a list where that is one.
pub(super) fn values(predicate: &Predicate, sample: &Json<'static>) -> Vec<Json<'static>> {
    let base = first_text(sample);
    let values: Vec<Json<'static>> = match predicate {
        Predicate::OneOf(values) => values.clone(),
        Predicate::PathEnds(end) => {
            let after_scheme = base.find("://").map(|at| at + 3);
            let host =
                after_scheme.map(|at| base[at..].find('/').map_or(base, |to| &base[..at + to]));
            host.map(|host| Json::from(format!("{host}{end}")))
                .into_iter()
                .collect()
        }
        Predicate::Query(pair) => {
            let path = base.split(['?', '#']).next().unwrap_or_default();
            vec![Json::from(format!("{path}?{pair}"))]
        }
        Predicate::Contains(part) | Predicate::StartsWith(part) | Predicate::EndsWith(part) => {
            around(part, base)
        }
        Predicate::Matches(expression) => {
            let example = pattern::example(expression.as_str());
            example.map_or_else(Vec::new, |example| around(&example, base))
        }
        Predicate::Number(range) => numbers(range, sample),
        Predicate::Present(_) => Vec::new(),
    };
    let listed = |value: Json<'static>| match (sample, &value) {
        (Json::List(_), Json::Text(_)) => Json::List(vec![value]),
        _ => value,
    };
    values.into_iter().map(listed).collect()
}

/// The sample with a part in the place of its beginning, of its end, before and after it; the part alone;
/// and the part in the place of what stands anywhere else.
fn around(part: &str, sample: &str) -> Vec<Json<'static>> {
    let characters: Vec<char> = sample.chars().collect();
    let length = part.chars().count().min(characters.len());
    let last = characters.len() - length;
    let at = |at: usize| {
        let head: String = characters[..at].iter().collect();
        let tail: String = characters[at + length..].iter().collect();
        format!("{head}{part}{tail}")
    };
    let texts = [
        at(0),
        at(last),
        part.to_owned(),
        format!("{part}{sample}"),
        format!("{sample}{part}"),
        format!("{part} {sample}"),
        format!("{sample} {part}"),
    ];
    let inner = (1..last.min(PLACES)).map(at);
    texts.into_iter().chain(inner).map(Json::from).collect()
}
