//! Ids of verifications: whether each call has its own, and what else is different only because they are.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::json::Json;

use super::finding::{Difference, Kind};
use super::pairing::Pair;
use super::places::LATER;
use super::{Found, OF_MEMBERS, name};
use crate::capture::{Channel, Exchange};

const ID: &str = "verificationId";

/// The differences, with that of ids, and without those that come of it.
pub(super) fn told(mut found: Vec<Found>, pairs: &[&Pair<'_>]) -> Vec<Found> {
    found.extend(repeated(pairs, &found));
    without_consequences(found, pairs)
}

/// That one side gives calls of several cases one id, where the other gives each its own. Ids of another form are told
/// as that already.
fn repeated(pairs: &[&Pair<'_>], found: &[Found]) -> Option<Found> {
    if found.iter().any(of_ids) {
        return None;
    }
    let (left, right) = (
        shared(pairs, |pair| pair.left),
        shared(pairs, |pair| pair.right),
    );
    let words = |shared: &BTreeSet<usize>| match shared.is_empty() {
        true => "another for each call",
        false => "the same for calls of several cases",
    };
    if left.is_empty() == right.is_empty() {
        return None;
    }
    let mut difference = Difference::new(Kind::Behaviour, ID, words(&left), words(&right));
    difference.places.insert(ID.to_owned());
    let shown: BTreeSet<usize> = left.union(&right).copied().collect();
    let operations = shown.iter().map(|index| pairs[*index].operation.clone());
    difference.operations.extend(operations);
    Some((difference, shown))
}

/// The calls whose id another case has, too: a replay is of its own case.
fn shared<'p>(
    pairs: &[&'p Pair<'p>],
    side: impl Fn(&'p Pair<'p>) -> &'p Exchange,
) -> BTreeSet<usize> {
    let mut by_id: BTreeMap<String, BTreeMap<(String, String), Vec<usize>>> = BTreeMap::new();
    let calls = pairs.iter().enumerate();
    // What looks something up names somebody else's.
    let calls = calls.filter(|(_, pair)| {
        pair.left.request.channel == Channel::Api && pair.left.request.method == "POST"
    });
    for (index, pair) in calls {
        if let Some(id) = id(side(pair)) {
            let cases = by_id.entry(id).or_default();
            cases.entry(name(pair)).or_default().push(index);
        }
    }
    let several = by_id.into_values().filter(|cases| cases.len() > 1);
    several.flat_map(BTreeMap::into_values).flatten().collect()
}

/// The differences, without those that come of ids that are of another form: later results are found by them, and calls
/// name those of earlier ones.
fn without_consequences(mut found: Vec<Found>, pairs: &[&Pair<'_>]) -> Vec<Found> {
    if found.iter().any(of_ids) {
        let going_by_it = going_by_ids(pairs);
        found.retain(|(it, shown)| !it.what.ends_with(LATER) && !shown.is_subset(&going_by_it));
    }
    found
}

fn of_ids((difference, _): &Found) -> bool {
    difference.what == ID && OF_MEMBERS.contains(&difference.kind)
}

/// The pairs whose requests name an id that their case was answered before.
fn going_by_ids(pairs: &[&Pair<'_>]) -> BTreeSet<usize> {
    let mut ids: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (index, pair) in pairs.iter().enumerate() {
        let known = ids.entry(name(pair)).or_default();
        let body = String::from_utf8_lossy(&pair.left.request.body);
        // A look-up has it in its path.
        let named = |id: &String| body.contains(&**id) || pair.left.request.path.contains(&**id);
        if known.iter().any(named) {
            found.insert(index);
        }
        known.extend(id(pair.left));
    }
    found
}

fn id(exchange: &Exchange) -> Option<String> {
    let response = exchange.response.as_ref().ok()?;
    let json = Json::parse(&response.body).ok()?;
    let id = json.get(ID)?.as_text()?;
    (!id.is_empty()).then(|| id.to_owned())
}
