//! `expect`: what must hold of values, and how values of earlier answers are named.

use svc_fixtures::contract::{Contract, Shape};
use svc_fixtures::reading::{Item, Table};

use super::target::{Callee, EarlierCall, inside};
use crate::plan::{EarlierValue, JsonType, Pattern, Place, Predicate, known};

/// What is known where a value is read.
pub(super) struct ValueReader<'r, 'c> {
    pub(super) contract: &'c Contract,
    /// The calls before, in order.
    pub(super) before: &'r [EarlierCall<'c>],
    /// The call whose answer it is about.
    pub(super) target: &'r Callee<'c>,
}

/// A place of the answer and what must hold there.
pub(super) fn at_place(
    reader: &ValueReader<'_, '_>,
    place: &str,
    item: &Item<'_>,
) -> Option<(Place, Predicate)> {
    let place = parsed(place, item)?;
    let form = reader.target.form(reader.contract, &place);
    let test = test(reader, reported(form, item)?, item)?;
    Some((place, test))
}

/// The name of the call whose answer is looked at.
const THIS: &str = "this";

/// A value of an earlier answer: `name:data/member`.
pub(super) fn earlier(reader: &ValueReader<'_, '_>, item: &Item<'_>) -> Option<EarlierValue> {
    let text = item.text()?;
    let Some((name, place)) = text.split_once(':') else {
        let how = "written as the `as` of an earlier call, a colon and a place: `first:data/name`";
        item.problem_with_hint("this names no value of an earlier answer", how);
        return None;
    };
    let named = |call: &EarlierCall<'_>| call.name.as_deref() == Some(name);
    let step = match name {
        THIS => Some(reader.before.len()),
        _ => reader.before.iter().position(named),
    };
    let Some(step) = step else {
        let known = reader.before.iter().filter_map(|call| call.name.as_deref());
        item.unknown("the earlier call", name, known);
        return None;
    };
    let place = parsed(place, item)?;
    let before = reader.before.get(step);
    let target = before.map_or(reader.target, |call| &call.target);
    reported(target.form(reader.contract, &place), item)?;
    Some(EarlierValue { step, place })
}

fn parsed(text: &str, item: &Item<'_>) -> Option<Place> {
    let place = Place::parse(text);
    if place.is_none() {
        let how = "names and positions with a slash between them: `data/companies/0/cin`";
        item.problem_with_hint(format!("`{text}` is no place"), how);
    }
    place
}

/// A form; none where it has a mistake, which is reported at the item.
fn reported<T>(form: Result<T, (String, String)>, item: &Item<'_>) -> Option<T> {
    form.map_err(|(what, hint)| item.problem_with_hint(what, hint))
        .ok()
}

type Form<'s> = Option<&'s Shape>;

/// A value it must be, or a table of what must hold.
fn test(reader: &ValueReader<'_, '_>, form: Form<'_>, item: &Item<'_>) -> Option<Predicate> {
    let Some(table) = item.if_table() else {
        return item.json_or_problem().map(Predicate::Is);
    };
    all_of(reader, form, item, &table.entries())
}

