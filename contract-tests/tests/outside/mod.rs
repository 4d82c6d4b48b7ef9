//! What tests of the whole command need: a service that answers everything alike, a folder, the command.

use std::path::PathBuf;
use std::process::Command;

use svc_test_support::{Reply, Server};

/// A folder of its own, gone when the test is over.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("svc-contract-tests-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder of its own");
        Folder(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Every file below, with all that is in it.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let (mut found, mut folders) = (Vec::new(), vec![self.0.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("it is there") {
                let path = entry.expect("an entry").path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push((
                        path.display().to_string(),
                        std::fs::read(&path).expect("a file"),
                    )),
                }
            }
        }
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A service on this machine that answers everything alike.
pub(crate) fn service(headers: Vec<(String, String)>, body: String) -> Server {
    Server::start(move |_| Reply::Says(200, headers.clone(), body.clone().into_bytes()))
}

/// The command with these arguments and an empty environment.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_svc-contract-tests"));
    command.args(arguments).env_clear();
    command
}
