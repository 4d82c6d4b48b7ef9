//! Beginnings and ends of texts, sorted: those of one text are found by one search.

use super::Candidate;

/// Rules by what a text begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct Prefixes(Vec<Prefix>);

#[derive(Debug, Clone)]
struct Prefix {
    text: Box<[u8]>,
    rules: Vec<Candidate>,
    /// The place of the longest other one that this one begins with.
    shorter: Option<u32>,
}

/// Rules by what a text ends with: by what it begins with when read backwards.
#[derive(Debug, Clone, Default)]
pub(super) struct Suffixes(Prefixes);

impl Prefixes {
    pub(super) fn new(drafts: Vec<(Box<str>, Candidate)>) -> Self {
        let drafts = drafts.into_iter();
        Prefixes::sorted(drafts.map(|(text, rule)| (text.into_boxed_bytes(), rule)))
    }

    fn sorted(drafts: impl Iterator<Item = (Box<[u8]>, Candidate)>) -> Self {
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
                rules: vec![rule],
                shorter,
            });
        }
        Prefixes(starts)
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        self.find_bytes(text.as_bytes(), found);
    }

    /// Whatever the text begins with stands, in the order of texts, at or before the text, and the
    /// nearest one before it begins with all of them.
    fn find_bytes(&self, text: &[u8], found: &mut Vec<Candidate>) {
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

impl Suffixes {
    pub(super) fn new(drafts: Vec<(Box<str>, Candidate)>) -> Self {
        let drafts = drafts.into_iter();
        Suffixes(Prefixes::sorted(
            drafts.map(|(text, rule)| (backwards(&text).into(), rule)),
        ))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.0.is_empty()
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        if !self.is_empty() {
            self.0.find_bytes(&backwards(text), found);
        }
    }
}

fn backwards(text: &str) -> Vec<u8> {
    text.bytes().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::ScenarioIndex;

    fn found(starts: &[&str], text: &str) -> Vec<u32> {
        let drafts = starts.iter().zip(0..).map(|(start, rule)| {
            let rule = ScenarioIndex(rule);
            let candidate = Candidate { rule, proven: 0 };
            (Box::from(*start), candidate)
        });
        let mut found = Vec::new();
        Prefixes::new(drafts.collect()).find(text, &mut found);
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
            assert_eq!(found(&starts, text), rules, "{text}");
        }
        assert!(found(&[], "a").is_empty());
    }
}