/// All tests of a table.
fn all_of(
    reader: &ValueReader<'_, '_>,
    form: Form<'_>,
    table: &Item<'_>,
    entries: &[(&str, Item<'_>)],
) -> Option<Predicate> {
    if entries.is_empty() {
        table.problem("this table says nothing that must hold");
    }
    let read = |(name, item): &(&str, Item<'_>)| named(reader, form, name, item);
    let mut tests = entries.iter().map(read).collect::<Option<Vec<_>>>()?;
    match tests.len() {
        1 => tests.pop(),
        _ => Some(Predicate::All(tests)),
    }
}

/// What reads a test.
type ReadTest = fn(&ValueReader<'_, '_>, Form<'_>, &Item<'_>) -> Option<Predicate>;

/// The words a table of tests may have.
const TESTS: [(&str, ReadTest); 17] = [
    ("absent", |_, _, item| {
        is_true(item).then_some(Predicate::Absent)
    }),
    ("present", |_, _, item| {
        is_true(item).then_some(Predicate::Present)
    }),
    ("matches", |_, _, item| {
        pattern(item).map(Predicate::Matches)
    }),
    ("at_least", |_, _, item| item.num().map(Predicate::AtLeast)),
    ("at_most", |_, _, item| item.num().map(Predicate::AtMost)),
    ("length", |reader, _, item| {
        nested(reader, None, item).map(Predicate::Length)
    }),
    ("each", |reader, form, item| {
        nested(reader, items(form), item).map(Predicate::Each)
    }),
    ("contains", |reader, form, item| {
        nested(reader, items(form), item).map(Predicate::Contains)
    }),
    ("one_of", |_, _, item| {
        let values = item.list()?;
        let values = values.iter().map(Item::json_or_problem);
        values.collect::<Option<_>>().map(Predicate::OneOf)
    }),
    ("same_as", |reader, _, item| {
        earlier(reader, item).map(Predicate::SameAs)
    }),
    ("other_than", |reader, _, item| {
        earlier(reader, item).map(Predicate::OtherThan)
    }),
    ("less_than", |reader, _, item| {
        earlier(reader, item).map(Predicate::LessThan)
    }),
    ("tells", |reader, _, item| {
        let table = item.table()?;
        let of = table.required("of");
        let mut tests = table.entries();
        tests.retain(|(name, _)| *name != "of");
        let test = all_of(reader, None, item, &tests)?;
        Some(Predicate::Tells(earlier(reader, &of?)?, Box::new(test)))
    }),
    ("type", |_, _, item| types(item).map(Predicate::Type)),
    ("has", |reader, form, item| {
        has(reader, form, &item.table()?).map(Predicate::Has)
    }),
    ("not", |reader, form, item| {
        nested(reader, form, item).map(Predicate::Not)
    }),
    ("if_present", |reader, form, item| {
        nested(reader, form, item).map(Predicate::IfPresent)
    }),
];

fn named(
    reader: &ValueReader<'_, '_>,
    form: Form<'_>,
    name: &str,
    item: &Item<'_>,
) -> Option<Predicate> {
    match TESTS.iter().find(|(known, _)| *known == name) {
        Some((_, read)) => read(reader, form, item),
        None => {
            item.unknown_key("the test", name, TESTS.iter().map(|(known, _)| *known));
            None
        }
    }
}

fn nested(reader: &ValueReader<'_, '_>, form: Form<'_>, item: &Item<'_>) -> Option<Box<Predicate>> {
    test(reader, form, item).map(Box::new)
}

/// The form of what is in a list.
fn items(form: Form<'_>) -> Form<'_> {
    match form {
        Some(Shape::List(item)) => Some(item),
        _ => None,
    }
}

fn is_true(item: &Item<'_>) -> bool {
    let is_true = item.bool();
    if is_true == Some(false) {
        let hint = "the opposite of `absent` is `present`";
        item.problem_with_hint("only true is said here", hint);
    }
    is_true == Some(true)
}

fn pattern(item: &Item<'_>) -> Option<Pattern> {
    let pattern = Pattern::new(item.text()?);
    let pattern = pattern.map_err(|mistake| item.problem(mistake.to_string()));
    pattern.ok()
}

fn types(item: &Item<'_>) -> Option<Vec<JsonType>> {
    let items = match item.is_list() {
        true => item.list()?,
        false => vec![item.clone()],
    };
    let kind = |item: &Item<'_>| {
        let name = known(
            item,
            "the type",
            JsonType::ALL.iter().map(|(name, _)| *name),
        )?;
        let mut all = JsonType::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, kind)| kind)
    };
    items.iter().map(kind).collect()
}

fn has(
    reader: &ValueReader<'_, '_>,
    form: Form<'_>,
    table: &Table<'_>,
) -> Option<Vec<(Place, Predicate)>> {
    let inner = |(place, item): (&str, Item<'_>)| {
        let place = parsed(place, &item)?;
        let parts: Vec<_> = place.parts().collect();
        let test = test(reader, reported(inside(form, &parts), &item)?, &item)?;
        Some((place, test))
    };
    let entries = table.entries();
    if entries.is_empty() {
        table.problem("this table says nothing that must hold");
    }
    entries.into_iter().map(inner).collect()
}
