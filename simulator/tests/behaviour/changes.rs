//! What scenarios change of canned answers: members set, replaced and taken away, lists lengthened
//! and shortened; what is computed follows, and the contract holds unless it is broken on purpose.

use svc_fixtures::json::Json;

use crate::scenario_files::problems;
use crate::scene::{Answer, Scene};

/// What an operation answers when its scenario says this.
fn answer(operation: &str, body: &str, then: &str) -> Answer {
    let scene = Scene::with(&file(operation, then));
    let answer = scene
        .post(&format!("/v1/{}", operation.replace('.', "/")), body)
        .send();
    assert_eq!(answer.outcome(), "200 completed", "{answer}");
    answer
}

fn file(operation: &str, then: &str) -> String {
    format!(
        r#"
        [[scenario]]
        name = "it"
        operation = "{operation}"
        then = {{ {then} }}
        "#
    )
}

fn report(operation: &str, then: &str) -> String {
    problems(&file(operation, then))
}

/// Every way in which the answer departs from the contract.
fn departures(operation: &str, answer: &Answer) -> Vec<String> {
    let contract = svc_fixtures::contract::Contract::built_in();
    let json = answer.json();
    let data = json.get("data").cloned().unwrap_or(Json::Null);
    let form = &contract.operation(operation).expect("it is one").response;
    form.mistakes(&data)
        .iter()
        .map(ToString::to_string)
        .collect()
}

const DL: &str = "verify.identity.dl";
const DL_BODY: &str = r#"{"dlNumber":"KA0120100000077","dateOfBirth":"15/08/1990"}"#;
const DIRECTOR: &str = "verify.company.roc.director";
const DIRECTOR_BODY: &str = r#"{"din":"00000077"}"#;
const UAN: &str = "verify.employment.uan";
const UAN_BODY: &str = r#"{"uan":"100000000777"}"#;

#[test]
fn a_table_is_merged_and_a_value_replaced() {
    for then in [
        r#"success = { validity = { transport = { to = "2020-01-01" } } }"#,
        r#"success = { validity.transport.to = "2020-01-01" }"#,
        r#"success = { "validity.transport.to" = "2020-01-01" }"#,
    ] {
        let answer = answer(DL, DL_BODY, then);
        assert_eq!(answer.at("data.validity.transport.to"), "2020-01-01");
        let issued = answer.at("data.issueDate");
        assert_eq!(answer.at("data.validity.transport.from"), issued);
        assert!(departures(DL, &answer).is_empty());
    }
}

#[test]
fn a_table_is_replaced_by_removing_it_first() {
    let then = r#"remove = ["validity"], breaks_contract = true, success = { validity = { transport = { to = "2020-01-01" } } }"#;
    let answer = answer(DL, DL_BODY, then);
    assert_eq!(
        answer.at("data.validity"),
        r#"{"transport":{"to":"2020-01-01"}}"#
    );
    let whole = r#"remove = ["validity"], success = { validity = { nonTransport = { from = "2020-01-01", to = "2020-01-01" }, transport = { from = "2020-01-01", to = "2020-01-01" } } }"#;
    assert_eq!(report(DL, whole), "nothing wrong");
}

#[test]
fn lists_get_longer_and_shorter_and_their_counts_follow() {
    for length in [0, 1, 2, 5] {
        let then = format!("success = {{}}, length = {{ companies = {length} }}");
        let answer = answer(DIRECTOR, DIRECTOR_BODY, &then);
        assert_eq!(answer.at("data.noOfCompanies"), length.to_string());
        let json = answer.json();
        let companies = json.get("data").and_then(|data| data.get("companies"));
        let companies = companies.and_then(Json::as_list).expect("a list");
        assert_eq!(companies.len(), length);
        assert!(departures(DIRECTOR, &answer).is_empty());
    }
}

