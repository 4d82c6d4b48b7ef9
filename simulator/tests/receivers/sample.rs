//! The samples in each language: how they are started.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;

use super::program::{Program, SECRET};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    Node,
    Java,
    Rust,
}

/// A sample that listens.
pub(crate) struct Sample {
    pub(crate) program: Program,
    pub(crate) address: SocketAddr,
}

pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("receivers")
}

/// Whether a program can be run; says so where it can't.
pub(crate) fn installed(program: &str, version: &str) -> bool {
    let mut asked = Command::new(program);
    asked
        .arg(version)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let installed = asked.status().is_ok_and(|status| status.success());
    if !installed {
        // Not `println!`, which a test that passes keeps to itself.
        let _ = writeln!(std::io::stderr(), "skipped: {program} is not installed");
    }
    installed
}

impl Language {
    /// The command that runs the sample; nothing where the language is not installed.
    pub(crate) fn command(self) -> Option<Command> {
        let (program, version, file) = match self {
            Language::Python => ("python3", "--version", "python/receiver.py"),
            Language::Node => ("node", "--version", "node/receiver.mjs"),
            Language::Java => ("java", "--version", "java/Receiver.java"),
            Language::Rust => return Some(Command::new(example())),
        };
        installed(program, version).then(|| {
            let mut command = Command::new(program);
            command.arg(samples().join(file));
            command
        })
    }

    /// The sample on a port of its own.
    pub(crate) fn start(self, tolerance_s: u32) -> Option<Sample> {
        let mut command = self.command()?;
        command
            .env("PORT", "0")
            .env("WEBHOOK_SECRET", SECRET)
            .env("TOLERANCE_S", tolerance_s.to_string());
        let mut program = Program::start(&mut command);
        let line = program.line();
        let address = line
            .strip_prefix("listening on ")
            .expect("the address first");
        let address = address.parse().expect("an address");
        Some(Sample { program, address })
    }
}

/// The Rust sample, which cargo builds along with the tests; with only this test asked for it does
/// not, and then it is built here.
fn example() -> PathBuf {
    static BUILT: Once = Once::new();
    let test = std::env::current_exe().expect("this test");
    let profile = test
        .parent()
        .and_then(Path::parent)
        .expect("target/debug/deps");
    let example = profile
        .join("examples/receiver")
        .with_extension(std::env::consts::EXE_EXTENSION);
    BUILT.call_once(|| {
        let changed = |path: &Path| path.metadata().and_then(|it| it.modified()).ok();
        if changed(&example) < changed(&samples().join("rust/receiver.rs")) {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args([
                "build",
                "--quiet",
                "--package",
                env!("CARGO_PKG_NAME"),
                "--example",
                "receiver",
            ]);
            let built = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status();
            assert!(
                built.is_ok_and(|status| status.success()),
                "the sample does not build"
            );
        }
    });
    example
}
