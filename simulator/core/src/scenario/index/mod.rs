//! Which rules an input may be meant by, found without trying them one after the other. Only finds
//! candidates and says which of their conditions is proven; what wins is decided in `set.rs`.

mod keys;
mod tables;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use foldhash::fast::FixedState;
use svc_fixtures::contract::{FieldIndex, Operation, Spelling};
use svc_fixtures::json::Json;

use super::matching::{MatchInput, Url, as_compared, fields, texts};
use super::{Condition, Predicate, Scenario, ScenarioIndex, as_subject};
pub(crate) use keys::{LookupKey, keys};
use keys::{TableKind, Uses, of_subject};
pub(crate) use tables::Automata;
use tables::{Exact, Expressions, Prefixes, Substrings, backwards, scalar};

/// A rule that may be meant, and the one of its conditions that is known to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Candidate {
    /// The rule.
    pub(crate) rule: ScenarioIndex,
    /// The place of the condition among the rule's.
    pub(crate) proven: u32,
}

/// No condition is proven.
const UNPROVEN: u32 = u32::MAX;

/// The rules for one operation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// By the field a rule looks at.
    fields: Vec<(FieldIndex, Tables)>,
    /// Rules that no table can hold, in order: they are tried in turn.
    pub(crate) others: Vec<ScenarioIndex>,
    /// The long lists of conditions that rules are not found by.
    lists: HashMap<Candidate, Texts, FixedState>,
}

type Texts = HashSet<Box<str>, FixedState>;

/// Lists over this length are looked up rather than walked.
const LONG: usize = 8;

/// What rules say of one field. Those found by hash are asked first: they cost nothing.
#[derive(Debug, Clone, Default)]
struct Tables {
    /// The whole text, as the field compares texts.
    whole: Exact,
    /// Numbers, truth values, null.
    scalars: Exact,
    /// The last part of a URL's path.
    last_parts: Exact,
    /// A pair of a URL's query.
    queries: Exact,
    prefixes: Prefixes,
    /// Read backwards.
    suffixes: Prefixes,
    /// Read backwards.
    path_suffixes: Prefixes,
    substrings: Substrings,
    expressions: Expressions,
    /// The first rule of all that are found by more than a hash.
    first_pattern: Option<ScenarioIndex>,
}

/// The same before it is compiled, by field.
type Drafts = BTreeMap<(FieldIndex, TableKind), Texted>;

/// Rules, each with the text it is found by.
type Texted = Vec<(Box<str>, Candidate)>;

impl Index {
    /// Files the rules of an operation, each under the condition that tells it best from others.
    pub(crate) fn new<'s>(
        operation: &Operation,
        rules: impl Iterator<Item = (ScenarioIndex, &'s Scenario)> + Clone,
        automata: &mut Automata,
    ) -> Self {
        let mut uses = Uses::default();
        for (_, scenario) in rules.clone().filter(|(_, rule)| rule.conditions.len() > 1) {
            for condition in &scenario.conditions {
                uses.count(operation, condition);
            }
        }
        let (mut drafts, mut index) = (Drafts::default(), Index::default());
        for (rule, scenario) in rules {
            match uses.best(operation, &scenario.conditions) {
                Some((place, keys)) => {
                    index.note_lists(operation, rule, scenario, place);
                    let proven = u32::try_from(place).expect("fewer than four billion conditions");
                    file(&mut drafts, keys, Candidate { rule, proven });
                }
                None => index.others.push(rule),
            }
        }
        let unfit = index.compile(drafts, automata);
        index.others.extend(unfit);
        index.others.sort_unstable();
        index.others.dedup();
        index
    }

    /// Puts the drafts into tables; gives the rules that a table does not take.
    fn compile(&mut self, drafts: Drafts, automata: &mut Automata) -> Vec<ScenarioIndex> {
        let (mut tables, mut unfit) = (BTreeMap::<FieldIndex, Tables>::new(), Vec::new());
        for ((field, kind), drafts) in drafts {
            let table = tables.entry(field).or_default();
            if !kind.is_hashed() {
                let first = drafts.iter().map(|(_, candidate)| candidate.rule).min();
                table.first_pattern = table.first_pattern.min(first).or(first);
            }
            match kind {
                TableKind::Whole => table.whole = Exact::new(drafts),
                TableKind::Scalar => table.scalars = Exact::new(drafts),
                TableKind::LastPart => table.last_parts = Exact::new(drafts),
                TableKind::Query => table.queries = Exact::new(drafts),
                TableKind::Prefix => table.prefixes = Prefixes::new(drafts),
                TableKind::Suffix => table.suffixes = Prefixes::backwards(drafts),
                TableKind::PathSuffix => table.path_suffixes = Prefixes::backwards(drafts),
                TableKind::Substring => unfit.extend(table.substrings.compile(drafts, automata)),
                TableKind::Expression => unfit.extend(table.expressions.compile(drafts, automata)),
            }
        }
        self.fields = tables.into_iter().collect();
        unfit
    }

