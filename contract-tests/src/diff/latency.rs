//! How long calls take: by operation, in classes that a person would tell apart.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::json::Json;

use super::finding::Kind;
use super::pairing::Pair;
use super::places::Observed;
use crate::capture::Exchange;

/// Fewer answers say nothing of how long calls take.
const FEWEST: usize = 3;

/// One side must be so many times as slow as the other.
const TIMES: u64 = 3;

/// And by so much, in milliseconds: less is a matter of the network.
const LEAST_MS: u64 = 300;

/// The upper ends of the classes, in milliseconds.
const CLASSES: [(u64, &str); 6] = [
    (100, "up to 0.1 s"),
    (300, "up to 0.3 s"),
    (1_000, "up to 1 s"),
    (3_000, "up to 3 s"),
    (10_000, "up to 10 s"),
    (30_000, "up to 30 s"),
];

/// How long two answers to one call took, left and right, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Took {
    pair: usize,
    sides: [u64; 2],
    /// When each came back, in Unix seconds.
    at_s: [Option<i64>; 2],
}

/// The times of all calls that ended alike, by operation.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    took: BTreeMap<String, Vec<Took>>,
    stated: BTreeMap<String, Vec<Took>>,
}

/// On each side the seconds in which something was slower than it uses to be there, and what that was.
type Hindrances = [BTreeMap<i64, BTreeSet<String>>; 2];

impl Latencies {
    pub(super) fn take(&mut self, at: usize, pair: &Pair<'_>) {
        let exchanges = [pair.left, pair.right];
        let took = Took {
            pair: at,
            sides: exchanges.map(|it| it.took_ms),
            at_s: exchanges.map(|it| it.at_s),
        };
        let of = |times: &mut BTreeMap<String, Vec<Took>>, took| {
            times.entry(pair.operation.clone()).or_default().push(took);
        };
        of(&mut self.took, took);
        if let [Some(left), Some(right)] = exchanges.map(stated) {
            let sides = [left, right];
            of(&mut self.stated, Took { sides, ..took });
        }
    }

    /// Where one side is of another class than the other.
    pub(super) fn observed(mut self) -> Vec<Observed> {
        // Who was busy for a moment, or a network that was, is no slow operation: what came back while others were
        // hindered, too, says nothing of its own.
        let hindrances = hindrances(&self.took);
        for (operation, times) in &mut self.took {
            times.retain(|it| !is_hindered(operation, it, &hindrances));
        }
        let all = |what, times: BTreeMap<String, Vec<Took>>| {
            let times = times.into_iter();
            times.filter_map(move |(operation, times)| observed(what, operation, &times))
        };
        let mut found: Vec<Observed> = all("the time that answers take", self.took).collect();
        // What is measured says it already where the answer says it of itself, too.
        let took: BTreeSet<String> = found.iter().map(|it| it.operation.clone()).collect();
        let stated = all("meta.latencyMs", self.stated);
        found.extend(stated.filter(|it| !took.contains(&it.operation)));
        found
    }
}

fn hindrances(took: &BTreeMap<String, Vec<Took>>) -> Hindrances {
    let mut hindrances = Hindrances::default();
    for (operation, times) in took.iter().filter(|(_, times)| times.len() >= FEWEST) {
        let usual = usual(times);
        for it in times {
            let [left, right] = it.sides;
            let slower = usize::from(left < right);
            if let (true, Some(second)) = (
                apart(left, right) && apart(it.sides[slower], usual[slower]),
                it.at_s[slower],
            ) {
                let of = hindrances[slower].entry(second).or_default();
                of.insert(operation.clone());
            }
        }
    }
    hindrances
}

/// Whether something else was hindered on one side when this came back there.
fn is_hindered(operation: &str, took: &Took, hindrances: &Hindrances) -> bool {
    let mut sides = took.at_s.iter().zip(hindrances);
    sides.any(|(at_s, hindrances)| {
        at_s.is_some_and(|at_s| {
            let mut around = hindrances.range(at_s - 1..=at_s + 1).flat_map(|it| it.1);
            around.any(|other| other != operation)
        })
    })
}

/// How long they use to take on each side.
fn usual(times: &[Took]) -> [u64; 2] {
    [0, 1].map(|side| {
        let mut all: Vec<u64> = times.iter().map(|it| it.sides[side]).collect();
        all.sort_unstable();
        all[all.len() / 2]
    })
}

