//! What is reported of scenario and account files that have mistakes: all of them, each with its place.

use std::sync::Arc;

use svc_fixtures::contract::Contract;
use svc_fixtures::embedded;
use svc_fixtures::reading::Source;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;
use svc_simulator::engine::compute;
use svc_simulator::scenario;

pub(crate) fn problems(text: &str) -> String {
    let files: Vec<Arc<Source>> = vec![Source::new("mine.toml", text)];
    let contract = Contract::built_in();
    let answers = Answers::read(
        &embedded::answers(),
        &contract,
        &compute::signatures(),
        WorldRows::built_in(),
    );
    let answers = answers.expect("the built-in answers read");
    match scenario::read_scenarios(&contract, &answers, &files) {
        Ok(_) => "nothing wrong".to_owned(),
        Err(problems) => problems.to_string(),
    }
}

#[test]
fn every_mistake_of_a_file_is_reported_with_its_line_and_a_hint() {
    let text = r#"
[[scenario]]
name = "a"
operation = "verify.identity.pam"
when = { pan = "AAAAA0001A" }
then = { error = "SVC_NO_RECORD" }

[[scenario]]
name = "a"
operation = "verify.identity.pan"
when = { pam = "AAAAA0001A" }
then = { success = { nameOnPam = "X", nameMatchScore = "high" } }
wen = 1

[[scenario]]
operation = "verify.identity.pan"
when = { pan = 5, name = { contains = 7 } }
then = { pending = {}, after = "soon" }

[[scenario]]
name = "b"
operation = "verify.*"
then = [{ success = {}, error = "SVC_SOURCE_TIMEOUT" }, {}]
"#;
    insta::assert_snapshot!(problems(text), @r#"
    error: the operation `verify.identity.pam` is not known
     --> mine.toml:4:13
      |
    4 | operation = "verify.identity.pam"
      |             ^^^^^^^^^^^^^^^^^^^^^
      |
      = help: did you mean `verify.identity.pan`?

    error: the error code `SVC_NO_RECORD` is not known
     --> mine.toml:6:18
      |
    6 | then = { error = "SVC_NO_RECORD" }
      |                  ^^^^^^^^^^^^^^^
      |
      = help: did you mean `SVC_NO_RECORD_FOUND`?

    error: the name "a" was used before, at mine.toml:2
     --> mine.toml:9:8
      |
    9 | name = "a"
      |        ^^^

    error: the field `pam` is not known
      --> mine.toml:11:10
       |
    11 | when = { pam = "AAAAA0001A" }
       |          ^^^
       |
       = help: did you mean `pan`?

    error: the answer's member `nameOnPam` is not known
      --> mine.toml:12:22
       |
    12 | then = { success = { nameOnPam = "X", nameMatchScore = "high" } }
       |                      ^^^^^^^^^
       |
       = help: did you mean `nameOnPan`?

    error: this does not fit the answer: must be a number from 0 to 1
      --> mine.toml:12:56
       |
    12 | then = { success = { nameOnPam = "X", nameMatchScore = "high" } }
       |                                                        ^^^^^^
       |
       = help: write `breaks_contract = true` beside `success` if the answer is to break the contract

    error: `wen` is not known here
      --> mine.toml:13:1
       |
    13 | wen = 1
       | ^^^
       |
       = help: did you mean `when`?

    error: `name` is missing
      --> mine.toml:15:1
       |
    15 | [[scenario]]
       | ^^^^^^^^^^^^

    error: this field is a string, and this is an integer
      --> mine.toml:17:16
       |
    17 | when = { pan = 5, name = { contains = 7 } }
       |                ^

    error: expected a string, found integer
      --> mine.toml:17:39
       |
    17 | when = { pan = 5, name = { contains = 7 } }
       |                                       ^

    error: verify.identity.pan is never pending
      --> mine.toml:18:20
       |
    18 | then = { pending = {}, after = "soon" }
       |                    ^^

    error: a duration is a whole number and a unit: `500ms`, `30s`, `2m`, `6h` or `7d`
      --> mine.toml:18:32
       |
    18 | then = { pending = {}, after = "soon" }
       |                                ^^^^^^

    error: an outcome has exactly one of `success`, `error` and `pending`
      --> mine.toml:23:9
       |
    23 | then = [{ success = {}, error = "SVC_SOURCE_TIMEOUT" }, {}]
       |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    error: an outcome has one of `success`, `error` and `pending`, or `delay`, `provider`, `wire` or `webhook` alone, which is added to what a call gets otherwise
      --> mine.toml:23:57
       |
    23 | then = [{ success = {}, error = "SVC_SOURCE_TIMEOUT" }, {}]
       |                                                         ^^

    14 mistakes found
    "#);
}

#[test]
fn a_file_that_is_no_toml_is_reported() {
    insta::assert_snapshot!(problems("[[scenario]\nname = \"a\"\nthen = {"), @"
    error: unclosed array table, expected `]`
     --> mine.toml:1:12
      |
    1 | [[scenario]
      |            ^

    error: unclosed inline table, expected `}`
     --> mine.toml:3:9
      |
    3 | then = {
      |         ^

    2 mistakes found
    ");
}

#[test]
fn a_good_file_has_no_mistakes() {
    let text = r#"
[[scenario]]
name = "all kinds of conditions"
operation = "verify.identity.pan"
when = { pan = ["AAAAA0001A", "AAAAA0002A"], name = { contains = "x", starts_with = "y", matches = "^z", present = true } }
then = [{ success = {} }, { error = "SVC_SOURCE_TIMEOUT", message = "late" }]
start_over = true

[[scenario]]
name = "everything else"
operation = "*"
then = { success = {}, delay = "500ms", provider = "source-1" }
"#;
    assert_eq!(problems(text), "nothing wrong");
}

#[test]
fn an_accounts_file_is_checked_like_any_other() {
    let text = r#"
[[account]]
id = "a b"
live_wallet_inr = 1.005

[[account]]
id = "c"
allowlist = ["203.0.113.0/40"]
rate_limit = { per_second = 0, burst = 1, more = 2 }

[[account]]
id = "c"
live_wallet_inr = -1
"#;
    let files = [Source::new("accounts.toml", text)];
    let problems = scenario::read_accounts(&files).expect_err("it has mistakes");
    insta::assert_snapshot!(problems, @r#"
    error: "a b": a key's name is letters, digits, `-`, `_` and `.`
     --> accounts.toml:2:1
      |
    2 | [[account]]
      | ^^^^^^^^^^^

    error: an amount is in INR, not negative, with at most two decimals
     --> accounts.toml:4:19
      |
    4 | live_wallet_inr = 1.005
      |                   ^^^^^

    error: `live_wallet_inr` is missing
     --> accounts.toml:6:1
      |
    6 | [[account]]
      | ^^^^^^^^^^^

    error: this is no network
     --> accounts.toml:8:14
      |
    8 | allowlist = ["203.0.113.0/40"]
      |              ^^^^^^^^^^^^^^^^
      |
      = help: write an address and a length: 203.0.113.0/24

    error: must be a whole number above 0
     --> accounts.toml:9:29
      |
    9 | rate_limit = { per_second = 0, burst = 1, more = 2 }
      |                             ^

    error: `more` is not known here
     --> accounts.toml:9:43
      |
    9 | rate_limit = { per_second = 0, burst = 1, more = 2 }
      |                                           ^^^^
      |
      = help: known here: burst, per_second

    error: there already is an account "c"
      --> accounts.toml:11:1
       |
    11 | [[account]]
       | ^^^^^^^^^^^

    error: an amount is in INR, not negative, with at most two decimals
      --> accounts.toml:13:19
       |
    13 | live_wallet_inr = -1
       |                   ^^

    8 mistakes found
    "#);
}

#[test]
fn what_would_be_ignored_in_finally_is_refused() {
    let mistakes_of = |extra: &str| {
        problems(&format!(
            "[[scenario]]\nname = \"a\"\noperation = \"verify.employment.uan\"\n\
             then = {{ pending = {{}}, finally = {{ success = {{}}, {extra} }} }}\n"
        ))
    };
    assert!(mistakes_of("delay = \"3s\"").contains("`delay` stands beside `pending`"));
    assert!(mistakes_of("provider = \"p\"").contains("`provider` stands beside `pending`"));
}
