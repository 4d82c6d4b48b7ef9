//! All accounts, by the names of their keys (rulings 14 and 15). Sharded, so that finding one account
//! never waits for another.

mod idle;
mod reserved_names;

use std::collections::{BTreeSet, HashMap, hash_map};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::fast::FixedState;
use jiff::{SignedDuration, Timestamp};

use crate::engine::call::request::Environment;
use crate::engine::state::account::{Account, Settings};
use crate::engine::state::clock::AccountClock;
use crate::engine::state::entry::Entry;
use crate::engine::state::event::Event;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::verification::Verification;
use crate::host::cell::{AccountCell, AccountState, Origin, Unsummed};
use crate::host::event_log::EventLog;
use crate::host::journal::{Appended, Journal, JournalError, Stored, Version};
use crate::host::lock_order::{Mutex, Rank, RwLock};
use crate::host::memory::MemoryGovernor;
use crate::host::shares::Opener;
use crate::scenario::AccountConfig;
pub use idle::KeyAccounts;
pub(in crate::host) use idle::MIN_IDLE;
use idle::OpenerState;
pub(in crate::host) use reserved_names::name_of;
use reserved_names::{ReservedName, ReservedNames};

/// Why an account was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A key has this name already.
    #[error("there already is an account or a key named {0}")]
    Exists(String),
    /// There are as many accounts as there may be, and none can go.
    #[error(
        "keys opened as many accounts as there may be, or as leave some for others, and none was idle long enough to go"
    )]
    TooMany,
    /// One address opened as many as it may, and none of them can go.
    #[error(
        "keys used from this address opened as many accounts as those of one address may, and none was idle long enough to go"
    )]
    TooManyOfAddress,
    /// As many accounts were opened by hand as may be.
    #[error("{0} accounts were opened by hand, and there may be no more")]
    TooManyByHand(usize),
    /// The entry was not written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl OpenError {
    /// As a caller is told whose key would have opened it.
    pub(in crate::host) fn rejection(&self) -> Rejection {
        match self {
            OpenError::TooManyOfAddress => Rejection::TooManyAccountsOfAddress,
            OpenError::TooMany | OpenError::TooManyByHand(_) | OpenError::Exists(_) => {
                Rejection::TooManyAccounts
            }
            OpenError::Journal(_) => Rejection::Internal,
        }
    }
}

/// What new accounts begin with.
pub(in crate::host) struct AccountDefaults {
    pub(in crate::host) settings: Settings,
    pub(in crate::host) clock: AccountClock,
    /// How many accounts the keys of one address may open.
    pub(in crate::host) accounts_per_address: usize,
    /// An account that a key opened is closed when it was idle so long, in the time that accounts follow.
    pub(in crate::host) idle: SignedDuration,
    /// Where there are too many accounts, only those that were idle so long are closed.
    pub(in crate::host) min_idle: SignedDuration,
}

const SHARDS: usize = 64;

type Shard = RwLock<HashMap<Box<str>, Arc<AccountCell>, FixedState>>;

/// All accounts, by the names of their keys: what follows `svc_test_` or `svc_live_`.
pub struct Directory {
    shards: Vec<Shard>,
    /// The accounts that keys of a certain form open copies of.
    templates: Vec<AccountConfig>,
    /// The accounts that were declared.
    declared: BTreeSet<Arc<str>>,
    defaults: AccountDefaults,
    journal: Arc<dyn Journal>,
    memory: Arc<MemoryGovernor>,
    /// Held while an account is opened, so that two callers cannot both open one under the same name.
    opening: Mutex<()>,
    reserved: ReservedNames,
    opened_by_keys: AtomicUsize,
    openers: Mutex<HashMap<Opener, OpenerState, FixedState>>,
    /// As [`OpenerState::search_after_ms`], of the accounts of all.
    search_after_ms: AtomicI64,
    /// How many accounts there are that somebody opened or copied by hand.
    opened_by_hand: AtomicUsize,
    closed: AtomicU64,
}

