//! The tables that scenarios are found in: whole texts by hash, beginnings and ends by a sorted list, parts by
//! one automaton, regular expressions by a text that each of their matches has, or by one automaton.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use aho_corasick::AhoCorasick;
use foldhash::fast::FixedState;
use regex_automata::meta::Regex;
use regex_automata::{Input, PatternSet};
use regex_syntax::hir::Look;
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use smallvec::{SmallVec, smallvec};
use svc_fixtures::json::Json;

use super::{Candidate, Texted, UNPROVEN};
use crate::scenario::{ScenarioIndex, expression};

/// Rules by the text they name. Nearly every text is as short as an identifier and finds one rule: then both stand in the
/// table itself, and a look costs no further place in memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Exact(HashMap<SmallVec<[u8; 16]>, SmallVec<[Candidate; 2]>, FixedState>);

impl Exact {
    pub(super) fn new(drafts: Texted) -> Self {
        let mut table = HashMap::with_capacity_and_hasher(drafts.len(), FixedState::default());
        for (text, candidate) in drafts {
            let rules: &mut SmallVec<_> = table.entry(text.as_bytes().into()).or_default();
            rules.push(candidate);
        }
        table.shrink_to_fit();
        Exact(table)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        found.extend(self.0.get(text.as_bytes()).into_iter().flatten());
    }
}

/// What a number, a truth value or null is found by. `1` and `1.0` are the same number here: which
/// of them a rule means is for its test to say.
pub(super) fn scalar(value: &Json<'_>) -> Option<String> {
    match value {
        Json::Null => Some("null".to_owned()),
        Json::Bool(value) => Some(value.to_string()),
        Json::Int(_) | Json::Num(_) => value.as_num().map(|number| (number + 0.0).to_string()),
        Json::Text(_) | Json::List(_) | Json::Object(_) => None,
    }
}

/// Rules by what a text begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct Prefixes(Vec<Prefix>);

/// As [`Exact`], each stands in one place.
#[derive(Debug, Clone)]
struct Prefix {
    text: SmallVec<[u8; 24]>,
    rules: SmallVec<[Candidate; 2]>,
    /// The place of the longest other one that this one begins with.
    shorter: Option<u32>,
}

impl Prefixes {
    pub(super) fn new(drafts: Texted) -> Self {
        let drafts = drafts.into_iter();
        Prefixes::sorted(drafts.map(|(text, rule)| (text.as_bytes().into(), rule)))
    }

    /// By what a text ends with: by what it begins with when read backwards.
    pub(super) fn backwards(drafts: Texted) -> Self {
        let drafts = drafts.into_iter();
        Prefixes::sorted(drafts.map(|(text, rule)| (backwards(&text), rule)))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn sorted(drafts: impl Iterator<Item = (SmallVec<[u8; 24]>, Candidate)>) -> Self {
        let mut drafts: Vec<_> = drafts.collect();
        drafts.sort_unstable();
        let mut starts: Vec<Prefix> = Vec::new();
        // The texts that the last one begins with, the shortest first.
        let mut open: Vec<u32> = Vec::new();
        for (text, rule) in drafts {
            if let Some(last) = starts.last_mut().filter(|last| last.text == text) {
                last.rules.push(rule);
                continue;
            }
            let begins = |at: &u32| text.starts_with(&starts[*at as usize].text);
            while open.last().is_some_and(|at| !begins(at)) {
                open.pop();
            }
            let shorter = open.last().copied();
            open.push(u32::try_from(starts.len()).expect("fewer than four billion rules"));
            starts.push(Prefix {
                text,
                rules: smallvec![rule],
                shorter,
            });
        }
        Prefixes(starts)
    }

    /// Whatever the text begins with stands, in the order of texts, at or before the text, and the
    /// nearest one before it begins with all of them.
    pub(super) fn find(&self, text: &[u8], found: &mut Vec<Candidate>) {
        let after = self.0.partition_point(|start| *start.text <= *text);
        let mut next = after.checked_sub(1);
        while let Some(at) = next {
            let start = &self.0[at];
            if text.starts_with(&start.text) {
                found.extend(&start.rules);
            }
            next = start.shorter.map(|at| at as usize);
        }
    }
}

pub(super) fn backwards(text: &str) -> SmallVec<[u8; 24]> {
    text.bytes().rev().collect()
}

/// The rules of each text.
fn by_text(drafts: Texted) -> BTreeMap<Box<str>, Vec<Candidate>> {
    let mut rules = BTreeMap::<_, Vec<Candidate>>::new();
    for (text, candidate) in drafts {
        rules.entry(text).or_default().push(candidate);
    }
    rules
}

/// Rules by what a text contains.
#[derive(Debug, Clone, Default)]
pub(super) struct Substrings {
    automaton: Option<AhoCorasick>,
    /// The rules of each of its patterns.
    rules: Vec<Vec<Candidate>>,
}

/// Automata by their texts: many fields of many operations look for the same ones.
#[derive(Debug)]
pub(crate) struct Automata {
    parts: BTreeMap<Vec<Box<str>>, Option<AhoCorasick>>,
    expressions: BTreeMap<Vec<Box<str>>, Option<Arc<Regex>>>,
    /// What further automata of expressions may take. Those without room are tried in turn.
    room: usize,
}

impl Default for Automata {
    fn default() -> Self {
        Automata {
            parts: BTreeMap::new(),
            expressions: BTreeMap::new(),
            room: ROOM,
        }
    }
}

impl Automata {
    /// The automaton of these texts; none where they are too many for one.
    fn of<'t>(&mut self, texts: impl Iterator<Item = &'t Box<str>>) -> Option<AhoCorasick> {
        let texts: Vec<Box<str>> = texts.cloned().collect();
        if let Some(known) = self.parts.get(&texts) {
            return known.clone();
        }
        let automaton = AhoCorasick::new(texts.iter().map(|text| text.as_bytes())).ok();
        self.parts.insert(texts, automaton.clone());
        automaton
    }

