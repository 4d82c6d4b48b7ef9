//! The rules in force: those of all accounts, and those of single accounts. An edit puts whole new rules
//! in place or, where it has a mistake, changes nothing.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::reading::{Problems, Source};

use super::account_rules::AccountRules;
use super::cell::AccountCell;
use super::directory::Directory;
use super::lock_order::{Mutex, Rank, RwLock};
use crate::engine::call::rules::Rules;
use crate::engine::state::account_file::AddedScenarios;

/// Which scenarios are in force, and what became of the last edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadStatus {
    /// 1 from the start, and one more with each edit that was accepted.
    pub version: u64,
    /// The last edit, where it was refused.
    pub failure: Option<ReloadFailure>,
}

/// An edit that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadFailure {
    /// When it was read, by the machine's clock.
    pub at: Timestamp,
    /// How many mistakes it has.
    pub mistakes: usize,
    /// Each mistake, as `check` reports it.
    pub message: String,
}

/// The rules in force.
pub(super) struct RulesStore {
    /// Held while scenarios are compiled, so that no edit undoes another. No call waits for it.
    editing: Mutex<()>,
    current: RwLock<Current>,
}

struct Current {
    rules: Arc<Rules>,
    status: ReloadStatus,
}

impl RulesStore {
    pub(super) fn new(rules: Arc<Rules>) -> Self {
        let status = ReloadStatus {
            version: 1,
            failure: None,
        };
        RulesStore {
            editing: Mutex::new(Rank::Edit, ()),
            current: RwLock::new(Rank::Rules, Current { rules, status }),
        }
    }

    /// The rules of all accounts.
    pub(super) fn shared(&self) -> Arc<Rules> {
        Arc::clone(&self.current.read().rules)
    }

    /// The rules of one account.
    pub(super) fn of(&self, cell: &AccountCell) -> Arc<Rules> {
        cell.rules().unwrap_or_else(|| self.shared())
    }

    pub(super) fn status(&self) -> ReloadStatus {
        self.current.read().status.clone()
    }

    /// Puts these scenarios in the place of those of all accounts; what was added for one account stays
    /// before them. Gives the new version.
    pub(super) fn replace(
        &self,
        files: &[Arc<Source>],
        accounts: &Directory,
        at: Timestamp,
    ) -> Result<u64, Problems> {
        let _one_edit = self.editing.lock();
        let compiled = self.shared().with_scenarios_replaced(files);
        let rules = Arc::new(compiled.inspect_err(|problems| {
            self.reject(at, problems.len(), problems.to_string());
        })?);
        self.current.write().rules = Arc::clone(&rules);
        for cell in accounts.all() {
            let Some(before) = cell.own_rules.read().clone() else {
                continue;
            };
            let rebased = Arc::new(before.rebased(cell.id(), &rules));
            let mut own = cell.own_rules.write();
            // A reset in between took them away.
            if own.as_ref().is_some_and(|now| Arc::ptr_eq(now, &before)) {
                *own = Some(rebased);
            }
        }
        let mut current = self.current.write();
        current.status.version += 1;
        current.status.failure = None;
        Ok(current.status.version)
    }

    /// Notes that an edit was refused.
    pub(super) fn reject(&self, at: Timestamp, mistakes: usize, message: String) {
        let failure = ReloadFailure {
            at,
            mistakes,
            message,
        };
        self.current.write().status.failure = Some(failure);
    }

    /// Adds a file of scenarios for one account, before all others. Gives the file's name.
    pub(super) fn add(
        &self,
        cell: &AccountCell,
        text: &str,
        accounts: &Directory,
    ) -> Result<String, Problems> {
        let _one_edit = self.editing.lock();
        let has_own = |cell: &AccountCell| cell.rules().is_some();
        if !has_own(cell) {
            let others = accounts.all().iter().filter(|it| has_own(it)).count();
            AccountRules::refuse_too_many_accounts(others, text)?;
        }
        let before = cell.own_rules.read().clone();
        let (own, name) = AccountRules::with_added(before.as_deref(), text, &self.shared())?;
        *cell.own_rules.write() = Some(Arc::new(own));
        Ok(name)
    }

    /// What adding a file of scenarios for one account, or for any, would make: their names. Adds nothing.
    pub(super) fn check(
        &self,
        cell: Option<&AccountCell>,
        text: &str,
    ) -> Result<Vec<Arc<str>>, Problems> {
        let before = cell.and_then(|cell| cell.own_rules.read().clone());
        let (own, name) = AccountRules::with_added(before.as_deref(), text, &self.shared())?;
        Ok(own.names_in(&name))
    }

    /// Puts another text in the place of an added file of one account. Says whether there was one.
    pub(super) fn rewrite(
        &self,
        cell: &AccountCell,
        name: &str,
        text: &str,
    ) -> Result<bool, Problems> {
        let _one_edit = self.editing.lock();
        let Some(before) = cell.own_rules.read().clone() else {
            return Ok(false);
        };
        let rewritten = before.with_rewritten(name, text, &self.shared())?;
        let was_there = rewritten.is_some();
        if let Some(own) = rewritten {
            *cell.own_rules.write() = Some(Arc::new(own));
        }
        Ok(was_there)
    }

    /// The scenarios of an account that is read from a file, beside those of all accounts.
    pub(super) fn read_added(
        &self,
        added: &AddedScenarios,
        accounts: &Directory,
    ) -> Result<Option<AccountRules>, Problems> {
        if let Some(file) = added.files.first() {
            let others = accounts
                .all()
                .iter()
                .filter(|it| it.rules().is_some())
                .count();
            AccountRules::refuse_too_many_accounts(others, &file.toml)?;
        }
        AccountRules::read(added, &self.shared())
    }

    /// Removes a file of one account, or all of them. Says whether there was one.
    pub(super) fn remove(&self, cell: &AccountCell, name: Option<&str>) -> bool {
        let _one_edit = self.editing.lock();
        let before = cell.own_rules.read().clone();
        let without = before.and_then(|own| own.without(name, cell.id(), &self.shared()));
        let removed = without.is_some();
        if let Some(own) = without {
            *cell.own_rules.write() = Some(Arc::new(own));
        }
        removed
    }

    /// Gives a copy of an account the scenarios that were added for the original.
    pub(super) fn copy(&self, from: &AccountCell, to: &AccountCell) {
        let _one_edit = self.editing.lock();
        let own = from.own_rules.read().clone();
        *to.own_rules.write() = own;
    }
}
