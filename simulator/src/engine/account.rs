//! One account: all of its state, changed by entries and by nothing else.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::Service;

use super::allowlist::Allowlist;
use super::audit::Audit;
use super::authenticate::{Key, KeyState};
use super::call::Environment;
use super::calls::Calls;
use super::clock::AccountClock;
use super::delivery::Deliveries;
use super::entry::{Began, Change, Concluded, Entry, SequenceKey, TicketChange};
use super::flow::Flows;
use super::idempotency::Claims;
use super::ids::Counters;
use super::rate_limit::{RateLimit, Window};
use super::ticket::Tickets;
use super::usage::Usage;
use super::wallet::Wallet;
use crate::scenario::{AccountTerms, WebhookTerms};

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
    test: Books,
    live: Books,
}

/// What applying entries depends on beside the account itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How long idempotency keys are kept.
    pub retention: SignedDuration,
    /// When webhooks are sent, counted from the terminal state, in milliseconds.
    pub webhook_schedule_ms: Arc<[u64]>,
}

impl Settings {
    /// What the contract says.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        Settings {
            retention: SignedDuration::from_millis(
                i64::try_from(service.idempotency_retention_ms).unwrap_or(i64::MAX),
            ),
            webhook_schedule_ms: service.webhook_schedule_ms.as_slice().into(),
        }
    }
}

/// The state of an account in one environment. Nothing is seen across the two.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Books {
    /// Its money; on the sandbox always empty.
    pub wallet: Wallet,
    /// How often each thing was asked.
    pub counters: Counters,
    /// Its idempotency keys.
    pub claims: Claims,
    /// How many calls each sequence has decided.
    pub sequences: HashMap<SequenceKey, u32, FixedState>,
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
    pub webhook: Option<WebhookTerms>,
}

impl Account {
    /// The entry that a new account begins with.
    #[must_use]
    pub fn opening(terms: AccountTerms, machine: Timestamp) -> Entry {
        Entry {
            at: machine,
            environment: Environment::Test,
            changes: vec![Change::Opened(Box::new(terms))],
        }
    }

    /// The account that these entries make. None where the first is not its opening.
    #[must_use]
    pub fn rebuild(settings: Settings, entries: impl IntoIterator<Item = Entry>) -> Option<Self> {
        let mut entries = entries.into_iter();
        let first = entries.next()?;
        let [Change::Opened(terms)] = first.changes.as_slice() else {
            return None;
        };
        let mut account = Account::open(terms, settings, first.at);
        entries.for_each(|entry| account.apply(entry));
        Some(account)
    }

    fn open(terms: &AccountTerms, settings: Settings, machine: Timestamp) -> Self {
        let key = |environment: Environment| {
            terms.keys.iter().map(move |key| {
                let state = match (key.revoked, key.rotated_for_ms) {
                    (true, _) => KeyState::Revoked,
                    (false, None) => KeyState::Active,
                    (false, Some(ms)) => {
                        let after =
                            SignedDuration::from_millis(i64::try_from(ms).unwrap_or(i64::MAX));
                        KeyState::Rotated {
                            until: machine.saturating_add(after).unwrap_or(Timestamp::MAX),
                        }
                    }
                };
                Key {
                    text: format!("{}{}", environment.key_prefix(), key.name),
                    environment,
                    state,
                }
            })
        };
        let keys: Vec<Key> = Environment::ALL.into_iter().flat_map(key).collect();
        let books = Books {
            webhook: terms.webhook.clone(),
            ..Books::default()
        };
        Account {
            id: Arc::clone(&terms.id),
            windows: vec![Window::default(); keys.len()],
            keys,
            allowlist: Allowlist(terms.allowlist.clone()),
            rate_limit: terms.rate_limit.map(|rate| RateLimit {
                per_second: rate.per_second,
                burst: rate.burst,
            }),
            clock: AccountClock::default(),
            settings,
            live: Books {
                wallet: Wallet::with(terms.live_wallet),
                ..books.clone()
            },
            test: books,
        }
    }

    /// The state in one environment.
    #[must_use]
    pub fn books(&self, environment: Environment) -> &Books {
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
            let schedule_ms = Arc::clone(&self.settings.webhook_schedule_ms);
            let retention = self.settings.retention;
            let books = match environment {
                Environment::Test => &mut self.test,
                Environment::Live => &mut self.live,
            };
            match change {
                Change::Opened(_) => debug_assert!(false, "an account is opened once"),
                Change::Passed { key, window } => self.windows[key] = window,
                Change::Began(began) => books.began(*began, at, retention),
                Change::PutOff(ticket) => books.tickets.open(*ticket),
                Change::Concluded(concluded) => books.concluded(*concluded),
                Change::Attempted {
                    verification,
                    attempt,
                } => {
                    books
                        .deliveries
                        .attempted(verification, attempt, &schedule_ms);
                }
                Change::Accessed(access) => books.audit.note(access),
                Change::ToppedUp(amount) => books.wallet.top_up(amount),
                Change::ClockSet(clock) => self.clock = clock,
            }
        }
    }
}

impl Books {
    fn began(&mut self, began: Began, at: Timestamp, retention: SignedDuration) {
        self.counters.count(&began.content);
        if let Some((key, body)) = began.claim {
            self.claims
                .claim(&key, body, began.verification, at, retention);
        }
        for sequence in began.sequences {
            *self.sequences.entry(sequence).or_default() += 1;
        }
        self.wallet.apply(super::wallet::Money {
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
            TicketChange::Closed => self.tickets.close(verification),
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
