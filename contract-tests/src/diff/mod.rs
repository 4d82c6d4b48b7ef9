//! Two services beside each other: the same calls, their answers paired, and what is different, each thing once. Pure:
//! works on captures, sends nothing.
//!
//! Form is compared, not data: names, ids, times and amounts of other people are not differences. A value counts only
//! where services must agree on it: how a call ends, what is charged, in which environment, and what is chosen from
//! the few values that the contract lists.

mod asked;
mod behaviour;
mod ending;
pub mod finding;
pub mod form;
mod gather;
mod general;
mod ids;
pub mod known;
mod latency;
mod merge;
mod pairing;
mod places;
mod recorded_webhooks;
pub mod report;
mod said;
mod words;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use crate::capture::{Capture, Channel};
use crate::check::Check;
use crate::plan::Setting;
use crate::verdict::CONTENT_TYPE;
use behaviour::{At, Explained};
use ending::Endings;
use finding::{Comparison, Difference, Example, Kind, NotCompared};
use gather::Gathered;
use latency::Latencies;
use pairing::Pair;
use recorded_webhooks::RecordedWebhooks;

/// A difference, and the pairs that show it.
type Found = (Difference, BTreeSet<usize>);

/// Cases of which nothing can be said, by why.
type Apart = BTreeMap<&'static str, Vec<(String, String)>>;

/// Compares what two services answered. The setting is that of the left one; both were made by the same checks.
#[must_use]
pub fn compare(
    setting: &Setting<'_>,
    checks: &[Check],
    left: &Capture,
    right: &Capture,
) -> Comparison {
    let mut paired = pairing::pair(setting, checks, left, right);
    let mut webhooks = RecordedWebhooks::of([left, right]);
    let pairs: Vec<&Pair<'_>> = paired.cases.iter().flatten().collect();
    let (mut gathered, mut latencies) = (Gathered::default(), Latencies::default());
    let (mut endings, mut explained) = (Endings::default(), Explained::default());
    let (mut indices, mut operations, mut apart) = (0.., BTreeSet::new(), Apart::new());
    for case in &paired.cases {
        let mut parted = false;
        for (pair, index) in case.iter().zip(indices.by_ref()) {
            if parted {
                explained.part(name(pair), pair.step);
                continue;
            }
            match pair.left.request.channel {
                // What a webhook was is told by its ids, which no two services share: it is taken with its call.
                Channel::Console | Channel::Webhook => continue,
                Channel::Sink | Channel::Registered => {
                    gathered.take_webhooks(setting, index, pair);
                    continue;
                }
                Channel::Api | Channel::Page => {}
            }
            explained.call(name(pair), &pair.operation);
            let ended = if let Some(why) = pair.why_apart() {
                apart.entry(why).or_default().push(name(pair));
                None
            } else {
                operations.insert(pair.operation.as_str());
                endings.take(index, pair)
            };
            match ended {
                // What comes after it in its case is another story.
                None => {
                    parted = true;
                    explained.part(name(pair), earliest(pair));
                }
                Some(ended) => {
                    gathered.take(setting, index, pair, &ended);
                    webhooks.take(&mut gathered, setting, index, pair);
                    latencies.take(index, pair);
                }
            }
        }
    }
    paired.not_compared.extend(not_compared(apart));
    paired.not_compared.extend(webhooks.left_over());
    let found = ids::told(told(endings, &gathered, latencies), &pairs);
    for (difference, shown) in &found {
        explain(&mut explained, difference, &pairs, shown);
    }
    let with_example = |(it, shown)| with_example(it, &pairs, &shown);
    let mut differences: Vec<_> = once(found).into_iter().map(with_example).collect();
    for (difference, steps) in behaviour::differences(setting, checks, [left, right], &explained) {
        add(&mut differences, of_steps(difference, &pairs, &steps));
    }
    differences.sort_by_cached_key(|it| (it.kind, Reverse(it.cases.len()), it.what.clone()));
    Comparison {
        differences,
        cases: paired.cases.len(),
        answers: pairs.len(),
        operations: operations.len(),
        not_compared: paired.not_compared,
    }
}

/// What endings tell, and what members and latencies tell, each thing once.
fn told(endings: Endings<'_>, gathered: &Gathered, latencies: Latencies) -> Vec<Found> {
    let known = endings.words();
    let mut found = endings.differences();
    let mut observed = places::observed(gathered);
    observed.extend(latencies.observed());
    found.extend(merge::merged(gathered, observed));
    words::joined(found, &known)
}

/// How calls end is told of all of them, whenever they end.
fn once(mut found: Vec<Found>) -> Vec<Found> {
    let is_told = |kind: Kind| found.iter().any(|(it, _)| it.kind == kind);
    let of_endings = [
        ("status of the later result", is_told(Kind::Status)),
        ("error.code of the later result", is_told(Kind::Code)),
    ];
    found.retain(|(it, _)| !of_endings.contains(&(it.what.as_str(), true)));
    found
}

