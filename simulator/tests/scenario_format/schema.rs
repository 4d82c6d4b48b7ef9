//! The schema of scenario files: good files fit it, and bad ones do not as far as a schema can know.

use std::path::Path;
use std::process::Command;

use jsonschema::Validator;
use serde_json::{Map, Value};
use svc_fixtures::reading::{Source, Table};
use svc_simulator::scenario::built_in;

use crate::bad_files::files;

const COMMITTED: &str = include_str!("../../../scenarios/schema.json");
const STARTER: [&str; 2] = [
    include_str!("../../src/cli/starter/scenarios.toml"),
    include_str!("../../src/cli/starter/kinds.toml"),
];
const LINE: &str = "#:schema ./schema.json\n";

/// What only the readers know: what the rows say of an operation, what a name stands for, what two
/// rules have to do with each other, and how texts, paths and TOML are written.
const BEYOND: [&str; 88] = [
    "added-to-what-fits-no-format",
    "bad-regular-expression",
    "before-and-after-all-others",
    "before-format-of-a-field",
    "breaks-contract-where-nothing-breaks",
    "case-without-cases",
    "cases-nobody-asks-for",
    "contradicts-a-mask-and-a-sum",
    "contradicts-a-scale",
    "contradicts-age-and-licence",
    "contradicts-among-what-is-said",
    "contradicts-and-would-not-come",
    "contradicts-at-one-place",
    "contradicts-beginnings-and-ends",
    "contradicts-closed-and-paid",
    "contradicts-count-and-list",
    "contradicts-ended-and-valid",
    "contradicts-letters-of-a-cin",
    "contradicts-letters-of-a-pan",
    "contradicts-letters-of-the-request",
    "contradicts-letters-that-are-small",
    "contradicts-match-and-score",
    "contradicts-name-and-its-parts",
    "contradicts-off-the-globe",
    "contradicts-order-of-days",
    "contradicts-place-and-state",
    "contradicts-scales-and-forms",
    "contradicts-score-and-band",
    "contradicts-status-and-date",
    "contradicts-status-and-usual-threshold",
    "contradicts-the-request",
    "contradicts-verdict-and-length",
    "contradicts-what-follows-from-a-list",
    "delay-that-ends-before-it-begins",
    "expects-a-webhook-where-none-comes",
    "expects-a-wire-fault-of-a-result",
    "expects-of-nobody",
    "expects-the-result-while-still-pending",
    "expects-who-and-says-it-again",
    "expects-who-by-what-nobody-asks-for",
    "fall-through-that-never-comes",
    "field-of-another-operation",
    "header-that-is-a-secret",
    "impossible-absence",
    "impossible-mixture-of-operations",
    "impossible-part",
    "impossible-sentinel",
    "impossible-sentinel-in-a-part",
    "impossible-value",
    "length-of-no-list",
    "matched-nothing",
    "member-of-a-field-without-members",
    "name-twice",
    "never-by-two-tests",
    "never-holds-by-range-date-query-and-account",
    "never-wins",
    "never-wins-for-who-calls",
    "nobody-declared",
    "null-what-is-never-null",
    "path-leads-nowhere",
    "path-not-closed",
    "pending-where-it-cannot-be",
    "person-of-an-unknown-company",
    "person-with-a-refused-identifier",
    "person-without-identifier",
    "range-empty",
    "range-on-a-text",
    "regular-expression-looks-around",
    "regular-expression-too-large",
    "remove-what-is-always-there",
    "start-over-of-one-outcome",
    "success-item-of-no-list",
    "success-of-the-wrong-type",
    "success-out-of-range",
    "success-path-through-a-list",
    "success-with-an-unknown-member",
    "table-lists-a-name-nobody-has",
    "table-with-a-case-of-the-wrong-form",
    "table-with-an-unknown-category",
    "table-with-an-unknown-word",
    "two-people-with-one-identifier",
    "unknown-header",
    "unknown-person",
    "unknown-value",
    "unused-value",
    "value-of-a-value",
    "webhook-added-where-none-comes",
    "webhook-where-none-comes",
];

