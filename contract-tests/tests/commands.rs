//! The commands as a whole: run, judge and replay say the same and end alike.

mod outside;

use std::net::{SocketAddr, TcpListener};
use std::process::Output;

use outside::{Folder, service};
use svc_simulator::Simulator;
use svc_simulator::http::ListenerAddresses;
use svc_test_support::Server;

fn broken() -> Server {
    let body = r#"{"success":1,"data":{"fullName":"RAVI KUMAR"}}"#;
    service(Vec::new(), body.to_owned())
}

fn done(arguments: &[&str]) -> (i32, String) {
    let output: Output = outside::command(arguments).output().expect("it runs");
    let report = [output.stdout, output.stderr].concat();
    let code = output.status.code().expect("it was not killed");
    (code, String::from_utf8_lossy(&report).into_owned())
}

/// What is reported behind the first line, which has a seed, without addresses.
fn verdicts(report: &str) -> Vec<&str> {
    let lines = report.lines().skip(1);
    lines.filter(|line| !line.contains("$ curl")).collect()
}

#[test]
fn a_capture_judged_again_says_what_the_run_said() {
    let (service, folder) = (broken(), Folder::new("judge"));
    let capture = folder.path("capture.json");
    let base = service.url.clone();
    let (code, report) = done(&[
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope",
        "--capture",
        &capture,
    ]);
    drop(service);
    let (again, report_again) = done(&["judge", &capture]);
    assert_eq!((code, again), (1, 1), "{report_again}");
    let sum = |report: &str| report.lines().last().map(str::to_owned);
    assert_eq!(sum(&report_again), sum(&report));
    let (report, report_again) = (
        verdicts(&report).join("\n"),
        verdicts(&report_again).join("\n"),
    );
    let breaches = |report: &str| report.split("clauses: ").next().map(str::to_owned);
    assert_eq!(breaches(&report_again), breaches(&report));
}

#[test]
fn a_failing_case_is_a_file_that_is_sent_and_judged_again() {
    let (service, folder) = (broken(), Folder::new("replay"));
    let (base, failures) = (service.url.clone(), folder.path("failures"));
    let (code, report) = done(&[
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope.error",
        "--failures",
        &failures,
    ]);
    assert_eq!(code, 1, "{report}");
    let files = folder.files();
    let (file, _) = files.first().expect("a failing case is a file");
    let (code, report) = done(&["replay", file, "--base-url", &base]);
    assert!(code == 1 && report.starts_with("1 check, "), "{report}");
    drop(service);
    let (code, report) = done(&["replay", file, "--base-url", &base]);
    assert_eq!(code, 3, "{report}");
    let (code, report) = done(&["judge", file]);
    assert_eq!(code, 1, "{report}");
}

#[test]
fn personal_data_is_shown_only_of_a_service_on_this_machine() {
    let (service, folder) = (broken(), Folder::new("personal"));
    let (base, file) = (service.url.clone(), folder.path("report.json"));
    let run = [
        "run",
        "--base-url",
        &base,
        "--check",
        "envelope.error",
        "--report-json",
        &file,
    ];
    let shown = |more: &[&str]| {
        let (code, report) = done(&[&run[..], more].concat());
        assert_eq!(code, 1, "{report}");
        std::fs::read_to_string(&file)
            .expect("a report")
            .contains("RAVI KUMAR")
    };
    assert!(shown(&[]));
    assert!(shown(&["--show-personal-data", "yes"]));
    assert!(!shown(&["--show-personal-data", "no"]));
}

/// A simulator whose console is where simulators have it: one port below the sandbox's.
fn simulator_with_its_ports_in_order() -> Simulator {
    let free = |port: u16| TcpListener::bind(("127.0.0.1", port)).ok();
    let pairs = std::iter::repeat_with(|| {
        let console = free(0)?;
        let port = console.local_addr().ok()?.port();
        free(port.checked_add(1)?).map(|_| port)
    });
    for port in pairs.take(100).flatten() {
        let at = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let addresses = ListenerAddresses {
            console: at(port),
            sandbox: at(port + 1),
            live: at(0),
        };
        // Somebody else may have taken them meanwhile.
        if let Ok(simulator) = Simulator::builder().addresses(addresses).start_blocking() {
            return simulator;
        }
    }
    panic!("no two ports in a row are free");
}

