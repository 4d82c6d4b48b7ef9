//! The two services of a comparison: their arguments, and what is found behind them.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use reqwest::Url;
use svc_fixtures::contract::{Contract, Environment, Paise};

use super::budget::{BudgetArgs, rupees};
use super::connection::{ConnectionArgs, duration};
use super::exit::CommandError;
use super::keys::{self, KeyFlags};
use super::receiver::{self, ReceiverArgs};
use super::{execution, run};
use crate::client::{Client, Keyring, Pace};
use crate::diff::report::SideReport;
use crate::event::RunStarted;
use crate::plan::Setting;
use crate::redact::Secret;
use crate::run::Filter;
use crate::sink::RunSink;
use crate::spend::SpendGuard;
use crate::target::{Console, HttpTarget, Target as _};

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

/// What the arguments of a side are called.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideFlags {
    /// What it is called.
    pub(super) name: &'static str,
    keys: KeyFlags,
    console: &'static str,
}

/// The left side.
pub(super) const LEFT: SideFlags = SideFlags {
    name: "left",
    keys: KeyFlags {
        addresses: ["--left", "--left-live"],
        keys: [
            "--left-key (or SVC_LEFT_KEY)",
            "--left-live-key (or SVC_LEFT_LIVE_KEY)",
        ],
    },
    console: "--left-console",
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
    },
    console: "--right-console",
};

/// One service, as the arguments name it.
pub(super) struct NamedSide {
    flags: SideFlags,
    sandbox: Url,
    live: Option<Url>,
    ring: Keyring,
    console: Option<String>,
    budget: BudgetArgs,
    receiver: ReceiverArgs,
}

/// One service, and what was found of it.
pub(super) struct OpenSide {
    pub(super) flags: SideFlags,
    pub(super) sandbox: Url,
    pub(super) live: Option<Url>,
    pub(super) ring: Keyring,
    pub(super) console: Option<Console>,
    pub(super) sink: Option<RunSink>,
    pub(super) budget: BudgetArgs,
    /// Whether nobody real can be behind it.
    pub(super) here: bool,
    receiver: ReceiverArgs,
}

/// What is given of one side.
struct Given<'a> {
    flags: SideFlags,
    sandbox: &'a Option<String>,
    live: &'a Option<String>,
    keys: [&'a Option<Secret>; 2],
    console: &'a Option<String>,
}

