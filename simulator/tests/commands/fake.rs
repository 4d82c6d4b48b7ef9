//! Against a console of the test's own, so that what is sent can be seen and every answer be tried.

use std::collections::VecDeque;
use std::process::Command;

use parking_lot::Mutex;
use svc_test_support::{Reply, Request, Server, ended, free_address};

use super::run;

/// A console that answers one request after the other with these, and then has what it was asked.
struct FakeConsole {
    server: Server,
    answers: usize,
    url: String,
}

impl FakeConsole {
    fn of(answers: &[(u16, &str)]) -> Self {
        let left: VecDeque<_> = answers
            .iter()
            .map(|(status, body)| (*status, body.as_bytes().to_vec()))
            .collect();
        let left = Mutex::new(left);
        let server = Server::start(move |_| {
            let Some((status, body)) = left.lock().pop_front() else {
                return Reply::HangsUp;
            };
            let elsewhere = ("location".to_owned(), "/elsewhere".to_owned());
            Reply::Says(status, vec![elsewhere], body)
        });
        FakeConsole {
            url: server.url.clone(),
            answers: answers.len(),
            server,
        }
    }

    fn asked(self) -> Vec<String> {
        let sent = self.server.sent();
        assert_eq!(sent.len(), self.answers, "so often it was asked");
        sent.iter().map(line).collect()
    }
}

/// Method, target, special headers and body of a request.
fn line(request: &Request) -> String {
    let mut line = format!("{} {}", request.method, request.path);
    for (name, value) in &request.headers {
        if matches!(name.as_str(), "authorization" | "content-type") {
            line += &format!(" [{name}: {value}]");
        }
    }
    line += &format!(" {}", String::from_utf8_lossy(&request.body));
    line.trim_end().to_owned()
}

const NOW: &str = r#"{"now":"2027-01-15T14:00:00.000Z","state":"frozen","happened":[]}"#;
const QUIET: &str = r#"{"events":[],"next":7,"missed":false}"#;
const HEARD: &str = r#"{"events":[{"seq":7,"kind":"deliveryAttempted"}],"next":8,"missed":false}"#;
const TRIGGERED: &str = r#"{"verificationId":"svcv_1","deliveryId":"dlv_1"}"#;

fn delivery(state: &str, status: u16) -> String {
    format!(
        r#"{{"id":"dlv_1","verificationId":"svcv_1","environment":"test","state":"{state}",
        "since":"2027-01-15T08:00:00.000Z","attempts":[{{"number":1,"due":"2027-01-15T08:00:00.000Z",
        "why":"schedule","url":"http://127.0.0.1:9/hook","status":{status}}}]}}"#
    )
}

