//! `listen` as a program: what it answers, shows and hands on.

use std::net::SocketAddr;
use std::process::Command;

use serde_json::{Value, json};
use svc_simulator::engine::state::delivery::AttemptOutcome;

use super::courier::delivered_to;
use svc_test_support::{Program, free_address, taken_address};

use super::program::{Delivery, SECRET, ask, envelope, genuine, now_s, post, signed};
use super::registration::console;

/// A `listen` that prints JSON.
pub(crate) struct Listening {
    pub(crate) program: Program,
    pub(crate) address: SocketAddr,
    pub(crate) greeting: Value,
}

pub(crate) fn listen(arguments: &[&str]) -> Listening {
    let mut command = command();
    let mut program = Program::start(command.arg("--json").args(arguments));
    let greeting: Value = serde_json::from_str(&program.line()).expect("JSON");
    let url = greeting["listening"].as_str().expect("a URL");
    let address = url.strip_prefix("http://").expect("a URL");
    Listening {
        address: address.parse().expect("an address"),
        program,
        greeting,
    }
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command
        .args(["listen", "--port", "0"])
        .env_remove("SVC_WEBHOOK_SECRET");
    command
}

impl Listening {
    pub(crate) fn next(&mut self) -> Value {
        serde_json::from_str(&self.program.line()).expect("JSON")
    }

    /// What is shown of the next delivery, in short.
    fn shown(&mut self) -> Value {
        let line = self.next();
        json!([
            line["verificationId"],
            line["attempt"],
            line["seen"],
            line["signature"]["valid"],
            line["answered"]
        ])
    }
}

const WITH_SECRET: [&str; 2] = ["--secret", SECRET];

#[test]
fn deliveries_are_checked_counted_and_shown() {
    let mut listening = listen(&WITH_SECRET);
    assert_eq!(listening.greeting["secret"], Value::Null);
    let first = genuine("svcv_1");
    let mut changed = first.clone();
    changed.body.push(b'\n');
    for (delivery, status, shown) in [
        (&first, 204, json!(["svcv_1", 1, "new", true, 204])),
        (&first, 204, json!(["svcv_1", 2, "duplicate", true, 204])),
        (&changed, 400, json!(["svcv_1", null, null, false, 400])),
        (
            &genuine("svcv_2"),
            204,
            json!(["svcv_2", 1, "new", true, 204]),
        ),
    ] {
        assert_eq!(post(listening.address, delivery), status);
        assert_eq!(listening.shown(), shown);
    }
}

#[test]
fn the_mistake_is_named_in_the_words_of_the_diagnosis() {
    let console = console();
    let mut listening = listen(&[
        "--secret",
        SECRET,
        "--account",
        "local",
        "--console",
        &console.url,
    ]);
    let delivery = signed("svc_test_local", now_s(), envelope("svcv_1"));
    assert_eq!(post(listening.address, &delivery), 400);
    let diagnosis = &listening.next()["signature"]["diagnoses"][0];
    assert_eq!(diagnosis["code"], "secret-other");
    assert_eq!(
        diagnosis["seen"],
        "the signature was made with the account's sandbox API key"
    );
}

#[test]
fn people_get_lines_that_can_not_steer_their_terminal() {
    let mut program = Program::start(command().args(WITH_SECRET).args(["--exit-after", "2"]));
    let url = program.line();
    let address = url
        .strip_prefix("listening on http://")
        .expect("the address first");
    let address = address.parse().expect("an address");
    assert_eq!(post(address, &genuine("svcv_1")), 204);
    let hostile = b"{\"verificationId\":\"\\u001b[31m\\nregistered\",\"status\":\"\\u202e\"}";
    assert_eq!(
        post(address, &signed(SECRET, now_s(), hostile.to_vec())),
        204
    );
    let (code, shown) = program.ended();
    assert_eq!(code, Some(0));
    let shown: Vec<&str> = shown
        .lines()
        .map(|line| line.get(20..).unwrap_or_default())
        .collect();
    assert_eq!(
        shown[0],
        " svcv_1 - completed, attempt 1, new: answered 204"
    );
    assert_eq!(
        shown[2],
        " \\u{1b}[31m registered - \\u{202e}, attempt 1, new: answered 204"
    );
}

#[test]
fn the_first_are_failed_when_asked_for_and_the_next_is_a_retry() {
    let mut listening = listen(&[
        "--secret",
        SECRET,
        "--fail",
        "2",
        "--status",
        "503",
        "--exit-after",
        "4",
    ]);
    let delivery = genuine("svcv_1");
    for (status, novelty) in [
        (503, "new"),
        (503, "retry"),
        (204, "retry"),
        (204, "duplicate"),
    ] {
        assert_eq!(post(listening.address, &delivery), status);
        assert_eq!(listening.next()["seen"], novelty);
    }
    assert_eq!(listening.program.ended(), (Some(0), String::new()));
}

