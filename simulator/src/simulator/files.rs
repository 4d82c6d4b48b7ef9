//! Scenario folders: which of their files are read, and in what order. The only files a simulator reads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use svc_fixtures::reading::Source;

use crate::engine::call::rules::Files;
use crate::scenario;

/// What a file of accounts is called; every other TOML file of a folder holds scenarios.
const ACCOUNTS: &str = "accounts.toml";

/// The files a simulator is made from.
pub(crate) struct AllFiles {
    /// Contract, answers and scenarios.
    pub(crate) rules: Files,
    /// The accounts.
    pub(crate) accounts: Vec<Arc<Source>>,
}

/// A file or a folder that can't be read.
#[derive(Debug, thiserror::Error)]
#[error("{} can't be read: {error}", path.display())]
pub struct ReadError {
    /// Which one.
    path: PathBuf,
    /// Why.
    error: io::Error,
}

/// The built-in files with those of these folders before them: the first rule that holds wins.
pub(crate) fn read(folders: &[PathBuf]) -> Result<AllFiles, ReadError> {
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
pub(crate) fn source(path: &Path) -> Result<Arc<Source>, ReadError> {
    let text = fs::read_to_string(path).map_err(|error| unreadable(path, error))?;
    Ok(Source::new(path.display().to_string(), text))
}

/// The file itself, or the TOML files of a folder.
pub(crate) fn toml_files_of(path: &Path) -> Result<Vec<PathBuf>, ReadError> {
    match path.is_dir() {
        true => toml_files(path),
        false => Ok(vec![path.to_owned()]),
    }
}

/// The TOML files of a folder and the folders in it, by path.
fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
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

fn unreadable(path: &Path, error: io::Error) -> ReadError {
    ReadError {
        path: path.to_owned(),
        error,
    }
}
