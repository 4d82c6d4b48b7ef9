//! Those whom scenario files declare, as a person looks them up: what they are there for, what they are
//! asked for by, what is special about them (ruling 39). Answers nothing: the calls that tell a story are the
//! `[[expect]]` blocks that ask for them.

use jiff::civil::Date;
use svc_fixtures::contract::Field;
use svc_fixtures::json::Json;
use svc_fixtures::reading::nearest_sentence;
use svc_fixtures::sample::first_text;

use super::table_cell::TableCell;
use crate::engine::call::rules::Rules;
use crate::scenario::asking;
use crate::scenario::{Condition, Predicate, Profile, Scenario, Selector, folded};
use crate::scenario_format::{Expectation, read_expectations};
use crate::world::AskedIndex;

/// No identifier depends on when it is written.
const WRITTEN: Date = Date::constant(2026, 1, 1);

/// The names of the columns of [`PeopleList::table`].
pub const PEOPLE_COLUMNS: [&str; 4] = ["name", "who", "story", "asked for by"];

/// All who are declared.
#[derive(Debug)]
pub struct PeopleList<'r> {
    rows: Vec<PersonDetails<'r>>,
}

/// Somebody who is declared, with all that is known.
#[derive(Debug)]
pub struct PersonDetails<'r> {
    /// What the files say.
    pub profile: &'r Profile,
    /// What they are asked for by, the first field of the contract first.
    pub identifiers: Vec<Identifier<'r>>,
    /// Whom they have to do with: the role and the name.
    pub others: Vec<(&'r str, &'r str)>,
    /// The rules that name them.
    pub rules: Vec<&'r Scenario>,
    /// The calls that ask for them, and what is expected of each.
    pub calls: Vec<Expectation>,
}

/// A value that somebody is asked for by.
#[derive(Debug)]
pub struct Identifier<'r> {
    /// The fields it stands in.
    pub fields: Vec<&'r str>,
    /// The value.
    pub value: String,
    /// Whether a file says it; else the population gives it.
    pub declared: bool,
    /// The operations that ask by it.
    pub operations: Vec<&'r str>,
}

/// Finds out about everybody who is declared.
#[must_use]
pub fn list(rules: &Rules) -> PeopleList<'_> {
    let expectations = read_expectations(&rules.contract, rules.cast(), rules.sources());
    let expectations = expectations.unwrap_or_default();
    PeopleList {
        rows: rows(rules, &expectations),
    }
}

/// Who is declared, as [`list`] has them, without the calls that ask for them: those are many to read.
pub(super) fn declared(rules: &Rules) -> Vec<PersonDetails<'_>> {
    rows(rules, &[])
}

fn rows<'r>(rules: &'r Rules, expectations: &[Expectation]) -> Vec<PersonDetails<'r>> {
    let profiles = rules.scenarios.people.all();
    let profiles = profiles.iter().enumerate();
    let places = places(rules);
    let rows = profiles.map(|(at, profile)| details(rules, &places, expectations, at, profile));
    let mut rows: Vec<PersonDetails<'_>> = rows.collect();
    // As the files have them, and not role by role.
    let sources = rules.sources();
    let file = |it: &PersonDetails<'_>| {
        sources
            .iter()
            .position(|source| source.path == *it.profile.file)
    };
    rows.sort_by_key(|it| (file(it), it.profile.line));
    rows
}

fn details<'r>(
    rules: &'r Rules,
    places: &[AskedPlace<'r>],
    expectations: &[Expectation],
    at: usize,
    profile: &'r Profile,
) -> PersonDetails<'r> {
    let everybody = rules.scenarios.people.all();
    let others = profile.others.iter();
    let is_theirs = |value: &Json<'_>| {
        let text = first_text(value);
        rules.scenarios.people.place(text) == Some(at)
    };
    let asks = |it: &&Expectation| it.call.iter().any(|(_, value)| is_theirs(value));
    PersonDetails {
        profile,
        identifiers: identifiers(rules, places, at, profile),
        others: others
            .map(|(role, &other)| (role.as_str(), everybody[other].name.as_str()))
            .collect(),
        rules: rules
            .scenarios
            .all()
            .iter()
            .filter(|rule| names(rule, &is_theirs))
            .collect(),
        calls: expectations.iter().filter(asks).cloned().collect(),
    }
}

/// Whether a rule is for somebody: whether it asks who it is.
fn names(rule: &Scenario, is_theirs: &dyn Fn(&Json<'_>) -> bool) -> bool {
    let who = |condition: &Condition| match (&condition.selector, &condition.predicate) {
        (Selector::AnyIdentifier, Predicate::OneOf(values)) => values.iter().any(is_theirs),
        _ => false,
    };
    rule.conditions.iter().any(who)
}

/// A field that asks for somebody.
struct AskedPlace<'r> {
    operation: &'r str,
    field: &'r Field,
    format: Option<&'r str>,
    asked: Option<AskedIndex>,
    /// Whether it has no format and is taken for what others without one are: what is asked for there is written as in none
    /// of them.
    is_shared: bool,
}

/// Those of all operations, in the contract's order.
fn places(rules: &Rules) -> Vec<AskedPlace<'_>> {
    let (contract, world) = (&*rules.contract, rules.population.world);
    let operations = contract.operations.iter();
    let fields = operations.flat_map(|row| row.identifiers().map(move |(_, it)| (row, it)));
    let places = fields.map(|(row, field)| {
        let format = field.format(contract);
        AskedPlace {
            operation: &row.id,
            field,
            format,
            asked: world.asked(&[&row.id, format.unwrap_or_default(), &field.name]),
            is_shared: false,
        }
    });
    let mut places: Vec<_> = places.collect();
    for at in 0..places.len() {
        let place = &places[at];
        let shares = |it: &AskedPlace<'_>| {
            it.asked == place.asked && it.format.is_none() && it.field.name != place.field.name
        };
        places[at].is_shared = place.format.is_none() && places.iter().any(shares);
    }
    places
}

