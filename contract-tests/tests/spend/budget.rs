//! What may be spent, and what stops a run: exit codes and what reached the service.

use std::process::Command;
use std::sync::Arc;

use svc_fixtures::contract::{Contract, Environment};

use crate::server::{
    Bank, LIVE_KEY, Reply, Server, both, calls, ended, fresh_file, lying, retold, run,
};

#[test]
fn without_a_budget_a_real_live_service_gets_only_calls_that_cost_nothing() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let (code, report, problems) = ended(run(&sandbox, &live).args(["--check", "authentication"]));
    assert_eq!(code, Some(0), "{report}{problems}");
    assert!(!live.sent().is_empty());
    assert_eq!(bank.charged(), 0);
    let shown = |server: &Server| {
        let headers = server.sent().into_iter().flat_map(|sent| sent.headers);
        headers
            .filter(|(_, value)| value.contains(LIVE_KEY))
            .count()
    };
    // Both are on one host, of which every operation, the usage and one path more are asked whether they take live's key
    // on the sandbox; nothing else shows it.
    let operations = Contract::built_in().operations.into_iter();
    let asked = operations.filter(|row| !row.extension).count() + 2;
    assert_eq!(shown(&sandbox), asked);
}

#[test]
fn what_can_cost_something_is_left_out_without_a_budget_and_said_so() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    for budget in [&[][..], &["--budget-inr", "0"]] {
        let mut command = run(&sandbox, &live);
        let (code, report, _) = ended(command.args(["--tag", "live"]).args(budget));
        assert_eq!(code, Some(4), "nothing was judged: {report}");
        assert!(
            report.contains("the budget is 0: see --budget-inr"),
            "{report}"
        );
    }
    assert_eq!((calls(&live, 2), bank.charged()), (0, 0));
}

#[test]
fn a_budget_that_covers_all_is_not_used_up_and_the_run_is_green() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let file = fresh_file("covers-all");
    let mut command = run(&sandbox, &live);
    let command = command.args(["--tag", "live", "--operation", "verify.identity.pan"]);
    let command = command.args(["--budget-inr", "100", "--spend-file", &file]);
    let (code, report, problems) = ended(command);
    assert_eq!(code, Some(0), "{report}{problems}");
    assert!(bank.charged() > 0);
    assert!(problems.contains("INR of 100 INR;"), "{problems}");
    // It came to its own end: the next one begins anew.
    assert_eq!(ended(command).0, Some(0));
}

#[test]
fn what_the_budget_does_not_cover_is_left_out_before_anything_is_sent() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let file = fresh_file("stops");
    let mut command = run(&sandbox, &live);
    let command = command.args(["--tag", "live", "--spend-file", &file]);
    let (code, report, problems) = ended(command.args(["--budget-inr", "20.50"]));
    // Something of every check is left out: none passed, and yet much was judged.
    assert_eq!(code, Some(0), "{report}{problems}");
    assert!(report.contains("\n0 passed, 0 failed,"), "{report}");
    assert!(!report.contains("nothing was judged"), "{report}");
    assert!(!problems.contains("stopped"), "{problems}");
    assert!((1..=2050).contains(&bank.charged()), "{}", bank.charged());
    assert!(
        !report.contains("passed  billing.replay"),
        "it was not sent: {report}"
    );
    assert!(report.contains("left out: its calls can cost"), "{report}");
}

