//! One account: all of its state, changed by entries and by nothing else.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::Service;

use super::allowlist::Allowlist;
use super::audit::Audit;
use super::calls::Calls;
use super::clock::AccountClock;
use super::deliveries::Deliveries;
use super::entry::{Began, Change, Concluded, Decided, Entry, Opening, SequenceKey, TicketChange};
use super::flow::Flows;
use super::idempotency::Claims;
use super::ids::Counters;
use super::kept::Kept;
use super::rate_limit::{RateLimit, Window};
use super::retention::RetentionLimits;
use super::ticket::{Ticket, Tickets};
use super::usage::Usage;
use super::wallet::{Money, Wallet};
use crate::engine::call::authenticate::{Key, KeyState};
use crate::engine::call::request::Environment;
use crate::scenario::{AccountConfig, KeyConfig, WebhookConfig};

/// One account.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Its id.
    pub id: Arc<str>,
    /// Its keys.
    pub keys: Vec<Key>,
    /// Where they may be used from.
    pub allowlist: Allowlist,
    /// How often each of them may be used.
    pub rate_limit: Option<RateLimit>,
    /// How much of that each of them has used.
    pub windows: Vec<Window>,
    /// Its clock.
    pub clock: AccountClock,
    /// What holds for the service, as far as applying entries depends on it.
    pub settings: Settings,
    /// What it was when it came into being, and is again when it is reset.
    opened: Arc<AccountConfig>,
    test: EnvironmentState,
    live: EnvironmentState,
}

/// What applying entries depends on beside the account itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long idempotency keys are kept.
    pub retention: SignedDuration,
    /// When webhooks are sent, counted from the terminal state, in milliseconds.
    pub webhook_schedule_ms: Arc<[u64]>,
    /// How much is kept.
    pub keeps: RetentionLimits,
}

impl Settings {
    /// What the contract says, and as much kept as is kept by default.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        Settings {
            retention: SignedDuration::from_millis(
                i64::try_from(service.idempotency_retention_ms).unwrap_or(i64::MAX),
            ),
            webhook_schedule_ms: service.webhook_schedule_ms.as_slice().into(),
            keeps: RetentionLimits::default(),
        }
    }
}

/// The state of an account in one environment. Nothing is seen across the two.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EnvironmentState {
    /// Its money; on the sandbox always empty.
    pub wallet: Wallet,
    /// How often each thing was asked.
    pub counters: Counters,
    /// Its idempotency keys.
    pub claims: Claims,
    /// How many calls each sequence has decided.
    pub sequences: Kept<SequenceKey, Decided>,
    /// Its flows.
    pub flows: Flows,
    /// What was put off.
    pub tickets: Tickets,
    /// Its call log.
    pub calls: Calls,
    /// Its webhooks.
    pub deliveries: Deliveries,
    /// What it spent.
    pub usage: Usage,
    /// Who looked at answers that must be retained.
    pub audit: Audit,
    /// Where its webhooks go.
    pub webhook: Option<WebhookConfig>,
}

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
    /// key of that name for each environment. Calls whose answer is held back are not in it.
    #[must_use]
    pub fn forking(&self, id: &Arc<str>, machine: Timestamp) -> Entry {
        let mut copy = self.clone();
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
        copy.keys = keys(&copy.opened, machine);
        copy.windows = vec![Window::default(); copy.keys.len()];
        copy.test.withdraw_held_back();
        copy.live.withdraw_held_back();
        Entry {
            at: self.clock.read(machine),
            environment: Environment::Test,
            changes: vec![Change::Forked(Box::new(copy))],
        }
    }

    /// What it was when it came into being.
    #[must_use]
    pub fn config(&self) -> &AccountConfig {
        &self.opened
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

    fn open(
        opened: Arc<AccountConfig>,
        clock: AccountClock,
        settings: Settings,
        at: Timestamp,
    ) -> Self {
        let keys = keys(&opened, at);
        let books = EnvironmentState {
            webhook: opened.webhook.clone(),
            ..EnvironmentState::default()
        };
        Account {
            id: Arc::clone(&opened.id),
            windows: vec![Window::default(); keys.len()],
            keys,
            allowlist: Allowlist(opened.allowlist.clone()),
            rate_limit: opened.rate_limit.map(|rate| RateLimit {
                per_second: rate.per_second,
                burst: rate.burst,
            }),
            clock,
            settings,
            live: EnvironmentState {
                wallet: Wallet::with(opened.live_wallet),
                ..books.clone()
            },
            test: books,
            opened,
        }
    }

    fn key_added(&mut self, key: Key) {
        self.keys.push(key);
        self.windows.push(Window::default());
    }

    /// The state in one environment.
    #[must_use]
    pub fn books(&self, environment: Environment) -> &EnvironmentState {
        match environment {
            Environment::Test => &self.test,
            Environment::Live => &self.live,
        }
    }

    /// Makes the changes of an entry.
    pub fn apply(&mut self, entry: Entry) {
        let Entry {
            at,
            environment,
            changes,
        } = entry;
        for change in changes {
            let (schedule_ms, keeps) = (
                Arc::clone(&self.settings.webhook_schedule_ms),
                self.settings.keeps,
            );
            let retention = self.settings.retention;
            let books = match environment {
                Environment::Test => &mut self.test,
                Environment::Live => &mut self.live,
            };
            match change {
                Change::Opened(_) | Change::Forked(_) => {
                    debug_assert!(false, "an account begins once");
                }
                Change::Reset => {
                    let (opened, settings) = (Arc::clone(&self.opened), self.settings.clone());
                    *self = Account::open(opened, self.clock, settings, at);
                }
                Change::RateLimitConsumed { key, window } => self.windows[key] = window,
                Change::Began(began) => books.began(*began, at, retention),
                Change::PutOff(ticket) => books.tickets.open(*ticket),
                Change::Concluded(concluded) => {
                    books.concluded(*concluded);
                    books.forget_beyond(&keeps);
                }
                Change::Attempted {
                    verification,
                    attempt,
                } => {
                    books
                        .deliveries
                        .attempted(verification, attempt, &schedule_ms);
                    books.forget_beyond(&keeps);
                }
                Change::Accessed(access) => {
                    books.audit.note(access);
                    books.forget_beyond(&keeps);
                }
                Change::RedeliveryRequested { verification } => {
                    books.deliveries.ask_again(verification, at);
                }
                Change::ToppedUp(amount) => books.wallet.top_up(amount),
                Change::KeyAdded(key) => self.key_added(key),
                Change::KeyChanged { key, state } => self.keys[key].state = state,
                Change::AllowlistSet(allowlist) => self.allowlist = allowlist,
                Change::RateLimitSet(limit) => {
                    self.rate_limit = limit;
                    self.windows.fill(Window::default());
                }
                Change::WebhookSet(webhook) => books.webhook = webhook,
                Change::ClockSet(clock) => self.clock = clock,
                Change::Forgot { down_to } => books.forget_down_to(down_to),
            }
        }
    }
}

