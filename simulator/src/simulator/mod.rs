//! A running simulator in the calling process: host and listeners, started and stopped as one. The one
//! way in for the program and for tests. Decides nothing of an answer.

mod account;
mod builder;
pub(crate) mod files;
mod start_error;
mod store;
mod sweep;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use svc_fixtures::contract::Environment;
use tokio::runtime::{Handle, Runtime};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::console;
use crate::host::Host;
pub use crate::host::ScenariosError;
use crate::host::transport::TargetPolicy;
use crate::http::api::{Api, serve_api};
use crate::http::console::Console;
use crate::http::edge::{ConnectionCounts, serve};
use crate::http::metrics::ListenerCounts;
use crate::http::workers::Workers;
use crate::http::{ListenerAddresses, url};
use crate::scenario::AccountConfig;
use crate::world::World;
pub use account::{AccountHandle, CallSummary, WebhookError};
pub use builder::{Reload, SimulatorBuilder};
use builder::{bind, check_receivers};
pub use files::ReadError;
pub use start_error::StartError;
pub use store::{NoSuchStore, Store};
use sweep::sweep;

/// A running simulator. It serves console, sandbox and live until it is dropped or stopped.
///
/// Each test can start one of its own, or all share one and use an [account](Simulator::account)
/// each: accounts share nothing.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), reqwest::Error> {
/// use svc_simulator::{Environment, Simulator};
///
/// let simulator = Simulator::start().await;
/// let account = simulator.account("worker7");
///
/// let answer = reqwest::Client::new()
///     .post(format!("{}/v1/verify/identity/pan", simulator.live_url()))
///     .bearer_auth(account.live_key())
///     .header("Content-Type", "application/json")
///     .body(r#"{"pan": "AAAAA0000A"}"#)
///     .send()
///     .await?;
///
/// assert_eq!(answer.status(), 200);
/// let calls = account.calls(Environment::Live);
/// assert_eq!(calls[0].endpoint, "verify.identity.pan");
/// assert_eq!(account.wallet().charged(), calls[0].charged);
/// # Ok(())
/// # }
/// ```
pub struct Simulator {
    host: Arc<Host>,
    accounts: Vec<AccountConfig>,
    addresses: ListenerAddresses,
    targets: TargetPolicy,
    drain: Duration,
    stop: CancellationToken,
    listeners: JoinSet<()>,
    connections: ListenerCounts,
    runtime: Handle,
    /// Where it was started without one: it ends with the simulator.
    own_runtime: Option<Runtime>,
}

impl Simulator {
    /// Starts a simulator with the built-in scenarios and accounts on free ports of this machine. It
    /// runs on the current tokio runtime: a test whose client blocks its thread takes
    /// [`Simulator::start_blocking`].
    ///
    /// # Panics
    /// Where this machine has no free port.
    pub async fn start() -> Self {
        let started = Simulator::builder().start().await;
        started.unwrap_or_else(|error| panic!("the simulator did not start: {error}"))
    }

    /// Starts one as [`Simulator::start`] does, on threads of its own: for tests that are not async.
    ///
    /// ```
    /// use svc_simulator::Simulator;
    ///
    /// let simulator = Simulator::start_blocking();
    /// assert!(simulator.sandbox_url().starts_with("http://127.0.0.1:"));
    /// ```
    ///
    /// # Panics
    /// Where this machine has no free port or no thread, and within a tokio runtime.
    #[must_use]
    pub fn start_blocking() -> Self {
        let started = Simulator::builder().start_blocking();
        started.unwrap_or_else(|error| panic!("the simulator did not start: {error}"))
    }

    /// A simulator that is to be started with other scenarios, accounts, clocks or limits.
    pub fn builder() -> SimulatorBuilder {
        SimulatorBuilder::default()
    }

    /// The base URL of the sandbox, without a slash at its end.
    #[must_use]
    pub fn sandbox_url(&self) -> String {
        url(self.addresses.sandbox)
    }

    /// The base URL of live, without a slash at its end.
    #[must_use]
    pub fn live_url(&self) -> String {
        url(self.addresses.live)
    }

    /// The base URL of the console, which serves the control API, too, without a slash at its end.
    #[must_use]
    pub fn console_url(&self) -> String {
        url(self.addresses.console)
    }

    /// Where it listens.
    #[must_use]
    pub fn addresses(&self) -> ListenerAddresses {
        self.addresses
    }

    /// The accounts it started with.
    #[must_use]
    pub fn accounts(&self) -> &[AccountConfig] {
        &self.accounts
    }

    /// The host behind the listeners, for all that the handles do not offer.
    #[must_use]
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// An account: the one of this name where the simulator started with one, such as `broke`; else
    /// one of its own for this name, opened at its first use as a copy of the built-in `local`.
    ///
    /// # Panics
    /// Where no account can have this name: 1 to 64 letters, digits, `-` and `_`.
    #[must_use]
    pub fn account(&self, name: &str) -> AccountHandle {
        let known = self.accounts.iter().any(|account| *account.id == *name);
        let copied = self
            .accounts
            .iter()
            .find(|account| account.copies && !known);
        let id = copied.map_or_else(
            || name.to_owned(),
            |account| format!("{}_{name}", account.id),
        );
        match self.host.account(&id) {
            Ok(Some(cell)) => {
                let (targets, runtime) = (self.targets.clone(), self.runtime.clone());
                AccountHandle::new(&self.host, cell, targets, runtime)
            }
            Ok(None) => panic!("no account can be named {name}"),
            Err(error) => panic!("the account {name} was not opened: {error}"),
        }
    }

