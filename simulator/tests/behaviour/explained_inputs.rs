//! Every input that `explain` offers for a rule is decided by that rule, whatever the rule looks at: fields
//! and what is inside them, lists, ranges, headers, accounts and environments, also several at once.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::{ErrorCode, OperationIndex};
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::Rules;
use svc_simulator::rehearsal::{CallSpec, CallTarget, Goal, Observed, Recipe, Rehearsal, recipes};
use svc_simulator::scenario::{AccountConfig, accounts, find_account, read_accounts};

use crate::scene::rules;

/// An operation and what can be asked of its fields: one line a subject.
type Row = (&'static str, Subjects);

const ROWS: [Row; 7] = [
    (
        "verify.identity.pan",
        &[
            &[
                "pan = \"ABCPR1234F\"",
                "pan = [\"ABCPR1234G\", \"ABCPR1234F\"]",
                "pan = { starts_with = \"QQ\", ends_with = \"9F\" }",
                "pan = { contains = \"12\" }",
                "pan = { matches = \"^[B-D]{3}P\" }",
                "any_identifier = { starts_with = \"RS\" }",
            ],
            &[
                "name = { absent = true }",
                "name = { present = true }",
                "name = \"Ravi  Rao\"",
                "name = { contains = \"IYER\" }",
            ],
        ],
    ),
    (
        "verify.financial.credit-report",
        &[
            &[
                "\"consentArtifact.ip\" = { starts_with = \"10.\" }",
                "\"consentArtifact.ip\" = [\"10.0.0.1\", \"10.0.0.2\"]",
                "\"consentArtifact.ip\" = { starts_with = \"10.\", ends_with = \".7\" }",
            ],
            &[
                "\"consentArtifact.messageId\" = { matches = \"^m-[0-9]{3}$\" }",
                "\"consentArtifact.messageId\" = \"m-7\"",
            ],
            &[
                "mobile = { ends_with = \"77\" }",
                "mobile = { at_least = 9800000000 }",
            ],
        ],
    ),
    (
        "verify.document.forgery",
        &[
            &[
                "imageUrls = { path_ends = \"/odd.png\" }",
                "\"imageUrls[0]\" = { query = \"case=7\" }",
                "\"imageUrls[]\" = { contains = \"passport\" }",
                "\"imageUrls[0]\" = \"https://assets.example/one.png\"",
            ],
            &[
                "threshold = { above = 20, at_most = 30 }",
                "threshold = { below = 20 }",
                "threshold = { at_least = 50 }",
                "threshold = 33",
                "threshold = [7, 8]",
            ],
            &[
                "\"textFields.name\" = { starts_with = \"RAVI\" }",
                "textFields = { present = true }",
            ],
        ],
    ),
    (
        "verify.employment.epfo-establishment",
        &[&[
            "months = { at_least = 7 }",
            "months = { above = 1, below = 4 }",
            "months = 12",
            "months = [2, 3]",
        ]],
    ),
    (
        "verify.employment.uan",
        &[&[
            "uan = { at_least = 100000000500, below = 100000000600 }",
            "uan = { above = 100000000300 }",
            "uan = { starts_with = \"1000000007\" }",
        ]],
    ),
    (
        "screen.court-records",
        &[
            &[
                "name = { contains = \"IYER\" }",
                "name = { ends_with = \"RAO\" }",
            ],
            &[
                "city = \"PUNE\"",
                "city = { present = true }",
                "city = { absent = true }",
            ],
        ],
    ),
    (
        "verify.identity.mobile-otp.verify",
        &[
            &[
                "request_id = { starts_with = \"slow\" }",
                "request_id = \"r-1\"",
            ],
            &["otp = \"654321\""],
        ],
    ),
];

/// What can be asked of who calls and how: one line a subject.
const AROUND: [&[&str]; 4] = [
    &[
        "header.\"X-Reference-Id\" = { starts_with = \"slow-\" }",
        "header.\"X-Reference-Id\" = [\"a\", \"b\"]",
        "header.\"X-Reference-Id\" = { matches = \"^R[0-9]{4}$\" }",
        "header.\"X-Reference-Id\" = { present = true }",
        "header.\"X-Reference-Id\" = { absent = true }",
    ],
    &[
        "header.\"Idempotency-Key\" = { contains = \"retry\", ends_with = \"-2\" }",
        "header.\"Idempotency-Key\" = \"order-7\"",
    ],
    &[
        "account = \"local_worker7\"",
        "account = { starts_with = \"local_w\" }",
        "account = { ends_with = \"_qa\" }",
        "account = [\"nobody\", \"local\"]",
    ],
    &["environment = \"live\"", "environment = \"test\""],
];

/// The operation, and which of the conditions of each subject are asked, where one is.
fn call_inputs() -> impl Strategy<Value = (usize, Vec<Option<usize>>, Vec<Option<usize>>)> {
    let some = || prop::collection::vec(prop::option::of(0usize..12), 4);
    (0..ROWS.len(), some(), some())
}

/// What can be asked of each of several subjects.
type Subjects = &'static [&'static [&'static str]];

/// The conditions that were drawn, joined.
fn when(of_body: Subjects, body: &[Option<usize>], around: &[Option<usize>]) -> String {
    let drawn = |subjects: Subjects, picks: &[Option<usize>]| -> Vec<&'static str> {
        let picked = subjects.iter().zip(picks);
        let one = |(tests, pick): (&&'static [&'static str], &Option<usize>)| {
            pick.map(|pick| tests[pick % tests.len()])
        };
        picked.filter_map(one).collect()
    };
    let around = drawn(&AROUND, around);
    [drawn(of_body, body), around].concat().join(", ")
}

