//! The scenarios that were added for one account while the simulator runs, and the rules that they make
//! together with those of all accounts.

use std::sync::Arc;

use svc_fixtures::reading::{Problem, Problems, Source};

use crate::engine::call::rules::Rules;
use crate::engine::state::account_file::{AddedFile, AddedScenarios};

/// The file name of every added source; each lies in a folder of its own.
const FILE: &str = "scenarios.toml";

/// The most files that are added for one account, and the most bytes they have together.
const MAX_FILES: usize = 32;
const MAX_BYTES: usize = 1 << 20;

/// The most accounts with scenarios of their own: each has a set of rules of its own, which takes a megabyte or two.
const MAX_ACCOUNTS: usize = 256;

/// The scenarios that were added for one account.
pub(super) struct AccountRules {
    /// The added files, the newest first: the first match wins.
    pub(super) files: Vec<Arc<Source>>,
    /// How many files were ever added. It numbers the next one.
    pub(super) added: u64,
    /// None where no file is left: then the account follows the rules of all accounts.
    pub(super) rules: Option<Arc<Rules>>,
}

/// The name a file was given when it was added.
#[must_use]
pub fn added_name(file: &Source) -> &str {
    file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn refuse_too_much(files: &[Arc<Source>], new: &Arc<Source>) -> Result<(), Problems> {
    let bytes: usize = files.iter().map(|file| file.text.len()).sum();
    let reason = if files.len() >= MAX_FILES {
        format!("{MAX_FILES} files were added for this account, and no more may be")
    } else if bytes + new.text.len() > MAX_BYTES {
        let most = MAX_BYTES >> 20;
        format!("with this the files that were added for this account are over {most} MiB")
    } else {
        return Ok(());
    };
    let hint = "take some away: DELETE /control/scenarios/{id}?account=, or reset the account";
    Err(refused(new, reason, hint))
}

fn refused(file: &Arc<Source>, reason: String, hint: &str) -> Problems {
    let mut problems = Problems::default();
    problems.push(Problem::new(file, 0..0, reason).hint(hint));
    problems
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
        let new = Source::new(format!("{name}/{FILE}"), text);
        refuse_too_much(before.map_or(&[], |own| &own.files), &new)?;
        let mut files = vec![new];
        files.extend(before.iter().flat_map(|own| own.files.iter().cloned()));
        let rules = Some(Arc::new(shared.with_scenarios(&files)?));
        let own = AccountRules {
            files,
            added,
            rules,
        };
        Ok((own, name))
    }

    /// With another text in the place of the file of this name. None where there was no such file.
    pub(super) fn with_rewritten(
        &self,
        name: &str,
        text: &str,
        shared: &Rules,
    ) -> Result<Option<Self>, Problems> {
        let Some(at) = self.files.iter().position(|file| added_name(file) == name) else {
            return Ok(None);
        };
        let new = Source::new(self.files[at].path.clone(), text);
        let mut files = self.files.clone();
        files.remove(at);
        refuse_too_much(&files, &new)?;
        files.insert(at, new);
        let rules = Some(Arc::new(shared.with_scenarios(&files)?));
        Ok(Some(AccountRules {
            files,
            added: self.added,
            rules,
        }))
    }

    /// The names of the scenarios of an added file.
    pub(super) fn names_in(&self, name: &str) -> Vec<Arc<str>> {
        let file = self.files.iter().find(|file| added_name(file) == name);
        let all = self.rules.iter().flat_map(|rules| rules.scenarios.all());
        let in_it = all.filter(|it| file.is_some_and(|file| *file.path == *it.file));
        let mut names: Vec<Arc<str>> = in_it.map(|it| Arc::clone(&it.name)).collect();
        names.dedup();
        names
    }

    /// The files that were added for an account somewhere, before the rules of all accounts here. None where no file was
    /// ever added.
    pub(super) fn read(added: &AddedScenarios, shared: &Rules) -> Result<Option<Self>, Problems> {
        if added.added == 0 {
            return Ok(None);
        }
        let read = |file: &AddedFile| Source::new(file.path.clone(), &*file.toml);
        let mut own = AccountRules {
            files: Vec::new(),
            added: added.added,
            rules: None,
        };
        for file in added.files.iter().rev() {
            let new = read(file);
            let number = added_name(&new).strip_prefix("added-");
            let number = number.and_then(|number| number.parse().ok());
            let is_known = number.is_some_and(|number: u64| (1..=added.added).contains(&number))
                && new.path.ends_with(&format!("/{FILE}"))
                && own.files.iter().all(|other| other.path != new.path);
            if !is_known {
                let reason = "this is no name of a file that was added for an account";
                let hint = format!("write each once, as added-1/{FILE}, added-2/{FILE}");
                return Err(refused(&new, reason.to_owned(), &hint));
            }
            refuse_too_much(&own.files, &new)?;
            own.files.insert(0, new);
        }
        if !own.files.is_empty() {
            own.rules = Some(Arc::new(shared.with_scenarios(&own.files)?));
        }
        Ok(Some(own))
    }

    /// Refuses scenarios of one more account where so many have some already.
    pub(super) fn refuse_too_many_accounts(others: usize, text: &str) -> Result<(), Problems> {
        match others < MAX_ACCOUNTS {
            true => Ok(()),
            false => Err(refused(
                &Source::new(FILE, text),
                format!("{others} accounts have scenarios of their own, and no further one may"),
                "take those of other accounts away, or put these into a folder for --scenarios",
            )),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_too_many_with_scenarios_of_its_own_is_refused_with_what_to_do() {
        let refuse = |others| AccountRules::refuse_too_many_accounts(others, "");
        assert!(refuse(MAX_ACCOUNTS - 1).is_ok());
        let refused = refuse(MAX_ACCOUNTS).unwrap_err().to_string();
        for part in ["256 accounts have scenarios of their own", "--scenarios"] {
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn the_readme_says_the_bounds() {
        let readme = include_str!("../../../README.md");
        for row in [
            format!("| {MAX_FILES} files, {} MiB together |", MAX_BYTES >> 20),
            format!("| accounts with scenarios of their own | {MAX_ACCOUNTS} |"),
        ] {
            assert!(readme.contains(&row), "{row}");
        }
    }
}
