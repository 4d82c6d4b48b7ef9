//! What an account is: its wallet, where its webhooks go, where from and how often its keys may be
//! used.

use std::sync::Arc;

use http::StatusCode;
use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::{Given, Nothing};
use super::query::{NoQuery, Query};
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, delete, post, put};
use super::values::{Amount, In, Inr, Network, Rate, Secret, meant};
use crate::engine::call::request::Environment;
use crate::engine::state::manage;
use crate::engine::state::rate_limit::RateLimit;
use crate::host::AccountCell;
use crate::scenario::{RateLimitConfig, WebhookConfig};

pub(super) fn routes() -> Vec<Route> {
    const WEBHOOK: &str = "/control/accounts/{id}/webhook";
    const RATE_LIMIT: &str = "/control/accounts/{id}/rate-limit";
    const UNKNOWN: &[Code] = &[Code::AccountNotFound];
    vec![
        post(
            "/control/accounts/{id}/wallet",
            "wallet.set",
            "Put money into the live wallet, or set it",
        )
        .by(wallet)
        .refusing(&[Code::AccountNotFound, Code::BelowHeld]),
        put(WEBHOOK, "webhook.set", "Register where webhooks go")
            .by(set_webhook)
            .refusing(&[Code::AccountNotFound, Code::TargetRefused]),
        delete(WEBHOOK, "webhook.remove", "Send no webhooks any more")
            .by(remove_webhook)
            .with(StatusCode::NO_CONTENT)
            .refusing(UNKNOWN),
        put(
            "/control/accounts/{id}/allowlist",
            "allowlist.set",
            "Set where keys may be used from",
        )
        .by(set_allowlist)
        .refusing(UNKNOWN),
        put(
            RATE_LIMIT,
            "rateLimit.set",
            "Set how often each key may be used",
        )
        .by(set_rate_limit)
        .refusing(UNKNOWN),
        delete(
            RATE_LIMIT,
            "rateLimit.remove",
            "Let keys be used without a limit",
        )
        .by(remove_rate_limit)
        .with(StatusCode::NO_CONTENT)
        .refusing(UNKNOWN),
    ]
}

/// One of the two.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ControlWalletChange", extend("minProperties" = 1, "maxProperties" = 1))]
struct WalletChange {
    /// So much more.
    top_up: Option<Amount>,
    /// Just so much; not less than what is held.
    balance: Option<Amount>,
}

impl Given for WalletChange {}

/// What is in a wallet.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ControlWallet", deny_unknown_fields)]
struct WalletDetail {
    balance: Inr,
    held: Inr,
    charged: Inr,
    topped_up: Inr,
}

async fn wallet(
    control: Arc<Control>,
    asked: Asked<WalletChange, NoQuery>,
) -> Result<WalletDetail, Refusal> {
    const LIVE: Environment = Environment::Live;
    let cell = control.account(&asked.part)?;
    match (asked.body.top_up, asked.body.balance) {
        (Some(Amount(more)), None) => control.host.change(&cell, LIVE, |account, _| {
            manage::top_up(account, LIVE, more)
        })?,
        (None, Some(Amount(balance))) => control.host.change(&cell, LIVE, |account, _| {
            manage::set_balance(account, LIVE, balance)
        })?,
        _ => {
            let message = "give either `topUp` or `balance`";
            return Err(Refusal::new(Code::InvalidInput, message));
        }
    }
    Ok(cell.read(|account| {
        let wallet = &account.environment(LIVE).wallet;
        WalletDetail {
            balance: Inr(wallet.balance()),
            held: Inr(wallet.held()),
            charged: Inr(wallet.charged()),
            topped_up: Inr(wallet.topped_up()),
        }
    }))
}

/// A receiver of webhooks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ControlNewReceiver")]
struct NewReceiver {
    url: String,
    /// What deliveries are signed with. No answer tells it.
    secret: Secret,
    /// Both where it is left out.
    environment: Option<In>,
}

impl Given for NewReceiver {}

/// Where webhooks go now.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlReceiver", deny_unknown_fields)]
struct Receiver {
    url: String,
    environments: Vec<In>,
}

/// The environment, or both where it is left out.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WhereQuery {
    environment: Option<In>,
}

impl Query for WhereQuery {}

async fn set_webhook(
    control: Arc<Control>,
    asked: Asked<NewReceiver, NoQuery>,
) -> Result<Receiver, Refusal> {
    let cell = control.account(&asked.part)?;
    let NewReceiver {
        url,
        secret,
        environment,
    } = asked.body;
    control.check_url(&url)?;
    let config = secret.for_url(url.clone());
    control.send_webhooks(&cell, environment, Some(&config))?;
    Ok(Receiver {
        url,
        environments: meant(environment).into_iter().map(In::from).collect(),
    })
}

async fn remove_webhook(
    control: Arc<Control>,
    asked: Asked<Nothing, WhereQuery>,
) -> Result<(), Refusal> {
    let cell = control.account(&asked.part)?;
    control.send_webhooks(&cell, asked.query.environment, None)
}

impl Control {
    /// Whether webhooks may go to a URL.
    pub(super) fn check_url(&self, url: &str) -> Result<(), Refusal> {
        let checked = self.targets.check_url(url);
        checked.map_err(|reason| Refusal::new(Code::TargetRefused, format!("url: {reason}")))
    }

    fn send_webhooks(
        &self,
        cell: &Arc<AccountCell>,
        environment: Option<In>,
        to: Option<&WebhookConfig>,
    ) -> Result<(), Refusal> {
        for environment in meant(environment) {
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
    ) -> Result<(), Refusal> {
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
struct Networks {
    /// From anywhere where there is none.
    networks: Vec<Network>,
}

impl Given for Networks {}

async fn set_allowlist(
    control: Arc<Control>,
    asked: Asked<Networks, NoQuery>,
) -> Result<Networks, Refusal> {
    let cell = control.account(&asked.part)?;
    let networks: Vec<IpNet> = asked.body.networks.iter().map(|it| it.0).collect();
    let set = manage::set_allowlist(networks);
    control
        .host
        .change(&cell, Environment::Test, |_, _| Ok(set))?;
    Ok(asked.body)
}

impl Given for Rate {}

async fn set_rate_limit(
    control: Arc<Control>,
    asked: Asked<Rate, NoQuery>,
) -> Result<Rate, Refusal> {
    let cell = control.account(&asked.part)?;
    control.limit_keys(&cell, Some(asked.body.into()))?;
    Ok(asked.body)
}

async fn remove_rate_limit(
    control: Arc<Control>,
    asked: Asked<Nothing, NoQuery>,
) -> Result<(), Refusal> {
    let cell = control.account(&asked.part)?;
    control.limit_keys(&cell, None)
}
