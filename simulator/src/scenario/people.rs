//! The people and companies that scenario files declare: whoever is asked for by one of their
//! identifiers is one of them. Knows what is said of them, not what an answer makes of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;
use svc_fixtures::json::Json;

/// Everybody who is declared.
#[derive(Debug, Clone, Default)]
pub struct People {
    profiles: Vec<Profile>,
    /// Whose each identifier is.
    by_identifier: HashMap<Box<str>, usize, FixedState>,
}

/// Somebody who is declared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// What the file calls them.
    pub name: String,
    /// What the call log calls them: role, name, file and line.
    pub because: Arc<str>,
    /// What they are in the story: `person`, `company` and so on.
    pub role: String,
    /// The file that declares them.
    pub file: Arc<str>,
    /// The line where it does.
    pub line: usize,
    /// What they are there for, in a sentence or two; empty where nobody says.
    pub story: String,
    /// What they are asked for by, as subjects are compared.
    pub identifiers: Vec<String>,
    /// The same as written, each with the field of a request it stands in.
    pub asked: Vec<(String, String)>,
    /// What is said of them, by attribute.
    pub said: BTreeMap<String, Json<'static>>,
    /// Who the others are where the answer is about them, by role: places among the profiles.
    pub others: BTreeMap<String, usize>,
}

impl People {
    /// Declares these. Where two have an identifier in common the first of them has it.
    #[must_use]
    pub fn new(profiles: Vec<Profile>) -> Self {
        let mut by_identifier = HashMap::default();
        for (at, profile) in profiles.iter().enumerate() {
            for identifier in &profile.identifiers {
                by_identifier
                    .entry(identifier.as_str().into())
                    .or_insert(at);
            }
        }
        People {
            profiles,
            by_identifier,
        }
    }

    /// The place of whoever is asked for so.
    #[must_use]
    pub fn place(&self, subject: &str) -> Option<usize> {
        match self.by_identifier.is_empty() {
            true => None,
            false => self.by_identifier.get(subject).copied(),
        }
    }

    /// Who is asked for so.
    #[must_use]
    pub fn asked_for_by(&self, subject: &str) -> Option<&Profile> {
        self.place(subject).map(|at| &self.profiles[at])
    }

    /// Those who play a role and say that they have to do with this one, with their places.
    pub fn linking<'p>(
        &'p self,
        profile: &'p Profile,
        role: &str,
    ) -> impl Iterator<Item = (usize, &'p Profile)> {
        let all = self.profiles.iter().enumerate();
        all.filter(move |(_, other)| {
            let linked = other.others.get(&profile.role);
            other.role == role && linked.is_some_and(|at| self.profiles[*at] == *profile)
        })
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Profile] {
        &self.profiles
    }
}
