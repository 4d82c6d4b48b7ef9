//! Whom a text finds by name: those whom scenario files declare and the sample come before strangers.

use super::Sources;
use super::actor::Actor;
use super::declared::Sound;
use crate::engine::compute::{business_score, search_words};
use crate::world::{AskedIndex, MOST_FOUND, Population, Subject};

/// What a name that is known must have of what is searched for.
const ENOUGH: f64 = 0.72;
/// What a name scores that is not the whole one.
const PART: f64 = 0.99;
/// From where on names are spellings of one.
const ALIKE: f64 = 0.8;

impl<'a> Sources<'a> {
    /// All whom a text finds. One whose whole name it is comes first, and alone.
    pub(super) fn searched_for(&self, asked: Option<AskedIndex>, text: &str) -> Vec<Actor<'a>> {
        let Some(asked) = asked else {
            return Vec::new();
        };
        let Population { world, seed } = self.population;
        let words = search_words(text);
        let mut known = self.known(asked, text, &words);
        known.sort_by(|one, other| other.0.total_cmp(&one.0));
        let strangers = || world.search(asked, &words, seed).into_iter();
        let free = |subject: &Subject| self.declared.place(*subject).is_none();
        let strangers = strangers().filter(|(_, subject)| free(subject));
        let strangers: Vec<(f64, Subject)> = strangers.collect();
        let is_whole = |like: f64| like >= 1.0;
        if let Some((_, actor)) = known.first().filter(|known| is_whole(known.0)) {
            return vec![*actor];
        }
        if let Some((_, subject)) = strangers.first().filter(|found| is_whole(found.0)) {
            return vec![self.whoever(*subject)];
        }
        let mut found: Vec<Actor<'a>> = known.into_iter().map(|(_, actor)| actor).collect();
        found.extend(strangers.iter().map(|(_, subject)| self.whoever(*subject)));
        if found.is_empty() {
            found.push(self.whoever(world.subject_of(Some(asked), text, seed)));
        }
        found.truncate(MOST_FOUND);
        found
    }

    /// Those who are known whom a text may mean, and how well.
    fn known(&self, asked: AskedIndex, text: &str, words: &[String]) -> Vec<(f64, Actor<'a>)> {
        let world = self.population.world;
        let kind = world.usual_kind(Some(asked));
        // Of those who are known, another spelling or script of the name is enough.
        let like = |name: &str| {
            let alike = business_score(text, name);
            let alike = if alike >= ALIKE { alike.min(PART) } else { 0.0 };
            world.likeness(asked, words, name).max(alike)
        };
        let exact = self.people.place(text);
        let said = Sound::of(world.telling(kind, words));
        let mut known = Vec::new();
        for (at, profile) in self.people.all().iter().enumerate() {
            if exact != Some(at) && !self.declared.may_be_called(at, said) {
                continue;
            }
            let said = profile.said.get("name").and_then(|name| name.as_text());
            let named = said.filter(|_| profile.role == world.name(kind));
            let like = match (exact == Some(at), named) {
                (true, None) => Some(1.0),
                (true, Some(name)) => Some(like(name).max(PART)),
                (false, named) => named.map(like),
            };
            known.extend(like.map(|like| (like, self.declared(at))));
        }
        if exact.is_none() {
            let sample = Actor::sample(world.nth(kind, 0));
            let at_least = match self.story.is_sample(kind, text) {
                true => PART,
                false => 0.0,
            };
            let named = self.story.sample_name(kind).map(like);
            known.extend(named.map(|like| (like.max(at_least), sample)));
        }
        known.retain(|(like, _)| *like >= ENOUGH);
        known
    }
}