pub(crate) fn validator() -> Validator {
    let schema = serde_json::from_str(COMMITTED).expect("it is JSON");
    jsonschema::draft7::meta::validate(&schema).expect("it is a schema");
    jsonschema::draft7::new(&schema).expect("it is a schema")
}

/// A file as an editor sees it; none where it is no TOML or has what JSON has no form for.
pub(crate) fn as_json(name: &str, text: &str) -> Option<Value> {
    let source = Source::new(name, text);
    let (members, problems) = Table::of_source(&source, |root| {
        let members = root.entries().into_iter();
        let members = members.map(|(name, item)| (name.to_owned(), item.json_if_any()));
        (members.collect::<Vec<_>>(), root.is_intact())
    });
    drop(problems);
    let (members, is_intact) = members;
    let members = members.into_iter().map(|(name, value)| {
        let value = serde_json::to_value(value?).expect("JSON is JSON");
        Some((name, value))
    });
    let members: Option<Map<String, Value>> = members.collect();
    members.filter(|_| is_intact).map(Value::Object)
}

pub(crate) fn fits(validator: &Validator, name: &str, text: &str) {
    let file = as_json(name, text).expect("a good file is TOML and JSON");
    let mistakes: Vec<String> = validator
        .iter_errors(&file)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(mistakes.is_empty(), "{name}: {}", mistakes.join("\n"));
}

/// The scenario files that the book shows.
fn examples() -> Vec<String> {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/scenarios");
    let pages = std::fs::read_dir(pages).expect("the pages");
    let texts = pages.map(|page| std::fs::read_to_string(page.expect("a page").path()));
    let mut found = Vec::new();
    for text in texts {
        let text = text.expect("text");
        let blocks = text.split("```toml,file=").skip(1);
        let blocks = blocks.filter_map(|block| block.split_once('\n')?.1.split("```").next());
        found.extend(blocks.map(str::to_owned));
    }
    found
}

#[test]
fn the_schema_is_committed_as_the_command_prints_it() {
    let out = Command::new(env!("CARGO_BIN_EXE_svc-simulator"))
        .arg("schema")
        .env_clear()
        .output()
        .expect("a test on a machine that works");
    assert_eq!(out.status.code(), Some(0));
    let printed = String::from_utf8(out.stdout).expect("JSON is text");
    let same = printed == COMMITTED;
    assert!(
        same,
        "run `cargo run -- schema > scenarios/schema.json` and commit it"
    );
}

#[test]
fn every_built_in_file_fits_and_names_the_schema() {
    let validator = validator();
    for source in built_in() {
        fits(&validator, &source.path, &source.text);
        assert!(source.text.starts_with(LINE), "{}", source.path);
    }
}

#[test]
fn what_init_writes_and_the_book_shows_fits() {
    let validator = validator();
    for starter in STARTER {
        assert!(starter.starts_with(LINE));
        fits(&validator, "starter", starter);
    }
    assert!(examples().len() > 4);
    for example in examples() {
        fits(&validator, "the book", &example);
    }
}

#[test]
fn bad_files_do_not_fit_unless_a_schema_cannot_know() {
    let validator = validator();
    let mut fitting = Vec::new();
    let mut refused = 0;
    for (name, text) in files("toml") {
        match as_json(&name, &text) {
            Some(file) if validator.is_valid(&file) => {
                let (_, situation) = name.split_once('-').expect("a number and a situation");
                fitting.push(situation.to_owned());
            }
            Some(_) => refused += 1,
            None => {}
        }
    }
    fitting.sort();
    assert_eq!(fitting, BEYOND);
    assert!(refused >= 15, "{refused}");
}

#[test]
fn every_key_of_the_reference_is_explained() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    let out = command.args(["schema", "--markdown"]).env_clear().output();
    let printed = String::from_utf8(out.expect("a program that starts").stdout).expect("text");
    assert!(printed.contains("| `name` |"), "{printed}");
    let bare = printed.lines().find(|line| line.contains("|  |"));
    assert_eq!(bare, None);
}
