//! Which account a key belongs to. Sharded, so that finding one account never waits for another.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use jiff::Timestamp;
use parking_lot::{Mutex, RwLock};

use super::AccountCell;
use super::accounts::OpenError;
use super::journal::{Journal, JournalError};
use crate::engine::account::{Account, Settings};
use crate::engine::call::Environment;
use crate::engine::clock::AccountClock;
use crate::engine::entry::Entry;
use crate::scenario::AccountTerms;

type Shard = RwLock<HashMap<Box<str>, Arc<AccountCell>, FixedState>>;

/// All accounts, by the names of their keys: what follows `svc_test_` or `svc_live_`.
pub struct Directory {
    shards: Vec<Shard>,
    /// The accounts that keys of a certain form open copies of.
    copied: Vec<AccountTerms>,
    settings: Settings,
    journal: Arc<dyn Journal>,
    /// How the clocks of new accounts stand.
    opening: AccountClock,
    opens: Mutex<()>,
}

const SHARDS: usize = 64;

impl Directory {
    /// A directory with these accounts, opened now.
    ///
    /// # Errors
    /// Where the journal does not take their opening.
    pub fn new(
        accounts: Vec<AccountTerms>,
        settings: Settings,
        journal: Arc<dyn Journal>,
        opening: AccountClock,
        machine: Timestamp,
    ) -> Result<Self, JournalError> {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        let copied = accounts
            .iter()
            .filter(|terms| terms.copies)
            .cloned()
            .collect();
        let directory = Directory {
            shards,
            copied,
            settings,
            journal,
            opening,
            opens: Mutex::new(()),
        };
        for terms in &accounts {
            let cell = directory.cell(terms.clone(), machine)?;
            for key in &terms.keys {
                directory.add_name(&key.name, &cell);
            }
        }
        Ok(directory)
    }

    /// The account a key belongs to. Keys that are known are looked up first, in any state; only
    /// then may a key's form open a fresh account.
    ///
    /// # Errors
    /// Where the journal does not take the opening of a fresh account.
    pub fn by_key(
        &self,
        key: &str,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, JournalError> {
        let mut prefixes = Environment::ALL.into_iter().map(Environment::key_prefix);
        match prefixes.find_map(|prefix| key.strip_prefix(prefix)) {
            Some(name) => self.by_name(name, now),
            None => Ok(None),
        }
    }

    /// The account with a key of this name, opened where its form allows it.
    ///
    /// # Errors
    /// Where the journal does not take the opening of a fresh account.
    pub fn by_name(
        &self,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, JournalError> {
        let shard = self.shard(name);
        if let Some(cell) = shard.read().get(name) {
            return Ok(Some(Arc::clone(cell)));
        }
        let mut copied = self.copied.iter();
        let Some(terms) = copied.find_map(|terms| terms.copied_as(name)) else {
            return Ok(None);
        };
        let mut shard = shard.write();
        // Somebody else may have opened it in between.
        if let Some(cell) = shard.get(name) {
            return Ok(Some(Arc::clone(cell)));
        }
        let cell = self.cell(terms, now)?;
        shard.insert(name.into(), Arc::clone(&cell));
        Ok(Some(cell))
    }

    /// Opens an account under all its keys' names.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(
        &self,
        terms: AccountTerms,
        machine: Timestamp,
    ) -> Result<Arc<AccountCell>, OpenError> {
        let names: Vec<_> = terms.keys.iter().map(|key| key.name.clone()).collect();
        self.insert(&names, || self.cell(terms, machine))
    }

    /// Opens a copy of an account from the entry it begins with.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn fork(&self, id: &str, forking: Entry) -> Result<Arc<AccountCell>, OpenError> {
        self.insert(&[id.to_owned()], || self.begin(id, forking))
    }

    fn insert(
        &self,
        names: &[String],
        open: impl FnOnce() -> Result<Arc<AccountCell>, JournalError>,
    ) -> Result<Arc<AccountCell>, OpenError> {
        // One at a time, so that two that want the same name don't both get it.
        let _only = self.opens.lock();
        let taken = |name: &&String| self.shard(name).read().contains_key(name.as_str());
        if let Some(name) = names.iter().find(taken) {
            return Err(OpenError::Exists(name.clone()));
        }
        let cell = open()?;
        for name in names {
            self.add_name(name, &cell);
        }
        Ok(cell)
    }

    /// Makes an account known by one more name.
    pub fn add_name(&self, name: &str, cell: &Arc<AccountCell>) {
        let mut shard = self.shard(name).write();
        shard.insert(name.into(), Arc::clone(cell));
    }

    /// Whether another account is known by this name.
    #[must_use]
    pub fn is_of_another(&self, name: &str, cell: &AccountCell) -> bool {
        let shard = self.shard(name).read();
        shard.get(name).is_some_and(|known| known.id != cell.id)
    }

    /// Makes an account unknown.
    pub fn remove(&self, cell: &AccountCell) {
        for shard in &self.shards {
            shard.write().retain(|_, known| known.id != cell.id);
        }
    }

    /// Every account, by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<AccountCell>> {
        let cells = self
            .shards
            .iter()
            .flat_map(|shard| shard.read().values().cloned().collect::<Vec<_>>());
        let mut cells: Vec<_> = cells.collect();
        cells.sort_by(|a, b| a.id.cmp(&b.id));
        cells.dedup_by(|a, b| a.id == b.id);
        cells
    }

    fn cell(
        &self,
        terms: AccountTerms,
        machine: Timestamp,
    ) -> Result<Arc<AccountCell>, JournalError> {
        let id = Arc::clone(&terms.id);
        self.begin(&id, Account::opening(terms, self.opening, machine))
    }

    /// An account that goes on from its entries, or begins with this one.
    fn begin(&self, id: &str, beginning: Entry) -> Result<Arc<AccountCell>, JournalError> {
        let mut entries = self.journal.load(id)?;
        if entries.is_empty() {
            self.journal.append(id, std::slice::from_ref(&beginning))?;
            entries.push(beginning);
        }
        let account = Account::rebuild(self.settings.clone(), entries);
        let account = account.ok_or_else(|| {
            JournalError(format!("the entries of {id} do not begin with its opening"))
        })?;
        Ok(Arc::new(AccountCell::new(account)))
    }

    fn shard(&self, name: &str) -> &Shard {
        let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
        &self.shards[(hash % SHARDS as u64) as usize]
    }
}