    /// The automaton of these expressions; none where it is too large.
    fn of_expressions<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t Box<str>>,
    ) -> Option<Arc<Regex>> {
        let texts: Vec<Box<str>> = texts.cloned().collect();
        if let Some(known) = self.expressions.get(&texts) {
            return known.clone();
        }
        let automaton = expression::compile_all(&texts, SIZE.min(self.room)).ok();
        let automaton = automaton.filter(|it| it.memory_usage() <= self.room);
        let automaton = automaton.map(Arc::new);
        let bytes = automaton.as_ref().map_or(0, |it| it.memory_usage());
        self.room -= bytes;
        self.expressions.insert(texts, automaton.clone());
        automaton
    }
}

impl Substrings {
    /// Takes these texts; gives the rules back that must be tried in turn: all of them where they
    /// are too many for an automaton.
    pub(super) fn compile(
        &mut self,
        drafts: Texted,
        automata: &mut Automata,
    ) -> Vec<ScenarioIndex> {
        let rules = by_text(drafts);
        self.automaton = automata.of(rules.keys());
        let rules = rules.into_values();
        if self.automaton.is_some() {
            self.rules = rules.collect();
            return Vec::new();
        }
        let all = rules.flatten();
        all.map(|candidate| candidate.rule).collect()
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        for hit in automaton.find_overlapping_iter(text) {
            found.extend(&self.rules[hit.pattern().as_usize()]);
        }
    }
}

/// Rules by the expression they look for.
#[derive(Debug, Clone, Default)]
pub(super) struct Expressions {
    /// By what a text begins with that the expression matches.
    prefixes: Prefixes,
    /// By what is in a text that the expression matches.
    substrings: Substrings,
    groups: Vec<Group>,
}

/// Expressions that were compiled together, and their rules.
#[derive(Debug, Clone)]
struct Group {
    set: Arc<Regex>,
    rules: Vec<Vec<Candidate>>,
}

/// One of these texts is in every text that an expression matches.
struct Needed {
    texts: Vec<Box<str>>,
    /// Whether it is the beginning of the text.
    at_start: bool,
}

/// What the automaton of one group may take when it is compiled, and all of them together, in bytes.
const SIZE: usize = 32 << 20;
const ROOM: usize = 64 << 20;

/// A text that more expressions need tells them apart no better than the automaton does.
const FEW_EXPRESSIONS: u32 = 8;

impl Expressions {
    /// Takes these expressions; gives the rules back that must be tried in turn: those whose
    /// expressions are too large even alone.
    pub(super) fn compile(
        &mut self,
        drafts: Texted,
        automata: &mut Automata,
    ) -> Vec<ScenarioIndex> {
        let rules = by_text(drafts);
        let needed: Vec<_> = rules.keys().map(|text| needed(text)).collect();
        let mut uses = HashMap::<&str, u32, FixedState>::default();
        for text in needed.iter().flatten().flat_map(|needed| &needed.texts) {
            *uses.entry(text).or_default() += 1;
        }
        let most = |needed: &&Needed| needed.texts.iter().map(|text| uses[&**text]).max();
        let (mut prefixes, mut substrings, mut grouped) = (Vec::new(), Vec::new(), Vec::new());
        for ((text, rules), needed) in rules.into_iter().zip(&needed) {
            let best = needed.iter().min_by_key(most);
            let Some(best) =
                best.filter(|best| most(best).is_some_and(|uses| uses <= FEW_EXPRESSIONS))
            else {
                grouped.push((text, rules));
                continue;
            };
            let into = if best.at_start {
                &mut prefixes
            } else {
                &mut substrings
            };
            for candidate in rules {
                // That the text is there says not yet that the expression matches.
                let candidate = Candidate {
                    proven: UNPROVEN,
                    ..candidate
                };
                into.extend(best.texts.iter().map(|text| (text.clone(), candidate)));
            }
        }
        self.prefixes = Prefixes::new(prefixes);
        let mut unfit = self.substrings.compile(substrings, automata);
        if !grouped.is_empty() {
            self.group(grouped, automata, &mut unfit);
        }
        unfit
    }

