//! What an account is: its wallet, where its webhooks go, where from and how often its keys may be
//! used.

use std::sync::Arc;

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::NoBody;
use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlApi, ControlRequest, ControlResult};
use super::values::{
    AmountDto, EnvironmentDto, NetworkDto, RateLimitDto, RupeesDto, SecretDto, environments,
};
use crate::engine::call::request::Environment;
use crate::engine::state::manage;
use crate::engine::state::rate_limit::RateLimit;
use crate::host::AccountCell;
use crate::scenario::{RateLimitConfig, WebhookConfig};

/// One of the two.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ControlWalletChange", extend("minProperties" = 1, "maxProperties" = 1))]
pub(super) struct WalletChangeDto {
    /// So much more.
    top_up: Option<AmountDto>,
    /// Just so much; not less than what is held.
    balance: Option<AmountDto>,
}

/// What is in a wallet.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlWallet", deny_unknown_fields)]
pub(super) struct WalletDto {
    balance: RupeesDto,
    held: RupeesDto,
    charged: RupeesDto,
    topped_up: RupeesDto,
}

pub(super) async fn wallet(request: ControlRequest<WalletChangeDto>) -> ControlResult<WalletDto> {
    const LIVE: Environment = Environment::Live;
    let cell = request.account()?;
    match (request.body.top_up, request.body.balance) {
        (Some(AmountDto(more)), None) => request.api.host.change(&cell, LIVE, |account, _| {
            manage::top_up(account, LIVE, more)
        })?,
        (None, Some(AmountDto(balance))) => {
            request.api.host.change(&cell, LIVE, |account, _| {
                manage::set_balance(account, LIVE, balance)
            })?
        }
        _ => {
            let message = "give either `topUp` or `balance`";
            return Err(ControlError::invalid_input(message));
        }
    }
    Ok(cell.read(|account| {
        let wallet = &account.environment(LIVE).wallet;
        WalletDto {
            balance: RupeesDto(wallet.balance()),
            held: RupeesDto(wallet.held()),
            charged: RupeesDto(wallet.charged()),
            topped_up: RupeesDto(wallet.topped_up()),
        }
    }))
}

/// A receiver of webhooks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlNewReceiver")]
pub(super) struct NewReceiverDto {
    url: String,
    /// What deliveries are signed with. No answer tells it.
    secret: SecretDto,
    /// Both where it is left out.
    environment: Option<EnvironmentDto>,
}

/// Where webhooks go now.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlReceiver", deny_unknown_fields)]
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
    let NewReceiverDto {
        url,
        secret,
        environment,
    } = request.body;
    request.api.check_url(&url)?;
    let config = secret.for_url(url.clone());
    request
        .api
        .send_webhooks(&cell, environment, Some(&config))?;
    Ok(ReceiverDto {
        url,
        environments: environments(environment)
            .into_iter()
            .map(EnvironmentDto::from)
            .collect(),
    })
}

pub(super) async fn remove_webhook(
    request: ControlRequest<NoBody, EnvironmentQuery>,
) -> ControlResult<()> {
    let cell = request.account()?;
    request
        .api
        .send_webhooks(&cell, request.query.environment, None)
}

impl ControlApi {
    /// Whether webhooks may go to a URL.
    pub(super) fn check_url(&self, url: &str) -> ControlResult<()> {
        let checked = self.targets.check_url(url);
        checked.map_err(|reason| {
            ControlError::new(ControlErrorCode::TargetRefused, format!("url: {reason}"))
        })
    }

    fn send_webhooks(
        &self,
        cell: &Arc<AccountCell>,
        environment: Option<EnvironmentDto>,
        to: Option<&WebhookConfig>,
    ) -> ControlResult<()> {
        for environment in environments(environment) {
            let set = manage::set_webhook(to.cloned());
            self.host.change(cell, environment, |_, _| Ok(set))?;
        }
        Ok(())
    }

    /// Allowlist and rate limit hold in both environments.
    fn limit_keys(
        &self,
        cell: &Arc<AccountCell>,
        rate: Option<RateLimitConfig>,
    ) -> ControlResult<()> {
        let limit = rate.map(|rate| RateLimit {
            per_second: rate.per_second,
            burst: rate.burst,
        });
        let set = manage::set_rate_limit(limit);
        Ok(self.host.change(cell, Environment::Test, |_, _| Ok(set))?)
    }
}

/// Where keys may be used from.
#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlAllowlist")]
pub(super) struct AllowlistDto {
    /// From anywhere where there is none.
    networks: Vec<NetworkDto>,
}

pub(super) async fn set_allowlist(
    request: ControlRequest<AllowlistDto>,
) -> ControlResult<AllowlistDto> {
    let cell = request.account()?;
    let networks: Vec<IpNet> = request.body.networks.iter().map(|it| it.0).collect();
    let set = manage::set_allowlist(networks);
    request
        .api
        .host
        .change(&cell, Environment::Test, |_, _| Ok(set))?;
    Ok(request.body)
}

pub(super) async fn set_rate_limit(
    request: ControlRequest<RateLimitDto>,
) -> ControlResult<RateLimitDto> {
    let cell = request.account()?;
    request.api.limit_keys(&cell, Some(request.body.into()))?;
    Ok(request.body)
}

pub(super) async fn remove_rate_limit(request: ControlRequest) -> ControlResult<()> {
    let cell = request.account()?;
    request.api.limit_keys(&cell, None)
}
