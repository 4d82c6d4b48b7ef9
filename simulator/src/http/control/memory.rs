//! What is kept, how much room it takes and may take, and what was forgotten.

use schemars::JsonSchema;
use serde::Serialize;

use super::route::{ControlRequest, ControlResult};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::environment::{EnvironmentState, Evictable, RetentionLimits};
use crate::host::shares::ShareUsage;
use crate::host::unauthenticated::{MOST_BYTES, MOST_CALLS};

/// What all accounts take.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MemoryDto {
    /// What all accounts take, in bytes.
    bytes: u64,
    /// What they may take: `--keep-total`.
    at_most: u64,
    /// How often something of the heaviest was evicted because all together took too much.
    gave_way: u64,
    /// Of each account and environment.
    keeps: RetentionLimits,
    /// How much of it can't be forgotten now. An account whose part of it is more than twice what is left
    /// gets no further calls executed.
    pending_bytes: u64,
    accounts: OpenedAccountsDto,
    unauthenticated: UnauthenticatedMemoryDto,
    shares: SharesDto,
    /// What all accounts that there are have forgotten.
    forgotten: EvictedDto,
}

/// What accounts take of that which all of them use.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SharesDto {
    /// Calls that are held back: delayed, or waiting for one with their idempotency key. Of each account:
    /// `--max-delayed`.
    delayed_calls: ShareDto,
    /// Requests to the control API that wait. For each account: `--max-waits`.
    waits: ShareDto,
}

/// What is taken of something. Nobody may have more than twice what is left, so that something is left for
/// all.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShareDto {
    /// What all have now.
    taken: u64,
    /// What one account may have.
    each: u64,
    /// What all may have together: it follows from `--max-connections`.
    all: u64,
}

impl From<ShareUsage> for ShareDto {
    fn from(usage: ShareUsage) -> Self {
        ShareDto {
            taken: usage.taken as u64,
            each: usage.each as u64,
            all: usage.all as u64,
        }
    }
}

/// The accounts that keys opened.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OpenedAccountsDto {
    /// How many there are.
    opened_by_keys: u64,
    /// How many there may be: `--max-accounts`.
    at_most: u64,
    /// How many of them the address has that opened most.
    most_of_one_address: u64,
    /// How many the keys of one address may open: `--max-accounts-per-address`.
    at_most_of_one_address: u64,
    /// When an idle one goes: `--account-idle`.
    idle_ms: u64,
    /// How many have gone.
    gone: u64,
}

/// The calls that no account could be found for, beside what accounts take.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnauthenticatedMemoryDto {
    calls: u64,
    calls_at_most: u64,
    bytes: u64,
    bytes_at_most: u64,
    forgotten: u64,
}

/// How much was forgotten of each kind to bound memory.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EvictedDto {
    calls: u64,
    deliveries: u64,
    /// Those whose time was not over.
    idempotency_keys: u64,
    flows: u64,
    sequences: u64,
    /// How often something was asked: what is asked again gets an id that it never had.
    counters: u64,
    audit: u64,
    /// Movements of the wallet.
    wallet: u64,
    /// Days of the usage that were added to the day after them.
    joined_days: u64,
}

impl EvictedDto {
    fn add(&mut self, state: &EnvironmentState) {
        let evicted = state.evictions();
        self.calls += evicted.calls;
        self.deliveries += evicted.deliveries;
        self.idempotency_keys += evicted.idempotency_keys;
        self.flows += evicted.flows;
        self.sequences += evicted.sequences;
        self.counters += evicted.counters;
        self.audit += evicted.audit;
        self.wallet += evicted.wallet;
        self.joined_days += state.usage.joined();
    }
}

/// What an account keeps.
#[derive(Serialize, JsonSchema)]
pub(super) struct AccountMemoryDto {
    test: EnvironmentMemoryDto,
    live: EnvironmentMemoryDto,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EnvironmentMemoryDto {
    /// What may be forgotten, in bytes.
    ended_bytes: u64,
    /// What may not, because something is still to come of it, and the usage.
    open_bytes: u64,
    /// So many calls are in the call log.
    calls: u64,
    /// Calls with their answers, idempotency keys, flows and webhooks.
    verifications: KindMemoryDto,
    sequences: KindMemoryDto,
    counters: KindMemoryDto,
    audit: KindMemoryDto,
    /// What happened to the wallet.
    wallet: KindMemoryDto,
    forgotten: EvictedDto,
}

/// What is kept of a kind.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct KindMemoryDto {
    /// How many have ended.
    ended: u64,
    ended_bytes: u64,
    /// How many are open: pending, due or running.
    open: u64,
    open_bytes: u64,
}

impl EnvironmentMemoryDto {
    fn of(state: &EnvironmentState) -> Self {
        let mut forgotten = EvictedDto::default();
        forgotten.add(state);
        let part = |kind| {
            let (ended, open) = (state.evictable(kind), state.pinned(kind));
            KindMemoryDto {
                ended: ended.count as u64,
                ended_bytes: ended.bytes as u64,
                open: open.count as u64,
                open_bytes: open.bytes as u64,
            }
        };
        EnvironmentMemoryDto {
            ended_bytes: state.evictable_bytes() as u64,
            open_bytes: state.pinned_bytes() as u64,
            calls: state.verifications.totals().logged as u64,
            verifications: part(Evictable::Verifications),
            sequences: part(Evictable::Sequences),
            counters: part(Evictable::Counters),
            audit: part(Evictable::Audit),
            wallet: part(Evictable::Wallet),
            forgotten,
        }
    }
}

pub(super) async fn all(request: ControlRequest) -> ControlResult<MemoryDto> {
    let host = &request.api.host;
    let (limits, usage) = (host.memory_limits(), host.memory_usage());
    let mut forgotten = EvictedDto::default();
    for cell in host.directory().all() {
        cell.read(|account| {
            for environment in Environment::ALL {
                forgotten.add(account.environment(environment));
            }
        });
    }
    let opened = host.directory().opened_by_keys();
    let unauthenticated = host.unauthenticated_calls();
    Ok(MemoryDto {
        bytes: usage.bytes as u64,
        at_most: limits.total_bytes as u64,
        gave_way: usage.evictions,
        keeps: limits.retention,
        pending_bytes: usage.pinned as u64,
        shares: SharesDto {
            delayed_calls: host.shares().delayed_calls().into(),
            waits: host.shares().waits().into(),
        },
        accounts: OpenedAccountsDto {
            opened_by_keys: opened.open as u64,
            at_most: limits.max_accounts as u64,
            most_of_one_address: opened.most_of_one_address as u64,
            at_most_of_one_address: host.directory().accounts_per_address() as u64,
            idle_ms: u64::try_from(limits.account_idle.as_millis()).unwrap_or(u64::MAX),
            gone: opened.closed,
        },
        unauthenticated: UnauthenticatedMemoryDto {
            calls: unauthenticated.calls.len() as u64,
            calls_at_most: MOST_CALLS as u64,
            bytes: unauthenticated.bytes as u64,
            bytes_at_most: MOST_BYTES as u64,
            forgotten: unauthenticated.forgotten,
        },
        forgotten,
    })
}

pub(super) async fn one(request: ControlRequest) -> ControlResult<AccountMemoryDto> {
    let cell = request.account()?;
    Ok(cell.read(|account: &Account| AccountMemoryDto {
        test: EnvironmentMemoryDto::of(account.environment(Environment::Test)),
        live: EnvironmentMemoryDto::of(account.environment(Environment::Live)),
    }))
}
