//! Who the traffic speaks of. What is asked for by different identifiers is one person where an answer leads from one to
//! the other, or where they are called alike and nothing that is said of them contradicts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use svc_fixtures::contract::{Contract, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::world::WorldRows;

use super::claims::{claims, implied, role};
use super::together::{AskedFor, PersonPart, unite};
use super::traffic::{Provenance, Traffic, TrafficCall};
use crate::engine::call::rules::Rules;
use crate::rehearsal::BEGINS;
use crate::scenario::{folded, is_built_in};
use crate::world::Population;

/// Two may be called alike; so many are not.
const EVERYBODY: usize = 3;

/// Somebody the traffic speaks of, to be declared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LearnedPerson {
    /// What the file calls them.
    pub key: String,
    /// What they are in the story.
    pub role: String,
    /// What is said of them, by attribute.
    pub said: BTreeMap<String, Json<'static>>,
    /// What they are asked for by, by the field of a request.
    pub asked: BTreeMap<String, String>,
    /// Whether the letters of their identifiers say something else.
    pub breaks_contract: bool,
    /// The exchanges that speak of them.
    pub origins: BTreeSet<Provenance>,
}

impl LearnedPerson {
    /// Whether they are asked for so.
    #[must_use]
    pub(super) fn is(&self, (field, text): &AskedFor) -> bool {
        self.asked.get(field) == Some(text)
            || self.said.get(field).and_then(Json::as_text) == Some(text)
    }
}

/// Whom each call asks for; in a later step of a flow whom its first one asked for.
#[must_use]
pub(super) fn subjects(contract: &Contract, traffic: &Traffic) -> Vec<Option<AskedFor>> {
    let mut begun: BTreeMap<(usize, String), AskedFor> = BTreeMap::new();
    let mut found = Vec::new();
    for call in &traffic.calls {
        let row = call.operation.map(|at| &contract.operations[at]);
        let own = row.and_then(|row| {
            let carried = contract
                .carried_field(row)
                .and_then(|name| call.json.get(name)?.as_text());
            match carried {
                Some(token) => begun.get(&(call.life, token.to_owned())).cloned(),
                None => subject(row, call),
            }
        });
        if let (Some(row), Some(subject), Some(answer)) = (row, &own, call.answer())
            && let Some((flow, 0)) = contract.step_of(&row.id)
            && let Some(token) = flow.steps[0]
                .issues
                .as_ref()
                .and_then(|key| key.issued(&answer.envelope))
        {
            begun.insert((call.life, token.to_owned()), subject.clone());
        }
        found.push(own);
    }
    found
}

fn subject(row: &Operation, call: &TrafficCall) -> Option<AskedFor> {
    let text = |name: &str| {
        let value = call.json.get(name)?;
        let text = value
            .as_text()
            .or_else(|| value.as_list()?.first()?.as_text())?;
        Some((name.to_owned(), text.to_owned()))
    };
    match row.subject {
        Some(at) => text(&row.request[at].name),
        None => row.identifiers().find_map(|(_, field)| text(&field.name)),
    }
}

/// Whom the traffic speaks of and the rules do not know so yet.
#[must_use]
pub(super) fn people(
    rules: &Rules,
    traffic: &Traffic,
    subjects: &[Option<AskedFor>],
) -> Vec<LearnedPerson> {
    let mut parts = parts(rules, traffic, subjects);
    unite(&mut parts);
    let today = traffic
        .calls
        .iter()
        .find_map(|call| call.place.at)
        .unwrap_or(BEGINS);
    let today = today.to_zoned(TimeZone::UTC).date();
    let mut keys = taken(rules);
    let mut called: BTreeMap<String, usize> = BTreeMap::new();
    let unknown = parts
        .into_iter()
        .filter_map(|part| unknown(rules, part, today));
    let mut found: Vec<LearnedPerson> = unknown.collect();
    found.sort_by(|a, b| (&a.role, &a.asked).cmp(&(&b.role, &b.asked)));
    let name = |person: &LearnedPerson| person.said.get("name").and_then(Json::as_text).map(folded);
    for name in found.iter().filter_map(name) {
        *called.entry(name).or_default() += 1;
    }
    called.retain(|_, times| *times >= EVERYBODY);
    for person in &mut found {
        // Then it is the service's own word for everybody, which the first of them keeps.
        if let Some(times) = name(person).and_then(|name| called.get_mut(&name)) {
            if *times < EVERYBODY {
                person.said.remove("name");
            }
            *times = 0;
        }
        person.key = key(person, &mut keys);
    }
    found
}

/// What the people of the folder that is written into are called in their files.
fn taken(rules: &Rules) -> BTreeSet<String> {
    let people = rules.scenarios.people.all().iter();
    let own = people.filter(|it| !is_built_in(&it.file));
    own.map(|profile| profile.name.clone()).collect()
}

