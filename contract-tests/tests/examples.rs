//! The messages about mistakes in examples, and what is made of those without any.

use svc_contract_tests::capture::Credential;
use svc_contract_tests::example::read;
use svc_contract_tests::plan::{Case, Ending, Payload, Place, Predicate, Rule};
use svc_fixtures::contract::{Contract, Environment};
use svc_fixtures::reading::Source;

fn cases(text: &str) -> Result<Vec<Case>, String> {
    let source = Source::new("examples/sample.toml", text);
    let families = read(&Contract::built_in(), &[source]);
    let families = families.map_err(|problems| problems.to_string())?;
    Ok(families
        .into_iter()
        .flat_map(|family| family.cases)
        .collect())
}

/// The titles of all mistakes, each with its hint.
fn mistakes(text: &str) -> String {
    let message = cases(text).expect_err("there are mistakes");
    let lines = message.lines().map(str::trim);
    let kept = lines.filter(|line| line.starts_with("error:") || line.contains("help:"));
    kept.collect::<Vec<_>>().join("\n")
}

/// One call of an operation with these lines.
fn call(lines: &str) -> String {
    format!(
        "[[case]]\nname = \"a\"\nclause = \"identity.pan\"\n[[case.call]]\nas = \"first\"\n\
         operation = \"verify.identity.pan\"\n[[case.call]]\noperation = \"verify.identity.pan\"\n{lines}\n"
    )
}

#[test]
fn a_case_becomes_steps_with_what_is_sent_carried_and_expected() {
    let text = r#"body = { pan = "AAAAA0000A" }
        carry = { name = "first:data/nameOnPan" }
        ends = "SVC_INVALID_INPUT"
        clause = "errors.invalid-input"
        expect = { "error/message" = { contains = "name" } }"#;
    let cases = cases(&call(text)).expect("no mistake");
    let [case] = cases.as_slice() else {
        panic!("one case")
    };
    assert_eq!(case.operation.as_deref(), Some("verify.identity.pan"));
    let step = &case.steps[1];
    assert_eq!(step.request.path, "/v1/verify/identity/pan");
    assert!(
        matches!(&step.request.payload, Payload::Json(body) if body.as_object().is_some_and(|it| it.len() == 1))
    );
    assert_eq!(step.request.carries[0].from, 0);
    assert_eq!(
        step.request.carries[0].place,
        Place::of(["data", "nameOnPan"])
    );
    assert_eq!(step.expect.len(), 2);
    assert!(
        step.expect
            .iter()
            .all(|one| one.clause == "errors.invalid-input")
    );
    assert!(matches!(
        &step.expect[1].rule,
        Rule::Value(_, Predicate::Contains(_))
    ));
    assert_eq!(case.steps[0].expect[0].rule, Rule::Ends(Ending::Completed));
    assert!(!case.extension);
}

#[test]
fn keys_accounts_and_bundles_are_asked_of_simulators_only() {
    let made = |lines: &str| cases(&call(lines)).expect("no mistake").remove(0);
    assert!(made("key = \"blocked\"").extension);
    let other = made("account = \"second\"");
    assert_eq!(
        other.steps[1].request.credential,
        Credential::Another("second".to_owned())
    );
    assert!(other.extension);
    let bundle = "[[case]]\nname = \"a\"\nclause = \"identity.pan\"\nenvironments = [\"test\", \"live\"]\n\
                  [[case.call]]\nbundle = \"fraud-check\"\n";
    let made = cases(bundle).expect("no mistake");
    let environments: Vec<_> = made.iter().map(|case| case.environment).collect();
    assert_eq!(environments, Environment::ALL);
    assert!(made.iter().all(|case| case.extension));
}

