//! The scenarios that were added for one account while the simulator runs, and the rules that they make
//! together with those of all accounts.

use std::sync::Arc;

use svc_fixtures::reading::{Problems, Source};

use crate::engine::call::rules::Rules;

/// The file name of every added source; each lies in a folder of its own.
const FILE: &str = "scenarios.toml";

/// The scenarios that were added for one account.
pub(super) struct AccountRules {
    /// The added files, the newest first: the first match wins.
    pub(super) files: Vec<Arc<Source>>,
    /// How many files were ever added. It numbers the next one.
    added: u64,
    /// None where no file is left: then the account follows the rules of all accounts.
    pub(super) rules: Option<Arc<Rules>>,
}

/// The name a file was given when it was added.
#[must_use]
pub fn added_name(file: &Source) -> &str {
    file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl AccountRules {
    /// With one more file. Gives the file's name, too.
    pub(super) fn with_added(
        before: Option<&AccountRules>,
        text: &str,
        shared: &Rules,
    ) -> Result<(Self, String), Problems> {
        let added = before.map_or(0, |own| own.added) + 1;
        // The names of scenarios are unique in a folder, so that each file needs its own.
        let name = format!("added-{added}");
        let mut files = vec![Source::new(format!("{name}/{FILE}"), text)];
        files.extend(before.iter().flat_map(|own| own.files.iter().cloned()));
        let rules = Some(Arc::new(shared.with_scenarios(&files)?));
        let own = AccountRules {
            files,
            added,
            rules,
        };
        Ok((own, name))
    }

    /// Without the file of this name, or without any. None where there was no such file.
    pub(super) fn without(
        &self,
        name: Option<&str>,
        account: &str,
        shared: &Rules,
    ) -> Option<Self> {
        let stays = |file: &&Arc<Source>| name.is_some_and(|name| added_name(file) != name);
        let files: Vec<_> = self.files.iter().filter(stays).cloned().collect();
        (files.len() < self.files.len()).then(|| self.with_files(files, account, shared))
    }

    /// The same files before new rules of all accounts.
    pub(super) fn rebased(&self, account: &str, shared: &Rules) -> Self {
        self.with_files(self.files.clone(), account, shared)
    }

    /// Each of the files was accepted before, alone or beside other rules. Where they do not fit these
    /// rules, the account keeps the rules it has.
    fn with_files(&self, files: Vec<Arc<Source>>, account: &str, shared: &Rules) -> Self {
        let compiled = match files.is_empty() {
            true => Ok(None),
            false => shared.with_scenarios(&files).map(|it| Some(Arc::new(it))),
        };
        let rules = compiled.unwrap_or_else(|problems| {
            tracing::error!(%account, "its own scenarios do not fit the others:\n{problems}");
            self.rules.clone()
        });
        AccountRules {
            files,
            added: self.added,
            rules,
        }
    }
}
