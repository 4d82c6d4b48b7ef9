//! What is kept, how much room it takes and may take, and what was forgotten.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Control;
use super::body::Nothing;
use super::query::NoQuery;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::engine::state::environment::{EnvironmentState, Evictable};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/control/memory",
            "memory.get",
            "What all accounts take, and how much they may",
        )
        .by(all),
        get(
            "/control/accounts/{id}/memory",
            "memory.account",
            "What an account keeps, and what it forgot",
        )
        .by(one)
        .refusing(&[Code::AccountNotFound]),
    ]
}

/// What all accounts take.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlMemory", deny_unknown_fields)]
struct Memory {
    /// What all accounts take, in bytes.
    bytes: u64,
    /// What they may take: `--keep-total`.
    at_most: u64,
    /// How often the heaviest had to give way because all together took too much.
    gave_way: u64,
    /// Of each account and environment.
    keeps: RetentionLimits,
    accounts: Accounts,
    /// What all accounts that there are have forgotten.
    forgotten: Forgotten,
}

/// What each account keeps in each environment.
#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct RetentionLimits {
    /// So many calls: `--keep-calls`.
    calls: u64,
    /// So many deliveries that have ended: `--keep-deliveries`.
    deliveries: u64,
    /// So many bytes of what has ended, and as many of what is pending: `--keep-bytes`.
    bytes: u64,
}

/// The accounts that keys opened.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct Accounts {
    /// How many there are.
    opened_by_keys: u64,
    /// How many there may be: `--max-accounts`.
    at_most: u64,
    /// When an idle one goes: `--account-idle`.
    idle_ms: u64,
    /// How many have gone.
    gone: u64,
}

/// How much was forgotten of each kind to bound memory.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlForgotten", deny_unknown_fields)]
struct Forgotten {
    calls: u64,
    deliveries: u64,
    /// Those whose time was not over.
    idempotency_keys: u64,
    flows: u64,
    sequences: u64,
    /// How often something was asked: what is asked again gets an id that it never had.
    counters: u64,
    audit: u64,
    /// Days of the usage that were added to the day after them.
    joined_days: u64,
}

impl Forgotten {
    fn add(&mut self, books: &EnvironmentState) {
        let evictions = books.evictions();
        self.calls += evictions.calls;
        self.deliveries += evictions.deliveries;
        self.idempotency_keys += evictions.idempotency_keys;
        self.flows += evictions.flows;
        self.sequences += evictions.sequences;
        self.counters += evictions.counters;
        self.audit += evictions.audit;
        self.joined_days += books.usage.joined();
    }
}

/// What an account keeps.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlAccountMemory", deny_unknown_fields)]
struct AccountMemory {
    test: EnvironmentMemory,
    live: EnvironmentMemory,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct EnvironmentMemory {
    /// What may be forgotten, in bytes.
    ended_bytes: u64,
    /// What may not, because something is still to come of it, and the usage.
    open_bytes: u64,
    /// So many calls are in the call log.
    calls: u64,
    /// Calls with their answers, idempotency keys, flows and webhooks.
    verifications: Part,
    sequences: Part,
    counters: Part,
    audit: Part,
    forgotten: Forgotten,
}

/// What is kept of a kind.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlKept", deny_unknown_fields)]
struct Part {
    /// How many have ended.
    ended: u64,
    ended_bytes: u64,
    /// How many are open: pending, due or running.
    open: u64,
    open_bytes: u64,
}

impl Part {
    fn of(books: &EnvironmentState, of: Evictable) -> Self {
        let (ended, open) = (books.evictable(of), books.pinned(of));
        Part {
            ended: ended.count as u64,
            ended_bytes: ended.bytes as u64,
            open: open.count as u64,
            open_bytes: open.bytes as u64,
        }
    }
}

impl EnvironmentMemory {
    fn of(books: &EnvironmentState) -> Self {
        let mut forgotten = Forgotten::default();
        forgotten.add(books);
        let part = |of| Part::of(books, of);
        EnvironmentMemory {
            ended_bytes: books.evictable_bytes() as u64,
            open_bytes: books.pinned_bytes() as u64,
            calls: books.verifications.totals().logged as u64,
            verifications: part(Evictable::Verifications),
            sequences: part(Evictable::Sequences),
            counters: part(Evictable::Counters),
            audit: part(Evictable::Audit),
            forgotten,
        }
    }
}

async fn all(control: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Memory, Refusal> {
    let (limits, usage) = (control.host.memory_limits(), control.host.memory_usage());
    let mut forgotten = Forgotten::default();
    for cell in control.host.directory().all() {
        cell.read(|account| {
            let books = Environment::ALL.map(|environment| account.environment(environment));
            books.into_iter().for_each(|books| forgotten.add(books));
        });
    }
    let keyed = control.host.directory().opened_by_keys();
    Ok(Memory {
        bytes: usage.bytes as u64,
        at_most: limits.total_bytes as u64,
        gave_way: usage.evictions,
        keeps: RetentionLimits {
            calls: limits.retention.calls as u64,
            deliveries: limits.retention.deliveries as u64,
            bytes: limits.retention.bytes as u64,
        },
        accounts: Accounts {
            opened_by_keys: keyed.open as u64,
            at_most: limits.max_accounts as u64,
            idle_ms: u64::try_from(limits.account_idle.as_millis()).unwrap_or(u64::MAX),
            gone: keyed.closed,
        },
        forgotten,
    })
}

async fn one(
    control: Arc<Control>,
    asked: Asked<Nothing, NoQuery>,
) -> Result<AccountMemory, Refusal> {
    let cell = control.account(&asked.part)?;
    Ok(cell.read(|account: &Account| AccountMemory {
        test: EnvironmentMemory::of(account.environment(Environment::Test)),
        live: EnvironmentMemory::of(account.environment(Environment::Live)),
    }))
}
