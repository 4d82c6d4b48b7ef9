//! Accounts: listed, opened, shown, copied, reset, deleted.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account_dto::{AccountDto, BalanceDto, ClockStateDto};
use super::request::EmptyBody;
use super::response::ControlError;
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{AmountDto, NameDto, NetworkDto, RateLimitDto, SecretDto, TimestampDto};
use crate::engine::call::request::Environment;
use crate::engine::state::account::Account;
use crate::host::AccountCell;
use crate::scenario::{AccountConfig, KeyConfig};

/// Every account.
#[derive(Serialize, JsonSchema)]
pub(super) struct AccountListDto {
    accounts: Vec<AccountSummaryDto>,
}

#[derive(Serialize, JsonSchema)]
struct AccountSummaryDto {
    id: String,
    /// What its clock shows.
    now: TimestampDto,
    clock: ClockStateDto,
    live: BalanceDto,
    calls: CallTotalsDto,
}

/// How many calls it answered in each environment.
#[derive(Serialize, JsonSchema)]
struct CallTotalsDto {
    test: u64,
    live: u64,
}

pub(super) async fn list(request: ControlRequest) -> ControlResult<AccountListDto> {
    let machine = request.api.host.now();
    let listed = |account: &Account| {
        let calls = |environment| {
            let verifications = &account.environment(environment).verifications;
            verifications.totals().logged as u64 + verifications.evicted().calls
        };
        AccountSummaryDto {
            id: account.id.to_string(),
            now: TimestampDto(account.clock.read(machine)),
            clock: (&account.clock).into(),
            live: BalanceDto::of(&account.environment(Environment::Live).wallet),
            calls: CallTotalsDto {
                test: calls(Environment::Test),
                live: calls(Environment::Live),
            },
        }
    };
    let cells = request.api.host.directory().all();
    Ok(AccountListDto {
        accounts: cells.iter().map(|cell| cell.read(listed)).collect(),
    })
}

/// A new account.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct NewAccountDto {
    /// What its keys say after `svc_test_` and `svc_live_`.
    id: NameDto,
    /// What is in its live wallet; nothing where it is left out.
    wallet_inr: Option<AmountDto>,
    /// The networks its keys may be used from; from anywhere where it is left out or empty.
    allowlist: Option<Vec<NetworkDto>>,
    /// How often each of its keys may be used; without end where it is left out.
    rate_limit: Option<RateLimitDto>,
    /// Where its webhooks go, in both environments.
    webhook: Option<NewWebhookDto>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewWebhookDto {
    url: String,
    secret: SecretDto,
}

pub(super) async fn open(request: ControlRequest<NewAccountDto>) -> ControlResult<AccountDto> {
    let new = request.body;
    let webhook = new.webhook.map(|webhook| {
        request.api.check_url(&webhook.url)?;
        Ok::<_, ControlError>(webhook.secret.for_url(webhook.url))
    });
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
        webhook: webhook.transpose()?,
        copies: false,
    };
    let host = &request.api.host;
    let cell = host.open(config)?;
    host.opened(&cell).await?;
    Ok(request.api.show(&cell))
}

pub(super) async fn one(request: ControlRequest) -> ControlResult<AccountDto> {
    let cell = request.account()?;
    Ok(request.api.show(&cell))
}

pub(super) async fn remove(request: ControlRequest) -> ControlResult<()> {
    let cell = request.account()?;
    let host = &request.api.host;
    Ok(host.durably(&cell, || host.delete(&cell)).await?)
}

/// A copy's id.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForkDto {
    id: NameDto,
}

pub(super) async fn fork(request: ControlRequest<ForkDto>) -> ControlResult<AccountDto> {
    let cell = request.account()?;
    let host = &request.api.host;
    let copy = host.fork(&cell, &request.body.id.0)?;
    host.opened(&copy).await?;
    host.durably(&copy, || Ok::<_, ControlError>(())).await?;
    Ok(request.api.show(&copy))
}

pub(super) async fn reset(request: ControlRequest<EmptyBody>) -> ControlResult<AccountDto> {
    let cell = request.account()?;
    let host = &request.api.host;
    host.durably(&cell, || host.reset(&cell)).await?;
    Ok(request.api.show(&cell))
}

/// The accounts that were set back.
#[derive(Deserialize, Serialize, JsonSchema)]
pub(crate) struct ResetDto {
    /// Their ids, in order.
    pub(crate) accounts: Vec<String>,
}

/// One after the other: what comes in meanwhile meets some accounts before, and some after.
pub(super) async fn reset_all(request: ControlRequest<EmptyBody>) -> ControlResult<ResetDto> {
    let host = &request.api.host;
    let mut accounts = Vec::new();
    for cell in host.directory().all() {
        host.durably(&cell, || host.reset(&cell)).await?;
        accounts.push(cell.id().to_string());
        // There may be tens of thousands, and in memory nothing is waited for.
        tokio::task::yield_now().await;
    }
    Ok(ResetDto { accounts })
}

impl ControlApi {
    pub(super) fn show(&self, cell: &AccountCell) -> AccountDto {
        cell.read(|account| AccountDto::of(account, self.host.now()))
    }
}
