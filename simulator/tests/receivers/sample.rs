//! The samples in each language: how they are started.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use svc_test_support::Program;

use super::program::SECRET;

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

impl Language {
    pub(crate) const ALL: [Language; 4] = [
        Language::Python,
        Language::Node,
        Language::Java,
        Language::Rust,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Node => "node",
            Language::Java => "java",
            Language::Rust => "rust",
        }
    }

    /// The programs that run the sample; the Rust one is built here.
    pub(crate) fn programs(self) -> &'static [&'static str] {
        match self {
            Language::Python => &["python3"],
            Language::Node => &["node"],
            // It compiles the sample before it runs it.
            Language::Java => &["java", "javac"],
            Language::Rust => &[],
        }
    }

    /// The command that runs the sample.
    pub(crate) fn command(self) -> Command {
        let file = match self {
            Language::Python => "python/receiver.py",
            Language::Node => "node/receiver.mjs",
            Language::Java => "java/Receiver.java",
            Language::Rust => return Command::new(example()),
        };
        let mut command = Command::new(self.programs()[0]);
        command.arg(samples().join(file));
        command
    }

    /// The sample on a port of its own.
    pub(crate) fn start(self, tolerance_s: u32) -> Sample {
        let mut command = self.command();
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
        Sample { program, address }
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
