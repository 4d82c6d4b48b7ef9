//! Reading the people and companies that the files of a folder declare: `[person.asha]`,
//! `[company.acme]`. A key is an attribute of the story, a request field that identifies, or another role
//! and who plays it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use svc_fixtures::contract::{Contract, Field, FieldIndex, Kind, Operation};
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Item, Location, ParsedSource, Problems, Sharing, Source, Table};
use svc_fixtures::template::{Answers, Character};

use super::declared_forms::{DeclaredForms, report_misfit};
use super::links::{
    DeclaredLink, DeclaredRow, ListedName, follow, follow_lists, link, report_strangers,
};
use crate::scenario::people::Profile;
use crate::scenario::{as_subject, folded, folder};

/// What somebody who is declared is there for.
pub(crate) const STORY: &str = "story";

/// That the letters of what somebody is asked for by say something else than what is said of them.
pub(crate) const BREAKS: &str = "breaks_contract";

/// Who can be spoken of in the files of a folder.
#[derive(Default)]
pub(crate) struct Declared {
    by_name: BTreeMap<String, Known>,
    /// The places of the profiles, and where each is declared.
    rows: Vec<DeclaredRow>,
    links: Vec<DeclaredLink>,
    listed: Vec<ListedName>,
}

/// Somebody who can be spoken of.
struct Known {
    /// What they are asked for by, each with its key.
    asked: Vec<(String, Json<'static>)>,
    /// Where they are declared: file and line.
    place: String,
}

impl Declared {
    /// What somebody is asked for by, each with its key; none, and a problem, where nobody is called so.
    pub(crate) fn asked_for_by(
        &self,
        name: &str,
        item: &Item<'_>,
    ) -> Option<&[(String, Json<'static>)]> {
        let Some(found) = self.by_name.get(name) else {
            let known = self.by_name.keys().map(String::as_str);
            match self.by_name.is_empty() {
                true => item.problem_with_hint(
                    format!("nobody is called `{name}` in this folder"),
                    format!("declare them: `[person.{name}]` and what they are asked for by"),
                ),
                false => item.unknown("in this folder the name", name, known),
            }
            return None;
        };
        if found.asked.is_empty() {
            item.problem(format!("nothing says what `{name}` is asked for by"));
        }
        Some(&found.asked)
    }

    /// What whoever is called so is asked for by, each with its key.
    fn asked(&self, name: &str) -> Option<&[(String, Json<'static>)]> {
        self.by_name.get(name).map(|known| known.asked.as_slice())
    }
}

/// The files that may declare somebody, by their folders.
#[derive(Debug, Default)]
pub(crate) struct DeclaringFiles(BTreeMap<String, Vec<Arc<Source>>>);

impl DeclaringFiles {
    /// Those of these files: they have one of these tables.
    pub(crate) fn among(sources: &[Arc<Source>], tables: &[&str]) -> Self {
        let mut files = DeclaringFiles::default();
        for source in sources.iter().filter(|source| declares(source, tables)) {
            let beside = files.0.entry(folder(&source.path).to_owned());
            beside.or_default().push(Arc::clone(source));
        }
        files
    }

    /// Each file, parsed once: what is said of whoever its folder declares stands where it speaks of them.
    pub(crate) fn parsed<'s>(
        &'s self,
        sources: &'s [Arc<Source>],
        tables: &'s [&'s str],
    ) -> Vec<ParsedSource<'s>> {
        let parsed = sources.iter().map(|source| {
            let beside = self.0.get(folder(&source.path));
            let beside = beside.map_or(&[][..], Vec::as_slice);
            ParsedSource::new(source, Some(Sharing { tables, beside }))
        });
        parsed.collect()
    }
}

/// Everybody who is declared, and who can be spoken of where.
pub(crate) struct Everybody {
    by_folder: BTreeMap<String, Declared>,
    nobody: Declared,
    /// All of them, in the order of the files.
    pub(crate) profiles: Vec<Profile>,
}

impl Everybody {
    /// Who can be spoken of in a file.
    pub(crate) fn around(&self, source: &Source) -> &Declared {
        let declared = self.by_folder.get(folder(&source.path));
        declared.unwrap_or(&self.nobody)
    }
}

/// What everything about people is read with.
pub(crate) struct Cast<'r> {
    pub(super) contract: &'r Contract,
    pub(super) roles: &'r BTreeMap<String, Character>,
    /// By the name of a field, the operations that it identifies somebody for, with its place.
    pub(super) identifying: BTreeMap<&'r str, Vec<(&'r Operation, FieldIndex)>>,
    /// What is said must fit; nothing where it is only read again.
    forms: DeclaredForms<'r>,
}

impl<'r> Cast<'r> {
    pub(crate) fn new(contract: &'r Contract, roles: &'r BTreeMap<String, Character>) -> Self {
        let mut identifying: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for row in &contract.operations {
            for (at, field) in row.identifiers() {
                let known = identifying.entry(field.name.as_str()).or_default();
                known.push((row, at));
            }
        }
        Cast {
            contract,
            roles,
            identifying,
            forms: DeclaredForms::default(),
        }
    }

