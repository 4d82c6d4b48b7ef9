//! The program with a key or an address that is not right: one clear line, exit 2, and nothing is judged.

use std::process::Command;

use svc_simulator::Simulator;
use svc_test_support::{Reply, Server};

/// The exit code of a run with these arguments, and what it said.
fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command.env_clear().arg("run").args(arguments);
    let out = command.args(["--check", "authentication.missing"]).output();
    let out = out.expect("the program runs");
    let text = [out.stdout, out.stderr].concat();
    (
        out.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

/// A run that is not begun, and says this.
fn refused(arguments: &[&str], words: &str) {
    let (code, text) = run(arguments);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains(words), "{words}: {text}");
    assert!(text.ends_with("Nothing was judged\n"), "{text}");
}

#[test]
fn an_address_that_is_not_the_service_s_is_named_for_what_it_is() {
    let simulator = Simulator::start_blocking();
    let at = simulator.addresses();
    let url = |address: std::net::SocketAddr| format!("http://{address}");
    let (sandbox, live, console) = (url(at.sandbox), url(at.live), url(at.console));
    assert_eq!(run(&["--base-url", &sandbox]).0, Some(0));
    let both = ["--base-url", &sandbox, "--live-url", &live];
    assert_eq!(run(&both).0, Some(0));
    let words = format!(
        "is the console of a simulator, and not the service; its test listener is at {sandbox}"
    );
    refused(&["--base-url", &console], &words);
    refused(&["--base-url", &live], "is not the sandbox");
    let swapped = ["--base-url", &live, "--live-url", &sandbox];
    refused(&swapped, "--base-url and --live-url are swapped");
    let sandbox_twice = ["--base-url", &sandbox, "--live-url", &sandbox];
    refused(&sandbox_twice, "is not live");
    simulator.stop_blocking();
}

#[test]
fn a_key_that_is_not_taken_is_one_clear_line() {
    let simulator = Simulator::start_blocking();
    let sandbox = format!("http://{}", simulator.addresses().sandbox);
    let key = |key: &'static str| ["--base-url", &sandbox, "--api-key", key].map(str::to_owned);
    for (given, words) in [
        ("svc_test_nobody", "401 SVC_AUTH_INVALID"),
        (
            "svc_test_revoked",
            "It is mistyped, revoked, or was rotated",
        ),
        ("svc_test_blocked", "allowlist"),
    ] {
        let arguments = key(given);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        refused(&arguments, words);
    }
    simulator.stop_blocking();
}

#[test]
fn an_address_of_something_else_is_left_after_three_calls() {
    let html = vec![("content-type".to_owned(), "text/html".to_owned())];
    let page = b"<html><title>Sign in</title>".to_vec();
    let pages = Server::start(move |_| Reply::Says(200, html.clone(), page.clone()));
    refused(&["--base-url", &pages.url], "a page for people (`Sign in`)");
    assert_eq!(pages.sent().len(), 3);
    let nothing = Server::start(|_| Reply::Says(404, Vec::new(), b"{}".to_vec()));
    refused(
        &["--base-url", &nothing.url],
        "404 without the service's envelope to 3 different",
    );
    let other = Server::start(|_| Reply::Says(200, Vec::new(), b"{\"ok\":true}".to_vec()));
    refused(&["--base-url", &other.url], "it is not the service");
    let gateway = Server::start(|_| Reply::Says(502, Vec::new(), b"<h1>".to_vec()));
    let (code, text) = run(&["--base-url", &gateway.url]);
    assert_eq!(code, Some(3), "{text}");
    let simulator = Simulator::start_blocking();
    let below = format!("http://{}/v1/", simulator.addresses().sandbox);
    refused(&["--base-url", &below], "give the address without that");
    simulator.stop_blocking();
    let moved = vec![("location".to_owned(), "https://a.example/".to_owned())];
    let moved = Server::start(move |_| Reply::Says(301, moved.clone(), Vec::new()));
    refused(
        &["--base-url", &moved.url],
        "sends everybody to \"https://a.example/\"",
    );
}
