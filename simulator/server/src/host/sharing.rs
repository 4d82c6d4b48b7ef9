//! Several replicas with the same accounts: what others did is followed, accounts of others are found, and
//! what falls due is done by one of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::Host;
use super::cell::AccountCell;
use super::journal::{Identity, JournalError, Peer, StoreEvent};
use super::scheduler::{LockedAccount, Scheduler};
use crate::engine::call::request::Environment;
use crate::engine::state::verification::Phase;

/// How much later than its time a delayed call is ended by another replica than its own.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

impl Scheduler {
    /// Whether this replica does what falls due of an account.
    pub(super) fn works_on(&self, cell: &AccountCell) -> bool {
        match self.journal.shared() {
            Some(shared) => shared.works_on(cell.id()),
            None => true,
        }
    }

    /// Does what falls due of an account from now on, where another replica did before.
    pub(super) async fn take_work(&self, cell: &AccountCell) -> Result<(), JournalError> {
        match self.journal.shared() {
            Some(shared) => shared.take_work(cell.id()).await,
            None => Ok(()),
        }
    }

    /// Lets another replica do what falls due of an account, once what this one began has ended. Nobody
    /// here moves its clock meanwhile.
    async fn hand_over(self: Arc<Self>, cell: Arc<AccountCell>, to: i64) {
        let first = !std::mem::replace(&mut cell.lock().handing_over, true);
        if !first {
            return;
        }
        cell.wait_until(|state| {
            let free = state.clock_move.is_none();
            free.then(|| state.clock_move = Some(Vec::new()))
        })
        .await;
        cell.wait_until(|state| state.in_flight.is_empty().then_some(()))
            .await;
        if let Some(shared) = self.journal.shared()
            && let Err(error) = shared.hand_over(cell.id(), to).await
        {
            let account = cell.id();
            tracing::warn!(%account, %error, "due work was not handed over; it is asked for again");
        }
        let mut locked = self.lock(&cell);
        locked.state.clock_move = None;
        locked.state.handing_over = false;
        locked.note_due();
        locked.schedule();
        cell.changed.notify_waiters();
    }

    /// Does what is due of an account that this replica works on, delayed calls of dead replicas, too.
    async fn work(self: Arc<Self>, cell: Arc<AccountCell>) {
        let worked = async {
            self.reload(&cell).await?;
            let commit = {
                let mut locked = self.lock(&cell);
                locked.finish_overdue()?;
                // The store thinks that something is due: what was said last may not have been written.
                locked.state.due_noted = true;
                locked.note_due();
                locked.state.commit.clone()
            };
            self.written(&cell, commit).await?;
            self.run_due(&cell).await
        };
        if let Err(error) = worked.await {
            tracing::error!(account = %cell.id(), %error, "what is due was not done; it is tried again");
        }
    }

    async fn reload_or_log(self: Arc<Self>, cell: Arc<AccountCell>) {
        if let Err(error) = self.reload(&cell).await {
            tracing::error!(account = %cell.id(), %error, "what another replica did is not known yet");
        }
    }
}

