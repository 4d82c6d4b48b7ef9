//! The simulator: a process of its own, asked over HTTP.

use std::io::{Error, Result};
use std::path::Path;

use svc_test_support::{Connection, Folder};

use super::process::Process;

/// A simulator that runs until this is dropped.
pub(crate) struct Simulator {
    pub(crate) process: Process,
    console: String,
    pub(crate) sandbox: String,
    pub(crate) live: String,
}

impl Simulator {
    /// On free ports, with these arguments; its time runs fast, so that what is pending comes to its end.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Result<Self> {
        let arguments = [&["--time-scale", "60"], arguments].concat();
        let (process, ports) = Process::simulator(program, &Folder::new("soak"), &arguments)?;
        Ok(Simulator {
            process,
            console: ports.of("console")?,
            sandbox: ports.of("sandbox")?,
            live: ports.of("live")?,
        })
    }

    /// Lets the webhooks of an account that is used all the time go to a receiver.
    pub(crate) async fn register(&self, receiver: &str) -> Result<()> {
        let body = format!(r#"{{"url":"{receiver}/","secret":"whsec_sample"}}"#);
        let request = format!(
            "PUT /control/accounts/local/webhook HTTP/1.1\r\nHost: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.console,
            body.len()
        );
        let mut connection = Connection::open(&self.console).await?;
        match connection.exchange(request.as_bytes()).await? {
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
        match connection.exchange(request.as_bytes()).await? {
            200 => Ok(serde_json::from_slice(connection.body())?),
            status => Err(Error::other(format!(
                "it does not say what it keeps: {status}"
            ))),
        }
    }
}