#[test]
fn a_mistake_is_reported_with_its_line() {
    let message = cases(&call("ends = \"SVC_NO_RECORD\"")).expect_err("a mistake");
    insta::assert_snapshot!(message, @r#"
    error: the ending `SVC_NO_RECORD` is not known
     --> examples/sample.toml:9:8
      |
    9 | ends = "SVC_NO_RECORD"
      |        ^^^^^^^^^^^^^^^
      |
      = help: did you mean `SVC_NO_RECORD_FOUND`?

    1 mistake found
    "#);
}

#[test]
fn unknown_names_are_reported_with_the_nearest_that_is_known() {
    let text = r#"
        [[case]]
        name = "a"
        clause = "identity.pam"
        enviroment = "live"
        [[case.call]]
        operation = "verify.identity.pam"
        [[case.call]]
        bundle = "fraud"
        [[case.call]]
        operation = "verify.identity.pan"
        body = { pann = "AAAAA0000A" }
        carry = { nam = "first:data/name" }
        expect = { "data/nmae" = "A", "data/pan/x" = 1, "data/name" = { equals = 1 }, "dta" = 1 }
        [[case]]
        name = "a"
        clause = "identity.pan"
        environment = "prod"
    "#;
    insta::assert_snapshot!(mistakes(text), @"
    error: clause `identity.pam` is not known
    = help: did you mean `identity.pan`?
    error: `enviroment` is not known here
    = help: did you mean `environment`?
    error: operation `verify.identity.pam` is not known
    = help: did you mean `verify.identity.pan`?
    error: bundle `fraud` is not known
    = help: did you mean `fraud-check`?
    error: the field `pann` is not known
    = help: did you mean `pan`?
    error: the field `nam` is not known
    = help: did you mean `name`?
    error: the earlier call `first` is not known
    = help: nothing is known here
    error: there is no `nmae` here
    = help: did you mean `name`?
    error: there is no `x` here
    = help: this value has nothing inside it
    error: the test `equals` is not known
    = help: known here: absent, at_least, at_most, contains, each, has, if_present, length, less_than, matches, not, one_of, other_than, present, same_as, tells, type
    error: there is no `dta` here
    = help: did you mean `data`?
    error: a case has at least one `[[case.call]]`
    error: another case of this file is called `a`, too
    error: environment `prod` is not known
    = help: known here: live, test
    ");
}

#[test]
fn what_cannot_be_meant_is_reported() {
    let lines = [
        "get = \"/v1/usage\"",
        "expect = { \"data//x\" = 1 }",
        "expect = { \"data/name\" = { absent = false } }",
        "expect = { \"data/name\" = {} }",
        "expect = { \"data/name\" = { matches = \"(\" } }",
        "expect = { \"data/name\" = { type = \"text\" } }",
        "expect = { \"data/name\" = { same_as = \"data/name\" } }",
        "carry = { \"{}\" = \"first:data/name\" }",
        "ends = { status = 70000, code = \"SVC_NOT_FOUND\" }",
        "key = \"local\"\naccount = \"b\"",
    ];
    let messages: Vec<_> = lines.iter().map(|line| mistakes(&call(line))).collect();
    insta::assert_snapshot!(messages.join("\n"), @"
    error: a call has one of operation, bundle, post, get
    error: `data//x` is no place
    = help: names and positions with a slash between them: `data/companies/0/cin`
    error: only true is said here
    = help: the opposite of `absent` is `present`
    error: this table says nothing that must hold
    error: regex parse error:
    error: unclosed group
    error: the type `text` is not known
    = help: known here: array, bool, int, null, num, object, string
    error: this names no value of an earlier answer
    = help: written as the `as` of an earlier call, a colon and a place: `first:data/name`
    error: the path has no `{}` to put this in
    error: this is no HTTP status
    error: a call has `key` or `account`, not both
    ");
}

#[test]
fn a_case_without_calls_or_clause_is_reported() {
    let text = "[[case]]\nname = \"a\"\n[[case]]\nname = \"b\"\n[[case.call]]\nget = \"/usage\"\n";
    insta::assert_snapshot!(mistakes(text), @"
    error: a case has at least one `[[case.call]]`
    error: neither the case nor this call says which `clause` it proves
    error: a path begins with `/v1/`
    ");
}
