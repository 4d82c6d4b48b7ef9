//! A service that a command asks in its own words: its arguments, what is found behind them, and what is sent to it.

use std::path::Path;

use reqwest::Url;
use svc_fixtures::contract::{Contract, Environment};

use super::budget::{BudgetArgs, report_spending};
use super::connection::ConnectionArgs;
use super::exit::CommandError;
use super::keys::{self, KeyFlags};
use super::receiver::{self, ReceiverArgs};
use super::{execution, given_keys, preflight, run};
use crate::capture::Capture;
use crate::check::Check;
use crate::client::{Client, Keyring};
use crate::diff::report::SideReport;
use crate::event::{Event, RunStarted, Totals};
use crate::plan::Setting;
use crate::redact::Secret;
use crate::run::{EarlyEnd, Filter, RunLimits, run_until};
use crate::sink::RunSink;
use crate::spend::SpendGuard;
use crate::target::{Console, HttpTarget, Target as _};

/// What the arguments that name a service are called.
#[derive(Debug, Clone, Copy)]
pub(super) struct SideFlags {
    /// What it is called.
    pub(super) name: &'static str,
    /// Its addresses, keys and console.
    pub(super) keys: KeyFlags,
    /// What the command takes, where the address is missing.
    pub(super) otherwise: &'static str,
}

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

/// What is given of a service.
pub(super) struct GivenSide<'a> {
    pub(super) flags: SideFlags,
    pub(super) sandbox: &'a Option<String>,
    pub(super) live: &'a Option<String>,
    pub(super) keys: [&'a Option<Secret>; 2],
    /// The file of its other keys, behind the flag that names it.
    pub(super) given: Option<(&'static str, &'a Path)>,
    pub(super) console: &'a Option<String>,
}

/// What is sent to a service, and how.
pub(super) struct SidePlan<'p> {
    pub(super) checks: &'p [Check],
    pub(super) filter: &'p Filter,
    pub(super) connection: &'p ConnectionArgs,
    pub(super) limits: RunLimits,
}

/// What came of it.
pub(super) struct Sent {
    pub(super) capture: Capture,
    pub(super) totals: Totals,
    /// Whether a budget ended it.
    pub(super) shortened: bool,
}

impl GivenSide<'_> {
    /// Its addresses and keys, decided before anything is sent.
    pub(super) fn side(
        self,
        budget: BudgetArgs,
        receiver: ReceiverArgs,
    ) -> Result<NamedSide, CommandError> {
        let flags = self.flags;
        let [sandbox_flag, live_flag] = flags.keys.addresses;
        let Some(sandbox) = self.sandbox else {
            return Err(CommandError::usage(format!(
                "{sandbox_flag} is needed: {}. Nothing was sent",
                flags.otherwise
            )));
        };
        let sandbox = keys::address(sandbox_flag, sandbox)?;
        let live = self.live.as_deref();
        let live = live.map(|text| keys::address(live_flag, text));
        let live = live.transpose()?;
        let [test_key, live_key] = self.keys.map(Option::as_ref);
        let mut ring = keys::ring(&flags.keys, &sandbox, live.as_ref(), test_key, live_key)?;
        if let Some((flag, path)) = self.given {
            ring.given = given_keys::read(flag, path)?;
        }
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
        let given = given.map(|text| (self.flags.keys.console, text));
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
        self.sink = self
            .receiver
            .open(console, contract, &self.ring, false)
            .await?;
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
    fn target(&self, connection: &ConnectionArgs) -> Result<HttpTarget, CommandError> {
        let (sandbox, live) = (self.sandbox.clone(), self.live.clone());
        let target = HttpTarget::new(sandbox, live, connection.timeouts(), &connection.tls()?);
        let target = target.map_err(|error| CommandError::usage(error.to_string()))?;
        let console = self.console.as_ref();
        Ok(target.with_console(console.map(|console| console.url.clone())))
    }

    /// Sends a plan to it; nobody is told of what is judged on the way.
    pub(super) async fn send(
        &self,
        plan: &SidePlan<'_>,
        setting: &Setting<'_>,
        guard: SpendGuard,
        ended: impl Future<Output = EarlyEnd>,
    ) -> Result<Sent, CommandError> {
        let target = self.target(plan.connection)?;
        let pace = plan.connection.pace();
        preflight::ask(&self.flags.keys, setting, &target, &self.ring, pace).await?;
        let client = Client::new(&target, self.ring.clone(), setting)
            .guarded(guard)
            .paced(plan.connection.pace())
            .waiting_for_results(self.receiver.result_wait())
            .with_sink(self.sink.clone());
        let (checks, filter, limits) = (plan.checks, plan.filter, plan.limits);
        let mut silent = |_: &mut Event| {};
        let run = run_until(setting, checks, filter, limits, &client, &mut silent, ended);
        let (capture, totals) = run.await;
        report_spending(client.guard(), None);
        Ok(Sent {
            capture: Capture {
                local: self.here,
                ..capture
            },
            totals,
            shortened: client.guard().shortened().is_some(),
        })
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