#[test]
fn fifty_rupees_judge_fifteen_operations_and_the_dry_run_says_which_ceiling() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let mut command = run(&sandbox, &live);
    let command = command.args(["--tag", "live", "--profile", "provider"]);
    let (code, report, problems) = ended(command.args(["--budget-inr", "50", "--dry-run"]));
    assert_eq!(code, Some(0), "{problems}");
    let sums: Vec<_> = report.lines().rev().take(3).collect();
    insta::assert_snapshot!(sums.into_iter().rev().collect::<Vec<_>>().join("\n"), @"
    paid calls judge 16 operations by 10 clauses; 171 cases are left out as too dear
    the budget is 50 INR: what it does not cover is left out, and not counted here
    nothing was sent
    ");
    let file = fresh_file("fifty");
    let mut command = run(&sandbox, &live);
    let command = command.args(["--tag", "live", "--profile", "provider"]);
    let (code, report, problems) =
        ended(command.args(["--budget-inr", "50", "--spend-file", &file]));
    assert_eq!(code, Some(0), "{report}{problems}");
    assert!(bank.charged() <= 5000, "{}", bank.charged());
    let judged: std::collections::BTreeSet<_> = live.sent().into_iter().map(|it| it.path).collect();
    assert!(judged.len() >= 15, "{judged:?}");
}

#[test]
fn a_run_that_goes_on_sends_nothing_again_that_was_answered() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let file = fresh_file("sends-nothing-again");
    let go = |resume: &[&str]| {
        let mut command = run(&sandbox, &live);
        let command = command.args(["--tag", "live", "--operation", "verify.identity.pan"]);
        let command = command.args(["--budget-inr", "100", "--spend-file", &file]);
        ended(command.args(resume))
    };
    let clauses = |report: &str| {
        let mut lines = report.lines();
        let line = lines.find(|line| line.starts_with("clauses: "));
        line.expect("the clauses are counted").to_owned()
    };
    let (code, first, problems) = go(&[]);
    assert_eq!(code, Some(0), "{first}{problems}");
    let (sent, charged) = (calls(&live, 1), bank.charged());
    let journal = std::fs::read_to_string(&file).expect("a journal");
    let broken_off = journal.trim_end().strip_suffix("\"ended\"");
    std::fs::write(&file, broken_off.expect("its end")).expect("it can be written");
    let (code, report, problems) = go(&["--resume"]);
    assert_eq!(code, Some(0), "{report}{problems}");
    assert!(
        report.contains(" passed  billing.conclusive (0 requests"),
        "{report}"
    );
    assert_eq!(
        clauses(&report),
        clauses(&first),
        "what was judged before counts"
    );
    assert_eq!((calls(&live, 2), bank.charged()), (sent, charged));
    // That one came to its end: what the service does now is asked anew.
    let (code, report, problems) = go(&["--resume"]);
    assert_eq!(code, Some(0), "{report}{problems}");
    assert_eq!((calls(&live, 3), bank.charged()), (2 * sent, 2 * charged));
}

/// All that is planned is under way at once: nothing is left to be left out when it turns out to be dear.
#[test]
fn what_was_spent_over_the_budget_is_never_green() {
    let bank = Bank::new();
    let sandbox = both(&bank).0;
    let live = Server::start(move |sent| {
        let answer = bank.answer(Environment::Live, sent);
        lying(answer, None, true, "25")
    });
    let mut command = run(&sandbox, &live);
    let (file, report) = (
        fresh_file("over-the-budget"),
        fresh_file("over-the-budget-report"),
    );
    let command = command.args(["--check", "billing.conclusive", "--spend-file", &file]);
    let command = command.args([
        "--operation",
        "verify.identity.pan",
        "--report-json",
        &report,
    ]);
    let (code, said, problems) = ended(command.args(["--budget-inr", "5"]));
    assert_eq!(code, Some(5), "{said}{problems}");
    let over = "25 INR were spent of a budget of 5 INR";
    assert!(problems.contains(over), "{problems}");
    let report = std::fs::read_to_string(report).expect("a report");
    assert!(report.contains("\"spent_inr\": 25.0"), "{report}");
}

#[test]
fn the_journal_belongs_to_host_and_key_wherever_the_run_is_started() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let folder = format!("{}/data-of-a-user", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = run(&sandbox, &live);
    let command = command.env("XDG_DATA_HOME", &folder).current_dir("/");
    let command = command.args(["--check", "billing.conclusive", "--budget-inr", "10"]);
    let (code, report, problems) = ended(command);
    assert_eq!(code, Some(0), "{report}{problems}");
    let folder = std::fs::read_dir(format!("{folder}/svc-contract-tests")).expect("it is there");
    let names: Vec<_> = folder.map(|file| file.expect("a file").path()).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let text = std::fs::read_to_string(&names[0]).expect("text");
    assert!(
        text.contains("reserved") && !text.contains(LIVE_KEY),
        "{text}"
    );
}