impl Directory {
    /// A directory with these accounts, opened now.
    pub(in crate::host) fn new(
        accounts: Vec<AccountConfig>,
        defaults: AccountDefaults,
        journal: Arc<dyn Journal>,
        memory: Arc<MemoryGovernor>,
        machine: Timestamp,
    ) -> Result<Self, JournalError> {
        let shard = |_| Shard::new(Rank::Names, HashMap::default());
        let templates = accounts.iter().filter(|config| config.copies).cloned();
        let directory = Directory {
            shards: (0..SHARDS).map(shard).collect(),
            templates: templates.collect(),
            declared: accounts
                .iter()
                .map(|config| Arc::clone(&config.id))
                .collect(),
            defaults,
            journal,
            memory,
            opening: Mutex::new(Rank::Open, ()),
            reserved: ReservedNames::default(),
            opened_by_keys: AtomicUsize::new(0),
            openers: Mutex::new(Rank::Openers, HashMap::default()),
            search_after_ms: AtomicI64::new(i64::MIN),
            opened_by_hand: AtomicUsize::new(0),
            closed: AtomicU64::new(0),
        };
        let mut stored = directory.journal.load_all()?;
        for config in accounts {
            if stored.iter().all(|it| it.account != config.id) {
                let opening = Account::opening(config.clone(), directory.defaults.clock, machine);
                let cell = directory.begin(&config.id, opening, Origin::Declared)?;
                directory.add_names(&cell);
            }
        }
        stored.sort_by(|a, b| a.account.cmp(&b.account));
        for stored in stored {
            directory.restore(stored, Vec::new(), machine)?;
        }
        Ok(directory)
    }

    /// An account goes on from what a store has of it, and tells of these events.
    fn restore(
        &self,
        stored: Stored,
        told: Vec<Event>,
        now: Timestamp,
    ) -> Result<(), JournalError> {
        let (version, unsummed) = (stored.version, Unsummed::of(stored.bytes));
        let account = stored.rebuild(self.defaults.settings.clone())?;
        let mut templates = self.templates.iter();
        let copied = templates.find_map(|template| template.copied_as(&account.id));
        // Which address opened it is not written.
        let origin = if self.declared.contains(&account.id) {
            Origin::Declared
        } else if copied.is_some_and(|copied| copied == *account.config()) {
            self.count_opened(Opener::Console);
            Origin::Key(Opener::Console)
        } else {
            self.opened_by_hand.fetch_add(1, Ordering::Relaxed);
            Origin::Hand
        };
        let cell = Arc::new(AccountCell::new(account, version, origin));
        cell.mark_used(now);
        let mut state = cell.lock();
        state.unsummed = unsummed;
        state.events = EventLog::telling(version.number, told);
        self.memory.measure(&mut state);
        drop(state);
        self.add_names(&cell);
        Ok(())
    }

    /// Makes an account known that another replica opened, unless it is by now.
    pub(in crate::host) fn learn(
        &self,
        stored: Stored,
        now: Timestamp,
    ) -> Result<(), JournalError> {
        let _one_opening = self.opening.lock();
        match self.by_id(&stored.account) {
            Some(_) => Ok(()),
            None => {
                // Whoever waits here for what happened there is told.
                let told = stored.events(self.defaults.settings.clone());
                self.restore(stored, told, now)
            }
        }
    }

    /// The account of this id, where it is known.
    pub(in crate::host) fn by_id(&self, id: &str) -> Option<Arc<AccountCell>> {
        let shard = self.shard(id).read();
        let cell = shard.get(id).filter(|cell| **cell.id() == *id)?;
        Some(Arc::clone(cell))
    }

    /// Makes an account known by the names of all its keys, and by its own.
    fn add_names(&self, cell: &Arc<AccountCell>) {
        let names = |account: &Account| {
            let keys = account.keys.iter().map(|key| key.name().to_owned());
            keys.collect::<Vec<_>>()
        };
        for name in cell.read(names) {
            self.add_name(&name, cell);
        }
    }

