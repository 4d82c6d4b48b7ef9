//! `--contract`: rows that are laid over the built-in ones. Reads them, says what is wrong with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use svc_fixtures::contract::Contract;
use svc_fixtures::embedded::{self, LAID_OVER};
use svc_fixtures::reading::Source;
use svc_fixtures::world::WorldRows;

use super::exit::CommandError;
use super::outputs;
use crate::check;
use crate::plan::inputs;

/// What else of a harness may be in such a folder: what it asks, which speaks of rows.
const ASKED: [&str; 2] = ["examples", "inputs.toml"];

/// What to do where examples speak of rows that are no more.
const NOT_ASKED: &str = "\
  = help: the examples that this program asks do not go with these rows. Copy the files named above to examples/ (or
          inputs.toml) in the same folder, and change them there: they take the place of the built-in ones";

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
    if !files.is_empty() {
        for name in ASKED {
            let below = [&root, folder].map(|root| root.join(name));
            let below = below.iter().find(|path| path.exists());
            match below {
                Some(path) if path.is_dir() => collect(path, name, &mut files)?,
                Some(path) => files.push((name.to_owned(), source(path)?)),
                None => {}
            }
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
    readable().map_err(|why| CommandError::usage(format!("--contract {shown}\n{why}")))
}

/// Whether all can be read that is made of rows: they themselves, and what the harness asks by them.
fn readable() -> Result<(), String> {
    let contract =
        Contract::read(&embedded::contract()).map_err(|problems| problems.to_string())?;
    WorldRows::read(&embedded::world()).map_err(|problems| problems.to_string())?;
    let asked = [
        inputs::read_built_in(&contract).err(),
        check::examples_read(&contract).err(),
    ];
    let mistakes: Vec<_> = asked.into_iter().flatten().collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    let mistakes: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
    Err(format!("{}\n{NOT_ASKED}", mistakes.join("\n").trim_end()))
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
            files.push((below, source(&one)?));
        }
    }
    Ok(())
}

fn source(path: &Path) -> Result<Arc<Source>, CommandError> {
    let text = outputs::read(path)?;
    Ok(Source::new(path.display().to_string(), text))
}
