//! The simulator that is measured: what the README's command builds, whatever profile the bench has.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Measures this program instead.
pub(crate) const FLAG: &str = "--program";

/// The program that the arguments name, or one that is built now.
pub(crate) fn find() -> Result<PathBuf> {
    match std::env::args().skip_while(|it| it != FLAG).nth(1) {
        Some(path) => Ok(path.into()),
        None => build(),
    }
}

fn build() -> Result<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "--package",
            "svc-simulator",
            "--bin",
            "svc-simulator",
        ])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(workspace)
        .stderr(Stdio::inherit())
        .output()?;
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let mut messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let program = messages.find_map(|it| it["executable"].as_str().map(PathBuf::from));
    program.ok_or_else(|| Error::other("cargo build --release gave no program"))
}
