//! Rules that may both be meant by one input, where the one that stands first decides. Only finds them:
//! whether there is such an input is for others to show. What is meant so is left out: a narrower rule
//! before a wider one, and rules with the same outcome.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use foldhash::fast::FixedState;
use svc_fixtures::contract::{Contract, Environment, FieldIndex, Operation, OperationIndex};
use svc_fixtures::json::Json;

use super::implies::implies;
use super::reach::comes_before;
use crate::scenario::NumberRange;
use crate::scenario::embedded::is_built_in;
use crate::scenario::index::{Candidate, LookupKey, keys};
use crate::scenario::matching::{MatchInput, fields};
use crate::scenario::{
    Condition, Outcome, OutcomeKind, PatchIndex, Predicate, RequestContext, Scenario,
    ScenarioIndex, ScenarioSet, Selector,
};

/// Two rules that may both be meant by one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The one that stands first, and wins.
    pub first: ScenarioIndex,
    /// The other one.
    pub second: ScenarioIndex,
    /// The first operation of both where it is so, by its place in the contract.
    pub operation: OperationIndex,
    /// Whether they stand for all rules that look at the same fields as one and the other of them.
    pub stands_for_more: bool,
}

/// So many rules that share a value, or hold for one, are looked at together.
const SHARING: usize = 48;

/// So many rules that no value finds are looked at, each with each.
const LOOSE: usize = 128;

/// So many pairs of an operation are found.
const PAIRS: usize = 2048;

/// So many kinds of rules, by the fields they look at, are compared with one another.
const KINDS: usize = 24;

/// Of two such kinds so many rules are compared.
const OF_A_KIND: usize = 6;

/// The overlaps of rules that people wrote, in order.
#[must_use]
pub fn find_overlaps(contract: &Contract, set: &ScenarioSet) -> Vec<Overlap> {
    let mut of_operation: BTreeMap<OperationIndex, Vec<ScenarioIndex>> = BTreeMap::new();
    for (number, scenario) in set.iter() {
        for &operation in scenario.operations.iter() {
            if !is_built_in(&scenario.file) {
                of_operation.entry(operation).or_default().push(number);
            }
        }
    }
    let mut found = BTreeMap::new();
    for (operation, numbers) in of_operation {
        let mut search = Search {
            set,
            row: &contract.operations[operation],
            operation,
            numbers: &numbers,
            pairs: BTreeMap::new(),
        };
        search.by_value();
        search.by_pattern();
        search.loose();
        search.by_kind();
        for ((first, second), stands_for_more) in search.pairs {
            found.entry((first, second)).or_insert(Overlap {
                first,
                second,
                operation,
                stands_for_more,
            });
        }
    }
    found.into_values().collect()
}

/// The search among the rules of one operation.
struct Search<'s> {
    set: &'s ScenarioSet,
    row: &'s Operation,
    operation: OperationIndex,
    /// The rules, in order.
    numbers: &'s [ScenarioIndex],
    /// What was found, and whether it stands for more.
    pairs: BTreeMap<(ScenarioIndex, ScenarioIndex), bool>,
}

