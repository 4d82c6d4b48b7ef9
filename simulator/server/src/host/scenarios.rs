//! The scenarios of single accounts: added and taken away while the simulator runs, and kept with the account.

use std::collections::BTreeSet;
use std::sync::Arc;

use svc_fixtures::reading::{Problems, Source};

use super::Host;
use super::account_rules::{
    AccountRules, LeftOut, no_room, refuse_too_many_sets, refuse_too_much, refuse_unknown,
};
use super::cell::AccountCell;
use super::journal::JournalError;
use super::scheduler::LockedAccount;
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::entry::{Change, Entry};
use crate::engine::state::scenarios::{AddedFile, AddedScenarios};
use crate::scenario_analysis::{find_contradictions, find_contrary_letters, find_unreachable};

/// Why scenarios were not added.
#[derive(Debug, thiserror::Error)]
pub enum ScenariosError {
    /// Every mistake of the file, or why there may be no more.
    #[error("{0}")]
    Mistakes(Problems),
    /// The entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// The file that is new, all files then, and the change that makes them so.
type Edit = (AddedFile, AddedScenarios, fn(AddedFile) -> Change);

impl Host {
    /// Adds a file of scenarios for one account, before all others. Gives the file's name.
    ///
    /// # Errors
    /// [`ScenariosError`]; then nothing is added.
    pub fn add_scenarios(
        &self,
        cell: &Arc<AccountCell>,
        text: &str,
    ) -> Result<String, ScenariosError> {
        let edited = self.edit(cell, |before| {
            let file = before.next(text);
            let after = before.with(file.clone());
            Some((file, after, |file| Change::ScenariosAdded { file }))
        })?;
        let file = edited.expect("a file can be added to any");
        Ok(file.name().to_owned())
    }

    /// Puts another text in the place of an added file of scenarios. Says whether there was one.
    ///
    /// # Errors
    /// [`ScenariosError`]; then nothing changed.
    pub fn rewrite_scenarios(
        &self,
        cell: &Arc<AccountCell>,
        name: &str,
        text: &str,
    ) -> Result<bool, ScenariosError> {
        let edited = self.edit(cell, |before| {
            let file = AddedFile {
                path: Arc::clone(&before.named(name)?.path),
                toml: text.into(),
            };
            let after = before.rewritten(file.clone());
            Some((file, after, |file| Change::ScenariosRewritten { file }))
        })?;
        Ok(edited.is_some())
    }

    /// Edits what was added for an account, unless the edit comes to nothing. Gives the file that is new.
    fn edit(
        &self,
        cell: &Arc<AccountCell>,
        edit: impl Fn(&AddedScenarios) -> Option<Edit>,
    ) -> Result<Option<AddedFile>, ScenariosError> {
        let _one_edit = self.rules.edit();
        loop {
            let before = cell.read(|account| account.scenarios.clone().unwrap_or_default());
            let Some((file, after, change)) = edit(&before) else {
                return Ok(None);
            };
            let after = Arc::new(after);
            let compiled = self.compiled(Some(cell.id()), &after, &file);
            let compiled = compiled.map_err(ScenariosError::Mistakes)?;
            refuse_contradictions(&compiled, &file).map_err(ScenariosError::Mistakes)?;
            let edited = self.update(cell, |locked| {
                let state = &locked.state;
                // A reset, or another replica, was faster.
                if *state.account.scenarios.clone().unwrap_or_default() != *before {
                    return Ok(None);
                }
                let more = after.bytes().saturating_sub(before.bytes());
                if !self.memory.has_room_for(state, more) {
                    return Err(ScenariosError::Mistakes(no_room(&file)));
                }
                Ok(Some(((), now(locked, vec![change(file.clone())]))))
            })?;
            // The account has them before they are given up here, so that they are not compiled again.
            drop((self.rules.own(cell), compiled));
            if edited.is_some() {
                return Ok(Some(file));
            }
        }
    }

