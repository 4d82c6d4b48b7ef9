//! What a service does otherwise than the contract's rows, as a change of the rows that a person reviews: a patch, and
//! the changed files, which `--contract` lays over the built-in ones. Pure: works on a capture.

mod envelope;
mod propose;
mod rows;
mod seen;

use std::collections::BTreeMap;
use std::sync::Arc;

use similar::TextDiff;
use svc_fixtures::contract::Contract;
use svc_fixtures::embedded;
use svc_fixtures::reading::Source;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;

use crate::capture::Capture;
use crate::plan::Setting;
use propose::{Change, Edit, FEWEST, Row};
use rows::{RowFile, changed, entry, key, with_entry};
use seen::ServiceSeen;

/// A member of a form that has a mark for "not always there".
const SOMETIMES: &str = ", sometimes";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowDrift {
    /// The changed files, whole: path below the repository, and text.
    pub files: Vec<(String, String)>,
    /// The changes as one patch, which `patch -p1` and `git apply` take; empty where there is none.
    pub patch: String,
    /// What changed, a line each, with its reason.
    pub changes: Vec<String>,
    /// What the rows can't say, or can't be changed by a program.
    pub left: Vec<String>,
}

/// Which rows would have to change for the contract to be as the service in this capture.
#[must_use]
pub fn drift(setting: &Setting<'_>, capture: &Capture, latencies: bool) -> RowDrift {
    let seen = ServiceSeen::of(setting, capture);
    let (mut changes, mut left) = propose::changes(setting, &seen, latencies);
    let envelope = &setting.contract.service.envelope;
    envelope::changes(envelope, &seen, &mut changes, &mut left);
    let is_sure = |change: &Change| !matches!(change.edit, Edit::Seldom(_));
    let (changes, unsure): (Vec<_>, Vec<_>) = changes.into_iter().partition(is_sure);
    left.extend(unsure.iter().map(described));
    let files = Files::embedded();
    let before = files.0.clone();
    let mut drift = RowDrift {
        left,
        ..RowDrift::default()
    };
    let (files, unread) = files.with(&changes);
    for (at, change) in changes.iter().enumerate() {
        let line = described(change);
        match unread.get(&at) {
            None => drift.changes.push(line),
            Some(None) => drift.left.push(format!("{line}: change this row by hand")),
            Some(Some(mistake)) => drift.left.push(format!(
                "{line}: change this row by hand, and what is made of it: {mistake}"
            )),
        }
    }
    for (old, new) in before.iter().zip(&files.0) {
        if old.text != new.text {
            drift.patch += &patch(&old.path, &old.text, &new.text);
            drift.files.push((new.path.clone(), new.text.clone()));
        }
    }
    drift
}

fn patch(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut unified = diff.unified_diff();
    unified
        .context_radius(3)
        .header(&format!("a/{path}"), &format!("b/{path}"))
        .to_string()
}

/// A change in a line.
fn described(change: &Change) -> String {
    let row = match &change.row {
        Row::Operation(id) | Row::Error(id) => id.clone(),
        Row::Bundle(slug) => format!("bundles.{slug}"),
        Row::Envelope => "envelope".to_owned(),
    };
    let place = |path: &[String]| path.join(".").replace(".[]", "[]");
    let what = match &change.edit {
        Edit::Form(path, form, _) => format!("{} is {form}", place(path)),
        Edit::Nullable(path) => format!("{} may be null", place(path)),
        Edit::Sometimes(path) => format!("{} is not always there", place(path)),
        Edit::Seldom(path) => format!(
            "whether {} is ever there takes {FEWEST} answers to say",
            place(path)
        ),
        Edit::Gone(name) => format!("{name} is never there"),
        Edit::Choices(path, news) => format!("{} may be {}", place(path), news.join(", ")),
        Edit::New(path, name, form, _) => {
            let mut whole = path.clone();
            whole.push(name.clone());
            format!("{} is new: {form}", place(&whole))
        }
        Edit::Key(key, value) => format!("{key} = {value}"),
        Edit::Inside(table, key, value) => format!("{table}.{key} = {value}"),
        Edit::Field(field, key, value) => format!("request.{field}.{key} = {value}"),
    };
    format!("{row}: {what} ({})", change.why)
}