impl Search<'_> {
    /// Rules that name the same value.
    fn by_value(&mut self) {
        let mut sharing: HashMap<LookupKey, Vec<ScenarioIndex>, FixedState> = HashMap::default();
        for &number in self.numbers {
            let conditions = &self.set.get(number).conditions;
            let exact = conditions.iter().filter(|it| names_values(it));
            for key in exact.filter_map(|it| keys(self.row, it)).flatten() {
                let rules = sharing.entry(key).or_default();
                if rules.len() < SHARING && rules.last() != Some(&number) {
                    rules.push(number);
                }
            }
        }
        let mut shared: Vec<Vec<ScenarioIndex>> = sharing.into_values().collect();
        shared.retain(|rules| rules.len() > 1);
        shared.sort_unstable();
        for rules in shared {
            self.each_with_each(&rules);
        }
    }

    /// Rules that name a value, and those with a pattern or a range that it fits.
    fn by_pattern(&mut self) {
        let Some(index) = self.set.index(self.operation) else {
            return;
        };
        let others: Vec<ScenarioIndex> = index.others.iter().take(SHARING).copied().collect();
        for &number in self.numbers {
            let conditions = &self.set.get(number).conditions;
            let mut found: Vec<Candidate> = Vec::new();
            let mut names = false;
            for condition in conditions.iter().filter(|it| names_values(it)) {
                names = true;
                let Predicate::OneOf(values) = &condition.predicate else {
                    continue;
                };
                for field in fields(&condition.selector, self.row) {
                    for value in values {
                        let only = |at: FieldIndex| (at == field).then_some(value);
                        let input = MatchInput {
                            operation: self.operation,
                            field: &only,
                            context: RequestContext::plain("", Environment::Test),
                        };
                        index.patterns(self.row, &input, |_| true, &mut found);
                    }
                }
            }
            let found = found.iter().map(|candidate| candidate.rule);
            let rules: BTreeSet<ScenarioIndex> = found.chain(others.iter().copied()).collect();
            for rule in rules.into_iter().filter(|_| names).take(SHARING) {
                self.compare(number, rule, OneThing::Needed);
            }
        }
    }

    /// Rules with a condition that names no value: patterns, ranges, what stands inside a field.
    fn loose(&mut self) {
        let is_loose = |number: &&ScenarioIndex| {
            let mut conditions = self.set.get(**number).conditions.iter();
            conditions.any(|it| !names_values(it))
        };
        let loose: Vec<ScenarioIndex> = self.numbers.iter().filter(is_loose).copied().collect();
        self.each_with_each(&loose[..loose.len().min(LOOSE)]);
    }

    /// Rules that look at nothing in common: of each two kinds one pair stands for all.
    fn by_kind(&mut self) {
        let mut kinds: BTreeMap<Vec<String>, Vec<ScenarioIndex>> = BTreeMap::new();
        for &number in self.numbers {
            let kind = self.kind(self.set.get(number));
            if kinds.len() < KINDS || kinds.contains_key(&kind) {
                let rules = kinds.entry(kind).or_default();
                rules.push(number);
            }
        }
        let kinds: Vec<_> = kinds.into_iter().collect();
        for (at, (one, ones)) in kinds.iter().enumerate() {
            for (other, others) in &kinds[at + 1..] {
                if one.iter().any(|selector| other.contains(selector)) {
                    continue;
                }
                let some = |rules: &[ScenarioIndex]| rules[..rules.len().min(OF_A_KIND)].to_vec();
                let (some, more) = (some(ones), ones.len() + others.len() > 2);
                let before = self.pairs.len();
                'found: for one in some {
                    for &other in others.iter().take(OF_A_KIND) {
                        self.compare(one, other, OneThing::None(more));
                        if self.pairs.len() > before {
                            break 'found;
                        }
                    }
                }
            }
        }
    }

    fn each_with_each(&mut self, rules: &[ScenarioIndex]) {
        for (at, &one) in rules.iter().enumerate() {
            for &other in &rules[at + 1..] {
                self.compare(one, other, OneThing::Needed);
            }
        }
    }

    /// What a rule looks at in the body. All that identifies is one thing.
    fn kind(&self, rule: &Scenario) -> Vec<String> {
        let mut kind: Vec<String> = rule
            .conditions
            .iter()
            .filter_map(|condition| match &condition.selector {
                Selector::AnyIdentifier => Some(String::new()),
                Selector::Field(name) => {
                    let field = &self.row.request[self.row.field(name)?];
                    Some(if field.identifies { "" } else { name }.to_owned())
                }
                Selector::Inside { field, .. } => Some(field.clone()),
                Selector::Account | Selector::Environment | Selector::Header(_) => None,
            })
            .collect();
        kind.sort_unstable();
        kind.dedup();
        kind
    }

    /// Notes two rules where an input may mean both and somebody would want to know.
    fn compare(&mut self, one: ScenarioIndex, other: ScenarioIndex, common: OneThing) {
        let (first, second) = (one.min(other), one.max(other));
        let (before, after) = (self.set.get(first), self.set.get(second));
        if first == second
            || self.pairs.len() >= PAIRS
            || !comes_before(before, after)
            || is_built_in(&before.file)
            || is_built_in(&after.file)
        {
            return;
        }
        let (kind, other_kind) = (self.kind(before), self.kind(after));
        let shares = kind.iter().any(|it| other_kind.contains(it));
        let fits = match common {
            OneThing::Needed => shares || (kind.is_empty() && other_kind.is_empty()),
            OneThing::None(_) => !is_exception(before, &other_kind),
        };
        let may_both = |one: &Condition| {
            let mut others = after.conditions.iter();
            others.all(|other| self.may_both_hold(one, other))
        };
        if fits
            && before.conditions.iter().all(may_both)
            && !self.is_narrower(before, after)
            && !ends_alike(self.set, before, after)
        {
            let stands_for_more = matches!(common, OneThing::None(true));
            self.pairs.entry((first, second)).or_insert(stands_for_more);
        }
    }

    /// Whether everything the one rule holds for the other one holds for, too.
    fn is_narrower(&self, one: &Scenario, wider: &Scenario) -> bool {
        let holds = |wanted: &Condition| {
            let mut known = one.conditions.iter();
            known.any(|known| implies(self.row, known, wanted))
        };
        let mut operations = one.operations.iter();
        operations.all(|it| wider.operations.contains(it)) && wider.conditions.iter().all(holds)
    }

    /// False where no input meets both, as far as that is seen at once.
    fn may_both_hold(&self, one: &Condition, other: &Condition) -> bool {
        match (&one.selector, &other.selector) {
            (
                Selector::Field(_) | Selector::AnyIdentifier,
                Selector::Field(_) | Selector::AnyIdentifier,
            ) => {
                let others = fields(&other.selector, self.row);
                let mut both = fields(&one.selector, self.row);
                both.retain(|field| others.contains(field));
                both.is_empty() || both.iter().any(|&field| self.fit(field, one, other))
            }
            (one_on, other_on) if one_on != other_on => true,
            (Selector::Inside { .. }, _) => true,
            _ => match (&one.predicate, &other.predicate) {
                (Predicate::OneOf(ones), Predicate::OneOf(others)) => {
                    ones.iter().any(|value| others.contains(value))
                }
                (one, other) => one.may_be_met_with(other),
            },
        }
    }

    fn fit(&self, field: FieldIndex, one: &Condition, other: &Condition) -> bool {
        let of = |values: &[Json<'static>], condition: &Condition| {
            let mut values = values.iter();
            values.any(|value| condition.holds_of(self.row, field, Some(value)))
        };
        match (&one.predicate, &other.predicate) {
            (Predicate::OneOf(values), _) => of(values, other),
            (_, Predicate::OneOf(values)) => of(values, one),
            (one, other) => one.may_be_met_with(other),
        }
    }
}