#[test]
fn a_list_that_the_request_decides_is_changed_all_the_same() {
    let operation = "verify.employment.epfo-establishment";
    let body = r#"{"establishmentId":"KABNG0000000077","months":4}"#;
    let then = r#"success = { "contributionHistory[0].memberCount" = 3, "contributionHistory[].employerShare" = 0 }, length = { contributionHistory = 6 }"#;
    let answer = answer(operation, body, then);
    assert_eq!(answer.at("data.contributionHistory.0.memberCount"), "3");
    assert_ne!(answer.at("data.contributionHistory.1.memberCount"), "3");
    assert_eq!(answer.at("data.contributionHistory.5.employerShare"), "0");
    assert_eq!(answer.at("data.contributionHistory.6"), "");
    assert!(departures(operation, &answer).is_empty());
}

#[test]
fn an_item_is_added_where_there_is_none_and_what_depends_on_it_follows() {
    let operation = "screen.court-records";
    let then = r#"success = { "cases[1].tier" = "high" }"#;
    let answer = answer(operation, r#"{"name":"SOMEBODY ELSE"}"#, then);
    let at = |path: &str| answer.at(&format!("data.{path}"));
    assert_eq!(at("verdict"), "RECORDS_FOUND");
    assert_eq!(
        (at("cases_total"), at("tier_counts.high")),
        ("2".into(), "1".into())
    );
    assert!(departures(operation, &answer).is_empty());
}

#[test]
fn a_list_that_is_there_only_sometimes_is_there_when_it_gets_items() {
    let operation = "screen.negative-diligence";
    let body = r#"{"name":"SOMEBODY ELSE"}"#;
    let then = r#"success = { "matches[0].source" = "A LIST" }"#;
    let with = answer(operation, body, then);
    assert_eq!(with.at("data.matches.0.source"), "A LIST");
    assert!(departures(operation, &with).is_empty());
    let each = answer(
        operation,
        body,
        r#"success = { "matches[].source" = "A LIST" }"#,
    );
    assert_eq!(each.at("data.matches"), "");
}

#[test]
fn an_item_is_removed_and_the_others_stay_as_they_were() {
    let plain = answer(UAN, UAN_BODY, "success = {}");
    let less = answer(
        UAN,
        UAN_BODY,
        r#"success = {}, remove = ["employmentHistory[0]"]"#,
    );
    let second = plain.at("data.employmentHistory.1");
    assert_ne!(second, "");
    assert_eq!(less.at("data.employmentHistory.0"), second);
    assert_eq!(less.at("data.employmentHistory.1"), "");
    assert!(departures(UAN, &less).is_empty());
}

#[test]
fn what_is_computed_from_a_changed_value_follows_it() {
    let then = r#"success = { nameOnPan = "SOMEBODY ELSE" }"#;
    let answer = answer(
        "verify.identity.pan",
        r#"{"pan":"BNZPN2501F","name":"Asha Rao"}"#,
        then,
    );
    assert_eq!(answer.at("data.name"), "Asha Rao");
    assert!(
        answer
            .at("data.nameMatchScore")
            .parse::<f64>()
            .expect("a number")
            < 0.5
    );
}

#[test]
fn a_prefix_changes_only_the_answers_that_have_such_a_member() {
    let then = r#"success = { registrar = "ROC PUNE" }"#;
    let scene = Scene::with(&file("verify.company.*", then));
    let master = scene
        .post(
            "/v1/verify/company/mca/master",
            r#"{"cin":"U72200KA2010PTC000077"}"#,
        )
        .send();
    assert_eq!(master.at("data.registrar"), "ROC PUNE");
    let tan = scene
        .post("/v1/verify/company/tan", r#"{"tan":"BLRA00077A"}"#)
        .send();
    assert_eq!(tan.at("data.registrar"), "");
    assert!(departures("verify.company.tan", &tan).is_empty());
}

#[test]
fn the_contract_is_broken_only_where_the_file_says_so() {
    let body = r#"{"pan":"BNZPN2501F"}"#;
    let pan = "verify.identity.pan";
    for (then, departure) in [
        (
            r#"success = {}, remove = ["panStatus"]"#,
            "`panStatus` is missing",
        ),
        (
            r#"success = {}, null = ["panStatus"]"#,
            "`panStatus` must be a string",
        ),
        (
            r#"success = { panStatus = 7 }"#,
            "`panStatus` must be a string",
        ),
        (
            r#"success = { surprise = { a = [1] } }"#,
            "`surprise` is not part of the answer",
        ),
    ] {
        assert_ne!(report(pan, then), "nothing wrong", "{then}");
        let marked = format!("{then}, breaks_contract = true");
        let answer = answer(pan, body, &marked);
        assert_eq!(departures(pan, &answer), [departure]);
    }
}

#[test]
fn a_pending_result_is_changed_as_any_other() {
    let then = r#"pending = {}, after = "1s", finally = { success = {}, length = { employmentHistory = 0 } }"#;
    let scene = Scene::with(&file(UAN, then));
    let first = scene.post("/v1/verify/employment/uan", UAN_BODY).send();
    scene.advance("local", jiff::SignedDuration::from_secs(1));
    let last = scene
        .get(&format!("/v1/verifications/{}", first.id()))
        .send();
    assert_eq!(last.at("data.employmentHistory"), "[]");
}

#[test]
fn mistakes_in_changes_are_reported_with_what_to_write() {
    insta::assert_snapshot!(problems(
        r#"
[[scenario]]
name = "a"
operation = "verify.employment.uan"
then = { success = { "employmentHistory.dol" = "2020-01-01", "employmentHistory[0].dolt" = "x", "employmentHistory[0].dol" = "soon", "memberName.first" = "x", "memberName[0]" = "x", "a[" = 1, "employmentHistory[1000]" = {} } }

[[scenario]]
name = "b"
operation = "verify.employment.uan"
then = { success = {}, remove = ["memberName", "memberNam", "employmentHistory[].dol"], null = ["uan"], length = { memberName = 1, employmentHistory = -1, employmentHistry = 2 } }

[[scenario]]
name = "c"
operation = "verify.employment.uan"
then = { success = { memberName = "X" }, breaks_contract = true }

[[scenario]]
name = "d"
operation = "verify.employment.uan"
then = [{ error = "SVC_PROVIDER_ERROR", remove = ["uan"] }, { pending = {}, length = { employmentHistory = 0 } }, { success = {}, remove = [] }]
"#
    ), @r#"
    error: this path stops at a list
     --> mine.toml:5:48
      |
    5 | then = { success = { "employmentHistory.dol" = "2020-01-01", "employmentHistory[0].dolt" = "x", "employmentHistory[0].dol" = "soon", ...
      |                                                ^^^^^^^^^^^^
      |
      = help: write `[0]` for one of its items, `[]` for each

    error: the answer's member `dolt` is not known
     --> mine.toml:5:62
      |
    5 | then = { success = { "employmentHistory.dol" = "2020-01-01", "employmentHistory[0].dolt" = "x", "employmentHistory[0].dol" = "soon", ...
      |                                                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `dol`?

    error: this does not fit the answer: must be a date YYYY-MM-DD or empty
     --> mine.toml:5:126
      |
    5 | ...mploymentHistory[0].dolt" = "x", "employmentHistory[0].dol" = "soon", "memberName.first" = "x", "memberName[0]" = "x", "a[" = 1, "...
      |                                                                  ^^^^^^
      |
      = help: write `breaks_contract = true` beside `success` if the answer is to break the contract

    error: this path stops at a value without parts
     --> mine.toml:5:155
      |
    5 | ..."x", "employmentHistory[0].dol" = "soon", "memberName.first" = "x", "memberName[0]" = "x", "a[" = 1, "employmentHistory[1000]" = {...
      |                                                                   ^^^
      |
      = help: leave out what comes after it

    error: this path asks for an item of what is no list
     --> mine.toml:5:178
      |
    5 | ...[0].dol" = "soon", "memberName.first" = "x", "memberName[0]" = "x", "a[" = 1, "employmentHistory[1000]" = {} } }
      |                                                                   ^^^
      |
      = help: leave out the brackets

    error: a path is names between dots: `address.city`, `list[0].name`, `list[].name`
     --> mine.toml:5:190
      |
    5 | ..."soon", "memberName.first" = "x", "memberName[0]" = "x", "a[" = 1, "employmentHistory[1000]" = {} } }
      |                                                                    ^

    error: a position is at most 999
     --> mine.toml:5:221
      |
    5 | ...", "memberName[0]" = "x", "a[" = 1, "employmentHistory[1000]" = {} } }
      |                                                                    ^^

    error: `memberName` is part of every answer
      --> mine.toml:10:34
       |
    10 | then = { success = {}, remove = ["memberName", "memberNam", "employmentHistory[].dol"], null = ["uan"], length = { memberName = 1, e...
       |                                  ^^^^^^^^^^^^
       |
       = help: write `breaks_contract = true` beside `success` if the answer is to break the contract

    error: the answer's member `memberNam` is not known
      --> mine.toml:10:48
       |
    10 | then = { success = {}, remove = ["memberName", "memberNam", "employmentHistory[].dol"], null = ["uan"], length = { memberName = 1, e...
       |                                                ^^^^^^^^^^^
       |
       = help: did you mean `memberName`?

    error: `employmentHistory[].dol` is part of every answer
      --> mine.toml:10:61
       |
    10 | then = { success = {}, remove = ["memberName", "memberNam", "employmentHistory[].dol"], null = ["uan"], length = { memberName = 1, e...
       |                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write `breaks_contract = true` beside `success` if the answer is to break the contract

    error: `uan` is never null
      --> mine.toml:10:97
       |
    10 | then = { success = {}, remove = ["memberName", "memberNam", "employmentHistory[].dol"], null = ["uan"], length = { memberName = 1, e...
       |                                                                                                 ^^^^^
       |
       = help: write `breaks_contract = true` beside `success` if the answer is to break the contract

    error: `memberName` is no list
      --> mine.toml:10:129
       |
    10 | then = { success = {}, remove = ["memberName", "memberNam", "employmentHistory[].dol"], null = ["uan"], length = { memberName = 1, e...
       |                                                                                                                                 ^

    error: a list has 0 to 999 items
      --> mine.toml:10:152
       |
    10 | ...null = ["uan"], length = { memberName = 1, employmentHistory = -1, employmentHistry = 2 } }
       |                                                                   ^^

    error: the answer's member `employmentHistry` is not known
      --> mine.toml:10:156
       |
    10 | ...n"], length = { memberName = 1, employmentHistory = -1, employmentHistry = 2 } }
       |                                                            ^^^^^^^^^^^^^^^^
       |
       = help: did you mean `employmentHistory`?

    error: `remove` stands beside `success`, and there is none here
      --> mine.toml:20:50
       |
    20 | then = [{ error = "SVC_PROVIDER_ERROR", remove = ["uan"] }, { pending = {}, length = { employmentHistory = 0 } }, { success = {}, re...
       |                                                  ^^^^^^^
       |
       = help: leave it out

    error: `length` stands beside `success`, and there is none here
      --> mine.toml:20:86
       |
    20 | then = [{ error = "SVC_PROVIDER_ERROR", remove = ["uan"] }, { pending = {}, length = { employmentHistory = 0 } }, { success = {}, re...
       |                                                                                      ^^^^^^^^^^^^^^^^^^^^^^^^^
       |
       = help: write it in `finally`

    error: `remove` names nothing
      --> mine.toml:20:140
       |
    20 | ...length = { employmentHistory = 0 } }, { success = {}, remove = [] }]
       |                                                                   ^^
       |
       = help: write `remove = ["member", "list[0].member"]`, or leave it out

    17 mistakes found
    "#);
}
