//! What an account shows of itself: everything but the signing secrets of its webhooks.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::values::{EnvironmentDto, NetworkDto, RateLimitDto, RupeesDto, TimestampDto};
use crate::engine::call::request::Environment;
use crate::engine::state::access::{Key, KeyState};
use crate::engine::state::account::Account;
use crate::engine::state::clock::AccountClock;
use crate::engine::state::delivery::DeliveryState;
use crate::engine::state::environment::EnvironmentState;
use crate::engine::state::usage::Row;
use crate::engine::state::verification::{Due, Phase, Verification};
use crate::engine::state::wallet::Wallet;

/// All of an account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccountDto {
    id: String,
    clock: ClockDto,
    keys: Vec<KeyDto>,
    /// The networks its keys may be used from; from anywhere where there is none.
    allowlist: Vec<NetworkDto>,
    /// How often each of its keys may be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_limit: Option<RateLimitDto>,
    test: EnvironmentStateDto,
    live: EnvironmentStateDto,
}

/// Whether a clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ClockStateDto {
    Running,
    Frozen,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ClockDto {
    now: TimestampDto,
    state: ClockStateDto,
    /// Of one that runs: how far it is ahead of the machine's.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead_ms: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
struct KeyDto {
    key: String,
    environment: EnvironmentDto,
    state: KeyStateDto,
    /// Of a rotated one: when it stops working.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<TimestampDto>,
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum KeyStateDto {
    Active,
    Rotated,
    Revoked,
}

/// What is in a wallet.
#[derive(Serialize, JsonSchema)]
pub(super) struct BalanceDto {
    /// Top-ups less charges; what is held is still in it.
    balance: RupeesDto,
    /// What is put aside for calls that have not ended.
    held: RupeesDto,
    charged: RupeesDto,
}

/// An account in one environment.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EnvironmentStateDto {
    #[serde(flatten)]
    balance: BalanceDto,
    /// On live: all that was ever put in, less what was taken out by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    topped_up: Option<RupeesDto>,
    /// Where webhooks go.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook: Option<WebhookDto>,
    calls: CallCountsDto,
    /// What is still to come.
    pending: Vec<PendingDto>,
    deliveries: DeliveryCountsDto,
    /// What was spent since the account came into being, or was reset.
    usage: Row,
}

#[derive(Serialize, JsonSchema)]
struct WebhookDto {
    url: String,
}

#[derive(Serialize, JsonSchema)]
struct CallCountsDto {
    kept: u64,
    /// Those that were forgotten to bound memory.
    forgotten: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PendingDto {
    verification_id: String,
    endpoint: String,
    /// When the result comes, by the account's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<TimestampDto>,
    /// What it waits for, where it does not wait for the clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits_for: Option<WaitsForDto>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum WaitsForDto {
    /// A person on the consent page.
    Consent,
    /// The call that carries what the first answer gave.
    SecondCall,
    /// The real delay of a scenario.
    Answer,
}

#[derive(Default, Serialize, JsonSchema)]
struct DeliveryCountsDto {
    due: u64,
    delivered: u64,
    dead: u64,
    /// Those that were forgotten to bound memory.
    forgotten: u64,
}

impl From<&AccountClock> for ClockStateDto {
    fn from(clock: &AccountClock) -> Self {
        match clock {
            AccountClock::Frozen { .. } => ClockStateDto::Frozen,
            AccountClock::Running { .. } => ClockStateDto::Running,
        }
    }
}

impl AccountDto {
    /// What an account is when the machine's clock shows this.
    pub(super) fn of(account: &Account, machine: Timestamp) -> Self {
        let ahead = match account.clock {
            AccountClock::Running { ahead } => Some(ahead),
            AccountClock::Frozen { .. } => None,
        };
        let networks = account.allowlist.0.iter().copied();
        let state = |of| EnvironmentStateDto::of(account.environment(of), of);
        AccountDto {
            id: account.id.to_string(),
            clock: ClockDto {
                now: TimestampDto(account.clock.read(machine)),
                state: (&account.clock).into(),
                ahead_ms: ahead.and_then(|ahead| i64::try_from(ahead.as_millis()).ok()),
            },
            keys: account.keys.iter().map(KeyDto::of).collect(),
            allowlist: networks.map(NetworkDto).collect(),
            rate_limit: account.rate_limit.and_then(RateLimitDto::of),
            test: state(Environment::Test),
            live: state(Environment::Live),
        }
    }
}

impl KeyDto {
    fn of(key: &Key) -> Self {
        let (state, until) = match key.state {
            KeyState::Active => (KeyStateDto::Active, None),
            KeyState::Rotated { until } => (KeyStateDto::Rotated, Some(TimestampDto(until))),
            KeyState::Revoked => (KeyStateDto::Revoked, None),
        };
        KeyDto {
            key: key.text.to_string(),
            environment: EnvironmentDto(key.environment),
            state,
            until,
        }
    }
}

impl BalanceDto {
    /// What is in a wallet.
    pub(super) fn of(wallet: &Wallet) -> Self {
        BalanceDto {
            balance: RupeesDto(wallet.balance()),
            held: RupeesDto(wallet.held()),
            charged: RupeesDto(wallet.charged()),
        }
    }
}

impl EnvironmentStateDto {
    fn of(state: &EnvironmentState, environment: Environment) -> Self {
        let topped_up = RupeesDto(state.wallet.topped_up());
        EnvironmentStateDto {
            balance: BalanceDto::of(&state.wallet),
            topped_up: (environment == Environment::Live).then_some(topped_up),
            webhook: state.webhook.as_ref().map(|webhook| WebhookDto {
                url: webhook.url.to_string(),
            }),
            calls: CallCountsDto {
                kept: state.verifications.totals().logged as u64,
                forgotten: state.verifications.evicted().calls,
            },
            pending: state.verifications.open().map(PendingDto::of).collect(),
            deliveries: DeliveryCountsDto::of(state),
            usage: state.usage.totals(),
        }
    }
}

impl PendingDto {
    /// What is still to come of one that is open.
    pub(super) fn of(open: &Verification) -> Self {
        let (due, waits_for) = match open.phase {
            Phase::Pending { due: Due::At(at) } => (Some(TimestampDto(at)), None),
            Phase::Pending { due: Due::Consent } => (None, Some(WaitsForDto::Consent)),
            Phase::Pending {
                due: Due::SecondCall | Due::WithBundle,
            } => (None, Some(WaitsForDto::SecondCall)),
            Phase::Delayed { .. } | Phase::Ended => (None, Some(WaitsForDto::Answer)),
        };
        PendingDto {
            verification_id: open.id.to_string(),
            endpoint: open.endpoint.to_string(),
            due,
            waits_for,
        }
    }
}

impl DeliveryCountsDto {
    fn of(state: &EnvironmentState) -> Self {
        let mut counts = DeliveryCountsDto {
            forgotten: state.verifications.evicted().deliveries,
            ..DeliveryCountsDto::default()
        };
        for (_, delivery) in state.verifications.deliveries() {
            match delivery.state() {
                DeliveryState::Due(_) => counts.due += 1,
                DeliveryState::Delivered => counts.delivered += 1,
                DeliveryState::Dead => counts.dead += 1,
            }
        }
        counts
    }
}