#[test]
fn an_answer_is_delayed_when_asked_for() {
    let listening = listen(&["--secret", SECRET, "--delay", "150ms", "--exit-after", "1"]);
    let clock = svc_simulator::host::clock::Clock::machine();
    let begun = clock.real();
    assert_eq!(post(listening.address, &genuine("svcv_1")), 204);
    assert!(clock.real().duration_since(begun).as_millis() >= 145);
}

#[test]
fn a_forwarded_delivery_arrives_as_it_was_and_its_status_comes_back() {
    let mut application = listen(&["--secret", SECRET, "--fail", "1", "--status", "418"]);
    let url = format!("http://{}/hook", application.address);
    let mut listening = listen(&["--secret", SECRET, "--forward", &url]);
    let delivery = genuine("svcv_1");
    for (status, seen) in [(418, "new"), (204, "retry")] {
        assert_eq!(post(listening.address, &delivery), status);
        let shown = listening.next();
        assert_eq!(shown["forwarded"], json!({"status": status, "error": null}));
        let received = application.next();
        assert_eq!(received["signature"]["valid"], true, "{received}");
        assert_eq!(
            (&received["seen"], &shown["seen"]),
            (&json!(seen), &json!(seen))
        );
        assert_eq!(received["bytes"], delivery.body.len());
    }
}

#[test]
fn where_the_application_can_not_be_reached_the_answer_is_502() {
    let free = free_address();
    let mut listening = listen(&["--secret", SECRET, "--forward", &format!("http://{free}/")]);
    assert_eq!(post(listening.address, &genuine("svcv_1")), 502);
    let why = listening.next()["forwarded"]["error"].to_string();
    assert!(
        why.contains("can't be reached") && why.contains("is the application running"),
        "{why}"
    );
}

#[test]
fn a_secret_that_is_made_up_is_printed_once_and_used() {
    let mut listening = listen(&["--exit-after", "1"]);
    let secret = listening.greeting["secret"]
        .as_str()
        .expect("a secret")
        .to_owned();
    assert!(secret.starts_with("whsec_") && secret.len() > 40);
    assert_eq!(
        post(
            listening.address,
            &signed(&secret, now_s(), envelope("svcv_1"))
        ),
        204
    );
    assert!(!listening.next().to_string().contains(&secret));
}

#[test]
fn bad_requests_are_answered_and_the_next_delivery_is_taken() {
    let mut listening = listen(&WITH_SECRET);
    let get = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    assert_eq!(ask(listening.address, get), 405);
    assert_eq!(
        ask(
            listening.address,
            b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 16777217\r\n\r\n"
        ),
        413
    );
    assert_eq!(ask(listening.address, b"nonsense\r\n\r\n"), 400);
    let nothing = Delivery {
        headers: vec!["\u{fffd}\u{e9}".to_owned()],
        body: vec![0xff, 0],
    };
    assert_eq!(post(listening.address, &nothing), 400);
    assert_eq!(listening.shown(), json!([null, null, null, false, 400]));
    let deep = signed(SECRET, now_s(), "[".repeat(100_000).into_bytes());
    assert_eq!(post(listening.address, &deep), 204);
    assert_eq!(listening.shown(), json!([null, null, null, true, 204]));
    assert_eq!(post(listening.address, &genuine("svcv_1")), 204);
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_it_well() {
    let listening = listen(&WITH_SECRET);
    assert_eq!(post(listening.address, &genuine("svcv_1")), 204);
    listening.program.interrupt();
    assert_eq!(listening.program.ended().0, Some(0));
}

#[test]
fn an_address_in_use_is_said_to_be() {
    let taken = taken_address();
    let address = taken.local_addr().expect("an address").to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    let output = command
        .args(["listen", "--address", &address])
        .output()
        .expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("is in use") && said.contains("--port 0"),
        "{said}"
    );
}

#[test]
fn listen_shows_each_attempt_of_a_delivery_until_it_is_taken() {
    let mut listening = listen(&["--secret", SECRET, "--fail", "2"]);
    let (id, attempts) = delivered_to(&format!("http://{}/", listening.address), SECRET);
    let statuses = [500, 500, 204];
    assert_eq!(attempts, statuses.map(AttemptOutcome::Status));
    for (number, status) in statuses.into_iter().enumerate() {
        let shown = listening.next();
        assert_eq!(shown["verificationId"], id);
        assert_eq!(shown["attempt"], number + 1);
        assert_eq!(shown["answered"], status);
        assert_eq!(shown["signature"]["valid"], true);
    }
}