fn identifiers<'r>(
    rules: &'r Rules,
    places: &[AskedPlace<'r>],
    at: usize,
    profile: &Profile,
) -> Vec<Identifier<'r>> {
    let mut found: Vec<Identifier<'r>> = Vec::new();
    for place in places {
        let Some((value, declared)) = value(rules, places, at, profile, place) else {
            continue;
        };
        let asked = asking(place.field, &Json::from(value.as_str()));
        let formats = &rules.contract.formats;
        if place.field.check(&asked, formats, &[]).is_err() {
            continue;
        }
        let known = found.iter_mut().find(|it| it.value == value);
        let (name, id) = (place.field.name.as_str(), place.operation);
        match known {
            Some(known) => {
                if !known.fields.contains(&name) {
                    known.fields.push(name);
                }
                if !known.operations.contains(&id) {
                    known.operations.push(id);
                }
            }
            None => found.push(Identifier {
                fields: vec![name],
                value,
                declared,
                operations: vec![id],
            }),
        }
    }
    found
}

/// What somebody is asked for by in a field: what the files say, or the population.
fn value(
    rules: &Rules,
    places: &[AskedPlace<'_>],
    at: usize,
    profile: &Profile,
    place: &AskedPlace<'_>,
) -> Option<(String, bool)> {
    let (world, seed) = (rules.population.world, rules.population.seed);
    let (name, asked) = (&place.field.name, place.asked);
    if !rules.declared.is_asked_by(world, (at, profile), asked, "") {
        return None;
    }
    // The same number may stand in another field.
    let alike = |other: &&AskedPlace<'_>| {
        other.field.name == *name || (place.format.is_some() && place.format == other.format)
    };
    let declared = |other: &AskedPlace<'_>| {
        let known = profile
            .asked
            .iter()
            .find(|(name, _)| *name == other.field.name);
        known.map(|(_, text)| text.clone())
    };
    if let Some(text) = places.iter().filter(alike).find_map(declared) {
        return Some((text, true));
    }
    let asked = asked?;
    if place.is_shared {
        return None;
    }
    let subject = rules.declared.subject(at);
    let Some((known_as, identifier)) = world.whole(asked, subject.kind) else {
        // Written with others in it: a GSTIN has a PAN.
        return Some((known(rules, profile, name)?, false));
    };
    if let Some(said) = profile.said.get(known_as).and_then(Json::as_text) {
        return Some((said.to_owned(), true));
    }
    let text = world.identifier_of(identifier, subject.number, seed)?;
    Some((text, false))
}

/// What is known of somebody under a name, as text.
fn known(rules: &Rules, profile: &Profile, name: &str) -> Option<String> {
    let attributes = &rules.cast().get(&profile.role)?.attributes;
    let mut asked = profile
        .asked
        .iter()
        .filter(|_| attributes.contains_key(name));
    let known =
        asked.find_map(|(field, text)| rules.known_of(&profile.role, (field, text), WRITTEN))?;
    Some(known.get(name)?.as_text()?.to_owned())
}

impl<'r> PeopleList<'r> {
    /// All of them, those first whose files win.
    #[must_use]
    pub fn all(&self) -> &[PersonDetails<'r>] {
        &self.rows
    }

    /// Who is called so: by the name in the file, by their own, or by any of their identifiers.
    ///
    /// # Errors
    /// What is nearest to it, where nobody is.
    pub fn named(&self, name: &str) -> Result<&PersonDetails<'r>, String> {
        let is_called = |it: &&PersonDetails<'_>| {
            let asked = || it.identifiers.iter().any(|known| known.value == name);
            it.profile.name == name || folded(it.display()) == folded(name) || asked()
        };
        self.rows.iter().find(is_called).ok_or_else(|| {
            let names = self.rows.iter();
            let names = names.flat_map(|it| [it.profile.name.as_str(), it.display()]);
            nearest_sentence(name, names.filter(|name| !name.is_empty()))
        })
    }

    /// A row for each: each cell a text and whether it is code.
    #[must_use]
    pub fn table(&self) -> Vec<[TableCell; 4]> {
        let row = |it: &PersonDetails<'_>| {
            let asked = it.identifiers.iter().filter(|it| it.declared);
            let asked = asked.map(|it| format!("{} {}", it.fields[0], it.value));
            let asked: Vec<String> = asked.collect();
            [
                TableCell::code(&it.profile.name),
                TableCell::text(it.display()),
                TableCell::text(&it.profile.story),
                TableCell::code(asked.join(", ")),
            ]
        };
        self.rows.iter().map(row).collect()
    }
}

impl PersonDetails<'_> {
    /// Their own name; of who has none, what they are.
    #[must_use]
    pub fn display(&self) -> &str {
        let name = self.profile.said.get("name").and_then(Json::as_text);
        name.unwrap_or(&self.profile.role)
    }

    /// What the story is, without what should come of it.
    #[must_use]
    pub fn headline(&self) -> &str {
        let story = self.profile.story.as_str();
        let ends = [": ", "; ", ". "]
            .into_iter()
            .filter_map(|mark| story.find(mark));
        ends.min()
            .map_or(story.trim_end_matches('.'), |end| &story[..end])
    }
}
