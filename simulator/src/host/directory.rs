//! Which account a key belongs to. Sharded, so that finding one account never waits for another.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::fast::FixedState;
use jiff::{SignedDuration, Timestamp};
use parking_lot::{Mutex, RwLock};

use super::AccountCell;
use super::accounts::OpenError;
use super::cell::{Held, Opened};
use super::journal::{Journal, JournalError};
use super::memory::Memory;
use crate::engine::call::request::Environment;
use crate::engine::state::account::{Account, Settings};
use crate::engine::state::clock::AccountClock;
use crate::engine::state::entry::Entry;
use crate::scenario::AccountConfig;

type Shard = RwLock<HashMap<Box<str>, Arc<AccountCell>, FixedState>>;

/// What new accounts begin with, and how long those that keys open stay.
pub struct Beginnings {
    /// What holds for each.
    pub settings: Settings,
    /// How their clocks stand.
    pub opening: AccountClock,
    /// Where their entries are written down.
    pub journal: Arc<dyn Journal>,
    pub(super) memory: Arc<Memory>,
    /// One that a key opened goes when it was idle so long, in the time that accounts follow.
    pub idle: SignedDuration,
    /// Where there are too many, one must have been idle so long before it goes.
    pub rests: SignedDuration,
}

/// Whoever works with an account asks for it more often than this.
pub(super) const RESTS: Duration = Duration::from_secs(10);

/// Where there are too many accounts, this part of them goes at once: so that one look serves many.
const GOES: usize = 16;

/// All accounts, by the names of their keys: what follows `svc_test_` or `svc_live_`.
pub struct Directory {
    shards: Vec<Shard>,
    /// The accounts that keys of a certain form open copies of.
    copied: Vec<AccountConfig>,
    beginnings: Beginnings,
    opens: Mutex<()>,
    /// How many are open that keys opened.
    by_key: AtomicUsize,
    /// How many of those have gone.
    gone: AtomicU64,
}

const SHARDS: usize = 64;

/// The accounts that keys opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyAccounts {
    /// How many there are.
    pub open: usize,
    /// How many were closed because nobody used them.
    pub closed: u64,
}

impl Directory {
    /// A directory with these accounts, opened now.
    ///
    /// # Errors
    /// Where the journal does not take their opening.
    pub fn new(
        accounts: Vec<AccountConfig>,
        beginnings: Beginnings,
        machine: Timestamp,
    ) -> Result<Self, JournalError> {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        let copied = accounts
            .iter()
            .filter(|config| config.copies)
            .cloned()
            .collect();
        let directory = Directory {
            shards,
            copied,
            beginnings,
            opens: Mutex::new(()),
            by_key: AtomicUsize::new(0),
            gone: AtomicU64::new(0),
        };
        for config in &accounts {
            let cell = directory.cell(config.clone(), machine, Opened::ByHand)?;
            for key in &config.keys {
                directory.add_name(&key.name, &cell);
            }
        }
        Ok(directory)
    }

    /// The account a key belongs to. Keys that are known are looked up first, in any state; only
    /// then may a key's form open a fresh account.
    ///
    /// # Errors
    /// [`OpenError`] where it can't be opened.
    pub fn by_key(&self, key: &str, now: Timestamp) -> Result<Option<Arc<AccountCell>>, OpenError> {
        let mut prefixes = Environment::ALL.into_iter().map(Environment::key_prefix);
        match prefixes.find_map(|prefix| key.strip_prefix(prefix)) {
            Some(name) => self.by_name(name, now),
            None => Ok(None),
        }
    }

