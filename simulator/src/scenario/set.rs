//! All scenarios, and which of them an input gets. Which may be meant is found by `index/`, so that a
//! hundred thousand rules cost what ten cost; here it is decided.

use std::borrow::Cow;
use std::cmp::Ordering;

use svc_fixtures::contract::{Contract, ErrorCode, Field, Kind, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::path::{Step, find};

use super::index::{Candidate, Index};
use super::{
    Condition, People, Predicate, RequestContext, ResponsePatch, Scenario, ScenarioIndex, Selector,
    folded,
};

/// All scenarios of a simulator.
#[derive(Debug, Clone, Default)]
pub struct ScenarioSet {
    scenarios: Vec<Scenario>,
    /// What scenarios change of canned answers, by [`PatchIndex`](super::PatchIndex).
    pub patches: Vec<ResponsePatch>,
    /// The people and companies that files declare.
    pub people: People,
    /// For each operation of the contract.
    indexes: Vec<Index>,
}

/// An input, as far as choosing looks at it.
pub struct MatchInput<'q> {
    /// Which operation is called, by its place in the contract.
    pub operation: usize,
    /// The value of a field by its place in the operation's row, sent or by default.
    pub field: &'q dyn Fn(usize) -> Option<&'q Json<'q>>,
    /// Who calls, and how.
    pub context: RequestContext<'q>,
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
    /// This scenario names this input.
    Scenario(ScenarioIndex),
    /// No scenario names this input: it gets the operation's own success answer.
    NoMatch,
}

impl ScenarioSet {
    /// Indexes scenarios that were read. They must be in order.
    #[must_use]
    pub fn new(
        contract: &Contract,
        scenarios: Vec<Scenario>,
        patches: Vec<ResponsePatch>,
        people: People,
    ) -> Self {
        let mut of_operation = vec![Vec::new(); contract.operations.len()];
        for (number, scenario) in scenarios.iter().enumerate() {
            let number = u32::try_from(number).expect("fewer than four billion scenarios");
            for &operation in &scenario.operations {
                of_operation[operation].push(ScenarioIndex(number));
            }
        }
        let rows = contract.operations.iter().zip(&of_operation);
        let index = |(operation, numbers): (_, &Vec<ScenarioIndex>)| {
            let rules = numbers.iter();
            let rules = rules.map(|&index| (index, &scenarios[index.0 as usize]));
            Index::new(operation, rules)
        };
        let indexes = rows.map(index).collect();
        ScenarioSet {
            scenarios,
            patches,
            people,
            indexes,
        }
    }

    /// The scenario at that place.
    #[must_use]
    pub fn get(&self, index: ScenarioIndex) -> &Scenario {
        &self.scenarios[index.0 as usize]
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// All of them with their places, in order.
    pub fn iter(&self) -> impl Iterator<Item = (ScenarioIndex, &Scenario)> {
        let scenarios = self.scenarios.iter().zip(0..);
        scenarios.map(|(scenario, number)| (ScenarioIndex(number), scenario))
    }

    /// How the rules of an operation are found.
    pub(crate) fn index(&self, operation: usize) -> Option<&Index> {
        self.indexes.get(operation)
    }

    /// What this input gets: the sentinel comes before all, then the first rule in order that
    /// holds. Of the cases of one rule, the first field in the contract's order decides.
    #[must_use]
    pub fn choose(&self, contract: &Contract, input: &MatchInput<'_>) -> Choice {
        let operation = &contract.operations[input.operation];
        if let Some(field) = sentinel(contract, operation, input) {
            return Choice::Sentinel {
                field: field.to_owned(),
                error: contract.service.sentinel.error,
            };
        }
        let Some(index) = self.index(input.operation) else {
            return Choice::NoMatch;
        };
        let mut search = Search {
            set: self,
            index,
            operation,
            input,
            best: None,
        };
        let mut found = Vec::new();
        index.exact(operation, input, &mut found);
        search.try_all(&mut found);
        let best = search.best;
        let not_after =
            |rule: ScenarioIndex| best.is_none_or(|best| self.order(rule) <= self.order(best));
        index.patterns(operation, input, not_after, &mut found);
        search.try_all(&mut found);
        for &rule in &index.others {
            if !search.attempt(rule, None) {
                break;
            }
        }
        search.best.map_or(Choice::NoMatch, Choice::Scenario)
    }

    fn order(&self, rule: ScenarioIndex) -> usize {
        self.get(rule).order
    }
}

/// The search for the first rule that holds.
struct Search<'s, 'q> {
    set: &'s ScenarioSet,
    index: &'s Index,
    operation: &'s Operation,
    input: &'s MatchInput<'q>,
    best: Option<ScenarioIndex>,
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

