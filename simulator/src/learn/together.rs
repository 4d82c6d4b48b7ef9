//! Who is one person of those whom answers speak of: where one of them leads to the other, or where they are called alike
//! and nothing that is said of them contradicts.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use svc_fixtures::json::Json;

use super::traffic::Provenance;
use crate::scenario::folded;

/// What somebody is asked for by: the field, and the text in it.
pub(super) type AskedFor = (String, String);

/// What is said of whoever is asked for so.
#[derive(Debug, Clone, Default)]
pub(super) struct PersonPart {
    /// What they are in the story.
    pub(super) role: String,
    /// What they are asked for by.
    pub(super) asked: BTreeSet<AskedFor>,
    /// By attribute, how often each value was said.
    pub(super) said: BTreeMap<String, BTreeMap<String, (Json<'static>, usize)>>,
    /// The name of that, folded.
    called: Option<String>,
    /// The exchanges that speak of them.
    pub(super) origins: BTreeSet<Provenance>,
}

impl PersonPart {
    /// What most say.
    pub(super) fn value(&self, attribute: &str) -> Option<&Json<'static>> {
        let values = self.said.get(attribute)?.values();
        let best = values.rev().max_by_key(|(_, count)| *count)?;
        Some(&best.0)
    }

    fn contradicts(&self, other: &PersonPart) -> bool {
        let mut both = self
            .said
            .keys()
            .filter(|name| other.said.contains_key(*name));
        // A name in other letters is the same name.
        both.any(|name| match name.as_str() {
            "name" => self.name() != other.name(),
            _ => self.value(name) != other.value(name),
        })
    }

    fn name(&self) -> Option<&str> {
        self.called.as_deref()
    }

    /// Notes what most call them.
    pub(super) fn note_name(&mut self) {
        let name = self.value("name").and_then(Json::as_text);
        self.called = name.map(folded);
    }

    fn absorb(&mut self, other: PersonPart) {
        self.asked.extend(other.asked);
        self.origins.extend(other.origins);
        for (attribute, values) in other.said {
            let own = self.said.entry(attribute).or_default();
            for (text, (value, count)) in values {
                own.entry(text).or_insert((value, 0)).1 += count;
            }
        }
        self.note_name();
    }
}

/// What makes one of two, in this order.
const BONDS: [Bond; 3] = [
    Bond {
        has: texts_said,
        seeks: texts_asked,
        leads: |_| true,
        belong: led_to,
    },
    Bond {
        has: name_and_more,
        seeks: name_and_more,
        leads: |_| true,
        belong: |one, other| !one.contradicts(other),
    },
    Bond {
        has: called,
        seeks: called,
        leads: is_one,
        belong: |_, _| true,
    },
];

/// What somebody is found by: what it is, and a text.
type Sign = (String, String);

/// What makes one of two.
struct Bond {
    /// What somebody has: whoever does not have what the other looks for can't belong to them.
    has: fn(&PersonPart) -> Vec<Sign>,
    /// What somebody looks for.
    seeks: fn(&PersonPart) -> Vec<Sign>,
    /// Whether a sign that all of these have says anything.
    leads: fn(&[&PersonPart]) -> bool,
    /// Whether two who are led together belong together.
    belong: fn(&PersonPart, &PersonPart) -> bool,
}

/// Makes one of those that belong together, until nobody does any more.
pub(super) fn unite(parts: &mut Vec<PersonPart>) {
    for bond in &BONDS {
        let crowd = Crowd::of(std::mem::take(parts), bond);
        *parts = crowd.united();
    }
}

/// Everybody, and who has what: of thousands each is held against a few.
struct Crowd<'b> {
    bond: &'b Bond,
    /// Where somebody stood who was made one with somebody else there is nobody.
    parts: Vec<Option<PersonPart>>,
    has: BTreeMap<Sign, BTreeSet<usize>>,
    seeks: BTreeMap<Sign, BTreeSet<usize>>,
}

impl<'b> Crowd<'b> {
    fn of(parts: Vec<PersonPart>, bond: &'b Bond) -> Self {
        let mut crowd = Crowd {
            bond,
            parts: parts.into_iter().map(Some).collect(),
            has: BTreeMap::new(),
            seeks: BTreeMap::new(),
        };
        (0..crowd.parts.len()).for_each(|at| crowd.note(at));
        let parts = &crowd.parts;
        crowd.has.retain(|_, places| {
            let all: Vec<&PersonPart> =
                places.iter().filter_map(|at| parts[*at].as_ref()).collect();
            (bond.leads)(&all)
        });
        crowd
    }

    /// Notes what somebody has and looks for.
    fn note(&mut self, at: usize) {
        let Some(part) = &self.parts[at] else { return };
        for sign in (self.bond.has)(part) {
            self.has.entry(sign).or_default().insert(at);
        }
        for sign in (self.bond.seeks)(part) {
            self.seeks.entry(sign).or_default().insert(at);
        }
    }

    /// The first of these places whose part belongs to this one.
    fn belonging(&self, at: usize, places: Range<usize>) -> Option<usize> {
        let own = self.parts[at].as_ref()?;
        let sought = (self.bond.seeks)(own);
        let near = sought.iter().filter_map(|sign| self.has.get(sign));
        let had = (self.bond.has)(own);
        let had = had.iter().filter(|sign| self.has.contains_key(*sign));
        let near = near.chain(had.filter_map(|sign| self.seeks.get(sign)));
        let mut near: Vec<usize> = near
            .flat_map(|all| all.range(places.clone()))
            .copied()
            .collect();
        near.sort_unstable();
        let is_other = |other: &usize| {
            let other = self.parts[*other].as_ref();
            other.is_some_and(|other| own.role == other.role && (self.bond.belong)(own, other))
        };
        near.into_iter().find(is_other)
    }

