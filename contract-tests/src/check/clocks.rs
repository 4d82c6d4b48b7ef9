//! Time: accounts have clocks of their own, which go forward only; keys that were rotated end by them.

use super::control::{advance, control, fresh};
use super::entry::{Cases, Check, Stage};
use crate::capture::Credential;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};
use svc_fixtures::contract::ErrorCode;

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "clocks.own",
        title: "An account's clock goes forward, never back, and takes no other account's along",
        clauses: &["ruling.24-account-clock"],
        stage: Stage::Sandbox,
        cases: Cases::Once(own),
    },
    Check {
        id: "clocks.rotated-key",
        title: "A rotated key works for its 24 hours and not a moment longer",
        clauses: &["auth.rotation", "limits.rotated-key"],
        stage: Stage::Sandbox,
        cases: Cases::Once(rotated_key),
    },
];

fn own(_: &Setting<'_>) -> Option<Vec<Case>> {
    let clause = "ruling.24-account-clock";
    let mut case = Case::new("forward and back").extension();
    fresh(&mut case);
    let other = "/control/accounts/{account}-b/clock";
    case.push(RequestTemplate::console(
        "POST",
        other,
        r#"{"freeze": true}"#,
    ));
    let before = case.push(RequestTemplate::console("GET", other, ""));
    let set = r#"{"set": "2041-01-01T00:00:00Z"}"#;
    let step = control(&mut case, "POST", "clock", set);
    case.expect(step, clause, Rule::is(["now"], "2041-01-01T00:00:00.000Z"));
    for (back, status) in [("2041-01-01T00:00:00Z", 200), ("2040-12-31T23:59:59Z", 400)] {
        let body = format!(r#"{{"set": "{back}"}}"#);
        let path = "/control/accounts/{account}/clock";
        let step = case.push(RequestTemplate::console("POST", path, &body));
        case.expect(step, clause, Rule::Status(status));
    }
    case.push(RequestTemplate::console("GET", other, ""));
    Some(vec![case.expecting(clause, Rule::SameBytes(before))])
}

/// A minute off the moment: the clock of a console that does not make it stand still goes on meanwhile, and a slow
/// service needs more than a moment for the calls between.
fn rotated_key(setting: &Setting<'_>) -> Option<Vec<Case>> {
    let minute = until_its_end(setting, "a minute before its end and after", 60_000);
    Some(vec![minute])
}

fn until_its_end(setting: &Setting<'_>, name: &str, before_ms: u64) -> Case {
    let mut case = Case::new(name).extension();
    fresh(&mut case);
    control(
        &mut case,
        "POST",
        "keys/rotate",
        r#"{"environment": "test"}"#,
    );
    let works_ms = setting.contract.service.rotated_key_ms;
    for (by_ms, old_ends) in [
        (works_ms - before_ms, Ending::Completed),
        (before_ms, Ending::Error(ErrorCode::AuthInvalid)),
    ] {
        advance(&mut case, by_ms);
        for (credential, ending) in [
            (Credential::Own, old_ends),
            (Credential::Rotated, Ending::Completed),
        ] {
            let step = case.push(RequestTemplate::get("/v1/usage").by(credential));
            let clauses = ["auth.rotation", "limits.rotated-key"];
            case.expect_each(step, clauses, &Rule::Ends(ending));
        }
    }
    case
}
