//! The other inputs of an operation: those that ask for the same person, or for the same by the same name, are looked up,
//! since each input is told apart from them.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::json::Json;

use super::inputs::SeenInput;
use super::people::LearnedPerson;
use super::rule::{Said, Test};
use super::together::AskedFor;

/// Who is asked for by what.
#[derive(Debug, Clone, Default)]
pub(super) struct Whose<'p>(BTreeMap<(&'p str, &'p str), &'p str>);

impl<'p> Whose<'p> {
    /// Of these people. Where two are asked for alike it is the first.
    #[must_use]
    pub(super) fn of(people: &'p [LearnedPerson]) -> Self {
        let mut whose = BTreeMap::new();
        for person in people {
            let asked = person.asked.iter();
            let asked = asked.map(|(field, text)| (field.as_str(), text.as_str()));
            let said = person.said.iter();
            let said = said.filter_map(|(field, value)| Some((field.as_str(), value.as_text()?)));
            for by in asked.chain(said) {
                whose.entry(by).or_insert(person.key.as_str());
            }
        }
        Whose(whose)
    }

    /// What the file calls whoever an input asks for.
    fn key(&self, input: &SeenInput) -> Option<&'p str> {
        let (field, text) = input.subject.as_ref()?;
        self.0.get(&(field.as_str(), text.as_str())).copied()
    }
}

/// All inputs of an operation.
pub(super) struct Everyone<'i> {
    all: Vec<&'i SeenInput>,
    whose: &'i Whose<'i>,
    by_person: BTreeMap<&'i str, Vec<&'i SeenInput>>,
    by_subject: BTreeMap<&'i AskedFor, Vec<&'i SeenInput>>,
}

impl<'i> Everyone<'i> {
    #[must_use]
    pub(super) fn of(all: &[Said<'i>], whose: &'i Whose<'i>) -> Self {
        let mut everyone = Everyone {
            all: all.iter().map(|it| it.input).collect(),
            whose,
            by_person: BTreeMap::new(),
            by_subject: BTreeMap::new(),
        };
        for input in all.iter().map(|it| it.input) {
            if let Some(key) = whose.key(input) {
                everyone.by_person.entry(key).or_default().push(input);
            }
            if let Some(subject) = &input.subject {
                everyone.by_subject.entry(subject).or_default().push(input);
            }
        }
        everyone
    }

    /// How a rule asks for whom an input asks for, and the others that ask for them; all others where it says nobody.
    #[must_use]
    pub(super) fn like(
        &self,
        input: &SeenInput,
        group: &BTreeSet<usize>,
    ) -> (Option<(String, Test)>, Vec<&'i SeenInput>) {
        let subject = input.subject.as_ref().filter(|_| input.names_somebody());
        let (who, all) = match (subject, self.whose.key(input)) {
            (Some(_), Some(key)) => {
                let test = Test::Is(Json::from(key.to_owned()));
                (Some(("who".to_owned(), test)), self.by_person.get(key))
            }
            (Some(subject), None) => {
                let test = Test::Is(Json::from(subject.1.clone()));
                (
                    Some((subject.0.clone(), test)),
                    self.by_subject.get(subject),
                )
            }
            (None, _) => (None, Some(&self.all)),
        };
        let others = all.into_iter().flatten().copied();
        (
            who,
            others.filter(|it| !group.contains(&address(it))).collect(),
        )
    }
}

/// The inputs that are not of a group.
pub(super) fn others<'i>(all: &[Said<'i>], group: &[&Said<'_>]) -> Vec<&'i SeenInput> {
    let mine = addresses(group);
    let inputs = all.iter().map(|it| it.input);
    inputs.filter(|it| !mine.contains(&address(it))).collect()
}

/// Where the inputs of a group are: whether one is of it, and nothing else, is asked.
pub(super) fn addresses(group: &[&Said<'_>]) -> BTreeSet<usize> {
    group.iter().map(|it| address(it.input)).collect()
}

fn address(input: &SeenInput) -> usize {
    std::ptr::from_ref(input).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(key: &str, field: &str, text: &str) -> LearnedPerson {
        LearnedPerson {
            key: key.to_owned(),
            role: "person".to_owned(),
            said: BTreeMap::from([("name".to_owned(), Json::from("ASHA RAO"))]),
            asked: BTreeMap::from([(field.to_owned(), text.to_owned())]),
            breaks_contract: false,
            origins: BTreeSet::new(),
        }
    }

    #[test]
    fn of_two_who_are_asked_for_alike_it_is_the_first() {
        let people = [
            person("asha", "pan", "AAAAA0000A"),
            person("namesake", "uan", "100000000000"),
        ];
        let whose = Whose::of(&people);
        for (field, text) in [
            ("name", "ASHA RAO"),
            ("pan", "AAAAA0000A"),
            ("uan", "100000000000"),
            ("pan", "100000000000"),
        ] {
            let asked = (field.to_owned(), text.to_owned());
            let first = people.iter().find(|person| person.is(&asked));
            let found = whose.0.get(&(field, text)).copied();
            assert_eq!(found, first.map(|it| it.key.as_str()), "{field}");
        }
    }
}
