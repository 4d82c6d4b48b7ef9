//! Two calls on each side: what the answers of a side say alike, compared with the other side. Members that
//! differ from call to call say nothing, nor do those that are there only where something was asked for.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use svc_fixtures::contract::Shape;
use svc_fixtures::json::Json;

use super::finding::Findings;

/// Judges whether the two sides say the same.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    clause: &str,
    given: [&Json<'_>; 2],
    left_out: [&Json<'_>; 2],
) {
    let there = |name: &str| {
        let mut all = given.iter().chain(&left_out);
        all.all(|data| data.get(name).is_some())
    };
    let [given, left_out] = [given, left_out].map(|side| said_alike(side, &there));
    let places = given.keys().chain(left_out.keys());
    let differs = |place: &&String| match (given.get(*place), left_out.get(*place)) {
        (Some(Some(one)), Some(Some(other))) => one != other,
        (Some(Some(_)), None) | (None, Some(Some(_))) => true,
        // It differs on one of the sides by itself.
        _ => false,
    };
    let odd = places.clone().find(differs);
    let place = odd.map_or("data", String::as_str);
    let shown = |side: &BTreeMap<String, Option<String>>| match side.get(place) {
        Some(Some(value)) => value.clone(),
        _ => "nothing".to_owned(),
    };
    let what = format!("`{place}` of this call and another one like it");
    let expected = format!("{}, as two others answer", shown(&given));
    findings.must(clause, odd.is_none(), &what, expected, shown(&left_out));
}

/// Words in the names of members whose values a service makes up for each call.
const MADE_UP: [&str; 12] = [
    "amount",
    "id",
    "ids",
    "latency",
    "message",
    "ms",
    "reference",
    "rrn",
    "timestamp",
    "url",
    "utr",
    "value",
];

/// Those of what a service calls an answer by: how it comes to that is its own matter.
const CALLED: [&str; 5] = ["id", "ids", "reference", "rrn", "utr"];

/// Judges whether an answer says of the same input what another one said. What no row names, such as the token of a
/// link, may be another each time.
pub(super) fn same(
    findings: &mut Findings<'_>,
    clause: &str,
    first: &Json<'_>,
    again: &Json<'_>,
    shape: Option<&Shape>,
) {
    let what = |place: &str| format!("`{place}` of the same call made again");
    match other(first, again, shape) {
        Some((place, [said, found])) => findings.must(clause, false, what(&place), said, found),
        None => findings.must(clause, true, what("data"), "", ""),
    }
}

/// Where two answers to the same input say another thing, and what.
pub(super) fn other(
    first: &Json<'_>,
    again: &Json<'_>,
    shape: Option<&Shape>,
) -> Option<(String, [String; 2])> {
    let said = |data| {
        let mut found = said(data, shape);
        found.retain(|place, _| !is_called(place, &MADE_UP));
        found
    };
    let (first, again) = (said(first), said(again));
    let mut places = first.keys().chain(again.keys());
    let place = places.find(|place| first.get(*place) != again.get(*place))?;
    let shown = |side: &BTreeMap<String, String>| {
        let nothing = || "nothing".to_owned();
        side.get(place).cloned().unwrap_or_else(nothing)
    };
    Some((place.clone(), [shown(&first), shown(&again)]))
}

/// What the data of an answer says, by place, in print: all that the shape names.
pub(super) fn said(data: &Json<'_>, shape: Option<&Shape>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    named("data", data, shape, &mut found);
    found
}

/// Whether one of these words is in the name of the member at a place.
fn is_called(place: &str, by: &[&str]) -> bool {
    let name = place.rsplit('.').next().unwrap_or(place);
    let words = words(name);
    words.iter().any(|word| by.contains(&word.as_str()))
}

/// Every leaf of two documents, in print; none of those that differ.
fn said_alike(
    two: [&Json<'_>; 2],
    there: &dyn Fn(&str) -> bool,
) -> BTreeMap<String, Option<String>> {
    let [one, other] = two.map(|data| {
        let mut found = BTreeMap::new();
        let members = data.as_object().unwrap_or_default().iter();
        for (name, value) in members.filter(|(name, _)| there(name)) {
            leaves(&format!("data.{name}"), value, &mut found);
        }
        found.retain(|place, _| !is_called(place, &CALLED));
        found
    });
    let places: Vec<String> = one.keys().chain(other.keys()).cloned().collect();
    let same = |place: String| {
        let value = one
            .get(&place)
            .filter(|value| other.get(&place) == Some(*value));
        (place, value.cloned())
    };
    places.into_iter().map(same).collect()
}

/// Every leaf that the shape names, in print.
fn named(place: &str, json: &Json<'_>, shape: Option<&Shape>, into: &mut BTreeMap<String, String>) {
    match (json, shape) {
        (Json::Object(members), Some(Shape::Object(_))) => {
            for (name, value) in members {
                let inside = shape.and_then(|shape| shape.inside(name));
                if inside.is_some() {
                    named(&format!("{place}.{name}"), value, inside, into);
                }
            }
        }
        (Json::List(items), Some(Shape::List(item))) => {
            for (at, value) in items.iter().enumerate() {
                named(&format!("{place}[{at}]"), value, Some(item), into);
            }
        }
        _ => leaves(place, json, into),
    }
}

fn leaves(place: &str, json: &Json<'_>, into: &mut BTreeMap<String, String>) {
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                leaves(&format!("{place}.{name}"), value, into);
            }
        }
        Json::List(items) => {
            for (at, value) in items.iter().enumerate() {
                leaves(&format!("{place}[{at}]"), value, into);
            }
        }
        leaf => {
            into.insert(place.to_owned(), leaf.to_string());
        }
    }
}

static WORD: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("[A-Z]*[a-z]+|[A-Z]+").expect("it is a pattern"));

/// The words of a name, in lower case.
pub(crate) fn words(name: &str) -> Vec<String> {
    let words = WORD.find_iter(name);
    words
        .map(|word| word.as_str().to_ascii_lowercase())
        .collect()
}
