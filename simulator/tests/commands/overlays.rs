//! `--contract`: every kind of row that somebody lays over the built-in ones is followed, and every mistake in them is
//! shown with file, line and what to do.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{WORKS, run};

const IDENTITY: &str = "contract/operations/01-identity.toml";
const FINANCIAL: &str = "contract/operations/06-financial.toml";
const ERRORS: &str = "contract/errors.toml";
const ANSWERS: &str = "answers/identity.toml";

/// What is changed in a file: its path below `fixtures/`, what is replaced, by what. Where nothing is, it is a new file.
type Edit = (&'static str, &'static str, &'static str);

/// A call of a PAN on live, where it costs something.
const PAN: &[&str] = &["try", "verify.identity.pan", "--live"];

/// A folder of rows with these changes.
fn folder(name: &str, edits: &[Edit]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("overlay-{name}"));
    // What an earlier run left there would be read, too.
    let _ = fs::remove_dir_all(&folder);
    for (file, old, new) in edits {
        let path = folder.join(file);
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        let text = match (path.exists(), old.is_empty()) {
            (_, true) => String::new(),
            (true, _) => fs::read_to_string(&path).expect(WORKS),
            (false, _) => fs::read_to_string(fixtures.join(file)).expect(WORKS),
        };
        assert!(text.contains(old), "{name}: {file} has {old}");
        let text = match *old {
            "" => (*new).to_owned(),
            old => text.replacen(old, new, 1),
        };
        fs::create_dir_all(path.parent().expect(WORKS)).expect(WORKS);
        fs::write(path, text).expect(WORKS);
    }
    folder
}

fn ran(name: &str, edits: &[Edit], arguments: &[&str]) -> (i32, String, String) {
    let folder = folder(name, edits).display().to_string();
    run("", &[&["--contract", &folder], arguments].concat())
}

/// What is changed, what is called, and where what in its answer.
type Followed = (
    &'static str,
    &'static [Edit],
    &'static [&'static str],
    &'static str,
    fn() -> Value,
);

const OWN_OPERATION: &str = r#"
[[category]]
name = "Own"
about = "What this provider has beside."

[[operation]]
id = "verify.identity.ration"
title = "Ration card"
about = "Looks a ration card up."
category = "Own"
latency_ms = 100
price_inr = 3
clause = "identity.pan"

[operation.request]
cardNumber = { type = "string", required = true, identifies = true, about = "Its number", example = "RC0001" }

[operation.response]
cardNumber = "string"
members = "int"
"#;

const OWN_ANSWER: &str =
    "[\"verify.identity.ration\"]\ncardNumber = \"{request.cardNumber}\"\nmembers = 4\n";

/// A PAN without its status, which rules of the built-in people speak of.
const NO_STATUS: &[Edit] = &[
    (IDENTITY, "panStatus = \"string\"\n", ""),
    (ANSWERS, "panStatus = \"VALID\"\n", ""),
];

const FOLLOWED: &[Followed] = &[
    (
        "price",
        &[(IDENTITY, "price_inr = 2.5", "price_inr = 9.75")],
        PAN,
        "/billing/amount",
        || json!(9.75),
    ),
    (
        "latency",
        &[(IDENTITY, "latency_ms = 250", "latency_ms = 4321")],
        PAN,
        "/meta/latencyMs",
        || json!(4321),
    ),
    (
        "new-member",
        &[
            (
                IDENTITY,
                "panStatus = \"string\"\n",
                "panStatus = \"string\"\nriskBand = \"string\"\n",
            ),
            (
                ANSWERS,
                "panStatus = \"VALID\"\n",
                "panStatus = \"VALID\"\nriskBand = \"LOW\"\n",
            ),
        ],
        PAN,
        "/data/riskBand",
        || json!("LOW"),
    ),
    (
        "member-that-is-gone",
        NO_STATUS,
        PAN,
        "/data/panStatus",
        || Value::Null,
    ),
    (
        "other-type",
        &[
            (IDENTITY, "category = \"string\"", "category = \"int\""),
            (ANSWERS, "\"{subject.category}\"", "7"),
        ],
        PAN,
        "/data/category",
        || json!(7),
    ),
    (
        "other-value-of-an-enumeration",
        &[
            (
                FINANCIAL,
                "neft = \"Live | Not Live\"",
                "neft = \"On | Off\"",
            ),
            ("answers/financial.toml", "neft = \"Live\"", "neft = \"On\""),
        ],
        &["try", "verify.financial.ifsc"],
        "/data/neft",
        || json!("On"),
    ),
    (
        "field-that-is-required-now",
        &[(
            IDENTITY,
            "name = { type = \"string\", folds",
            "name = { type = \"string\", required = true, folds",
        )],
        &[
            "try",
            "verify.identity.pan",
            "--body",
            "{\"pan\":\"AAAAA0000A\"}",
        ],
        "/error/message",
        || json!("`name` is required"),
    ),
    (
        "wording-of-an-answer",
        &[(ANSWERS, "panStatus = \"VALID\"", "panStatus = \"ACTIVE\"")],
        PAN,
        "/data/panStatus",
        || json!("ACTIVE"),
    ),
    (
        "new-operation",
        &[
            ("contract/operations/90-own.toml", "", OWN_OPERATION),
            ("answers/own.toml", "", OWN_ANSWER),
        ],
        &["try", "verify.identity.ration", "--live"],
        "/data/members",
        || json!(4),
    ),
];