#[test]
fn a_sandbox_that_says_it_charged_stops_the_run_at_once() {
    let bank = Bank::new();
    let live = both(&bank).1;
    for (from, to) in [
        ("\"charged\":false", "\"charged\":true"),
        ("\"amount\":0", "\"amount\":2.5"),
    ] {
        let bank = Arc::clone(&bank);
        let sandbox =
            Server::start(move |sent| retold(bank.answer(Environment::Test, sent), &[(from, to)]));
        let (code, report, problems) = ended(&mut run(&sandbox, &live));
        assert_eq!(code, Some(1), "{report}");
        assert!(report.contains("billing.sandbox-free: broken"), "{report}");
        assert!(
            problems.contains("the test service says charged"),
            "{problems}"
        );
        assert_eq!(calls(&sandbox, 1), 1, "nothing was sent after it");
    }
}

/// A list that says a price of each, and one of the first.
fn price_list(name: &str, text: &str) -> String {
    let path = format!("{}/{name}.toml", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, text).expect("it can be written");
    path
}

#[test]
fn what_is_dearer_than_presumed_costs_that_from_then_on_and_the_run_goes_on() {
    let bank = Bank::new();
    let sandbox = both(&bank).0;
    let live = Server::start(move |sent| {
        let answer = bank.answer(Environment::Live, sent);
        lying(answer, None, true, "9")
    });
    let file = fresh_file("dearer");
    let mut command = run(&sandbox, &live);
    let command = command.args(["--check", "billing.conclusive", "--spend-file", &file]);
    let command = command.args(["--check", "billing.replay"]);
    let command = command.args(["--operation", "verify.identity.pan"]);
    // What is planned is 26: one call of at most 5, another operation's of at most 1, and four.
    let (code, report, problems) = ended(command.args(["--budget-inr", "26"]));
    assert_eq!(code, Some(5), "{report}{problems}");
    assert!(report.contains("clauses: 0 broken"), "{report}");
    assert!(
        problems.contains("the next call can cost 37 INR, and 17 INR of the budget of 26 INR"),
        "{problems}"
    );
    assert_eq!(calls(&live, 1), 1, "the second case is left out");
}

#[test]
fn a_listed_price_is_reserved_and_judged() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let go = |price: &str, budget: &str| {
        let list = price_list("listed", &format!("\"verify.identity.pan\" = {price}\n"));
        let file = fresh_file("listed");
        let mut command = run(&sandbox, &live);
        let command = command.args(["--check", "billing.conclusive", "--spend-file", &file]);
        let command = command.args(["--operation", "verify.identity.pan", "--prices", &list]);
        ended(command.args(["--budget-inr", budget]))
    };
    let (code, report, problems) = go("2.5", "2.5");
    assert_eq!(code, Some(0), "{report}{problems}");
    assert!(problems.contains("spent 2.5 INR of 2.5 INR"), "{problems}");
    let (code, report, problems) = go("3", "9");
    assert_eq!(code, Some(1), "{report}{problems}");
    let broken = "billing.hold: broken in the one case that asks for it";
    assert!(report.contains(broken), "{report}");
    let (code, report, problems) = go("2", "9");
    assert_eq!(code, Some(1), "{report}{problems}");
    assert!(
        problems.contains("the call can cost 2 INR at most"),
        "{problems}"
    );
    let (code, _, problems) = go("2.505", "9");
    assert_eq!(code, Some(2), "{problems}");
    assert!(
        problems.contains("this is no price of `verify.identity.pan`"),
        "{problems}"
    );
}

