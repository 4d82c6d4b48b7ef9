//! Regular expressions. Most have a text that stands in whatever they match: they are found by it and
//! then tried. Of the others one automaton says which are found in a text.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use regex::{RegexSet, RegexSetBuilder};
use regex_syntax::hir::Look;
use regex_syntax::hir::literal::{ExtractKind, Extractor};

use super::prefixes::Prefixes;
use super::substrings::Substrings;
use super::{Candidate, UNPROVEN};
use crate::scenario::ScenarioIndex;

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
    set: RegexSet,
    rules: Vec<Vec<Candidate>>,
}

/// One of these texts is in every text that an expression matches.
struct Needed {
    texts: Vec<Box<str>>,
    /// Whether it is the beginning of the text.
    at_start: bool,
}

/// What the automaton of one group may take when it is compiled, and what each thread may remember
/// of it while it runs, in bytes.
const SIZE: usize = 32 << 20;
const MEMORY: usize = 8 << 20;

/// A text that more expressions need tells them apart no better than the automaton does.
const FEW: u32 = 8;

/// The expressions and the rules of each.
type Drafts = Vec<(Box<str>, Vec<Candidate>)>;

impl Expressions {
    /// Takes these expressions; gives the rules back that must be tried in turn: those whose
    /// expressions are too large even alone.
    pub(super) fn compile(&mut self, drafts: Vec<(Box<str>, Candidate)>) -> Vec<ScenarioIndex> {
        let mut rules = BTreeMap::<Box<str>, Vec<Candidate>>::new();
        for (text, candidate) in drafts {
            rules.entry(text).or_default().push(candidate);
        }
        let needed: Vec<_> = rules.keys().map(|text| needed(text)).collect();
        let mut uses = HashMap::<&str, u32, FixedState>::default();
        for text in needed.iter().flatten().flat_map(|needed| &needed.texts) {
            *uses.entry(text).or_default() += 1;
        }
        let most = |needed: &&Needed| needed.texts.iter().map(|text| uses[&**text]).max();
        let (mut prefixes, mut substrings, mut grouped) = (Vec::new(), Vec::new(), Vec::new());
        for ((text, rules), needed) in rules.into_iter().zip(&needed) {
            let best = needed.iter().min_by_key(most);
            let Some(best) = best.filter(|best| most(best).is_some_and(|uses| uses <= FEW)) else {
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
        let mut unfit = self.substrings.compile(substrings);
        if !grouped.is_empty() {
            self.group(grouped, &mut unfit);
        }
        unfit
    }

    /// All in one automaton, or where that is too large each half in one of its own.
    fn group(&mut self, mut drafts: Drafts, unfit: &mut Vec<ScenarioIndex>) {
        let built = RegexSetBuilder::new(drafts.iter().map(|(text, _)| text))
            .size_limit(SIZE)
            .dfa_size_limit(MEMORY)
            .build();
        match built {
            Ok(set) => self.groups.push(Group {
                set,
                rules: drafts.into_iter().map(|(_, rules)| rules).collect(),
            }),
            Err(_) if drafts.len() > 1 => {
                let rest = drafts.split_off(drafts.len() / 2);
                self.group(drafts, unfit);
                self.group(rest, unfit);
            }
            Err(_) => {
                let rules = drafts.into_iter().flat_map(|(_, rules)| rules);
                unfit.extend(rules.map(|candidate| candidate.rule));
            }
        }
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        self.prefixes.find(text, found);
        self.substrings.find(text, found);
        for group in &self.groups {
            for hit in &group.set.matches(text) {
                found.extend(&group.rules[hit]);
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

    fn found(expressions: &[String], text: &str) -> Vec<u32> {
        let drafts = expressions.iter().zip(0..).map(|(expression, rule)| {
            let rule = ScenarioIndex(rule);
            let candidate = Candidate { rule, proven: 0 };
            (Box::from(expression.as_str()), candidate)
        });
        let (mut all, mut found) = (Expressions::default(), Vec::new());
        assert!(all.compile(drafts.collect()).is_empty());
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