#[test]
fn every_kind_of_row_laid_over_the_built_in_ones_is_followed() {
    for (name, edits, arguments, place, expected) in FOLLOWED {
        let (code, out, stderr) = ran(name, edits, arguments);
        assert_eq!(code, 0, "{name}: {stderr}");
        let answer: Value = serde_json::from_str(&out).expect("an envelope");
        let found = answer.pointer(place).cloned().unwrap_or_default();
        assert_eq!(found, expected(), "{name}: {answer}");
        let (_, plain, _) = run("", arguments);
        let built_in: Value = serde_json::from_str(&plain).unwrap_or_default();
        let before = built_in.pointer(place).cloned().unwrap_or_default();
        assert_ne!(before, expected(), "{name}: the built-in rows say it, too");
    }
}

#[test]
fn the_status_of_an_error_is_in_every_document() {
    let edits = &[(
        ERRORS,
        "code = \"SVC_NO_RECORD_FOUND\"\nstatus = 422",
        "code = \"SVC_NO_RECORD_FOUND\"\nstatus = 404",
    )];
    let because = [
        "try",
        "verify.identity.pan",
        "--field",
        "pan=AAAAA0422A",
        "--because",
    ];
    let (code, _, stderr) = ran("status", edits, &because);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("1: 404 SVC_NO_RECORD_FOUND"), "{stderr}");
    let (_, document, _) = ran("status-openapi", edits, &["openapi"]);
    let document: Value = serde_json::from_str(&document).expect("JSON");
    let answers = &document["paths"]["/v1/verify/identity/pan"]["post"]["responses"];
    assert!(answers.get("404").is_some() && answers.get("422").is_none());
}

#[test]
fn built_in_rules_that_speak_of_what_is_gone_are_left_out_and_named() {
    let (code, _, stderr) = ran("rules-left-out", NO_STATUS, &["check"]);
    assert_eq!(code, 0, "{stderr}");
    let left_out: Vec<_> = stderr
        .lines()
        .filter(|line| line.starts_with("left out"))
        .collect();
    assert_eq!(left_out.len(), 2, "{stderr}");
    for line in left_out {
        assert!(
            line.starts_with("left out: the built-in rule at (built in) scenarios/people.toml:")
                && line.ends_with("the answer's member `panStatus` is not known"),
            "{line}"
        );
    }
}

