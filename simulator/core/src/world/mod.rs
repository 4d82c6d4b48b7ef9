//! The population: whose an identifier is, and which identifiers a subject has (ruling 37).
//!
//! Nobody is stored. A subject is a number of a kind, its fields are the digits of the number, and each kind
//! of identifier is another way to write the number down, mixed by the seed. So whatever one
//! operation hands out leads back to the same subject everywhere, and needs no memory.

mod browse;
mod columns;
mod form;
mod kind;
mod lexicon;
mod naming;
mod near;
mod permutation;
mod relation;
mod search;
mod table;
mod tables;

#[cfg(test)]
mod laws;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use svc_fixtures::world::{AskedRow, FieldRow, SaidRow, WorldRows};
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub use permutation::mixed;
pub use search::MOST_FOUND;

use form::Form;
use kind::{Domain, Field, Kind, View};
use naming::Naming;
use relation::Relation;

/// Kinds of subjects, their identifiers, and who leads to whom. Which subjects there are is the seed's.
#[derive(Debug)]
pub struct World {
    kinds: Vec<Kind>,
    /// How their subjects are named, a kind each.
    namings: Vec<Option<Naming>>,
    identifiers: Vec<Identifier>,
    asked_by: BTreeMap<String, AskedIndex>,
    asked: Vec<Asked>,
    relations: Vec<Relation>,
    said: Vec<SaidRow>,
}

/// A kind of identifier.
#[derive(Debug)]
struct Identifier {
    name: String,
    of: KindIndex,
    forms: Vec<Form>,
    /// Which of the forms are written: one for each set of subjects that have such an identifier.
    written: Vec<usize>,
}

/// What a text can be.
#[derive(Debug, Clone)]
struct Asked {
    identifiers: Vec<usize>,
    /// Whom a text leads to that none of them reads.
    otherwise: KindIndex,
    part: Option<(usize, usize)>,
    beside: Option<String>,
    /// Within which digits of that kind.
    within: Vec<(u64, u64)>,
    /// Whether it is searched for in what subjects are called, and within which digits of the alias.
    search: Option<Vec<(u64, u64)>>,
}

/// The place of a kind of subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindIndex(usize);

impl KindIndex {
    /// It as the place in a list of all kinds.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

/// The place of a kind of identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdentifierIndex(usize);

/// The place of what a text can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedIndex(usize);

/// The place of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelationIndex(usize);

/// Somebody or something of the population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject {
    /// Which kind.
    pub kind: KindIndex,
    /// Which of the kind.
    pub number: u64,
}

/// What is known of a subject by its number: a column of a field, or a field that is a number.
#[derive(Debug, Clone)]
pub struct Known {
    field: usize,
    view: View,
    column: Option<Arc<table::Column>>,
    from: u64,
}

/// The population that a seed chooses.
#[derive(Debug, Clone, Copy)]
pub struct Population {
    /// Which subjects there can be.
    pub world: &'static World,
    /// Which of them there are.
    pub seed: u64,
}

/// A text or a number of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact<'w> {
    /// What stands in a column.
    Text(&'w str),
    /// A number.
    Number(u64),
}

