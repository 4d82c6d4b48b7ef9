//! The same difference at many places, in many operations and cases is one: that is put together here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Difference, Kind, LOOK_UP};
use super::form::{Form, unclear};
use super::gather::{Gathered, SpotPart};
use super::places::{MISSING, Observed, SOMETIMES, THERE};

/// So many of a hundred places with a form must have the other one for that to be one difference of all of them.
const NEARLY_ALL: usize = 80;

/// At fewer places it is said of each.
const FEWEST: usize = 3;

/// Behind a figure that is another one elsewhere.
const AND_OTHERS: &str = " and others";

type Group = (Difference, BTreeSet<usize>, Option<String>);

/// Observations put together.
pub(super) fn merged(
    gathered: &Gathered,
    observed: Vec<Observed>,
) -> Vec<(Difference, BTreeSet<usize>)> {
    let mut groups: BTreeMap<(Kind, String, String, String), Group> = BTreeMap::new();
    for one in observed {
        let key = (
            one.kind,
            one.what.clone(),
            one.left.clone(),
            one.right.clone(),
        );
        let new = || {
            let made = Difference::new(
                one.kind,
                one.what.clone(),
                one.left.clone(),
                one.right.clone(),
            );
            (made, BTreeSet::new(), one.parent.clone())
        };
        let (difference, pairs, _) = groups.entry(key).or_insert_with(new);
        difference.operations.insert(one.operation);
        difference.places.insert(one.what);
        pairs.extend(one.pairs);
    }
    let groups = looked_up(groups.into_values().collect());
    let groups = of_the_call(groups);
    let groups = renamed(swapped(now_and_then(groups)));
    let groups = charges(of_many_operations(groups));
    everywhere(gathered, groups)
}

/// A look-up says again what the call said: what differs there as it does in calls is told of these.
fn looked_up(groups: Vec<Group>) -> Vec<Group> {
    let of_look_ups = |(it, ..): &Group| it.operations.iter().all(|of| of == LOOK_UP);
    let (again, mut groups): (Vec<_>, Vec<_>) = groups.into_iter().partition(of_look_ups);
    for (difference, more, parent) in again {
        let known = groups
            .iter_mut()
            .find(|(it, ..)| (it.kind, &it.what) == (difference.kind, &difference.what));
        match known {
            Some((_, pairs, _)) => pairs.extend(more),
            None => groups.push((difference, more, parent)),
        }
    }
    groups
}

/// What a member says of the call itself is one difference, though not every answer shows all of it: what most of them
/// show is told.
fn of_the_call(groups: Vec<Group>) -> Vec<Group> {
    let says_of_call =
        |difference: &Difference| ["referenceId", "endpoint"].contains(&difference.what.as_str());
    let (mut same, mut rest): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|(it, ..)| it.kind == Kind::Behaviour && says_of_call(it));
    same.sort_by_key(|(difference, pairs, _)| (difference.what.clone(), Reverse(pairs.len())));
    for (difference, more, parent) in same {
        let known = rest
            .iter_mut()
            .find(|(it, ..)| (it.kind, &it.what) == (difference.kind, &difference.what));
        match known {
            Some((known, pairs, _)) => {
                known.absorb(difference);
                pairs.extend(more);
            }
            None => rest.push((difference, more, parent)),
        }
    }
    rest
}

/// What one side never has, and the other always in some operations and now and then in others, is one difference.
fn now_and_then(groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::new();
    for (difference, more, parent) in groups {
        let same = |(other, ..): &&mut Group| {
            let there = |one: &str| one == THERE || one == SOMETIMES;
            let left = there(&other.left) && there(&difference.left);
            let right = there(&other.right) && there(&difference.right);
            let never_left = other.left == MISSING && difference.left == MISSING;
            let never_right = other.right == MISSING && difference.right == MISSING;
            (other.kind, &other.what) == (difference.kind, &difference.what)
                && (left && never_right || right && never_left)
        };
        match merged.iter_mut().find(same) {
            Some((known, pairs, _)) => {
                for (mine, other) in [
                    (&mut known.left, &difference.left),
                    (&mut known.right, &difference.right),
                ] {
                    if mine != other {
                        *mine = SOMETIMES.to_owned();
                    }
                }
                known.absorb(difference);
                pairs.extend(more);
            }
            None => merged.push((difference, more, parent)),
        }
    }
    merged
}