/// What is wrong in a folder, and what is said of it: the file and line, what, and what to do.
const MISTAKEN: &[(&str, &[Edit], [&str; 3])] = &[
    (
        "price",
        &[(IDENTITY, "price_inr = 2.5", "price_inr = 2.555")],
        [
            "01-identity.toml:13:13",
            "a price is an amount in INR over zero with at most two decimals",
            "price_inr = 2.555",
        ],
    ),
    (
        "no-price",
        &[(IDENTITY, "price_inr = 2.5\n", "")],
        [
            "01-identity.toml:",
            "`price_inr` is missing",
            "[[operation]]",
        ],
    ),
    (
        "latency",
        &[(IDENTITY, "latency_ms = 250", "latency_ms = [9, 3]")],
        [
            "01-identity.toml:12:14",
            "the lowest value comes first",
            "latency_ms = [9, 3]",
        ],
    ),
    (
        "new-code",
        &[(
            ERRORS,
            "[[error]]\ncode = \"SVC_INVALID_INPUT\"",
            "[[error]]\ncode = \"SVC_CARD_STOLEN\"\nstatus = 410\nmeaning = \"Stolen.\"\nclause = \"errors.invalid-input\"\n\
             \n[[error]]\ncode = \"SVC_INVALID_INPUT\"",
        )],
        [
            "errors.toml:5:8",
            "code `SVC_CARD_STOLEN` is not known",
            "code = \"SVC_CARD_STOLEN\"",
        ],
    ),
    (
        "no-code",
        &[(
            ERRORS,
            "code = \"SVC_INVALID_INPUT\"",
            "code = \"SVC_INVALID_INPT\"",
        )],
        [
            "errors.toml:",
            "code `SVC_INVALID_INPT` is not known",
            "did you mean `SVC_INVALID_INPUT`?",
        ],
    ),
    (
        "status",
        &[(ERRORS, "status = 422", "status = 42")],
        [
            "errors.toml:54:10",
            "the status of an error is from 400 to 599",
            "status = 42",
        ],
    ),
    (
        "new-member-without-an-answer",
        &[(
            IDENTITY,
            "panStatus = \"string\"\n",
            "panStatus = \"string\"\nriskBand = \"string\"\n",
        )],
        [
            "fixtures/answers/identity.toml:3:1",
            "`riskBand` is missing here",
            "[\"verify.identity.pan\"]",
        ],
    ),
    (
        "answer-of-a-member-that-is-gone",
        &[(IDENTITY, "panStatus = \"string\"\n", "")],
        [
            "fixtures/answers/identity.toml:9:1",
            "answer member `panStatus` is not known",
            "panStatus = \"VALID\"",
        ],
    ),
    (
        "value-outside-of-its-enumeration",
        &[(
            FINANCIAL,
            "neft = \"Live | Not Live\"",
            "neft = \"On | Off\"",
        )],
        ["fixtures/answers/financial.toml:", "Live", "neft = "],
    ),
    (
        "hole-of-an-answer",
        &[(ANSWERS, "{subject.category}", "{subject.categry}")],
        [
            "answers/identity.toml:8:12",
            "attribute `subject.categry` is not known",
            "did you mean `subject.category`?",
        ],
    ),
    (
        "key",
        &[(
            IDENTITY,
            "[operation.response]\npan",
            "[operation.respons]\npan",
        )],
        [
            "01-identity.toml:",
            "`respons` is not known here",
            "did you mean `response`?",
        ],
    ),
    (
        "format",
        &[("contract/formats.toml", "name = \"pan\"", "name = \"pann\"")],
        [
            "01-identity.toml:17:52",
            "format `pan` is not known",
            "did you mean `pann`?",
        ],
    ),
    (
        "clause",
        &[(
            IDENTITY,
            "clause = \"identity.pan\"",
            "clause = \"identity.pen\"",
        )],
        [
            "01-identity.toml:14:10",
            "clause `identity.pen` is not known",
            "did you mean `identity.pan`?",
        ],
    ),
    (
        "operation-without-an-answer",
        &[("contract/operations/90-own.toml", "", OWN_OPERATION)],
        [
            "90-own.toml:6:1",
            "`verify.identity.ration` has no canned answer",
            "write a table `[\"verify.identity.ration\"]` beside the other answers",
        ],
    ),
    (
        "world",
        &[("world/states.toml", "gst = \"37\"", "gst = 37")],
        [
            "world/states.toml:",
            "invalid type: integer `37`, expected a string",
            "code = \"AP\"",
        ],
    ),
    (
        "toml",
        &[(IDENTITY, "[[category]]", "[[category")],
        ["01-identity.toml:3:", "unclosed array table", "[[category"],
    ),
    (
        "nothing-in-it",
        &[("notes.toml", "", "a = 1")],
        [
            "no TOML file is in contract/, answers/, world/",
            "--contract ",
            "give the folder that holds them",
        ],
    ),
];

#[test]
fn every_mistake_in_rows_laid_over_is_shown_with_file_and_line_and_ends_each_command() {
    for (name, edits, says) in MISTAKEN {
        for command in [&["try", "verify.identity.pan"][..], &["serve"], &["check"]] {
            let (code, out, stderr) = ran(&format!("mistaken-{name}"), edits, command);
            let shown = format!("{name}, {command:?}: {stderr}");
            assert_eq!((code, out.as_str()), (2, ""), "{shown}");
            assert!(!stderr.contains("panicked"), "{shown}");
            for words in says {
                assert!(stderr.contains(words), "{words:?} of {shown}");
            }
        }
    }
}
