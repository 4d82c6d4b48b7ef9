//! Programs that are started for a test and end with it, and the simulator as one of them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::WORKS;

/// Runs a program to its end: its exit code and what it printed to stdout and stderr.
#[must_use]
pub fn ended(command: &mut Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("a program that starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// A running program.
pub struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

/// Which addresses a simulator took.
pub struct Addresses(Value);

impl Program {
    /// Starts one, without input. What it prints is read by the methods below.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a program that starts");
        let out = BufReader::new(child.stdout.take().expect(WORKS));
        Program { child, out }
    }

    /// `serve` of this program on free ports, in this folder and with these arguments; whatever else the
    /// command is told before it stays. It is ready when this comes back.
    #[must_use]
    pub fn serve(command: &mut Command, folder: &Path, arguments: &[&str]) -> (Self, Addresses) {
        let file = folder.join("ports.json");
        // One of an earlier run would be read too early.
        let _ = std::fs::remove_file(&file);
        command.arg("serve").current_dir(folder);
        for listener in ["--console", "--sandbox", "--live"] {
            command.args([listener, "127.0.0.1:0"]);
        }
        let mut program = Program::start(command.arg("--ports-file").arg(&file).args(arguments));
        // The file is there when the first line is.
        assert_eq!(program.line(), "svc-simulator is ready");
        let ports = std::fs::read(file).expect("the ports file");
        (
            program,
            Addresses(serde_json::from_slice(&ports).expect("JSON")),
        )
    }

    /// The next line it prints.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.out.read_line(&mut line).expect("text");
        assert!(read > 0, "the program ended");
        line.trim_end().to_owned()
    }

    /// What it says to stderr, where that was piped.
    pub fn stderr(&mut self) -> ChildStderr {
        self.child.stderr.take().expect("a pipe")
    }

    /// Its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Interrupts it as Ctrl-C does.
    pub fn interrupt(&self) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "no signal was sent"
        );
    }

    /// The exit code of a program that ends by itself, and what else it printed.
    pub fn ended(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("text");
        let status = self.child.wait().expect(WORKS);
        (status.code(), rest)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Addresses {
    /// The address of `console`, `sandbox` or `live`.
    #[must_use]
    pub fn of(&self, listener: &str) -> String {
        self.0[listener].as_str().expect("an address").to_owned()
    }
}
