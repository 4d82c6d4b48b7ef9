//! One type name, one meaning: no two types of a crate that others can name share a name.

use std::collections::BTreeMap;

use super::modules::Modules;

/// Names that stand for several types on purpose: crate, name, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

fn found(name: &str, modules: &Modules, exceptions: &[&str]) -> Vec<String> {
    let mut types: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for node in &modules.nodes {
        for (name, line) in &node.types {
            let place = format!("{}:{line}", node.file);
            types.entry(name).or_default().push(place);
        }
    }
    let mut wrong = Vec::new();
    for (found, places) in &types {
        if places.len() > 1 && !exceptions.contains(found) {
            wrong.push(format!("{name}: {found} is {}", places.join(", ")));
        }
    }
    for known in exceptions {
        if types.get(known).is_none_or(|places| places.len() < 2) {
            wrong.push(format!("dead entry: {name} has no two types {known}"));
        }
    }
    wrong
}

#[test]
fn a_public_type_name_has_one_meaning() {
    let mut wrong = Vec::new();
    for (name, modules) in super::crates() {
        let excepted = EXCEPTIONS.iter().filter(|(of, ..)| *of == name);
        let exceptions: Vec<&str> = excepted.map(|(_, name, _)| *name).collect();
        wrong.extend(found(name, &modules, &exceptions));
    }
    super::none("one name, several types", wrong);
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::modules::planted;

    #[test]
    fn two_public_types_of_one_name_are_found() {
        let modules = planted(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::A;"),
            (
                "a.rs",
                "pub struct A;\npub(crate) struct B;\npub(super) struct D;\nstruct C;",
            ),
            (
                "b.rs",
                "pub enum A {}\npub(crate) struct D;\npub trait C {}\n#[cfg(test)]\nmod tests { pub struct C; }",
            ),
        ]);
        assert_eq!(
            found("x", &modules, &[]),
            ["x: A is a.rs:1, b.rs:1", "x: D is a.rs:3, b.rs:2"]
        );
        assert!(found("x", &modules, &["A", "D"]).is_empty());
        assert_eq!(
            found("x", &modules, &["A", "C", "D"]),
            ["dead entry: x has no two types C"]
        );
    }
}