fn observed(what: &str, operation: String, times: &[Took]) -> Option<Observed> {
    if times.len() < FEWEST {
        return None;
    }
    let [mine, other] = usual(times);
    if !apart(mine, other) {
        return None;
    }
    // Those that are refused at once on both sides show nothing.
    let shows = |it: &&Took| {
        let [left, right] = it.sides;
        apart(left, right) && (left < right) == (mine < other)
    };
    let shown: BTreeSet<usize> = times.iter().filter(shows).map(|it| it.pair).collect();
    // As many must show it as say anything at all.
    (shown.len() >= FEWEST).then(|| Observed {
        kind: Kind::Latency,
        what: what.to_owned(),
        left: class(mine).to_owned(),
        right: class(other).to_owned(),
        operation,
        pairs: shown,
        parent: None,
        at_once: None,
    })
}

fn stated(exchange: &Exchange) -> Option<u64> {
    let body = &exchange.response.as_ref().ok()?.body;
    let json = Json::parse(body).ok()?;
    let ms = json.get("meta")?.get("latencyMs")?.as_int()?;
    u64::try_from(ms).ok()
}

/// Whether one is of another class than the other, and far from it.
fn apart(mine: u64, other: u64) -> bool {
    let (low, high) = (mine.min(other), mine.max(other));
    high - low >= LEAST_MS && high >= low * TIMES && class(mine) != class(other)
}

fn class(ms: u64) -> &'static str {
    let found = CLASSES.iter().find(|(most, _)| ms <= *most);
    found.map_or("over 30 s", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of one operation: the second in which both sides came back, and how long they took.
    type Times<'t> = &'t [(i64, u64, u64)];

    fn add(latencies: &mut Latencies, operation: &str, times: Times<'_>) {
        let of = latencies.took.entry(operation.to_owned()).or_default();
        of.extend(
            times
                .iter()
                .enumerate()
                .map(|(pair, (at_s, left, right))| Took {
                    pair,
                    sides: [*left, *right],
                    at_s: [Some(*at_s); 2],
                }),
        );
    }

    fn found(all: &[(&str, Times<'_>)]) -> Vec<String> {
        let mut latencies = Latencies::default();
        for (operation, times) in all {
            add(&mut latencies, operation, times);
        }
        let found = latencies.observed().into_iter();
        found
            .map(|it| format!("{}: {} pairs", it.operation, it.pairs.len()))
            .collect()
    }

    #[test]
    fn only_what_a_person_would_notice_is_another_class() {
        let apart = |left, right| found(&[("a", &[(0, left, right); 3])]).len();
        assert_eq!(apart(5, 90), 0, "the network");
        assert_eq!(apart(200, 290), 0);
        assert_eq!(apart(300, 620), 0, "not three times");
        assert_eq!(apart(100, 800), 1);
        assert_eq!(apart(12_000, 40), 1);
    }

    #[test]
    fn fewer_than_three_slow_answers_say_nothing() {
        assert_eq!(found(&[("a", &[(0, 9, 900), (9, 9, 900)])]), [""; 0]);
        assert_eq!(
            found(&[("a", &[(0, 9, 900), (9, 9, 900), (20, 9, 9)])]),
            [""; 0]
        );
        assert_eq!(
            found(&[("a", &[(0, 9, 900), (9, 9, 900), (20, 9, 900), (30, 9, 9)])]),
            ["a: 3 pairs"]
        );
    }

    #[test]
    fn what_was_slow_while_others_were_hindered_is_not_slow_of_itself() {
        let slow: Times<'_> = &[(10, 9, 900), (11, 9, 900), (12, 9, 900)];
        let hindered: Times<'_> = &[(1, 9, 9), (11, 9, 900), (30, 9, 9)];
        assert_eq!(found(&[("a", slow)]), ["a: 3 pairs"]);
        assert_eq!(found(&[("a", slow), ("b", hindered)]), [""; 0]);
        // A rule that takes its time does so on both sides.
        let by_rule: Times<'_> = &[(1, 9, 9), (11, 900, 905), (30, 9, 9)];
        assert_eq!(found(&[("a", slow), ("b", by_rule)]), ["a: 3 pairs"]);
        // What is always slow there hinders nothing.
        assert_eq!(
            found(&[("a", slow), ("b", slow)]),
            ["a: 3 pairs", "b: 3 pairs"]
        );
        // At another time, or on its own.
        let elsewhere: Times<'_> = &[(1, 9, 9), (14, 9, 900), (30, 9, 9)];
        assert_eq!(found(&[("a", slow), ("b", elsewhere)]), ["a: 3 pairs"]);
    }
}
