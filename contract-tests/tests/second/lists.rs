//! What is planted in the second implementation, and what is known to become of it: the lists in `second/`.

use std::collections::BTreeSet;

/// What can be seen by somebody who has a key of the sandbox and one of live, and nothing else.
const NEEDS: [&str; 3] = ["sandbox", "live", "conc"];

/// A defect that is found.
pub(crate) struct Killed {
    pub(crate) defect: &'static str,
    /// The clause that names it.
    pub(crate) clause: &'static str,
    /// A check that finds it.
    pub(crate) check: &'static str,
}

/// The rows of a list; what follows `~` is no part of a name.
fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(" | ").map(str::trim).collect())
}

/// Certain defects that our keys can see.
pub(crate) fn defects() -> BTreeSet<&'static str> {
    let seen = rows(include_str!("../../second/defects.txt"))
        .filter(|row| row[1].split(',').all(|need| NEEDS.contains(&need)));
    let names = seen.map(|row| row[0]).filter(|name| !name.ends_with('~'));
    names.collect()
}

/// Harmless differences that nobody disputes.
pub(crate) fn harmless() -> Vec<&'static str> {
    let names = rows(include_str!("../../second/harmless.txt")).map(|row| row[0]);
    names.filter(|name| !name.ends_with('~')).collect()
}

/// The defects that are found.
pub(crate) fn killed() -> Vec<Killed> {
    let rows = rows(include_str!("../../second/killed.txt"));
    let killed = rows.map(|row| Killed {
        defect: row[0],
        clause: row[1],
        check: row[2],
    });
    killed.collect()
}

/// Defects that are not found yet, harmless differences that are called broken yet, and perhaps `clean`.
pub(crate) fn known() -> BTreeSet<&'static str> {
    let rows = rows(include_str!("../../second/known.txt"));
    rows.map(|row| row[0]).collect()
}
