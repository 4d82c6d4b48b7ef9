//! The simulator: a process of its own, asked over HTTP, and what the operating system says of it.

use std::io::{BufRead as _, BufReader, Error, Result};
use std::process::{Child, Command, Stdio};

use super::connection::Connection;

/// A simulator that runs until this is dropped.
pub(crate) struct Simulator {
    process: Child,
    console: String,
    pub(crate) sandbox: String,
    pub(crate) live: String,
}

impl Simulator {
    /// On its defaults, on free ports; its time runs fast, so that what is pending comes to its end.
    pub(crate) fn start() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("svc-soak-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let ports = folder.join("ports.json");
        let mut process = Command::new(env!("CARGO_BIN_EXE_svc-simulator"))
            .args(["serve", "--time-scale", "60", "--log", "warn"])
            .args(["--console", "127.0.0.1:0"])
            .args(["--sandbox", "127.0.0.1:0"])
            .args(["--live", "127.0.0.1:0"])
            .arg("--ports-file")
            .arg(&ports)
            .current_dir(&folder)
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = process.stdout.take();
        let mut reader = BufReader::new(stdout.ok_or_else(|| Error::other("no output"))?);
        // The ready lines are printed after the file is written. The rest is read away.
        reader.read_line(&mut String::new())?;
        std::thread::spawn(move || std::io::copy(&mut reader, &mut std::io::sink()));
        let ports: serde_json::Value = serde_json::from_slice(&std::fs::read(&ports)?)?;
        std::fs::remove_dir_all(&folder)?;
        let address = |name: &str| ports[name].as_str().unwrap_or_default().to_owned();
        Ok(Simulator {
            process,
            console: address("console"),
            sandbox: address("sandbox"),
            live: address("live"),
        })
    }

    /// Lets the webhooks of an account that is used all the time go to a receiver.
    pub(crate) async fn register(&self, receiver: &str) -> Result<()> {
        let body = format!(r#"{{"url":"http://{receiver}/","secret":"whsec_sample"}}"#);
        let request = format!(
            "PUT /control/accounts/local/webhook HTTP/1.1\r\nHost: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.console,
            body.len()
        );
        let mut connection = Connection::open(&self.console).await?;
        match connection.exchange(&request).await? {
            200 => Ok(()),
            status => Err(Error::other(format!(
                "the receiver was not taken: {status}"
            ))),
        }
    }

    /// What the simulator says it keeps.
    pub(crate) async fn memory(&self) -> Result<serde_json::Value> {
        let request = format!(
            "GET /control/memory HTTP/1.1\r\nHost: {}\r\n\r\n",
            self.console
        );
        let mut connection = Connection::open(&self.console).await?;
        connection.exchange(&request).await?;
        Ok(serde_json::from_slice(connection.body())?)
    }

    /// Its resident memory.
    pub(crate) fn resident_mb(&self) -> Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes
            .map(|kb| kb / 1024.0)
            .ok_or_else(|| Error::other("no VmRSS"))
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // One that is gone already needs no killing.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
