//! `listen --account`: what it asks the console for, and what it says when that is refused.

use std::process::Command;

use serde_json::json;
use svc_test_support::{Behaviour, Request, Server, free_address};

use super::listen::listen;
use super::program::SECRET;

/// A console that takes one registration.
pub(crate) fn console() -> Server {
    Server::behaving(Behaviour::AnswersOnce(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ))
}

/// The one request that a console got.
fn registration(console: &Server) -> Request {
    let mut sent = console.sent_when(1);
    assert_eq!(sent.len(), 1, "{sent:?}");
    sent.remove(0)
}

#[test]
fn a_receiver_is_registered_with_its_address_and_secret() {
    let console = console();
    let arguments = [
        "--secret",
        SECRET,
        "--account",
        "local_worker7",
        "--environment",
        "live",
        "--console",
        &console.url,
    ];
    let listening = listen(&arguments);
    let asked = registration(&console);
    assert_eq!(
        asked.text.lines().next(),
        Some("PUT /control/accounts/local_worker7/webhook HTTP/1.1")
    );
    let url = format!("http://{}/", listening.address);
    assert_eq!(
        asked.json(),
        json!({"url": url, "secret": SECRET, "environment": "live"})
    );
}

#[test]
fn without_an_environment_both_are_registered_with_the_secret_that_is_printed() {
    let console = console();
    let listening = listen(&["--account", "local", "--console", &console.url]);
    let body = registration(&console).json();
    assert_eq!(body["secret"], listening.greeting["secret"]);
    assert_eq!(body.get("environment"), None);
}

fn refused(console: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command.args([
        "listen",
        "--port",
        "0",
        "--secret",
        SECRET,
        "--account",
        "local",
        "--console",
        console,
    ]);
    let output = command.output().expect("the program");
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn a_refusal_is_told_in_the_consoles_words() {
    let answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 62\r\n\r\n\
                  {\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"no account\\u001b[2J\"}}   ";
    let said = refused(&Server::behaving(Behaviour::AnswersOnce(answer)).url);
    assert!(
        said.contains("404 Not Found: NOT_FOUND: no account\\u{1b}[2J"),
        "{said}"
    );
    assert!(!said.contains(SECRET));
}

#[test]
fn a_redirect_is_not_followed_with_the_secret() {
    let answer = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n";
    assert!(refused(&Server::behaving(Behaviour::AnswersOnce(answer)).url).contains("307"));
}

#[test]
fn where_no_simulator_runs_it_says_how_to_start_one() {
    let said = refused(&format!("http://{}", free_address()));
    assert!(
        said.contains("can't be reached") && said.contains("svc-simulator serve"),
        "{said}"
    );
}
