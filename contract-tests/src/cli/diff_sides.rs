//! The arguments of a comparison that name its two services.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use svc_fixtures::contract::Paise;

use super::budget::{BudgetArgs, rupees};
use super::connection::duration;
use super::exit::CommandError;
use super::keys::KeyFlags;
use super::receiver::ReceiverArgs;
use super::side::{GivenSide, NamedSide, SideFlags};
use crate::redact::Secret;

/// The two services.
#[derive(Debug, Args)]
#[command(next_help_heading = "The two services")]
pub(super) struct SidesArgs {
    /// The sandbox of the left service
    #[arg(long = "left", env = "SVC_LEFT_URL", value_name = "URL")]
    left_url: Option<String>,
    /// The sandbox of the right service
    #[arg(long = "right", env = "SVC_RIGHT_URL", value_name = "URL")]
    right_url: Option<String>,
    /// Live of the left service
    #[arg(long, env = "SVC_LEFT_LIVE_URL", value_name = "URL")]
    left_live: Option<String>,
    /// Live of the right service; live is compared where both are given
    #[arg(long, env = "SVC_RIGHT_LIVE_URL", value_name = "URL")]
    right_live: Option<String>,
    /// The left sandbox's API key; a simulator on this machine needs none
    #[arg(long, env = "SVC_LEFT_KEY", hide_env_values = true, value_name = "KEY")]
    left_key: Option<Secret>,
    /// The right sandbox's API key
    #[arg(
        long,
        env = "SVC_RIGHT_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    right_key: Option<Secret>,
    /// Left live's API key
    #[arg(
        long,
        env = "SVC_LEFT_LIVE_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    left_live_key: Option<Secret>,
    /// Right live's API key
    #[arg(
        long,
        env = "SVC_RIGHT_LIVE_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    right_live_key: Option<Secret>,
    /// Keys that the left provider gave beside these two, as `run --keys` takes them; what is the matter with a key is compared
    /// where both sides have such a one
    #[arg(long, value_name = "FILE")]
    left_keys: Option<PathBuf>,
    /// The same of the right provider
    #[arg(long, value_name = "FILE")]
    right_keys: Option<PathBuf>,
    /// What live calls of the left service may cost in all. Without it only calls that cost nothing are sent to a
    /// live service that is not a simulator on this machine
    #[arg(long, value_name = "INR", value_parser = rupees)]
    left_budget_inr: Option<Paise>,
    /// The same of the right service. What one side may not spend is sent to neither
    #[arg(long, value_name = "INR", value_parser = rupees)]
    right_budget_inr: Option<Paise>,
    /// Where it is written down what was spent on the left [default: as `run` has it]
    #[arg(long, value_name = "FILE", requires = "left_budget_inr")]
    left_spend_file: Option<PathBuf>,
    /// The same on the right
    #[arg(long, value_name = "FILE", requires = "right_budget_inr")]
    right_spend_file: Option<PathBuf>,
    /// What calls cost at the left provider, in INR by endpoint: TOML or JSON
    #[arg(long, value_name = "FILE")]
    left_prices: Option<PathBuf>,
    /// The same at the right provider
    #[arg(long, value_name = "FILE")]
    right_prices: Option<PathBuf>,
    /// The console of the left service [default: that of a simulator on this machine, where it is found]
    #[arg(long, env = "SVC_LEFT_CONSOLE_URL", value_name = "URL")]
    left_console: Option<String>,
    /// The console of the right service
    #[arg(long, env = "SVC_RIGHT_CONSOLE_URL", value_name = "URL")]
    right_console: Option<String>,
    /// Receive the left service's webhooks at this address; its secret is --left-webhook-secret
    #[arg(long, value_name = "ADDRESS")]
    left_listen: Option<SocketAddr>,
    /// Receive the right service's webhooks at this address
    #[arg(long, value_name = "ADDRESS")]
    right_listen: Option<SocketAddr>,
    /// The secret that the left service signs webhooks with, where its own console was told of the receiver
    #[arg(
        long,
        env = "SVC_LEFT_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    left_webhook_secret: Option<Secret>,
    /// The secret that the right service signs webhooks with
    #[arg(
        long,
        env = "SVC_RIGHT_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    right_webhook_secret: Option<Secret>,
    /// How long to wait for a result that comes later, on both sides
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    result_wait: Duration,
}

/// What is said where an address is missing.
const TWO: &str = "diff takes two addresses, or two captures";

/// The left side.
pub(super) const LEFT: SideFlags = SideFlags {
    name: "left",
    keys: KeyFlags {
        addresses: ["--left", "--left-live"],
        keys: [
            "--left-key (or SVC_LEFT_KEY)",
            "--left-live-key (or SVC_LEFT_LIVE_KEY)",
        ],
        console: "--left-console",
    },
    otherwise: TWO,
};

/// The right side.
pub(super) const RIGHT: SideFlags = SideFlags {
    name: "right",
    keys: KeyFlags {
        addresses: ["--right", "--right-live"],
        keys: [
            "--right-key (or SVC_RIGHT_KEY)",
            "--right-live-key (or SVC_RIGHT_LIVE_KEY)",
        ],
        console: "--right-console",
    },
    otherwise: TWO,
};

impl SidesArgs {
    /// Whether an address of a service is given.
    pub(super) fn names_a_service(&self) -> bool {
        let all = [
            &self.left_url,
            &self.right_url,
            &self.left_live,
            &self.right_live,
        ];
        all.into_iter().any(Option::is_some)
    }

    /// Both services.
    pub(super) fn both(&self) -> Result<[NamedSide; 2], CommandError> {
        let left = GivenSide {
            flags: LEFT,
            sandbox: &self.left_url,
            live: &self.left_live,
            keys: [&self.left_key, &self.left_live_key],
            given: self.left_keys.as_deref().map(|file| ("--left-keys", file)),
            console: &self.left_console,
        };
        let right = GivenSide {
            flags: RIGHT,
            sandbox: &self.right_url,
            live: &self.right_live,
            keys: [&self.right_key, &self.right_live_key],
            given: self
                .right_keys
                .as_deref()
                .map(|file| ("--right-keys", file)),
            console: &self.right_console,
        };
        let left_budget = BudgetArgs::of(
            self.left_budget_inr,
            self.left_spend_file.clone(),
            self.left_prices.clone(),
        );
        let right_budget = BudgetArgs::of(
            self.right_budget_inr,
            self.right_spend_file.clone(),
            self.right_prices.clone(),
        );
        let receiver = |listen, secret: &Option<Secret>| {
            ReceiverArgs::of(listen, None, secret.clone(), self.result_wait)
        };
        Ok([
            left.side(
                left_budget,
                receiver(self.left_listen, &self.left_webhook_secret),
            )?,
            right.side(
                right_budget,
                receiver(self.right_listen, &self.right_webhook_secret),
            )?,
        ])
    }
}
