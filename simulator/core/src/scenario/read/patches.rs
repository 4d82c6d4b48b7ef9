//! Reading what an outcome changes of the canned answer: `success`, `remove`, `null` and `length`. The
//! answer keeps its form unless the outcome says that it `breaks_contract`.

use svc_fixtures::contract::{MemberPresence, Shape};
use svc_fixtures::json::Json;
use svc_fixtures::path::{MAX_POSITION, PathMistake, Step, parse_path, written};
use svc_fixtures::reading::{Item, Table};
use svc_fixtures::template::{Edit, EditAction, inside};

use super::Scope;
use crate::scenario::{PatchIndex, ResponsePatch};

const BREAKS: &str =
    "write `breaks_contract = true` beside `success` if the answer is to break the contract";

/// What the changes of one outcome are read with.
struct Reading<'r, 'c> {
    scope: &'r Scope<'c>,
    patch: ResponsePatch,
    /// Whether one of them breaks the form of an answer.
    breaks: bool,
}

/// What a success lays over the canned answer: first `remove` and `null`, then `length`, then the members of
/// `success` itself, and last what is `null` inside of these.
pub(super) fn patch(
    scope: &Scope<'_>,
    table: &Table<'_>,
    success: &Item<'_>,
    patches: &mut Vec<ResponsePatch>,
) -> Option<PatchIndex> {
    let breaks_contract = table.flag("breaks_contract");
    let mut reading = Reading {
        scope,
        patch: ResponsePatch {
            breaks_contract,
            ..ResponsePatch::default()
        },
        breaks: false,
    };
    let puts = success
        .table()
        .map(|table| table.entries())
        .unwrap_or_default();
    let members: Vec<_> = puts
        .iter()
        .filter_map(|(name, item)| Some((reading.path(name).ok()?, item.json_if_any()?)))
        .collect();
    let null = EditAction::Put(Json::Null);
    reading.take_away(table, "remove", &EditAction::Remove, &members);
    let later = reading.take_away(table, "null", &null, &members);
    reading.lengths(table);
    for (name, item) in &puts {
        let path = reading.path_or_problem(name, item);
        if let (Some(path), Some(value)) = (path, item.json_or_problem()) {
            reading.put(path, value, item);
        }
    }
    for (path, item) in &later {
        reading.take_one_away(path, item, &null, &members);
    }
    if let Some(item) = table.optional("breaks_contract")
        && breaks_contract
        && !reading.breaks
        && !scope.operations.is_empty()
    {
        // Whether it contradicts itself is to be seen when it is filled in.
        reading.patch.promise = Some(item.location().span);
        if reading.patch.edits.is_empty() {
            item.problem_with_hint(
                "this answer keeps the contract",
                "leave `breaks_contract` out",
            );
        }
    }
    if reading.patch.edits.is_empty() {
        return None;
    }
    // There may be a hundred thousand of them.
    reading.patch.edits.shrink_to_fit();
    reading.patch.spans.shrink_to_fit();
    patches.push(reading.patch);
    Some(PatchIndex(patches.len() - 1))
}

