//! All scenarios, and which of them an input gets. Which may be meant is found by `index/`, so that a
//! hundred thousand rules cost what ten cost; here it is decided.

use std::borrow::Cow;
use std::cmp::Ordering;

use svc_fixtures::contract::{Contract, ErrorCode, Field, Kind, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, find};

use super::index::{Candidate, Index};
use super::{Changes, Circumstances, Condition, People, Scenario, Subject, Test, folded};

/// All scenarios of a simulator.
#[derive(Debug, Clone, Default)]
pub struct ScenarioSet {
    scenarios: Vec<Scenario>,
    /// What scenarios change of canned answers, by number.
    pub changes: Vec<Changes>,
    /// The people and companies that files declare.
    pub people: People,
    /// For each operation of the contract.
    indexes: Vec<Index>,
}

/// An input, as far as choosing looks at it.
pub struct Question<'q> {
    /// Which operation is called, by its place in the contract.
    pub operation: usize,
    /// The value of a field by its place in the operation's row, sent or by default.
    pub field: &'q dyn Fn(usize) -> Option<&'q Json<'q>>,
    /// Who calls, and how.
    pub around: Circumstances<'q>,
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
    pub fn new(
        contract: &Contract,
        scenarios: Vec<Scenario>,
        changes: Vec<Changes>,
        people: People,
    ) -> Self {
        let mut of_operation = vec![Vec::new(); contract.operations.len()];
        for (number, scenario) in scenarios.iter().enumerate() {
            for &operation in &scenario.operations {
                of_operation[operation].push(number);
            }
        }
        let rows = contract.operations.iter().zip(&of_operation);
        let index = |(operation, numbers): (_, &Vec<usize>)| {
            let rules = numbers.iter().map(|&number| (number, &scenarios[number]));
            Index::new(operation, rules)
        };
        let indexes = rows.map(index).collect();
        ScenarioSet {
            scenarios,
            changes,
            people,
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

    /// How the rules of an operation are found.
    pub(crate) fn index(&self, operation: usize) -> Option<&Index> {
        self.indexes.get(operation)
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
        let Some(index) = self.index(question.operation) else {
            return Choice::Unnamed;
        };
        let mut search = Search {
            set: self,
            index,
            operation,
            question,
            best: None,
        };
        let mut found = Vec::new();
        index.exact(operation, question, &mut found);
        search.try_all(&mut found);
        let best = search.best;
        let not_after = |rule: u32| best.is_none_or(|best| self.order(rule) <= self.order(best));
        index.patterns(operation, question, not_after, &mut found);
        search.try_all(&mut found);
        for &rule in &index.others {
            if !search.attempt(rule, None) {
                break;
            }
        }
        search
            .best
            .map_or(Choice::Unnamed, |rule| Choice::Scenario(rule as usize))
    }

    fn order(&self, rule: u32) -> usize {
        self.scenarios[rule as usize].order
    }
}

/// The search for the first rule that holds.
struct Search<'s, 'q> {
    set: &'s ScenarioSet,
    index: &'s Index,
    operation: &'s Operation,
    question: &'s Question<'q>,
    best: Option<u32>,
}

impl Search<'_, '_> {
    /// Tries what was found, in order, and empties it.
    fn try_all(&mut self, found: &mut Vec<Candidate>) {
        found.sort_unstable();
        found.dedup();
        for candidate in found.drain(..) {
            if !self.attempt(candidate.rule, Some(candidate.proven)) {
                break;
            }
        }
    }

    /// RetentionLimits a rule that holds where it comes before the best so far. False where it comes after,
    /// and whatever follows it would too.
    fn attempt(&mut self, rule: u32, proven: Option<u32>) -> bool {
        let order = |best| self.set.order(rule).cmp(&self.set.order(best));
        let comes = self.best.map_or(Ordering::Less, order);
        if comes == Ordering::Greater {
            return false;
        }
        // Of the cases of one rule, that of the first field in the contract's order comes first.
        let is_before = |best: u32| {
            comes == Ordering::Less || (self.place(rule), rule) < (self.place(best), best)
        };
        if self.holds(rule, proven) && self.best.is_none_or(is_before) {
            self.best = Some(rule);
        }
        true
    }

    fn holds(&self, rule: u32, proven: Option<u32>) -> bool {
        let conditions = &self.set.scenarios[rule as usize].conditions;
        conditions.iter().zip(0..).all(|(condition, place)| {
            let at = Candidate {
                rule,
                proven: place,
            };
            proven == Some(place)
                || self
                    .index
                    .in_list(at, condition, self.operation, self.question)
                    .unwrap_or_else(|| holds(condition, self.operation, self.question))
        })
    }

    /// Where in the input the first condition of a rule holds first: the field, and of a list the
    /// item.
    fn place(&self, rule: u32) -> (usize, usize) {
        let scenario = &self.set.scenarios[rule as usize];
        let place = scenario
            .conditions
            .first()
            .and_then(|first| first_place(first, self.operation, self.question));
        place.unwrap_or((usize::MAX, usize::MAX))
    }
}

/// Where a condition holds first.
pub(crate) fn first_place(
    condition: &Condition,
    operation: &Operation,
    question: &Question<'_>,
) -> Option<(usize, usize)> {
    let in_field = |field: usize| {
        let value = (question.field)(field)?;
        let items = value.as_list().unwrap_or(std::slice::from_ref(value));
        let holds = |item: &Json<'_>| test_holds(&condition.test, operation, field, Some(item));
        items.iter().position(holds).map(|item| (field, item))
    };
    fields(&condition.on, operation)
        .into_iter()
        .find_map(in_field)
}

impl Scenario {
    /// Whether it holds for an input, whatever comes before it.
    #[must_use]
    pub fn holds(&self, operation: &Operation, question: &Question<'_>) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.all(|condition| holds(condition, operation, question))
    }

    /// Whether a condition would hold of a field of this name with this value, or without one.
    #[must_use]
    pub fn allows(
        condition: &Condition,
        operation: &Operation,
        field: &str,
        value: Option<&Json<'_>>,
    ) -> bool {
        operation
            .field(field)
            .is_some_and(|index| match &condition.on {
                Subject::Inside { steps, .. } => {
                    inside_holds(&condition.test, operation, index, steps, value)
                }
                _ => test_holds(&condition.test, operation, index, value),
            })
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
            Subject::Field(name) | Subject::Inside { field: name, .. } => name == field,
            Subject::AnyIdentifier => operation.request[index].identifies,
            Subject::Account | Subject::Environment | Subject::Header(_) => false,
        };
        let holds = |condition: &Condition| match &condition.on {
            Subject::Inside { steps, .. } => {
                inside_holds(&condition.test, operation, index, steps, value(index))
            }
            _ => test_holds(&condition.test, operation, index, value(index)),
        };
        self.conditions
            .iter()
            .any(|condition| about_it(condition) && holds(condition))
    }
}