    /// The account a key belongs to. Known keys are found first, in any state; only then may a key's
    /// form open a new account.
    pub(in crate::host) fn by_key(
        &self,
        key: &str,
        opener: Opener,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, OpenError> {
        match name_of(key) {
            Some(name) => self.known_or_opened(name, opener, now),
            None => Ok(None),
        }
    }

    /// The account a key belongs to, where it has come into being.
    pub(in crate::host) fn known_by_key(
        &self,
        key: &str,
        now: Timestamp,
    ) -> Option<Arc<AccountCell>> {
        self.known(name_of(key)?, now)
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
        self.known_or_opened(name, Opener::Console, now)
    }

    fn known_or_opened(
        &self,
        name: &str,
        opener: Opener,
        now: Timestamp,
    ) -> Result<Option<Arc<AccountCell>>, OpenError> {
        if let Some(cell) = self.known(name, now) {
            return Ok(Some(cell));
        }
        let mut templates = self.templates.iter();
        let Some(config) = templates.find_map(|template| template.copied_as(name)) else {
            return Ok(None);
        };
        let _one_opening = self.opening.lock();
        let id = Arc::clone(&config.id);
        let reserved = self.reserve(name, &id);
        // Somebody else may have opened it in between.
        if let Some(cell) = self.known(name, now) {
            return Ok(Some(cell));
        }
        let _reserved = reserved.ok_or_else(|| OpenError::Exists(name.to_owned()))?;
        self.make_room(opener, now)?;
        let opening = Account::opening(config, self.defaults.clock, now);
        let cell = self.begin(&id, opening, Origin::Key(opener))?;
        cell.mark_used(now);
        self.count_opened(opener);
        self.add_name(name, &cell);
        Ok(Some(cell))
    }

    /// The account with a key of this name, where it has come into being.
    #[must_use]
    pub fn known(&self, name: &str, now: Timestamp) -> Option<Arc<AccountCell>> {
        let shard = self.shard(name).read();
        let cell = shard.get(name)?;
        cell.mark_used(now);
        Some(Arc::clone(cell))
    }

    /// Opens an account under the names of all its keys.
    pub(in crate::host) fn open(
        &self,
        config: AccountConfig,
        machine: Timestamp,
    ) -> Result<Arc<AccountCell>, OpenError> {
        let names: Vec<_> = config.keys.iter().map(|key| key.name.clone()).collect();
        let id = Arc::clone(&config.id);
        let opening = Account::opening(config, self.defaults.clock, machine);
        self.insert(&names, &id, opening)
    }

    /// Opens an account under these names from the entry it begins with.
    pub(in crate::host) fn insert(
        &self,
        names: &[String],
        id: &Arc<str>,
        beginning: Entry,
    ) -> Result<Arc<AccountCell>, OpenError> {
        let _one_opening = self.opening.lock();
        let taken = |name: &&String| self.shard(name).read().contains_key(name.as_str());
        let mut reserved = Vec::new();
        for name in names {
            match self.reserve(name, id).filter(|_| !taken(&name)) {
                Some(name) => reserved.push(name),
                None => return Err(OpenError::Exists(name.clone())),
            }
        }
        // They stay until somebody deletes them, so that none is closed for a new one.
        let open = self.opened_by_hand.load(Ordering::Relaxed);
        if open >= self.memory.limits.max_accounts {
            return Err(OpenError::TooManyByHand(open));
        }
        let cell = self.begin(id, beginning, Origin::Hand)?;
        self.opened_by_hand.fetch_add(1, Ordering::Relaxed);
        for name in names {
            self.add_name(name, &cell);
        }
        Ok(cell)
    }

    /// Makes an account known by one more name, unless it was closed.
    pub(in crate::host) fn add_name(&self, name: &str, cell: &Arc<AccountCell>) {
        let mut state = cell.lock();
        let known = state.names.iter().any(|known| **known == *name);
        if !state.closed && !known {
            state.names.push(name.into());
            let mut shard = self.shard(name).write();
            shard.insert(name.into(), Arc::clone(cell));
        }
    }

    /// An account is not known by a name any more that none of its keys has: the key was not written.
    pub(in crate::host) fn take_name(&self, name: &str, cell: &Arc<AccountCell>) {
        let mut state = cell.lock();
        let mut keys = state.account.keys.iter();
        if **cell.id() == *name || keys.any(|key| key.name() == name) {
            return;
        }
        state.names.retain(|known| **known != *name);
        let mut shard = self.shard(name).write();
        if shard
            .get(name)
            .is_some_and(|known| Arc::ptr_eq(known, cell))
        {
            shard.remove(name);
        }
    }

    /// Keeps a name for an account until what this gives is dropped, so that no other account takes it before
    /// it is known by it. None where another one has the name, or is about to.
    pub(in crate::host) fn reserve(&self, name: &str, id: &Arc<str>) -> Option<ReservedName<'_>> {
        self.reserved.reserve(name, id, || {
            let shard = self.shard(name).read();
            shard.get(name).is_some_and(|known| known.id() != id)
        })
    }

