//! What `check` says of rules that one input means both: notes, with such an input, and no mistake.

use super::dry::folder;
use super::{WORKS, run};

/// Rules with these conditions and outcomes, called by their number.
fn rules(rules: &[(&str, &str, &str)]) -> String {
    let rule = |(number, (operation, when, then)): (usize, &(&str, &str, &str))| {
        format!(
            "[[scenario]]\nname = \"{number}\"\noperation = \"{operation}\"\nwhen = {{ {when} }}\nthen = {{ {then} }}\n"
        )
    };
    rules.iter().enumerate().map(rule).collect()
}

const PAN: &str = "verify.identity.pan";
const UAN: &str = "verify.employment.uan";
const COURT: &str = "screen.court-records";
const LATE: &str = "error = \"SVC_SOURCE_TIMEOUT\"";
const NONE: &str = "error = \"SVC_NO_RECORD_FOUND\"";

/// What `check` says of a folder with this file.
fn checked(name: &str, text: &str, format: &str) -> (i32, String, String) {
    let folder = folder(name, text).display().to_string();
    let (code, out, stderr) = run("", &["check", &folder, "--format", format]);
    let hidden = |text: String| text.replace(&folder, "FOLDER");
    (code, hidden(out), hidden(stderr))
}

/// Which pairs of these rules are reported, with the input that means both.
fn pairs(name: &str, cases: &[(&str, &str, &str)]) -> Vec<String> {
    let (code, out, _) = checked(name, &rules(cases), "json");
    assert_eq!(code, 0, "{out}");
    let report: serde_json::Value = serde_json::from_str(&out).expect(WORKS);
    let notes = report["notes"].as_array().expect("a list").iter();
    let pair = |note: &serde_json::Value| {
        let overlap = &note["overlap"];
        let name = |rule: &str| overlap[rule]["name"].as_str().expect("a name").to_owned();
        let set = &overlap["input"]["set"];
        format!("{} {} {set}", name("first"), name("second"))
    };
    notes.map(pair).collect()
}

