//! What an account is: its wallet, where its webhooks go, where from and how often its keys may be
//! used.

use std::sync::Arc;

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::account_dto::BalanceDto;
use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{
    AmountDto, EnvironmentDto, NetworkDto, RateLimitDto, RupeesDto, SecretDto, environments,
};
use crate::engine::call::request::Environment;
use crate::engine::state::entry::Change;
use crate::engine::state::manage;
use crate::host::AccountCell;
use crate::scenario::WebhookConfig;

/// One of the two.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
pub(super) struct WalletChangeDto {
    /// So much more.
    top_up: Option<AmountDto>,
    /// Just so much; not less than what is held.
    balance: Option<AmountDto>,
}

/// What is in a wallet.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct WalletDto {
    #[serde(flatten)]
    balance: BalanceDto,
    topped_up: RupeesDto,
}

pub(super) async fn wallet(request: ControlRequest<WalletChangeDto>) -> ControlResult<WalletDto> {
    const LIVE: Environment = Environment::Live;
    let cell = request.account()?;
    let (top_up, balance) = match (request.body.top_up, request.body.balance) {
        (Some(AmountDto(more)), None) => (true, more),
        (None, Some(AmountDto(balance))) => (false, balance),
        _ => {
            return Err(ControlError::invalid_input(
                "give either `topUp` or `balance`",
            ));
        }
    };
    let host = &request.api.host;
    let put = || {
        host.change(&cell, LIVE, |account, _| match top_up {
            true => manage::top_up(account, LIVE, balance),
            false => manage::set_balance(account, LIVE, balance),
        })
    };
    host.durably(&cell, put).await?;
    Ok(cell.read(|account| {
        let wallet = &account.environment(LIVE).wallet;
        WalletDto {
            balance: BalanceDto::of(wallet),
            topped_up: RupeesDto(wallet.topped_up()),
        }
    }))
}

/// A receiver of webhooks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewReceiverDto {
    url: String,
    /// What deliveries are signed with. No answer has it.
    secret: SecretDto,
    /// Both where it is left out.
    environment: Option<EnvironmentDto>,
}

/// Where webhooks go now.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReceiverDto {
    url: String,
    environments: Vec<EnvironmentDto>,
}

/// The environment, or both where it is left out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EnvironmentQuery {
    environment: Option<EnvironmentDto>,
}

pub(super) async fn set_webhook(
    request: ControlRequest<NewReceiverDto>,
) -> ControlResult<ReceiverDto> {
    let cell = request.account()?;
    let new = request.body;
    request.api.check_url(&new.url)?;
    let config = new.secret.for_url(new.url.clone());
    let api = &request.api;
    let to = Some(&config);
    api.send_webhooks(&cell, new.environment, to).await?;
    let environments = environments(new.environment).into_iter();
    Ok(ReceiverDto {
        url: new.url,
        environments: environments.map(EnvironmentDto).collect(),
    })
}

pub(super) async fn remove_webhook(
    request: ControlRequest<NoBody, EnvironmentQuery>,
) -> ControlResult<()> {
    let (api, cell) = (&request.api, request.account()?);
    let environment = request.query.environment;
    api.send_webhooks(&cell, environment, None).await
}

impl ControlApi {
    /// Whether webhooks may go to a URL.
    pub(super) fn check_url(&self, url: &str) -> ControlResult<()> {
        let checked = self.targets.check_url(url);
        checked.map_err(|reason| {
            ControlError::new(ControlErrorCode::TargetRefused, format!("url: {reason}"))
        })
    }

    async fn send_webhooks(
        &self,
        cell: &Arc<AccountCell>,
        environment: Option<EnvironmentDto>,
        to: Option<&WebhookConfig>,
    ) -> ControlResult<()> {
        for environment in environments(environment) {
            let set = || Ok(manage::set_webhook(to.cloned()));
            let set = || self.host.change(cell, environment, |_, _| set());
            self.host.durably(cell, set).await?;
        }
        Ok(())
    }

    /// Makes changes that hold in both environments.
    async fn change_both(
        &self,
        cell: &Arc<AccountCell>,
        changes: Vec<Change>,
    ) -> ControlResult<()> {
        let change = || {
            let changes = changes.clone();
            self.host
                .change(cell, Environment::Test, |_, _| Ok(changes))
        };
        Ok(self.host.durably(cell, change).await?)
    }
}

/// Where keys may be used from.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AllowlistDto {
    /// From anywhere where there is none.
    networks: Vec<NetworkDto>,
}

pub(super) async fn set_allowlist(
    request: ControlRequest<AllowlistDto>,
) -> ControlResult<AllowlistDto> {
    let cell = request.account()?;
    let networks: Vec<IpNet> = request.body.networks.iter().map(|it| it.0).collect();
    let changes = manage::set_allowlist(networks);
    request.api.change_both(&cell, changes).await?;
    Ok(request.body)
}

pub(super) async fn set_rate_limit(
    request: ControlRequest<RateLimitDto>,
) -> ControlResult<RateLimitDto> {
    let cell = request.account()?;
    let changes = manage::set_rate_limit(Some(request.body.into()));
    request.api.change_both(&cell, changes).await?;
    Ok(request.body)
}

pub(super) async fn remove_rate_limit(request: ControlRequest) -> ControlResult<()> {
    let cell = request.account()?;
    let changes = manage::set_rate_limit(None);
    request.api.change_both(&cell, changes).await
}
