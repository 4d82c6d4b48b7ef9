//! Rules of one account alone: scenarios that were added while the simulator runs.

use std::sync::Arc;

use svc_fixtures::reading::{Problems, Source};

use super::Host;
use super::cell::AccountCell;
use crate::engine::call::rules::Rules;

/// The scenarios of one account, and the rules they make together with everybody's.
pub struct OwnRules {
    /// The files that were added, the newest first: it wins.
    files: Vec<Arc<Source>>,
    /// How many were ever added.
    added: u64,
    /// None where nothing is left of what was added: then everybody's hold.
    rules: Option<Arc<Rules>>,
}

/// What a file that was added is called in the folder of its own.
const FILE: &str = "scenarios.toml";

/// The name a file was given when it was added.
#[must_use]
pub fn name_of(file: &Source) -> &str {
    file.path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

impl AccountCell {
    /// The files of scenarios that were added for this account, the newest first.
    #[must_use]
    pub fn own_files(&self) -> Vec<Arc<Source>> {
        let own = self.own_rules.read();
        own.as_ref()
            .map(|own| own.files.clone())
            .unwrap_or_default()
    }

    /// The rules its calls are decided by, where it has some of its own.
    pub(super) fn rules(&self) -> Option<Arc<Rules>> {
        let own = self.own_rules.read();
        own.as_ref()?.rules.clone()
    }
}

impl Host {
    /// The rules an account's calls are decided by. Each call keeps to one version from its
    /// beginning to its end.
    #[must_use]
    pub fn rules_of(&self, cell: &AccountCell) -> Arc<Rules> {
        cell.rules().unwrap_or_else(|| self.rules())
    }

    /// Adds a file of scenarios for one account, before all others. Gives the file's name.
    ///
    /// # Errors
    /// Every mistake of the file; then nothing is added.
    pub fn add_scenarios(&self, cell: &AccountCell, text: &str) -> Result<String, Problems> {
        let _only = self.editing.lock();
        let before = cell.own_rules.read().clone();
        let added = before.as_ref().map_or(0, |own| own.added) + 1;
        // Names of scenarios are unique in a folder: each file has one of its own.
        let name = format!("added-{added}");
        let mut files = vec![Source::new(format!("{name}/{FILE}"), text)];
        files.extend(before.iter().flat_map(|own| own.files.iter().cloned()));
        let rules = Some(Arc::new(self.rules().with_scenarios(&files)?));
        *cell.own_rules.write() = Some(Arc::new(OwnRules {
            files,
            added,
            rules,
        }));
        Ok(name)
    }

    /// Takes a file of scenarios of an account away, or all of them. Says whether there was one.
    pub fn remove_scenarios(&self, cell: &AccountCell, name: Option<&str>) -> bool {
        let _only = self.editing.lock();
        let Some(before) = cell.own_rules.read().clone() else {
            return false;
        };
        let stays = |file: &&Arc<Source>| name.is_some_and(|name| name_of(file) != name);
        let files: Vec<_> = before.files.iter().filter(stays).cloned().collect();
        let removed = files.len() < before.files.len();
        if removed {
            let rules = self.renewed(cell, &files, &self.rules());
            *cell.own_rules.write() = Some(Arc::new(OwnRules {
                files,
                added: before.added,
                rules,
            }));
        }
        removed
    }

    /// Puts what was added for single accounts before new rules for everybody.
    pub(super) fn renew_own_rules(&self, everybody: &Arc<Rules>) {
        for cell in self.directory.all() {
            let Some(before) = cell.own_rules.read().clone() else {
                continue;
            };
            let rules = self.renewed(&cell, &before.files, everybody);
            let mut own = cell.own_rules.write();
            // A reset in between took them away.
            if own.as_ref().is_some_and(|now| Arc::ptr_eq(now, &before)) {
                *own = Some(Arc::new(OwnRules {
                    files: before.files.clone(),
                    added: before.added,
                    rules,
                }));
            }
        }
    }

    /// The rules of these files of an account together with everybody's. Each was read alone or with
    /// other rules before; where they don't go together the account keeps what it has.
    fn renewed(
        &self,
        cell: &AccountCell,
        files: &[Arc<Source>],
        everybody: &Arc<Rules>,
    ) -> Option<Arc<Rules>> {
        if files.is_empty() {
            return None;
        }
        match everybody.with_scenarios(files) {
            Ok(rules) => Some(Arc::new(rules)),
            Err(problems) => {
                let account = cell.id();
                tracing::error!(%account, "its own scenarios do not fit the others:\n{problems}");
                cell.rules()
            }
        }
    }
}
