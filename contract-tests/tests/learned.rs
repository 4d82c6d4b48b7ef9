//! What the second implementation answers becomes scenarios: a simulator that reads them answers alike, and files that
//! people wrote beside them stay as they are. Needs python3, and `SVC_REQUIRE_TOOLS=1`.

#[path = "second/process.rs"]
#[expect(
    dead_code,
    reason = "other tests plant defects in it, and ask its console"
)]
mod process;
#[path = "second/python.rs"]
mod python;
#[path = "second/whole.rs"]
mod whole;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::thread;

use libtest_mimic::{Arguments, Failed, Trial};
use process::Second;
use svc_test_support::Folder;

/// What an application asks: no attacks, no money.
const CHECKS: [&str; 8] = [
    "examples.",
    "pairs.",
    "envelope.",
    "identifiers.",
    "errors.",
    "flows.in-order",
    "pending.",
    "idempotency.replay",
];

/// What somebody wrote, in a layout of their own.
const BY_HAND: &str = "# ours\n[[scenario]]\nname   = 'our own'\noperation='verify.utility.lpg'\nwhen={lpgId='10000000000000777'}\nthen={error='SVC_SOURCE_TIMEOUT'}\n";

fn main() -> ExitCode {
    let name = "the second implementation is learned and answered alike";
    let trial = Trial::ignorable_test(name, || whole::asking_whole_plans(is_learned));
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}

fn is_learned() -> Result<(), Failed> {
    let second = Second::start(None, &["--latency-scale", "0", "--pending-ms", "500"]);
    let folder = Folder::new("learned");
    let (capture, out) = (
        folder.path().join("second.capture"),
        folder.path().join("scenarios"),
    );
    record(&second, &folder, &capture);
    folder.write("scenarios/by-hand.toml", BY_HAND);
    thread::scope(|scope| {
        let other = scope.spawn(|| is_not_alike(&capture, &folder));
        is_learned_into(&out, &capture)?;
        other.join().expect("it ends")
    })
}

/// What is learned is the same each time, without mistakes, and beside what somebody wrote.
fn is_learned_into(out: &Path, capture: &Path) -> Result<(), Failed> {
    learn(capture, out, "99")?;
    let learned = || fs::read_to_string(out.join("zz-learned-second.toml"));
    let first = learned()?;
    learn(capture, out, "99")?;
    let again = learned()?;
    if first != again {
        return Err("what is learned twice is not the same".into());
    }
    if fs::read_to_string(out.join("by-hand.toml"))? != BY_HAND {
        return Err("what somebody wrote was changed".into());
    }
    let checked = simulator(&["check", &out.display().to_string()]);
    match checked == said(ExitCode::SUCCESS) {
        true => Ok(()),
        false => Err("what was learned has mistakes".into()),
    }
}

/// It can fail: another service than the one that was recorded is not alike.
fn is_not_alike(capture: &Path, folder: &Folder) -> Result<(), Failed> {
    let text = fs::read_to_string(capture)?;
    let other = folder.path().join("other.capture");
    fs::write(
        &other,
        text.replace(r#"\"currency\": \"INR\""#, r#"\"currency\": \"USD\""#)
            .replace(r#"\"currency\":\"INR\""#, r#"\"currency\":\"USD\""#),
    )?;
    match learn(&other, &folder.path().join("others"), "99") {
        Ok(()) => Err("a service with another currency is called alike".into()),
        Err(_) => Ok(()),
    }
}

/// The exchanges of a run.
fn record(second: &Second, folder: &Folder, capture: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("SVC_") {
            command.env_remove(name);
        }
    }
    command.env("XDG_DATA_HOME", folder.path());
    command.args([
        "run",
        "--base-url",
        second.sandbox.as_str(),
        "--api-key",
        "svc_test_default_k1",
    ]);
    command
        .args(["--seed", "learned", "--quiet", "--capture"])
        .arg(capture);
    for check in CHECKS {
        command.args(["--check", check]);
    }
    // What the run says of the service is asked elsewhere.
    command.output().expect("the program runs");
    assert!(capture.is_file(), "nothing was recorded");
}

fn learn(capture: &Path, out: &Path, least: &str) -> Result<(), Failed> {
    let (capture, out) = (capture.display().to_string(), out.display().to_string());
    let ended = simulator(&["learn", &capture, "--out", &out, "--at-least", least]);
    match ended == said(ExitCode::SUCCESS) {
        true => Ok(()),
        false => Err(format!("fewer than {least} of a hundred members are alike").into()),
    }
}

/// How a command of the simulator ends.
fn simulator(arguments: &[&str]) -> String {
    let arguments = std::iter::once(&"svc-simulator").chain(arguments);
    said(svc_simulator::cli::run(arguments.map(Into::into)))
}

/// Exit codes can't be compared.
fn said(code: ExitCode) -> String {
    format!("{code:?}")
}
