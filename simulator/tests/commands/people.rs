//! `people`: who is declared, by which name they are found, and what is told of one.

use serde_json::Value;

use super::dry::folder;
use super::run;

/// No simulator is asked.
const NOBODY: &str = "";

const TEAM: &str = r#"
[person.meera]
story = "Says she works for Acme: ask Acme."
name = "MEERA NAIR"
dlNumber = "KL0720150004567"
uan = "100987650001"
company = "acme"

[company.acme]
name = "ACME TEXTILES PRIVATE LIMITED"

[[scenario]]
name = "her licence is suspended"
operation = "verify.identity.dl"
when = { who = "meera" }
then = { success = { status = "SUSPENDED" } }

[[expect]]
name = "it is not in force"
operation = "verify.identity.dl"
who = "meera"
answer = { data = { status = "SUSPENDED" } }
"#;

#[test]
fn people_of_a_folder_are_listed_before_the_built_in_ones() {
    let folder = folder("people-listed", TEAM).display().to_string();
    let (code, out, _) = run(NOBODY, &["people", "--scenarios", &folder]);
    assert_eq!(code, 0);
    let first: Vec<&str> = out.lines().take(2).collect();
    assert!(first[0].starts_with("meera "), "{out}");
    let words: Vec<&str> = first[0].split_whitespace().collect();
    assert_eq!(words.join(" "), "meera MEERA NAIR Says she works for Acme");
    assert!(first[1].starts_with("acme "), "{out}");
    assert!(out.lines().count() >= 22, "{out}");
}

#[test]
fn all_that_is_known_of_one_is_told() {
    let folder = folder("people-one", TEAM).display().to_string();
    let (code, out, _) = run(NOBODY, &["people", "meera", "--scenarios", &folder]);
    assert_eq!(code, 0);
    insta::assert_snapshot!(out.replace(&folder, "FOLDER"), @r#"
    person "meera" (FOLDER/team.toml:2): MEERA NAIR
      Says she works for Acme: ask Acme.

    Asked for by
      pan, iec                  XCRPN0419B (from the population)       verify.identity.pan, verify.company.iec, verify.financial.credit-report
      dlNumber                  KL0720150004567                        verify.identity.dl
      epicNumber                FOK6791559 (from the population)       verify.identity.voter
      fileNumber                QJ5728494188307 (from the population)  verify.identity.passport
      mobile, registeredMobile  8187712779 (from the population)       verify.identity.mobile-otp.start, verify.identity.mobile-otp-s.start, verify.identity.mobile-otp-s.fetch, verify.employment.uan-lookup, verify.financial.credit-report, verify.financial.bank-hybrid, screen.mobile-mnrl, screen.mobile-silent, verify.utility.electricity
      uan                       100987650001                           verify.employment.uan
      accountNumber             540083403949 (from the population)     verify.financial.bank-account, verify.financial.bank-dynamic.send, verify.financial.bank-hybrid, verify.financial.bank-account-v1
      name                      MEERA NAIR                             screen.negative-diligence, screen.court-records

    Known
      company  acme

    Special
      her licence is suspended  verify.identity.dl  FOLDER/team.toml:12

    Calls that tell it
      it is not in force
        svc-simulator try verify.identity.dl --scenarios FOLDER --field dlNumber=KL0720150004567
        {"status":"SUSPENDED"}
    "#);
}

#[test]
fn one_is_found_by_any_name_and_identifier() {
    let mut told = Vec::new();
    for name in ["mule", "RAKESH DUBEY", "rakesh  dubey"] {
        let (code, out, _) = run(NOBODY, &["people", name, "--format", "json"]);
        assert_eq!(code, 0, "{name}");
        told.push(serde_json::from_str::<Value>(&out).expect("JSON"));
    }
    let identifiers = told[0]["identifiers"].as_array().expect("a list").clone();
    assert!(identifiers.len() >= 8);
    for identifier in &identifiers {
        let value = identifier["value"].as_str().expect("a text");
        let (code, out, _) = run(NOBODY, &["people", value, "--format", "json"]);
        assert_eq!(code, 0, "{value}");
        told.push(serde_json::from_str(&out).expect("JSON"));
    }
    assert!(told.iter().all(|it| *it == told[0]));
    let command = told[0]["calls"][0]["command"].as_str().expect("a text");
    assert!(
        command.starts_with("svc-simulator try verify."),
        "{command}"
    );
}

#[test]
fn whom_nobody_knows_is_told_with_the_nearest_name() {
    let (code, out, err) = run(NOBODY, &["people", "mul"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("nobody is called mul; did you mean `mule`?"),
        "{err}"
    );
}

#[test]
fn everything_is_written_for_documents_too() {
    let (code, out, _) = run(NOBODY, &["people", "--format", "markdown"]);
    assert_eq!(code, 0);
    assert!(
        out.starts_with("| name | who | story | asked for by |\n"),
        "{out}"
    );
    let (code, out, _) = run(NOBODY, &["people", "flaky_source", "--format", "markdown"]);
    assert_eq!(code, 0);
    assert!(
        out.contains("\n### Special\n") && out.contains("--times 3\n"),
        "{out}"
    );
}
