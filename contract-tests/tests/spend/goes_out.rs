//! How a run goes out: repeats, several checks at once, where it stops, and what a console says.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::{CheckResult, Event, Totals};
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::target::probe_console;
use svc_contract_tests::verdict::Verdict;
use svc_fixtures::contract::{Contract, Environment};
use svc_tls::Tls;

use crate::server::{Bank, Reply, Server, both, calls, ended, fresh_file, retold, run};
use crate::support::{self, InProcess};

/// A server that does this first, so often, and then answers as a sandbox; it takes the key in any case.
fn server(first: Reply, times: usize) -> Server {
    let (bank, before) = (Bank::new(), AtomicUsize::new(0));
    Server::start(
        move |sent| match before.fetch_add(1, Ordering::SeqCst).checked_sub(1) {
            Some(calls) if calls < times => first.clone(),
            _ => bank.answer(Environment::Test, sent),
        },
    )
}

fn limited(after: &str) -> Reply {
    let headers = vec![("retry-after".to_owned(), after.to_owned())];
    Reply::Says(429, headers, b"{}".to_vec())
}

/// What is said of one clause by a sandbox that does this first, so often.
fn told(first: Reply, times: usize) -> (Option<i32>, String, usize) {
    let bank = Bank::new();
    let live = both(&bank).1;
    let sandbox = server(first, times);
    let mut command = run(&sandbox, &live);
    command.args(["--clause", "sandbox.pan-success", "--check", "identifiers."]);
    let (code, report, problems) = ended(&mut command);
    (code, report + &problems, sandbox.sent().len())
}

#[test]
fn a_case_without_a_whole_answer_is_tried_again_and_not_broken() {
    let (usual, report, sent) = told(Reply::HangsUp, 0);
    assert_eq!(usual, Some(0), "{report}");
    let (code, report, more) = told(Reply::HangsUp, 1);
    assert_eq!((code, more), (Some(0), sent + 1), "{report}");
    let (code, report, more) = told(Reply::HangsUp, 2);
    assert_eq!((code, more), (Some(0), sent + 2), "{report}");
    let (_, report, _) = told(Reply::HangsUp, 3);
    assert!(report.contains("no whole answer in 3 tries: "), "{report}");
    assert!(!report.contains("\nbroken: "), "{report}");
}

#[test]
fn a_429_that_never_ends_is_broken() {
    let (code, report, _) = told(limited("0"), usize::MAX);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("seen always, in 6 tries"), "{report}");
}

#[test]
fn a_429_that_breaks_the_contract_is_reported_although_the_repeat_is_sound() {
    let bank = Bank::new();
    let live = both(&bank).1;
    let sandbox = server(limited("0"), 1);
    let (code, report, _) = {
        let mut command = run(&sandbox, &live);
        ended(command.args(["--clause", "sandbox.pan-success"]))
    };
    assert_eq!(code, Some(1), "{report}");
    assert!(
        report.contains("the answer is no envelope, it has no "),
        "{report}"
    );
}

/// What is reported of some checks, and the sum.
fn reported(limits: RunLimits) -> (Vec<CheckResult>, Totals) {
    let contract = Contract::built_in();
    let setting = support::setting(&contract);
    let target = InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let mut checks = check::all();
    checks.retain(|check| check.id.starts_with("identifiers.") || check.id.starts_with("flows."));
    let mut judged = Vec::new();
    let mut emit = |event: &mut Event| {
        if let Event::CheckFinished(one) = event {
            judged.push(one.clone());
        }
    };
    let filter = Filter::default();
    let ran = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    let (_, summary) = support::block_on(ran);
    (judged, summary)
}

#[test]
fn checks_run_at_once_are_reported_in_the_same_order_with_the_same_verdicts() {
    let jobs = |jobs| RunLimits {
        jobs: NonZeroUsize::new(jobs).expect("more than none"),
        ..RunLimits::default()
    };
    assert_eq!(reported(jobs(1)), reported(jobs(5)));
}

/// How many cases were sent of two checks that break something, where one failure is enough, and the
/// sum.
fn broken(known: Option<&str>) -> (usize, Totals) {
    let contract = Contract::built_in();
    let setting = support::setting(&contract);
    let target = InProcess::new(support::accounts());
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let mut checks = check::all();
    checks.retain(|check| check.id.starts_with("flows."));
    checks.truncate(2);
    let mut emit = |event: &mut Event| {
        if let Event::CheckFinished(judged) = event {
            judged.findings[0].verdict = Verdict::Broken {
                clause: "a.clause".to_owned(),
                what: "something".to_owned(),
                expected: "1".to_owned(),
                found: "2".to_owned(),
                known: known.map(str::to_owned),
                seen: None,
            };
        }
    };
    let limits = RunLimits {
        max_failures: NonZeroUsize::new(1),
        ..RunLimits::default()
    };
    let filter = Filter::default();
    let ran = run::run(&setting, &checks, &filter, limits, &client, &mut emit);
    let (capture, summary) = support::block_on(ran);
    (capture.cases.len(), summary)
}

#[test]
fn what_is_known_is_no_failure_that_ends_a_run() {
    let (news, known) = (broken(None), broken(Some("reported to the vendor")));
    assert!(news.0 < known.0, "a failure ends the run");
    assert_eq!((news.1.failed, news.1.known), (2, 0));
    assert_eq!((known.1.failed, known.1.known), (0, 2));
}

