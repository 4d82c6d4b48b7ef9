//! `explain` of calls with headers, and of rules that look at who calls and how.

use super::dry::folder;
use super::{WORKS, run};

const RULES: &str = r#"
[[scenario]]
name = "slow orders"
operation = "verify.identity.pan"
when = { header."X-Reference-Id" = { starts_with = "slow-" } }
then = { error = "SVC_SOURCE_TIMEOUT" }

[[scenario]]
name = "one key"
operation = "verify.identity.pan"
when = { header."Idempotency-Key" = "order-7", environment = "live" }
then = { error = "SVC_PROVIDER_ERROR" }

[[scenario]]
name = "one worker"
operation = "verify.identity.pan"
when = { account = { ends_with = "worker7" } }
then = { error = "SVC_SOURCE_UNAVAILABLE" }
"#;

#[test]
fn headers_of_the_call_are_looked_at() {
    let folder = folder("explain-headers", RULES).display().to_string();
    let call = ["explain", "verify.identity.pan", "--scenarios", &folder];
    let headers = ["--reference-id", "slow-1", "--idempotency-key", "k-1"];
    let (code, out, _) = run("", &[&call[..], &headers].concat());
    assert_eq!(code, 0);
    let (head, _) = out.split_once("\nEvery outcome").expect(WORKS);
    insta::assert_snapshot!(head.replace(&folder, "FOLDER"), @r#"
    verify.identity.pan {"pan":"AAAAA0000A"}
    of local, test
    with X-Reference-Id "slow-1"
    with Idempotency-Key "k-1"

    Answer
      504 SVC_SOURCE_TIMEOUT
      scenario "slow orders" in FOLDER/team.toml:2
        X-Reference-Id is "slow-1"

    Holds too, and comes later
      "PAN that exists" in (built in) scenarios/samples.toml:5

    Came close
      "the last digits are the status: 500" in (built in) scenarios/universal.toml:11
        pan is "AAAAA0000A", and must be one of "AAAAA0500A", "AAA-0500", "27AAAAA0500A1Z5" and 30 more
    "#);
}

#[test]
fn an_outcome_says_which_header_and_whose_key_it_needs() {
    let folder = folder("explain-callers", RULES).display().to_string();
    let call = ["explain", "verify.identity.pan", "--scenarios", &folder];
    let (code, out, _) = run("", &call);
    assert_eq!(code, 0);
    let wanted = [
        "SVC_SOURCE_TIMEOUT",
        "SVC_PROVIDER_ERROR",
        "SVC_SOURCE_UNAVAILABLE",
    ];
    let lines = out.replace(&folder, "FOLDER");
    let lines = lines
        .lines()
        .filter(|line| wanted.iter().any(|code| line.contains(code)));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @"
    SVC_PROVIDER_ERROR            502  svc-simulator try verify.identity.pan --scenarios FOLDER --live --idempotency-key order-7
    SVC_SOURCE_UNAVAILABLE        503  svc-simulator try verify.identity.pan --scenarios FOLDER --account local_workerworker7
    SVC_SOURCE_TIMEOUT            504  svc-simulator try verify.identity.pan --scenarios FOLDER --reference-id slow--1042
    ");
}

#[test]
fn the_commands_that_are_printed_do_what_they_say() {
    let folder = folder("explain-played", RULES).display().to_string();
    let call = ["explain", "verify.identity.pan", "--scenarios", &folder];
    let (_, out, _) = run("", &call);
    let (_, table) = out.split_once("\nEvery outcome\n").expect(WORKS);
    let mut played = 0;
    for line in table.lines() {
        let Some((row, command)) = line.split_once("svc-simulator ") else {
            continue;
        };
        let words: Vec<&str> = command
            .split(' ')
            .map(|word| word.trim_matches('\''))
            .collect();
        let (code, answers, _) = run("", &words);
        let outcome = row.split_whitespace().next().expect(WORKS);
        let last = answers.lines().last().unwrap_or_default();
        assert!(
            code == 0 && last.contains(&format!("\"{outcome}\"")),
            "{line}: {last}"
        );
        played += 1;
    }
    assert!(played > 10, "{played}");
}
