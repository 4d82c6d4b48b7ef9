//! All accounts, by the names of their keys (rulings 14 and 15). Sharded, so that finding one account
//! never waits for another.

use std::collections::{HashMap, hash_map};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::fast::FixedState;
use jiff::{SignedDuration, Timestamp};

use super::cell::{AccountCell, AccountState, Origin};
use super::journal::{Journal, JournalError};
use super::lock_order::{Mutex, Rank, RwLock};
use super::memory::MemoryGovernor;
use super::shares::{Opener, leaves_enough};
use crate::engine::call::request::Environment;
use crate::engine::state::account::{Account, Settings};
use crate::engine::state::clock::AccountClock;
use crate::engine::state::entry::Entry;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::verification::Verification;
use crate::scenario::AccountConfig;

/// Why an account was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A key has this name already.
    #[error("there already is an account or a key named {0}")]
    Exists(String),
    /// There are as many accounts as there may be, and none can go.
    #[error(
        "there are as many accounts that keys opened as there may be, and none was idle long enough to go"
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
    pub(super) fn rejection(&self) -> Rejection {
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
pub(super) struct AccountDefaults {
    pub(super) settings: Settings,
    pub(super) clock: AccountClock,
    /// How many accounts the keys of one address may open.
    pub(super) accounts_per_address: usize,
    /// An account that a key opened is closed when it was idle so long, in the time that accounts follow.
    pub(super) idle: SignedDuration,
    /// Where there are too many accounts, only those that were idle so long are closed.
    pub(super) min_idle: SignedDuration,
}

/// Whoever works with an account asks for it more often than this.
pub(super) const MIN_IDLE: Duration = Duration::from_secs(10);

/// Where there are too many accounts, this part of them is closed at once, so that one search serves many.
const CLOSED_AT_ONCE: usize = 16;

const SHARDS: usize = 64;

type Shard = RwLock<HashMap<Box<str>, Arc<AccountCell>, FixedState>>;

/// All accounts, by the names of their keys: what follows `svc_test_` or `svc_live_`.
pub struct Directory {
    shards: Vec<Shard>,
    /// The accounts that keys of a certain form open copies of.
    templates: Vec<AccountConfig>,
    defaults: AccountDefaults,
    journal: Arc<dyn Journal>,
    memory: Arc<MemoryGovernor>,
    /// Held while an account is opened, so that two callers cannot both open one under the same name.
    opening: Mutex<()>,
    opened_by_keys: AtomicUsize,
    openers: Mutex<HashMap<Opener, OpenerState, FixedState>>,
    /// As [`OpenerState::search_after_ms`], of the accounts of all.
    search_after_ms: AtomicI64,
    /// How many accounts there are that somebody opened or copied by hand.
    opened_by_hand: AtomicUsize,
    closed: AtomicU64,
}

/// What is known of one who opens accounts.
#[derive(Debug, Clone, Copy)]
struct OpenerState {
    /// How many it has.
    accounts: usize,
    /// Until then none of them can go. Without it, whoever goes on asking for one more account would make
    /// the simulator look at all there are each time.
    search_after_ms: i64,
}

impl Default for OpenerState {
    fn default() -> Self {
        OpenerState {
            accounts: 0,
            search_after_ms: i64::MIN,
        }
    }
}

/// The accounts that keys opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyAccounts {
    /// How many there are.
    pub open: usize,
    /// How many of them the address has that opened most.
    pub most_of_one_address: usize,
    /// How many were closed because nobody used them.
    pub closed: u64,
}