#[test]
fn a_live_service_that_charges_more_than_the_price_stops_the_run_at_once() {
    let bank = Bank::new();
    let sandbox = both(&bank).0;
    let live = Server::start(move |sent| {
        let answer = bank.answer(Environment::Live, sent);
        retold(
            answer,
            &[(
                "\"charged\":true,\"amount\":",
                "\"charged\":true,\"amount\":9",
            )],
        )
    });
    let file = fresh_file("overcharged");
    let mut command = run(&sandbox, &live);
    let command = command.args(["--check", "billing.conclusive", "--spend-file", &file]);
    let command = command.args(["--profile", "simulator"]);
    let (code, report, problems) = ended(command.args(["--budget-inr", "5000"]));
    assert_eq!(code, Some(1), "{report}{problems}");
    assert!(report.contains("billing.hold: broken"), "{report}");
    assert!(
        problems.contains("the live service says charged"),
        "{problems}"
    );
    assert_eq!(calls(&live, 1), 1, "nothing was sent after it");
}

#[test]
fn a_live_service_that_charges_for_a_refusal_stops_the_run_at_once() {
    let bank = Bank::new();
    let sandbox = both(&bank).0;
    let live = Server::start(move |sent| {
        let answer = bank.answer(Environment::Live, sent);
        let changes = [
            ("\"charged\":false", "\"charged\":true"),
            ("\"amount\":0", "\"amount\":1"),
        ];
        retold(answer, &changes)
    });
    let (code, report, problems) = ended(run(&sandbox, &live).args(["--check", "envelope.error"]));
    assert_eq!(code, Some(1), "{report}{problems}");
    assert!(
        report.contains("billing.failures-are-free: broken"),
        "{report}"
    );
    assert_eq!(calls(&live, 1), 1, "nothing was sent after it");
}

#[test]
fn calls_without_an_answer_count_as_spent() {
    let bank = Bank::new();
    let sandbox = both(&bank).0;
    let live = Server::start(|_| Reply::HangsUp);
    let file = fresh_file("hangs-up");
    let mut command = run(&sandbox, &live);
    let command = command.args(["--tag", "live", "--operation", "verify.identity.pan"]);
    let command = command.args(["--budget-inr", "100", "--spend-file", &file]);
    let (code, _, problems) = ended(command);
    assert_eq!(code, Some(3), "{problems}");
    assert!(
        problems.contains("for calls whose outcome is unknown"),
        "{problems}"
    );
}

#[test]
fn a_dry_run_prints_calls_and_ceiling_and_sends_nothing() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let mut command = run(&sandbox, &live);
    let command = command.args(["--dry-run", "--check", "billing.", "--profile", "provider"]);
    let command = command.args(["--operation", "verify.identity.pan"]);
    let (code, report, problems) = ended(command);
    assert_eq!(code, Some(0), "{problems}");
    insta::assert_snapshot!(report, @"
    check                                    environment   calls  dearest INR  at most INR
    billing.sandbox                          test              1            0            0
    billing.conclusive                       live              1            5            5
    billing.replay                           live              5            5           21

    test: 1 calls, 0 of them can cost something, 0 INR at most
    live: 6 calls, 6 of them can cost something, 26 INR at most

    ceiling: 26 INR, each call counted once
    the budget is 0: cases with a call that can cost something are left out
    nothing was sent
    ");
    assert!(sandbox.sent().is_empty() && live.sent().is_empty());
}

#[test]
fn a_key_of_the_other_environment_is_recognised_by_its_address_and_nothing_is_sent() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let (code, _, problems) = ended(run(&sandbox, &live).args(["--api-key", "svc_live_other"]));
    assert_eq!(code, Some(2));
    assert!(
        problems.contains("it is for --live-url, not for --base-url"),
        "{problems}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    let command = command.args(["run", "--base-url", &sandbox.url, "--live-url", &live.url]);
    let (code, _, problems) = ended(command.args(["--live-key", "svc_test_other"]));
    assert_eq!(code, Some(2));
    assert!(
        problems.contains("it is for --base-url, not for --live-url"),
        "{problems}"
    );
    assert!(sandbox.sent().is_empty() && live.sent().is_empty());
}
