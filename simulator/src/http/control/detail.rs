//! What an account shows of itself: everything but the signing secrets of its webhooks.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::values::{In, Inr, Network, Rate, Shown, When};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::delivery::DeliveryState;
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::ids::VerificationId;
use crate::engine::state::keys::{Key, KeyState};
use crate::engine::state::usage::Row;
use crate::engine::state::verification::{Due, Phase, Verification};
use crate::engine::state::wallet::Wallet;

/// All of an account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlAccount", deny_unknown_fields)]
pub(super) struct AccountDetail {
    id: String,
    clock: ClockDetail,
    keys: Vec<KeyDetail>,
    /// The networks its keys may be used from; from anywhere where there is none.
    allowlist: Vec<Network>,
    /// How often each of its keys may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<Rate>,
    test: EnvironmentDetail,
    live: EnvironmentDetail,
}

/// Whether a clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Clock {
    Running,
    Frozen,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct ClockDetail {
    now: When,
    state: Clock,
    /// Of one that runs: how far it is ahead of the machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead_ms: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct KeyDetail {
    key: String,
    environment: In,
    state: KeyWord,
    /// Of a rotated one: when it stops working.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<When>,
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum KeyWord {
    Active,
    Rotated,
    Revoked,
}

/// What is in a wallet.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlPurse", deny_unknown_fields)]
pub(super) struct Purse {
    /// Top-ups less charges; what is held is still in it.
    balance: Inr,
    /// What is put aside for calls that have not ended.
    held: Inr,
    charged: Inr,
}

/// An account in one environment.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlBooks", deny_unknown_fields)]
struct EnvironmentDetail {
    balance: Inr,
    /// What is put aside for calls that have not ended.
    held: Inr,
    charged: Inr,
    /// On live: all that was ever put in, less what was taken out by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    topped_up: Option<Inr>,
    /// Where webhooks go.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<Webhook>,
    calls: CallCounts,
    /// What is still to come.
    pending: Vec<PendingDetail>,
    deliveries: DeliveryCounts,
    usage: Spent,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct Webhook {
    url: String,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct CallCounts {
    kept: u64,
    /// Those that were forgotten to bound memory.
    forgotten: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct PendingDetail {
    verification_id: Shown<VerificationId>,
    endpoint: String,
    /// When the result comes, by the account's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<When>,
    /// What it waits for, where it does not wait for the clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<WaitsFor>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum WaitsFor {
    /// A person on the consent page.
    Consent,
    /// The call that carries what the first answer gave.
    SecondCall,
    /// The real delay of a scenario.
    Answer,
}

#[derive(Default, Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct DeliveryCounts {
    due: u64,
    delivered: u64,
    dead: u64,
    /// Those that were forgotten to bound memory.
    forgotten: u64,
}

/// What was spent since the account came into being, or was reset.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct Spent {
    calls: u64,
    completed: u64,
    no_record: u64,
    failed: u64,
    billed: u64,
    amount: Inr,
}

/// Whether an account's clock runs.
pub(super) fn state_of(account: &Account) -> Clock {
    match account.clock.frozen_at() {
        Some(_) => Clock::Frozen,
        None => Clock::Running,
    }
}

impl AccountDetail {
    /// What an account is when the machine's clock shows this.
    pub(super) fn of(account: &Account, machine: Timestamp) -> Self {
        let ahead = match account.clock {
            AccountClock::Running { ahead } => Some(ahead),
            AccountClock::Frozen { .. } => None,
        };
        AccountDetail {
            id: account.id.to_string(),
            clock: ClockDetail {
                now: When(account.clock.read(machine)),
                state: state_of(account),
                ahead_ms: ahead.and_then(|ahead| i64::try_from(ahead.as_millis()).ok()),
            },
            keys: account.keys.iter().map(KeyDetail::of).collect(),
            allowlist: account.allowlist.0.iter().copied().map(Network).collect(),
            rate_limit: account
                .rate_limit
                .map(|it| Rate::of(it.per_second, it.burst)),
            test: EnvironmentDetail::of(account.environment(Environment::Test), Environment::Test),
            live: EnvironmentDetail::of(account.environment(Environment::Live), Environment::Live),
        }
    }
}

impl KeyDetail {
    fn of(key: &Key) -> Self {
        let (state, until) = match key.state {
            KeyState::Active => (KeyWord::Active, None),
            KeyState::Rotated { until } => (KeyWord::Rotated, Some(When(until))),
            KeyState::Revoked => (KeyWord::Revoked, None),
        };
        KeyDetail {
            key: key.text.to_string(),
            environment: key.environment.into(),
            state,
            until,
        }
    }
}

impl Purse {
    /// What is in a wallet.
    pub(super) fn of(wallet: &Wallet) -> Self {
        Purse {
            balance: Inr(wallet.balance()),
            held: Inr(wallet.held()),
            charged: Inr(wallet.charged()),
        }
    }
}

impl EnvironmentDetail {
    fn of(books: &EnvironmentState, environment: Environment) -> Self {
        let wallet = &books.wallet;
        let topped_up = Inr(wallet.topped_up());
        EnvironmentDetail {
            balance: Inr(wallet.balance()),
            held: Inr(wallet.held()),
            charged: Inr(wallet.charged()),
            topped_up: (environment == Environment::Live).then_some(topped_up),
            webhook: books.webhook.as_ref().map(|webhook| Webhook {
                url: webhook.url.to_string(),
            }),
            calls: CallCounts {
                kept: books.verifications.totals().logged as u64,
                forgotten: books.verifications.evicted().calls,
            },
            pending: books.verifications.open().map(PendingDetail::of).collect(),
            deliveries: DeliveryCounts::of(books),
            usage: Spent::of(books.usage.totals()),
        }
    }
}

impl PendingDetail {
    fn of(open: &Verification) -> Self {
        let due = match open.phase {
            Phase::Pending { due } => Some(due),
            Phase::Delayed { .. } | Phase::Ended => None,
        };
        let (due, waits_for) = match due {
            Some(Due::At(at)) => (Some(When(at)), None),
            Some(Due::Consent) => (None, Some(WaitsFor::Consent)),
            Some(Due::SecondCall | Due::WithBundle) => (None, Some(WaitsFor::SecondCall)),
            None => (None, Some(WaitsFor::Answer)),
        };
        PendingDetail {
            verification_id: Shown(open.id),
            endpoint: open.endpoint.to_string(),
            due,
            waits_for,
        }
    }
}

impl DeliveryCounts {
    fn of(books: &EnvironmentState) -> Self {
        let mut counts = DeliveryCounts {
            forgotten: books.verifications.evicted().deliveries,
            ..DeliveryCounts::default()
        };
        for (_, delivery) in books.verifications.deliveries() {
            match delivery.state() {
                DeliveryState::Due(_) => counts.due += 1,
                DeliveryState::Delivered => counts.delivered += 1,
                DeliveryState::Dead => counts.dead += 1,
            }
        }
        counts
    }
}

impl Spent {
    fn of(row: Row) -> Self {
        Spent {
            calls: row.calls,
            completed: row.completed,
            no_record: row.no_record,
            failed: row.failed,
            billed: row.billed,
            amount: Inr(row.amount),
        }
    }
}
