//! Of whom an answer speaks: whoever is declared in scenario files, the sample subjects, or anybody of
//! the population (ruling 37).

use svc_fixtures::contract::{FieldIndex, OperationIndex};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Sources, Story};
use crate::scenario::Profile;
use crate::world::{AskedIndex, IdentifierIndex, KindIndex, Population, Subject, World};

/// Somebody of the population.
#[derive(Clone, Copy)]
pub(super) struct Actor<'a> {
    pub(super) subject: Subject,
    /// Whether it is whoever was asked for.
    pub(super) is_asked: bool,
    /// Whether it is the sample one.
    pub(super) is_sample: bool,
    /// What a scenario file says of it. What it does not say is drawn from its name.
    pub(super) profile: Option<&'a Profile>,
}

impl Actor<'_> {
    pub(super) fn sample(subject: Subject) -> Self {
        Actor {
            subject,
            is_asked: false,
            is_sample: true,
            profile: None,
        }
    }

    /// A number that who it is decides. Those who are known stay whom they are, whatever the seed.
    pub(super) fn draw(&self, seed: u64, text: &str) -> u64 {
        match self.profile {
            Some(profile) => xxh3_64(profile.name.as_bytes()),
            None if self.is_sample => xxh3_64(text.as_bytes()),
            None => {
                let kind = self.subject.kind.index() as u64;
                xxh3_64_with_seed(&self.subject.number.to_le_bytes(), seed ^ kind)
            }
        }
    }
}

/// Who an input is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whom {
    /// Who of the population.
    pub subject: Subject,
    /// Whether it is the sample one of its kind.
    pub is_sample: bool,
    /// The place among those whom scenario files declare, where one does.
    pub declared: Option<usize>,
}

impl<'a> Sources<'a> {
    /// Who an operation is asked about with this text in this field.
    #[must_use]
    pub fn whom(&self, operation: OperationIndex, field: FieldIndex, text: &str) -> Whom {
        let actor = self.asked_for(self.story.asked[operation.0][field.0], text);
        Whom {
            subject: actor.subject,
            is_sample: actor.is_sample,
            declared: actor.profile.map(|profile| profile.place),
        }
    }

    /// Whether it is known who plays a role for whoever an operation is asked about, where that role's own relation
    /// leads back to them: it is said of whom scenario files declare, and of the samples.
    #[must_use]
    pub fn leads_back(
        &self,
        operation: OperationIndex,
        field: FieldIndex,
        text: &str,
        role: &str,
    ) -> bool {
        let me = self.asked_for(self.story.asked[operation.0][field.0], text);
        let role = self.story.roles.iter().position(|it| it.name == role);
        let other = role.map(|role| self.playing(role, me, text));
        other.is_some_and(|other| other.is_sample || other.profile.is_some())
    }

