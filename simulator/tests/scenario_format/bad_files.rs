//! Every file of `tests/bad_scenarios/` is refused with exactly the text of the snapshot beside it. Not
//! for what good files do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock};

use svc_fixtures::contract::Contract;
use svc_fixtures::embedded;
use svc_fixtures::reading::{Problems, Source};
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::compute;
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::scenario::{built_in, read_scenarios};
use svc_simulator::scenario_analysis::{
    find_contradictions, find_contrary_letters, find_unreachable,
};
use svc_simulator::scenario_format::read_expectations;

/// What is told where nothing else is wrong.
const LATER: [&str; 3] = [
    "never-wins",
    "contradicts",
    "breaks-contract-where-nothing-breaks",
];

/// What the files are read beside.
static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::read(&Files::built_in(), Seed::new("")).expect("the built-in files"));

/// Where they are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad_scenarios")
}

/// Name and text of each file there that ends so.
pub(crate) fn files(extension: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let wanted = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    let mut found: Vec<_> = wanted
        .map(|path| {
            let name = path.file_stem().and_then(|name| name.to_str());
            let text = std::fs::read_to_string(&path).expect("a text");
            (name.expect("a name").to_owned(), text)
        })
        .collect();
    found.sort();
    found
}

/// What a folder with this file alone is refused with, read like `check` reads it: before the built-in
/// files.
fn report_of(contract: &Contract, answers: &Answers, name: &str, text: &str) -> String {
    let mut sources: Vec<Arc<Source>> = vec![Source::new(format!("{name}.toml"), text)];
    sources.extend(built_in());
    let mut mistakes = Problems::default();
    match read_scenarios(contract, answers, &sources) {
        Ok(set) => {
            mistakes.extend(find_unreachable(contract, &set, &sources));
            let rules = RULES.with_scenarios_replaced(&sources);
            let rules = rules.expect("they were read just now");
            mistakes.extend(find_contradictions(&rules, &sources));
            mistakes.extend(find_contrary_letters(&rules, &sources));
        }
        Err(found) => mistakes.extend(found),
    }
    if let Err(found) = read_expectations(contract, &answers.cast, &sources) {
        mistakes.extend(found);
    }
    let report = mistakes.sorted().or(()).err();
    report
        .map(|problems| problems.to_string())
        .unwrap_or_default()
}

pub(crate) fn rows() -> (Contract, Answers) {
    let contract = Contract::built_in();
    let answers = Answers::read(
        &embedded::answers(),
        &contract,
        &compute::signatures(),
        WorldRows::built_in(),
    );
    (contract, answers.expect("the built-in answers read"))
}

#[test]
fn every_bad_file_is_refused_with_the_text_beside_it() {
    let (contract, answers) = rows();
    let bad = files("toml");
    assert!(bad.len() >= 60, "{}", bad.len());
    let mut accepted = Vec::new();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(folder());
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (name, text) in &bad {
        let report = report_of(&contract, &answers, name, text);
        if report.is_empty() {
            accepted.push(name);
            continue;
        }
        let place = format!("--> {name}.toml:");
        assert!(report.contains(&place), "{name} names no line:\n{report}");
        settings.bind(|| insta::assert_snapshot!(name.as_str(), report));
    }
    assert!(accepted.is_empty(), "these are accepted: {accepted:?}");
}

#[test]
fn every_text_belongs_to_a_bad_file() {
    let names = |extension| -> BTreeSet<String> {
        let files = files(extension).into_iter();
        files.map(|(name, _)| name).collect()
    };
    assert_eq!(names("snap"), names("toml"));
}

#[test]
fn the_program_reports_all_bad_files_at_once() {
    let out = Command::new(env!("CARGO_BIN_EXE_svc-simulator"))
        .args(["check", "--format", "json"])
        .arg(folder())
        .env_clear()
        .output()
        .expect("a test on a machine that works");
    assert_eq!(out.status.code(), Some(2));
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("it is JSON");
    let mistakes = report["mistakes"].as_array().expect("a list");
    let named: BTreeSet<&str> = mistakes
        .iter()
        .filter_map(|mistake| Path::new(mistake["file"].as_str()?).file_stem()?.to_str())
        .collect();
    // What never wins, and what contradicts itself, is asked for when nothing else is wrong.
    let missing: Vec<_> = files("toml")
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| !named.contains(name.as_str()) && !LATER.iter().any(|it| name.contains(it)))
        .collect();
    assert!(missing.is_empty(), "nothing is reported of {missing:?}");
}
