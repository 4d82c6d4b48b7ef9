//! How a run goes out: repeats, several checks at once, where it stops, and what a console says.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use svc_contract_tests::capture::CapturedCase;
use svc_contract_tests::check;
use svc_contract_tests::client::{Client, Keyring};
use svc_contract_tests::event::{CheckResult, Event, Totals};
use svc_contract_tests::plan::{Case, RequestTemplate, Setting, inputs};
use svc_contract_tests::run::{self, Filter, RunLimits};
use svc_contract_tests::target::{HttpTarget, Timeouts, probe_console};
use svc_contract_tests::verdict::Verdict;
use svc_fixtures::contract::{Contract, Environment};
use svc_fixtures::json::Json;
use svc_tls::Tls;

use crate::server::{Bank, Reply, Server, both, ended, fresh_file, retold, run};
use crate::support::{self, InProcess};

/// A server that does this first, so often, and then answers as a sandbox.
fn server(first: Reply, times: usize) -> Server {
    let (bank, left) = (Bank::new(), AtomicUsize::new(times));
    Server::start(move |sent| {
        let less = |left: usize| left.checked_sub(1);
        match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less) {
            Ok(_) => first.clone(),
            Err(_) => bank.answer(Environment::Test, sent),
        }
    })
}

fn limited(after: &str) -> Reply {
    let headers = vec![("retry-after".to_owned(), after.to_owned())];
    Reply::Says(429, headers, b"{}".to_vec())
}

/// The call of a case of one, as it was captured. Waits pass at once.
fn captured(server: &Server, request: RequestTemplate) -> CapturedCase {
    let contract = Contract::built_in();
    let setting = Setting::new(&contract, inputs::built_in(), "seed");
    let url = server.url.parse().expect("a URL");
    let target =
        HttpTarget::new(url, None, Timeouts::default(), &Tls::default()).expect("a client");
    let client = Client::new(&target, Keyring::of_simulator(), &setting);
    let mut case = Case::new("a case");
    case.push(request);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    runtime.block_on(client.capture("a.check", &case))
}

fn statuses(captured: &CapturedCase) -> (Vec<Option<u16>>, Option<u16>) {
    let status = |exchange: &svc_contract_tests::capture::Exchange| {
        let answered = exchange.response.as_ref().ok();
        answered.map(|response| response.status)
    };
    let repeats = captured.repeated_at(0).map(status).collect();
    (repeats, status(&captured.exchanges[0]))
}

#[test]
fn a_lost_answer_is_asked_for_again_where_that_is_safe_and_both_are_recorded() {
    let server = server(Reply::HangsUp, 1);
    let captured = captured(&server, RequestTemplate::get("/v1/usage"));
    assert_eq!(statuses(&captured), (vec![None], Some(200)));
    assert_eq!(server.sent().len(), 2);
}

#[test]
fn a_call_is_sent_again_twice_at_most() {
    let server = server(Reply::HangsUp, 9);
    let captured = captured(&server, RequestTemplate::get("/v1/usage"));
    assert_eq!(statuses(&captured), (vec![None, None], None));
    assert_eq!(server.sent().len(), 3);
}

#[test]
fn a_call_that_may_have_been_executed_is_not_sent_again_without_an_idempotency_key() {
    let contract = Contract::built_in();
    let request = || RequestTemplate::post(&contract.operations[0], Json::Object(Vec::new()));
    let once = server(Reply::HangsUp, 1);
    assert_eq!(statuses(&captured(&once, request())), (vec![], None));
    assert_eq!(once.sent().len(), 1);
    let keyed = server(Reply::HangsUp, 1);
    let captured = captured(&keyed, request().idempotency("a-key"));
    assert_eq!(statuses(&captured), (vec![None], Some(400)));
}

#[test]
fn a_429_that_nobody_asked_for_is_waited_out_and_recorded() {
    let server = server(limited("0"), 2);
    let captured = captured(&server, RequestTemplate::get("/v1/usage"));
    assert_eq!(statuses(&captured), (vec![Some(429), Some(429)], Some(200)));
    let text = serde_json::to_string(&captured).expect("JSON");
    let read: CapturedCase = serde_json::from_str(&text).expect("a capture");
    assert_eq!(read, captured);
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
        report.contains("envelope.status: broken 1 time"),
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
    let command = command.args(["--check", "authentication.unknown-key", "--timeout", "50ms"]);
    let (code, report, _) = ended(command);
    assert_eq!(code, Some(3), "{report}");
    assert!(report.contains("no answer in time"), "{report}");
    assert_eq!(
        sandbox.sent().len(),
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
    let calls = u32::try_from(sandbox.sent().len() + live.sent().len()).expect("few");
    assert!(begin.elapsed() >= Duration::from_millis(100) * (calls - 1));
}