/// Whether two rules must look at one thing to be compared, or look at nothing in common and may stand
/// for more of their kinds.
#[derive(Clone, Copy)]
enum OneThing {
    Needed,
    None(bool),
}

impl Predicate {
    /// False where no value meets both.
    fn may_be_met_with(&self, other: &Predicate) -> bool {
        match (self, other) {
            (Predicate::Present(one), Predicate::Present(other)) => one == other,
            (Predicate::Present(false), _) | (_, Predicate::Present(false)) => false,
            (Predicate::Number(one), Predicate::Number(other)) => !both(one, other).is_empty(),
            _ => true,
        }
    }
}

/// The numbers in both ranges.
fn both(one: &NumberRange, other: &NumberRange) -> NumberRange {
    let higher = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
    let lower = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::min);
    NumberRange {
        at_least: higher(one.at_least, other.at_least),
        above: higher(one.above, other.above),
        at_most: lower(one.at_most, other.at_most),
        below: lower(one.below, other.below),
    }
}

/// Whether a condition names values of the body.
fn names_values(condition: &Condition) -> bool {
    matches!(
        condition.selector,
        Selector::Field(_) | Selector::AnyIdentifier
    ) && matches!(condition.predicate, Predicate::OneOf(_))
}

/// Whether a rule names values before one that looks at no field: it is an exception from what holds
/// for an account, say.
fn is_exception(rule: &Scenario, kind_of_other: &[String]) -> bool {
    kind_of_other.is_empty() && rule.conditions.iter().any(names_values)
}

/// Whether it makes no difference which of two rules decides.
fn ends_alike(set: &ScenarioSet, one: &Scenario, other: &Scenario) -> bool {
    let each = || one.then.iter().zip(&other.then);
    one.then.len() == other.then.len()
        && one.start_over == other.start_over
        && one.fall_through == other.fall_through
        && each().all(|(one, other)| same_outcome(set, one, other))
}

fn same_outcome(set: &ScenarioSet, one: &Outcome, other: &Outcome) -> bool {
    let beside = |outcome: &Outcome| Outcome {
        kind: OutcomeKind::Success(None),
        ..outcome.clone()
    };
    let same = match (&one.kind, &other.kind) {
        (OutcomeKind::Success(one), OutcomeKind::Success(other)) => {
            let patch = |index: &Option<PatchIndex>| index.map(|index| &set.patches[index.0]);
            patch(one) == patch(other)
        }
        (
            OutcomeKind::Pending { after_ms, finally },
            OutcomeKind::Pending {
                after_ms: other_after,
                finally: other_finally,
            },
        ) => after_ms == other_after && same_outcome(set, finally, other_finally),
        (one, other) => one == other,
    };
    same && beside(one) == beside(other)
}
