//! Imports point down: the modules of a folder lie in layers, and none names one that lies above it.

use std::collections::BTreeMap;

use super::modules::{Modules, folders};

/// The layers of a folder from the bottom up. Modules of one layer may name each other, as long as
/// they make no ring.
struct Layers {
    of: &'static str,
    folder: &'static str,
    layers: &'static [&'static str],
}

/// The folders of the engine, as ARCHITECTURE.md draws them from the bottom up.
pub(crate) const ENGINE: [&str; 3] = ["state", "compute", "call"];

const LAYERS: &[Layers] = &[
    Layers {
        of: "core",
        folder: "",
        layers: &[
            "scenario world",
            "engine",
            "scenario_analysis",
            "scenario_format",
        ],
    },
    Layers {
        of: "server",
        folder: "",
        layers: &["host", "http"],
    },
    Layers {
        of: "simulator",
        folder: "",
        layers: &[
            "rehearsal",
            "learn forecast",
            "signature_diagnosis",
            "http",
            "console",
            "simulator",
            "cli",
        ],
    },
    Layers {
        of: "core",
        folder: "engine",
        layers: &ENGINE,
    },
    Layers {
        of: "contract-tests",
        folder: "",
        layers: &[
            "body_diff proofs redact signature sink",
            "plan target",
            "model",
            "example spend",
            "verdict",
            "check client event",
            "recorded",
            "baseline personal report run",
            "property record",
            "diff",
            "drift",
            "cli",
        ],
    },
];

/// What is wrong with one folder of a crate.
fn found(modules: &Modules, folder: &str, layers: &[&str]) -> Vec<String> {
    let mut height = BTreeMap::new();
    for (at, layer) in layers.iter().enumerate() {
        for member in layer.split_whitespace() {
            height.insert(member, at);
        }
    }
    let members = modules.members(folder);
    let listed = |member: &&String| !height.contains_key(member.as_str());
    let mut wrong: Vec<String> = members
        .iter()
        .filter(listed)
        .map(|member| format!("{member} lies in no layer"))
        .collect();
    let there = |member: &&&str| !members.contains(**member);
    wrong.extend(
        height
            .keys()
            .filter(there)
            .map(|member| format!("dead entry: there is no module {member}")),
    );
    let arrows = folders(modules).remove(folder).unwrap_or_default();
    for ((from, to), places) in arrows {
        if height.get(from.as_str()) < height.get(to.as_str()) {
            wrong.push(format!("{from} names {to} above it: {}", places.join(", ")));
        }
    }
    // The folder itself is above all that lies in it; only `pub use` may be named through it.
    if folder.is_empty() {
        let up = modules.named().into_iter();
        let up = up.filter(|named| modules.nodes[named.to].path.is_empty());
        wrong.extend(
            up.map(|named| format!("an item of lib.rs is named below it: {}", named.place)),
        );
    }
    wrong
}

#[test]
fn imports_point_down() {
    let crates: Vec<_> = super::crates().collect();
    let mut wrong = Vec::new();
    for Layers { of, folder, layers } in LAYERS {
        let (name, modules) = crates.iter().find(|(name, _)| name == of).expect("a crate");
        let found = found(modules, folder, layers).into_iter();
        wrong.extend(found.map(|it| format!("{name}::{folder}: {it}")));
    }
    super::none("imports that point up", wrong);
}

#[cfg(test)]
mod tests {
    use super::found;
    use crate::modules::planted;

    #[test]
    fn an_import_that_points_up_is_found() {
        let modules = planted(&[
            (
                "lib.rs",
                "mod low;\nmod high;\nmod other;\npub struct Root;",
            ),
            ("low.rs", "use crate::{high::H, other, Root};"),
            ("high.rs", "use super::low::L;"),
            ("other.rs", "use crate::high;"),
        ]);
        assert_eq!(
            found(&modules, "", &["low", "high other"]),
            [
                "low names high above it: low.rs:1 crate::high::H",
                "low names other above it: low.rs:1 crate::other",
                "an item of lib.rs is named below it: low.rs:1 crate::Root",
            ]
        );
    }

    #[test]
    fn layers_name_every_module_and_no_other() {
        let modules = planted(&[("lib.rs", "mod a { mod b {} }")]);
        assert_eq!(
            found(&modules, "", &["gone"]),
            ["a lies in no layer", "dead entry: there is no module gone"]
        );
        assert!(found(&modules, "a", &["b"]).is_empty());
    }
}
