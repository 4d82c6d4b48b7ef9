//! What can be planted in the second implementation, and what is known to become of it: the lists in
//! `second/`.

use std::collections::BTreeSet;

/// The rows of a list.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(" | ").map(str::trim).collect())
}

/// Defects that nobody disputes: a name that ends with `~` can be read either way.
pub(crate) fn defects() -> BTreeSet<&'static str> {
    let names = rows(include_str!("../../second/defects.txt")).map(|row| row[0]);
    names.filter(|name| !name.ends_with('~')).collect()
}

/// Defects that only webhooks show.
pub(crate) fn of_webhooks() -> BTreeSet<&'static str> {
    let rows = rows(include_str!("../../second/defects.txt"));
    let seen_by = |row: &Vec<&str>| row[1].split(',').any(|who| who == "webhook");
    rows.filter(seen_by).map(|row| row[0]).collect()
}

/// Defects that are planted in one operation, or one member of its answers.
pub(crate) fn of_operation() -> BTreeSet<&'static str> {
    let rows = rows(include_str!("../../second/defects_by_operation.txt"));
    rows.map(|row| row[0]).collect()
}

/// Defects that change the form of an answer and nothing else.
pub(crate) fn of_form() -> BTreeSet<&'static str> {
    let text = include_str!("../../second/defects.txt");
    let (_, form) = text
        .split_once("# ---- envelope members")
        .expect("it is a heading");
    let (form, _) = form.split_once("# ----").expect("others come after it");
    let names = rows(form).map(|row| row[0]);
    names
        .chain(["drop_field", "wrong_type", "null_field", "rename_field"])
        .collect()
}

/// Harmless differences that nobody disputes.
pub(crate) fn harmless() -> Vec<&'static str> {
    let names = rows(include_str!("../../second/harmless.txt")).map(|row| row[0]);
    names.filter(|name| !name.ends_with('~')).collect()
}

/// Defects that are not found yet, harmless differences that are called broken yet, and perhaps `clean`.
pub(crate) fn known() -> BTreeSet<&'static str> {
    let rows = rows(include_str!("../../second/known.txt"));
    rows.map(|row| row[0]).collect()
}
