//! Regular expressions: one automaton says which of them are found in a text.

use regex::{RegexSet, RegexSetBuilder};

use super::Candidate;

/// Rules by the expression they look for.
#[derive(Debug, Clone, Default)]
pub(super) struct Expressions(Vec<Group>);

/// Expressions that were compiled together, and their rules.
#[derive(Debug, Clone)]
struct Group {
    set: RegexSet,
    rules: Vec<Vec<Candidate>>,
}

/// What the automaton of one group may take when it is compiled, and what each thread may remember
/// of it while it runs, in bytes.
const SIZE: usize = 32 << 20;
const MEMORY: usize = 8 << 20;

impl Expressions {
    /// Takes these expressions; gives the rules back that must be tried in turn: those whose
    /// expressions are too large even alone.
    pub(super) fn compile(&mut self, mut drafts: Vec<(Box<str>, Candidate)>) -> Vec<u32> {
        drafts.sort_unstable();
        let mut texts: Vec<(Box<str>, Vec<Candidate>)> = Vec::new();
        for (text, candidate) in drafts {
            match texts.last_mut().filter(|(last, _)| *last == text) {
                Some((_, rules)) => rules.push(candidate),
                None => texts.push((text, vec![candidate])),
            }
        }
        let mut unfit = Vec::new();
        self.group(texts, &mut unfit);
        unfit
    }

    /// All in one automaton, or where that is too large each half in one of its own.
    fn group(&mut self, mut texts: Vec<(Box<str>, Vec<Candidate>)>, unfit: &mut Vec<u32>) {
        let built = RegexSetBuilder::new(texts.iter().map(|(text, _)| text))
            .size_limit(SIZE)
            .dfa_size_limit(MEMORY)
            .build();
        match built {
            Ok(set) => self.0.push(Group {
                set,
                rules: texts.into_iter().map(|(_, rules)| rules).collect(),
            }),
            Err(_) if texts.len() > 1 => {
                let rest = texts.split_off(texts.len() / 2);
                self.group(texts, unfit);
                self.group(rest, unfit);
            }
            Err(_) => {
                let rules = texts.into_iter().flat_map(|(_, rules)| rules);
                unfit.extend(rules.map(|candidate| candidate.rule));
            }
        }
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        for group in &self.0 {
            for hit in &group.set.matches(text) {
                found.extend(&group.rules[hit]);
            }
        }
    }
}