fn ruled(operation: &str, when: &str) -> Rules {
    let rule = format!(
        "[[scenario]]\nname = \"mine\"\noperation = \"{operation}\"\nwhen = {{ {when} }}\n\
         then = {{ error = \"SVC_SOURCE_TIMEOUT\" }}\n"
    );
    rules(&rule, "")
}

/// Makes the calls of a recipe from the beginning, as somebody does who reads it.
fn played(
    rules: &Rules,
    accounts: &[AccountConfig],
    operation: OperationIndex,
    recipe: &Recipe,
) -> Observed {
    let account =
        find_account(accounts, &recipe.calls[0].caller.account).expect("there is such an account");
    let mut rehearsal = Rehearsal::new(rules, account);
    let mut last = None;
    for ask in &recipe.calls {
        let environment = ask.caller.environment;
        let body = rehearsal.body(environment, operation, &ask.set);
        let key = rehearsal.key(environment);
        let target = CallTarget::Operation(operation);
        let spec = CallSpec::by(&ask.caller, &key, target, &body);
        last = (0..ask.times).map(|_| rehearsal.call(&spec)).last();
    }
    last.expect("a recipe has a call")
}

#[test]
fn every_input_that_is_offered_for_a_rule_is_decided_by_it() {
    let all = read_accounts(&accounts()).unwrap_or_else(|problems| panic!("{problems}"));
    let local = find_account(&all, "local").expect("it is built in");
    let config = Config {
        cases: 96,
        failure_persistence: None,
        ..Config::default()
    };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, random);
    let outcome = Goal::Error(ErrorCode::SourceTimeout);
    let ran = runner.run(&call_inputs(), |(row, body, around)| {
        let (id, subjects) = ROWS[row];
        let when = when(subjects, &body, &around);
        let rules = ruled(id, &when);
        let operation = rules.contract.operation_index(id).expect("it is a row");
        let recipes = recipes(&rules, &all, &local, Environment::Test, operation);
        let mut of_it = recipes.iter().filter(|(found, _)| *found == outcome);
        let recipe = of_it.next().and_then(|(_, recipe)| recipe.as_ref());
        let case = format!("{id}: {when}");
        let recipe = recipe.ok_or_else(|| TestCaseError::fail(format!("no recipe: {case}")))?;
        prop_assert!(
            recipe.because.starts_with("scenario \"mine\""),
            "{case}: {}",
            recipe.because
        );
        let observed = played(&rules, &all, operation, recipe);
        prop_assert_eq!(
            observed.code(),
            Some("SVC_SOURCE_TIMEOUT"),
            "{}: {:?}",
            case,
            recipe.calls
        );
        prop_assert_eq!(observed.because.to_string(), recipe.because.as_str());
        Ok(())
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
}
