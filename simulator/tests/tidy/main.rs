//! House rules that can be checked: imports point down, every file says what it is for, no file is
//! long, nothing is left over.

mod cycles;
mod law;
mod layers;
mod modules;
mod names;
mod prose;
mod sizes;
mod source;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use modules::Modules;
use source::Source;

/// The crates whose modules are looked at, with the folder of each.
const CRATES: [(&str, &str); 7] = [
    ("fixtures", "fixtures/src/"),
    ("capture", "fixtures/capture/src/"),
    ("tls", "fixtures/tls/src/"),
    ("core", "simulator/core/src/"),
    ("server", "simulator/server/src/"),
    ("simulator", "simulator/src/"),
    ("contract-tests", "contract-tests/src/"),
];

/// The folders that know no clock, no network, no files, no environment and no tasks.
const PURE: [&str; 5] = [
    "simulator/core/src",
    "simulator/src/rehearsal",
    "simulator/src/learn",
    "simulator/src/forecast",
    "simulator/src/signature_diagnosis",
];

const IMPURE: [&str; 8] = [
    "tokio",
    "axum",
    "hyper",
    "std::fs",
    "std::net::Tcp",
    "std::env",
    "std::thread",
    "std::time::Instant",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace is above the crate")
        .to_owned()
}

fn files(folder: &Path, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the project") {
            let entry = entry.expect("an entry");
            // Links are not followed: they may lead round.
            let is_folder = entry.file_type().expect("its kind").is_dir();
            let path = entry.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default()
                .to_owned();
            if is_folder {
                // What cargo builds into says so itself; `target` is the name of a module, too.
                if !name.starts_with('.') && !path.join("CACHEDIR.TAG").exists() {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                let text = std::fs::read_to_string(&path).expect("a text file");
                let shown = path
                    .strip_prefix(root())
                    .expect("below the root")
                    .display()
                    .to_string();
                found.push((shown, text));
            }
        }
    }
    found.sort();
    found
}

/// A file of Rust.
struct File {
    /// Below the root of the workspace.
    path: String,
    text: String,
    source: Source,
}

/// Every file of Rust there is, read once.
fn rust() -> &'static [File] {
    static ALL: LazyLock<Vec<File>> = LazyLock::new(|| {
        let read = |(path, text): (String, String)| File {
            source: source::read(&text),
            path,
            text,
        };
        files(&root(), "rs").into_iter().map(read).collect()
    });
    &ALL
}

/// The modules of every crate, by its name.
fn crates() -> impl Iterator<Item = (&'static str, Modules)> {
    CRATES.into_iter().map(|(name, folder)| {
        let below = |file: &'static File| Some((file.path.strip_prefix(folder)?, &file.source));
        (
            name,
            Modules::of(&rust().iter().filter_map(below).collect()),
        )
    })
}

fn none(what: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn every_file_says_first_what_it_is_for() {
    let silent = rust().iter().filter(|file| !file.text.starts_with("//! "));
    none(
        "no `//!` in the first line",
        silent.map(|file| file.path.clone()).collect(),
    );
}

#[test]
fn nothing_is_left_over() {
    // Put together here, so that this file does not find itself.
    let marks = [
        ["TO", "DO"],
        ["FIX", "ME"],
        ["XX", "X:"],
        ["to", "do!("],
        ["un", "implemented!("],
        ["#[ig", "nore"],
    ]
    .map(|mark| mark.concat());
    let mut found = Vec::new();
    for extension in ["rs", "toml", "md"] {
        for (path, text) in files(&root(), extension) {
            let lines = text.lines().enumerate();
            let marked =
                lines.filter(|(_, line)| marks.iter().any(|mark| line.contains(mark.as_str())));
            found.extend(marked.map(|(at, line)| format!("{path}:{}: {}", at + 1, line.trim())));
        }
    }
    none("left over", found);
}

#[test]
fn below_the_host_there_is_no_world() {
    let mut found = Vec::new();
    for (path, text) in PURE
        .iter()
        .flat_map(|folder| files(&root().join(folder), "rs"))
    {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let uses = |word: &&&str| {
            code.lines()
                .any(|line| !line.trim_start().starts_with("//") && line.contains(**word))
        };
        found.extend(
            IMPURE
                .iter()
                .filter(uses)
                .map(|word| format!("{path} uses {word}")),
        );
    }
    none("not pure", found);
}

#[test]
fn no_operation_is_named_in_rust_outside_tests() {
    let contract = svc_fixtures::contract::Contract::built_in();
    let mut found = Vec::new();
    for (path, text) in CRATES
        .iter()
        .flat_map(|(_, folder)| files(&root().join(folder), "rs"))
    {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code: Vec<&str> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let named = |id: &str| code.iter().any(|line| line.contains(id));
        let ids = contract
            .operations
            .iter()
            .filter(|operation| named(&operation.id) || named(&operation.path));
        found.extend(ids.map(|operation| format!("{path} names {}", operation.id)));
    }
    none("operations are rows, not code", found);
}

#[test]
fn every_folder_of_rows_says_how_to_add_one_more() {
    for folder in [
        "fixtures",
        "fixtures/contract",
        "fixtures/answers",
        "fixtures/test-assets",
        "scenarios",
        "simulator/receivers",
        "simulator/tests/browser",
        "simulator/tests/corpus",
        "fuzz",
        "docs",
        "kits",
        "kits/node",
        "kits/python",
        "kits/sample",
        "kits/tools",
    ] {
        assert!(
            root().join(folder).join("README.md").is_file(),
            "{folder} has no README.md"
        );
    }
}
