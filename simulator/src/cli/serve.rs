//! `serve`: binds the three listeners, says where they are, and serves until told to stop.

use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use svc_fixtures::reading::Source;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use super::settings::{ClockSettings, Reload, ServeArgs, Settings, resolve};
use super::{EXIT_FAILURE, Failure, files, ready, terminal};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::host::clock::Clock;
use crate::host::reload::UnreadableFiles;
use crate::host::transport::{HttpTransport, TargetPolicy, TransportLimits};
use crate::host::watch::FileWatcher;
use crate::host::{Host, HostConfig};
use crate::http::Addresses;
use crate::http::api::Api;
use crate::http::console::Console;
use crate::http::edge::{EdgeLimits, serve};
use crate::scenario::{AccountConfig, read_accounts};

/// Runs the command.
pub(super) fn run(args: &ServeArgs) -> Result<(), Failure> {
    let settings = resolve(args)?;
    log_to_stderr(&settings.log)?;
    let files = files::read(&settings.scenarios)?;
    let rules = Rules::read(&files.rules, Seed::new(&settings.seed))?;
    let accounts = read_accounts(&files.accounts)?;
    check_receivers(&accounts, &settings)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.context("the runtime did not start")?;
    let scenarios = files.rules.scenarios;
    Ok(runtime.block_on(run_listeners(&settings, rules, scenarios, accounts))?)
}

/// A receiver that no webhook may go to is a mistake to be told now, not at the first delivery.
fn check_receivers(accounts: &[AccountConfig], settings: &Settings) -> Result<(), Failure> {
    let targets = TargetPolicy::with(settings.webhook_targets.clone());
    for account in accounts {
        let receiver = account.webhook.as_ref().map(|webhook| &webhook.url);
        if let Some(Err(refused)) = receiver.map(|url| targets.check_url(url)) {
            let id = &account.id;
            return Err(Failure::Usage(format!(
                "the webhook of account {id}: {refused}"
            )));
        }
    }
    Ok(())
}

async fn run_listeners(
    settings: &Settings,
    mut rules: Rules,
    scenarios: Vec<Arc<Source>>,
    accounts: Vec<AccountConfig>,
) -> anyhow::Result<()> {
    let Addresses {
        console,
        sandbox,
        live,
    } = settings.addresses;
    let console = bind("console", console).await?;
    let sandbox = bind("sandbox", sandbox).await?;
    let live = bind("live", live).await?;
    let addresses = Addresses {
        console: console.local_addr()?,
        sandbox: sandbox.local_addr()?,
        live: live.local_addr()?,
    };
    if let Some(file) = &settings.ports_file {
        write_ports(file, &addresses)
            .with_context(|| format!("{} can't be written", file.display()))?;
    }
    rules.addresses = addresses.in_answers();
    let webhook_timeout = Duration::from_millis(rules.contract.service.webhook_timeout_ms);
    let ready = ready::block(&rules.contract, &accounts, &addresses);
    let host = Host::new(
        rules,
        accounts.clone(),
        host_config(settings, webhook_timeout)?,
    )?;
    let stop = CancellationToken::new();
    follow(settings, &host, scenarios, stop.clone());
    tokio::spawn(Arc::clone(&host).sweep(stop.clone()));
    let limits = EdgeLimits {
        drain: settings.drain,
        ..EdgeLimits::default()
    };
    let api = |environment| {
        let (host, trusted_proxies) = (Arc::clone(&host), settings.trusted_proxies.clone());
        Arc::new(Api {
            host,
            environment,
            trusted_proxies,
            body_timeout: limits.body,
        })
    };
    let pages = Console {
        host: Arc::clone(&host),
        accounts,
        addresses,
        targets: TargetPolicy::with(settings.webhook_targets.clone()),
        access: settings.access.clone(),
        stop: stop.clone(),
    };
    let signals = Signals::listen()?;
    terminal::print(&ready);
    let stopping = stop.clone();
    tokio::spawn(signals.stop(stopping));
    let held_back = async {
        stop.cancelled().await;
        // Answers nobody waits for any more are given, too: they are booked when they are.
        let drained = tokio::time::timeout(limits.drain, host.drained()).await;
        if drained.is_err() {
            tracing::warn!("answers were still held back at the drain deadline");
        }
    };
    tokio::join!(
        held_back,
        serve(console, pages.router(), limits, stop.clone()),
        serve(sandbox, api(Environment::Test), limits, stop.clone()),
        serve(live, api(Environment::Live), limits, stop.clone()),
    );
    Ok(())
}

