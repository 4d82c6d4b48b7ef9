//! Accounts: listed, opened, shown, copied, reset, deleted.

use std::sync::Arc;

use http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::{Bare, Given, Nothing};
use super::detail::{AccountDetail, Clock, Purse, state_of};
use super::query::NoQuery;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, delete, get, post};
use super::values::{Amount, Name, Network, Rate, Secret, When};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::scenario::{AccountConfig, KeyConfig, WebhookConfig};

pub(super) fn routes() -> Vec<Route> {
    const ALL: &str = "/control/accounts";
    const ONE: &str = "/control/accounts/{id}";
    vec![
        get(ALL, "accounts.list", "Every account").by(list),
        post(ALL, "accounts.open", "Open an account")
            .by(open)
            .with(StatusCode::CREATED)
            .refusing(&[Code::AccountExists, Code::TargetRefused]),
        get(ONE, "accounts.get", "All of an account")
            .by(one)
            .refusing(&[Code::AccountNotFound]),
        delete(
            ONE,
            "accounts.delete",
            "Delete an account; its keys are unknown from then on",
        )
        .by(remove)
        .with(StatusCode::NO_CONTENT)
        .refusing(&[Code::AccountNotFound]),
        post(
            "/control/accounts/{id}/fork",
            "accounts.fork",
            "Copy an account with all of its state",
        )
        .by(fork)
        .with(StatusCode::CREATED)
        .refusing(&[Code::AccountNotFound, Code::AccountExists]),
        post(
            "/control/accounts/{id}/reset",
            "accounts.reset",
            "Set an account back to its beginning; only its clock goes on",
        )
        .by(reset)
        .refusing(&[Code::AccountNotFound]),
    ]
}

/// Every account.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlAccounts", deny_unknown_fields)]
struct Accounts {
    accounts: Vec<Listed>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct Listed {
    id: String,
    /// What its clock shows.
    now: When,
    clock: Clock,
    live: Purse,
    calls: Counts,
}

/// How many calls it answered in each environment.
#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
struct Counts {
    test: u64,
    live: u64,
}

async fn list(control: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Accounts, Refusal> {
    let machine = control.host.now();
    let listed = |account: &Account| {
        let calls = |environment| {
            let verifications = &account.environment(environment).verifications;
            verifications.totals().logged as u64 + verifications.evicted().calls
        };
        Listed {
            id: account.id.to_string(),
            now: When(account.clock.read(machine)),
            clock: state_of(account),
            live: Purse::of(&account.environment(Environment::Live).wallet),
            calls: Counts {
                test: calls(Environment::Test),
                live: calls(Environment::Live),
            },
        }
    };
    let cells = control.host.directory().all();
    Ok(Accounts {
        accounts: cells.iter().map(|cell| cell.read(listed)).collect(),
    })
}

/// A new account.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ControlNewAccount")]
struct NewAccount {
    /// What its keys say after `svc_test_` and `svc_live_`.
    id: Name,
    /// What is in its live wallet; nothing where it is left out.
    wallet_inr: Option<Amount>,
    /// The networks its keys may be used from; from anywhere where it is left out or empty.
    allowlist: Option<Vec<Network>>,
    /// How often each of its keys may be used; without end where it is left out.
    rate_limit: Option<Rate>,
    /// Where its webhooks go, in both environments.
    webhook: Option<NewWebhook>,
}

impl Given for NewAccount {}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct NewWebhook {
    url: String,
    secret: Secret,
}

async fn open(
    control: Arc<Control>,
    asked: Asked<NewAccount, NoQuery>,
) -> Result<AccountDetail, Refusal> {
    let new = asked.body;
    let webhook = |webhook: NewWebhook| -> Result<WebhookConfig, Refusal> {
        control.check_url(&webhook.url)?;
        Ok(webhook.secret.for_url(webhook.url))
    };
    let config = AccountConfig {
        id: Arc::clone(&new.id.0),
        live_wallet: new.wallet_inr.map(|amount| amount.0).unwrap_or_default(),
        keys: vec![KeyConfig {
            name: new.id.0.to_string(),
            revoked: false,
            rotated_for_ms: None,
        }],
        allowlist: new.allowlist.iter().flatten().map(|it| it.0).collect(),
        rate_limit: new.rate_limit.map(Into::into),
        webhook: new.webhook.map(webhook).transpose()?,
        copies: false,
    };
    let cell = control.host.open(config)?;
    Ok(cell.read(|account| AccountDetail::of(account, control.host.now())))
}

async fn one(
    control: Arc<Control>,
    asked: Asked<Nothing, NoQuery>,
) -> Result<AccountDetail, Refusal> {
    let cell = control.account(&asked.part)?;
    Ok(cell.read(|account| AccountDetail::of(account, control.host.now())))
}

async fn remove(control: Arc<Control>, asked: Asked<Nothing, NoQuery>) -> Result<(), Refusal> {
    let cell = control.account(&asked.part)?;
    Ok(control.host.delete(&cell)?)
}

/// A copy's id.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlFork")]
struct Fork {
    id: Name,
}

impl Given for Fork {}

async fn fork(
    control: Arc<Control>,
    asked: Asked<Fork, NoQuery>,
) -> Result<AccountDetail, Refusal> {
    let cell = control.account(&asked.part)?;
    let copy = control.host.fork(&cell, &asked.body.id.0)?;
    Ok(copy.read(|account| AccountDetail::of(account, control.host.now())))
}

async fn reset(
    control: Arc<Control>,
    asked: Asked<Bare, NoQuery>,
) -> Result<AccountDetail, Refusal> {
    let cell = control.account(&asked.part)?;
    control.host.reset(&cell)?;
    Ok(cell.read(|account| AccountDetail::of(account, control.host.now())))
}
