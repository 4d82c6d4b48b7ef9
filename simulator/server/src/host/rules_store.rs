//! The rules in force: those of all accounts, and those of single accounts. An edit puts whole new rules
//! in place or, where it has a mistake, changes nothing.

use std::sync::{Arc, Weak};

use jiff::Timestamp;
use svc_fixtures::reading::{Problems, Source};

use super::account_rules::{AccountRules, LeftOut};
use super::cell::AccountCell;
use super::directory::Directory;
use super::lock_order::{Mutex, MutexGuard, Rank, RwLock};
use crate::engine::call::rules::Rules;
use crate::engine::state::scenarios::AddedScenarios;

/// Which scenarios are in force, and what became of the last edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReloadStatus {
    /// 1 from the start, and one more with each edit that was accepted.
    pub version: u64,
    /// The last edit, where it was refused.
    pub failure: Option<ReloadFailure>,
    /// What `check` calls a mistake of the files in force, which are used; nothing until that was looked for.
    pub warnings: Arc<Problems>,
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
    /// The rules of single accounts that some account has: those whose scenarios are the same share them.
    sets: Mutex<Vec<Weak<AccountRules>>>,
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
            warnings: Arc::default(),
        };
        RulesStore {
            editing: Mutex::new(Rank::Edit, ()),
            sets: Mutex::new(Rank::Sets, Vec::new()),
            current: RwLock::new(Rank::Rules, Current { rules, status }),
        }
    }

    /// The rules of all accounts.
    pub(super) fn shared(&self) -> Arc<Rules> {
        Arc::clone(&self.current.read().rules)
    }

    /// The rules of one account.
    pub(super) fn of(&self, cell: &AccountCell) -> Arc<Rules> {
        match self.own(cell) {
            Some(own) => Arc::clone(&own.rules),
            None => self.shared(),
        }
    }

    /// What its own scenarios make, where it has any.
    pub(super) fn own(&self, cell: &AccountCell) -> Option<Arc<AccountRules>> {
        loop {
            let scenarios = {
                let own = cell.own.read();
                let own = own.as_ref()?;
                if let Some(rules) = &own.rules {
                    return Some(Arc::clone(rules));
                }
                Arc::clone(&own.scenarios)
            };
            let shared = self.shared();
            let rules = self.compiled(&scenarios, &shared);
            for LeftOut { name, mistakes } in &rules.left_out {
                tracing::error!(account = %cell.id(), file = %name, "scenarios that were added do not fit, and decide nothing:\n{mistakes}");
            }
            let mut own = cell.own.write();
            // Neither they nor those of all accounts were edited meanwhile.
            if let Some(own) = own.as_mut()
                && Arc::ptr_eq(&own.scenarios, &scenarios)
                && Arc::ptr_eq(&self.shared(), &shared)
            {
                own.rules = Some(Arc::clone(&rules));
                return Some(rules);
            }
        }
    }

    fn compiled(&self, scenarios: &Arc<AddedScenarios>, shared: &Arc<Rules>) -> Arc<AccountRules> {
        let known = self.known(scenarios, shared);
        known.unwrap_or_else(|| self.note(AccountRules::lenient(scenarios, shared)))
    }

    fn known(&self, scenarios: &AddedScenarios, shared: &Arc<Rules>) -> Option<Arc<AccountRules>> {
        let sets = self.sets.lock();
        let mut sets = sets.iter().filter_map(Weak::upgrade);
        sets.find(|set| set.are_of(scenarios, shared))
    }

    fn note(&self, set: AccountRules) -> Arc<AccountRules> {
        let set = Arc::new(set);
        let mut sets = self.sets.lock();
        sets.retain(|set| set.strong_count() > 0);
        sets.push(Arc::downgrade(&set));
        set
    }

    /// Compiles scenarios that an account is to have. Whoever keeps them until the account has them spares compiling them
    /// again.
    pub(super) fn try_compile(
        &self,
        scenarios: &Arc<AddedScenarios>,
    ) -> Result<Arc<AccountRules>, Problems> {
        let shared = self.shared();
        match self.known(scenarios, &shared) {
            Some(known) if known.left_out.is_empty() => Ok(known),
            _ => AccountRules::strict(scenarios, &shared).map(|set| self.note(set)),
        }
    }

    /// Lets nobody else edit scenarios until what this gives is dropped.
    pub(super) fn edit(&self) -> MutexGuard<'_, ()> {
        self.editing.lock()
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
        {
            let mut current = self.current.write();
            current.rules = Arc::clone(&rules);
            current.status.warnings = Arc::default();
        }
        for cell in accounts.all() {
            if let Some(own) = cell.own.write().as_mut() {
                own.rules = None;
            }
            // Compiled here and not by the next call, which would take long.
            drop(self.own(&cell));
        }
        let mut current = self.current.write();
        current.status.version += 1;
        current.status.failure = None;
        Ok(current.status.version)
    }

    /// Notes what is to be said of rules, if they are still in force.
    pub(super) fn note_warnings(&self, rules: &Arc<Rules>, warnings: Arc<Problems>) {
        let mut current = self.current.write();
        if Arc::ptr_eq(&current.rules, rules) {
            current.status.warnings = warnings;
        }
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
}
