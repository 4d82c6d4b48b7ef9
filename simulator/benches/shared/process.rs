//! Servers that are measured from outside: each a process of its own, and what the operating system says of
//! it. Shared by the benches that need one; measures nothing by itself.

use std::io::{BufRead as _, BufReader, Error, Result, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use svc_test_support::Folder;

/// A server that runs until this is dropped.
pub(crate) struct Process {
    child: Child,
}

/// Processor time that a process has used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cpu {
    pub(crate) user: Duration,
    pub(crate) system: Duration,
}

/// Which ports a simulator took.
pub(crate) struct Ports(serde_json::Value);

impl Process {
    /// Starts a server and waits for the first line that it prints. The rest is read away, so that it never
    /// waits for a reader.
    pub(crate) fn start(command: &mut Command) -> Result<(Self, String)> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let stdout = child.stdout.take();
        let process = Process { child };
        let mut reader = BufReader::new(stdout.ok_or_else(|| Error::other("no output"))?);
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(Error::other("the server ended before it was ready"));
        }
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        Ok((process, line.trim().to_owned()))
    }

    /// A simulator with these arguments, on free ports and otherwise on its defaults, with this folder as
    /// its own.
    pub(crate) fn simulator(
        program: &Path,
        folder: &Folder,
        arguments: &[&str],
    ) -> Result<(Self, Ports)> {
        let ports = folder.path().join("ports.json");
        let mut command = Command::new(program);
        command.args(["serve", "--log", "warn", "--ports-file"]);
        command.arg(&ports).args(arguments);
        for listener in ["--console", "--sandbox", "--live"] {
            command.args([listener, "127.0.0.1:0"]);
        }
        // The ready lines are printed after the file is written.
        let (process, _) = Process::start(command.current_dir(folder.path()))?;
        let ports = Ports(serde_json::from_slice(&std::fs::read(&ports)?)?);
        Ok((process, ports))
    }

    /// The processor time it has used.
    pub(crate) fn cpu(&self) -> Result<Cpu> {
        Cpu::of(&self.child.id().to_string())
    }

    /// Its resident memory.
    pub(crate) fn resident_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        let megabytes = kilobytes.map(|kilobytes| kilobytes / 1024.0);
        megabytes.ok_or_else(|| Error::other("no resident memory"))
    }
}

impl Cpu {
    /// What was used since then.
    pub(crate) fn since(self, before: Cpu) -> Cpu {
        Cpu {
            user: self.user - before.user,
            system: self.system - before.system,
        }
    }

    /// By the program itself and for it.
    pub(crate) fn total(self) -> Duration {
        self.user + self.system
    }

    /// The processor time of this process, or of `self`: the one that measures.
    pub(crate) fn of(process: &str) -> Result<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
        // After the name in parentheses, utime and stime are the 12th and 13th figure, in hundredths.
        let (_, figures) = stat.rsplit_once(')').unwrap_or_default();
        let figures = figures.split_whitespace().skip(11).take(2);
        let ticks: Vec<u64> = figures.filter_map(|it| it.parse().ok()).collect();
        match ticks[..] {
            [user, system] => Ok(Cpu {
                user: Duration::from_millis(user * 10),
                system: Duration::from_millis(system * 10),
            }),
            _ => Err(Error::other("no processor time")),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Who measures one that is gone only learns that nobody answers.
        if let Ok(Some(status)) = self.child.try_wait() {
            let _ = writeln!(std::io::stderr(), "the server had ended: {status}");
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ports {
    /// The address of a listener.
    pub(crate) fn of(&self, listener: &str) -> Result<String> {
        let address = self.0[listener].as_str().map(str::to_owned);
        address.ok_or_else(|| Error::other(format!("no port of {listener}")))
    }
}
