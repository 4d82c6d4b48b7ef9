//! Scenario folders: which of their files are read, and in what order.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use svc_fixtures::reading::Source;

use super::Failure;
use crate::engine::call::rules::Files;
use crate::scenario;

/// What a file of accounts is called; every other TOML file of a folder holds scenarios.
const ACCOUNTS: &str = "accounts.toml";

/// The files a simulator is made from.
pub(super) struct AllFiles {
    /// Contract, answers and scenarios.
    pub(super) rules: Files,
    /// The accounts.
    pub(super) accounts: Vec<Arc<Source>>,
}

/// The built-in files with those of these folders before them: the first rule that holds wins.
pub(super) fn read(folders: &[PathBuf]) -> Result<AllFiles, Failure> {
    let (mut scenarios, mut accounts) = (Vec::new(), Vec::new());
    for folder in folders {
        for path in toml_files(folder)? {
            let source = source(&path)?;
            let is_accounts = path.file_name().is_some_and(|name| name == ACCOUNTS);
            let into = if is_accounts {
                &mut accounts
            } else {
                &mut scenarios
            };
            into.push(source);
        }
    }
    let built_in = Files::built_in();
    scenarios.extend(built_in.scenarios);
    accounts.extend(scenario::accounts());
    Ok(AllFiles {
        rules: Files {
            scenarios,
            ..built_in
        },
        accounts,
    })
}

/// A file as it is read.
pub(super) fn source(path: &Path) -> Result<Arc<Source>, Failure> {
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    Ok(Source::new(path.display().to_string(), text))
}

/// The file itself, or the TOML files of a folder.
pub(super) fn toml_files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    match path.is_dir() {
        true => toml_files(path),
        false => Ok(vec![path.to_owned()]),
    }
}

/// The TOML files of a folder and the folders in it, by path.
fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_dir() {
            found.extend(toml_files(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("{} can't be read: {error}", path.display()))
}