/// How often one looks where the file system can't be asked to tell.
const LOOKS: Duration = Duration::from_secs(2);

/// Reads the scenario folders again whenever they change.
fn follow(settings: &Settings, host: &Arc<Host>, first: Vec<Arc<Source>>, stop: CancellationToken) {
    let folders = settings.scenarios.clone();
    let watch = match settings.reload {
        _ if folders.is_empty() => return,
        Reload::Never => return,
        Reload::Every(time) => FileWatcher::polling(time),
        Reload::Told => FileWatcher::notified(&folders).unwrap_or_else(|error| {
            tracing::warn!(%error, "the file system does not tell of changed scenario files: looking every 2 s");
            FileWatcher::polling(LOOKS)
        }),
    };
    let read = move || {
        let read = files::read(&folders).map_err(|failure| UnreadableFiles(failure.to_string()));
        read.map(|files| files.rules.scenarios)
    };
    tokio::spawn(Arc::clone(host).reload_on_change(watch, first, read, stop));
}

fn host_config(settings: &Settings, webhook_timeout: Duration) -> anyhow::Result<HostConfig> {
    let limits = TransportLimits::within(webhook_timeout);
    let targets = TargetPolicy::with(settings.webhook_targets.clone());
    let transport = HttpTransport::new(limits, targets)?;
    let (clock, freeze_at) = match settings.clock {
        ClockSettings::Running { from, scale } => (Clock::paced(from, scale), None),
        ClockSettings::Frozen { at } => (Clock::machine(), Some(at)),
    };
    Ok(HostConfig {
        freeze_at,
        transport: Arc::new(transport),
        signature_clock: settings.signature_clock,
        memory_limits: settings.memory_limits,
        ..HostConfig::new(clock)
    })
}

async fn bind(name: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!(
            "the {name} address {address} is in use: stop what listens there, or choose another; \
             --{name} {}:0 takes a free port",
            address.ip()
        ),
        _ => anyhow!(error).context(format!("the {name} can't listen on {address}")),
    })
}

/// Whoever waits for the file finds it whole or not at all.
fn write_ports(file: &Path, addresses: &Addresses) -> std::io::Result<()> {
    let ports = serde_json::json!({
        "console": addresses.console.to_string(),
        "sandbox": addresses.sandbox.to_string(),
        "live": addresses.live.to_string(),
    });
    let mut draft = file.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let mut out = std::fs::File::create(&draft)?;
    writeln!(out, "{ports}")?;
    out.sync_all()?;
    std::fs::rename(&draft, file)
}

/// Logs to stderr what passes this filter.
pub(super) fn log_to_stderr(filter: &str) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|mistake| Failure::Usage(format!("--log {filter}: {mistake}")))?;
    let colours = std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    log.with_ansi(colours).init();
    // The default hook prints what a panic says as it is, and that may come from a request.
    std::panic::set_hook(Box::new(|panic| {
        let said = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(said = ?said, place = ?panic.location().map(ToString::to_string), "a panic");
    }));
    Ok(())
}

/// The signals that stop the simulator.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(super) fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(not(unix))]
    pub(super) fn listen() -> std::io::Result<Self> {
        Ok(Signals {})
    }

    /// The first signal lets running requests end; the second ends everything at once.
    pub(super) async fn stop(mut self, stop: CancellationToken) {
        self.next().await;
        tracing::info!("stopping; a second signal stops at once");
        stop.cancel();
        self.next().await;
        std::process::exit(i32::from(EXIT_FAILURE));
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        // Where the signal can't be heard there is nothing to stop for.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