    /// Makes one of two.
    fn join(&mut self, into: usize, other: usize) {
        let other = self.parts[other].take();
        if let (Some(part), Some(other)) = (&mut self.parts[into], other) {
            part.absorb(other);
        }
        self.note(into);
    }

    fn united(mut self) -> Vec<PersonPart> {
        let (mut at, all) = (0, self.parts.len());
        while at < all {
            let Some(other) = self.belonging(at, at + 1..all) else {
                at += 1;
                continue;
            };
            self.join(at, other);
            // Whoever was passed over may belong to both together.
            while let Some(earlier) = self.belonging(at, 0..at) {
                self.join(earlier, at);
                at = earlier;
            }
        }
        self.parts.into_iter().flatten().collect()
    }
}

/// What is said of somebody, value by value.
fn texts_said(part: &PersonPart) -> Vec<Sign> {
    let said = part.said.iter();
    let texts = said.flat_map(|(name, values)| values.values().map(move |(it, _)| (name, it)));
    texts
        .filter_map(|(name, value)| Some((name.clone(), value.as_text()?.to_owned())))
        .collect()
}

/// What somebody is asked for by.
fn texts_asked(part: &PersonPart) -> Vec<Sign> {
    part.asked.iter().cloned().collect()
}

/// Whether an answer about one of them hands out what the other is asked for by.
fn led_to(one: &PersonPart, other: &PersonPart) -> bool {
    let leads = |from: &PersonPart, to: &PersonPart| {
        to.asked
            .iter()
            .any(|(field, text)| from.value(field).and_then(Json::as_text) == Some(text))
    };
    leads(one, other) || leads(other, one)
}

/// What somebody is called, with each thing that is said of them and not of half of all.
fn name_and_more(part: &PersonPart) -> Vec<Sign> {
    let tells = |name: &&String| {
        !matches!(
            name.as_str(),
            "name" | "category" | "constitution" | "gender"
        )
    };
    let Some(called) = part.name() else {
        return Vec::new();
    };
    let names = part.said.keys().filter(tells);
    names
        .filter_map(|name| Some((name.clone(), format!("{} {called}", part.value(name)?))))
        .collect()
}

/// What somebody is called.
fn called(part: &PersonPart) -> Vec<Sign> {
    let name = part.name();
    name.map(|name| (part.role.clone(), name.to_owned()))
        .into_iter()
        .collect()
}

/// Whether all of these, who are called alike, can be one: they are asked for by different fields, and nobody contradicts.
fn is_one(all: &[&PersonPart]) -> bool {
    let mut fields = BTreeSet::new();
    let mut asked = all.iter().flat_map(|it| fields_of(it));
    asked.all(|field| fields.insert(field))
        && all.iter().all(|a| all.iter().all(|b| !a.contradicts(b)))
}

/// The fields in which somebody is asked for.
fn fields_of(part: &PersonPart) -> BTreeSet<&str> {
    part.asked.iter().map(|(field, _)| field.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Somebody who is asked for by a text in a field, and of whom this is said.
    fn part(field: &str, text: &str, said: &[(&str, &str)]) -> PersonPart {
        let values = |value: &str| {
            let value = Json::from(value.to_owned());
            BTreeMap::from([(value.to_string(), (value, 1))])
        };
        let mut part = PersonPart {
            role: "person".to_owned(),
            asked: BTreeSet::from([(field.to_owned(), text.to_owned())]),
            said: said
                .iter()
                .map(|(name, value)| ((*name).to_owned(), values(value)))
                .collect(),
            ..PersonPart::default()
        };
        part.note_name();
        part
    }

    /// By what each person is asked for who is left.
    fn united(mut parts: Vec<PersonPart>) -> Vec<String> {
        unite(&mut parts);
        let asked = parts.iter().map(|part| {
            let texts = part.asked.iter().map(|(_, text)| text.as_str());
            texts.collect::<Vec<_>>().join("+")
        });
        asked.collect()
    }

    const NAMED: &[(&str, &str)] = &[("name", "Asha Rao")];

    #[test]
    fn who_is_called_alike_is_one_where_nobody_is_asked_for_in_the_same_field() {
        let (pan, uan) = (part("pan", "A", NAMED), part("uan", "1", NAMED));
        assert_eq!(united(vec![pan.clone(), uan.clone()]), ["A+1"]);
        // Which of the two it is nothing says.
        let namesake = part("pan", "B", NAMED);
        assert_eq!(united(vec![pan, uan, namesake]), ["A", "1", "B"]);
    }

    #[test]
    fn what_is_said_of_both_beside_the_name_makes_one_of_namesakes() {
        let born: &[_] = &[("name", "ASHA RAO"), ("born", "1990")];
        let (one, other) = (part("pan", "A", born), part("pan", "B", born));
        assert_eq!(united(vec![one.clone(), other]), ["A+B"]);
        let later: &[_] = &[("name", "Asha Rao"), ("born", "1991")];
        assert_eq!(united(vec![one, part("pan", "B", later)]), ["A", "B"]);
    }

    #[test]
    fn an_answer_leads_from_one_to_the_other_and_on() {
        let first = part("pan", "A", &[("mobile", "9")]);
        let last = part("uan", "1", &[]);
        let middle = part("mobile", "9", &[("uan", "1")]);
        assert_eq!(united(vec![first, last, middle]), ["9+A+1"]);
    }
}