impl World {
    /// The population of the rows built into the binary.
    #[must_use]
    pub fn built_in() -> &'static World {
        static BUILT_IN: LazyLock<World> = LazyLock::new(|| {
            let world = World::new(WorldRows::built_in());
            world.unwrap_or_else(|mistake| panic!("fixtures/world: {mistake}"))
        });
        &BUILT_IN
    }

    /// Makes a population of rows.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn new(rows: &WorldRows) -> Result<World, String> {
        let tables = tables::tables(rows);
        let fields = |rows: &[FieldRow]| -> Result<Vec<Field>, String> {
            rows.iter().map(|row| Field::of(row, &tables)).collect()
        };
        let mut kinds = Vec::new();
        for row in &rows.kind {
            let kind = Kind::new(&row.name, fields(&row.fields)?, &row.common);
            kinds.push(match &row.alias {
                Some(alias) => kind.with_alias(alias.of, fields(&alias.fields)?, alias.parts),
                None => kind,
            });
        }
        let named = rows.kind.iter().zip(&kinds).map(|(row, kind)| {
            let naming = row.naming.as_ref();
            naming.map(|naming| Naming::new(kind, naming, &rows.words.coined))
        });
        let namings = named.map(Option::transpose).collect::<Result<_, _>>()?;
        let mut world = World {
            kinds,
            namings,
            identifiers: Vec::new(),
            asked_by: BTreeMap::new(),
            asked: Vec::new(),
            relations: Vec::new(),
            said: rows.said.clone(),
        };
        for row in &rows.identifier {
            let of = world.known_kind(&row.of)?;
            let form = |(at, text): (usize, &String)| {
                let how = (row.spaced, at == 0 && !row.reads);
                Form::new(&world.kinds[of.0], text, &row.only, how)
            };
            let forms = row.forms.iter().enumerate().map(form);
            let forms = forms.collect::<Result<Vec<_>, _>>()?;
            world.add_forms(&row.name, of, forms);
        }
        for row in &rows.asked {
            let asked = world.read_asked(row)?;
            let place = AskedIndex(world.asked.len());
            world.asked.push(asked);
            world
                .asked_by
                .extend(row.by.iter().map(|by| (by.clone(), place)));
        }
        for row in &rows.relation {
            let (of, to) = (world.known_kind(&row.of)?, world.known_kind(&row.to)?);
            let relation = Relation::new(row, (of, &world.kinds[of.0]), (to, &world.kinds[to.0]))?;
            world.relations.push(relation);
        }
        world.check_said()?;
        Ok(world)
    }

    /// More forms of an identifier, of which the first is written.
    fn add_forms(&mut self, name: &str, of: KindIndex, forms: Vec<Form>) {
        let at = self.identifier(of, name).map(|index| index.0);
        let at = at.unwrap_or_else(|| {
            self.identifiers.push(Identifier {
                name: name.to_owned(),
                of,
                forms: Vec::new(),
                written: Vec::new(),
            });
            self.identifiers.len() - 1
        });
        let identifier = &mut self.identifiers[at];
        identifier.written.push(identifier.forms.len());
        identifier.forms.extend(forms);
    }

    fn read_asked(&self, row: &AskedRow) -> Result<Asked, String> {
        let is = &row.is;
        let first = is.first().ok_or("an `asked` that is nothing")?;
        let otherwise = row.otherwise.as_deref();
        let otherwise = otherwise.or_else(|| first.split('.').next());
        let otherwise = self.known_kind(otherwise.unwrap_or_default())?;
        let named = is.iter().filter_map(|name| name.split_once('.'));
        let found = named.map(|(kind, name)| {
            let index = self.identifier(self.known_kind(kind)?, name);
            index
                .map(|index| index.0)
                .ok_or_else(|| format!("there is no {kind}.{name}"))
        });
        let identifiers = found.collect::<Result<_, _>>()?;
        let kind = &self.kinds[otherwise.0];
        let search = || kind::ranges(kind, View::Alias, &row.only);
        Ok(Asked {
            identifiers,
            within: kind::ranges(kind, View::Own, &row.only),
            search: row.search.then(search),
            otherwise,
            part: row.part,
            beside: row.beside.clone(),
        })
    }

    /// The kind of this name.
    #[must_use]
    pub fn kind(&self, name: &str) -> Option<KindIndex> {
        self.kinds
            .iter()
            .position(|kind| kind.name == name)
            .map(KindIndex)
    }

    /// The name of a kind.
    #[must_use]
    pub fn name(&self, kind: KindIndex) -> &str {
        &self.kinds[kind.0].name
    }

    fn known_kind(&self, name: &str) -> Result<KindIndex, String> {
        self.kind(name)
            .ok_or_else(|| format!("there is no kind {name}"))
    }

    /// The kind of identifier of this name.
    #[must_use]
    pub fn identifier(&self, of: KindIndex, name: &str) -> Option<IdentifierIndex> {
        let named = |row: &Identifier| row.of == of && row.name == name;
        self.identifiers.iter().position(named).map(IdentifierIndex)
    }

    /// The relation of this name.
    #[must_use]
    pub fn relation(&self, of: KindIndex, name: &str) -> Option<RelationIndex> {
        let named = |row: &Relation| row.of() == of && row.name() == name;
        self.relations.iter().position(named).map(RelationIndex)
    }

    /// What a name says of the subjects of a kind: `home.city`, `licensed`.
    #[must_use]
    pub fn known(&self, of: KindIndex, field: &str, column: Option<&str>) -> Option<Known> {
        let kind = &self.kinds[of.0];
        [View::Own, View::Alias].into_iter().find_map(|view| {
            let at = kind
                .fields(view)
                .iter()
                .position(|known| known.name == field)?;
            let (column, from) = match (&kind.fields(view)[at].domain, column) {
                (Domain::Rows(table), Some(column)) => (Some(Arc::clone(table.column(column)?)), 0),
                (Domain::Numbers { from, .. }, None) => (None, *from),
                _ => return None,
            };
            Some(Known {
                field: at,
                view,
                column,
                from,
            })
        })
    }

    /// What a text is taken for by one of these names, the nearest first.
    #[must_use]
    pub fn asked(&self, by: &[&str]) -> Option<AskedIndex> {
        by.iter().find_map(|by| self.asked_by.get(*by)).copied()
    }

    /// The kind that a text is of where nothing reads it.
    #[must_use]
    pub fn usual_kind(&self, asked: Option<AskedIndex>) -> KindIndex {
        let last = KindIndex(self.kinds.len() - 1);
        asked.map_or(last, |asked| self.asked[asked.0].otherwise)
    }

    /// Whether such a text can be of a kind.
    #[must_use]
    pub fn can_be(&self, asked: AskedIndex, kind: KindIndex) -> bool {
        let row = &self.asked[asked.0];
        let mut identifiers = row.identifiers.iter();
        row.otherwise == kind || identifiers.any(|at| self.identifiers[*at].of == kind)
    }

    /// Whether some text is the same identifier by both.
    #[must_use]
    pub fn reads_alike(&self, one: AskedIndex, other: AskedIndex) -> bool {
        let [one_row, other_row] = [one, other].map(|it| &self.asked[it.0]);
        let mut identifiers = one_row.identifiers.iter();
        one == other || identifiers.any(|at| other_row.identifiers.contains(at))
    }

    /// The identifier of a kind that such a text is; none where it is only a part of the text.
    #[must_use]
    pub fn whole(&self, asked: AskedIndex, kind: KindIndex) -> Option<(&str, IdentifierIndex)> {
        let row = &self.asked[asked.0];
        let mut identifiers = row.identifiers.iter().filter(|_| row.part.is_none());
        let at = identifiers.find(|at| self.identifiers[**at].of == kind)?;
        Some((&self.identifiers[*at].name, IdentifierIndex(*at)))
    }

    /// How much the letters of such a text say of its subject, where that is of this kind.
    #[must_use]
    pub fn clarity(&self, asked: AskedIndex, kind: KindIndex) -> usize {
        let identifiers = self.asked[asked.0].identifiers.iter();
        let of_kind = identifiers.map(|at| &self.identifiers[*at]);
        let of_kind = of_kind.filter(|identifier| identifier.of == kind);
        let first = of_kind.filter_map(|identifier| identifier.forms.first());
        first.map(Form::clarity).max().unwrap_or_default()
    }

    /// Whose a text is. What nothing reads is somebody's all the same.
    #[must_use]
    pub fn subject_of(&self, asked: Option<AskedIndex>, text: &str, seed: u64) -> Subject {
        let row = asked.map(|asked| &self.asked[asked.0]);
        let part = |row: &Asked| row.part.and_then(|(from, to)| text.get(from..to));
        let identifier = row.and_then(part).unwrap_or(text);
        let read = |at: &usize| {
            let Identifier { of, forms, .. } = &self.identifiers[*at];
            let kind = &self.kinds[of.0];
            let number = forms
                .iter()
                .find_map(|form| form.read(kind, identifier, seed))?
                .number;
            Some(Subject { kind: *of, number })
        };
        let found = row.and_then(|row| row.identifiers.iter().find_map(read));
        let fitting = || {
            let row = row?;
            let within = row.search.as_ref()?;
            self.fitting_within(row.otherwise, within, text, seed)
        };
        found.or_else(fitting).unwrap_or_else(|| {
            let number = xxh3_64_with_seed(identifier.as_bytes(), seed);
            let kind = self.usual_kind(asked);
            match row.filter(|row| !row.within.is_empty()) {
                Some(row) => {
                    let digits = kind::unpacked(&row.within, number);
                    let number = self.kinds[kind.0].number(&digits, View::Own, seed);
                    Subject { kind, number }
                }
                None => self.nth(kind, number),
            }
        })
    }

    /// The identifier in such a text, where not all of it is one.
    #[must_use]
    pub fn part<'t>(&self, asked: AskedIndex, text: &'t str) -> Option<&'t str> {
        let (from, to) = self.asked[asked.0].part?;
        text.get(from..to)
    }

    /// Some subject of a kind.
    #[must_use]
    pub fn nth(&self, kind: KindIndex, number: u64) -> Subject {
        let number = number % self.kinds[kind.0].size();
        Subject { kind, number }
    }

    /// How many kinds there are.
    pub fn kinds(&self) -> impl Iterator<Item = (KindIndex, &str)> {
        let kinds = self.kinds.iter().enumerate();
        kinds.map(|(at, kind)| (KindIndex(at), kind.name.as_str()))
    }

    /// All relations: the name and the kind they lead to.
    pub fn relations(&self) -> impl Iterator<Item = (&str, KindIndex)> {
        self.relations.iter().map(|row| (row.name(), row.to()))
    }

    /// Whether a relation leads from the sample subject to the sample one.
    #[must_use]
    pub fn leads_to_sample(&self, which: RelationIndex) -> bool {
        self.relations[which.0].sample()
    }

    /// What a subject is called, without what it is where the short name is meant; none where it
    /// has no name.
    #[must_use]
    pub fn name_of(&self, subject: Subject, whole: bool, seed: u64) -> Option<String> {
        let Subject { kind, number } = subject;
        let naming = self.namings[kind.0].as_ref()?;
        Some(naming.name(&self.kinds[kind.0], number, seed, whole))
    }

    /// Whether who says that they have to do with a subject is whom the relation leads to from there.
    #[must_use]
    pub fn leads_back(&self, which: RelationIndex) -> bool {
        self.relations[which.0].back()
    }

    /// The kind that a relation leads to.
    #[must_use]
    pub fn leads_to(&self, which: RelationIndex) -> KindIndex {
        self.relations[which.0].to()
    }

    /// The identifier of a subject; none where it has none of this kind.
    #[must_use]
    pub fn identifier_of(&self, which: IdentifierIndex, number: u64, seed: u64) -> Option<String> {
        let Identifier {
            of, forms, written, ..
        } = &self.identifiers[which.0];
        let kind = &self.kinds[of.0];
        written
            .iter()
            .find_map(|at| forms[*at].write(kind, number, seed))
    }

    /// To whom a relation leads from a subject of its kind.
    #[must_use]
    pub fn related(&self, which: RelationIndex, number: u64, seed: u64) -> Subject {
        let relation = &self.relations[which.0];
        let kinds = (&self.kinds[relation.of().0], &self.kinds[relation.to().0]);
        let number = relation.follow(kinds, number, seed);
        Subject {
            kind: relation.to(),
            number,
        }
    }

    /// Who leads by this relation to a subject, all of them.
    #[must_use]
    pub fn relating(&self, which: RelationIndex, number: u64, seed: u64) -> Vec<Subject> {
        let relation = &self.relations[which.0];
        let kinds = (&self.kinds[relation.of().0], &self.kinds[relation.to().0]);
        let found = relation.leading(kinds, number, seed).into_iter();
        found
            .map(|number| Subject {
                kind: relation.of(),
                number,
            })
            .collect()
    }

    /// What is known of a subject of the kind it is known of.
    #[must_use]
    pub fn fact<'w>(&self, known: &'w Known, subject: Subject, seed: u64) -> Fact<'w> {
        let (kind, number) = (&self.kinds[subject.kind.0], subject.number);
        let digit = match known.view {
            View::Own => kind.digit(number, known.field),
            View::Alias => kind.digits(number, View::Alias, seed)[known.field],
        };
        match &known.column {
            Some(column) => Fact::Text(column.text(digit)),
            None => Fact::Number(known.from + digit),
        }
    }
}
