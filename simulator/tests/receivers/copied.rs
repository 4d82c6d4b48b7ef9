//! The line for a shell that a call's page has: run by a shell, it is the same call.

use std::process::Command;

use serde_json::Value;
use svc_simulator::Simulator;
use svc_test_support::{Client, request};

const PAN: &str = "/v1/verify/identity/pan";

/// What stands in a body and must come through a shell.
const HOSTILE: &str =
    r#"{"pan":"AAAAA0000A","name":"D'Souza $HOME `id` \"x\" \\ [a-b] {c} @f %41 é\u202e!"}"#;

/// The key is known to the shell alone: the line has none.
pub(crate) fn the_line_makes_the_same_call() {
    let simulator = Simulator::builder().start_blocking().expect("it starts");
    let addresses = simulator.addresses();
    let get = |path: &str| {
        let line = format!("GET {path} HTTP/1.1");
        Client::to(addresses.console)
            .ask(request(&line, "Host: localhost\r\n", ""))
            .json()
    };
    let newest = || get("/control/calls?account=local&limit=1")["calls"][0].take();
    for (line, more, body) in [
        (
            format!("POST {PAN} HTTP/1.1"),
            "Content-Type: application/json\r\nIdempotency-Key: it's \"1\" $2\r\n",
            HOSTILE,
        ),
        (
            format!("POST {PAN}?a=[1]&b={{2}}&c=%20d HTTP/1.1"),
            "X-Empty:\r\nX-Reference-Id: r\r\n",
            "no json",
        ),
        (
            format!("PUT {PAN}/../pan HTTP/1.1"),
            "Content-Type: text/plain\r\n",
            "@file",
        ),
        ("GET /v1/usage?from=2026-01-01 HTTP/1.1".to_owned(), "", ""),
    ] {
        let headers = format!("Host: a\r\nAuthorization: Bearer svc_test_local\r\n{more}");
        let answer = Client::to(addresses.sandbox)
            .ask(request(&line, &headers, body))
            .json();
        let first = newest();
        let id = answer["verificationId"].as_str().expect("an id");
        let shell = get(&format!("/control/calls/{id}"))["curl"].take();
        let shell = shell.as_str().expect("a line").to_owned();
        assert!(!shell.contains("svc_test_"), "{shell}");
        // A key that is replayed makes no call: another account's is executed.
        let key = if more.contains("Idempotency") {
            "svc_test_local_other"
        } else {
            "svc_test_local"
        };
        let ran = Command::new("sh")
            .args(["-c", &shell])
            .env("SVC_API_KEY", key)
            .output()
            .expect("a shell");
        let said: Value = serde_json::from_slice(&ran.stdout).expect("an envelope");
        assert_eq!(said["status"], answer["status"], "{shell}");
        let second = match key {
            "svc_test_local" => newest(),
            _ => get("/control/calls?account=local_other&limit=1")["calls"][0].take(),
        };
        assert_eq!(asked(&second), asked(&first), "{shell}");
    }
    simulator.stop_blocking();
}

/// What was asked, without what every client writes itself.
fn asked(call: &Value) -> Value {
    let mut request = call["request"].clone();
    let own = ["host", "user-agent", "accept", "content-length"];
    let headers = request["headers"].as_array_mut().expect("a list");
    headers.retain(|it| !own.contains(&it["name"].as_str().expect("a name")));
    headers.sort_by_key(|it| it["name"].as_str().expect("a name").to_owned());
    request
}