/// The files of rows.
#[derive(Clone)]
struct Files(Vec<RowFile>);

impl Files {
    fn embedded() -> Self {
        let sources = embedded::contract().into_iter().chain(embedded::answers());
        let file = |source: Arc<Source>| RowFile {
            path: repository_path(&source.path),
            text: source.text.clone(),
        };
        Files(sources.map(file).collect())
    }

    /// The files with all changes but those that can't be made, by their place; with each what other rows are made of it
    /// that would not read any more, where that is why.
    fn with(&self, changes: &[Change]) -> (Files, BTreeMap<usize, Option<String>>) {
        let mut left = BTreeMap::new();
        loop {
            let (files, undone) = self.with_all_but(changes, &left);
            let mistakes = files.mistakes();
            left.extend(undone.into_iter().map(|at| (at, None)));
            let Some((count, first)) = mistakes else {
                return (files, left);
            };
            // Prices of steps and bundles only fit together: what is left out is what leaves the fewest mistakes.
            let all = (0..changes.len()).filter(|at| !left.contains_key(at));
            let without = all.map(|at| {
                let mut more = left.clone();
                more.insert(at, None);
                let mistakes = self.with_all_but(changes, &more).0.mistakes();
                (mistakes.map_or((0, 0), |it| it.0), at)
            });
            match without.min().filter(|(fewer, _)| *fewer < count) {
                Some((_, at)) => left.insert(at, Some(first)),
                // Nobody knows which it is: none of them is sure.
                None => {
                    let all = (0..changes.len()).map(|at| (at, Some(first.clone())));
                    return (self.clone(), all.collect());
                }
            };
        }
    }

    fn with_all_but(
        &self,
        changes: &[Change],
        left: &BTreeMap<usize, Option<String>>,
    ) -> (Files, Vec<usize>) {
        let (mut files, mut undone) = (self.clone(), Vec::new());
        for (at, change) in changes.iter().enumerate() {
            if !left.contains_key(&at) && files.apply(change).is_none() {
                undone.push(at);
            }
        }
        (files, undone)
    }

    /// How many mistakes the rows have, and the first: those of the answers only where the contract has none.
    fn mistakes(&self) -> Option<((usize, usize), String)> {
        let sources = |folder: &str| -> Vec<Arc<Source>> {
            let files = self.0.iter().filter(|file| file.path.starts_with(folder));
            files
                .map(|file| Source::new(file.path.as_str(), file.text.as_str()))
                .collect()
        };
        let (count, problems) = match Contract::read(&sources("fixtures/contract/")) {
            Err(problems) => ((problems.len(), 0), problems),
            Ok(contract) => {
                let answers = sources("fixtures/answers/");
                let read = Answers::read(&answers, &contract, &[], WorldRows::built_in());
                let problems = read.err()?;
                ((0, problems.len()), problems)
            }
        };
        let first = problems.iter().next()?;
        let first = format!("{}:{}: {}", first.path(), first.line(), first.message());
        Some((count, first))
    }

    /// Makes a change; none where a row is not written as they usually are.
    fn apply(&mut self, change: &Change) -> Option<()> {
        match &change.row {
            Row::Operation(id) => self.operation(id, &change.edit),
            Row::Bundle(slug) => {
                self.key("[[bundle]]", &format!("slug = \"{slug}\""), &change.edit)
            }
            Row::Envelope => self.envelope(&change.edit),
            Row::Error(code) => self.key("[[error]]", &format!("code = \"{code}\""), &change.edit),
        }
    }

    /// Sets a key of a row, where it stands or behind its first line.
    fn key(&mut self, header: &str, line: &str, edit: &Edit) -> Option<()> {
        let Edit::Key(key, value) = edit else {
            return None;
        };
        let file = self.file_of("fixtures/contract/", header, line)?;
        let row = file.row(header, line)?;
        // Keys of the tables inside it are others.
        let end = file.text[row.clone()]
            .find("\n[operation.")
            .map_or(row.end, |at| row.start + at);
        let own = row.start..end;
        match file.value(own.clone(), key) {
            Some((_, bytes)) => file.replace(bytes, value),
            None => file.add_line(own, &format!("{key} = {value}")),
        }
        Some(())
    }