#[test]
fn a_simulator_on_this_machine_is_asked_for_its_console_and_the_report_says_so() {
    let simulator = simulator_with_its_ports_in_order();
    let folder = Folder::new("console");
    let (base, live) = (simulator.sandbox_url(), simulator.live_url());
    let html = folder.path("report.html");
    let (code, report) = done(&[
        "run",
        "--base-url",
        &base,
        "--live-url",
        &live,
        "--check",
        "webhooks.result",
        "--check",
        "clocks.",
        "--report-html",
        &html,
    ]);
    assert_eq!(code, 0, "{report}");
    for said in [
        ", profile simulator, seed ",
        " passed  webhooks.result (",
        " passed  clocks.own (",
        "\nasked of the console: ",
        "/webhook",
        "/clock",
        " passed, 0 failed, 0 skipped\n",
    ] {
        assert!(report.contains(said), "{said}: {report}");
    }
    let page = std::fs::read_to_string(&html).expect("a page");
    assert!(page.contains("Asked of the console"), "{page}");
    simulator.stop_blocking();
}

#[test]
fn a_misspelt_name_gets_the_nearest_one_and_nothing_is_sent() {
    let base = ["run", "--base-url", "http://127.0.0.1:1"];
    for (more, said) in [
        (
            &["--check", "envelope.", "--check", "webhoks.result"][..],
            "did you mean `webhooks.result`?",
        ),
        (
            &["--operation", "verify.identity.pam"],
            "did you mean `verify.identity.pan`?",
        ),
        (&["--operation", "zzz"], "`svc-simulator operations`"),
        (
            &["--clause", "billing.sandbox-fre"],
            "did you mean `billing.sandbox-free`?",
        ),
        (&["--tag", "webhok"], "'webhook'"),
        (
            &["--check", "clocks.", "--operation", "verify.identity.voter"],
            "leave nothing to run",
        ),
    ] {
        let (code, report) = done(&[&base[..], more].concat());
        assert!(code == 2 && report.contains(said), "{report}");
    }
}

#[test]
fn what_was_not_asked_for_is_not_told_as_skipped() {
    let service = broken();
    let base = service.url.clone();
    let (code, report) = done(&[
        "run",
        "--base-url",
        &base,
        "--operation",
        "verify.identity.pan",
        "--operation",
        "verify.identity.voter",
        "--check",
        "envelope.success",
        "--check",
        "flows.",
        "--verbose",
    ]);
    assert_eq!(code, 1, "{report}");
    assert!(report.starts_with("1 check, 2 cases, "), "{report}");
    for operation in ["pan", "voter"] {
        let line = format!("FAILED  envelope.success: verify.identity.{operation} (");
        assert!(report.contains(&line), "{report}");
    }
    assert!(
        report.contains("0 passed, 1 failed, 0 skipped\n"),
        "{report}"
    );
    let clauses = report.lines().find(|line| line.starts_with("clauses: "));
    assert!(
        clauses.is_some_and(|line| line.ends_with(" 0 excluded")),
        "{report}"
    );
}

