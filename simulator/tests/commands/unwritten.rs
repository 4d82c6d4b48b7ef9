//! What can't be written is no success: every command says so by its exit code, on a full disk and where nobody reads.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Read as _, Write as _, pipe};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use svc_simulator::host::journal::SqliteJournal;
use svc_test_support::Folder;

use super::WORKS;
use super::live::Simulator;

/// Whatever is written there, there is no room for it.
fn full() -> Stdio {
    let full = OpenOptions::new().write(true).open("/dev/full");
    full.expect("a system with /dev/full").into()
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = pipe().expect(WORKS);
    drop(reader);
    writer.into()
}

/// Every command, as it is called where all goes well.
fn all() -> Vec<Vec<&'static str>> {
    let calls = [
        "--help",
        "--version",
        "serve --console 127.0.0.1:0 --sandbox 127.0.0.1:0 --live 127.0.0.1:0 --log off",
        "serve --help",
        "check",
        "check --format json",
        "check --format github",
        "explain verify.identity.pan",
        "explain bundles.full-identity-kyc",
        "try verify.identity.pan",
        "openapi",
        "openapi --format yaml",
        "openapi --format 3.0 --only api",
        "openapi --format postman --environment live",
        "schema",
        "schema --markdown",
        "schema accounts",
        "schema settings",
        "init new",
        "fmt scenarios",
        "fmt --check scenarios",
        "learn day.capture --out learned",
        "learn day.capture --out learned --fidelity --format json",
        "forecast --traffic day.capture --span 1d",
        "forecast --mix mix.toml --format csv",
        "forecast --mix mix.toml --format json",
        "operations",
        "operations show verify.identity.pan",
        "people",
        "people mule",
        "store check sqlite:kept.db",
        "store migrate sqlite:kept.db",
        "completions bash",
        "man man1",
        "listen --port 0",
        "listen --port 0 --json",
        "webhook sign --secret whsec_sample body.json",
        "webhook verify --secret whsec_sample --at 1 body.json --header t=1,v1=27a63b8574cdd26e4dbd46bca1e36f59953f7a6ebe06a7d4b1f8d7e4a9ee8f9c",
        "account list",
        "account reset local",
        "account export local",
        "clock",
        "deliveries",
        "trigger",
        "healthcheck",
        "help",
    ];
    calls.map(|call| call.split(' ').collect()).into()
}

fn command(arguments: &[&str], folder: &Folder, console: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-simulator"));
    command
        .args(arguments)
        .current_dir(folder.path())
        .env_clear()
        .env("SVC_SIMULATOR_CONSOLE_URL", format!("http://{console}"))
        .stdin(Stdio::null());
    command
}

/// What was recorded: one call.
const DAY: &str = r#"{"seed":"day","environments":["test"],"profile":"provider","http":true,"cases":[{"check":"traffic",
"case":"day","exchanges":[{"request":{"environment":"test","method":"POST","path":"/v1/verify/identity/pan","query":"",
"authorization":null,"headers":[["content-type","application/json"]],"body":{"text":"{\"pan\":\"BNZPN2501F\"}"}},
"response":{"Ok":{"status":422,"headers":[],"body":{"text":"{\"success\":false,\"verificationId\":\"svcv_1\",\"endpoint\":\"verify.identity.pan\",\"status\":\"failed\",\"error\":{\"code\":\"SVC_NO_RECORD_FOUND\",\"message\":\"none\",\"retryable\":false},\"billing\":{\"charged\":false,\"amount\":0,\"currency\":\"INR\"},\"meta\":{\"environment\":\"test\",\"latencyMs\":1}}"}}}}]}]}"#;

/// What `fmt`, `learn`, `forecast` and `webhook` are told to read.
fn folder() -> Folder {
    let folder = Folder::new("unwritten");
    let rule =
        "[[scenario]]\nname=\"a\"\noperation=\"verify.identity.pan\"\nthen={ pending = true }\n";
    folder.write("scenarios/a.toml", rule);
    folder.write("body.json", "{}");
    folder.write("day.capture", DAY);
    let mix = "[[calls]]\nendpoint = \"verify.identity.pan\"\nper_day = 1\n";
    folder.write("mix.toml", mix);
    SqliteJournal::open(&folder.path().join("kept.db")).expect("a new store");
    folder
}

fn no_command_succeeds_with_its_output(sink: fn() -> Stdio, is_said: bool) {
    let simulator = Simulator::start(&[]);
    simulator.register_nobody();
    for arguments in all() {
        let folder = folder();
        let mut command = command(&arguments, &folder, &simulator.console);
        let ended = command.stdout(sink()).output().expect(WORKS);
        let stderr = String::from_utf8(ended.stderr).expect(WORKS);
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {stderr}");
        let said = stderr.contains("error: stdout can't be written: ");
        // What only says that something differs or does not verify says it by the same code.
        assert_eq!(said, is_said, "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panic"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn no_command_succeeds_where_the_disk_is_full() {
    no_command_succeeds_with_its_output(full, true);
}

#[test]
fn no_command_succeeds_where_nobody_reads_on() {
    no_command_succeeds_with_its_output(closed, false);
}

#[test]
fn what_is_only_said_on_stderr_must_be_written_too() {
    for arguments in [&["fmt", "scenarios"][..], &["init", "new"]] {
        let folder = folder();
        let mut command = command(arguments, &folder, "127.0.0.1:1");
        let ended = command.stderr(full()).stdout(Stdio::null()).status();
        assert_eq!(ended.expect(WORKS).code(), Some(1), "{arguments:?}");
    }
}

/// The table above has them all.
#[test]
fn every_command_is_in_the_table() {
    let folder = folder();
    let help = command(&["--help"], &folder, "127.0.0.1:1").output();
    let help = String::from_utf8(help.expect(WORKS).stdout).expect(WORKS);
    let (_, commands) = help.split_once("Commands:\n").expect("a list of commands");
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<_> = names.filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let is_there = all().iter().any(|arguments| arguments[0] == name);
        assert!(is_there, "{name} is not in the table");
    }
}

#[test]
fn a_receiver_whose_reader_went_away_stops_with_a_failure() {
    let folder = folder();
    let mut listening = command(&["listen", "--port", "0", "--json"], &folder, "127.0.0.1:1");
    let listening = listening.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut listening = listening.spawn().expect(WORKS);
    let mut out = BufReader::new(listening.stdout.take().expect(WORKS));
    let mut line = String::new();
    out.read_line(&mut line).expect(WORKS);
    drop(out);
    let greeting: serde_json::Value = serde_json::from_str(&line).expect(WORKS);
    let url = greeting["listening"].as_str().expect(WORKS);
    let address = url.strip_prefix("http://").expect(WORKS);
    let mut client = TcpStream::connect(address).expect(WORKS);
    let post = format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 2\r\n\r\n{{}}");
    client.write_all(post.as_bytes()).expect(WORKS);
    let mut answer = String::new();
    client.read_to_string(&mut answer).expect(WORKS);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(listening.wait().expect(WORKS).code(), Some(1));
}
