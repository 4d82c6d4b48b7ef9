//! `serve`: starts the simulator, says where its listeners are, and serves until it is stopped.

use std::io::ErrorKind;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::CommandFactory as _;
use svc_fixtures::contract::{Contract, Environment};
use svc_fixtures::reading::nearest;
use svc_tls::Tls;
use tokio_util::sync::CancellationToken;

use super::failure::{EXIT_FAILURE, Failure};
use super::large_pages::LargePages;
use super::logging::log_to_stderr;
use super::ports_file::PortsFile;
use super::settings::ServeArgs;
use super::{open_files, terminal};
use crate::engine::call::call_settings::UnknownMembers;
use crate::host::clock::Clock;
use crate::host::courier::SignatureClock;
use crate::host::shares::ShareLimits;
use crate::http::control::guard::{ConsoleAccess, ConsoleToken};
use crate::http::edge::EdgeLimits;
use crate::http::first_call::{FirstCall, newest_key, working_account};
use crate::http::{BaseUrls, ListenerAddresses};
use crate::scenario::AccountConfig;
use crate::simulator::files;
use crate::simulator::{Simulator, SimulatorBuilder, StartError};

/// How long after the drain deadline connections have ended, too.
const AFTER_DRAIN: Duration = Duration::from_secs(1);

/// Runs the command.
pub(super) fn run(args: ServeArgs) -> Result<(), Failure> {
    args.check()?;
    let token = args.token()?;
    log_to_stderr(&args.log, args.log_format)?;
    let large_pages = LargePages::keep_back();
    let ports_file = args.ports_file.clone().map(PortsFile::new).transpose()?;
    let connections = open_files::connections(args.shares.connections())?;
    run_to_end(serve(args, token, ports_file, connections, large_pages))?
}

/// Runs this on threads of its own. When it has ended, nobody waits for a thread that still does something: a name
/// that nobody resolves or a file system that does not answer would keep the process for ever.
pub(super) fn run_to_end<F: Future>(future: F) -> anyhow::Result<F::Output> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime.context("the runtime did not start")?;
    let ended = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(ended)
}

async fn serve(
    args: ServeArgs,
    token: Option<ConsoleToken>,
    ports_file: Option<PortsFile>,
    connections: usize,
    large_pages: LargePages,
) -> Result<(), Failure> {
    let (drain, public) = (args.drain, args.public.urls());
    let (authorities, own) = (&args.webhook_ca_file, &args.webhook_client_cert);
    let tls = Tls::read(authorities.as_deref(), own.as_deref());
    let tls = tls.map_err(|error| Failure::Usage(error.to_string()))?;
    warn_of_empty(&args.scenarios);
    let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for slip in slips(variables) {
        tracing::warn!("{slip}");
    }
    let builder = builder(args, token, tls.with_proxy_of_environment(), connections);
    let simulator = builder.start().await.map_err(not_started)?;
    let (accounts, addresses) = (simulator.accounts(), simulator.addresses());
    // Before the file is written: a signal in between would leave a part of it behind.
    let signals = Signals::listen().context("signals can't be heard")?;
    if let Some(file) = ports_file {
        file.write(&addresses)?;
    }
    let rules = simulator.host().rules();
    let urls = public.or_at(&addresses);
    terminal::print(&greeting(&rules.contract, accounts, &urls))?;
    let stop = CancellationToken::new();
    tokio::spawn(signals.stop(stop.clone()));
    let used = async {
        large_pages.allow_when_used(simulator.host()).await;
        std::future::pending().await
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = used => {}
    }
    // Connections end at the drain deadline, whatever answers them a moment later.
    let ended = tokio::time::timeout(drain + AFTER_DRAIN, simulator.stop()).await;
    if ended.is_err() {
        tracing::warn!("something still runs after the drain deadline; it is left");
    }
    Ok(())
}

/// A variable of whose name a letter is wrong sets nothing. One that is like no setting is somebody else's, such as those that
/// Kubernetes makes for a service of this name.
fn slips(variables: impl Iterator<Item = String>) -> Vec<String> {
    let command = super::Cli::command();
    let all = command.get_subcommands().chain([&command]);
    let known = all.flat_map(|it| it.get_arguments().filter_map(clap::Arg::get_env));
    let known: Vec<&str> = known.filter_map(std::ffi::OsStr::to_str).collect();
    let unknown =
        variables.filter(|name| name.starts_with(VARIABLES) && !known.contains(&name.as_str()));
    let told = unknown.map(|name| {
        let hint = nearest(&name, known.iter().copied());
        hint.ends_with('?')
            .then(|| format!("{name} sets nothing: {hint}"))
    });
    told.flatten().collect()
}

/// What the variables of settings begin with.
const VARIABLES: &str = "SVC_SIMULATOR_";