impl Directory {
    /// A directory with these accounts, opened now.
    pub(super) fn new(
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
            defaults,
            journal,
            memory,
            opening: Mutex::new(Rank::Open, ()),
            opened_by_keys: AtomicUsize::new(0),
            openers: Mutex::new(Rank::Openers, HashMap::default()),
            search_after_ms: AtomicI64::new(i64::MIN),
            opened_by_hand: AtomicUsize::new(0),
            closed: AtomicU64::new(0),
        };
        for config in accounts {
            let opening = Account::opening(config.clone(), directory.defaults.clock, machine);
            let cell = directory.load(&config.id, opening, Origin::Declared)?;
            for key in &config.keys {
                directory.add_name(&key.name, &cell);
            }
        }
        Ok(directory)
    }

    /// The account a key belongs to. Known keys are found first, in any state; only then may a key's
    /// form open a new account.
    pub(super) fn by_key(
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
    pub(super) fn known_by_key(&self, key: &str, now: Timestamp) -> Option<Arc<AccountCell>> {
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
        // Somebody else may have opened it in between.
        if let Some(cell) = self.known(name, now) {
            return Ok(Some(cell));
        }
        self.make_room(opener, now)?;
        let id = Arc::clone(&config.id);
        let opening = Account::opening(config, self.defaults.clock, now);
        let cell = self.load(&id, opening, Origin::Key(opener))?;
        cell.mark_used(now);
        self.opened_by_keys.fetch_add(1, Ordering::Relaxed);
        self.openers.lock().entry(opener).or_default().accounts += 1;
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

    /// Closes those accounts that were idle longest where a key may open no more: of the same opener where
    /// that one has its share, else of all.
    fn make_room(&self, opener: Opener, now: Timestamp) -> Result<(), OpenError> {
        let most = self.memory.limits.max_accounts;
        let open = || self.opened_by_keys.load(Ordering::Relaxed);
        let state = || {
            self.openers
                .lock()
                .get(&opener)
                .copied()
                .unwrap_or_default()
        };
        let over = || match (state().accounts, open()) {
            (own, _) if own >= self.defaults.accounts_per_address => {
                Some(OpenError::TooManyOfAddress)
            }
            (own, open) if !leaves_enough(own, most, open) => Some(OpenError::TooMany),
            _ => None,
        };
        let Some(refused) = over() else {
            return Ok(());
        };
        let (of, search_after_ms) = match state() {
            OpenerState { accounts: 0, .. } => (None, self.search_after_ms.load(Ordering::Relaxed)),
            own => (Some(opener), own.search_after_ms),
        };
        if now.as_millisecond() < search_after_ms {
            return Err(refused);
        }
        let at_once = most.div_ceil(CLOSED_AT_ONCE);
        if self.close_least_used(of, now, self.defaults.min_idle, at_once) == 0 {
            let after_ms = self.next_idle_ms(of, now);
            match of {
                None => self.search_after_ms.store(after_ms, Ordering::Relaxed),
                Some(of) => self.openers.lock().entry(of).or_default().search_after_ms = after_ms,
            }
        }
        over().map_or(Ok(()), Err)
    }

    /// When one of the accounts that keys opened will have been idle long enough to go, those of one opener
    /// where one is given. What keeps those that are idle already may end at any time.
    fn next_idle_ms(&self, of: Option<Opener>, now: Timestamp) -> i64 {
        let cells = self.all().into_iter();
        let idle_ms = i64::try_from(self.defaults.min_idle.as_millis()).unwrap_or(i64::MAX);
        let now_ms = now.as_millisecond();
        let next = cells.filter(|cell| cell.origin.may_go(of)).map(|cell| {
            match cell.last_used_ms().saturating_add(idle_ms) {
                idle_at if idle_at > now_ms => idle_at,
                _ => now_ms.saturating_add(idle_ms / 10),
            }
        });
        next.min().unwrap_or(i64::MIN)
    }

    /// Closes the accounts that were idle too long by now. Says how many.
    pub(super) fn close_idle(&self, now: Timestamp) -> usize {
        self.close_least_used(None, now, self.defaults.idle, usize::MAX)
    }

    /// Closes accounts that keys opened and nobody asked for so long, the one idle longest first, and no
    /// more than so many; only those of one opener where one is given. Those with something open stay.
    fn close_least_used(
        &self,
        of: Option<Opener>,
        now: Timestamp,
        idle: SignedDuration,
        most: usize,
    ) -> usize {
        let before = now.saturating_sub(idle).unwrap_or(Timestamp::MIN);
        let before = before.as_millisecond();
        let mut idle = self.all();
        idle.retain(|cell| cell.origin.may_go(of) && cell.last_used_ms() <= before);
        idle.sort_by_key(|cell| cell.last_used_ms());
        let closes = |cell: &Arc<AccountCell>| {
            let mut state = cell.lock();
            // The directory has it once for each name, and this list once.
            let in_use = Arc::strong_count(cell) > state.names.len() + 1;
            if in_use || state.is_open() || cell.last_used_ms() > before {
                return false;
            }
            let closed = self.close(cell, &mut state);
            closed
                .inspect_err(|error| tracing::error!(account = %cell.id(), %error, "an idle account was not closed"))
                .is_ok()
        };
        let closed = idle.into_iter().filter(closes).take(most).count();
        self.closed.fetch_add(closed as u64, Ordering::Relaxed);
        if closed > 0 {
            tracing::debug!(closed, "accounts that nobody used were closed");
        }
        closed
    }

    /// How many accounts the keys of one address may open.
    #[must_use]
    pub fn accounts_per_address(&self) -> usize {
        self.defaults.accounts_per_address
    }

    /// How many accounts keys opened.
    #[must_use]
    pub fn opened_by_keys(&self) -> KeyAccounts {
        let openers = self.openers.lock();
        let most = openers.values().map(|opener| opener.accounts).max();
        KeyAccounts {
            open: self.opened_by_keys.load(Ordering::Relaxed),
            most_of_one_address: most.unwrap_or(0),
            closed: self.closed.load(Ordering::Relaxed),
        }
    }

    /// Opens an account under the names of all its keys.
    pub(super) fn open(
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
    pub(super) fn insert(
        &self,
        names: &[String],
        id: &str,
        beginning: Entry,
    ) -> Result<Arc<AccountCell>, OpenError> {
        let _one_opening = self.opening.lock();
        let taken = |name: &&String| self.shard(name).read().contains_key(name.as_str());
        if let Some(name) = names.iter().find(taken) {
            return Err(OpenError::Exists(name.clone()));
        }
        // They stay until somebody deletes them, so that none is closed for a new one.
        let open = self.opened_by_hand.load(Ordering::Relaxed);
        if open >= self.memory.limits.max_accounts {
            return Err(OpenError::TooManyByHand(open));
        }
        let cell = self.load(id, beginning, Origin::Hand)?;
        self.opened_by_hand.fetch_add(1, Ordering::Relaxed);
        for name in names {
            self.add_name(name, &cell);
        }
        Ok(cell)
    }

    /// Makes an account known by one more name, unless it was closed.
    pub(super) fn add_name(&self, name: &str, cell: &Arc<AccountCell>) {
        let mut state = cell.lock();
        if !state.closed {
            state.names.push(name.into());
            let mut shard = self.shard(name).write();
            shard.insert(name.into(), Arc::clone(cell));
        }
    }

    /// Whether another account is known by this name.
    pub(super) fn is_of_another(&self, name: &str, cell: &AccountCell) -> bool {
        let shard = self.shard(name).read();
        shard.get(name).is_some_and(|known| known.id() != cell.id())
    }

    /// Closes an account: its keys are unknown from now on, and one of its name begins anew. Where the
    /// journal fails nothing changes.
    pub(super) fn close(
        &self,
        cell: &AccountCell,
        state: &mut AccountState,
    ) -> Result<(), JournalError> {
        // Somebody else closed it meanwhile: by now the journal may have another account of its name.
        if state.closed {
            return Ok(());
        }
        self.journal.close(cell.id())?;
        for name in std::mem::take(&mut state.names) {
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
        self.memory.measure(state);
        Ok(())
    }

    /// Every account, by id.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<AccountCell>> {
        let mut cells = Vec::new();
        for shard in &self.shards {
            cells.extend(shard.read().values().cloned());
        }
        cells.sort_by(|a, b| a.id().cmp(b.id()));
        cells.dedup_by(|a, b| a.id() == b.id());
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

    /// An account that continues from its journal, or begins with this entry.
    fn load(
        &self,
        id: &str,
        beginning: Entry,
        origin: Origin,
    ) -> Result<Arc<AccountCell>, JournalError> {
        let mut entries = self.journal.load(id)?;
        if entries.is_empty() {
            self.journal.append(id, std::slice::from_ref(&beginning))?;
            entries.push(beginning);
        }
        let account = Account::rebuild(self.defaults.settings.clone(), entries);
        let account = account.ok_or_else(|| {
            JournalError(format!("the entries of {id} do not begin with its opening"))
        })?;
        let cell = Arc::new(AccountCell::new(account, origin));
        self.memory.measure(&mut cell.lock());
        Ok(cell)
    }

    fn shard(&self, name: &str) -> &Shard {
        let hash = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
        &self.shards[(hash % SHARDS as u64) as usize]
    }
}

/// What follows `svc_test_` or `svc_live_` in a key.
fn name_of(key: &str) -> Option<&str> {
    let mut prefixes = Environment::ALL.into_iter().map(Environment::key_prefix);
    prefixes.find_map(|prefix| key.strip_prefix(prefix))
}
