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
use crate::engine::state::account::{Account, EnvironmentState};
use crate::engine::state::retention::Kind;

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
        self.calls += books.forgotten(Kind::Calls);
        self.deliveries += books.forgotten(Kind::Deliveries);
        self.idempotency_keys += books.forgotten(Kind::Keys);
        self.flows += books.forgotten(Kind::Flows);
        self.sequences += books.forgotten(Kind::Sequences);
        self.counters += books.forgotten(Kind::Counters);
        self.audit += books.forgotten(Kind::Audit);
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
    calls: Part,
    deliveries: Part,
    idempotency_keys: Part,
    flows: Part,
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
    fn of(books: &EnvironmentState, kind: Kind) -> Self {
        let (ended, open) = (books.over(kind), books.open(kind));
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
        let part = |kind| Part::of(books, kind);
        EnvironmentMemory {
            ended_bytes: books.over_bytes() as u64,
            open_bytes: books.open_bytes() as u64,
            calls: part(Kind::Calls),
            deliveries: part(Kind::Deliveries),
            idempotency_keys: part(Kind::Keys),
            flows: part(Kind::Flows),
            sequences: part(Kind::Sequences),
            counters: part(Kind::Counters),
            audit: part(Kind::Audit),
            forgotten,
        }
    }
}

async fn all(control: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Memory, Refusal> {
    let (limits, usage) = (control.host.memory_limits(), control.host.memory_usage());
    let mut forgotten = Forgotten::default();
    for cell in control.host.directory().all() {
        cell.read(|account| {
            let books = Environment::ALL.map(|environment| account.books(environment));
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
        test: EnvironmentMemory::of(account.books(Environment::Test)),
        live: EnvironmentMemory::of(account.books(Environment::Live)),
    }))
}
