//! Why an input gets what it gets: which rule decides, which would have and come too late, which came
//! close and what is missing. Reports only; the choice itself is made where it always is.

use std::collections::BTreeSet;

use svc_fixtures::contract::{Contract, Operation};

use super::describe::alike;
use crate::scenario::matching::{holds, texts};
use crate::scenario::{Choice, MatchInput, ScenarioSet};
use crate::scenario::{Condition, Predicate, Scenario, ScenarioIndex};

/// Why an input gets what it gets.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// What it gets.
    pub choice: Choice,
    /// What the input has where the rule that decides looks, condition by condition.
    pub met: Vec<String>,
    /// Rules that hold for it, too, and come later, in order.
    pub later: Vec<ScenarioIndex>,
    /// Rules that nearly hold for it, the nearest first.
    pub near: Vec<NearMiss>,
    /// Rules for other operations alone whose conditions hold for it, in order.
    pub elsewhere: Vec<ScenarioIndex>,
}

/// A rule that nearly holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// The rule.
    pub scenario: ScenarioIndex,
    /// What does not hold of its conditions, each with what was found there and what must be.
    pub because: Vec<String>,
    /// How near it is, in thousandths.
    nearness: u32,
}

/// So many of each kind are reported.
const REPORTED: usize = 5;

/// A rule is near from here on, in thousandths: of one condition, how like the value is; of several,
/// how many hold.
const NEAR: u32 = 500;

/// A value of a single condition must be this like, in thousandths: one slip in five characters.
const LIKE: u32 = 800;

/// Explains an input.
#[must_use]
pub fn explain(
    contract: &Contract,
    scenarios: &ScenarioSet,
    input: &MatchInput<'_>,
) -> Explanation {
    let operation = &contract.operations[input.operation];
    let choice = scenarios.choose(contract, input);
    let decides = match choice {
        Choice::Scenario(number) => Some(scenarios.get(number)),
        Choice::NoMatch => None,
    };
    let conditions = decides.map_or(&[][..], |scenario| &scenario.conditions);
    let met = conditions.iter().map(|it| it.looked_at(operation, input));
    let met = met.collect();
    let before_format = decides.is_some_and(|scenario| scenario.before_format);
    let decides = decides.map(|scenario| scenario.order);
    let (mut later, mut near, mut elsewhere) = (Vec::new(), Vec::new(), Vec::new());
    for (number, scenario) in scenarios.iter() {
        if !scenario.operations.contains(&input.operation) {
            let comes_first = !before_format && decides.is_none_or(|order| scenario.order < order);
            if comes_first && !scenario.conditions.is_empty() && scenario.holds(operation, input) {
                elsewhere.push(number);
            }
        } else if scenario.holds(operation, input) {
            later.push(number);
        } else {
            near.extend(near_miss(number, scenario, operation, input));
        }
    }
    // Of the cases of one rule one is reported: the one that decides, or the nearest.
    let order = |index| scenarios.get(index).order;
    later.retain(|&index| decides != Some(order(index)));
    later.dedup_by_key(|index| order(*index));
    elsewhere.dedup_by_key(|index| order(*index));
    near.sort_by_key(|miss: &NearMiss| std::cmp::Reverse(miss.nearness));
    let mut seen: BTreeSet<usize> = decides.into_iter().collect();
    near.retain(|miss| seen.insert(order(miss.scenario)));
    later.truncate(REPORTED);
    elsewhere.truncate(REPORTED);
    near.truncate(REPORTED);
    Explanation {
        choice,
        met,
        later,
        near,
        elsewhere,
    }
}

fn near_miss(
    index: ScenarioIndex,
    scenario: &Scenario,
    operation: &Operation,
    input: &MatchInput<'_>,
) -> Option<NearMiss> {
    let (mut because, mut sum, mut best) = (Vec::new(), 0, 0);
    for condition in &scenario.conditions {
        if holds(condition, operation, input) {
            sum += 1000;
            continue;
        }
        let values = condition.found(operation, input);
        let sent: Vec<&str> = values
            .iter()
            .flat_map(|(_, value)| texts(Some(value)))
            .collect();
        let likeness = likeness(condition, &sent);
        best = best.max(likeness);
        sum += likeness;
        let found = condition.looked_at(operation, input);
        because.push(format!("{found}, and must {}", condition.demand(&sent)));
    }
    let count = u32::try_from(scenario.conditions.len()).ok()?;
    let nearness = sum / count.max(1);
    let near = match because.len() == scenario.conditions.len() {
        // Nothing holds: it is near only where what was sent is like what was meant.
        true => best >= LIKE && nearness >= NEAR,
        false => nearness >= NEAR,
    };
    near.then_some(NearMiss {
        scenario: index,
        because,
        nearness,
    })
}

/// How like one of the sent texts is to what the condition asks for, in thousandths.
fn likeness(condition: &Condition, sent: &[&str]) -> u32 {
    let best = |score: &dyn Fn(&str) -> u32| sent.iter().map(|text| score(text)).max().unwrap_or(0);
    let folded = |text: &str| text.to_lowercase();
    let if_true = |like: bool| if like { 990 } else { 0 };
    match &condition.predicate {
        Predicate::OneOf(values) => best(&|text| {
            let values = values.iter().filter_map(|value| value.as_text());
            values.map(|value| alike(text, value)).max().unwrap_or(0)
        }),
        Predicate::Contains(part) => best(&|text| if_true(folded(text).contains(&folded(part)))),
        Predicate::StartsWith(start) => best(&|text| {
            let length = start.chars().count();
            let beginning: String = text.chars().take(length).collect();
            alike(&beginning, start)
        }),
        Predicate::EndsWith(end) => best(&|text| {
            let (length, all) = (end.chars().count(), text.chars().count());
            let ending: String = text.chars().skip(all.saturating_sub(length)).collect();
            alike(&ending, end)
        }),
        Predicate::PathEnds(end) => best(&|text| {
            let path = text.split(['?', '#']).next().unwrap_or_default();
            let last = path.rfind('/').map_or(path, |at| &path[at..]);
            alike(last, end)
        }),
        Predicate::Query(pair) => best(&|text| {
            let query = text.split_once('?').map_or("", |(_, query)| query);
            query
                .split('&')
                .map(|found| alike(found, pair))
                .max()
                .unwrap_or(0)
        }),
        Predicate::Matches(pattern) => best(&|text| {
            let slips = [
                text.to_uppercase(),
                text.to_lowercase(),
                text.trim().to_owned(),
            ];
            if_true(slips.iter().any(|slip| pattern.is_match(slip)))
        }),
        Predicate::Number(_) | Predicate::Present(_) => 0,
    }
}