impl<'c> Reading<'_, 'c> {
    fn forms(&self) -> impl Iterator<Item = &'c Shape> + use<'c> {
        let (contract, operations) = (self.scope.contract, self.scope.operations);
        operations
            .iter()
            .map(|&index| &contract.operations[index].response)
    }

    /// A literal member's name, else a path.
    fn path(&self, text: &str) -> Result<Vec<Step>, PathMistake> {
        match self.forms().any(|form| form.member(text).is_some()) {
            true => Ok(vec![Step::Member(text.to_owned())]),
            false => parse_path(text),
        }
    }

    /// The same; none, and a problem, where the text is neither.
    fn path_or_problem(&self, text: &str, item: &Item<'_>) -> Option<Vec<Step>> {
        let report = |mistake: &PathMistake| item.problem(mistake.to_string());
        self.path(text).inspect_err(report).ok()
    }

    fn add(&mut self, path: Vec<Step>, action: EditAction, item: &Item<'_>) {
        self.patch.edits.push(Edit { path, action });
        self.patch.spans.push(item.location().span);
    }

    /// What is taken away, or made null; but for what is to be null inside of what is put somewhere: that is null
    /// afterwards.
    fn take_away<'t>(
        &mut self,
        table: &Table<'t>,
        key: &str,
        action: &EditAction,
        puts: &[(Vec<Step>, Json<'static>)],
    ) -> Vec<(Vec<Step>, Item<'t>)> {
        let Some(list) = table.optional(key) else {
            return Vec::new();
        };
        let items = list.list().unwrap_or_default();
        if items.is_empty() {
            list.problem_with_hint(
                format!("`{key}` names nothing"),
                format!("write `{key} = [\"member\", \"list[0].member\"]`, or leave it out"),
            );
        }
        let mut later = Vec::new();
        for item in items {
            let path = item.text().and_then(|it| self.path_or_problem(it, &item));
            let Some(path) = path else { continue };
            let is_inside = |(put, _): &(Vec<Step>, _)| path.starts_with(put) && path != *put;
            if matches!(action, EditAction::Put(_)) && puts.iter().any(is_inside) {
                later.push((path, item));
            } else {
                self.take_one_away(&path, &item, action, puts);
            }
        }
        later
    }

    fn take_one_away(
        &mut self,
        path: &[Step],
        item: &Item<'_>,
        action: &EditAction,
        puts: &[(Vec<Step>, Json<'static>)],
    ) {
        // What no answer has may be there, and be null, where the answer loses its form anyway.
        if let EditAction::Put(null) = action
            && self.patch.breaks_contract
            && self.leads_nowhere(path)
        {
            return self.put(path.to_vec(), null.clone(), item);
        }
        let Some(places) = self.places(path, item, Written::AsValue) else {
            return;
        };
        let broken = places.iter().any(|place| match action {
            EditAction::Remove => place.needed && !put_back(path, puts, place.form),
            _ => place.form.partial_mistake(&Json::Null).is_some(),
        });
        if broken {
            let text = written(path);
            self.broken(
                item,
                match action {
                    EditAction::Remove => format!("`{text}` is part of every answer"),
                    _ => format!("`{text}` is never null"),
                },
            );
        }
        self.add(path.to_vec(), action.clone(), item);
    }

    fn leads_nowhere(&self, path: &[Step]) -> bool {
        self.forms().all(|form| place(form, path).is_none())
    }

    /// The places a path leads to in the answers; none, and a problem, where it leads nowhere.
    fn places(&self, path: &[Step], item: &Item<'_>, written: Written) -> Option<Vec<Place<'c>>> {
        let places: Vec<_> = self.forms().filter_map(|form| place(form, path)).collect();
        if places.is_empty() && !self.scope.operations.is_empty() {
            self.report_unknown(path, item, written);
            return None;
        }
        self.report_unmatched(path, item);
        Some(places)
    }

    fn lengths(&mut self, table: &Table<'_>) {
        let lengths = table.optional("length").and_then(|item| item.table());
        for (name, item) in lengths.map(|table| table.entries()).unwrap_or_default() {
            let Some(path) = self.path_or_problem(name, &item) else {
                continue;
            };
            let length = item.int();
            let Some(places) = self.places(&path, &item, Written::AsKey) else {
                continue;
            };
            if places
                .iter()
                .any(|place| !matches!(place.form, Shape::List(_)))
            {
                item.problem(format!("`{name}` is no list"));
            }
            let fitting = length.and_then(|length| usize::try_from(length).ok());
            match fitting.filter(|length| *length <= MAX_POSITION) {
                Some(length) => self.add(path, EditAction::Length(length), &item),
                None if length.is_some() => {
                    item.problem(format!("a list has 0 to {MAX_POSITION} items"));
                }
                None => {}
            }
        }
    }

    /// Reports `[matched]` where no condition says which items of the list are meant.
    fn report_unmatched(&self, path: &[Step], item: &Item<'_>) {
        let Some(at) = path.iter().position(|step| *step == Step::Matched) else {
            return;
        };
        let Scope {
            contract,
            answers,
            operations,
            conditions,
        } = self.scope;
        // Where nothing is known of the answers nothing can be said.
        if answers.by_operation.is_empty() {
            return;
        }
        let lists = operations.iter().filter_map(|&index| {
            let row = &contract.operations[index];
            let answer = answers.by_operation.get(&row.id)?;
            Some((row, answer.made_for_each(&path[..at])?))
        });
        let lists: Vec<_> = lists.collect();
        let is_matched = lists.iter().any(|(row, field)| {
            let mut about = conditions.iter();
            about.any(|condition| condition.is_about_items(row, field))
        });
        let list = written(&path[..at]);
        match lists.first() {
            _ if is_matched && path.len() > at + 1 => {}
            _ if is_matched => item.problem_with_hint(
                "what is changed in each matched item is missing",
                format!("write `{list}[matched].member`"),
            ),
            Some((_, field)) => item.problem_with_hint(
                format!("nothing says which items of `{list}` are matched"),
                format!("it has an item for each of `{field}`: say in `when` what those are like"),
            ),
            None => item.problem_with_hint(
                format!("`{list}` has no item for each of what is sent in a list"),
                "write `[0]` for one of its items, `[]` for each",
            ),
        }
    }

    fn put(&mut self, path: Vec<Step>, value: Json<'static>, item: &Item<'_>) {
        let places: Vec<_> = self.forms().filter_map(|form| place(form, &path)).collect();
        if self.leads_nowhere(&path) && !self.scope.operations.is_empty() {
            match self.patch.breaks_contract {
                true => self.breaks = true,
                false => return self.report_unknown(&path, item, Written::AsKey),
            }
        }
        self.report_unmatched(&path, item);
        let mistake = places
            .iter()
            .find_map(|place| place.form.partial_mistake(&value));
        if let Some(mistake) = mistake {
            self.broken(item, format!("this does not fit the answer: {mistake}"));
        }
        self.add(path, EditAction::Put(value), item);
    }

    /// Notes that the answer loses its form here, or reports it where the outcome does not say so.
    fn broken(&mut self, item: &Item<'_>, message: String) {
        self.breaks = true;
        if !self.patch.breaks_contract {
            item.problem_with_hint(message, BREAKS);
        }
    }

    fn report_unknown(&self, path: &[Step], item: &Item<'_>, written: Written) {
        // As far as the path leads in any of the answers.
        let far = |form: &'c Shape| {
            let mut here = form;
            let known = path.iter().map_while(|step| {
                here = inside(here, step)?;
                Some(())
            });
            let taken = known.count();
            (taken, here)
        };
        let Some((taken, form)) = self.forms().map(far).max_by_key(|(taken, _)| *taken) else {
            return;
        };
        let known = self.forms().map(far).filter(|(other, _)| *other == taken);
        let names: Vec<&str> = known.flat_map(|(_, form)| form.member_names()).collect();
        let what = "the answer's member";
        let (message, hint) = match (&path[taken], form) {
            (Step::Member(name), Shape::Object(_)) => {
                return match written {
                    Written::AsKey => item.unknown_key(what, name, names.into_iter()),
                    Written::AsValue => item.unknown(what, name, names.into_iter()),
                };
            }
            (Step::Member(_), Shape::List(_)) => (
                "this path stops at a list",
                "write `[0]` for one of its items, `[]` for each",
            ),
            (Step::Member(_), _) => (
                "this path stops at a value without parts",
                "leave out what comes after it",
            ),
            (Step::Item(_) | Step::Every | Step::Matched, _) => (
                "this path asks for an item of what is no list",
                "leave out the brackets",
            ),
        };
        item.problem_with_hint(message, hint);
    }
}

/// Where a path is written: that is shown when it leads nowhere.
#[derive(Clone, Copy)]
enum Written {
    AsKey,
    AsValue,
}

/// A place in the form of an answer.
struct Place<'c> {
    form: &'c Shape,
    /// Whether something always stands there.
    needed: bool,
}

fn place<'c>(form: &'c Shape, path: &[Step]) -> Option<Place<'c>> {
    let mut place = Place { form, needed: true };
    for step in path {
        let member = match step {
            Step::Member(name) => place.form.member(name),
            Step::Item(_) | Step::Every | Step::Matched => None,
        };
        place = Place {
            form: inside(place.form, step)?,
            needed: member.is_some_and(|member| member.presence == MemberPresence::Always),
        };
    }
    Some(place)
}

/// Whether what is removed is put back whole.
fn put_back(path: &[Step], puts: &[(Vec<Step>, Json<'static>)], form: &Shape) -> bool {
    puts.iter().any(|(put, value)| {
        let Some(rest) = path.strip_prefix(put.as_slice()) else {
            return false;
        };
        let found = svc_fixtures::path::find(value, rest);
        found
            .first()
            .is_some_and(|value| form.mistakes(value).is_empty())
    })
}
