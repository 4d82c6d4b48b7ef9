//! The scenarios that were added for one account while the simulator runs: their texts. What they decide is compiled
//! elsewhere, so that an account whose texts no version reads any more still is an account.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use svc_fixtures::reading::Source;

use super::sizes::text_bytes;

/// The file name of every added text; each lies in a folder of its own, because the names of scenarios are unique in one.
const FILE: &str = "scenarios.toml";

/// The scenarios that were added for one account.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedScenarios {
    /// How many files were ever added. It numbers the next one.
    pub added: u64,
    /// Those that are there, the newest first: the first match wins.
    pub files: Vec<AddedFile>,
}

/// A file of scenarios.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AddedFile {
    /// Its path, which its scenarios are known by.
    pub path: Arc<str>,
    /// Its text.
    pub toml: Arc<str>,
}

/// The name that the file of this path was given when it was added.
#[must_use]
pub fn added_name(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl AddedFile {
    /// The name it was given when it was added.
    #[must_use]
    pub fn name(&self) -> &str {
        added_name(&self.path)
    }

    /// It, to be read.
    #[must_use]
    pub fn source(&self) -> Arc<Source> {
        Source::new(&*self.path, &*self.toml)
    }
}

impl AddedScenarios {
    /// This text as the file that is added next.
    #[must_use]
    pub fn next(&self, toml: &str) -> AddedFile {
        AddedFile {
            path: format!("added-{}/{FILE}", self.added + 1).into(),
            toml: toml.into(),
        }
    }

    /// With one more file, which wins over all before.
    #[must_use]
    pub fn with(&self, file: AddedFile) -> Self {
        AddedScenarios {
            added: self.added + 1,
            files: [file].into_iter().chain(self.files.clone()).collect(),
        }
    }

    /// With another text in the place of the file of the same path.
    #[must_use]
    pub fn rewritten(&self, new: AddedFile) -> Self {
        let files = self.files.iter().map(|file| match file.path == new.path {
            true => new.clone(),
            false => file.clone(),
        });
        AddedScenarios {
            added: self.added,
            files: files.collect(),
        }
    }

    /// The file that was given this name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&AddedFile> {
        self.files.iter().find(|file| file.name() == name)
    }

    /// Without the file of this path.
    #[must_use]
    pub fn without(&self, path: &str) -> Self {
        let stays = |file: &&AddedFile| *file.path != *path;
        AddedScenarios {
            added: self.added,
            files: self.files.iter().filter(stays).cloned().collect(),
        }
    }

    /// What the texts take: once here, and once beside the rules that are made of them.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of = |file: &AddedFile| text_bytes(&file.path) + text_bytes(&file.toml);
        2 * self.files.iter().map(of).sum::<usize>()
    }

    /// The first file that was never added so: its path is no number up to how many were, or is there twice.
    #[must_use]
    pub fn unknown(&self) -> Option<&AddedFile> {
        let number = |file: &AddedFile| {
            let number = file.path.strip_suffix(FILE)?.strip_suffix('/')?;
            number.strip_prefix("added-")?.parse::<u64>().ok()
        };
        let known = |at: usize, file: &AddedFile| {
            number(file).is_some_and(|number| (1..=self.added).contains(&number))
                && self.files[..at].iter().all(|other| other.path != file.path)
        };
        let files = self.files.iter().enumerate();
        files
            .filter(|(at, file)| !known(*at, file))
            .map(|(_, file)| file)
            .next()
    }
}
