//! The commands, as the program that people run.

mod bounds;
mod bundles;
mod check;
mod deploy;
mod dry;
mod expected;
mod explained;
mod fake;
mod files;
mod folders;
mod forms;
mod learned;
mod live;
mod notes;
mod overlays;
mod people;
mod ports_file;
mod prices;
mod reload;
mod serving;
mod store;
mod told;
mod unwritten;
mod views;

use std::process::Command;

/// What a test may expect of its machine.
const WORKS: &str = "a test on a machine that works";

/// Exit code, stdout and stderr.
fn run(url: &str, arguments: &[&str]) -> (i32, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_svc-simulator"))
        .args(arguments)
        .env_clear()
        // A proxy of the environment is not asked for what runs on this machine.
        .env("http_proxy", "http://127.0.0.1:1")
        .env("SVC_SIMULATOR_CONSOLE_URL", url)
        .output()
        .expect(WORKS);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect(WORKS);
    (
        out.status.code().expect(WORKS),
        text(out.stdout),
        text(out.stderr),
    )
}