impl LockedAccount<'_> {
    /// Tells a shared store when something of the account falls due by itself, unless it knows that nothing does:
    /// of most calls there is nothing to tell, and telling is a write of its own.
    pub(super) fn note_due(&mut self) {
        let Some(shared) = self.scheduler.journal.shared() else {
            return;
        };
        // Whoever moves the clock keeps the account to itself until it has arrived.
        let is_moving = self.state.clock_move.is_some();
        if !is_moving && self.state.due_noted && !self.state.closed {
            let due = self.due_in();
            self.state.due_noted = due.is_some();
            shared.note_due(self.cell.id(), self.state.version, due);
        }
    }

    fn due_in(&mut self) -> Option<Duration> {
        let (now, clock) = (self.now(), &self.scheduler.clock);
        let (real, account) = (clock.real(), &self.state.account);
        let stands = account.clock.frozen_at().is_some();
        let first = account.first_attempt().map(|(at, ..)| at);
        let first = first
            .into_iter()
            .chain(account.first_due().map(|(at, ..)| at))
            .min();
        let first = first.filter(|at| !stands || *at <= now);
        let first = first.map(|at| clock.to_real_time(at.duration_since(now)));
        let mut overdue_at = BTreeMap::new();
        for environment in Environment::ALL {
            for delayed in account.environment(environment).verifications.delayed() {
                let Phase::Delayed { delay_ms } = delayed.phase else {
                    continue;
                };
                let delay =
                    SignedDuration::from_millis(i64::try_from(delay_ms).unwrap_or(i64::MAX));
                let key = (environment, delayed.id);
                let at = self.state.overdue_at.get(&key).copied().unwrap_or_else(|| {
                    let at = real.saturating_add(delay).unwrap_or(Timestamp::MAX);
                    at.saturating_add(GRACE).unwrap_or(Timestamp::MAX)
                });
                overdue_at.insert(key, at);
            }
        }
        let overdue = overdue_at.values().min();
        let overdue =
            overdue.map(|at| Duration::try_from(at.duration_since(real)).unwrap_or_default());
        self.state.overdue_at = overdue_at;
        first.into_iter().chain(overdue).min()
    }

    /// Ends the delayed calls that nobody ended in time: their replicas have died.
    fn finish_overdue(&mut self) -> Result<(), JournalError> {
        let (now, real) = (self.now(), self.scheduler.clock.real());
        let overdue = self.state.overdue_at.iter().filter(|(_, at)| **at <= real);
        let overdue: Vec<_> = overdue.map(|(key, _)| *key).collect();
        for (environment, verification) in overdue {
            let rules = self.rules();
            self.finish(&rules, environment, verification, now)?;
        }
        Ok(())
    }
}

impl Host {
    /// Whether other replicas may work with the same accounts.
    pub(super) fn is_shared(&self) -> bool {
        self.scheduler.journal.shared().is_some()
    }

    /// Tells other replicas what this one answers by.
    pub(super) fn introduce(&self) {
        if let Some(shared) = self.scheduler.journal.shared() {
            let rules = self.rules.shared();
            let mut text = 0;
            for file in rules.sources() {
                text = xxhash_rust::xxh3::xxh3_64_with_seed(file.text.as_bytes(), text);
            }
            shared.introduce(Identity {
                rules: format!("{text:016x}"),
                seed: format!("{:016x}", rules.seed.number()),
            });
        }
    }

    /// The other replicas that work with the same accounts, and in what they differ.
    #[must_use]
    pub fn peers(&self) -> Vec<Peer> {
        let shared = self.scheduler.journal.shared();
        shared.map(|shared| shared.peers()).unwrap_or_default()
    }

    /// Leaves the store: all is written, and what this replica has not done, others that use the store do at once.
    pub async fn leave(&self) {
        let journal = &self.scheduler.journal;
        if let Some(shared) = journal.shared()
            && let Err(error) = shared.leave().await
        {
            tracing::warn!(%error, "the other replicas were not told; they notice in some seconds");
        }
        if let Err(error) = journal.end().await {
            tracing::warn!(%error, "the store was not closed");
        }
    }