    /// Keeps a rule that holds where it comes before the best so far. False where it comes after,
    /// and whatever follows it would too.
    fn attempt(&mut self, rule: ScenarioIndex, proven: Option<u32>) -> bool {
        let order = |best| self.set.order(rule).cmp(&self.set.order(best));
        let comes = self.best.map_or(Ordering::Less, order);
        if comes == Ordering::Greater {
            return false;
        }
        // Of the cases of one rule, that of the first field in the contract's order comes first.
        let is_before = |best: ScenarioIndex| {
            comes == Ordering::Less || (self.place(rule), rule) < (self.place(best), best)
        };
        if self.holds(rule, proven) && self.best.is_none_or(is_before) {
            self.best = Some(rule);
        }
        true
    }

    fn holds(&self, rule: ScenarioIndex, proven: Option<u32>) -> bool {
        let conditions = &self.set.get(rule).conditions;
        conditions.iter().zip(0..).all(|(condition, place)| {
            let at = Candidate {
                rule,
                proven: place,
            };
            proven == Some(place)
                || self
                    .index
                    .in_list(at, condition, self.operation, self.input)
                    .unwrap_or_else(|| holds(condition, self.operation, self.input))
        })
    }

    /// Where in the input the first condition of a rule holds first: the field, and of a list the
    /// item.
    fn place(&self, rule: ScenarioIndex) -> (usize, usize) {
        let scenario = self.set.get(rule);
        let place = scenario
            .conditions
            .first()
            .and_then(|first| first_place(first, self.operation, self.input));
        place.unwrap_or((usize::MAX, usize::MAX))
    }
}

/// Where a condition holds first.
pub(crate) fn first_place(
    condition: &Condition,
    operation: &Operation,
    input: &MatchInput<'_>,
) -> Option<(usize, usize)> {
    let in_field = |field: usize| {
        let value = (input.field)(field)?;
        let items = value.as_list().unwrap_or(std::slice::from_ref(value));
        let holds =
            |item: &Json<'_>| predicate_holds(&condition.predicate, operation, field, Some(item));
        items.iter().position(holds).map(|item| (field, item))
    };
    fields(&condition.selector, operation)
        .into_iter()
        .find_map(in_field)
}

impl Scenario {
    /// Whether it holds for an input, whatever comes before it.
    #[must_use]
    pub fn holds(&self, operation: &Operation, input: &MatchInput<'_>) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.all(|condition| holds(condition, operation, input))
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
            .is_some_and(|index| match &condition.selector {
                Selector::Inside { steps, .. } => {
                    inside_holds(&condition.predicate, operation, index, steps, value)
                }
                _ => predicate_holds(&condition.predicate, operation, index, value),
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
        let about_it = |condition: &Condition| match &condition.selector {
            Selector::Field(name) | Selector::Inside { field: name, .. } => name == field,
            Selector::AnyIdentifier => operation.request[index].identifies,
            Selector::Account | Selector::Environment | Selector::Header(_) => false,
        };
        let holds = |condition: &Condition| match &condition.selector {
            Selector::Inside { steps, .. } => {
                inside_holds(&condition.predicate, operation, index, steps, value(index))
            }
            _ => predicate_holds(&condition.predicate, operation, index, value(index)),
        };
        self.conditions
            .iter()
            .any(|condition| about_it(condition) && holds(condition))
    }
}

impl Condition {
    /// Whether it holds of who calls and how; none where it looks at the body.
    #[must_use]
    pub fn holds_in_context(&self, context: &RequestContext<'_>) -> Option<bool> {
        let text = match &self.selector {
            Selector::Account => Some(context.account),
            Selector::Environment => Some(context.environment.as_str()),
            Selector::Header(name) => context.header(*name),
            Selector::Field(_) | Selector::AnyIdentifier | Selector::Inside { .. } => return None,
        };
        let json = text.map(|text| Json::Text(Cow::Borrowed(text)));
        Some(compared_holds(&self.predicate, &as_sent, json.as_ref()))
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
pub(crate) fn fields(selector: &Selector, operation: &Operation) -> Vec<usize> {
    match selector {
        Selector::Field(name) => operation.field(name).into_iter().collect(),
        Selector::AnyIdentifier => operation.identifiers().map(|(index, _)| index).collect(),
        Selector::Inside { .. }
        | Selector::Account
        | Selector::Environment
        | Selector::Header(_) => Vec::new(),
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
pub(crate) fn holds(condition: &Condition, operation: &Operation, input: &MatchInput<'_>) -> bool {
    let (predicate, value) = (&condition.predicate, input.field);
    let one = |index: usize| predicate_holds(predicate, operation, index, value(index));
    match &condition.selector {
        Selector::Field(name) => operation.field(name).is_some_and(one),
        Selector::AnyIdentifier => operation.identifiers().any(|(index, _)| one(index)),
        Selector::Inside { field, steps } => operation
            .field(field)
            .is_some_and(|index| inside_holds(predicate, operation, index, steps, value(index))),
        Selector::Account | Selector::Environment | Selector::Header(_) => {
            condition.holds_in_context(&input.context) == Some(true)
        }
    }
}

/// Whether a test holds of a field's whole value.
pub(crate) fn predicate_holds(
    predicate: &Predicate,
    operation: &Operation,
    field: usize,
    value: Option<&Json<'_>>,
) -> bool {
    let compare = |text: &str| as_compared(operation, field, text).into_owned();
    compared_holds(predicate, &compare, value)
}

/// Whether a test holds of one of the values inside a field.
fn inside_holds(
    predicate: &Predicate,
    operation: &Operation,
    field: usize,
    steps: &[Step],
    value: Option<&Json<'_>>,
) -> bool {
    let folds = folds_inside(&operation.request[field], steps);
    let compare: &dyn Fn(&str) -> String = if folds { &folded } else { &as_sent };
    let found = value.map(|value| find(value, steps)).unwrap_or_default();
    match predicate {
        Predicate::Present(wanted) => found.is_empty() != *wanted,
        _ => found
            .into_iter()
            .any(|value| compared_holds(predicate, compare, Some(value))),
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
    predicate: &Predicate,
    compare: &dyn Fn(&str) -> String,
    value: Option<&Json<'_>>,
) -> bool {
    match predicate {
        Predicate::Present(wanted) => value.is_some() == *wanted,
        Predicate::OneOf(wanted) => wanted.iter().any(|wanted| match wanted.as_text() {
            Some(wanted) => texts(value).any(|text| compare(text) == compare(wanted)),
            None => value.is_some_and(|value| same(value, wanted)),
        }),
        Predicate::Contains(part) => {
            texts(value).any(|text| compare(text).contains(&compare(part)))
        }
        Predicate::StartsWith(start) => {
            texts(value).any(|text| compare(text).starts_with(&compare(start)))
        }
        Predicate::EndsWith(end) => texts(value).any(|text| compare(text).ends_with(&compare(end))),
        Predicate::PathEnds(end) => {
            let mut urls = texts(value).filter_map(Url::of);
            urls.any(|url| url.path.ends_with(end.as_str()))
        }
        Predicate::Query(pair) => {
            let mut urls = texts(value).filter_map(Url::of);
            urls.any(|url| url.pairs().any(|found| found == pair))
        }
        Predicate::Matches(pattern) => texts(value).any(|text| pattern.is_match(text)),
        Predicate::Number(range) => value.is_some_and(|value| range.holds(value)),
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
    input: &MatchInput<'_>,
) -> Option<&'c str> {
    let marks = [
        Some(contract.service.sentinel.text.as_str()),
        operation.sentinel.as_deref(),
    ];
    let marked = |index| {
        texts((input.field)(index))
            .any(|text| marks.iter().flatten().any(|mark| text.contains(mark)))
    };
    operation
        .identifiers()
        .find(|&(index, _)| marked(index))
        .map(|(_, field)| field.name.as_str())
}
