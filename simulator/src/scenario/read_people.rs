//! Reading the people and companies a file declares: `[person.asha]`, `[company.acme]`. A key is an
//! attribute of the story, a request field that identifies, or another role and who plays it.

use std::collections::{BTreeMap, BTreeSet};

use svc_fixtures::contract::{Contract, Operation, parse_date};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Table};
use svc_fixtures::template::{Character, Template};

use super::folded;
use super::people::Profile;

/// Who can be spoken of in a file.
#[derive(Default)]
pub(super) struct Declared {
    /// What each is asked for by, by name.
    by_name: BTreeMap<String, Vec<Json<'static>>>,
}

impl Declared {
    /// What somebody is asked for by; none, and a problem, where nobody is called so.
    pub(super) fn identifiers(&self, name: &str, item: &Item<'_>) -> Option<Vec<Json<'static>>> {
        let Some(found) = self.by_name.get(name) else {
            let known = self.by_name.keys().map(String::as_str);
            match self.by_name.is_empty() {
                true => item.problem_with_hint(
                    format!("nobody is called `{name}` in this file"),
                    format!("declare them above: `[person.{name}]` and what they are asked for by"),
                ),
                false => item.unknown("in this file the name", name, known),
            }
            return None;
        };
        if found.is_empty() {
            item.problem(format!("nothing says what `{name}` is asked for by"));
        }
        Some(found.clone())
    }
}

/// What everything about a file's people is read with.
pub(super) struct Cast<'r> {
    pub(super) contract: &'r Contract,
    pub(super) roles: &'r BTreeMap<String, Character>,
}

/// A link to somebody, to be followed when all names of the file are known.
struct Link<'t> {
    from: usize,
    role: String,
    item: Item<'t>,
}

impl Cast<'_> {
    /// Adds what a file declares to `profiles` and says who can be spoken of in it.
    pub(super) fn read(&self, root: &Table<'_>, profiles: &mut Vec<Profile>) -> Declared {
        let first = profiles.len();
        let mut declared = Declared::default();
        let (mut links, mut rows) = (Vec::new(), Vec::new());
        for role in self.roles.keys() {
            let table = root.optional(role).and_then(|item| item.table());
            for (name, item) in table.map(|table| table.entries()).unwrap_or_default() {
                let Some(row) = item.table() else { continue };
                if declared.by_name.contains_key(name) {
                    item.problem(format!("somebody is called `{name}` already"));
                }
                let from = profiles.len();
                let mut profile = Profile {
                    name: name.to_owned(),
                    role: role.clone(),
                    ..Profile::default()
                };
                let mut asked = Vec::new();
                for (key, value) in row.entries() {
                    match self.roles.contains_key(key) && key != role {
                        true => links.push(Link {
                            from,
                            role: key.to_owned(),
                            item: value,
                        }),
                        false => self.say(&mut profile, key, &value, &mut asked),
                    }
                }
                declared.by_name.insert(name.to_owned(), asked);
                profiles.push(profile);
                rows.push(item);
            }
        }
        follow(&links, first, profiles);
        tell_strangers(&rows, first, profiles);
        tell_shared(&rows, first, profiles);
        declared
    }

    fn say(
        &self,
        profile: &mut Profile,
        key: &str,
        item: &Item<'_>,
        asked: &mut Vec<Json<'static>>,
    ) {
        let attribute = self.roles[&profile.role].attributes.get(key);
        let identifies = self.identifying(key).next().is_some();
        if attribute.is_none() && !identifies {
            let attributes = self.roles[&profile.role].attributes.keys();
            let fields = self
                .contract
                .operations
                .iter()
                .flat_map(Operation::identifiers);
            let known: BTreeSet<&str> = attributes
                .chain(self.roles.keys())
                .chain(fields.map(|(_, field)| &field.name))
                .map(String::as_str)
                .collect();
            return item.unknown_key(&format!("of a {}", profile.role), key, known.into_iter());
        }
        let Some(value) = item.json_or_problem() else {
            return;
        };
        if let Some(attribute) = attribute {
            if let Some(wanted) = misfit(&attribute.sample, &value) {
                item.problem(format!("`{key}` is {wanted}, and this is not"));
            }
            profile.said.insert(key.to_owned(), value.clone());
        }
        // What is no text and should be one is told already, where it is an attribute.
        let text = match attribute {
            Some(_) => item.if_text(),
            None => identifies.then(|| item.text()).flatten(),
        };
        if let Some(text) = text.filter(|_| identifies) {
            self.tell_refused(key, &value, item);
            profile.identifiers.push(text.to_owned());
            if self.identifying(key).any(|(row, at)| row.request[at].folds) {
                profile.identifiers.push(folded(text));
            }
            profile.identifiers.dedup();
            asked.push(value);
        }
    }

    /// The operations that a field of this name identifies somebody for, with its place.
    fn identifying(&self, name: &str) -> impl Iterator<Item = (&Operation, usize)> {
        let rows = self.contract.operations.iter();
        rows.filter_map(move |row| {
            let at = row.field(name)?;
            row.request[at].identifies.then_some((row, at))
        })
    }

    /// Tells of an identifier that every operation refuses.
    fn tell_refused(&self, key: &str, value: &Json<'static>, item: &Item<'_>) {
        let formats = &self.contract.formats;
        let mistakes: Vec<_> = self
            .identifying(key)
            .map(|(row, at)| row.request[at].check(value, formats, &[]).err())
            .collect();
        if let Some(Some(first)) = mistakes.first()
            && mistakes.iter().all(Option::is_some)
        {
            item.problem_with_hint("a call with this value is refused", first.to_string());
        }
    }
}