    /// Closes an account, because nobody used it for so long where a time is given: its keys are unknown
    /// from now on, and one of its name begins anew. Where the journal fails nothing changes.
    pub(in crate::host) fn close(
        &self,
        cell: &AccountCell,
        state: &mut AccountState,
        idle: Option<Duration>,
    ) -> Result<(), JournalError> {
        // Somebody else closed it meanwhile: by now the journal may have another account of its name.
        if state.closed {
            return Ok(());
        }
        state.commit = match (idle, self.journal.shared()) {
            (Some(idle), Some(shared)) => shared.close_idle(cell.id(), state.version, idle)?,
            _ => self.journal.close(cell.id(), state.version)?,
        };
        self.forget(cell, state);
        Ok(())
    }

    /// Nobody finds the account any more.
    pub(in crate::host) fn forget(&self, cell: &AccountCell, state: &mut AccountState) {
        let names = std::mem::take(&mut state.names);
        // Whoever forgot it before left no names.
        if names.is_empty() {
            return;
        }
        for name in names {
            self.shard(&name).write().remove(&name);
        }
        if let Origin::Key(opener) = cell.origin {
            self.opened_by_keys.fetch_sub(1, Ordering::Relaxed);
            let mut openers = self.openers.lock();
            if let hash_map::Entry::Occupied(mut of) = openers.entry(opener) {
                of.get_mut().accounts -= 1;
                if of.get().accounts == 0 {
                    of.remove();
                }
            }
        } else if cell.origin == Origin::Hand {
            self.opened_by_hand.fetch_sub(1, Ordering::Relaxed);
        }
        state.closed = true;
        if let Some(wakeup) = state.wakeup.take() {
            wakeup.task.abort();
        }
        self.memory.measure(state);
    }

    /// Every account, by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<AccountCell>> {
        let mut cells = self.unordered();
        cells.sort_by(|a, b| a.id().cmp(b.id()));
        cells
    }

    /// Every account, in no order: to put ten thousand of them in order takes longer than to look at each.
    pub(super) fn unordered(&self) -> Vec<Arc<AccountCell>> {
        let mut cells = Vec::new();
        for shard in &self.shards {
            cells.extend(shard.read().values().cloned());
        }
        cells.sort_unstable_by_key(Arc::as_ptr);
        cells.dedup_by(|a, b| Arc::ptr_eq(a, b));
        cells
    }

    /// The account and environment of a verification. A copy of an account knows the verifications of the
    /// original, too: then the one where it is still pending is meant.
    #[must_use]
    pub fn find(&self, verification: VerificationId) -> Option<(Arc<AccountCell>, Environment)> {
        let mut found = None;
        for cell in self.all() {
            for environment in Environment::ALL {
                let (pending, known) = cell.read(|account| {
                    let verifications = &account.environment(environment).verifications;
                    let found = verifications.get(verification);
                    (found.is_some_and(Verification::is_open), found.is_some())
                });
                if pending {
                    return Some((cell, environment));
                }
                if known && found.is_none() {
                    found = Some((Arc::clone(&cell), environment));
                }
            }
        }
        found
    }

    /// An account that begins with this entry.
    fn begin(
        &self,
        id: &Arc<str>,
        beginning: Entry,
        origin: Origin,
    ) -> Result<Arc<AccountCell>, JournalError> {
        let entries = std::slice::from_ref(&beginning);
        let Appended {
            version,
            commit,
            bytes,
        } = self.journal.append(id, Version::NONE, entries)?;
        let stored = Stored {
            account: Arc::clone(id),
            version,
            entries: vec![beginning],
            bytes: [bytes, 0],
        };
        let account = stored.rebuild(self.defaults.settings.clone())?;
        let cell = Arc::new(AccountCell::new(account, version, origin));
        let mut state = cell.lock();
        state.opening = commit.clone();
        state.commit = commit;
        state.unsummed = Unsummed::of([bytes, 0]);
        self.memory.measure(&mut state);
        drop(state);
        Ok(cell)
    }

    fn shard(&self, name: &str) -> &Shard {
        let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
        &self.shards[(hash % SHARDS as u64) as usize]
    }
}
