//! What we build from: the packages of the lock file as `cargo metadata` tells them, held to the lists
//! of `deny.toml`. Needs no network and no tool but cargo. With `SVC_REQUIRE_TOOLS=1`, as in CI, the
//! packages of every feature are looked at; elsewhere those that a build without features has fetched.

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

/// Whether everything that a test looks at must be on this machine.
fn is_everything_required() -> bool {
    std::env::var_os("SVC_REQUIRE_TOOLS").is_some_and(|it| it == "1")
}

fn read_packages() -> Vec<Value> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = told(Command::new(rustc).arg("-vV"));
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let metadata = told(
        Command::new(env!("CARGO"))
            .args(["metadata", "--offline", "--locked", "--format-version", "1"])
            .args(["--filter-platform", host.expect("rustc tells its host")])
            .args(is_everything_required().then_some("--all-features"))
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

#[test]
fn no_package_is_built_that_is_refused() {
    for refused in listed("\ndeny = [") {
        let is_built = packages().iter().any(|it| it["name"] == *refused);
        assert!(!is_built, "{refused}: deny.toml says why, and what to do");
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
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    for entry in &skipped {
        let line = text.lines().find(|line| line.contains(entry.as_str()));
        if line.is_some_and(|line| line.contains("TLS: ")) && !is_everything_required() {
            continue;
        }
        let (name, version) = entry.split_once('@').expect("a version");
        let found = versions.get(name);
        let is_second = found.is_some_and(|found| found.len() > 1 && found.contains(version));
        assert!(is_second, "{entry} needs no exception any more");
    }
}

/// What cargo's copy of the registry's index says of a version: it is there for each that cargo looked
/// up. None where there is no such copy, as with vendored packages.
fn is_yanked(name: &str, version: &str) -> Option<bool> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")))?;
    let folder = match name.len() {
        1 | 2 => name.len().to_string(),
        3 => format!("3/{}", &name[..1]),
        _ => format!("{}/{}", &name[..2], &name[2..4]),
    };
    let registries = std::fs::read_dir(home.join("registry/index")).ok()?;
    registries.flatten().find_map(|registry| {
        let path = registry.path().join(".cache").join(&folder).join(name);
        is_yanked_in(&std::fs::read(path).ok()?, version)
    })
}

/// Of a package's file in cargo's copy: versions and their JSON by turns, with a zero after each.
fn is_yanked_in(file: &[u8], version: &str) -> Option<bool> {
    file.split(|byte| *byte == 0).find_map(|entry| {
        let entry: Value = serde_json::from_slice(entry).ok()?;
        (entry["vers"] == version).then(|| entry["yanked"] == true)
    })
}

#[test]
fn a_version_that_was_yanked_is_seen() {
    let file = b"\x03\x02\0\0\0etag\x001.0.0\0{\"vers\":\"1.0.0\",\"yanked\":false}\x001.0.1\0{\"vers\":\"1.0.1\",\"yanked\":true}\0";
    let found = ["1.0.0", "1.0.1", "1.0.2"].map(|version| is_yanked_in(file, version));
    assert_eq!(found, [Some(false), Some(true), None]);
}

#[test]
fn no_package_was_yanked() {
    for package in packages().iter().filter(|it| !it["source"].is_null()) {
        let name = package["name"].as_str().expect("a name");
        let version = package["version"].as_str().expect("a version");
        let found = is_yanked(&name.to_lowercase(), version);
        assert_ne!(found, Some(true), "{name} {version} was yanked");
        assert!(
            found.is_some() || !is_everything_required(),
            "cargo's index does not know {name} {version}"
        );
    }
}

/// The packages of a lock file, as `name version`.
fn locked(path: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(path)).expect("a lock file");
    let quoted = |line: &str, key: &str| {
        let value = line.strip_prefix(key)?.strip_prefix(" = \"")?;
        value.strip_suffix('"').map(str::to_owned)
    };
    let names = text.lines().filter_map(|line| quoted(line, "name"));
    // The first line of the file is its own version, without quotes.
    let versions = text.lines().filter_map(|line| quoted(line, "version"));
    names
        .zip(versions)
        .map(|(name, version)| format!("{name} {version}"))
        .collect()
}

/// The names a lock file has under `dependencies` of a package; a version follows where there are two.
fn locked_dependencies(lock: &str, package: &str) -> BTreeSet<String> {
    let name = format!("\nname = \"{package}\"\n");
    let entry = lock.split("\n[[package]]").find(|it| it.contains(&name));
    let list = entry.and_then(|it| Some(it.split_once("dependencies = [")?.1));
    let quoted = list
        .into_iter()
        .flat_map(|it| it.split('"').skip(1).step_by(2));
    quoted
        .filter_map(|it| it.split(' ').next().map(str::to_owned))
        .collect()
}

/// `cargo fetch --locked` of the fuzz targets fails for each of these.
#[test]
fn fuzz_targets_are_built_from_the_same_versions() {
    let (ours, theirs) = (locked("Cargo.lock"), locked("fuzz/Cargo.lock"));
    let own = ["arbitrary ", "jobserver ", "libfuzzer-sys ", "svc-fuzz "];
    let other = theirs.difference(&ours);
    let other = other.filter(|package| !own.iter().any(|own| package.starts_with(own)));
    let mut wrong: Vec<String> = other.cloned().collect();
    let lock = std::fs::read_to_string(root().join("fuzz/Cargo.lock")).expect("a lock file");
    for package in packages().iter().filter(|it| it["source"].is_null()) {
        let name = package["name"].as_str().expect("a name");
        if !theirs.iter().any(|it| it.starts_with(&format!("{name} "))) {
            continue;
        }
        let listed = locked_dependencies(&lock, name);
        let needed = package["dependencies"].as_array().expect("a list");
        let needed = needed.iter().filter(|it| it["kind"] != "dev");
        let (optional, needed): (Vec<_>, Vec<_>) = needed.partition(|it| it["optional"] == true);
        let named = |all: Vec<&Value>| -> BTreeSet<String> {
            let names = all.iter().filter_map(|it| it["name"].as_str());
            names.map(str::to_owned).collect()
        };
        let (optional, needed) = (named(optional), named(needed));
        let missing = needed.difference(&listed);
        wrong.extend(missing.map(|it| format!("{name} without {it}")));
        let left = listed
            .difference(&needed)
            .filter(|it| !optional.contains(*it));
        wrong.extend(left.map(|it| format!("{name} with {it}")));
    }
    assert!(
        wrong.is_empty(),
        "copy Cargo.lock to fuzz/ and run `cargo update --workspace` there: {wrong:?}"
    );
}