#[test]
fn nothing_judged_is_no_success() {
    let folder = Folder::new("nothing");
    let capture = folder.path("capture.json");
    let text =
        r#"{"seed":"s","environments":["test"],"profile":"provider","http":true,"cases":[]}"#;
    std::fs::write(&capture, text).expect("a file");
    let (code, report) = done(&["judge", &capture]);
    assert!(
        code == 4 && report.contains("nothing was judged"),
        "{report}"
    );
    let strange = text.replace("[]", r#"[{"check":"no.such","case":"a","exchanges":[]}]"#);
    std::fs::write(&capture, strange).expect("a file");
    let (code, report) = done(&["judge", &capture]);
    assert!(
        code == 4 && report.contains("this version has no case `no.such: a`"),
        "{report}"
    );
}

#[test]
fn what_was_not_given_as_it_must_be_is_reported_before_anything_is_sent() {
    let folder = Folder::new("usage");
    let list = folder.path("known.toml");
    std::fs::write(&list, "[[known]]\ncheck = \"no.such\"\n").expect("a file");
    let base = ["run", "--base-url", "http://127.0.0.1:1"];
    for (more, said) in [
        (
            ["--baseline", list.as_str()],
            "check `no.such` is not known",
        ),
        (
            ["--report-json", "/no/such/folder/a.json"],
            "its folder does not exist",
        ),
        (["--capture", "/"], "it is a folder"),
        (["--listen", "127.0.0.1:0"], "--webhook-secret"),
        (
            ["--webhook-sink", "http://hooks.example"],
            "--webhook-secret",
        ),
        (["--webhook-secret", "short"], "can't be blacked out"),
    ] {
        let (code, report) = done(&[&base[..], &more[..]].concat());
        assert!(code == 2 && report.contains(said), "{report}");
    }
    let (code, report) = done(&["judge", &list]);
    assert!(code == 2 && report.contains("no capture"), "{report}");
    let (code, report) = done(&["judge", "a", "svc_live_0123456789"]);
    assert!(code == 2 && !report.contains("0123456789"), "{report}");
}

#[test]
fn the_secret_of_webhooks_is_used_and_never_written() {
    const SECRET: &str = "given by the provider's console";
    let (service, folder) = (broken(), Folder::new("webhooks"));
    let capture = folder.path("capture.json");
    let (base, listen) = (service.url.clone(), ["--listen", "127.0.0.1:0"]);
    let run = [
        "run",
        "--base-url",
        &base,
        "--check",
        "webhooks.registered",
        "--capture",
        &capture,
    ];
    let (code, report) = done(&[&run[..], &listen, &["--webhook-secret", SECRET]].concat());
    assert_eq!(code, 1, "{report}");
    assert!(
        report.contains("webhooks reach this run at http://127.0.0.1:"),
        "{report}"
    );
    let written = std::fs::read_to_string(&capture).expect("a capture");
    assert!(written.contains("\"registered\": true"), "{written}");
    assert!(!written.contains(SECRET) && !report.contains(SECRET));
}

#[test]
fn inputs_are_listed_and_learnt_and_what_is_learnt_is_read() {
    let (code, listed) = done(&["inputs"]);
    assert!(code == 0 && listed.contains("AAAAA9999A"), "{listed}");
    let body = r#"{"verificationId":"svcv_1","status":"completed","data":{}}"#;
    let (service, folder) = (service(Vec::new(), body.to_owned()), Folder::new("learn"));
    let (base, file) = (service.url.clone(), folder.path("learnt.toml"));
    let (code, report) = done(&["inputs", "--learn", "--base-url", &base, "--out", &file]);
    assert_eq!(code, 0, "{report}");
    let learnt = std::fs::read_to_string(&file).expect("it was written");
    assert!(
        learnt.matches("[[input]]").count() > 35 && learnt.contains(&base),
        "{learnt}"
    );
    let run = [
        "run",
        "--base-url",
        &base,
        "--check",
        "identifiers.fixed",
        "--inputs",
        &file,
    ];
    let (code, report) = done(&run);
    assert!(
        code == 1 && report.contains("identifiers.fixed-by-specification"),
        "{report}"
    );
    let sent = service.sent().len();
    let (code, report) = done(&["inputs", "--base-url", &base]);
    assert!(
        code == 0 && report.starts_with(&listed) && report.contains("is not asked without --learn"),
        "{report}"
    );
    assert_eq!(service.sent().len(), sent);
    let (code, report) = done(&["inputs", "--output", &file]);
    assert!(code == 2 && report.contains("--learn"), "{report}");
}

#[test]
fn every_command_has_its_manual_page_and_its_completions() {
    let folder = Folder::new("man");
    let man1 = folder.path("man1");
    let first = format!("{man1}/svc-contract-tests.1\n");
    assert_eq!(done(&["man", &man1]), (0, first));
    let page = std::fs::read_to_string(format!("{man1}/svc-contract-tests-run.1")).expect("a page");
    assert!(page.contains("SVC_BASE_URL"), "{page}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, script) = done(&["completions", shell]);
        assert_eq!(code, 0);
        assert!(script.contains("budget-inr"), "{shell}: {script}");
    }
    assert_eq!(done(&["completions", "tcsh"]).0, 2);
}

#[test]
fn a_service_that_follows_the_rows_would_change_none_of_them() {
    let simulator = Simulator::start_blocking();
    let at = simulator.addresses();
    let [sandbox, live] = [at.sandbox, at.live].map(|address| format!("http://{address}"));
    let arguments = ["drift", "--base-url", &sandbox, "--live-url", &live];
    let output = outside::command(&arguments).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    simulator.stop_blocking();
}