/// Files may be put there later; more often a folder without any is a slip in its name.
fn warn_of_empty(folders: &[PathBuf]) {
    for folder in folders {
        // What can't be read is told when it is read.
        if files::toml_files_of(folder).is_ok_and(|files| files.is_empty()) {
            let folder = folder.display();
            tracing::warn!(%folder, "there is no TOML file in this folder of scenarios");
        }
    }
}

/// How many threads can run at the same time; where the machine does not say, one.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// The simulator of these settings.
fn builder(
    args: ServeArgs,
    token: Option<ConsoleToken>,
    webhook_tls: Tls,
    connections: usize,
) -> SimulatorBuilder {
    let reload = args.reload();
    let builder = Simulator::builder()
        .addresses(ListenerAddresses {
            console: args.console,
            sandbox: args.sandbox,
            live: args.live,
        })
        .public_urls(args.public.urls())
        .seed(args.seed.as_deref().unwrap_or_default())
        .latency(args.latency)
        .unknown_members(match args.strict {
            true => UnknownMembers::Refused,
            false => UnknownMembers::Ignored,
        })
        .reload(reload)
        .store(args.store)
        .memory_limits(args.memory.limits())
        .shares(ShareLimits {
            connections,
            ..args.shares.limits()
        })
        .signature_clock(match args.webhook_account_time {
            true => SignatureClock::Account,
            false => SignatureClock::Real,
        })
        .threads(args.threads.unwrap_or_else(processors))
        .access(ConsoleAccess {
            token,
            hosts: args.console_hosts,
        })
        .trusted_proxies(args.trusted_proxies)
        .webhook_targets(args.webhook_targets)
        .webhook_tls(webhook_tls)
        .limits(EdgeLimits {
            drain: args.drain,
            connections,
            ..EdgeLimits::default()
        });
    let builder = match args.freeze_at {
        Some(at) => builder.frozen_at(at),
        None => builder.clock(Clock::paced(args.clock, args.time_scale)),
    };
    let builder = match args.prices {
        Some(file) => builder.prices_file(file),
        None => builder,
    };
    let folders = args.scenarios.into_iter();
    folders.fold(builder, SimulatorBuilder::scenario_folder)
}

/// What a person sees when all listeners are bound: addresses, keys, a first call.
fn greeting(contract: &Contract, accounts: &[AccountConfig], urls: &BaseUrls) -> String {
    let key = |environment| {
        let account = working_account(accounts);
        let key = account.map(|account| format!("   key {}", newest_key(account, environment)));
        key.unwrap_or_default()
    };
    let mut text = format!(
        "svc-simulator is ready\n  console   {}   reference at /docs, OpenAPI at /openapi.json\n  \
         sandbox   {}{}\n  live      {}{}\n",
        urls.console,
        urls.sandbox,
        key(Environment::Test),
        urls.live,
        key(Environment::Live),
    );
    if let Some(call) = FirstCall::find(contract, accounts) {
        let curl = call.curl(&urls.sandbox);
        text += &format!("first call ({}):\n{curl}\n", call.title);
    }
    text
}

/// The failure with what to do about it.
fn not_started(error: StartError) -> Failure {
    match error {
        StartError::Mistakes(problems) => Failure::Files(problems),
        StartError::Unreadable(error) => error.into(),
        StartError::Store(error) => error.into(),
        StartError::WebhookRefused { .. }
        | StartError::WithoutPostgres
        | StartError::OtherSeed { .. }
        | StartError::OtherTimeScale { .. } => Failure::Usage(error.to_string()),
        StartError::Bind {
            listener,
            address,
            error,
        } if error.kind() == ErrorKind::AddrInUse => Failure::Running(anyhow!(
            "the {listener} address {address} is in use: stop what listens there, or choose \
             another; --{listener} {}:0 takes a free port",
            address.ip()
        )),
        error => Failure::Running(error.into()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_nearly_a_setting_is_told_and_others_are_let_be() {
        let names = [
            "SVC_SIMULATOR_STORE",
            "SVC_SIMULATOR_STORRE",
            "SVC_SIMULATOR_KEEP_CALL",
            "SVC_CONTRACT",
            "PATH",
        ];
        insta::assert_snapshot!(slips(names.iter().map(ToString::to_string)).join("\n"), @"
        SVC_SIMULATOR_STORRE sets nothing: did you mean `SVC_SIMULATOR_STORE`?
        SVC_SIMULATOR_KEEP_CALL sets nothing: did you mean `SVC_SIMULATOR_KEEP_CALLS`?
        ");
    }

    #[test]
    fn a_thread_that_never_ends_keeps_nobody_when_all_else_has_ended() {
        let (never_said, nothing) = std::sync::mpsc::channel::<()>();
        let ended = run_to_end(async {
            tokio::task::spawn_blocking(move || nothing.recv());
            "ended"
        });
        assert_eq!(ended.unwrap(), "ended");
        drop(never_said);
    }
}
