//! `listen --account`: what it asks the console for, and what it says when that is refused.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::thread::JoinHandle;

use serde_json::{Value, json};

use super::listen::listen;
use super::program::SECRET;

/// A console that answers one request so, and looks at it first: request line and body.
pub(crate) fn console(
    answer: &'static str,
    look: impl Fn((String, Value)) + Send + 'static,
) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let console = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a request");
        let mut reader = BufReader::new(&stream);
        let (mut first, mut length) = (String::new(), 0);
        reader.read_line(&mut first).expect("a request");
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(told) = line.strip_prefix("content-length: ") {
                length = told.parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        let body = serde_json::from_slice(&body).expect("JSON");
        look((first.trim_end().to_owned(), body));
        stream.write_all(answer.as_bytes()).expect("a client");
    });
    (url, console)
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

#[test]
fn a_receiver_is_registered_with_its_address_and_secret() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let (console, served) = console(OK, move |asked| {
        sender.send(asked).expect("a test that listens")
    });
    let arguments = [
        "--secret",
        SECRET,
        "--account",
        "local_worker7",
        "--environment",
        "live",
        "--console",
        &console,
    ];
    let listening = listen(&arguments);
    let (line, body) = receiver.recv().expect("a registration");
    assert_eq!(line, "PUT /control/accounts/local_worker7/webhook HTTP/1.1");
    let url = format!("http://{}/", listening.address);
    assert_eq!(
        body,
        json!({"url": url, "secret": SECRET, "environment": "live"})
    );
    served.join().expect("a console");
}

#[test]
fn without_an_environment_both_are_registered_with_the_secret_that_is_printed() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let (console, _served) = console(OK, move |asked| {
        sender.send(asked).expect("a test that listens")
    });
    let listening = listen(&["--account", "local", "--console", &console]);
    let (_, body) = receiver.recv().expect("a registration");
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
    let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 62\r\n\r\n\
                  {\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"no account\\u001b[2J\"}}   ";
    let said = refused(&console(answer, |_| {}).0);
    assert!(
        said.contains("404 Not Found: NOT_FOUND: no account\\u{1b}[2J"),
        "{said}"
    );
    assert!(!said.contains(SECRET));
}

#[test]
fn a_redirect_is_not_followed_with_the_secret() {
    let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n";
    assert!(refused(&console(answer, |_| {}).0).contains("307"));
}

#[test]
fn where_no_simulator_runs_it_says_how_to_start_one() {
    // A port that was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0")
        .expect("a port")
        .local_addr()
        .expect("an address");
    let said = refused(&format!("http://{free}"));
    assert!(
        said.contains("can't be reached") && said.contains("svc-simulator serve"),
        "{said}"
    );
}