    /// Whoever the request asks for by a text.
    pub(super) fn asked_for(&self, asked: Option<AskedIndex>, text: &str) -> Actor<'a> {
        let Population { world, seed } = self.population;
        let place = asked.and_then(|asked| {
            let beside = self.input.text(world.beside(asked)?)?;
            world.near(asked, text, beside, seed)
        });
        Actor {
            is_asked: true,
            ..self.found(asked, text, place)
        }
    }

    /// Whoever a text leads to.
    pub(super) fn looked_for(&self, asked: Option<AskedIndex>, text: &str) -> Actor<'a> {
        self.found(asked, text, None)
    }

    fn found(&self, asked: Option<AskedIndex>, text: &str, place: Option<Subject>) -> Actor<'a> {
        let Population { world, seed } = self.population;
        // The number of a vehicle may be somebody's account, too.
        let part = || self.people.place(world.part(asked?, text)?);
        let declared = self.people.place(text).or_else(part);
        let is_meant = |at: &usize| {
            let profile = &self.people.all()[*at];
            self.declared
                .is_asked_by(world, (*at, profile), asked, text)
        };
        if let Some(at) = declared.filter(is_meant) {
            return self.declared(at);
        }
        if let Some(kind) = asked.and_then(|asked| self.story.sample_having(world, asked, text)) {
            return Actor::sample(world.nth(kind, 0));
        }
        let kind = world.usual_kind(asked);
        match self.story.is_sample(kind, text) {
            true => Actor::sample(world.nth(kind, 0)),
            false => self.whoever(place.unwrap_or_else(|| world.subject_of(asked, text, seed))),
        }
    }

    /// Whom a scenario file declares.
    pub(super) fn declared(&self, at: usize) -> Actor<'a> {
        Actor {
            subject: self.declared.subject(at),
            is_asked: false,
            is_sample: false,
            profile: Some(&self.people.all()[at]),
        }
    }

    pub(super) fn whoever(&self, subject: Subject) -> Actor<'a> {
        let place = self.declared.place(subject);
        Actor {
            subject,
            is_asked: false,
            is_sample: false,
            profile: place.map(|at| &self.people.all()[at]),
        }
    }

    /// Who plays a role for somebody, in an answer that was asked for by `text`.
    pub(super) fn playing(&self, role: usize, me: Actor<'a>, text: &str) -> Actor<'a> {
        let role = &self.story.roles[role];
        let Some(kind) = role
            .kind
            .filter(|kind| !role.is_kind || *kind != me.subject.kind)
        else {
            return me;
        };
        let world = self.population.world;
        let relation = role.relations[me.subject.kind.index()];
        // A picture's owner who is known by the picture is its owner.
        if relation.is_none() && kind == me.subject.kind {
            return me;
        }
        let samples = relation.is_none_or(|relation| world.leads_to_sample(relation));
        let only_back = relation.is_none() && self.story.has_back(world, kind, me.subject.kind);
        if me.is_sample && only_back {
            return Actor::sample(world.nth(kind, 0));
        }
        if let Some(profile) = me.profile {
            let others = &profile.others;
            // A second one of the kind, such as an earlier employer, is somebody else.
            let of_kind = || others.get(world.name(kind)).filter(|_| samples);
            let back = || {
                let leads_back = relation.is_some_and(|relation| world.leads_back(relation));
                let leads_back = leads_back || only_back;
                let linking = leads_back.then(|| self.people.linking(profile, world.name(kind)));
                linking?.map(|other| other.place).next()
            };
            let linked = others.get(&role.name).or_else(of_kind).copied();
            if let Some(at) = linked.or_else(back) {
                return self.declared(at);
            }
        }
        if samples && (me.is_asked || me.is_sample) && self.story.is_sample(kind, text) {
            return Actor::sample(world.nth(kind, 0));
        }
        let seed = self.population.seed;
        let subject = match relation {
            Some(relation) => world.related(relation, me.subject.number, seed),
            None => world.nth(
                kind,
                xxh3_64_with_seed(role.name.as_bytes(), me.draw(seed, text)),
            ),
        };
        self.whoever(subject)
    }
}

impl Story {
    /// What the sample of a kind is called.
    pub(super) fn sample_name(&self, kind: KindIndex) -> Option<&str> {
        let mut characters = self.characters.iter();
        let of_kind = characters.find(|character| character.kind == kind);
        of_kind.map(|character| character.name.as_str())
    }

    /// The kind of the sample that has a text, or the identifier in it, as its own.
    fn sample_having(&self, world: &World, asked: AskedIndex, text: &str) -> Option<KindIndex> {
        let text = world.part(asked, text).unwrap_or(text);
        let has = |(kind, identifier): &(KindIndex, IdentifierIndex)| {
            let mut of_kind = self.characters.iter().filter(|it| it.kind == *kind);
            let is_it =
                |(known, own): &(IdentifierIndex, String)| known == identifier && own == text;
            of_kind.any(|character| character.own.iter().any(is_it))
        };
        world
            .identifiers_asked(asked)
            .find(has)
            .map(|(kind, _)| kind)
    }

    /// Whether one of a kind has to do with one of another, who is known by that alone.
    fn has_back(&self, world: &World, from: KindIndex, to: KindIndex) -> bool {
        let mut relations = self
            .roles
            .iter()
            .flat_map(|role| role.relations[from.index()]);
        relations.any(|relation| world.leads_back(relation) && world.leads_to(relation) == to)
    }

    /// Whether a text is the sample's of a kind.
    pub(super) fn is_sample(&self, kind: KindIndex, text: &str) -> bool {
        let mut characters = self.characters.iter();
        let of_kind = characters.find(|character| character.kind == kind);
        of_kind.is_some_and(|character| character.identifiers.contains(text))
    }
}
