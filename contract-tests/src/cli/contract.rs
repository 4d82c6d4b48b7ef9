//! `--contract`: rows that are laid over the built-in ones. Reads them, says what is wrong with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use svc_fixtures::contract::Contract;
use svc_fixtures::embedded::{self, LAID_OVER};
use svc_fixtures::reading::Source;

use super::exit::CommandError;
use super::outputs;

/// Lays the rows of a folder over the built-in ones: its `contract/`, `answers/` and `world/`, or those of a
/// `fixtures/` in it, as a checkout has them.
pub(super) fn lay_over(folder: &Path) -> Result<(), CommandError> {
    let shown = folder.display();
    let mut files = Vec::new();
    let root = folder.join("fixtures");
    let root = if root.is_dir() {
        root
    } else {
        folder.to_owned()
    };
    for name in LAID_OVER {
        let below = root.join(name);
        if below.is_dir() {
            collect(&below, name, &mut files)?;
        }
    }
    if files.is_empty() {
        let names = LAID_OVER.map(|name| format!("{name}/")).join(", ");
        return Err(CommandError::usage(format!(
            "--contract {shown}: no TOML file is in {names} of it or of its fixtures/: give the folder that holds them, \
             with the paths they have below fixtures/"
        )));
    }
    let laid = embedded::lay_over(files);
    laid.map_err(|mistake| CommandError::usage(format!("--contract {shown}: {mistake}")))?;
    match Contract::read(&embedded::contract()) {
        Ok(_) => Ok(()),
        Err(problems) => Err(CommandError::usage(format!(
            "--contract {shown}\n{problems}"
        ))),
    }
}

fn collect(
    folder: &Path,
    path: &str,
    files: &mut Vec<(String, Arc<Source>)>,
) -> Result<(), CommandError> {
    let unreadable = |error| {
        let shown = folder.display();
        CommandError::usage(format!("--contract {shown}: {error}"))
    };
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in entries {
        found.push(entry.map_err(unreadable)?.path());
    }
    found.sort();
    for one in found {
        let name = one.file_name().unwrap_or_default().to_string_lossy();
        let below = format!("{path}/{name}");
        if one.is_dir() {
            collect(&one, &below, files)?;
        } else if one.extension().is_some_and(|end| end == "toml") {
            let text = outputs::read(&one)?;
            files.push((below, Source::new(one.display().to_string(), text)));
        }
    }
    Ok(())
}