impl Condition {
    /// Whether it holds of who calls and how; none where it looks at the body.
    #[must_use]
    pub fn holds_around(&self, around: &Circumstances<'_>) -> Option<bool> {
        let text = match &self.on {
            Subject::Account => Some(around.account),
            Subject::Environment => Some(around.environment.as_str()),
            Subject::Header(name) => around.header(*name),
            Subject::Field(_) | Subject::AnyIdentifier | Subject::Inside { .. } => return None,
        };
        let json = text.map(|text| Json::Text(Cow::Borrowed(text)));
        Some(compared_holds(&self.test, &as_sent, json.as_ref()))
    }
}

/// A URL, as far as conditions look into one.
pub(crate) struct Url<'u> {
    pub(crate) path: &'u str,
    pub(crate) query: &'u str,
}

impl<'u> Url<'u> {
    pub(crate) fn of(text: &'u str) -> Option<Self> {
        let (_, rest) = text.split_once("://")?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Some(Url { path, query })
    }

    /// The last part of the path, with its slash.
    pub(crate) fn last_part(&self) -> &'u str {
        &self.path[self.path.rfind('/').unwrap_or(0)..]
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = &'u str> {
        self.query.split('&')
    }
}

/// The places of the fields that a condition looks at.
pub(crate) fn fields(on: &Subject, operation: &Operation) -> Vec<usize> {
    match on {
        Subject::Field(name) => operation.field(name).into_iter().collect(),
        Subject::AnyIdentifier => operation.identifiers().map(|(index, _)| index).collect(),
        Subject::Inside { .. } | Subject::Account | Subject::Environment | Subject::Header(_) => {
            Vec::new()
        }
    }
}