/// The keys of an account that begins at this instant of its clock.
fn keys(config: &AccountConfig, at: Timestamp) -> Vec<Key> {
    let key = |environment: Environment| {
        config.keys.iter().map(move |key| {
            let state = match (key.revoked, key.rotated_for_ms) {
                (true, _) => KeyState::Revoked,
                (false, None) => KeyState::Active,
                (false, Some(ms)) => {
                    let after = SignedDuration::from_millis(i64::try_from(ms).unwrap_or(i64::MAX));
                    KeyState::Rotated {
                        until: at.saturating_add(after).unwrap_or(Timestamp::MAX),
                    }
                }
            };
            Key {
                text: format!("{}{}", environment.key_prefix(), key.name).into(),
                environment,
                state,
            }
        })
    };
    Environment::ALL.into_iter().flat_map(key).collect()
}

impl EnvironmentState {
    /// Takes back the calls whose answer is held back, as if they had never been made.
    fn withdraw_held_back(&mut self) {
        let held_back: Vec<_> = self.tickets.held_back().cloned().collect();
        for Ticket { matter, .. } in held_back {
            self.tickets.close(matter.verification);
            self.wallet.apply(Money {
                release: matter.hold.unwrap_or_default(),
                ..Money::default()
            });
            if let Some(key) = &matter.claim {
                self.claims.withdraw(key, matter.verification);
            }
        }
    }

    fn began(&mut self, began: Began, at: Timestamp, retention: SignedDuration) {
        self.counters.count(&began.content);
        if let Some((key, body)) = began.claim {
            self.claims
                .claim(key, body, began.verification, at, retention);
        }
        for sequence in began.sequences {
            // The one used last is the youngest.
            let Decided(before) = self.sequences.remove(&sequence).unwrap_or_default();
            self.sequences.put(sequence, Decided(before + 1));
        }
        self.wallet.apply(Money {
            hold: began.hold,
            ..Default::default()
        });
    }

    fn concluded(&mut self, concluded: Concluded) {
        let verification = concluded.record.verification;
        self.wallet.apply(concluded.money);
        if let Some(flow) = concluded.flow {
            self.flows.apply(flow);
        }
        let pending = matches!(concluded.ticket, TicketChange::Opened(_));
        match concluded.ticket {
            TicketChange::Closed => {
                self.tickets.close(verification);
                self.flows.ended(verification);
            }
            TicketChange::Opened(ticket) => self.tickets.open(*ticket),
        }
        match concluded.claim {
            Some((key, Some(answer))) => self.claims.answered(&key, verification, &answer, pending),
            Some((key, None)) => self.claims.finished(&key, verification),
            None => {}
        }
        if let Some(key) = concluded.lapses {
            self.claims.finished(&key, verification);
        }
        if let Some(delivery) = concluded.delivery {
            self.deliveries.add(delivery);
        }
        if let Some(counted) = concluded.counted {
            self.usage.count(counted);
        }
        for step in concluded.steps {
            if let Some(counted) = step.counted {
                self.usage.count(counted);
            }
            self.calls.keep(step.record);
        }
        self.calls.keep(concluded.record);
    }
}