fn parts(rules: &Rules, traffic: &Traffic, subjects: &[Option<AskedFor>]) -> Vec<PersonPart> {
    let mut parts: BTreeMap<(String, AskedFor), PersonPart> = BTreeMap::new();
    for (call, subject) in traffic.calls.iter().zip(subjects) {
        let (Some(operation), Some(subject), Some(answer)) = (call.operation, subject, call.last())
        else {
            continue;
        };
        let row = &rules.contract.operations[operation];
        let is_name = row
            .field(&subject.0)
            .is_some_and(|at| row.request[at].folds);
        let Some(data) = answer
            .envelope
            .get("data")
            .filter(|_| answer.text("status") == "completed" && !is_name)
        else {
            continue;
        };
        let mut said = claims(rules.template(operation), data);
        if let Some(row) = rules.no_record_row(operation) {
            implied(&row.when, &call.json, &mut said);
        }
        let can_be = roles(rules, subject);
        let Some(role) = role(rules.cast(), &can_be, &said) else {
            continue;
        };
        let part = parts.entry((role.to_owned(), subject.clone())).or_default();
        role.clone_into(&mut part.role);
        part.asked.insert(subject.clone());
        let known = &rules.cast()[role].attributes;
        for claim in said
            .into_iter()
            .filter(|it| it.role == role || it.role == "subject")
        {
            let is_empty = claim
                .value
                .as_text()
                .is_some_and(|text| text.trim().is_empty());
            if known.contains_key(&claim.attribute) && !is_empty {
                let values = part.said.entry(claim.attribute).or_default();
                values
                    .entry(claim.value.to_string())
                    .or_insert((claim.value, 0))
                    .1 += 1;
            }
        }
        part.origins.insert(call.place.clone());
    }
    let mut parts: Vec<PersonPart> = parts.into_values().collect();
    parts.iter_mut().for_each(PersonPart::note_name);
    parts
}

/// The roles of whoever can be asked for so; the one that the letters of the text say comes first.
fn roles(rules: &Rules, (field, text): &AskedFor) -> Vec<&'static str> {
    let rows = &WorldRows::built_in().asked;
    let mut asking = rules
        .contract
        .operations
        .iter()
        .flat_map(|row| row.identifiers().map(move |(_, it)| (row, it)));
    let Some((row, at)) = asking.find(|(_, it)| it.name == *field) else {
        return Vec::new();
    };
    let names = [
        row.id.as_str(),
        at.format(&rules.contract).unwrap_or_default(),
        field,
    ];
    let asked = names
        .iter()
        .find_map(|name| rows.iter().find(|row| row.by.iter().any(|by| by == name)));
    let is = asked.map(|asked| asked.is.iter()).into_iter().flatten();
    let mut found: Vec<&str> = is.map(|is| is.split('.').next().unwrap_or(is)).collect();
    found.dedup();
    let Population { world, seed } = rules.population;
    let subject = world.subject_of(world.asked(&names), text, seed);
    found.sort_by_key(|role| *role != world.name(subject.kind));
    found
}

/// Somebody to be declared: of whom something is said that the rules do not know yet. None where a person declared them.
fn unknown(rules: &Rules, part: PersonPart, today: Date) -> Option<LearnedPerson> {
    let declared = |(_, text): &AskedFor| {
        let known = rules.scenarios.people.asked_for_by(text);
        known.is_some_and(|known| !is_built_in(&known.file))
    };
    if part.asked.iter().any(declared) {
        return None;
    }
    let known: Vec<Json<'static>> = part
        .asked
        .iter()
        .filter_map(|(field, text)| rules.known_of(&part.role, (field, text), today))
        .collect();
    let is_known = |name: &str, value: &Json<'static>| {
        !known.is_empty() && known.iter().all(|known| known.get(name) == Some(value))
    };
    let names: Vec<&String> = part.said.keys().collect();
    let said = names
        .into_iter()
        .filter_map(|name| Some((name.clone(), part.value(name)?.clone())));
    let said: BTreeMap<_, _> = said.collect();
    if said.iter().all(|(name, value)| is_known(name, value)) {
        return None;
    }
    let said = said
        .into_iter()
        .filter(|(name, value)| name == "name" || !is_known(name, value));
    // Whoever is asked for in a field of the same kind twice can be declared by one of them.
    let asked: BTreeMap<String, String> = part.asked.iter().cloned().rev().collect();
    let said: BTreeMap<_, _> = said.filter(|(name, _)| !asked.contains_key(name)).collect();
    // Of whom nothing else is said there is nothing to declare.
    if said.is_empty() && asked.len() == 1 {
        return None;
    }
    Some(LearnedPerson {
        key: String::new(),
        role: part.role,
        said,
        asked,
        breaks_contract: false,
        origins: part.origins,
    })
}

/// What a file calls somebody: by their name, else by what they are asked for by.
fn key(person: &LearnedPerson, taken: &mut BTreeSet<String>) -> String {
    let name = person.said.get("name").and_then(Json::as_text);
    let asked = person.asked.values().next().map_or("", String::as_str);
    let named = slug(name.unwrap_or_default());
    let base = match named.is_empty() || named.starts_with(|c: char| c.is_ascii_digit()) {
        true => slug(asked),
        false => named,
    };
    let mut names =
        std::iter::once(base.clone()).chain((2..).map(|number| format!("{base}_{number}")));
    names
        .find(|name| taken.insert(name.clone()))
        .unwrap_or(base)
}

/// A text as a name in a file: small letters, digits and underscores.
#[must_use]
pub fn slug(text: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        }
    };
    let mut out: String = text.chars().map(plain).collect();
    while out.contains("__") {
        out = out.replace("__", "_");
    }
    out.trim_matches('_').chars().take(40).collect()
}
