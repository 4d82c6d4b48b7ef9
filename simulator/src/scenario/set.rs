//! All scenarios, indexed: exact values are found by hash, so that a hundred thousand rules cost
//! what ten cost; only rules without one are tried in turn.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{Contract, ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::{Condition, Scenario, Subject, Test, folded};

/// All scenarios of a simulator.
#[derive(Debug, Clone, Default)]
pub struct ScenarioSet {
    scenarios: Vec<Scenario>,
    /// What `success = {…}` lays over canned answers, by number.
    pub changes: Vec<Json<'static>>,
    /// For each operation of the contract.
    indexes: Vec<Index>,
}

/// The numbers of rules, by one of the [`keys`] of the texts they hold for.
type Exact = HashMap<Box<str>, Vec<u32>, FixedState>;

#[derive(Debug, Clone, Default)]
struct Index {
    /// Rules that name a text, by field.
    exact: Vec<(usize, Exact)>,
    /// Rules without one, in order.
    others: Vec<u32>,
}

/// An input, as far as choosing looks at it.
pub struct Question<'q> {
    /// Which operation is called, by its place in the contract.
    pub operation: usize,
    /// The value of a field by its place in the operation's row, sent or by default.
    pub field: &'q dyn Fn(usize) -> Option<&'q Json<'q>>,
}

/// What was chosen, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// An identifier contains a text that forces an error.
    Sentinel {
        /// The field.
        field: String,
        /// The error.
        error: ErrorCode,
    },
    /// A scenario names this input: it is the one of this number.
    Scenario(usize),
    /// Nothing names this input: it gets the operation's own success answer.
    Unnamed,
}

impl ScenarioSet {
    /// Indexes scenarios that were read. They must be in order.
    #[must_use]
    pub fn new(contract: &Contract, scenarios: Vec<Scenario>, changes: Vec<Json<'static>>) -> Self {
        let mut indexes = vec![Index::default(); contract.operations.len()];
        for (number, scenario) in scenarios.iter().enumerate() {
            for &operation in &scenario.operations {
                indexes[operation].insert(&contract.operations[operation], number, scenario);
            }
        }
        ScenarioSet {
            scenarios,
            changes,
            indexes,
        }
    }

    /// The scenario of that number.
    #[must_use]
    pub fn get(&self, number: usize) -> &Scenario {
        &self.scenarios[number]
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// What this input gets: the sentinel comes before all, then the first rule in order that
    /// holds. Of the cases of one rule, the first field in the contract's order decides.
    #[must_use]
    pub fn choose(&self, contract: &Contract, question: &Question<'_>) -> Choice {
        let operation = &contract.operations[question.operation];
        if let Some(field) = sentinel(contract, operation, question) {
            return Choice::Sentinel {
                field: field.to_owned(),
                error: contract.service.sentinel.error,
            };
        }
        let Some(index) = self.indexes.get(question.operation) else {
            return Choice::Unnamed;
        };
        let mut best: Option<(usize, usize)> = None;
        for &(field, ref values) in &index.exact {
            for text in texts((question.field)(field)) {
                let mut look_up = |key: &str| {
                    for &number in values.get(key).map_or(&[][..], Vec::as_slice) {
                        self.keep_first(&mut best, number as usize, operation, question);
                    }
                };
                look_up(&as_compared(operation, field, text));
                if let Some(url) = Url::of(text) {
                    look_up(url.last_part());
                    url.pairs().for_each(look_up);
                }
            }
        }
        for &number in &index.others {
            if best.is_some_and(|(order, _)| order <= self.scenarios[number as usize].order) {
                break;
            }
            self.keep_first(&mut best, number as usize, operation, question);
        }
        best.map_or(Choice::Unnamed, |(_, number)| Choice::Scenario(number))
    }

    fn keep_first(
        &self,
        best: &mut Option<(usize, usize)>,
        number: usize,
        operation: &Operation,
        question: &Question<'_>,
    ) {
        let scenario = &self.scenarios[number];
        let earlier = best.is_none_or(|(order, _)| scenario.order < order);
        if earlier
            && scenario
                .conditions
                .iter()
                .all(|condition| holds(condition, operation, question))
        {
            *best = Some((scenario.order, number));
        }
    }
}

impl Scenario {
    /// Whether a condition would hold of a field of this name with this value, or without one.
    #[must_use]
    pub fn allows(
        condition: &Condition,
        operation: &Operation,
        field: &str,
        value: Option<&Json<'_>>,
    ) -> bool {
        let index = operation.field(field);
        index.is_some_and(|index| test_holds(&condition.test, operation, index, value))
    }