    /// The account with a key of this name, opened where its form allows it.
    ///
    /// # Errors
    /// [`OpenError`] where it can't be opened.
    pub fn by_name(
        &self,
        name: &str,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, OpenError> {
        if let Some(cell) = self.known(name, now) {
            return Ok(Some(cell));
        }
        let mut copied = self.copied.iter();
        let Some(config) = copied.find_map(|config| config.copied_as(name)) else {
            return Ok(None);
        };
        let _only = self.opens.lock();
        // Somebody else may have opened it in between.
        if let Some(cell) = self.known(name, now) {
            return Ok(Some(cell));
        }
        self.make_room(now)?;
        let cell = self.cell(config, now, Opened::ByKey)?;
        cell.used(now);
        self.by_key.fetch_add(1, Ordering::Relaxed);
        self.add_name(name, &cell);
        Ok(Some(cell))
    }

    fn known(&self, name: &str, now: Timestamp) -> Option<Arc<AccountCell>> {
        let shard = self.shard(name).read();
        let cell = shard.get(name)?;
        cell.used(now);
        Some(Arc::clone(cell))
    }

    /// Sees to it that one more account may be opened by a key: where there are too many, those that
    /// were idle longest go.
    fn make_room(&self, now: Timestamp) -> Result<(), OpenError> {
        let most = self.beginnings.memory.limits.max_accounts;
        if self.by_key.load(Ordering::Relaxed) < most {
            return Ok(());
        }
        self.close_least_used(now, self.beginnings.rests, most.div_ceil(GOES));
        match self.by_key.load(Ordering::Relaxed) < most {
            true => Ok(()),
            false => Err(OpenError::TooMany),
        }
    }

    /// Closes the accounts that were idle too long by now. Says how many.
    pub(super) fn close_idle(&self, now: Timestamp) -> usize {
        self.close_least_used(now, self.beginnings.idle, usize::MAX)
    }

    /// Closes accounts that keys opened and nobody asked for so long, the one idle longest first, and
    /// no more than so many. Those with something open stay.
    fn close_least_used(&self, now: Timestamp, idle: SignedDuration, most: usize) -> usize {
        let before = now.saturating_sub(idle).unwrap_or(Timestamp::MIN);
        let before = before.as_millisecond();
        let idle =
            |cell: &Arc<AccountCell>| cell.opened == Opened::ByKey && cell.last_used() <= before;
        let mut cells: Vec<_> = self.all().into_iter().filter(idle).collect();
        cells.sort_by_key(|cell| cell.last_used());
        let closes = |cell: &Arc<AccountCell>| {
            let mut held = cell.lock();
            let names = cell.names.lock().as_ref().map_or(0, Vec::len);
            // The directory has it once for each name, and this list once.
            let in_use = Arc::strong_count(cell) > names + 1;
            if in_use || held.is_open() || cell.last_used() > before {
                return false;
            }
            let ended = self.end(cell, &mut held);
            ended
                .inspect_err(|error| tracing::error!(account = %cell.id, %error, "an idle account was not closed"))
                .is_ok()
        };
        let closed = cells.into_iter().filter(closes).take(most).count();
        self.gone.fetch_add(closed as u64, Ordering::Relaxed);
        if closed > 0 {
            tracing::debug!(closed, "accounts that nobody used were closed");
        }
        closed
    }

    /// How many accounts keys opened.
    #[must_use]
    pub fn opened_by_keys(&self) -> KeyAccounts {
        KeyAccounts {
            open: self.by_key.load(Ordering::Relaxed),
            closed: self.gone.load(Ordering::Relaxed),
        }
    }

    /// Opens an account under all its keys' names.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn open(
        &self,
        config: AccountConfig,
        machine: Timestamp,
    ) -> Result<Arc<AccountCell>, OpenError> {
        let names: Vec<_> = config.keys.iter().map(|key| key.name.clone()).collect();
        self.insert(&names, || self.cell(config, machine, Opened::ByHand))
    }

    /// Opens a copy of an account from the entry it begins with.
    ///
    /// # Errors
    /// [`OpenError`].
    pub fn fork(&self, id: &str, forking: Entry) -> Result<Arc<AccountCell>, OpenError> {
        self.insert(&[id.to_owned()], || self.begin(id, forking, Opened::ByHand))
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

    /// Makes an account known by one more name, unless it has ended.
    pub fn add_name(&self, name: &str, cell: &Arc<AccountCell>) {
        if let Some(names) = cell.names.lock().as_mut() {
            names.push(name.into());
            let mut shard = self.shard(name).write();
            shard.insert(name.into(), Arc::clone(cell));
        }
    }

    /// Whether another account is known by this name.
    #[must_use]
    pub fn is_of_another(&self, name: &str, cell: &AccountCell) -> bool {
        let shard = self.shard(name).read();
        shard.get(name).is_some_and(|known| known.id != cell.id)
    }

    /// Ends an account: its keys are unknown from now on, and one of its name begins anew.
    ///
    /// # Errors
    /// Where the journal does not take it; then nothing changed.
    pub(super) fn end(&self, cell: &AccountCell, held: &mut Held) -> Result<(), JournalError> {
        self.beginnings.journal.close(&cell.id)?;
        for name in cell.names.lock().take().unwrap_or_default() {
            self.shard(&name).write().remove(&name);
        }
        if !held.ended && cell.opened == Opened::ByKey {
            self.by_key.fetch_sub(1, Ordering::Relaxed);
        }
        held.ended = true;
        self.beginnings.memory.weigh(cell, held);
        Ok(())
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
        config: AccountConfig,
        machine: Timestamp,
        opened: Opened,
    ) -> Result<Arc<AccountCell>, JournalError> {
        let id = Arc::clone(&config.id);
        let opening = Account::opening(config, self.beginnings.opening, machine);
        self.begin(&id, opening, opened)
    }

    /// An account that goes on from its entries, or begins with this one.
    fn begin(
        &self,
        id: &str,
        beginning: Entry,
        opened: Opened,
    ) -> Result<Arc<AccountCell>, JournalError> {
        let Beginnings {
            settings,
            journal,
            memory,
            ..
        } = &self.beginnings;
        let mut entries = journal.load(id)?;
        if entries.is_empty() {
            journal.append(id, std::slice::from_ref(&beginning))?;
            entries.push(beginning);
        }
        let account = Account::rebuild(settings.clone(), entries);
        let account = account.ok_or_else(|| {
            JournalError(format!("the entries of {id} do not begin with its opening"))
        })?;
        let cell = Arc::new(AccountCell::new(account, opened));
        memory.weigh(&cell, &cell.lock());
        Ok(cell)
    }

    fn shard(&self, name: &str) -> &Shard {
        let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
        &self.shards[(hash % SHARDS as u64) as usize]
    }
}