impl SidesArgs {
    /// Both services.
    pub(super) fn both(&self) -> Result<[NamedSide; 2], CommandError> {
        let left = Given {
            flags: LEFT,
            sandbox: &self.left_url,
            live: &self.left_live,
            keys: [&self.left_key, &self.left_live_key],
            console: &self.left_console,
        };
        let right = Given {
            flags: RIGHT,
            sandbox: &self.right_url,
            live: &self.right_live,
            keys: [&self.right_key, &self.right_live_key],
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

impl Given<'_> {
    fn side(self, budget: BudgetArgs, receiver: ReceiverArgs) -> Result<NamedSide, CommandError> {
        let flags = self.flags;
        let [sandbox_flag, live_flag] = flags.keys.addresses;
        let Some(sandbox) = self.sandbox else {
            return Err(CommandError::usage(format!(
                "{sandbox_flag} is needed: diff takes two addresses, or two captures. Nothing was sent"
            )));
        };
        let sandbox = keys::address(sandbox_flag, sandbox)?;
        let live = self.live.as_deref();
        let live = live.map(|text| keys::address(live_flag, text));
        let live = live.transpose()?;
        let [test_key, live_key] = self.keys.map(Option::as_ref);
        let ring = keys::ring(&flags.keys, &sandbox, live.as_ref(), test_key, live_key)?;
        Ok(NamedSide {
            flags,
            sandbox,
            live,
            ring,
            console: self.console.clone(),
            budget,
            receiver,
        })
    }
}

impl NamedSide {
    /// Looks for its console.
    pub(super) async fn open(self, connection: &ConnectionArgs) -> Result<OpenSide, CommandError> {
        let given = self.console.as_deref();
        let given = given.map(|text| (self.flags.console, text));
        let found = execution::console(connection, given, &self.sandbox).await?;
        let usable = self.console.is_some() || !run::is_given(&self.ring);
        let console = found.filter(|console| usable && console.simulates(&self.sandbox));
        Ok(OpenSide {
            here: run::is_here(&self.sandbox, self.live.as_ref(), &self.ring),
            flags: self.flags,
            sandbox: self.sandbox,
            live: self.live,
            ring: self.ring,
            console,
            sink: None,
            budget: self.budget,
            receiver: self.receiver,
        })
    }
}

impl OpenSide {
    /// Whether it says that it is a simulator of ours.
    pub(super) fn is_simulator(&self) -> bool {
        self.console.is_some()
    }

    /// Opens its receiver of webhooks, where it has one; the setting learns of that, and of its console.
    pub(super) async fn receive(
        &mut self,
        contract: &Contract,
        setting: &mut Setting<'_>,
    ) -> Result<(), CommandError> {
        let console = self.console.as_ref();
        let found = console.map(|console| console.capabilities.clone());
        setting.capabilities = found.unwrap_or_default();
        self.sink = self.receiver.open(console, contract).await?;
        receiver::add(&mut setting.capabilities, self.sink.as_ref());
        Ok(())
    }

    /// Whether both sides are at one address: then what one does to an account, the other may see.
    pub(super) fn shares_accounts(&self, other: &OpenSide) -> bool {
        let host = |url: &Url| {
            (
                url.host_str().map(str::to_owned),
                url.port_or_known_default(),
            )
        };
        let both = self.live.as_ref().zip(other.live.as_ref());
        host(&self.sandbox) == host(&other.sandbox)
            || both.is_some_and(|(mine, others)| host(mine) == host(others))
    }

    /// Who says which of its calls may go out.
    pub(super) fn guard(
        &self,
        setting: &Setting<'_>,
        filter: &Filter,
    ) -> Result<SpendGuard, CommandError> {
        let (live, key) = (self.live.as_ref(), self.ring.live.as_ref());
        self.budget.guard(live, key, setting, filter)
    }

    /// What is sent to.
    pub(super) fn target(&self, connection: &ConnectionArgs) -> Result<HttpTarget, CommandError> {
        let (sandbox, live) = (self.sandbox.clone(), self.live.clone());
        let target = HttpTarget::new(sandbox, live, connection.timeouts(), &connection.tls()?);
        let target = target.map_err(|error| CommandError::usage(error.to_string()))?;
        let console = self.console.as_ref();
        Ok(target.with_console(console.map(|console| console.url.clone())))
    }

    /// Who sends.
    pub(super) fn client<'t>(
        &self,
        target: &'t HttpTarget,
        setting: &Setting<'t>,
        guard: SpendGuard,
        pace: Pace,
    ) -> Client<'t, HttpTarget> {
        Client::new(target, self.ring.clone(), setting)
            .guarded(guard)
            .paced(pace)
            .waiting_for_results(self.receiver.result_wait())
            .with_sink(self.sink.clone())
    }
}

impl SideFlags {
    /// What reports say of it.
    pub(super) fn report(&self, side: &OpenSide) -> SideReport {
        let addresses = [
            Some((Environment::Test, &side.sandbox)),
            side.live.as_ref().map(|live| (Environment::Live, live)),
        ];
        let target = HttpTarget::new(
            side.sandbox.clone(),
            side.live.clone(),
            crate::target::Timeouts::default(),
            &svc_tls::Tls::default(),
        );
        let shown = |environment| target.as_ref().ok()?.address(environment);
        let addresses = addresses.into_iter().flatten();
        let addresses: Vec<_> = addresses
            .filter_map(|(environment, _)| Some((environment, shown(environment)?)))
            .collect();
        let names: Vec<_> = addresses.iter().map(|(_, url)| url.clone()).collect();
        SideReport {
            name: names.join(", "),
            started: RunStarted {
                addresses,
                ..RunStarted::default()
            },
        }
    }
}