    /// The same, of whom answers speak: what is said of somebody fits where it ends.
    pub(crate) fn in_answers(contract: &'r Contract, answers: &'r Answers) -> Self {
        Cast {
            forms: DeclaredForms::new(contract, answers),
            ..Cast::new(contract, &answers.cast)
        }
    }

    /// Reads whom files declare. Mistakes that have nothing to do with people are found, too, where a
    /// file declares some; who reads the rest finds them again.
    pub(crate) fn read(&self, files: &[ParsedSource<'_>]) -> (Everybody, Problems) {
        let tables: Vec<&str> = self.roles.keys().map(String::as_str).collect();
        let mut problems = Problems::default();
        let mut folders: BTreeMap<String, Declared> = BTreeMap::new();
        let mut profiles = Vec::new();
        for file in files.iter().filter(|it| declares(it.source(), &tables)) {
            let reading = folders.entry(folder(&file.source().path).to_owned());
            let reading = reading.or_default();
            let ((), found) = file.read(|root| {
                // All other keys are another reader's.
                root.entries();
                self.read_file(root, reading, &mut profiles);
            });
            problems.extend(found);
        }
        for reading in folders.values() {
            problems.extend(follow(&reading.rows, &reading.links, &mut profiles));
            problems.extend(follow_lists(
                &reading.listed,
                |name| reading.asked(name),
                &mut profiles,
            ));
            problems.extend(report_strangers(&reading.rows, &profiles));
            problems.extend(self.report_shared(reading, &profiles));
        }
        let everybody = Everybody {
            by_folder: folders,
            nobody: Declared::default(),
            profiles,
        };
        (everybody, problems)
    }

    fn read_file(&self, root: &Table<'_>, reading: &mut Declared, profiles: &mut Vec<Profile>) {
        for role in self.roles.keys() {
            let table = root.optional(role).filter(|item| !item.is_list());
            if let (Some(item), None) = (root.optional(role), &table) {
                item.problem_with_hint(
                    "everybody who is declared has a name",
                    format!("write `[{role}.NAME]`, a table for each"),
                );
            }
            let table = table.and_then(|item| item.table());
            for (name, item) in table.map(|table| table.entries()).unwrap_or_default() {
                let Some(row) = item.table() else { continue };
                if let Some(known) = reading.by_name.get(name) {
                    let place = &known.place;
                    item.problem_with_hint(
                        format!("somebody is called `{name}` already, at {place}"),
                        "everybody has one name in a folder: take one of them away, or name them apart",
                    );
                }
                let (from, place) = (profiles.len(), item.location());
                let mut profile = Profile {
                    name: name.to_owned(),
                    because: format!("{role} \"{name}\" ({place})").into(),
                    file: place.source.path.as_str().into(),
                    line: place.source.line(place.span.start),
                    role: role.clone(),
                    ..Profile::default()
                };
                let mut asked = Vec::new();
                profile.breaks_contract = row.flag(BREAKS);
                for (key, value) in row.entries() {
                    match self.roles.contains_key(key) && key != role {
                        _ if key == STORY => profile.story = story(&value),
                        _ if key == BREAKS => {}
                        true => reading.links.extend(link(from, key, &value)),
                        false => {
                            self.say(&mut profile, key, &value, &mut asked);
                            reading
                                .listed
                                .extend(self.names(from, &profile, key, &value));
                        }
                    }
                }
                self.complete(&mut profile, &mut asked);
                self.ask_by_known(&mut profile, &row, &mut asked);
                let known = Known {
                    asked,
                    place: place.to_string(),
                };
                reading.by_name.entry(name.to_owned()).or_insert(known);
                profiles.push(profile);
                reading.rows.push((from, place));
            }
        }
    }

    fn say(
        &self,
        profile: &mut Profile,
        key: &str,
        item: &Item<'_>,
        asked: &mut Vec<(String, Json<'static>)>,
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
                .chain(self.roles.keys().filter(|role| **role != profile.role))
                .chain(fields.map(|(_, field)| &field.name))
                .map(String::as_str)
                .chain([STORY, BREAKS])
                .collect();
            return item.unknown_key(&format!("of a {}", profile.role), key, known.into_iter());
        }
        let Some(value) = item.json_or_problem() else {
            return;
        };
        if let Some(attribute) = attribute {
            let is_misfit = report_misfit(key, attribute, &value, item);
            if !is_misfit && !profile.breaks_contract {
                self.forms.report((&profile.role, key), &value, item);
            }
            profile.places.insert(key.to_owned(), item.location().span);
            profile.said.insert(key.to_owned(), value.clone());
        }
        // What is no text and should be one was reported already, where it is an attribute.
        let text = match attribute {
            Some(_) => item.if_text(),
            None => identifies.then(|| item.text()).flatten(),
        };
        if let Some(text) = text.filter(|_| identifies) {
            self.report_refused(key, &value, item);
            profile.identifiers.push(text.to_owned());
            profile.asked.push((key.to_owned(), text.to_owned()));
            profile.spans.push(item.location().span);
            for (row, at) in self.identifying(key) {
                let subject = as_subject(row.request[at].spelling, text);
                if !profile.identifiers.iter().any(|known| **known == *subject) {
                    profile.identifiers.push(subject.into_owned());
                }
            }
            asked.push((key.to_owned(), value));
        }
    }

    /// The items of a list of identifiers that are none: names of others.
    fn names(&self, from: usize, profile: &Profile, key: &str, item: &Item<'_>) -> Vec<ListedName> {
        let field = self.forms.items_ask(&profile.role, key);
        let Some(field) = field.filter(|_| item.is_list()) else {
            return Vec::new();
        };
        let is_name = |text: &str| {
            let value = Json::from(text).into_owned();
            let mut fields = self.identifying(field).map(|(row, at)| &row.request[at]);
            !fields.any(|it| {
                it.check(&asking(it, &value), &self.contract.formats, &[])
                    .is_ok()
            })
        };
        let items = item.list().unwrap_or_default();
        let items = items.iter().enumerate();
        let named = items.filter_map(|(at, item)| Some((at, item.if_text()?, item.location())));
        let named = named.filter(|(_, text, _)| is_name(text));
        let listed = named.map(|(at, name, place)| ListedName {
            from,
            attribute: key.to_owned(),
            at,
            field: field.to_owned(),
            name: name.to_owned(),
            place,
        });
        listed.collect()
    }

    /// The operations that a field of this name identifies somebody for, with its place.
    pub(super) fn identifying(&self, name: &str) -> impl Iterator<Item = (&Operation, FieldIndex)> {
        let known = self.identifying.get(name).into_iter();
        known.flatten().copied()
    }

    /// Reports two who are asked for by the same. Those who live at one address are not, nor are namesakes whom something
    /// else tells apart: whoever asks by the name means the first of them.
    fn report_shared(&self, reading: &Declared, profiles: &[Profile]) -> Problems {
        let mut problems = Problems::default();
        let mut whose: BTreeMap<&str, (usize, &Location)> = BTreeMap::new();
        for (number, place) in &reading.rows {
            let asked = profiles[*number].asked.iter();
            let has_own = asked.clone().any(|(key, _)| !self.is_name(key));
            let shared: Vec<&str> = asked
                .filter(|(key, _)| !self.tells_apart(key) || has_own && self.is_name(key))
                .map(|(_, text)| text.as_str())
                .collect();
            let is_shared = |it: &&String| {
                let mut shared = shared.iter();
                shared.any(|text| text == it || folded(text) == **it)
            };
            let identifiers = profiles[*number].identifiers.iter();
            for identifier in identifiers.filter(|it| !is_shared(it)) {
                let (other, first) = *whose.entry(identifier).or_insert((*number, place));
                // Of two with one name it was reported that they are two.
                if other != *number && profiles[other].name != profiles[*number].name {
                    let name = &profiles[other].name;
                    problems.push(place.problem(format!(
                        "\"{identifier}\" is asked for as `{name}` at {first}, too: whose is it?"
                    )));
                }
            }
        }
        problems
    }

    /// Whether the text of a field is taken for somebody's, and not for a place where many may live.
    fn tells_apart(&self, field: &str) -> bool {
        let mut asking = self.identifying(field);
        self.asked_row(field).is_some() || asking.any(|(row, at)| !row.request[at].folds)
    }

    /// Whether the text of a field is a name, or an address: others may have the same.
    fn is_name(&self, field: &str) -> bool {
        let mut asking = self.identifying(field);
        asking.all(|(row, at)| row.request[at].folds)
    }

    /// Reports an identifier that every operation refuses.
    fn report_refused(&self, key: &str, value: &Json<'static>, item: &Item<'_>) {
        let formats = &self.contract.formats;
        let mistakes: Vec<_> = self
            .identifying(key)
            .map(|(row, at)| {
                let field = &row.request[at];
                field.check(&asking(field, value), formats, &[]).err()
            })
            .collect();
        if let Some(Some(first)) = mistakes.first()
            && mistakes.iter().all(Option::is_some)
        {
            item.problem_with_hint("a call with this value is refused", first.to_string());
        }
    }
}

/// The value that a call asks with: of a list the only item.
#[must_use]
pub fn asking(field: &Field, value: &Json<'static>) -> Json<'static> {
    match field.kind {
        Kind::List { .. } => Json::List(vec![value.clone()]),
        _ => value.clone(),
    }
}

/// Whether a file may declare somebody: whether a line begins like one of these tables. A large file that
/// does not is read once less.
fn declares(source: &Source, tables: &[&str]) -> bool {
    let begins = |line: &str| {
        let key = line.trim_start_matches(['[', ' ', '\t', '"', '\'']);
        tables.iter().any(|table| key.starts_with(table))
    };
    source.text.lines().any(begins)
}

/// What somebody is there for, in words.
fn story(item: &Item<'_>) -> String {
    let text = item.text().unwrap_or_default();
    if text.trim().is_empty() && item.if_text().is_some() {
        item.problem("a story says in a sentence what they are there for");
    }
    text.to_owned()
}