/// The texts of a value: itself, or those of its items.
pub(crate) fn texts<'j>(value: Option<&'j Json<'j>>) -> impl Iterator<Item = &'j str> {
    let items = value.map_or(&[][..], |value| {
        value.as_list().unwrap_or(std::slice::from_ref(value))
    });
    items.iter().filter_map(Json::as_text)
}

pub(crate) fn as_compared<'t>(operation: &Operation, field: usize, text: &'t str) -> Cow<'t, str> {
    match operation.request[field].folds {
        true => Cow::Owned(folded(text)),
        false => Cow::Borrowed(text),
    }
}

/// Whether a condition holds for an input.
pub(crate) fn holds(condition: &Condition, operation: &Operation, question: &Question<'_>) -> bool {
    let (test, value) = (&condition.test, question.field);
    let one = |index: usize| test_holds(test, operation, index, value(index));
    match &condition.on {
        Subject::Field(name) => operation.field(name).is_some_and(one),
        Subject::AnyIdentifier => operation.identifiers().any(|(index, _)| one(index)),
        Subject::Inside { field, steps } => operation
            .field(field)
            .is_some_and(|index| inside_holds(test, operation, index, steps, value(index))),
        Subject::Account | Subject::Environment | Subject::Header(_) => {
            condition.holds_around(&question.around) == Some(true)
        }
    }
}

/// Whether a test holds of a field's whole value.
pub(crate) fn test_holds(
    test: &Test,
    operation: &Operation,
    field: usize,
    value: Option<&Json<'_>>,
) -> bool {
    let compare = |text: &str| as_compared(operation, field, text).into_owned();
    compared_holds(test, &compare, value)
}

/// Whether a test holds of one of the values inside a field.
fn inside_holds(
    test: &Test,
    operation: &Operation,
    field: usize,
    steps: &[Step],
    value: Option<&Json<'_>>,
) -> bool {
    let folds = folds_inside(&operation.request[field], steps);
    let compare: &dyn Fn(&str) -> String = if folds { &folded } else { &as_sent };
    let found = value.map(|value| find(value, steps)).unwrap_or_default();
    match test {
        Test::Present(wanted) => found.is_empty() != *wanted,
        _ => found
            .into_iter()
            .any(|value| compared_holds(test, compare, Some(value))),
    }
}

/// Whether what these steps lead to in a field is compared without regard to case and spaces.
pub(crate) fn folds_at(operation: &Operation, field: &str, steps: &[Step]) -> bool {
    let field = operation.field(field);
    field.is_some_and(|index| folds_inside(&operation.request[index], steps))
}

/// Whether what stands there is a name or an address: a field of an object says so itself.
fn folds_inside(field: &Field, steps: &[Step]) -> bool {
    let mut here = field;
    let mut kind = &field.kind;
    for step in steps {
        match (kind, step) {
            (Kind::Object { fields }, Step::Member(name)) => {
                let Some(member) = fields.iter().find(|field| field.name == *name) else {
                    return false;
                };
                (here, kind) = (member, &member.kind);
            }
            (Kind::List { items, .. }, Step::Item(_) | Step::Every) => kind = items,
            _ => return false,
        }
    }
    here.folds
}

fn as_sent(text: &str) -> String {
    text.to_owned()
}

/// Whether a test holds of a value, where texts are compared like this.
pub(crate) fn compared_holds(
    test: &Test,
    compare: &dyn Fn(&str) -> String,
    value: Option<&Json<'_>>,
) -> bool {
    match test {
        Test::Present(wanted) => value.is_some() == *wanted,
        Test::OneOf(wanted) => wanted.iter().any(|wanted| match wanted.as_text() {
            Some(wanted) => texts(value).any(|text| compare(text) == compare(wanted)),
            None => value.is_some_and(|value| same(value, wanted)),
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
        Test::Number(range) => value.is_some_and(|value| range.holds(value)),
    }
}

/// Whether two values are the same to a person: `1` and `1.0` are one number.
fn same(value: &Json<'_>, wanted: &Json<'_>) -> bool {
    match (value, wanted) {
        (Json::Int(_) | Json::Num(_), Json::Int(_) | Json::Num(_)) => {
            value.as_num() == wanted.as_num()
        }
        (Json::List(items), wanted) if wanted.as_list().is_none() => {
            items.iter().any(|item| same(item, wanted))
        }
        _ => value == wanted,
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