/// What an attribute must be, where a value is not of the kind of the sample's.
fn misfit(sample: &Template, value: &Json<'_>) -> Option<&'static str> {
    let Template::Literal(sample) = sample else {
        return value.as_text().is_none().then_some("a string");
    };
    let is_date = |json: &Json<'_>| {
        let text = json.as_text();
        text.is_some_and(|text| parse_date("YYYY-MM-DD", text).is_some())
    };
    match sample {
        Json::Int(_) => (!matches!(value, Json::Int(_))).then_some("a whole number"),
        Json::Num(_) => value.as_num().is_none().then_some("a number"),
        Json::Bool(_) => value.as_bool().is_none().then_some("true or false"),
        date if is_date(date) => (!is_date(value)).then_some("a date YYYY-MM-DD"),
        _ => value.as_text().is_none().then_some("a string"),
    }
}

fn follow(links: &[Link<'_>], first: usize, profiles: &mut [Profile]) {
    for link in links {
        let Some(name) = link.item.text() else {
            continue;
        };
        let playing = |profile: &Profile| profile.role == link.role && profile.name == name;
        match profiles[first..].iter().position(playing) {
            Some(at) => {
                profiles[link.from]
                    .others
                    .insert(link.role.clone(), first + at);
            }
            None => {
                let of_role = profiles[first..]
                    .iter()
                    .filter(|profile| profile.role == link.role);
                let known: Vec<&str> = of_role.map(|profile| profile.name.as_str()).collect();
                let role = &link.role;
                match known.is_empty() {
                    true => link.item.problem_with_hint(
                        format!("no {role} is declared in this file"),
                        format!("write `[{role}.{name}]` and what is known of it"),
                    ),
                    false => {
                        let what = format!("in this file the {role}");
                        link.item.unknown(&what, name, known.into_iter());
                    }
                }
            }
        }
    }
}

/// Tells of those whom no answer can be about.
fn tell_strangers(rows: &[Item<'_>], first: usize, profiles: &[Profile]) {
    let named: BTreeSet<usize> = profiles[first..]
        .iter()
        .flat_map(|profile| profile.others.values().copied())
        .collect();
    for (at, row) in rows.iter().enumerate() {
        let profile = &profiles[first + at];
        if profile.identifiers.is_empty() && !named.contains(&(first + at)) {
            let name = &profile.name;
            row.problem_with_hint(
                format!("no answer can be about `{name}`: nothing says what {name} is asked for by"),
                "add what identifies in a request, such as `mobile = …`, or let somebody else name it",
            );
        }
    }
}

/// Tells of two who are asked for by the same.
fn tell_shared(rows: &[Item<'_>], first: usize, profiles: &[Profile]) {
    let mut whose: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for identifier in &profiles[first + at].identifiers {
            let other = *whose.entry(identifier).or_insert(at);
            if other != at {
                row.problem(format!(
                    "\"{identifier}\" is asked for as `{}`, too: whose is it?",
                    profiles[first + other].name
                ));
            }
        }
    }
}