    fn operation(&mut self, id: &str, edit: &Edit) -> Option<()> {
        let line = format!("id = \"{id}\"");
        let header = "[[operation]]";
        if let Edit::Key(..) = edit {
            return self.key(header, &line, edit);
        }
        let file = self.file_of("fixtures/contract/operations/", header, &line)?;
        let row = file.row(header, &line)?;
        match edit {
            Edit::Inside(table, key, value) => {
                let (_, bytes) = file.value(row, table)?;
                let set = set_entry(&file.text[bytes.clone()], key, value)?;
                file.replace(bytes, &set);
                return Some(());
            }
            Edit::Field(field, key, value) => {
                let request = file.table(row, "[operation.request]")?;
                let (_, bytes) = file.value(request, field)?;
                let set = set_entry(&file.text[bytes.clone()], key, value)?;
                file.replace(bytes, &set);
                return Some(());
            }
            _ => {}
        }
        let response = file.table(row, "[operation.response]")?;
        if let Edit::Gone(name) = edit {
            return self.gone(id, name);
        }
        let before = file.clone();
        form(file, response, edit)?;
        let done = match edit {
            Edit::Form(path, _, value) => self.answer(id, path, None, value),
            Edit::New(path, name, _, value) => {
                self.answer(id, path, Some(name.trim_end_matches('?')), value)
            }
            _ => Some(()),
        };
        if done.is_none() {
            // A form without an answer would not read.
            let mut files = self.0.iter_mut();
            let file = files.find(|file| file.path == before.path)?;
            *file = before;
        }
        done
    }

    fn envelope(&mut self, edit: &Edit) -> Option<()> {
        let mut files = self.0.iter_mut();
        files.find_map(|file| {
            let table = file.table(0..file.text.len(), "[envelope]")?;
            form(file, table, edit)
        })
    }

    /// Takes a member out of the form and out of the answer. One that another member is made of stays, and is said not
    /// to be always there.
    fn gone(&mut self, id: &str, name: &str) -> Option<()> {
        let header = format!("[\"{id}\"]");
        let mut files = self.0.iter_mut();
        let answers = files.find(|file| {
            file.path.starts_with("fixtures/answers/")
                && file.text.lines().any(|line| line == header)
        })?;
        let table = answers.table(0..answers.text.len(), &header)?;
        if answers.text[table.clone()].contains(&format!("answer.{name}")) {
            return self.operation(id, &Edit::Sometimes(vec![name.to_owned()]));
        }
        answers.remove_line(table, name)?;
        let line = format!("id = \"{id}\"");
        let file = self.file_of("fixtures/contract/operations/", "[[operation]]", &line)?;
        let row = file.row("[[operation]]", &line)?;
        let response = file.table(row, "[operation.response]")?;
        file.remove_line(response, name)
    }

    /// Gives the canned answer of an operation a value at a path: its own, or that of a member more.
    fn answer(&mut self, id: &str, path: &[String], name: Option<&str>, value: &str) -> Option<()> {
        let header = format!("[\"{id}\"]");
        let mut files = self.0.iter_mut();
        let file = files.find(|file| {
            file.path.starts_with("fixtures/answers/")
                && file.text.lines().any(|line| line == header)
        })?;
        let all = 0..file.text.len();
        let table = file.table(all, &header)?;
        let line = name.map(|name| format!("{} = {value}", key(name)));
        let Some((first, rest)) = path.split_first() else {
            file.add_line(table, &line?);
            return Some(());
        };
        let (_, bytes) = file.value(table, first)?;
        let old = file.text[bytes.clone()].to_owned();
        let new = changed(&old, rest, &|inside| match &line {
            Some(line) => with_entry(inside, line),
            // Others are made of what a member is given.
            None if inside.starts_with("{ given") => Some(format!("{{ given = {value} }}")),
            None => Some(value.to_owned()),
        })?;
        file.replace(bytes, &new);
        Some(())
    }