/// Says of how many cases nothing can be said, and why.
fn not_compared(apart: Apart) -> Vec<NotCompared> {
    let reasons = apart.into_iter().filter_map(|(why, cases)| {
        let (check, case) = cases.first()?;
        Some(NotCompared {
            why: why.to_owned(),
            cases: cases.len(),
            first: format!("{check}, {case}"),
        })
    });
    reasons.collect()
}

/// Adds what the checks tell; where the same operations have a difference of that kind already, or it is said of a
/// member that is another one anyway, it is that one.
fn add(differences: &mut Vec<Difference>, told: Difference) {
    let same = |known: &&mut Difference| {
        let shown = told.kind == Kind::Webhook && !told.cases.is_disjoint(&known.cases);
        let says = |what: &str| behaviour::member(&told).contains(&what);
        known.kind == told.kind && (shown || told.operations.is_subset(&known.operations))
            || says(&known.what)
            || known.what == "header content-type" && says(CONTENT_TYPE)
    };
    if let Some(known) = differences.iter_mut().find(same) {
        return known.absorb(told);
    }
    // What nearly all operations do of keys that are known, a single one shows in its endings, too.
    let shows = |known: &&mut Difference| {
        let keys = known.kind == Kind::Idempotency && told.kind == Kind::Idempotency;
        keys && known.operations.is_subset(&told.operations)
    };
    match differences.iter_mut().find(shows) {
        Some(known) => {
            let part = std::mem::replace(known, told);
            known.absorb(part);
        }
        None => differences.push(told),
    }
}

fn name(pair: &Pair<'_>) -> (String, String) {
    (pair.check.to_owned(), pair.case.to_owned())
}

/// Where its case may have gone another way: of calls that went out at once any may have been the one.
fn earliest(pair: &Pair<'_>) -> usize {
    if pair.raced { 0 } else { pair.step }
}

fn step(pair: &Pair<'_>) -> At {
    (pair.check.to_owned(), pair.case.to_owned(), pair.step)
}

/// The kinds that name the member they are of.
const OF_MEMBERS: [Kind; 6] = [
    Kind::Member,
    Kind::Type,
    Kind::Format,
    Kind::Nullability,
    Kind::Enumeration,
    Kind::Behaviour,
];

/// Notes what a difference explains of the checks' verdicts.
fn explain(
    explained: &mut Explained,
    difference: &Difference,
    pairs: &[&Pair<'_>],
    shown: &BTreeSet<usize>,
) {
    let of_money = difference.kind == Kind::Price || difference.what.starts_with("billing");
    let steps = shown.iter().map(|index| step(pairs[*index]));
    if of_money {
        explained.money.extend(steps.clone());
    }
    if ["status", "error.code"].contains(&difference.what.as_str()) {
        explained.ending.extend(steps.clone());
    }
    explained.form.extend(steps);
    if OF_MEMBERS.contains(&difference.kind) {
        for member in iter::once(&difference.what).chain(&difference.places) {
            let shown = explained.members.entry(member.clone()).or_default();
            shown.extend(difference.operations.iter().cloned());
        }
    }
}

/// The difference with the cases that show it, and the shortest of them for an example.
fn with_example(
    mut difference: Difference,
    pairs: &[&Pair<'_>],
    shown: &BTreeSet<usize>,
) -> Difference {
    for index in shown {
        difference.cases.insert(name(pairs[*index]));
    }
    let simplest = shown.iter().min_by_key(|index| {
        let pair = pairs[**index];
        (pair.step, pair.left.request.body.len(), **index)
    });
    difference.example = simplest.map(|index| example(pairs[lead(pairs, *index)]));
    difference
}

/// The call that this pair is about: of what came to a receiver, the call of its case that led to it.
fn lead(pairs: &[&Pair<'_>], index: usize) -> usize {
    let pair = pairs[index];
    let is_call = |pair: &Pair<'_>| pair.left.request.channel == Channel::Api;
    if is_call(pair) {
        return index;
    }
    let mut all = pairs.iter();
    let found = all.position(|other| name(other) == name(pair) && is_call(other));
    found.unwrap_or(index)
}

fn example(pair: &Pair<'_>) -> Example {
    Example {
        check: pair.check.to_owned(),
        case: pair.case.to_owned(),
        step: pair.step,
        left: pair.left.clone(),
        right: pair.right.clone(),
    }
}

fn of_steps(difference: Difference, pairs: &[&Pair<'_>], steps: &BTreeSet<At>) -> Difference {
    let shown = pairs.iter().enumerate();
    let shown = shown.filter(|(_, pair)| steps.contains(&step(pair)));
    let shown: BTreeSet<usize> = shown.map(|(index, _)| index).collect();
    let mut difference = with_example(difference, pairs, &shown);
    for index in shown {
        let lead = lead(pairs, index);
        difference.operations.insert(pairs[lead].operation.clone());
    }
    difference
}
