//! Whether any text of a format can be what a rule asks for: a part of it at its beginning, at its end or anywhere, or one
//! in which an expression is found. Where that can't be said in a moment, it can. Knows automata, not rules.

use std::collections::{BTreeMap, BTreeSet};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};
use svc_fixtures::contract::{Format, FormatIndex, Rule};

/// No more states, or pairs of them, are looked at.
const MOST_STATES: usize = 4000;

/// What an automaton may take.
const MEMORY: usize = 4 << 20;

/// What is asked of a text.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextDemand<'t> {
    /// That it begins so.
    Start(&'t str),
    /// That it ends so.
    End(&'t str),
    /// That this is in it.
    Part(&'t str),
    /// That this expression is found in it.
    Expression(&'t str),
}

/// The automata of the formats that were asked for.
#[derive(Default)]
pub(crate) struct FormatAutomata(BTreeMap<FormatIndex, Option<FormatAutomaton>>);

/// A format, and every state that its texts lead to.
struct FormatAutomaton {
    automaton: Automaton,
    states: Vec<LazyStateID>,
}

impl FormatAutomata {
    /// Whether a text of this format can be so. It can wherever nobody knows.
    pub(super) fn can_be(
        &mut self,
        at: FormatIndex,
        format: &Format,
        asked: TextDemand<'_>,
    ) -> bool {
        let made = self.0.entry(at).or_insert_with(|| {
            let mut automaton = Automaton::new(&pattern_of(&format.rule)?)?;
            let states = automaton.reachable()?;
            Some(FormatAutomaton { automaton, states })
        });
        let known = made.as_mut().and_then(|format| format.can_be(asked));
        known.unwrap_or(true)
    }
}

/// An expression of all texts that a rule allows, and of few others; none where that is no matter of letters.
fn pattern_of(rule: &Rule) -> Option<String> {
    let day = |layout: &String| {
        regex_syntax::escape(layout)
            .replace("YYYY", "[0-9]{4}")
            .replace("MM", "(?:0[1-9]|1[0-2])")
            .replace("DD", "(?:0[1-9]|[12][0-9]|3[01])")
    };
    match rule {
        Rule::Pattern(pattern) => Some(pattern.as_str().to_owned()),
        Rule::Date(layouts) => {
            let layouts: Vec<String> = layouts.iter().map(day).collect();
            Some(format!("^(?:{})$", layouts.join("|")))
        }
        Rule::Ip | Rule::Url | Rule::Link | Rule::Decimal { .. } => None,
    }
}

impl FormatAutomaton {
    fn can_be(&mut self, asked: TextDemand<'_>) -> Option<bool> {
        let FormatAutomaton { automaton, states } = self;
        Some(match asked {
            TextDemand::Start(text) => automaton.after(automaton.start, text)?.is_some(),
            TextDemand::Part(text) => {
                let mut any = false;
                for state in &*states {
                    any |= automaton.after(*state, text)?.is_some();
                }
                any
            }
            TextDemand::End(text) => {
                let mut any = false;
                for state in &*states {
                    if let Some(end) = automaton.after(*state, text)? {
                        any |= automaton.accepts(end)?;
                    }
                }
                any
            }
            // Found anywhere is all of a text that has anything before and behind it.
            TextDemand::Expression(text) => {
                let whole = format!("\\A(?s:.)*(?:{text})(?s:.)*\\z");
                automaton.meets(&mut Automaton::new(&whole)?)?
            }
        })
    }
}

struct Automaton {
    dfa: DFA,
    cache: Cache,
    start: LazyStateID,
}

impl Automaton {
    /// The automaton of an expression that says all of a text; none where there is none, or only a large one.
    fn new(pattern: &str) -> Option<Self> {
        // Where its memory is full it gives up: what was looked at would be forgotten.
        let config = DFA::config()
            .match_kind(MatchKind::All)
            .cache_capacity(MEMORY)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(0));
        let dfa = DFA::builder().configure(config).build(pattern).ok()?;
        let mut cache = dfa.create_cache();
        let anchored = start::Config::new().anchored(Anchored::Yes);
        let start = dfa.start_state(&mut cache, &anchored).ok()?;
        Some(Automaton { dfa, cache, start })
    }

    fn next(&mut self, state: LazyStateID, byte: u8) -> Option<LazyStateID> {
        let next = self.dfa.next_state(&mut self.cache, state, byte).ok()?;
        (!next.is_quit()).then_some(next)
    }

    /// Whether a text may end here.
    fn accepts(&mut self, state: LazyStateID) -> Option<bool> {
        let end = self.dfa.next_eoi_state(&mut self.cache, state).ok()?;
        Some(end.is_match())
    }

    /// Where a text leads; nowhere where no text goes on so.
    fn after(&mut self, from: LazyStateID, text: &str) -> Option<Option<LazyStateID>> {
        let mut state = from;
        for byte in text.bytes() {
            state = self.next(state, byte)?;
            if state.is_dead() {
                return Some(None);
            }
        }
        Some(Some(state))
    }

    /// Every state that a text leads to.
    fn reachable(&mut self) -> Option<Vec<LazyStateID>> {
        let (mut seen, mut left) = (BTreeSet::from([self.start]), vec![self.start]);
        while let Some(state) = left.pop() {
            for byte in 0..=u8::MAX {
                let next = self.next(state, byte)?;
                if !next.is_dead() && seen.insert(next) {
                    left.push(next);
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        Some(seen.into_iter().collect())
    }

    /// Whether some text is one of both.
    fn meets(&mut self, other: &mut Automaton) -> Option<bool> {
        let first = (self.start, other.start);
        let (mut seen, mut left) = (BTreeSet::from([first]), vec![first]);
        while let Some((one, two)) = left.pop() {
            if self.accepts(one)? && other.accepts(two)? {
                return Some(true);
            }
            for byte in 0..=u8::MAX {
                let next = self.next(one, byte)?;
                if next.is_dead() {
                    continue;
                }
                let next = (next, other.next(two, byte)?);
                if !next.1.is_dead() && seen.insert(next) {
                    left.push(next);
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use svc_fixtures::contract::Contract;

    use super::*;

    #[test]
    fn what_no_text_of_a_format_can_be_is_known() {
        let contract = Contract::built_in();
        let format = |name: &str| {
            let at = contract.formats.iter().position(|it| it.name == name);
            let at = at.expect("a format");
            (FormatIndex(at), &contract.formats[at])
        };
        let mut automata = FormatAutomata::default();
        for (name, asked, expected) in [
            ("pan", TextDemand::Start("ABC"), true),
            ("pan", TextDemand::Start("ABCDE1234F"), true),
            ("pan", TextDemand::Start("ABCDE1234FG"), false),
            ("pan", TextDemand::Start("12345"), false),
            ("pan", TextDemand::End("9999A"), true),
            ("pan", TextDemand::End("9999"), false),
            ("pan", TextDemand::Part("E1234F"), true),
            ("pan", TextDemand::Part("A1A"), false),
            ("pan", TextDemand::Part("E-1"), false),
            ("pan", TextDemand::Expression("^[A-Z]{3}P"), true),
            ("pan", TextDemand::Expression("P.*7$"), false),
            ("pan", TextDemand::Expression("[0-9]{5}"), false),
            ("pan", TextDemand::Expression(""), true),
            ("uan", TextDemand::Expression("[a-z]"), false),
            ("uan", TextDemand::Expression("777|[a-z]"), true),
            // What an automaton of bytes can't say is not denied.
            ("uan", TextDemand::Expression(r"\b[a-z]"), true),
            ("dl-number", TextDemand::Part("anything at all"), true),
            ("dl-number", TextDemand::Start("1"), false),
            ("date-of-birth", TextDemand::Start("x"), false),
            ("date-of-birth", TextDemand::Start("1991"), false),
            ("date-of-birth", TextDemand::Start("15/"), true),
            ("date-of-birth", TextDemand::Start("45/"), false),
            ("date-of-birth", TextDemand::End("/1991"), true),
            ("date-of-birth", TextDemand::Expression("/0[13]/"), true),
        ] {
            let (at, row) = format(name);
            assert_eq!(
                automata.can_be(at, row, asked),
                expected,
                "{name} {asked:?}"
            );
        }
    }

    #[test]
    fn every_pattern_of_the_contract_says_of_its_example_that_it_can_be() {
        let contract = Contract::built_in();
        let mut automata = FormatAutomata::default();
        for (at, row) in contract.formats.iter().enumerate() {
            for text in row.edges.iter().chain([&row.example]) {
                let whole = format!("^{}$", regex_syntax::escape(text));
                for asked in [
                    TextDemand::Start(text),
                    TextDemand::End(text),
                    TextDemand::Part(text),
                    TextDemand::Expression(&whole),
                ] {
                    assert!(automata.can_be(FormatIndex(at), row, asked), "{}", row.name);
                }
            }
        }
    }
}