/// Two values that changed places are one difference.
fn swapped(groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::new();
    for (difference, more, parent) in groups {
        let same = |(other, ..): &&mut Group| {
            difference.kind == Kind::Enumeration
                && (other.kind, &other.what) == (difference.kind, &difference.what)
                && (&other.left, &other.right) == (&difference.right, &difference.left)
        };
        match merged.iter_mut().find(same) {
            Some((known, pairs, _)) => {
                known.left = format!("{} and {}", difference.right, difference.left);
                known.right = format!("{} and {}", difference.left, difference.right);
                known.absorb(difference);
                pairs.extend(more);
            }
            None => merged.push((difference, more, parent)),
        }
    }
    merged
}

/// A member that is missing and one that is new beside it, of nearly the same name, are one member of another name.
fn renamed(groups: Vec<Group>) -> Vec<Group> {
    let is = |group: &Group, left: &str, right: &str| {
        let found = &group.0;
        matches!(found.kind, Kind::Member | Kind::Header | Kind::Webhook)
            && found.left == left
            && found.right == right
    };
    let (gone, rest): (Vec<_>, Vec<_>) = groups.into_iter().partition(|it| is(it, THERE, MISSING));
    let (mut new, mut rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|it| is(it, MISSING, THERE));
    for (mut difference, mut pairs, parent) in gone {
        let like = new.iter().position(|(other, _, beside)| {
            *beside == parent
                && other.operations == difference.operations
                && alike(&difference.what, &other.what)
        });
        if let Some(at) = like {
            let (other, more, _) = new.remove(at);
            difference.left = "has that name".to_owned();
            difference.right = format!("is called {}", last(&other.what));
            difference.places.extend(other.places);
            pairs.extend(more);
        }
        rest.push((difference, pairs, parent));
    }
    rest.extend(new);
    rest
}

/// The name of a member without its path.
fn last(what: &str) -> &str {
    what.rsplit('.').next().unwrap_or(what)
}

/// Whether one name is the other, however it is written, or with more words.
fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (words(one), words(other));
    let plain = |words: &[String]| words.concat();
    let within = |few: &[String], many: &[String]| {
        !few.is_empty() && many.windows(few.len()).any(|part| part == few)
    };
    plain(&one) == plain(&other) || within(&one, &other) || within(&other, &one)
}

/// The words of a name: `billedCalls` and `billed_calls` have two.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside = false;
    for letter in last(name).chars() {
        let goes_on = inside && !letter.is_ascii_uppercase();
        inside = letter.is_ascii_alphanumeric();
        let small = letter.to_ascii_lowercase();
        match words.last_mut().filter(|_| goes_on) {
            _ if !inside => {}
            Some(word) => word.push(small),
            None => words.push(small.to_string()),
        }
    }
    words
}

/// Prices, charges and times that differ in nearly all operations are one difference, whatever they are.
fn of_many_operations(groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::new();
    let by_amount = |kind| matches!(kind, Kind::Price | Kind::Latency);
    let (some, mut rest): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|(it, ..)| by_amount(it.kind));
    for (difference, pairs, parent) in some {
        let same = |(other, ..): &&mut Group| {
            other.kind == difference.kind && last(&other.what) == last(&difference.what)
        };
        match merged.iter_mut().find(same) {
            Some((known, all, _)) => {
                for (mine, other) in [
                    (&mut known.left, &difference.left),
                    (&mut known.right, &difference.right),
                ] {
                    if *mine != *other && !mine.ends_with(AND_OTHERS) {
                        mine.push_str(AND_OTHERS);
                    }
                }
                known.absorb(difference);
                all.extend(pairs);
            }
            None => merged.push((difference, pairs, parent)),
        }
    }
    rest.extend(merged);
    rest
}

