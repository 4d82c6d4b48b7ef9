//! What calls cost where a file says so.

use std::process::{Command, Stdio};

use serde_json::Value;
use svc_test_support::{Addresses, Client, Folder, Program, ended, request};

const PORTS: [&str; 6] = [
    "--console",
    "127.0.0.1:0",
    "--sandbox",
    "127.0.0.1:0",
    "--live",
    "127.0.0.1:0",
];

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command.env_clear();
    command
}

fn post(addresses: &Addresses, path: &str, body: &str) -> Value {
    let head = "Host: test\r\nAuthorization: Bearer svc_live_local\r\n";
    let text = request(&format!("POST {path} HTTP/1.1"), head, body);
    Client::to(addresses.of("live")).ask(text).json()
}

#[test]
fn calls_cost_what_a_file_says_and_the_document_says_so() {
    let folder = Folder::new("prices");
    folder.write("prices.toml", "\"verify.identity.pan\" = 41.25\n");
    let mut command = program();
    let command = command.stderr(Stdio::null());
    let (program, addresses) = Program::serve(command, folder.path(), &["--prices", "prices.toml"]);
    let pan = post(
        &addresses,
        "/v1/verify/identity/pan",
        r#"{"pan":"AAAAA0000A","name":"Asha Rao"}"#,
    );
    assert_eq!(pan["billing"]["amount"], 41.25, "{pan}");
    let console = addresses.of("console");
    let document = request(
        "GET /openapi.json HTTP/1.1",
        &format!("Host: {console}\r\n"),
        "",
    );
    let document = Client::to(&console).ask(document).json();
    let listed = &document["paths"]["/v1/verify/identity/pan"]["post"]["x-list-price-inr"];
    assert_eq!(*listed, 41.25);
    program.interrupt();
    assert_eq!(program.ended().0, Some(0));
}

#[test]
fn a_file_of_prices_with_a_mistake_starts_nothing() {
    let folder = Folder::new("prices");
    let refused = |text: &str| {
        folder.write("prices.toml", text);
        let mut command = program();
        let command = command.arg("serve").args(PORTS).current_dir(folder.path());
        let (code, _, stderr) = ended(command.args(["--prices", "prices.toml"]));
        assert_eq!(code, Some(2), "{stderr}");
        stderr
    };
    insta::assert_snapshot!(refused("\"verify.identity.pann\" = 3\n\"bundles.fraud-check\" = 22\n"), @r#"
    error: there is no endpoint `verify.identity.pann`
     --> prices.toml:1:26
      |
    1 | "verify.identity.pann" = 3
      |                          ^
      |
      = help: did you mean `verify.identity.pan`?

    error: `bundles.fraud-check` costs what its steps cost
     --> prices.toml:2:25
      |
    2 | "bundles.fraud-check" = 22
      |                         ^^
      |
      = help: give the prices of screen.mobile-silent, screen.email-fraud, screen.mobile-mnrl, screen.negative-diligence

    2 mistakes found
    "#);
}
