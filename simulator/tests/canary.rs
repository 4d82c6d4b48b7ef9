//! What must not get out: secrets and personal data in the log, secrets in answers, and control
//! characters of a request on the terminal. A simulator that logs all it can is given canaries, and
//! all it wrote is searched for them.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use svc_test_support::{Addresses, Client, Program, request};

const TOKEN: &str = "canary-console-token";
const SECRET: &str = "whsec_canary";
const KEY: &str = "svc_test_local_canary-key";
const UNKNOWN_KEY: &str = "svc_test_canary-unknown";
const PERSON: &str = "CANARY PERSON";
const REFERENCE: &str = "canary-reference";

/// A simulator that logs everything to a file; it ends with the value.
struct Simulator {
    _program: Program,
    addresses: Addresses,
    log: PathBuf,
    answers: String,
}

impl Simulator {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let log = folder.join("canary.log");
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
        command
            .env_clear()
            .stderr(File::create(&log).expect("a file"));
        let arguments = ["--console-token", TOKEN, "--log", "trace"];
        let (program, addresses) = Program::serve(&mut command, folder, &arguments);
        Simulator {
            _program: program,
            addresses,
            log,
            answers: String::new(),
        }
    }

    /// Sends a request and keeps what comes back. Gives the status.
    fn ask(&mut self, to_console: bool, head: &str, body: &str) -> u16 {
        let (listener, auth) = match to_console {
            true => ("console", format!("Authorization: Bearer {TOKEN}\r\n")),
            false => ("sandbox", String::new()),
        };
        let address = self.addresses.of(listener);
        let headers = format!("Host: {address}\r\n{auth}Connection: close\r\n");
        let mut client = Client::to(&address);
        client.write(request(head, &headers, body));
        let answer = client.try_rest().expect("it is answered");
        let answer = String::from_utf8_lossy(&answer).into_owned();
        self.answers.push_str(&answer);
        answer[9..12].parse().expect("a status")
    }

    fn call(&mut self, key: &str, path: &str, body: &str) -> u16 {
        let head = format!("POST {path} HTTP/1.1\r\nAuthorization: Bearer {key}");
        let head = format!("{head}\r\nX-Reference-Id: {REFERENCE}\r\nIdempotency-Key: {path}");
        self.ask(false, &head, body)
    }
}

/// Everything that could make it say too much.
fn provoke(simulator: &mut Simulator) {
    const PAN: &str = "/v1/verify/identity/pan";
    let person = format!(r#"{{"pan": "AAAAA0000A", "name": "{PERSON}"}}"#);
    assert_eq!(simulator.call(KEY, PAN, &person), 200);
    assert_eq!(simulator.call(UNKNOWN_KEY, PAN, &person), 401);
    assert_eq!(simulator.call(KEY, PAN, &format!("{person}{SECRET}")), 400);
    assert_eq!(
        simulator.call(KEY, PAN, &format!(r#"{{"pan": "{SECRET}"}}"#)),
        400
    );
    assert_eq!(simulator.call(KEY, "/v1/%1b[31m/%0a/%e2%80%ae", "{}"), 404);
    assert_eq!(simulator.call(KEY, PAN, r#"{"pan": "\u001b[31m"}"#), 400);
    // Not a request at all, and a bad one with a secret.
    assert_eq!(simulator.ask(false, "\u{1b}]0;canary\u{7}", ""), 400);
    let bad = format!("GET / HTTP/1.1\r\nAuthorization: Bearer {KEY}\r\nHost: b");
    assert_eq!(simulator.ask(false, &bad, ""), 400);
    let webhook = format!(r#"{{"url": "http://127.0.0.1:1/hook", "secret": "{SECRET}"}}"#);
    let account = "/control/accounts/local_canary-key";
    let put = format!("PUT {account}/webhook HTTP/1.1");
    assert_eq!(simulator.ask(true, &put, &webhook), 200);
    let wrong = webhook.replace("secret", "secert");
    assert_eq!(simulator.ask(true, &put, &wrong), 400);
    let doubled = format!("GET /control/accounts HTTP/1.1\r\nAuthorization: Bearer {SECRET}");
    assert_eq!(simulator.ask(true, &doubled, ""), 401);
    // A delivery that nobody takes, six times.
    let history = r#"{"uan": "100000000202"}"#;
    let pending = simulator.call(KEY, "/v1/verify/employment/uan", history);
    assert_eq!(pending, 202);
    let clock = format!("POST {account}/clock HTTP/1.1");
    assert_eq!(simulator.ask(true, &clock, r#"{"advance": "9h"}"#), 200);
    for path in [
        "/control/deliveries?account=local_canary-key",
        "/control/calls?account=local_canary-key",
        "/control/events?account=local_canary-key",
        "/openapi.json",
        "/operations",
        "/",
    ] {
        let status = simulator.ask(true, &format!("GET {path} HTTP/1.1"), "");
        assert!(matches!(status, 200 | 400), "{status} {path}");
    }
}

#[test]
fn no_secret_and_no_control_character_gets_out() {
    let mut simulator = Simulator::start();
    provoke(&mut simulator);
    let answers = simulator.answers.clone();
    for secret in [SECRET, TOKEN, KEY, UNKNOWN_KEY] {
        let found = answers.find(secret).map(|at| {
            let end = answers.ceil_char_boundary(at + 80);
            answers[answers.floor_char_boundary(at.saturating_sub(200))..end].to_owned()
        });
        assert_eq!(found, None, "{secret} in an answer");
    }
    let log = std::fs::read_to_string(&simulator.log).expect("the log is text");
    assert!(log.contains(" TRACE "), "all is logged: {log}");
    for canary in [SECRET, TOKEN, KEY, UNKNOWN_KEY, PERSON, REFERENCE] {
        let found: Vec<&str> = log.lines().filter(|line| line.contains(canary)).collect();
        assert!(
            found.is_empty(),
            "{canary} in the log:\n{}",
            found.join("\n")
        );
    }
    let obeyed = |character: char| character.is_control() && character != '\n';
    let found: Vec<&str> = log.lines().filter(|line| line.contains(obeyed)).collect();
    assert!(found.is_empty(), "in the log: {found:?}");
}
