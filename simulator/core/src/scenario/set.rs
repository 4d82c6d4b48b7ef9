//! All scenarios, which of them an input gets, and why. The index finds the scenarios that may hold, so that
//! a hundred thousand of them cost what ten cost; here one of them is chosen.

use std::cmp::Ordering;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{Contract, FieldIndex, Operation, OperationIndex};

use super::answer_form::AnswerForm;
use super::index::{Automata, Candidate, Index};
use super::matching::{MatchInput, first_place, holds, texts};
use super::people::People;
use super::{Predicate, ResponsePatch, Scenario, ScenarioIndex, folded};

/// All scenarios of a simulator.
#[derive(Debug, Clone, Default)]
pub struct ScenarioSet {
    scenarios: Vec<Scenario>,
    /// What scenarios change of canned answers, by [`PatchIndex`](super::PatchIndex).
    pub patches: Vec<ResponsePatch>,
    /// The people and companies that files declare.
    pub people: People,
    /// What all answers share.
    pub answers: AnswerForm,
    /// For each operation of the contract.
    indexes: Vec<Index>,
    /// For each operation the rules that are asked before the formats, and what an identifier contains then.
    before_format: Vec<Vec<ScenarioIndex>>,
    exempt: Vec<Vec<String>>,
}

/// What was chosen, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
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
        answers: AnswerForm,
    ) -> Self {
        let mut of_operation = vec![Vec::new(); contract.operations.len()];
        for (number, scenario) in scenarios.iter().enumerate() {
            let number = u32::try_from(number).expect("fewer than four billion scenarios");
            for &operation in &scenario.operations {
                of_operation[operation.0].push(ScenarioIndex(number));
            }
        }
        let rows = contract.operations.iter().zip(&of_operation);
        let mut automata = Automata::default();
        let index = |(operation, numbers): (_, &Vec<ScenarioIndex>)| {
            let rules = numbers.iter();
            let rules = rules.map(|&index| (index, &scenarios[index.0 as usize]));
            Index::new(operation, rules, &mut automata)
        };
        let indexes = rows.map(index).collect();
        let mut set = ScenarioSet {
            indexes,
            before_format: vec![Vec::new(); contract.operations.len()],
            exempt: vec![Vec::new(); contract.operations.len()],
            scenarios: Vec::new(),
            patches,
            people,
            answers,
        };
        for (scenario, number) in scenarios.iter().zip(0..) {
            if let ([condition], true) = (&*scenario.conditions, scenario.before_format)
                && let Predicate::Contains(part) = &condition.predicate
            {
                for operation in &scenario.operations {
                    set.before_format[operation.0].push(ScenarioIndex(number));
                    set.exempt[operation.0].push(part.clone());
                }
            }
        }
        set.scenarios = scenarios;
        set
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
    pub(crate) fn index(&self, operation: OperationIndex) -> Option<&Index> {
        self.indexes.get(operation.0)
    }

    /// What this input gets: a rule that is asked before the formats comes before all others, then the
    /// first rule in order that holds. Of the cases of one rule, the first field in the contract's order decides.
    #[must_use]
    pub fn choose(&self, contract: &Contract, input: &MatchInput<'_>) -> Choice {
        let operation = &contract.operations[input.operation];
        match self.before_format(operation, input) {
            Some(rule) => Choice::Scenario(rule),
            None => self.first_after(contract, input, None),
        }
    }

    /// What this input gets once this rule, which was chosen for it, decides no more.
    #[must_use]
    pub fn choose_after(
        &self,
        contract: &Contract,
        input: &MatchInput<'_>,
        rule: ScenarioIndex,
    ) -> Choice {
        self.first_after(contract, input, Some(self.order(rule)))
    }

    /// The first rule that holds and stands behind this place in the order of all rules.
    fn first_after(
        &self,
        contract: &Contract,
        input: &MatchInput<'_>,
        after: Option<usize>,
    ) -> Choice {
        let operation = &contract.operations[input.operation];
        let Some(index) = self.index(input.operation) else {
            return Choice::NoMatch;
        };
        let mut search = Search {
            set: self,
            index,
            operation,
            input,
            after,
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

    /// The first rule that is asked before the formats are and holds.
    fn before_format(
        &self,
        operation: &Operation,
        input: &MatchInput<'_>,
    ) -> Option<ScenarioIndex> {
        let rules = self.before_format.get(input.operation.0)?;
        let mut parts = rules.iter().zip(self.exempt(input.operation));
        let found = parts.find(|(_, part)| contained(part, operation, input));
        found.map(|(rule, _)| *rule)
    }

    /// The texts that make an identifier of an operation fit, whatever its format.
    #[must_use]
    pub fn exempt(&self, operation: OperationIndex) -> &[String] {
        self.exempt.get(operation.0).map_or(&[], Vec::as_slice)
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
    /// Rules up to this place in the order of all are passed over.
    after: Option<usize>,
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
        if self
            .after
            .is_some_and(|after| self.set.order(rule) <= after)
        {
            return true;
        }
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
    fn place(&self, rule: ScenarioIndex) -> (FieldIndex, usize) {
        let scenario = self.set.get(rule);
        let place = scenario
            .conditions
            .first()
            .and_then(|first| first_place(first, self.operation, self.input));
        place.unwrap_or((FieldIndex(usize::MAX), usize::MAX))
    }
}

/// Whether an identifying field contains this part.
fn contained(part: &str, operation: &Operation, input: &MatchInput<'_>) -> bool {
    let mut fields = operation.identifiers();
    fields.any(|(index, field)| {
        let mut found = texts((input.field)(index));
        match field.folds {
            true => found.any(|text| folded(text).contains(&folded(part))),
            false => found.any(|text| text.contains(part)),
        }
    })
}

impl Choice {
    /// Why, for the call log. `about` is whom the answer speaks of, where they are declared.
    #[must_use]
    pub fn because(
        &self,
        scenarios: &ScenarioSet,
        about: impl FnOnce() -> Option<Arc<str>>,
    ) -> Because {
        match self {
            Choice::Scenario(number) => {
                Because::Scenario(Arc::clone(&scenarios.get(*number).because))
            }
            Choice::NoMatch => about().map_or(Because::NoMatch, Because::Declared),
        }
    }
}

/// Why a call got its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Because {
    /// The scenario of this name and place.
    Scenario(Arc<str>),
    /// No scenario names the input; the answer speaks of somebody who is declared, of this name and at
    /// this place.
    Declared(Arc<str>),
    /// No scenario names the input.
    NoMatch,
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
            Because::Scenario(text) => out.write_str(text),
            Because::Declared(text) => {
                write!(out, "no scenario names this input; it is about {text}")
            }
            Because::NoMatch => out.write_str("no scenario names this input"),
            Because::Bundle => out.write_str("each step has a reason of its own"),
            Because::Account => out.write_str("answered from the account's books"),
            Because::Refused => out.write_str("refused before the operation ran"),
        }
    }
}