    /// Whether one of the conditions that hold names the value of this field itself.
    #[must_use]
    pub fn names<'q>(
        &self,
        operation: &Operation,
        field: &str,
        value: &dyn Fn(usize) -> Option<&'q Json<'q>>,
    ) -> bool {
        let Some(index) = operation.field(field) else {
            return false;
        };
        let about_it = |condition: &Condition| match &condition.on {
            Subject::Field(name) => name == field,
            Subject::AnyIdentifier => operation.request[index].identifies,
        };
        let holds =
            |condition: &Condition| test_holds(&condition.test, operation, index, value(index));
        self.conditions
            .iter()
            .any(|condition| about_it(condition) && holds(condition))
    }
}

impl Index {
    /// Files a rule under its first condition that has keys, or among the others.
    fn insert(&mut self, operation: &Operation, number: usize, scenario: &Scenario) {
        let number = u32::try_from(number).expect("fewer than four billion rules");
        let keyed = scenario.conditions.iter().find_map(|condition| {
            let keys = keys(&condition.test)?;
            Some((condition, keys))
        });
        let Some((condition, keys)) = keyed else {
            self.others.push(number);
            return;
        };
        for field in fields(&condition.on, operation) {
            let at = self
                .exact
                .binary_search_by_key(&field, |(field, _)| *field)
                .unwrap_or_else(|at| {
                    self.exact.insert(at, (field, Exact::default()));
                    at
                });
            for key in &keys {
                let key = match &condition.test {
                    Test::OneOf(_) => as_compared(operation, field, key).into(),
                    _ => Box::from(*key),
                };
                self.exact[at].1.entry(key).or_default().push(number);
            }
        }
    }
}

/// The texts a rule can be found by: every text its test holds for is looked up by one of them.
/// What is found so is tested all the same, so keys of different kinds may meet in one table.
fn keys(test: &Test) -> Option<Vec<&str>> {
    match test {
        Test::OneOf(values) => values.iter().map(Json::as_text).collect(),
        Test::PathEnds(end) if end.rfind('/') == Some(0) => Some(vec![end]),
        Test::Query(pair) => Some(vec![pair]),
        _ => None,
    }
}

/// A URL, as far as conditions look into one.
struct Url<'u> {
    path: &'u str,
    query: &'u str,
}

impl<'u> Url<'u> {
    fn of(text: &'u str) -> Option<Self> {
        let (_, rest) = text.split_once("://")?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(Url { path, query })
    }

    /// The last part of the path, with its slash.
    fn last_part(&self) -> &'u str {
        &self.path[self.path.rfind('/').unwrap_or(0)..]
    }

    fn pairs(&self) -> impl Iterator<Item = &'u str> {
        self.query.split('&')
    }
}

/// The places of the fields that a condition looks at.
pub(super) fn fields(on: &Subject, operation: &Operation) -> Vec<usize> {
    match on {
        Subject::Field(name) => operation.field(name).into_iter().collect(),
        Subject::AnyIdentifier => operation.identifiers().map(|(index, _)| index).collect(),
    }
}

/// The texts of a value: itself, or those of its items.
pub(super) fn texts<'j>(value: Option<&'j Json<'j>>) -> impl Iterator<Item = &'j str> {
    let items = value.map_or(&[][..], |value| {
        value.as_list().unwrap_or(std::slice::from_ref(value))
    });
    items.iter().filter_map(Json::as_text)
}