/// Arguments, what the console answers, and what it must be asked.
type Asks<'a> = (&'a [&'a str], &'a str, &'a str);

fn each_asks(cases: &[Asks<'_>]) {
    for &(arguments, answer, asked) in cases {
        let console = FakeConsole::of(&[(200, answer)]);
        let (code, _, stderr) = run(&console.url, arguments);
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(console.asked(), [asked]);
    }
}

#[test]
fn each_command_of_clocks_asks_what_its_arguments_say() {
    each_asks(&[
        (&["clock"], NOW, "GET /control/accounts/local/clock"),
        (
            &["clock", "--account", "a/b c", "show"],
            NOW,
            "GET /control/accounts/a%2Fb%20c/clock",
        ),
        (
            &["clock", "advance", "6h"],
            NOW,
            r#"POST /control/accounts/local/clock [content-type: application/json] {"advance":"6h"}"#,
        ),
        (
            &["clock", "set", "2031-01-01T00:00:00Z", "--account", "a"],
            NOW,
            r#"POST /control/accounts/a/clock [content-type: application/json] {"set":"2031-01-01T00:00:00Z"}"#,
        ),
        (
            &["clock", "freeze"],
            NOW,
            r#"POST /control/accounts/local/clock [content-type: application/json] {"freeze":true}"#,
        ),
        (
            &["clock", "run"],
            NOW,
            r#"POST /control/accounts/local/clock [content-type: application/json] {"freeze":false}"#,
        ),
        (
            &["clock", "--console-token", "s3"],
            NOW,
            "GET /control/accounts/local/clock [authorization: Bearer s3]",
        ),
    ]);
}

#[test]
fn each_command_of_deliveries_asks_what_its_arguments_say() {
    let list = r#"{"deliveries":[]}"#;
    let one = delivery("delivered", 200);
    each_asks(&[
        (
            &["deliveries"],
            list,
            "GET /control/deliveries?account=local",
        ),
        (
            &[
                "deliveries",
                "--account",
                "a&b",
                "--environment",
                "live",
                "--state",
                "dead",
            ],
            list,
            "GET /control/deliveries?account=a%26b&environment=live&state=dead",
        ),
        (
            &["deliveries", "--verification", "svcv_1"],
            list,
            "GET /control/deliveries?account=local&verificationId=svcv_1",
        ),
        (
            &["deliveries", "show", "dlv_1"],
            &one,
            "GET /control/deliveries/dlv_1",
        ),
        (
            &["deliveries", "redeliver", "dlv_1"],
            &one,
            "POST /control/deliveries/dlv_1/redeliver [content-type: application/json] {}",
        ),
    ]);
}

#[test]
fn json_is_the_answer_as_it_is() {
    for arguments in [["clock", "--json"], ["deliveries", "--json"]] {
        // Members nobody here knows included.
        let answer = r#"{"now":1.50,"later":[{"a":null}]}"#;
        let console = FakeConsole::of(&[(200, answer)]);
        let (code, stdout, _) = run(&console.url, &arguments);
        assert_eq!((code, stdout), (0, format!("{answer}\n")));
    }
}

#[test]
fn a_trigger_waits_for_what_comes_of_it() {
    let taken = delivery("delivered", 204);
    let console = FakeConsole::of(&[(200, QUIET), (200, TRIGGERED), (200, HEARD), (200, &taken)]);
    let (code, stdout, stderr) = run(&console.url, &["trigger"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    insta::assert_snapshot!(stdout, @"
    svcv_1 of local (test) came to its end
    dlv_1 carries its result
    attempt 1 to http://127.0.0.1:9/hook: 204; delivered
    ");
    insta::assert_snapshot!(console.asked().join("\n"), @r#"
    GET /control/events?account=local&from=0
    POST /control/trigger [content-type: application/json] {"account":"local","environment":"test"}
    GET /control/events?account=local&from=7&kind=deliveryAttempted&verificationId=svcv_1&wait=15000ms
    GET /control/deliveries/dlv_1
    "#);
}

#[test]
fn a_trigger_that_nobody_took_fails() {
    let due = delivery("due", 503);
    let console = FakeConsole::of(&[(200, QUIET), (200, TRIGGERED), (200, HEARD), (200, &due)]);
    let (code, stdout, stderr) = run(&console.url, &["trigger", "--verification", "svcv_1"]);
    assert!(
        stdout.ends_with("attempt 1 to http://127.0.0.1:9/hook: 503; due\n"),
        "{stdout}"
    );
    assert_eq!(
        (code, stderr.as_str()),
        (1, "error: the receiver did not take dlv_1\n")
    );
    console.asked();
}

#[test]
fn a_trigger_waits_no_longer_than_its_flag_says() {
    let due = delivery("due", 503);
    let answers = [
        (200, QUIET),
        (200, TRIGGERED),
        (200, QUIET),
        (200, QUIET),
        (200, &due),
    ];
    let console = FakeConsole::of(&answers);
    let (code, _, stderr) = run(&console.url, &["trigger", "--wait", "40s"]);
    assert_eq!(code, 1);
    assert!(
        stderr.contains("no attempt of dlv_1 ended within 40s"),
        "{stderr}"
    );
    let asked = console.asked();
    assert!(
        asked[2].ends_with("wait=30000ms") && asked[3].ends_with("wait=10000ms"),
        "{asked:?}"
    );
}

#[test]
fn a_trigger_without_a_receiver_says_so() {
    let note = r#"{"verificationId":"svcv_1","note":"no receiver is registered"}"#;
    let console = FakeConsole::of(&[(200, QUIET), (200, note)]);
    let (code, stdout, stderr) = run(&console.url, &["trigger"]);
    assert!(stdout.starts_with("svcv_1 of local"), "{stdout}");
    assert_eq!(
        stderr,
        "error: no webhook was sent: no receiver is registered\n"
    );
    assert_eq!((code, console.asked().len()), (1, 2));
}

#[test]
fn what_goes_wrong_is_reported_with_what_to_do() {
    let refused = r#"{"error":{"code":"CLOCK_BACKWARDS","message":"it only goes forward"}}"#;
    let strange =
        |what: &str| format!("is not the console of this version of svc-simulator: {what}");
    for (status, body, message) in [
        (
            400,
            refused,
            "error: CLOCK_BACKWARDS: it only goes forward".to_owned(),
        ),
        (404, "{}", strange("HTTP 404 without a reason")),
        (302, "", strange("HTTP 302 without JSON")),
        (200, "<html>", strange("HTTP 200 without JSON")),
        (200, "{}", strange("missing field `now`")),
    ] {
        let console = FakeConsole::of(&[(status, body)]);
        let (code, stdout, stderr) = run(&console.url, &["clock"]);
        assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
        assert!(stderr.contains(&message), "{stderr}");
        console.asked();
    }
}

#[test]
fn where_nobody_listens_it_says_how_to_start() {
    let url = format!("http://{}", free_address());
    for command in ["clock", "deliveries", "trigger"] {
        let (code, _, stderr) = run(&url, &[command]);
        assert_eq!(code, 1);
        let message =
            format!("nothing answers at {url}/: start the simulator with `svc-simulator serve`");
        assert!(stderr.contains(&message), "{stderr}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anybody_is_asked() {
    let cases: [&[&str]; 9] = [
        &["clock", "advance", "6"],
        &["clock", "set", "tomorrow"],
        &["clock", "--console", "127.0.0.1:8800"],
        &["clock", "--console", "http://x:y@127.0.0.1:8800"],
        &["clock", "--console-token", "a\nb"],
        &["deliveries", "--state", "lost"],
        &["deliveries", "--state", "due", "show", "dlv_1"],
        &["trigger", "--body", "{}"],
        &["trigger", "--wait", "1"],
    ];
    for arguments in cases {
        let (code, stdout, stderr) = run("http://127.0.0.1:1", arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{stderr}");
    }
}

const READY: &str = r#"{"status":"ready","product":"svc-simulator","version":"0.1.0"}"#;

#[test]
fn a_health_check_is_green_only_where_a_simulator_is_ready() {
    each_asks(&[(&["healthcheck"], READY, "GET /control/ready")]);
    for (status, body, says) in [
        (
            503,
            r#"{"error":{"code":"NOT_READY","message":"it drains"}}"#,
            "NOT_READY: it drains",
        ),
        (
            200,
            r#"{"status":"starting","product":"svc-simulator","version":"1"}"#,
            "is not the console",
        ),
        (200, r#"{"status":"ready"}"#, "is not the console"),
        (200, "ready", "HTTP 200 without JSON"),
        (302, READY, "HTTP 302 without a reason"),
    ] {
        let console = FakeConsole::of(&[(status, body)]);
        let (code, stdout, stderr) = run(&console.url, &["healthcheck"]);
        assert_eq!((code, stdout.as_str()), (1, ""), "{body}");
        assert!(stderr.contains(says), "{body}: {stderr}");
    }
}

#[test]
fn a_health_check_asks_where_the_environment_lets_the_console_listen() {
    let console = FakeConsole::of(&[(200, READY)]);
    let port = console.url.rsplit(':').next().expect("a port");
    let check = |name: &str, value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command.arg("healthcheck").env_clear().env(name, value);
        command.env("SVC_SIMULATOR_CONSOLE_TOKEN", "no token is needed");
        ended(&mut command).0
    };
    let listens = format!("0.0.0.0:{port}");
    assert_eq!(check("SVC_SIMULATOR_CONSOLE", &listens), Some(0));
    assert_eq!(console.asked(), ["GET /control/ready"]);
    let nobody = free_address().to_string();
    assert_eq!(check("SVC_SIMULATOR_CONSOLE", &nobody), Some(1));
    assert_eq!(check("SVC_SIMULATOR_CONSOLE", "everywhere"), Some(2));
}
