//! The file that `serve` writes its addresses to. Only a file is ever replaced, never a link or a device.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::failure::Failure;
use super::replace_file::replace_file;
use crate::http::ListenerAddresses;
use crate::simulator::files::kind;

/// The file of `--ports-file`, which can be replaced or made.
pub(super) struct PortsFile(PathBuf);

impl PortsFile {
    /// The file of this path.
    ///
    /// # Errors
    /// Where something else than a file has this name, or nothing can: before anything is served.
    pub(super) fn new(path: PathBuf) -> Result<Self, Failure> {
        refuse_all_but_files(&path)?;
        Ok(PortsFile(path))
    }

    /// Writes the addresses. Whoever waits for the file finds it whole or not at all.
    ///
    /// # Errors
    /// Where it can't be written; then nothing is left behind.
    pub(super) fn write(&self, addresses: &ListenerAddresses) -> Result<(), Failure> {
        let path = &self.0;
        let ports = serde_json::json!({
            "console": addresses.console.to_string(),
            "sandbox": addresses.sandbox.to_string(),
            "live": addresses.live.to_string(),
        });
        refuse_all_but_files(path)?;
        let written = replace_file(path, &format!("{ports}\n"));
        Ok(written.with_context(|| format!("{} can't be written", path.display()))?)
    }
}

fn refuse_all_but_files(path: &Path) -> Result<(), Failure> {
    let refuse = |reason: String| {
        let path = path.display();
        Err(Failure::Usage(format!("--ports-file {path}: {reason}")))
    };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(found) => {
            let kind = kind(found.file_type());
            refuse(format!(
                "this is {kind}, and only a file is replaced; name one, or a name that is free"
            ))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
            match (folder.is_none_or(Path::is_dir), path.file_name()) {
                (true, Some(_)) => Ok(()),
                _ => refuse("its folder is not there; make it first".to_owned()),
            }
        }
        Err(error) => refuse(format!("it can't be written: {error}")),
    }
}