fn as_compared<'t>(operation: &Operation, field: usize, text: &'t str) -> Cow<'t, str> {
    match operation.request[field].folds {
        true => Cow::Owned(folded(text)),
        false => Cow::Borrowed(text),
    }
}

/// Whether a condition holds for an input.
pub(super) fn holds(condition: &Condition, operation: &Operation, question: &Question<'_>) -> bool {
    let one = |index: usize| test_holds(&condition.test, operation, index, (question.field)(index));
    match &condition.on {
        Subject::Field(name) => operation.field(name).is_some_and(one),
        Subject::AnyIdentifier => operation.identifiers().any(|(index, _)| one(index)),
    }
}

fn test_holds(test: &Test, operation: &Operation, field: usize, value: Option<&Json<'_>>) -> bool {
    let compare = |text: &str| as_compared(operation, field, text).into_owned();
    match test {
        Test::Present(wanted) => value.is_some() == *wanted,
        Test::OneOf(wanted) => wanted.iter().any(|wanted| match wanted.as_text() {
            Some(wanted) => texts(value).any(|text| compare(text) == compare(wanted)),
            None => value == Some(wanted),
        }),
        Test::Contains(part) => texts(value).any(|text| compare(text).contains(&compare(part))),
        Test::StartsWith(start) => {
            texts(value).any(|text| compare(text).starts_with(&compare(start)))
        }
        Test::EndsWith(end) => texts(value).any(|text| compare(text).ends_with(&compare(end))),
        Test::PathEnds(end) => {
            let mut urls = texts(value).filter_map(Url::of);
            urls.any(|url| url.path.ends_with(end.as_str()))
        }
        Test::Query(pair) => {
            let mut urls = texts(value).filter_map(Url::of);
            urls.any(|url| url.pairs().any(|found| found == pair))
        }
        Test::Matches(pattern) => texts(value).any(|text| pattern.is_match(text)),
    }
}

/// The identifying field that contains the service's sentinel, or the operation's own.
fn sentinel<'c>(
    contract: &Contract,
    operation: &'c Operation,
    question: &Question<'_>,
) -> Option<&'c str> {
    let marks = [
        Some(contract.service.sentinel.text.as_str()),
        operation.sentinel.as_deref(),
    ];
    let marked = |index| {
        texts((question.field)(index))
            .any(|text| marks.iter().flatten().any(|mark| text.contains(mark)))
    };
    operation
        .identifiers()
        .find(|&(index, _)| marked(index))
        .map(|(_, field)| field.name.as_str())
}

impl Choice {
    /// Why, for the call log.
    #[must_use]
    pub fn because(&self, scenarios: &ScenarioSet) -> Because {
        match self {
            Choice::Sentinel { field, .. } => Because::Sentinel(field.clone()),
            Choice::Scenario(number) => {
                Because::Scenario(Arc::clone(&scenarios.get(*number).because))
            }
            Choice::Unnamed => Because::Unnamed,
        }
    }
}

/// Why a call got its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Because {
    /// This identifying field contains a text that forces an error.
    Sentinel(String),
    /// The scenario of this name and place.
    Scenario(Arc<str>),
    /// No scenario names the input.
    Unnamed,
    /// The call was refused before its operation ran.
    Refused,
    /// It is a bundle: each of its steps has a reason of its own.
    Bundle,
    /// The account itself was asked, not an operation.
    Account,
}

impl std::fmt::Display for Because {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Because::Sentinel(field) => write!(out, "{field} contains the sentinel"),
            Because::Scenario(text) => out.write_str(text),
            Because::Unnamed => out.write_str("no scenario names this input"),
            Because::Bundle => out.write_str("each step has a reason of its own"),
            Because::Account => out.write_str("answered from the account's books"),
            Because::Refused => out.write_str("refused before the operation ran"),
        }
    }
}
