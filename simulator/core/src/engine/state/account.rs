//! One account: all of its state. Only entries change it.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::{Environment, Service};

use super::access::{Allowlist, Key, KeyState, RateLimit, Window};
use super::clock::AccountClock;
use super::delivery::Delivery;
use super::environment::{EnvironmentState, RetentionLimits};
use super::ids::VerificationId;
use super::scenarios::AddedScenarios;
use super::verification::Verification;
use super::verifications::Expiry;
use super::wallet::Wallet;
use super::wallet_history::WalletHistory;
use crate::scenario::AccountConfig;

/// One account.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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
    /// The scenarios that were added for it alone; none where no file ever was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenarios: Option<Arc<AddedScenarios>>,
    /// What holds for the service, as far as applying entries depends on it.
    #[serde(skip)]
    pub settings: Settings,
    /// What it was when it came into being, and is again when it is reset.
    pub(super) opened: Arc<AccountConfig>,
    pub(super) test: EnvironmentState,
    pub(super) live: EnvironmentState,
}

/// What applying entries depends on beside the account itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// How long idempotency keys are kept.
    pub retention: SignedDuration,
    /// When webhooks are sent, counted from the terminal state, in milliseconds.
    pub webhook_schedule_ms: Arc<[u64]>,
    /// How much is kept.
    pub limits: RetentionLimits,
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
            limits: RetentionLimits::default(),
        }
    }
}

impl Account {
    /// An account that comes into being at this instant of its clock.
    pub(super) fn open(
        opened: Arc<AccountConfig>,
        clock: AccountClock,
        settings: Settings,
        at: Timestamp,
    ) -> Self {
        let keys = keys_of(&opened, at);
        let environment = EnvironmentState {
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
            scenarios: None,
            settings,
            live: EnvironmentState {
                wallet: Wallet::with(opened.live_wallet),
                wallet_history: WalletHistory::beginning(at, opened.live_wallet),
                ..environment.clone()
            },
            test: environment,
            opened,
        }
    }

    /// What it was when it came into being.
    #[must_use]
    pub fn config(&self) -> &AccountConfig {
        &self.opened
    }

    /// The state in one environment.
    #[must_use]
    pub fn environment(&self, environment: Environment) -> &EnvironmentState {
        match environment {
            Environment::Test => &self.test,
            Environment::Live => &self.live,
        }
    }

    pub(super) fn environment_mut(&mut self, environment: Environment) -> &mut EnvironmentState {
        match environment {
            Environment::Test => &mut self.test,
            Environment::Live => &mut self.live,
        }
    }

    /// How long its idempotency keys are needed at an instant of its clock.
    pub(super) fn expiry(&self, now: Timestamp) -> Expiry {
        Expiry {
            now,
            retention: self.settings.retention,
        }
    }

    /// The pending verification that is due first by the account's clock, in either environment.
    #[must_use]
    pub fn first_due(&self) -> Option<(Timestamp, Environment, VerificationId)> {
        let due = |environment| {
            let (at, id) = self.environment(environment).verifications.first_due()?;
            Some((at, id, environment))
        };
        let (at, id, environment) = Environment::ALL.into_iter().filter_map(due).min()?;
        Some((at, environment, id))
    }

    /// The attempt to deliver that is due first by the account's clock, in either environment.
    #[must_use]
    pub fn first_attempt(&self) -> Option<(Timestamp, Environment, &Verification, &Delivery)> {
        let due = |environment| {
            let mut due = self.environment(environment).verifications.due_attempts();
            let (at, verification, delivery) = due.next()?;
            Some((at, environment, verification, delivery))
        };
        let due = Environment::ALL.into_iter().filter_map(due);
        due.min_by_key(|&(at, environment, verification, _)| (at, verification.id, environment))
    }
}

/// The keys of an account that begins at this instant of its clock.
pub(super) fn keys_of(config: &AccountConfig, at: Timestamp) -> Vec<Key> {
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