    /// Waits for a future on this thread: for tests that are not async.
    ///
    /// # Panics
    /// Within a tokio runtime, as [`Handle::block_on`] does.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    /// Takes no further connection and lets calls that run end. Does not wait for them.
    pub fn close(&self) {
        self.stop.cancel();
    }

    /// Takes no further connection and waits until calls that run are answered and webhooks on their
    /// way have arrived, up to the drain deadline of its [`EdgeLimits`](crate::http::edge::EdgeLimits).
    pub async fn stop(mut self) {
        self.close();
        // Handler that nobody waits for any more are given, too: they are booked when they are.
        let drained = tokio::time::timeout(self.drain, self.host.drained());
        let listeners = std::mem::take(&mut self.listeners);
        let (drained, _) = tokio::join!(drained, listeners.join_all());
        if drained.is_err() {
            tracing::warn!("answers were still held back at the drain deadline");
        }
        self.host.leave().await;
    }

    /// What the listener at this place counts of its connections.
    fn counts(&self, place: usize) -> Arc<ConnectionCounts> {
        Arc::clone(&self.connections[place].1)
    }

    /// Stops it as [`Simulator::stop`] does, for tests that are not async.
    ///
    /// # Panics
    /// Within a tokio runtime.
    pub fn stop_blocking(self) {
        self.runtime.clone().block_on(self.stop());
    }
}

impl SimulatorBuilder {
    /// Starts it on the current tokio runtime.
    ///
    /// # Errors
    /// [`StartError`]. Nothing is left behind then.
    pub async fn start(mut self) -> Result<Simulator, StartError> {
        // The population is half of what there is to read: it is made while this thread reads the rest, which waits
        // for it where it needs it.
        std::thread::spawn(World::built_in);
        self.open_store()?;
        let (files, accounts) = self.files()?;
        let mut rules = self.rules(&files.rules)?;
        let targets = TargetPolicy::with(self.webhook_targets.clone());
        check_receivers(&accounts, &targets)?;
        let (console, at_console) = bind("console", self.addresses.console).await?;
        let (sandbox, at_sandbox) = bind("sandbox", self.addresses.sandbox).await?;
        let (live, at_live) = bind("live", self.addresses.live).await?;
        let addresses = ListenerAddresses {
            console: at_console,
            sandbox: at_sandbox,
            live: at_live,
        };
        rules.settings = self.call_settings;
        rules.addresses = self.public.or_at(&addresses).in_answers();
        let config = self.config(&rules, &targets)?;
        let mut simulator = Simulator {
            host: Host::new(rules, accounts.clone(), config)?,
            accounts,
            addresses,
            targets,
            drain: self.limits.drain,
            stop: CancellationToken::new(),
            listeners: JoinSet::new(),
            connections: ["console", "sandbox", "live"].map(|name| (name, Arc::default())),
            runtime: Handle::current(),
            own_runtime: None,
        };
        let workers = Arc::new(Workers::start(self.threads).map_err(StartError::Runtime)?);
        let pages = self.pages(&simulator).router();
        // What a page takes long for is no call's loss.
        let (counts, stop) = (simulator.counts(0), simulator.stop.clone());
        let console = serve(console, pages, self.limits, counts, Arc::default(), stop);
        simulator.listeners.spawn(console);
        for (place, listener, environment) in [
            (1, sandbox, Environment::Test),
            (2, live, Environment::Live),
        ] {
            let api = self.api(&simulator, environment);
            let (counts, stop) = (simulator.counts(place), simulator.stop.clone());
            let workers = Arc::clone(&workers);
            let listener = serve_api(listener, api, self.limits, counts, workers, stop);
            simulator.listeners.spawn(listener);
        }
        let host = &simulator.host;
        tokio::spawn(sweep(Arc::clone(host), simulator.stop.clone()));
        self.follow(host, files, &simulator.stop);
        Ok(simulator)
    }

    /// Starts it on threads of its own: for tests that are not async.
    ///
    /// # Errors
    /// [`StartError`]. Nothing is left behind then.
    ///
    /// # Panics
    /// Within a tokio runtime.
    pub fn start_blocking(self) -> Result<Simulator, StartError> {
        let runtime = Runtime::new().map_err(StartError::Runtime)?;
        let mut simulator = runtime.block_on(self.start())?;
        simulator.own_runtime = Some(runtime);
        Ok(simulator)
    }

    fn pages(&self, simulator: &Simulator) -> Console {
        Console {
            host: Arc::clone(&simulator.host),
            accounts: simulator.accounts.clone(),
            addresses: simulator.addresses,
            public: self.public.clone(),
            connections: simulator.connections.clone(),
            targets: simulator.targets.clone(),
            access: self.access.clone(),
            stop: simulator.stop.clone(),
            pages: console::router,
        }
    }

    fn api(&self, simulator: &Simulator, environment: Environment) -> Arc<Api> {
        Arc::new(Api {
            host: Arc::clone(&simulator.host),
            environment,
            trusted_proxies: self.trusted_proxies.clone(),
            body_timeout: self.limits.body,
        })
    }
}

/// Ends at once: connections are closed, and what is pending or due is not done any more.
impl Drop for Simulator {
    fn drop(&mut self) {
        self.close();
        self.host.close();
        self.listeners.abort_all();
        if let Some(runtime) = self.own_runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Simulator {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Simulator")
            .field("addresses", &self.addresses)
            .finish_non_exhaustive()
    }
}
