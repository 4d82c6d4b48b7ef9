//! What is so of calls of many kinds is one difference, and not one of each kind.

use std::collections::{BTreeMap, BTreeSet};

use super::Found;
use super::finding::{Difference, Kind};

/// The differences of how calls end, put together.
pub(super) fn joined(found: Vec<Found>) -> Vec<Found> {
    one_for_all_errors(of_keys(of_the_same_calls(of_one_ending(found))))
}

/// The same ending with another status or another code is one difference, whatever led to it; so is one of an
/// operation that has it in a field already.
fn of_one_ending(found: Vec<Found>) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for (difference, pairs) in found {
        let halves = |text: &str| {
            let (status, word) = text.split_once(' ').unwrap_or((text, ""));
            (status.to_owned(), word.to_owned())
        };
        let (left, right) = (halves(&difference.left), halves(&difference.right));
        let half = left.0 == right.0 || left.1 == right.1;
        let same = |(other, _): &&mut Found| {
            let alike = (&other.left, &other.right) == (&difference.left, &difference.right);
            let among = ways(&difference.left).is_subset(&ways(&other.left))
                && ways(&difference.right).is_subset(&ways(&other.right));
            alike && half || among && difference.operations.is_subset(&other.operations)
        };
        match all.iter_mut().find(same) {
            Some((known, shown)) => {
                // What is so whatever led to it is no question of what led to it.
                if half && known.kind != difference.kind {
                    known.kind = match left.0 == right.0 {
                        true => Kind::Code,
                        false => Kind::Status,
                    };
                }
                if half {
                    known.what = format!("calls that end {}", known.left);
                }
                known.absorb(difference);
                shown.extend(pairs);
            }
            None => all.push((difference, pairs)),
        }
    }
    all
}

/// Any of these.
pub(super) fn each(all: BTreeSet<String>) -> String {
    all.into_iter().collect::<Vec<_>>().join(" or ")
}

/// The endings that a side of a difference names.
fn ways(side: &str) -> BTreeSet<&str> {
    side.split(" or ").collect()
}

/// What the same calls of the same operations end in is one difference, whatever each of them ends in.
fn of_the_same_calls(found: Vec<Found>) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for (difference, pairs) in found {
        let same = |(other, _): &&mut Found| {
            // Which is said first is decided once for all.
            let alike = difference.kind == Kind::Order || other.operations == difference.operations;
            (other.kind, &other.what) == (difference.kind, &difference.what) && alike
        };
        match all.iter_mut().find(same) {
            Some((known, shown)) => {
                let both = |one: &str, other: &str| {
                    let all = ways(one).into_iter().chain(ways(other));
                    each(all.map(str::to_owned).collect())
                };
                known.left = both(&known.left, &difference.left);
                known.right = both(&known.right, &difference.right);
                known.absorb(difference);
                shown.extend(pairs);
            }
            None => all.push((difference, pairs)),
        }
    }
    all
}

/// What answers calls with a key is one difference: that they are refused, whatever they come to else, and that they are
/// not refused, whatever they come to then.
fn of_keys(found: Vec<Found>) -> Vec<Found> {
    let (mut alike, mut rest) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
    for (difference, pairs) in found {
        let refused = [&difference.right, &difference.left]
            .map(|side| side.starts_with('4') || side.starts_with('5'));
        let of = match refused {
            [true, _] => Some((difference.right.clone(), true)),
            [_, true] => Some((difference.left.clone(), false)),
            _ => None,
        };
        match of.filter(|_| difference.kind == Kind::Idempotency) {
            Some(of) => alike.entry(of).or_default().push((difference, pairs)),
            None => rest.push((difference, pairs)),
        }
    }
    for same in alike.into_values() {
        let what = "calls with an idempotency key";
        rest.extend(one_of(same, Kind::Idempotency, what, |same| {
            let rights = same.iter().flat_map(|(it, _)| ways(&it.right));
            each(rights.map(str::to_owned).collect())
        }));
    }
    rest
}

/// These as one difference, where there are several; what is said of the right is made of what each says.
fn one_of(
    mut same: Vec<Found>,
    kind: Kind,
    what: &str,
    right: impl FnOnce(&[Found]) -> String,
) -> Option<Found> {
    if same.len() < 2 {
        return same.pop();
    }
    let lefts = same.iter().flat_map(|(it, _)| ways(&it.left));
    let lefts = lefts.map(str::to_owned).collect();
    let mut all = Difference::new(kind, what, each(lefts), right(&same));
    let mut shown = BTreeSet::new();
    for (difference, pairs) in same {
        all.absorb(difference);
        shown.extend(pairs);
    }
    Some((all, shown))
}

/// So many codes must have the same change for it to be one of all errors: two may share a mistake by chance.
const SEVERAL_CODES: usize = 3;

/// Errors that are told apart no more, by one code, without any, or by one status, are one difference.
fn one_for_all_errors(found: Vec<Found>) -> Vec<Found> {
    let (mut changes, mut rest) = (BTreeMap::<_, Vec<_>>::new(), Vec::new());
    for (difference, pairs) in found {
        match same_for_all(&difference) {
            Some(change) => changes.entry(change).or_default().push((difference, pairs)),
            None => rest.push((difference, pairs)),
        }
    }
    for ((kind, right), same) in changes {
        let is_code = right.starts_with("SVC_") || kind == Kind::Status;
        let lefts: BTreeSet<_> = same.iter().map(|(it, _)| it.left.clone()).collect();
        if lefts.len() < if is_code { SEVERAL_CODES } else { 2 } {
            rest.extend(same);
            continue;
        }
        let what = format!("the {kind} of calls that end in an error");
        rest.extend(one_of(same, kind, &what, |same| {
            each(same.iter().map(|(it, _)| it.right.clone()).collect())
        }));
    }
    rest
}

/// What errors that were another each have in common now: their code, or their status.
fn same_for_all(difference: &Difference) -> Option<(Kind, String)> {
    let (left_status, left_word) = difference.left.split_once(' ')?;
    let (right_status, right_word) = difference.right.split_once(' ')?;
    let is_one = |word: &str| !word.contains(" or ");
    if !left_word.starts_with("SVC_") || !is_one(left_word) || !is_one(right_word) {
        return None;
    }
    match (left_status == right_status, left_word == right_word) {
        (true, false) => Some((Kind::Code, right_word.to_owned())),
        (false, true) => Some((Kind::Status, right_status.to_owned())),
        _ => None,
    }
}