    /// All in one automaton, or where that is too large each half in one of its own.
    fn group(
        &mut self,
        mut drafts: Vec<(Box<str>, Vec<Candidate>)>,
        automata: &mut Automata,
        unfit: &mut Vec<ScenarioIndex>,
    ) {
        match automata.of_expressions(drafts.iter().map(|(text, _)| text)) {
            Some(set) => self.groups.push(Group {
                set,
                rules: drafts.into_iter().map(|(_, rules)| rules).collect(),
            }),
            None if drafts.len() > 1 => {
                let rest = drafts.split_off(drafts.len() / 2);
                self.group(drafts, automata, unfit);
                self.group(rest, automata, unfit);
            }
            None => {
                let rules = drafts.into_iter().flat_map(|(_, rules)| rules);
                unfit.extend(rules.map(|candidate| candidate.rule));
            }
        }
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        self.prefixes.find(text.as_bytes(), found);
        self.substrings.find(text, found);
        for group in &self.groups {
            let mut hits = PatternSet::new(group.rules.len());
            let input = Input::new(text);
            group.set.which_overlapping_matches(&input, &mut hits);
            for hit in hits.iter() {
                found.extend(&group.rules[hit.as_usize()]);
            }
        }
    }
}

/// The texts that an expression's matches begin with, and those they end with, where they are few.
fn needed(expression: &str) -> Vec<Needed> {
    let Ok(hir) = regex_syntax::parse(expression) else {
        return Vec::new();
    };
    let looks = hir.properties().look_set_prefix();
    let kinds = [
        (ExtractKind::Prefix, looks.contains(Look::Start)),
        (ExtractKind::Suffix, false),
    ];
    let of_kind = |(kind, at_start): (ExtractKind, bool)| {
        let literals = Extractor::new().kind(kind).extract(&hir);
        let text = |literal: &regex_syntax::hir::literal::Literal| {
            let text = std::str::from_utf8(literal.as_bytes()).ok()?;
            (!text.is_empty()).then(|| Box::from(text))
        };
        let mut texts: Vec<Box<str>> = literals
            .literals()?
            .iter()
            .map(text)
            .collect::<Option<_>>()?;
        texts.sort_unstable();
        texts.dedup();
        (!texts.is_empty()).then_some(Needed { texts, at_start })
    };
    kinds.into_iter().filter_map(of_kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_prefixes(starts: &[&str], text: &str) -> Vec<u32> {
        let drafts = starts.iter().zip(0..).map(|(start, rule)| {
            let rule = ScenarioIndex(rule);
            let candidate = Candidate { rule, proven: 0 };
            (Box::from(*start), candidate)
        });
        let mut found = Vec::new();
        Prefixes::new(drafts.collect()).find(text.as_bytes(), &mut found);
        found.sort_unstable();
        found.iter().map(|candidate| candidate.rule.0).collect()
    }

    #[test]
    fn every_beginning_is_found_and_nothing_else() {
        let starts = ["ab", "abc", "abd", "", "b", "ab", "abcdef"];
        for (text, rules) in [
            ("abcde", &[0, 1, 3, 5][..]),
            ("abcdef", &[0, 1, 3, 5, 6]),
            ("abz", &[0, 3, 5]),
            ("a", &[3]),
            ("", &[3]),
            ("bb", &[3, 4]),
            ("z", &[3]),
        ] {
            assert_eq!(found_prefixes(&starts, text), rules, "{text}");
        }
        assert!(found_prefixes(&[], "a").is_empty());
    }

    fn found(expressions: &[String], text: &str) -> Vec<u32> {
        let drafts = expressions.iter().zip(0..).map(|(expression, rule)| {
            let rule = ScenarioIndex(rule);
            let candidate = Candidate { rule, proven: 0 };
            (Box::from(expression.as_str()), candidate)
        });
        let (mut all, mut found) = (Expressions::default(), Vec::new());
        assert!(
            all.compile(drafts.collect(), &mut Automata::default())
                .is_empty()
        );
        all.find(text, &mut found);
        found.sort_unstable();
        found.iter().map(|candidate| candidate.rule.0).collect()
    }

    #[test]
    fn an_expression_is_found_by_a_text_it_needs_or_by_the_automaton() {
        let expressions = ["^AB[0-9]+", "[0-9]+YZ$", "^[A-C]{2}[0-9]$", "(?i)q", "x|y"];
        let expressions = expressions.map(str::to_owned);
        for (text, rules) in [
            ("AB1", &[0, 2][..]),
            ("-AB1", &[]),
            ("7YZ", &[1]),
            ("Q", &[3]),
            ("zyx", &[4]),
            ("", &[]),
        ] {
            let found = found(&expressions, text);
            assert!(rules.iter().all(|rule| found.contains(rule)), "{text}");
            assert!(found.len() <= rules.len() + 1, "{text}: {found:?}");
        }
    }

    #[test]
    fn many_expressions_too_large_for_one_automaton_are_all_found() {
        let expression = |number| format!("^\\w{{40}}[{number}-9]\\pL{{20}}$");
        let expressions: Vec<_> = (0..9).map(expression).collect();
        let text = format!("{}5{}", "a".repeat(40), "b".repeat(20));
        assert_eq!(found(&expressions, &text), [0, 1, 2, 3, 4, 5]);
    }
}