    fn file_of(&mut self, folder: &str, header: &str, line: &str) -> Option<&mut RowFile> {
        let mut files = self.0.iter_mut();
        files.find(|file| file.path.starts_with(folder) && file.row(header, line).is_some())
    }
}

/// A path as a checkout has it: rows that were laid over stand elsewhere.
fn repository_path(path: &str) -> String {
    let path = path.replace('\\', "/");
    let below = ["contract/", "answers/", "world/"]
        .iter()
        .filter_map(|folder| path.rfind(folder));
    match below.max() {
        Some(at) => format!("fixtures/{}", &path[at..]),
        None => path,
    }
}

/// An inline table with this value at a key.
fn set_entry(table: &str, key: &str, value: &str) -> Option<String> {
    match entry(table, key) {
        Some((_, bytes)) => {
            let mut out = table.to_owned();
            out.replace_range(bytes, value);
            Some(out)
        }
        None => with_entry(table, &format!("{key} = {value}")),
    }
}

/// What becomes of a form as it is written.
type FormChange = Box<dyn Fn(&str) -> Option<String>>;

/// Changes the form of an answer in the lines of its table.
fn form(file: &mut RowFile, table: std::ops::Range<usize>, edit: &Edit) -> Option<()> {
    let (path, change): (&[String], FormChange) = match edit {
        Edit::Form(path, form, _) => {
            let form = form.clone();
            (path, Box::new(move |old| Some(with_presence(old, &form))))
        }
        Edit::Nullable(path) => (
            path,
            Box::new(|old| in_form(old, |leaf| format!("{leaf} nullable"))),
        ),
        Edit::Sometimes(path) => (
            path,
            Box::new(|old| {
                let inside = old.strip_suffix('"')?;
                Some(format!("{inside}{SOMETIMES}\""))
            }),
        ),
        Edit::Choices(path, news) => {
            let news = news.join(" | ");
            (
                path,
                Box::new(move |old| in_form(old, |leaf| format!("{leaf} | {news}"))),
            )
        }
        Edit::New(path, name, form, _) => {
            let line = format!("{} = {form}", key(name));
            if path.is_empty() {
                file.add_line(table, &line);
                return Some(());
            }
            (path, Box::new(move |old| with_entry(old, &line)))
        }
        Edit::Seldom(_) | Edit::Gone(_) | Edit::Key(..) | Edit::Inside(..) | Edit::Field(..) => {
            return None;
        }
    };
    let (first, rest) = path.split_first()?;
    let (name, bytes) = file.value(table, first)?;
    let old = file.text[bytes.clone()].to_owned();
    // An object or a list has the mark at its key.
    if let (Edit::Sometimes(_), [], false) = (edit, rest, old.starts_with('"')) {
        let marked = format!("\"{}?\"", file.text[name.clone()].trim_matches('"'));
        file.replace(name, &marked);
        return Some(());
    }
    let new = changed(&old, rest, &*change)?;
    file.replace(bytes, &new);
    Some(())
}

/// A leaf with a change of what stands before ` nullable` and the words behind its commas.
fn in_form(old: &str, change: impl Fn(&str) -> String) -> Option<String> {
    let inside = old.strip_prefix('"')?.strip_suffix('"')?;
    let (leaf, words) = match inside.split_once(',') {
        Some((leaf, words)) => (leaf, format!(",{words}")),
        None => (inside, String::new()),
    };
    let (leaf, nullable) = match leaf.strip_suffix(" nullable") {
        Some(leaf) => (leaf, " nullable"),
        None => (leaf, ""),
    };
    Some(format!("\"{}{nullable}{words}\"", change(leaf)))
}

/// Another form, with what the old one said of its presence.
fn with_presence(old: &str, form: &str) -> String {
    let sometimes = old.contains(SOMETIMES);
    match form.strip_suffix('"') {
        Some(inside) if sometimes && form.starts_with('"') => format!("{inside}{SOMETIMES}\""),
        _ => form.to_owned(),
    }
}