    /// What adding a file of scenarios would make, for an account or for any: their names. Adds nothing.
    ///
    /// # Errors
    /// Every mistake of the file.
    pub fn check_scenarios(
        &self,
        cell: Option<&AccountCell>,
        text: &str,
    ) -> Result<Vec<Arc<str>>, Problems> {
        let before = cell.and_then(|cell| cell.read(|account| account.scenarios.clone()));
        let before = before.unwrap_or_default();
        let file = before.next(text);
        let after = Arc::new(before.with(file.clone()));
        let compiled = self.compiled(cell.map(|cell| &**cell.id()), &after, &file)?;
        refuse_contradictions(&compiled, &file)?;
        let all = compiled.rules.scenarios.all().iter();
        let in_it = all.filter(|it| *it.file == *file.path);
        let mut names: Vec<Arc<str>> = in_it.map(|it| Arc::clone(&it.name)).collect();
        names.dedup();
        Ok(names)
    }

    /// Removes an added file of scenarios of an account, or all of them. Says whether there was one.
    ///
    /// # Errors
    /// Where the entry is not written; then nothing is removed.
    pub fn remove_scenarios(
        &self,
        cell: &Arc<AccountCell>,
        name: Option<&str>,
    ) -> Result<bool, JournalError> {
        let _one_edit = self.rules.edit();
        let removed = self.update(cell, |locked| {
            let own = locked.state.account.scenarios.as_deref();
            let files = own.into_iter().flat_map(|own| &own.files);
            let named = files.filter(|file| name.is_none_or(|name| file.name() == name));
            let removed = named.map(|file| Change::ScenariosRemoved {
                path: Arc::clone(&file.path),
            });
            let changes: Vec<_> = removed.collect();
            let entry = || ((), now(locked, changes.clone()));
            Ok::<_, JournalError>((!changes.is_empty()).then(entry))
        });
        removed.map(|removed| removed.is_some())
    }

    /// The files that were added for an account and decide nothing, because they do not fit what is in force.
    #[must_use]
    pub fn left_out(&self, cell: &AccountCell) -> Vec<LeftOut> {
        let own = self.rules.own(cell);
        own.map_or_else(Vec::new, |own| own.left_out.clone())
    }

    /// Holds scenarios that an account is to have to all bounds, and compiles them; `new` is what is new of them.
    pub(super) fn compiled(
        &self,
        account: Option<&str>,
        scenarios: &Arc<AddedScenarios>,
        new: &AddedFile,
    ) -> Result<Arc<AccountRules>, Problems> {
        refuse_too_much(scenarios, new)?;
        let others = self.directory.unordered();
        let others = others.iter().filter(|cell| account != Some(&**cell.id()));
        let others = others.filter_map(|cell| {
            let own = cell.own.read();
            own.as_ref().map(|own| Arc::clone(&own.scenarios))
        });
        let others: Vec<_> = others.collect();
        let sets: BTreeSet<_> = others.iter().map(|other| &other.files).collect();
        if !sets.contains(&scenarios.files) {
            refuse_too_many_sets(sets.len(), new)?;
        }
        self.rules.try_compile(scenarios)
    }

    /// The same for an account that is read from a file; none where it has no scenarios.
    pub(super) fn compiled_of_file(
        &self,
        account: &Account,
    ) -> Result<Option<Arc<AccountRules>>, Problems> {
        let Some(own) = &account.scenarios else {
            return Ok(None);
        };
        refuse_unknown(own)?;
        let newest = own.files.first();
        let compiled = newest.map(|newest| self.compiled(Some(&account.id), own, newest));
        compiled.transpose()
    }
}

/// What `check` says of a file that is read without a mistake. Whoever has it already keeps it.
fn refuse_contradictions(compiled: &AccountRules, new: &AddedFile) -> Result<(), Problems> {
    let (rules, sources) = (&compiled.rules, [Source::new(&*new.path, &*new.toml)]);
    let mut found = find_unreachable(&rules.contract, &rules.scenarios, &sources);
    found.extend(find_contradictions(rules, &sources));
    found.extend(find_contrary_letters(rules, &sources));
    found.sorted().or(())
}

fn now(locked: &LockedAccount<'_>, changes: Vec<Change>) -> Entry {
    Entry {
        at: locked.now(),
        environment: Environment::Test,
        changes,
    }
}