    /// Finds the account that a name belongs to in a store that other replicas use, too, where it is not
    /// known here.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub(super) async fn learn(&self, name: &str) -> Result<(), JournalError> {
        let Some(shared) = self.scheduler.journal.shared() else {
            return Ok(());
        };
        if self.directory.known(name, self.clock.now()).is_some() {
            return Ok(());
        }
        let Some(account) = shared.find(name).await? else {
            return Ok(());
        };
        if let Some(cell) = self.directory.by_id(&account) {
            self.directory.add_name(name, &cell);
            cell.mark_stale();
            return Ok(());
        }
        match self.scheduler.journal.load(&account).await? {
            Some(stored) => self.directory.learn(stored, self.clock.now()),
            None => Ok(()),
        }
    }

    /// Reads what other replicas did to any account. Nothing where nobody else can have done anything.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub async fn catch_up(&self) -> Result<(), JournalError> {
        let Some(shared) = self.scheduler.journal.shared() else {
            return Ok(());
        };
        let versions: BTreeMap<_, _> = shared.versions().await?.into_iter().collect();
        for cell in self.directory.all() {
            let behind = {
                let state = cell.lock();
                match versions.get(cell.id()) {
                    // What is ahead of the store is not written yet.
                    Some(store) => {
                        let ours = state.version;
                        store.number > ours.number || store.number == ours.number && *store != ours
                    }
                    None => state.commit.is_written(),
                }
            };
            if behind {
                cell.mark_stale();
            }
            self.follow(&cell).await?;
        }
        for account in versions.keys() {
            if self.directory.by_id(account).is_none()
                && let Some(stored) = self.scheduler.journal.load(account).await?
            {
                self.directory.learn(stored, self.clock.now())?;
            }
        }
        Ok(())
    }

    /// Reads an account again where another replica changed it. One that has ended is not known any more.
    async fn follow(&self, cell: &Arc<AccountCell>) -> Result<(), JournalError> {
        self.scheduler.reload(cell).await?;
        let mut state = cell.lock();
        if state.closed {
            self.directory.forget(cell, &mut state);
        }
        Ok(())
    }

    /// Follows what happens in a store that other replicas use, too, as long as there is the host.
    pub(super) fn follow_store(self: &Arc<Self>) {
        let Some(mut events) = self
            .scheduler
            .journal
            .shared()
            .and_then(|shared| shared.events())
        else {
            return;
        };
        let host = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                let Some(host) = host.upgrade() else {
                    return;
                };
                host.heard(event).await;
            }
        });
    }

    async fn heard(&self, event: StoreEvent) {
        let followed = match event {
            StoreEvent::Changed { account, number } => {
                self.heard_change(&account, number);
                Ok(())
            }
            StoreEvent::WorkTaken { account } => self.heard_work(&account).await,
            StoreEvent::WorkWanted { account, by } => {
                if let Some(cell) = self.directory.by_id(&account) {
                    tokio::spawn(Arc::clone(&self.scheduler).hand_over(cell, by));
                }
                Ok(())
            }
            StoreEvent::Missed => self.catch_up().await,
            StoreEvent::Lost(reason) => {
                self.readiness.lost(&reason);
                Ok(())
            }
            StoreEvent::Restored => {
                self.readiness.restored();
                Ok(())
            }
        };
        if let Err(error) = followed {
            tracing::error!(%error, "what happened in the store was not followed");
        }
    }

    fn heard_change(&self, account: &Arc<str>, number: u64) {
        // One that is not known is found when somebody asks for it.
        let Some(cell) = self.directory.by_id(account) else {
            return;
        };
        let known = cell.lock().version.number;
        if number != 0 && number <= known {
            return;
        }
        cell.mark_stale();
        if self.scheduler.works_on(&cell) || cell.taken().is_waited_for() {
            tokio::spawn(Arc::clone(&self.scheduler).reload_or_log(cell));
        }
    }

    async fn heard_work(&self, account: &Arc<str>) -> Result<(), JournalError> {
        match self.directory.by_id(account) {
            // Whoever worked on it may have told nobody what it did last.
            Some(cell) => cell.mark_stale(),
            None => {
                if let Some(stored) = self.scheduler.journal.load(account).await? {
                    self.directory.learn(stored, self.clock.now())?;
                }
            }
        }
        if let Some(cell) = self.directory.by_id(account) {
            tokio::spawn(Arc::clone(&self.scheduler).work(cell));
        }
        Ok(())
    }
}
