//! Entries applied to accounts: the only way in which an account ever changes.

use std::sync::Arc;

use jiff::Timestamp;
use svc_fixtures::contract::Environment;

use super::access::Window;
use super::account::{Account, Settings, keys_of};
use super::clock::AccountClock;
use super::entry::{Change, Entry, Opening};
use crate::scenario::{AccountConfig, KeyConfig};

impl Account {
    /// The entry that a new account begins with.
    #[must_use]
    pub fn opening(config: AccountConfig, clock: AccountClock, machine: Timestamp) -> Entry {
        Entry {
            at: clock.read(machine),
            environment: Environment::Test,
            changes: vec![Change::Opened(Box::new(Opening { config, clock }))],
        }
    }

    /// The entry that a copy of this account begins with: all of its state under another name, with a
    /// key of that name for each environment. Calls whose answer is delayed are not in it.
    #[must_use]
    pub fn forking(&self, id: &Arc<str>, machine: Timestamp) -> Entry {
        let mut copy = self.without_delayed();
        copy.id = Arc::clone(id);
        copy.opened = Arc::new(AccountConfig {
            id: Arc::clone(id),
            keys: vec![KeyConfig {
                name: id.to_string(),
                revoked: false,
                rotated_for_ms: None,
            }],
            copies: false,
            ..(*self.opened).clone()
        });
        copy.keys = keys_of(&copy.opened, machine);
        copy.windows = vec![Window::default(); copy.keys.len()];
        Entry {
            at: self.clock.read(machine),
            environment: Environment::Test,
            changes: vec![Change::Forked(Box::new(copy))],
        }
    }

    /// An entry that makes just this account, in the place of all that made it.
    #[must_use]
    pub fn snapshot(self) -> Entry {
        Entry {
            at: Timestamp::UNIX_EPOCH,
            environment: Environment::Test,
            changes: vec![Change::Forked(Box::new(self))],
        }
    }

    /// The same without the calls whose answer is delayed, as if they had never been made.
    #[must_use]
    pub fn without_delayed(&self) -> Self {
        let mut copy = self.clone();
        for state in [&mut copy.test, &mut copy.live] {
            state.roll_back_delayed();
            state.verifications = std::mem::take(&mut state.verifications).relisted();
        }
        copy
    }

    /// The account that these entries make. None where the first is not its beginning.
    #[must_use]
    pub fn rebuild(settings: Settings, entries: impl IntoIterator<Item = Entry>) -> Option<Self> {
        let mut entries = entries.into_iter();
        let first = entries.next()?;
        let mut account = match first.changes.into_iter().next()? {
            Change::Opened(opening) => {
                let Opening { config, clock } = *opening;
                Account::open(Arc::new(config), clock, settings, first.at)
            }
            Change::Forked(account) => Account {
                settings,
                ..*account
            },
            _ => return None,
        };
        entries.for_each(|entry| account.apply(entry));
        Some(account)
    }

    /// Whether its sums are those of its parts, and its money adds up (ruling 22).
    ///
    /// # Errors
    /// What does not.
    pub fn check(&self) -> Result<(), String> {
        for environment in Environment::ALL {
            let state = self.environment(environment);
            if !state.money_adds_up() {
                return Err(format!("the money of {environment} does not add up"));
            }
            if !state.sums_hold() {
                return Err(format!(
                    "the sums of {environment} are not those of its parts"
                ));
            }
        }
        Ok(())
    }

    /// Makes the changes of an entry.
    ///
    /// # Panics
    /// Where the money of the environment does not add up afterwards (ruling 22).
    pub fn apply(&mut self, entry: Entry) {
        // The sandbox moves no money.
        if entry.environment == Environment::Live
            && let Some(movement) = entry.movement()
        {
            let state = self.environment_mut(Environment::Live);
            state.wallet_history.note(movement);
        }
        let Entry {
            at,
            environment,
            changes,
        } = entry;
        for change in changes {
            self.make(change, at, environment);
        }
        self.environment(environment).assert_money_adds_up();
    }

    fn make(&mut self, change: Change, at: Timestamp, environment: Environment) {
        let (limits, expiry) = (self.settings.limits, self.expiry(at));
        let state = self.environment_mut(environment);
        match change {
            Change::Opened(_) | Change::Forked(_) => {
                debug_assert!(false, "an account begins once");
            }
            Change::Reset => {
                let (opened, settings) = (Arc::clone(&self.opened), self.settings.clone());
                *self = Account::open(opened, self.clock, settings, at);
            }
            Change::RateLimitConsumed { key, window } => self.windows[key] = window,
            Change::CallCounted { content } => state.counters.count(content),
            Change::SequenceAdvanced { sequence } => state.advance_sequence(sequence),
            Change::HoldOpened { amount } => state.wallet.open(amount),
            Change::HoldSettled { amount, charged } => state.wallet.settle(amount, charged),
            Change::Recorded(verification) => {
                state.record(verification);
                state.evict_beyond(&limits, expiry);
            }
            Change::FlowAdvanced(it) => {
                let verifications = &mut state.verifications;
                verifications.advance_flow(&it.name, &it.token, it.operation.as_deref());
            }
            Change::Attempted {
                verification,
                attempt,
            } => {
                let schedule_ms = Arc::clone(&self.settings.webhook_schedule_ms);
                let state = self.environment_mut(environment);
                let verifications = &mut state.verifications;
                verifications.attempted(verification, *attempt, &schedule_ms);
                state.evict_beyond(&limits, expiry);
            }
            Change::Accessed(access) => {
                state.audit.note(access);
                state.evict_beyond(&limits, expiry);
            }
            Change::RedeliveryRequested { verification } => {
                state.verifications.request_redelivery(verification, at);
            }
            Change::ToppedUp { amount } => state.wallet.top_up(amount),
            Change::KeyAdded { key } => {
                self.keys.push(key);
                self.windows.push(Window::default());
            }
            Change::KeyChanged { key, state } => self.keys[key].state = state,
            Change::AllowlistSet { networks } => self.allowlist = networks,
            Change::RateLimitSet { limit } => {
                self.rate_limit = limit;
                self.windows.fill(Window::default());
            }
            Change::WebhookSet { webhook } => state.webhook = webhook,
            Change::ScenariosAdded { file } => {
                let before = self.scenarios.take().unwrap_or_default();
                self.scenarios = Some(Arc::new(before.with(file)));
            }
            Change::ScenariosRewritten { file } => {
                let before = self.scenarios.take();
                self.scenarios = before.map(|before| Arc::new(before.rewritten(file)));
            }
            Change::ScenariosRemoved { path } => {
                let before = self.scenarios.take();
                self.scenarios = before.map(|before| Arc::new(before.without(&path)));
            }
            Change::ClockSet { clock } => self.clock = clock,
            Change::Evicted { down_to } => state.evict_down_to(down_to, expiry),
        }
    }
}
