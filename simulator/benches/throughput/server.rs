//! The two servers, each a process of its own, and what the operating system says of them.

use std::io::{BufRead as _, BufReader, Error, Result};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::bare;

/// The program that is measured.
pub(crate) const SIMULATOR: &str = env!("CARGO_BIN_EXE_svc-simulator");

/// A server that runs until this is dropped.
pub(crate) struct Server {
    process: Child,
    /// Where sandbox calls go.
    pub(crate) sandbox: String,
    /// Where live calls go.
    pub(crate) live: String,
}

impl Server {
    /// The simulator on its defaults, on free ports, with the rules of this file before its own, and
    /// these arguments.
    pub(crate) fn simulator(rules: Option<&str>, more: &[&str]) -> Result<Self> {
        static STARTED: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "svc-bench-{}-{}",
            std::process::id(),
            STARTED.fetch_add(1, Ordering::Relaxed)
        );
        let folder = std::env::temp_dir().join(name);
        let scenarios = folder.join("rules");
        std::fs::create_dir_all(&scenarios)?;
        let ports = folder.join("ports.json");
        let mut command = Command::new(SIMULATOR);
        command
            .arg("serve")
            .arg("--ports-file")
            .arg(&ports)
            .args(more);
        for listener in ["--console", "--sandbox", "--live"] {
            command.args([listener, "127.0.0.1:0"]);
        }
        if let Some(rules) = rules {
            std::fs::write(scenarios.join("rules.toml"), rules)?;
            command
                .arg("--no-reload")
                .arg("--scenarios")
                .arg(&scenarios);
        }
        let mut process = command
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        // The ready lines are printed after the file is written.
        first_line(&mut process)?;
        let text = std::fs::read_to_string(&ports)?;
        let ports: serde_json::Value = serde_json::from_str(&text)?;
        let address = |name: &str| {
            let address = ports[name].as_str().map(str::to_owned);
            address.ok_or_else(|| Error::other("no port"))
        };
        std::fs::remove_dir_all(&folder)?;
        Ok(Server {
            sandbox: address("sandbox")?,
            live: address("live")?,
            process,
        })
    }

    /// The bare server: this program again, in another role.
    pub(crate) fn bare() -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(bare::FLAG)
            .stdout(Stdio::piped())
            .spawn()?;
        let address = first_line(&mut process)?;
        Ok(Server {
            process,
            sandbox: address.clone(),
            live: address,
        })
    }

    /// The processor time it has used.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // After the name in parentheses, utime and stime are the 12th and 13th figure.
        let figures: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let ticks: u64 = figures[11..13]
            .iter()
            .filter_map(|figure| figure.parse::<u64>().ok())
            .sum();
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Its resident memory.
    pub(crate) fn rss_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes
            .map(|kb| kb / 1024.0)
            .ok_or_else(|| Error::other("no VmRSS"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that is gone already needs no killing.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The first line a server prints. The rest is read away, so that it never waits for a reader.
fn first_line(process: &mut Child) -> Result<String> {
    let stdout = process
        .stdout
        .take()
        .ok_or_else(|| Error::other("no standard output"))?;
    let mut reader = BufReader::new(stdout);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
    Ok(line.trim().to_owned())
}
