//! Parts of texts: one automaton finds all that are in a text in one pass over it.

use aho_corasick::AhoCorasick;

use super::Candidate;
use crate::scenario::ScenarioIndex;

/// Rules by what a text contains.
#[derive(Debug, Clone, Default)]
pub(super) struct Substrings {
    automaton: Option<AhoCorasick>,
    /// The rules of each of its patterns.
    rules: Vec<Vec<Candidate>>,
}

impl Substrings {
    /// Takes these texts; gives the rules back that must be tried in turn: all of them where they
    /// are too many for an automaton.
    pub(super) fn compile(&mut self, mut drafts: Vec<(Box<str>, Candidate)>) -> Vec<ScenarioIndex> {
        drafts.sort_unstable();
        let mut texts: Vec<Box<str>> = Vec::new();
        for (text, candidate) in drafts {
            match texts.last() == Some(&text) {
                true => self.rules[texts.len() - 1].push(candidate),
                false => {
                    texts.push(text);
                    self.rules.push(vec![candidate]);
                }
            }
        }
        match AhoCorasick::new(texts.iter().map(|text| text.as_bytes())) {
            Ok(automaton) => {
                self.automaton = Some(automaton);
                Vec::new()
            }
            Err(_) => {
                let all = std::mem::take(&mut self.rules).into_iter().flatten();
                all.map(|candidate| candidate.rule).collect()
            }
        }
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