/// What is not charged has no amount either, and no balance after it: that is said once.
fn charges(mut groups: Vec<Group>) -> Vec<Group> {
    let charged = groups
        .iter()
        .position(|(it, ..)| it.what == "billing.charged");
    let Some(at) = charged else { return groups };
    let (mut charged, mut pairs, parent) = groups.remove(at);
    groups.retain(|(other, more, _)| {
        let nothing = other.left == "0" || other.right == "0";
        let follows = match other.what.as_str() {
            "billing.amount" => nothing,
            "billing.walletBalanceAfter" => other.kind == Kind::Member,
            _ => false,
        };
        let same = follows && other.operations.is_subset(&charged.operations);
        if same {
            charged.places.extend(other.places.iter().cloned());
            charged.operations.extend(other.operations.iter().cloned());
            pairs.extend(more);
        }
        !same
    });
    groups.push((charged, pairs, parent));
    groups
}

/// Of some dates it is not clear what stands first: they are as those that are otherwise like them.
fn cleared(
    by_forms: BTreeMap<(Kind, String, String), Vec<Group>>,
) -> BTreeMap<(Kind, String, String), Vec<Group>> {
    let (unclear, clear) = unclear();
    let mut all = by_forms;
    let keys: Vec<_> = all
        .keys()
        .filter(|(_, _, right)| *right == unclear)
        .cloned()
        .collect();
    for (kind, left, right) in keys {
        let mut like = clear
            .iter()
            .map(|clear| (kind, left.clone(), clear.clone()));
        let Some(like) = like.find(|key| all.contains_key(key)) else {
            continue;
        };
        let groups = all.remove(&(kind, left, right)).unwrap_or_default();
        for (mut difference, pairs, parent) in groups {
            difference.right.clone_from(&like.2);
            let known = all.entry(like.clone()).or_default();
            match known.iter_mut().find(|(it, ..)| it.what == difference.what) {
                Some((it, shown, _)) => {
                    it.absorb(difference);
                    shown.extend(pairs);
                }
                None => known.push((difference, pairs, parent)),
            }
        }
    }
    all
}

/// A form that is another one nearly everywhere is one difference.
fn everywhere(gathered: &Gathered, groups: Vec<Group>) -> Vec<(Difference, BTreeSet<usize>)> {
    let mut by_forms: BTreeMap<(Kind, String, String), Vec<Group>> = BTreeMap::new();
    let mut found = Vec::new();
    for group in groups {
        let one = &group.0;
        match one.kind {
            Kind::Type | Kind::Format | Kind::Nullability => {
                let key = (one.kind, one.left.clone(), one.right.clone());
                by_forms.entry(key).or_default().push(group);
            }
            _ => found.push((group.0, group.1)),
        }
    }
    for ((_, left, _), groups) in cleared(by_forms) {
        let having = having(gathered, &left);
        if groups.len() < FEWEST || groups.len() * 100 < having * NEARLY_ALL {
            found.extend(groups.into_iter().map(|(it, pairs, _)| (it, pairs)));
            continue;
        }
        let mut all: Option<(Difference, BTreeSet<usize>)> = None;
        for (difference, pairs, _) in groups {
            match &mut all {
                None => all = Some((difference, pairs)),
                Some((known, known_pairs)) => {
                    known.absorb(difference);
                    known_pairs.extend(pairs);
                }
            }
        }
        if let Some((mut difference, pairs)) = all {
            difference.what = format!("wherever the left has {left}");
            found.push((difference, pairs));
        }
    }
    found
}

/// How many members of answers have this form on the left.
fn having(gathered: &Gathered, form: &str) -> usize {
    let answers = gathered
        .spots
        .iter()
        .filter(|(spot, _)| spot.part == SpotPart::Answer);
    let has = |form_of: &Form| form_of.to_string() == form;
    let places: BTreeSet<&str> = answers
        .filter(|(_, seen)| seen.sides[0].forms.keys().any(has))
        .map(|(spot, _)| spot.path.as_str())
        .collect();
    places.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_more_words_is_alike_and_one_that_only_begins_so_is_not() {
        assert!(alike("data.billedCalls", "data.billed"));
        assert!(alike("data.billed_calls", "data.billedCalls"));
        assert!(alike("data.panstatus", "data.panStatus"));
        assert!(!alike("data.totalSpend", "data.totals"));
        assert!(!alike("data.name", "data.filename"));
    }
}
