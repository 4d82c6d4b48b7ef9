//! Which subjects of the population those are whom scenario files declare: so that what an answer hands
//! out of somebody declared leads back to them, and what is not said of them fits the letters of
//! what is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::FixedState;
use svc_fixtures::contract::{Contract, Operation};
use xxhash_rust::xxh3::xxh3_64;

use crate::engine::compute::search_words;
use crate::scenario::{People, Profile};
use crate::world::{AskedIndex, Subject, World};

/// A subject for each profile, by its place.
#[derive(Debug, Clone, Default)]
pub struct DeclaredSubjects {
    subjects: Vec<Subject>,
    /// What each of the identifiers that each has is taken for.
    asked: Vec<Vec<Option<AskedIndex>>>,
    /// What names are taken for: whoever is called so is meant, in whichever field their name stands in the file.
    by_name: Vec<AskedIndex>,
    /// The sound of each one's name.
    sounds: Vec<Sound>,
    by_subject: HashMap<Subject, usize, FixedState>,
}

impl DeclaredSubjects {
    /// Finds everybody who is declared a place in the population. It is the same whatever the seed.
    #[must_use]
    pub fn new(contract: &Contract, world: &World, people: &People) -> Self {
        let fields = fields(contract, world);
        let profiles = people.all().iter();
        let mut by_subject = HashMap::default();
        let subjects = profiles.enumerate().map(|(at, profile)| {
            let (own, fitting) = subject(world, &fields, profile);
            // Two of whom the same is said are two all the same.
            let subject = match by_subject.contains_key(&fitting) {
                true => own,
                false => fitting,
            };
            by_subject.entry(subject).or_insert(at);
            subject
        });
        let subjects: Vec<Subject> = subjects.collect();
        let sound = |profile: &Profile| {
            let name = profile.said.get("name").and_then(|name| name.as_text());
            let kind = world.kind(&profile.role);
            name.zip(kind).map_or_else(Sound::default, |(name, kind)| {
                Sound::of(world.telling(kind, &search_words(name)))
            })
        };
        let by = |profile: &Profile| {
            let asked = profile.asked.iter();
            let taken_for = |(name, _): &(String, String)| fields.get(name.as_str()).copied();
            asked.map(taken_for).collect()
        };
        let rows = contract.operations.iter();
        let all = rows.flat_map(|row| row.identifiers().map(move |(_, field)| (row, field)));
        let by_name = all
            .filter(|(_, field)| field.folds)
            .filter_map(|(row, field)| {
                let format = field.format(contract).unwrap_or_default();
                world.asked(&[row.id.as_str(), format, &field.name])
            });
        DeclaredSubjects {
            asked: people.all().iter().map(by).collect(),
            by_name: by_name.collect(),
            sounds: people.all().iter().map(sound).collect(),
            subjects,
            by_subject,
        }
    }

    /// Whether a name of these words may be that of the declared one of this place. Of thousands who are declared
    /// only few are compared letter by letter.
    #[must_use]
    pub fn may_be_called(&self, at: usize, sound: Sound) -> bool {
        self.sounds[at].may_be(sound)
    }

    /// Whether what is asked so can be about the declared one of this place, who has this text. The number of an account is
    /// nobody's number at a registrar.
    #[must_use]
    pub fn is_asked_by(
        &self,
        world: &World,
        (at, profile): (usize, &Profile),
        asked: Option<AskedIndex>,
        text: &str,
    ) -> bool {
        let Some(asked) = asked else { return true };
        let taken_for = &self.asked[at];
        if !world.can_be(asked, self.subjects[at].kind) && !taken_for.contains(&Some(asked)) {
            return false;
        }
        // What is only a part of an identifier, or written otherwise, nobody has as it stands.
        let own = profile.asked.iter().zip(taken_for);
        let mut own = own
            .filter(|((_, own), _)| own.eq_ignore_ascii_case(text))
            .peekable();
        self.by_name.contains(&asked)
            || own.peek().is_none()
            || own.any(|(_, by)| by.is_some_and(|by| world.reads_alike(by, asked)))
    }

    /// Who the declared one of this place is.
    #[must_use]
    pub fn subject(&self, at: usize) -> Subject {
        self.subjects[at]
    }

    /// Who is declared to be this subject.
    #[must_use]
    pub fn place(&self, subject: Subject) -> Option<usize> {
        match self.by_subject.is_empty() {
            true => None,
            false => self.by_subject.get(&subject).copied(),
        }
    }
}

/// Which pairs of letters stand next to each other in the words of a name, each as one of many bits: names that
/// somebody may mistake for each other have some in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sound(u128);

impl Sound {
    /// That of these words.
    #[must_use]
    pub fn of<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        let mut bits = 0;
        for word in words {
            for pair in word.as_bytes().windows(2) {
                bits |= 1 << ((usize::from(pair[0]) * 31 + usize::from(pair[1])) % 128);
            }
        }
        Sound(bits)
    }

    /// Whether somebody who says the other may mean this one. What has no letters may mean anybody.
    #[must_use]
    pub fn may_be(self, said: Sound) -> bool {
        let (known, all) = (self.0 & said.0, said.0.count_ones());
        self.0 == 0 || 5 * known.count_ones() >= all
    }
}

/// What a text is taken for by the name of its field: the first of the contract of that name.
type Fields<'c> = HashMap<&'c str, AskedIndex, FixedState>;

fn fields<'c>(contract: &'c Contract, world: &World) -> Fields<'c> {
    let mut found = Fields::default();
    let rows = contract.operations.iter();
    for (_, field) in rows.flat_map(Operation::identifiers) {
        if let Entry::Vacant(place) = found.entry(&field.name) {
            let format = field.format(contract).unwrap_or_default();
            if let Some(asked) = world.asked(&[format, &field.name]) {
                place.insert(asked);
            }
        }
    }
    found
}

/// The subject of the identifier whose letters say most; and, as far as these letters leave it open, the one that fits
/// what is said, so that what is not said fits it, too.
fn subject(world: &World, fields: &Fields<'_>, profile: &Profile) -> (Subject, Subject) {
    let kind = world
        .kind(&profile.role)
        .expect("a role of the story is a kind");
    let read = |(name, text): &(String, String)| {
        let asked = *fields.get(name.as_str())?;
        let subject = world.subject_of(Some(asked), text, 0);
        (subject.kind == kind).then_some((world.clarity(asked, kind), subject, asked))
    };
    // Of several that say as much the first counts.
    let mut best: Option<(usize, Subject, AskedIndex)> = None;
    for found in profile.asked.iter().filter_map(read) {
        if best.is_none_or(|(clarity, ..)| found.0 > clarity) {
            best = Some(found);
        }
    }
    // A name says what its bearer is: an LLP has no CIN.
    let otherwise = || {
        let name = profile.said.get("name").and_then(|name| name.as_text());
        let fitting = name.and_then(|name| world.fitting(kind, name, 0));
        fitting.unwrap_or_else(|| world.nth(kind, xxh3_64(profile.name.as_bytes())))
    };
    let subject = best.map_or_else(otherwise, |(_, subject, _)| subject);
    let said = |name: &str| profile.said.get(name).and_then(|said| said.as_text());
    let fitting = world.having(subject, best.map(|(.., asked)| asked), said);
    (subject, fitting)
}
