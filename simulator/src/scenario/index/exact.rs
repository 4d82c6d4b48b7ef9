//! Texts that are found by hash.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::FixedState;
use svc_fixtures::json::Json;

use super::Candidate;

/// Rules by the text they name.
#[derive(Debug, Clone, Default)]
pub(super) struct Exact(HashMap<Box<str>, Rules, FixedState>);

/// Nearly every text finds one rule, which then costs no list.
#[derive(Debug, Clone)]
enum Rules {
    One(Candidate),
    Many(Vec<Candidate>),
}

impl Exact {
    pub(super) fn new(drafts: Vec<(Box<str>, Candidate)>) -> Self {
        let mut table = HashMap::with_capacity_and_hasher(drafts.len(), FixedState::default());
        for (text, candidate) in drafts {
            match table.entry(text) {
                Entry::Vacant(vacant) => {
                    vacant.insert(Rules::One(candidate));
                }
                Entry::Occupied(mut occupied) => occupied.get_mut().add(candidate),
            }
        }
        table.shrink_to_fit();
        Exact(table)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn find(&self, text: &str, found: &mut Vec<Candidate>) {
        match self.0.get(text) {
            Some(Rules::One(candidate)) => found.push(*candidate),
            Some(Rules::Many(candidates)) => found.extend(candidates),
            None => {}
        }
    }
}

impl Rules {
    fn add(&mut self, candidate: Candidate) {
        match self {
            Rules::One(first) => *self = Rules::Many(vec![*first, candidate]),
            Rules::Many(all) => all.push(candidate),
        }
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
