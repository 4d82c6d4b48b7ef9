//! The servers that are compared.

use std::io::Result;
use std::path::Path;
use std::process::Command;

use svc_test_support::Folder;

use super::process::Process;
use super::{bare, echo};

/// A server that runs until this is dropped.
pub(crate) struct Server {
    pub(crate) process: Process,
    /// Where sandbox calls go.
    pub(crate) sandbox: String,
    /// Where live calls go.
    pub(crate) live: String,
    /// What it reads and writes; gone when it ends.
    _folder: Option<Folder>,
}

/// An account that no measurement empties, and that each key behind it has a copy of.
const ACCOUNTS: &str = "[[account]]\nid = \"bench\"\nlive_wallet_inr = 1e12\ncopies = true\n";

impl Server {
    /// The simulator on its defaults, on free ports, with a rich account and the rules of this file before its own, and
    /// these arguments.
    pub(crate) fn simulator(program: &Path, rules: Option<&str>, more: &[&str]) -> Result<Self> {
        let folder = Folder::new("throughput");
        let scenarios = folder.path().join("bench");
        std::fs::create_dir_all(&scenarios)?;
        std::fs::write(scenarios.join("accounts.toml"), ACCOUNTS)?;
        let mut arguments = more.to_vec();
        arguments.extend(["--scenarios", "bench"]);
        if let Some(rules) = rules {
            std::fs::write(scenarios.join("rules.toml"), rules)?;
            arguments.push("--no-reload");
        }
        let (process, ports) = Process::simulator(program, &folder, &arguments)?;
        Ok(Server {
            process,
            sandbox: ports.of("sandbox")?,
            live: ports.of("live")?,
            _folder: Some(folder),
        })
    }

    /// The bare server: this program again, in another role.
    pub(crate) fn bare() -> Result<Self> {
        Server::role(bare::FLAG)
    }

    /// The one that only echoes.
    pub(crate) fn echo() -> Result<Self> {
        Server::role(echo::FLAG)
    }

    fn role(flag: &str) -> Result<Self> {
        let program = std::env::current_exe()?;
        let (process, address) = Process::start(Command::new(program).arg(flag))?;
        Ok(Server {
            process,
            sandbox: address.clone(),
            live: address,
            _folder: None,
        })
    }
}