#[test]
fn two_patterns_that_one_input_has_are_reported_with_it() {
    let text = rules(&[
        (PAN, "pan = { starts_with = \"QQ\" }", LATE),
        (PAN, "pan = { ends_with = \"9F\" }", NONE),
    ]);
    let (code, out, stderr) = checked("notes-patterns", &text, "human");
    assert_eq!(code, 0);
    assert!(out.ends_with(": no mistake found, 1 note\n"), "{out}");
    insta::assert_snapshot!(stderr, @r#"
    note: "1" and "0" before it can be meant by one input: the first wins
     --> FOLDER/team.toml:6:1
      |
    6 | [[scenario]]
      | ^^^^^^^^^^^^
      |
      = help: "0" stands at FOLDER/team.toml:1; both hold for verify.identity.pan {"pan":"QQAAA0009F"}; where "1" is to win, put it first
    "#);
}

#[test]
fn notes_are_printed_for_programs_and_pull_requests() {
    let text = rules(&[
        (PAN, "pan = [\"ABCPR1234F\", \"ABCPR1234G\"]", LATE),
        (PAN, "pan = [\"ABCPR1234G\", \"ABCPR1234H\"]", NONE),
    ]);
    let (code, out, _) = checked("notes-github", &text, "github");
    assert_eq!(code, 0);
    let notice = out.lines().next().unwrap_or_default();
    insta::assert_snapshot!(notice, @r#"::notice file=FOLDER/team.toml,line=6,col=1,title=rules overlap::"1" and "0" before it can be meant by one input: the first wins%0A"0" stands at FOLDER/team.toml:1; both hold for verify.identity.pan {"pan":"ABCPR1234G"}; where "1" is to win, put it first"#);
    let (code, out, _) = checked("notes-github", &text, "json");
    let report: serde_json::Value = serde_json::from_str(&out).expect(WORKS);
    assert_eq!((code, &report["ok"]), (0, &true.into()));
    insta::assert_snapshot!(report["notes"][0], @r#"{"file":"FOLDER/team.toml","line":6,"column":1,"message":"\"1\" and \"0\" before it can be meant by one input: the first wins","hint":"\"0\" stands at FOLDER/team.toml:1; both hold for verify.identity.pan {\"pan\":\"ABCPR1234G\"}; where \"1\" is to win, put it first","overlap":{"first":{"name":"0","file":"FOLDER/team.toml","line":1},"second":{"name":"1","file":"FOLDER/team.toml","line":6},"operation":"verify.identity.pan","input":{"account":"local","environment":"test","referenceId":null,"idempotencyKey":null,"set":{"pan":"ABCPR1234G"}},"more":[]}}"#);
}

#[test]
fn what_one_input_means_both_is_reported_whatever_is_looked_at() {
    let header = "header.\"X-Reference-Id\" = { contains = \"slow\" }";
    for (name, cases, found) in [
        (
            "fields",
            vec![
                (COURT, "city = \"PUNE\"", LATE),
                (COURT, "name = { contains = \"ASHA\" }", NONE),
            ],
            "0 1",
        ),
        (
            "account",
            vec![
                (PAN, "account = { starts_with = \"local_w\" }", LATE),
                (PAN, "pan = \"ABCPR1234F\"", NONE),
            ],
            "0 1",
        ),
        (
            "headers",
            vec![(PAN, header, LATE), (PAN, "environment = \"live\"", NONE)],
            "0 1",
        ),
        (
            "operations",
            vec![
                ("verify.identity.*", "pan = { starts_with = \"QQ\" }", LATE),
                (PAN, "pan = { ends_with = \"9F\" }", NONE),
            ],
            "0 1",
        ),
        (
            "value and pattern",
            vec![
                (
                    PAN,
                    "pan = { ends_with = \"4F\" }, environment = \"live\"",
                    LATE,
                ),
                (PAN, "pan = \"ABCPR1234F\"", NONE),
            ],
            "0 1",
        ),
    ] {
        let pairs = pairs(&format!("notes-{name}"), &cases);
        assert!(
            pairs.len() == 1 && pairs[0].starts_with(found),
            "{name}: {pairs:?}"
        );
    }
}

#[test]
fn what_is_meant_so_is_not_reported() {
    for (name, cases) in [
        (
            "narrow first",
            vec![
                (PAN, "pan = \"ABCPR1234F\"", LATE),
                (PAN, "pan = { starts_with = \"ABC\" }", NONE),
            ],
        ),
        (
            "catch-all last",
            vec![(PAN, "pan = { contains = \"Q\" }", LATE), ("*", "", NONE)],
        ),
        (
            "same outcome",
            vec![
                (PAN, "pan = { starts_with = \"QQ\" }", LATE),
                (PAN, "pan = { ends_with = \"9F\" }", LATE),
            ],
        ),
        (
            "no such input",
            vec![
                (PAN, "pan = { starts_with = \"QQ\" }", LATE),
                (PAN, "pan = { starts_with = \"RR\" }", NONE),
            ],
        ),
        (
            "other values",
            vec![
                (PAN, "pan = \"ABCPR1234F\", account = \"local_a\"", LATE),
                (PAN, "pan = \"ABCPR1234F\", account = \"local_b\"", NONE),
            ],
        ),
        (
            "exceptions of an account",
            vec![
                (PAN, "pan = \"ABCPR1234F\"", LATE),
                (PAN, "account = \"local_a\"", NONE),
            ],
        ),
        (
            "ranges apart",
            vec![
                (UAN, "uan = { below = 5 }", LATE),
                (UAN, "uan = { at_least = 5 }", NONE),
            ],
        ),
        (
            "the built-in files",
            vec![(PAN, "pan = { ends_with = \"9A\" }", LATE)],
        ),
    ] {
        let pairs = pairs(&format!("notes-not-{name}"), &cases);
        assert!(pairs.is_empty(), "{name}: {pairs:?}");
    }
}

#[test]
fn a_rule_that_overlaps_with_many_is_reported_once() {
    let values: Vec<String> = (0..30)
        .map(|at| format!("pan = \"ABCPR12{at:02}F\""))
        .collect();
    let mut cases: Vec<(&str, &str, &str)> = vec![(
        PAN,
        "pan = { ends_with = \"F\" }, account = \"local_a\"",
        LATE,
    )];
    cases.extend(values.iter().map(|when| (PAN, when.as_str(), NONE)));
    let (code, out, note) = checked("notes-many", &rules(&cases), "human");
    assert_eq!(code, 0);
    assert!(out.ends_with(": no mistake found, 1 note\n"), "{out}");
    assert!(
        note.contains("so it is with \"0\" and \"2\", \"3\", \"4\", 26 more"),
        "{note}"
    );
}
