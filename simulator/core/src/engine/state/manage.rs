//! What whoever runs the simulator may change about an account. Each function says what changes;
//! the host writes it down and applies it.

use std::sync::Arc;

use ipnet::IpNet;
use jiff::{SignedDuration, Timestamp};
use svc_fixtures::contract::{Environment, Paise};

use super::access::{Allowlist, Key, KeyState, RateLimit};
use super::account::Account;
use super::entry::Change;
use super::ids::VerificationId;
use crate::scenario::WebhookConfig;

/// Why an account was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeRefusal {
    /// The wallet would hold less than is put aside.
    #[error("{held} INR are put aside for calls that have not ended; the balance can't be less")]
    BelowHeld {
        /// What is put aside.
        held: Paise,
    },
    /// The wallet can't take so much.
    #[error("a wallet holds at most {MOST} INR")]
    TooMuch,
    /// The account has no such key.
    #[error("the account has no such key")]
    UnknownKey,
    /// No key of this environment works, so none can be rotated.
    #[error("no key of this environment works; add one")]
    NoActiveKey,
    /// Another key has this name.
    #[error("there already is a key of this name")]
    KeyExists,
    /// The account has as many keys as it may.
    #[error(
        "an account has {MAX_KEYS} keys at most, revoked and rotated ones too; reset it, or use another account"
    )]
    TooManyKeys,
    /// There is no such delivery.
    #[error("there is no such delivery")]
    UnknownDelivery,
}

/// The most a wallet holds: enough for any test, and far from what the arithmetic can't do.
pub const MOST: Paise = Paise(100_000_000_000_000);

/// The most keys of an account, whatever has become of them. No clause bounds them.
pub const MAX_KEYS: usize = 1_000;

/// The wallet with this much more in it.
///
/// # Errors
/// [`ChangeRefusal::TooMuch`].
pub fn top_up(
    account: &Account,
    environment: Environment,
    amount: Paise,
) -> Result<Vec<Change>, ChangeRefusal> {
    let wallet = &account.environment(environment).wallet;
    match wallet.balance().0.checked_add(amount.0) {
        Some(balance) if balance <= MOST.0 && amount.0 <= MOST.0 => {
            Ok(vec![Change::ToppedUp { amount }])
        }
        _ => Err(ChangeRefusal::TooMuch),
    }
}

/// The wallet with just this much in it.
///
/// # Errors
/// [`ChangeRefusal::BelowHeld`] and [`ChangeRefusal::TooMuch`].
pub fn set_balance(
    account: &Account,
    environment: Environment,
    balance: Paise,
) -> Result<Vec<Change>, ChangeRefusal> {
    let wallet = &account.environment(environment).wallet;
    if balance < wallet.held() {
        return Err(ChangeRefusal::BelowHeld {
            held: wallet.held(),
        });
    }
    if balance > MOST {
        return Err(ChangeRefusal::TooMuch);
    }
    let amount = Paise(balance.0 - wallet.balance().0);
    Ok(vec![Change::ToppedUp { amount }])
}

/// One more key of this name.
#[must_use]
pub fn add_key(environment: Environment, name: &str) -> Vec<Change> {
    vec![Change::KeyAdded {
        key: new_key(environment, name),
    }]
}

/// A new key, and what becomes of the one it replaces.
#[derive(Clone, PartialEq, Eq)]
pub struct Rotation {
    /// The new one.
    pub key: Key,
    /// The text of the one it replaces.
    pub replaces: Arc<str>,
    /// When that one stops working.
    pub until: Timestamp,
}

/// A new key in the place of the newest that works; that one works a while longer. The new key has
/// the old one's name with `.2`, `.3` … appended.
///
/// # Errors
/// [`ChangeRefusal::NoActiveKey`] and [`ChangeRefusal::TooManyKeys`].
pub fn rotate_key(
    account: &Account,
    environment: Environment,
    old_works_for: SignedDuration,
    now: Timestamp,
    mut taken: impl FnMut(&str) -> bool,
) -> Result<(Rotation, Vec<Change>), ChangeRefusal> {
    let works = |key: &Key| key.environment == environment && key.state == KeyState::Active;
    let newest = account.keys.iter().rposition(works);
    let old = newest.ok_or(ChangeRefusal::NoActiveKey)?;
    if account.keys.len() >= MAX_KEYS {
        return Err(ChangeRefusal::TooManyKeys);
    }
    let name = account.keys[old].name();
    let base = name
        .rsplit_once('.')
        .filter(|(_, number)| number.parse::<u32>().is_ok())
        .map_or(name, |(base, _)| base);
    let mut names = (2u32..).map(|number| format!("{base}.{number}"));
    let free = |name: &String| !has_key(account, environment, name) && !taken(name);
    let name = names
        .find(free)
        .expect("an account has fewer keys than there are numbers");
    let until = now.saturating_add(old_works_for).unwrap_or(Timestamp::MAX);
    let changes = vec![
        Change::KeyChanged {
            key: old,
            state: KeyState::Rotated { until },
        },
        Change::KeyAdded {
            key: new_key(environment, &name),
        },
    ];
    let rotation = Rotation {
        key: new_key(environment, &name),
        replaces: Arc::clone(&account.keys[old].text),
        until,
    };
    Ok((rotation, changes))
}

/// The key with this text, no longer working.
///
/// # Errors
/// [`ChangeRefusal::UnknownKey`].
pub fn revoke_key(account: &Account, text: &str) -> Result<Vec<Change>, ChangeRefusal> {
    let found = account.keys.iter().position(|key| *key.text == *text);
    let key = found.ok_or(ChangeRefusal::UnknownKey)?;
    Ok(vec![Change::KeyChanged {
        key,
        state: KeyState::Revoked,
    }])
}

/// Keys that may be used from these networks only; from anywhere where there is none.
#[must_use]
pub fn set_allowlist(networks: Vec<IpNet>) -> Vec<Change> {
    vec![Change::AllowlistSet {
        networks: Allowlist(networks),
    }]
}

/// Keys that may be used so often; without end where there is no limit.
#[must_use]
pub fn set_rate_limit(limit: Option<RateLimit>) -> Vec<Change> {
    vec![Change::RateLimitSet { limit }]
}

/// Webhooks that go elsewhere, or nowhere.
#[must_use]
pub fn set_webhook(webhook: Option<WebhookConfig>) -> Vec<Change> {
    vec![Change::WebhookSet { webhook }]
}

/// One more attempt of a delivery, now.
///
/// # Errors
/// [`ChangeRefusal::UnknownDelivery`].
pub fn redeliver(
    account: &Account,
    environment: Environment,
    verification: VerificationId,
) -> Result<Vec<Change>, ChangeRefusal> {
    let verifications = &account.environment(environment).verifications;
    let found = verifications.delivery(verification);
    found.ok_or(ChangeRefusal::UnknownDelivery)?;
    Ok(vec![Change::RedeliveryRequested { verification }])
}

/// Whether the account has a key of this name.
#[must_use]
pub fn has_key(account: &Account, environment: Environment, name: &str) -> bool {
    let mut keys = account.keys.iter();
    keys.any(|key| key.environment == environment && key.name() == name)
}

/// A key that works, of this name.
#[must_use]
pub fn new_key(environment: Environment, name: &str) -> Key {
    Key {
        text: Arc::from(format!("{}{name}", environment.key_prefix())),
        environment,
        state: KeyState::Active,
    }
}
