//! The people and companies that scenario files declare: whoever is asked for by one of their
//! identifiers is one of them. Knows what is said of them, not what an answer makes of it.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use svc_fixtures::json::Json;

/// Everybody who is declared.
#[derive(Debug, Clone, Default)]
pub struct People {
    profiles: Vec<Profile>,
    /// Whose each identifier is.
    by_identifier: HashMap<Box<str>, usize, FixedState>,
    /// Who says that they have to do with the one of this place, in order.
    linking: HashMap<usize, Vec<usize>, FixedState>,
    /// Who has this text in the list of this name, in order.
    listing: HashMap<(Box<str>, Box<str>), Vec<usize>, FixedState>,
}

/// Somebody who is declared.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// What the file calls them.
    pub name: String,
    /// What the call log calls them: role, name, file and line.
    pub because: Arc<str>,
    /// The place among all who are declared.
    pub place: usize,
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
    /// Where each of these stands in the file.
    pub spans: Vec<Range<usize>>,
    /// Whether the letters of these may say something else than what is said of them.
    pub breaks_contract: bool,
    /// What is said of them, by attribute.
    pub said: BTreeMap<String, Json<'static>>,
    /// Where each of these stands in the file; nothing of what follows from an identifier.
    pub places: BTreeMap<String, Range<usize>>,
    /// Who the others are where the answer is about them, by role: places among the profiles.
    pub others: BTreeMap<String, usize>,
}

impl People {
    /// Declares these. Where two have an identifier in common the first of them has it.
    #[must_use]
    pub fn new(profiles: Vec<Profile>) -> Self {
        let mut people = People::default();
        for (at, profile) in profiles.iter().enumerate() {
            for identifier in &profile.identifiers {
                let identifier = identifier.as_str().into();
                people.by_identifier.entry(identifier).or_insert(at);
            }
            for other in profile.others.values() {
                people.linking.entry(*other).or_default().push(at);
            }
            for (name, value) in &profile.said {
                let items = value.as_list().unwrap_or_default().iter();
                for text in items.filter_map(Json::as_text) {
                    let key = (name.as_str().into(), text.into());
                    people.listing.entry(key).or_default().push(at);
                }
            }
        }
        let placed = profiles.into_iter().enumerate();
        let placed = placed.map(|(place, profile)| Profile { place, ..profile });
        people.profiles = placed.collect();
        people
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

    /// Those who play a role and say that they have to do with this one.
    pub fn linking<'p>(
        &'p self,
        profile: &'p Profile,
        role: &str,
    ) -> impl Iterator<Item = &'p Profile> {
        let linking = self.linking.get(&profile.place).into_iter().flatten();
        let linking = linking.map(|at| &self.profiles[*at]);
        linking.filter(move |other| {
            other.role == role && other.others.get(&profile.role) == Some(&profile.place)
        })
    }

    /// Those in a role of whom a list of this name is said with the text in it.
    pub fn listing<'p>(
        &'p self,
        role: &str,
        list: &str,
        text: &str,
    ) -> impl Iterator<Item = &'p Profile> {
        let key = (list.into(), text.into());
        let listing = match self.listing.is_empty() {
            true => None,
            false => self.listing.get(&key),
        };
        let listing = listing.into_iter().flatten();
        let listing = listing.map(|at| &self.profiles[*at]);
        listing.filter(move |other| other.role == role)
    }

    /// All of them, in order.
    #[must_use]
    pub fn all(&self) -> &[Profile] {
        &self.profiles
    }
}
