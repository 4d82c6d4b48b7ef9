//! The second implementation speaking TLS with a certificate of an authority of its own, judged by the program.

use std::process::Command;

use libtest_mimic::Failed;
use serde_json::Value;
use svc_test_support::{Authority, Folder};

use super::process::Second;

/// With `--ca-file` it is judged like any other; without, one line says why not.
pub(crate) fn is_judged(prices: &Value) -> Result<(), Failed> {
    let (authority, folder) = (Authority::default(), Folder::new("second-tls"));
    folder.write("ca.pem", &authority.pem());
    folder.write("own.pem", &authority.server(&["127.0.0.1"]).pem());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ca_file, own) = (path("ca.pem"), path("own.pem"));
    let second = Second::start(Some(prices), &["--tls-cert", &own, "--tls-key", &own]);
    let (code, report) = run(&second, &["--ca-file", &ca_file]);
    let sums = report.lines().last().unwrap_or_default();
    if code != Some(0) || !sums.contains(" passed, 0 failed, 0 skipped") {
        return Err(report.into());
    }
    let (code, report) = run(&second, &[]);
    // Where it was met, in its block, and in the last line.
    let why = "nobody whom this machine trusts has issued the server's certificate";
    let said = report.lines().filter(|line| line.contains(why)).count();
    let last = report.lines().last().unwrap_or_default();
    match (code, said) {
        (Some(3), 3) if last.contains(why) => Ok(()),
        _ => Err(format!("{code:?}, said {said} times\n{report}").into()),
    }
}

/// Some checks of sandbox and live; answers the exit code and what was printed.
fn run(second: &Second, more: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command.env_clear().arg("run").args(more);
    for check in ["envelope.", "authentication.missing", "idempotency.replay"] {
        command.args(["--check", check]);
    }
    command.args(["--base-url", second.sandbox.as_str()]);
    command.args(["--live-url", second.live.as_str()]);
    command.args(["--api-key", "svc_test_default_k1"]);
    command.args(["--live-key", "svc_live_default_k1"]);
    let out = command.output().expect("the program runs");
    let text = [out.stdout, out.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (out.status.code(), text)
}
