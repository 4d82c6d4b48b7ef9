//! Other words for the envelope's statuses, or for its error codes: one difference, however calls end.

use std::collections::BTreeSet;

use super::Found;
use super::finding::{Difference, Kind};

/// So many codes must have another name for that to be one difference of all of them.
const SEVERAL_CODES: usize = 3;

/// The differences, those joined that only say the same status, or the same error, by a word that the left side never
/// says.
pub(super) fn joined(found: Vec<Found>, known: &BTreeSet<String>) -> Vec<Found> {
    let found = one_of(found, known, (Kind::Status, "status"), 2, words);
    one_of(
        found,
        known,
        (Kind::Code, "error.code"),
        SEVERAL_CODES,
        codes,
    )
}

/// The differences, those joined that are such another word, where there are so many of them.
fn one_of(
    found: Vec<Found>,
    known: &BTreeSet<String>,
    (kind, what): (Kind, &str),
    fewest: usize,
    words: fn(&Difference) -> Option<[&str; 2]>,
) -> Vec<Found> {
    let (renamed, mut rest): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|(it, _)| words(it).is_some_and(|[_, right]| !known.contains(right)));
    if renamed.len() < fewest {
        rest.extend(renamed);
        return rest;
    }
    let of = |side: usize| {
        let words = renamed.iter().filter_map(|(it, _)| words(it));
        let words: BTreeSet<_> = words.map(|words| words[side]).collect();
        words.into_iter().collect::<Vec<_>>().join(" or ")
    };
    let mut one = Difference::new(kind, what, of(0), of(1));
    one.places.insert(what.to_owned());
    let mut shown = BTreeSet::new();
    for (difference, pairs) in renamed {
        one.absorb(difference);
        shown.extend(pairs);
    }
    rest.push((one, shown));
    rest
}

/// What each side calls the error, where that is all that differs.
fn codes(difference: &Difference) -> Option<[&str; 2]> {
    let [left, right] = [&difference.left, &difference.right].map(|side| side.split_once(' '));
    let ((left_status, left), (right_status, right)) = (left?, right?);
    let is_one = |word: &str| !word.contains(' ');
    let of_ending = [Kind::Code, Kind::Idempotency, Kind::Order].contains(&difference.kind);
    let is_renamed = left_status == right_status && is_one(left) && is_one(right);
    (of_ending && is_renamed).then_some([left, right])
}

/// What each side calls the status, where that is all that differs.
fn words(difference: &Difference) -> Option<[&str; 2]> {
    let sides = [&difference.left, &difference.right].map(String::as_str);
    if difference.kind != Kind::Status {
        return None;
    }
    let words = match difference.what.as_str() {
        "status" => sides,
        _ => {
            let [left, right] = sides.map(|side| side.split_once(' '));
            let ((left_status, left), (right_status, right)) = (left?, right?);
            let is_result = left_status == right_status && left_status.starts_with('2');
            is_result.then_some([left, right])?
        }
    };
    let is_word = |word: &str| {
        let mut letters = word.chars();
        !word.starts_with("SVC_") && letters.all(|c| c.is_alphabetic() || c == '_')
    };
    words.into_iter().all(is_word).then_some(words)
}
