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

/// How long the answers of one operation took, on both sides.
#[derive(Debug, Default)]
struct Times {
    sides: [Vec<u64>; 2],
    pairs: Vec<usize>,
}

/// The times of all calls that ended alike.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    /// By what is measured, and operation.
    times: BTreeMap<(&'static str, String), Times>,
}

/// How long an exchange took, by one measure.
type Measure = fn(&Exchange) -> Option<u64>;

const TOOK: &str = "the time that answers take";
const STATED: &str = "meta.latencyMs";

impl Latencies {
    pub(super) fn take(&mut self, at: usize, pair: &Pair<'_>) {
        let measures: [(&'static str, Measure); 2] =
            [(TOOK, |exchange| Some(exchange.took_ms)), (STATED, stated)];
        for (what, measure) in measures {
            let (Some(left), Some(right)) = (measure(pair.left), measure(pair.right)) else {
                continue;
            };
            let of = (what, pair.operation.clone());
            let times = self.times.entry(of).or_default();
            times.sides[0].push(left);
            times.sides[1].push(right);
            times.pairs.push(at);
        }
    }

    /// Where one side is of another class than the other.
    pub(super) fn observed(self) -> Vec<Observed> {
        let of = |((what, operation), times): ((&'static str, String), Times)| {
            let [left, right] = times.sides;
            if left.len() < FEWEST {
                return None;
            }
            let (mine, other) = (median(&left), median(&right));
            apart(mine, other).then(|| Observed {
                kind: Kind::Latency,
                what: what.to_owned(),
                left: class(mine).to_owned(),
                right: class(other).to_owned(),
                operation,
                // Those that are refused at once on both sides show nothing.
                pairs: {
                    let each = times.pairs.iter().zip(left.iter().zip(&right));
                    let shown = each.filter(|(_, (left, right))| {
                        apart(**left, **right) && (left < right) == (mine < other)
                    });
                    let shown: BTreeSet<_> = shown.map(|(at, _)| *at).collect();
                    match shown.is_empty() {
                        true => times.pairs.iter().copied().collect(),
                        false => shown,
                    }
                },
                parent: None,
            })
        };
        let mut found: Vec<Observed> = self.times.into_iter().filter_map(of).collect();
        // What is measured says it already where the answer says it of itself, too.
        let took: BTreeSet<String> = found
            .iter()
            .filter(|one| one.what == TOOK)
            .map(|one| one.operation.clone())
            .collect();
        found.retain(|one| one.what == TOOK || !took.contains(&one.operation));
        found
    }
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

fn median(all: &[u64]) -> u64 {
    let mut all = all.to_vec();
    all.sort_unstable();
    all[all.len() / 2]
}

fn class(ms: u64) -> &'static str {
    let found = CLASSES.iter().find(|(most, _)| ms <= *most);
    found.map_or("over 30 s", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_person_would_notice_is_another_class() {
        let apart = |left: u64, right: u64| {
            let mut latencies = Latencies::default();
            let times = latencies.times.entry((TOOK, "an operation".to_owned()));
            times.or_default().sides = [vec![left; 3], vec![right; 3]];
            latencies.observed().len()
        };
        assert_eq!(apart(5, 90), 0, "the network");
        assert_eq!(apart(200, 290), 0);
        assert_eq!(apart(300, 620), 0, "not three times");
        assert_eq!(apart(100, 800), 1);
        assert_eq!(apart(12_000, 40), 1);
    }
}