    fn note_lists(
        &mut self,
        operation: &Operation,
        rule: ScenarioIndex,
        scenario: &Scenario,
        filed: usize,
    ) {
        for (place, condition) in scenario.conditions.iter().enumerate() {
            let Predicate::OneOf(values) = &condition.predicate else {
                continue;
            };
            let [field] = fields(&condition.selector, operation)[..] else {
                continue;
            };
            let texts: Option<Vec<&str>> = values.iter().map(Json::as_text).collect();
            if let Some(texts) = texts.filter(|texts| place != filed && texts.len() > LONG) {
                let proven = u32::try_from(place).expect("fewer than four billion conditions");
                let spelling = condition.spelling(&operation.request[field]);
                let texts = texts.iter().map(|text| as_subject(spelling, text));
                let texts = texts.map(|text| text.into_owned().into_boxed_str());
                self.lists
                    .insert(Candidate { rule, proven }, texts.collect());
            }
        }
    }

    /// The rules whose texts are found by hash.
    pub(crate) fn exact(
        &self,
        operation: &Operation,
        input: &MatchInput<'_>,
        found: &mut Vec<Candidate>,
    ) {
        for &(field, ref tables) in &self.fields {
            let value = (input.field)(field);
            if !tables.scalars.is_empty()
                && let Some(key) = value.and_then(scalar)
            {
                tables.scalars.find(&key, found);
            }
            for text in texts(value) {
                if !tables.whole.is_empty() {
                    let whole = as_compared(operation, field, text);
                    tables.whole.find(&whole, found);
                    let spelling = operation.request[field].spelling;
                    if matches!(
                        spelling,
                        Spelling::Path | Spelling::Address | Spelling::AnyCase
                    ) {
                        let subject = of_subject(&as_subject(spelling, text));
                        tables.whole.find(&subject, found);
                    }
                }
                if tables.last_parts.is_empty() && tables.queries.is_empty() {
                    continue;
                }
                if let Some(url) = Url::of(text) {
                    tables.last_parts.find(url.last_part(), found);
                    for pair in url.pairs() {
                        tables.queries.find(pair, found);
                    }
                }
            }
        }
    }

    /// The rules whose patterns hold, of the fields that have one among the first rules.
    pub(crate) fn patterns(
        &self,
        operation: &Operation,
        input: &MatchInput<'_>,
        among: impl Fn(ScenarioIndex) -> bool,
        found: &mut Vec<Candidate>,
    ) {
        for &(field, ref tables) in &self.fields {
            if !tables.first_pattern.is_some_and(&among) {
                continue;
            }
            for text in texts((input.field)(field)) {
                tables.patterns(text, &as_compared(operation, field, text), found);
            }
        }
    }

    /// What a long list says of this input, where the condition at this place of the rule has one.
    pub(crate) fn in_list(
        &self,
        at: Candidate,
        condition: &Condition,
        operation: &Operation,
        input: &MatchInput<'_>,
    ) -> Option<bool> {
        if self.lists.is_empty() {
            return None;
        }
        let list = self.lists.get(&at)?;
        let holds = |field: FieldIndex| {
            let mut texts = texts((input.field)(field));
            let spelling = condition.spelling(&operation.request[field]);
            texts.any(|text| list.contains(&*as_subject(spelling, text)))
        };
        Some(
            fields(&condition.selector, operation)
                .into_iter()
                .any(holds),
        )
    }
}

impl Tables {
    fn patterns(&self, text: &str, compared: &str, found: &mut Vec<Candidate>) {
        self.prefixes.find(compared.as_bytes(), found);
        if !self.suffixes.is_empty() {
            self.suffixes.find(&backwards(compared), found);
        }
        if !self.path_suffixes.is_empty()
            && let Some(url) = Url::of(text)
        {
            self.path_suffixes.find(&backwards(url.path), found);
        }
        self.substrings.find(compared, found);
        self.expressions.find(text, found);
    }
}

fn file(drafts: &mut Drafts, keys: Vec<LookupKey>, candidate: Candidate) {
    for LookupKey { field, kind, text } in keys {
        // Which of two equal numbers is meant, `1` or `1.0`, is for the test to say.
        let proven = match kind {
            TableKind::Scalar => UNPROVEN,
            _ => candidate.proven,
        };
        let candidate = Candidate {
            proven,
            ..candidate
        };
        let texts = drafts.entry((field, kind)).or_default();
        texts.push((text, candidate));
    }
}
