//! The program against a service that speaks TLS with a certificate of its own authority.

use std::process::Command;

use svc_simulator::Simulator;
use svc_test_support::{Authority, Folder, TlsFront};

/// Runs one check against a service at this address; answers the exit code and what was printed.
fn run(url: &str, more: &[&str]) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_svc-contract-tests");
    let mut command = Command::new(program);
    command.args([
        "run",
        "--check",
        "authentication.missing",
        "--base-url",
        url,
    ]);
    let out = command.args(more).output().expect("the program runs");
    let text = [out.stdout, out.stderr].concat();
    (
        out.status.code(),
        String::from_utf8_lossy(&text).into_owned(),
    )
}

#[test]
fn an_https_service_with_an_authority_of_its_own_is_judged() {
    let (simulator, authority) = (Simulator::start_blocking(), Authority::default());
    let own = authority.server(&["localhost"]);
    let front = TlsFront::of(simulator.addresses().sandbox, &own);
    let folder = Folder::new("https");
    folder.write("ca.pem", &authority.pem());
    let ca_file = folder.path().join("ca.pem");
    let ca_file = ca_file.to_str().expect("a plain path");
    let (code, text) = run(&front.url, &["--ca-file", ca_file]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run(&front.url, &[]);
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("nobody whom this machine trusts has issued the server's certificate"),
        "{text}"
    );
    simulator.stop_blocking();
}
