//! What we build from: the packages of the lock file as `cargo metadata` tells them, held to the lists
//! of `deny.toml`. Needs no network and no tool but cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    root.expect("the workspace is above the crate").to_owned()
}

fn told(command: &mut Command) -> String {
    let output = command.output().expect("it is there where tests are built");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("text")
}

/// The packages that are built on this machine.
fn packages() -> &'static [Value] {
    static ALL: LazyLock<Vec<Value>> = LazyLock::new(read_packages);
    &ALL
}

fn read_packages() -> Vec<Value> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = told(Command::new(rustc).arg("-vV"));
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let metadata = told(
        Command::new(env!("CARGO"))
            .args(["metadata", "--offline", "--locked", "--format-version", "1"])
            .args(["--filter-platform", host.expect("rustc tells its host")])
            .current_dir(root()),
    );
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// The quoted words between a line that begins so and the bracket that ends its list.
fn listed(begins: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let (_, list) = text.split_once(begins).expect("it is in deny.toml");
    let list = list.split_once("\n]").expect("the list ends").0;
    let first = |line: &str| line.split('"').nth(1).map(str::to_owned);
    list.lines().filter_map(first).collect()
}

/// Whether a licence in the words of SPDX can be kept by keeping the allowed ones.
fn is_allowed(licence: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = licence
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = &words[..];
    let holds = any(&mut rest, allowed);
    holds && rest.is_empty()
}

fn any(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut holds = all(words, allowed);
    while let ["OR", rest @ ..] = words {
        *words = rest;
        // Read to its end, whether or not it matters.
        holds = all(words, allowed) || holds;
    }
    holds
}

fn all(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut holds = one(words, allowed);
    while let ["AND", rest @ ..] = words {
        *words = rest;
        holds = one(words, allowed) && holds;
    }
    holds
}

fn one(words: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let holds = any(words, allowed);
            let closed = words.first() == Some(&")");
            *words = words.get(1..).unwrap_or_default();
            holds && closed
        }
        [name, "WITH", exception, rest @ ..] => {
            *words = rest;
            allowed.contains(&format!("{name} WITH {exception}"))
        }
        [name, rest @ ..] => {
            *words = rest;
            allowed.contains(*name)
        }
        [] => false,
    }
}

#[test]
fn every_package_has_a_licence_we_can_keep() {
    let allowed = listed("\nallow = [");
    let refused = packages().iter().filter(|package| {
        let licence = package["license"].as_str().unwrap_or("none");
        !is_allowed(licence, &allowed)
    });
    let refused: Vec<String> = refused
        .map(|package| format!("{} {}", package["name"], package["license"]))
        .collect();
    assert!(
        refused.is_empty(),
        "not in deny.toml:\n{}",
        refused.join("\n")
    );
}

#[test]
fn licences_are_read_as_spdx_writes_them() {
    let allowed = BTreeSet::from(["A".to_owned(), "B".to_owned()]);
    for (licence, is) in [
        ("A", true),
        ("C", false),
        ("A OR C", true),
        ("C/A", true),
        ("A AND C", false),
        ("A AND B", true),
        ("C OR A AND B", true),
        ("(C OR A) AND B", true),
        ("(C OR A) AND C", false),
        ("A WITH some-exception", false),
        ("C WITH some-exception OR B", true),
        ("(A", false),
        ("A B", false),
        ("", false),
    ] {
        assert_eq!(is_allowed(licence, &allowed), is, "{licence}");
    }
}

#[test]
fn every_package_comes_from_the_registry() {
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    for package in packages() {
        let source = &package["source"];
        assert!(
            source.is_null() || source == registry,
            "{} {source}",
            package["name"]
        );
    }
}

/// The older of two versions stands in `deny.toml`, with the reason.
#[test]
fn no_package_is_built_in_two_versions_without_a_reason() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let name = package["name"].as_str().expect("a name").to_owned();
        let version = package["version"].as_str().expect("a version");
        versions.entry(name).or_default().insert(version.to_owned());
    }
    let skipped = listed("\nskip = [");
    let unskipped = versions.iter().filter(|(name, versions)| {
        let counted = |version: &&String| !skipped.contains(&format!("{name}@{version}"));
        versions.iter().filter(counted).count() > 1
    });
    let unskipped: Vec<_> = unskipped.collect();
    assert!(unskipped.is_empty(), "{unskipped:?}");
    for needless in &skipped {
        let (name, _) = needless.split_once('@').expect("a version");
        let count = versions.get(name).map_or(0, BTreeSet::len);
        assert!(count > 1, "{needless} needs no exception any more");
    }
}