#[test]
fn after_so_many_failures_no_further_check_is_begun() {
    let bank = Bank::new();
    let live = both(&bank).1;
    let sandbox = Server::start(move |sent| {
        let answer = bank.answer(Environment::Test, sent);
        retold(answer, &[("\"success\"", "\"succeeded\"")])
    });
    let mut command = run(&sandbox, &live);
    let command = command.args(["--check", "authentication.", "--max-failures", "2"]);
    let (code, report, _) = ended(command);
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("2 failed"), "{report}");
    assert!(
        report.contains("not sent: 2 checks failed before"),
        "{report}"
    );
}

#[test]
fn a_sandbox_s_own_inputs_are_asked_for_and_mistakes_in_them_are_reported() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let file = fresh_file("inputs");
    let text = "[[input]]\nclause = \"sandbox.deterministic\"\nformat = \"pan\"\n\
                value = \"AAAAA0503A\"\nidentifies = true\nends = \"SVC_SOURCE_UNAVAILABLE\"\n";
    let run = |text: &str| {
        std::fs::write(&file, text).expect("it can be written");
        let mut command = run(&sandbox, &live);
        ended(command.args(["--clause", "sandbox.deterministic", "--inputs", &file]))
    };
    let asked = || {
        let sent = sandbox.sent().into_iter();
        sent.filter(|sent| String::from_utf8_lossy(&sent.body).contains("AAAAA0503A"))
            .count()
    };
    let (code, report, problems) = run(text);
    assert_eq!((code, asked() > 0), (Some(0), true), "{report}{problems}");
    let before = sandbox.sent().len();
    let (code, _, problems) = run(&text.replace("\"pan\"", "\"pam\""));
    assert_eq!(code, Some(2));
    assert!(
        problems.contains(":3:") && problems.contains("did you mean `pan`?"),
        "{problems}"
    );
    assert_eq!(sandbox.sent().len(), before, "nothing was sent");
}

#[test]
fn a_filter_that_lets_nothing_through_is_a_mistake() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let refused = |arguments: &[&str]| {
        let (code, _, problems) = ended(run(&sandbox, &live).args(arguments));
        assert_eq!(code, Some(2), "{problems}");
        problems
    };
    assert!(refused(&["--clause", "billing.hol"]).contains("did you mean `billing.hold`?"));
    assert!(refused(&["--tag", "fast"]).contains("refused, sandbox, live"));
    refused(&["--tag", "live", "--check", "body."]);
    refused(&["--rate", "0"]);
    refused(&["--resume"]);
    assert!(sandbox.sent().is_empty() && live.sent().is_empty());
}

#[test]
fn a_console_says_what_the_service_can_do() {
    let console = |clock: &'static str| {
        Server::start(move |sent| {
            let body = if sent.path.ends_with("/clock") {
                clock
            } else {
                "{}"
            };
            Reply::Says(200, Vec::new(), body.as_bytes().to_vec())
        })
    };
    let asked = |server: &Server| {
        let url = server.url.parse().expect("a URL");
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        runtime.block_on(probe_console(
            &url,
            Duration::from_secs(10),
            &Tls::default(),
        ))
    };
    let movable = console(r#"{"now":"2031-01-01T00:00:00Z"}"#);
    let found = asked(&movable).expect("it answers");
    assert_eq!(
        (
            found.capabilities.control.as_deref(),
            found.capabilities.movable_clock
        ),
        (Some(&*movable.url), true)
    );
    let found = asked(&console("{}")).expect("it answers");
    assert!(!found.capabilities.movable_clock);
    let stopping = Server::start(|_| Reply::Says(503, Vec::new(), b"{}".to_vec()));
    assert!(asked(&stopping).is_err());
}

#[test]
fn a_console_that_does_not_answer_ends_the_run_before_it_begins() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let nobody = Server::start(|_| Reply::HangsUp);
    let (code, _, problems) = ended(run(&sandbox, &live).args(["--console-url", &nobody.url]));
    assert_eq!(code, Some(3), "{problems}");
    assert!(problems.contains("--console-url"), "{problems}");
    assert!(sandbox.sent().is_empty() && live.sent().is_empty());
}

#[test]
fn a_service_that_is_silent_is_given_up_after_the_timeout() {
    let bank = Bank::new();
    let live = both(&bank).1;
    let sandbox = Server::start(|_| Reply::IsSilent);
    let mut command = run(&sandbox, &live);
    let command = command.args(["--check", "authentication.everywhere", "--timeout", "50ms"]);
    let (code, report, _) = ended(command.args(["--operation", "verify.identity.pan"]));
    assert_eq!(code, Some(3), "{report}");
    assert!(report.contains("no answer in time"), "{report}");
    assert_eq!(
        calls(&sandbox, 1),
        3,
        "it is refused anyway, and so repeated"
    );
}

#[test]
fn a_rate_is_kept() {
    let bank = Bank::new();
    let (sandbox, live) = both(&bank);
    let begin = tokio::time::Instant::now();
    let mut command = run(&sandbox, &live);
    let command = command.args(["--check", "authentication.missing", "--rate", "10"]);
    assert_eq!(ended(command).0, Some(0));
    let calls = u32::try_from(calls(&sandbox, 1) + calls(&live, 1)).expect("few");
    assert!(begin.elapsed() >= Duration::from_millis(100) * (calls - 1));
}
