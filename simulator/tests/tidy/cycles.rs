//! No modules of one folder import each other in a ring.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::modules::{Modules, folders, rings};

/// Rings that are still there: crate, folder, members. The list may only shrink.
const KNOWN: &[(&str, &str, &[&str])] = &[];

/// What is wrong with the rings of a crate, given those that are known.
fn found(name: &str, modules: &Modules, known: &[(&str, &str, &[&str])]) -> Vec<String> {
    let mut wrong = Vec::new();
    let known = known.iter().filter(|(of, ..)| *of == name);
    let mut known: Vec<(&str, BTreeSet<&str>)> = known
        .map(|(_, folder, members)| (*folder, members.iter().copied().collect()))
        .collect();
    for (folder, arrows) in folders(modules) {
        for ring in rings(&arrows) {
            let members: BTreeSet<&str> = ring.iter().map(String::as_str).collect();
            let entry = known
                .iter_mut()
                .find(|(of, known)| *of == folder && members.is_subset(known));
            if let Some((_, known)) = entry {
                // What stays here is dead.
                known.retain(|member| !members.contains(member));
                continue;
            }
            let mut text = format!("{name}::{folder}: a ring of {members:?}\n");
            for ((from, to), places) in &arrows {
                if ring.contains(from) && ring.contains(to) {
                    let _ = writeln!(text, "    {from} -> {to}  {}x  {}", places.len(), places[0]);
                }
            }
            wrong.push(text);
        }
    }
    let dead = known.into_iter().filter(|(_, members)| !members.is_empty());
    wrong.extend(dead.map(|(folder, members)| {
        format!("{name}::{folder}: {members:?} are in no ring any more: take them out of KNOWN")
    }));
    wrong
}

#[test]
fn no_siblings_import_each_other_in_a_ring() {
    let wrong = super::crates().flat_map(|(name, modules)| found(name, &modules, KNOWN));
    super::none("rings", wrong.collect());
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::modules::planted;

    const RING: [(&str, &str); 5] = [
        ("lib.rs", "pub mod a;\npub mod b;\nmod c;\npub use b::B;"),
        ("a/mod.rs", "mod deep;\npub struct A;"),
        ("a/deep.rs", "use crate::B;"),
        ("b.rs", "pub struct B;\nfn f() { super::c::g(); }"),
        (
            "c.rs",
            "use crate::{a as other};\npub fn g() -> other::A {}",
        ),
    ];

    #[test]
    fn a_ring_through_folders_and_reexports_is_found() {
        let found = found("x", &planted(&RING), &[]);
        assert_eq!(
            found,
            ["x::: a ring of {\"a\", \"b\", \"c\"}
    a -> b  1x  a/deep.rs:1 crate::B
    b -> c  1x  b.rs:2 super::c::g
    c -> a  2x  c.rs:1 crate::a
"]
        );
    }

    #[test]
    fn a_known_ring_passes_and_a_larger_one_does_not() {
        let modules = planted(&RING);
        assert!(found("x", &modules, &[("x", "", &["a", "b", "c"])]).is_empty());
        assert_eq!(found("x", &modules, &[("x", "", &["a", "b"])]).len(), 2);
    }

    #[test]
    fn an_entry_that_is_no_ring_any_more_is_dead() {
        let mut files = RING;
        files[4].1 = "";
        assert_eq!(
            found("x", &planted(&files), &[("x", "", &["a", "b", "c"])]),
            ["x::: {\"a\", \"b\", \"c\"} are in no ring any more: take them out of KNOWN"]
        );
    }

    #[test]
    fn who_names_its_own_folder_makes_no_ring() {
        let files = [
            ("lib.rs", "mod a;\nuse a::f;\npub struct S;"),
            ("a.rs", "use super::S;\npub fn f() {}"),
        ];
        assert!(found("x", &planted(&files), &[]).is_empty());
    }
}
