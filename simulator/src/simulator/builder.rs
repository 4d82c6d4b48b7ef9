//! What a simulator is made from and started with. Starts nothing itself.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use jiff::Timestamp;
use svc_capture::prices::PriceList;
use svc_fixtures::reading::Source;
use svc_tls::Tls;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::files::{self, AllFiles};
use super::start_error::StartError;
use super::store::{self, Store};
use crate::engine::call::call_settings::{CallSettings, Latency, UnknownMembers};
use crate::engine::call::rules::{Files, Rules};
use crate::engine::state::ids::Seed;
use crate::host::clock::Clock;
use crate::host::courier::SignatureClock;
use crate::host::journal::Journal;
use crate::host::memory::MemoryLimits;
use crate::host::metrics::StoreMetrics;
use crate::host::readiness::Readiness;
use crate::host::reload::{FileWatcher, UnreadableFiles, reload_on_change, warn_of_contradictions};
use crate::host::shares::ShareLimits;
use crate::host::transport::{HttpTransport, TargetPolicy, Transport, TransportLimits};
use crate::host::{Host, HostConfig};
use crate::http::control::guard::ConsoleAccess;
use crate::http::edge::EdgeLimits;
use crate::http::{ListenerAddresses, PublicUrls};
use crate::scenario::{AccountConfig, read_accounts};

/// A simulator that is to be started.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use svc_simulator::Simulator;
///
/// let simulator = Simulator::builder()
///     .scenarios(
///         r#"
///         [[scenario]]
///         name = "the source is down"
///         operation = "verify.identity.pan"
///         then = { error = "SVC_SOURCE_UNAVAILABLE" }
///         "#,
///     )
///     .frozen_at("2031-01-01T00:00:00Z".parse()?)
///     .start()
///     .await?;
///
/// let account = simulator.account("worker7");
/// assert_eq!(account.now().to_string(), "2031-01-01T00:00:00Z");
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct SimulatorBuilder {
    pub(super) addresses: ListenerAddresses,
    pub(super) public: PublicUrls,
    folders: Vec<PathBuf>,
    scenarios: Vec<Arc<Source>>,
    accounts: Vec<Arc<Source>>,
    prices: Option<Prices>,
    pub(super) seed: String,
    reload: Reload,
    config: HostConfig,
    transport: Option<Arc<dyn Transport>>,
    pub(super) limits: EdgeLimits,
    pub(super) threads: usize,
    pub(super) access: ConsoleAccess,
    pub(super) trusted_proxies: Vec<IpNet>,
    pub(super) webhook_targets: Vec<IpNet>,
    webhook_tls: Tls,
    store: Store,
    pub(super) call_settings: CallSettings,
}

impl Default for SimulatorBuilder {
    fn default() -> Self {
        SimulatorBuilder {
            addresses: ListenerAddresses::FREE,
            public: PublicUrls::default(),
            folders: Vec::new(),
            scenarios: Vec::new(),
            accounts: Vec::new(),
            prices: None,
            seed: String::new(),
            reload: Reload::Never,
            config: HostConfig::new(Clock::machine()),
            transport: None,
            limits: EdgeLimits::default(),
            threads: 0,
            access: ConsoleAccess::default(),
            trusted_proxies: Vec::new(),
            webhook_targets: Vec::new(),
            webhook_tls: Tls::default(),
            store: Store::Memory,
            call_settings: CallSettings::default(),
        }
    }
}

/// Where it stands what operations cost.
#[derive(Debug)]
enum Prices {
    Given(Arc<Source>),
    File(PathBuf),
}

/// When the scenario folders are read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// When the file system reports that they changed.
    OnChange,
    /// When a look, so often, finds them changed.
    Polling(Duration),
    /// Never.
    Never,
}

/// How often one looks where the file system reports no changes.
const LOOKS: Duration = Duration::from_secs(2);

impl SimulatorBuilder {
    /// Scenarios, as a file has them. They come before those of folders, and these before the built-in
    /// ones; what is given first comes first.
    pub fn scenarios(mut self, toml: &str) -> Self {
        let name = format!("scenarios-{}.toml", self.scenarios.len() + 1);
        self.scenarios.push(Source::new(name, toml));
        self
    }

    /// A folder of scenario files; its `accounts.toml`, where it has one, says which accounts there are
    /// beside the built-in ones.
    pub fn scenario_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// What operations cost, as a file has it: INR by endpoint, in TOML or JSON. What it leaves out costs what it costs
    /// without one.
    pub fn prices(mut self, text: &str) -> Self {
        self.prices = Some(Prices::Given(Source::new("prices", text)));
        self
    }

    /// The file that says what operations cost.
    pub fn prices_file(mut self, file: impl Into<PathBuf>) -> Self {
        self.prices = Some(Prices::File(file.into()));
        self
    }

    /// How long an answer takes that no scenario delays; no time at all where nothing is said.
    pub fn latency(mut self, latency: Latency) -> Self {
        self.call_settings.latency = latency;
        self
    }

    /// What becomes of members of a body that no field names; they are ignored where nothing is said.
    pub fn unknown_members(mut self, unknown: UnknownMembers) -> Self {
        self.call_settings.unknown_members = unknown;
        self
    }

    /// When the scenario folders are read again; never where nothing is said.
    pub fn reload(mut self, reload: Reload) -> Self {
        self.reload = reload;
        self
    }

    /// Accounts, as an `accounts.toml` has them.
    pub fn accounts(mut self, toml: &str) -> Self {
        let name = format!("accounts-{}.toml", self.accounts.len() + 1);
        self.accounts.push(Source::new(name, toml));
        self
    }

    /// A text that changes every id.
    pub fn seed(mut self, seed: &str) -> Self {
        self.seed = seed.to_owned();
        self
    }

    /// The clock that the clocks of all accounts follow; the machine's where none is given.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.config.clock = clock;
        self
    }

    /// The clocks of all accounts stand here until they are moved.
    pub fn frozen_at(mut self, at: Timestamp) -> Self {
        self.config.freeze_at = Some(at);
        self
    }

    /// Where accounts are kept. A store goes on with the seed and the clock that it began with.
    pub fn store(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Opens the store, and takes from it what must be as it was.
    pub(super) fn open_store(&mut self) -> Result<(), StartError> {
        if let Some(journal) = self.store.open(&self.config)? {
            self.seed = store::seed(&*journal, &self.seed)?;
            self.config.clock = store::clock(&*journal, &self.config.clock)?;
            self.config.journal = journal;
        }
        Ok(())
    }

    /// Where entries are written down; nowhere where no journal is given.
    pub fn journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.config.journal = journal;
        self
    }

    /// What the journal says of itself, for `/control/ready`; always ready where nothing is given.
    pub fn readiness(mut self, readiness: Arc<Readiness>) -> Self {
        self.config.readiness = readiness;
        self
    }

    /// What the journal counts of itself, for `/metrics`; nothing where nothing is given.
    pub fn store_metrics(mut self, metrics: Arc<StoreMetrics>) -> Self {
        self.config.store_metrics = metrics;
        self
    }

    /// How much memory is used.
    pub fn memory_limits(mut self, limits: MemoryLimits) -> Self {
        self.config.memory_limits = limits;
        self
    }

    /// How much one account, or one address, may take of what all use. How many connections there are says
    /// [`SimulatorBuilder::limits`].
    pub fn shares(mut self, shares: ShareLimits) -> Self {
        self.config.shares = shares;
        self
    }

    /// Which time the signatures of webhooks say.
    pub fn signature_clock(mut self, signature_clock: SignatureClock) -> Self {
        self.config.signature_clock = signature_clock;
        self
    }

    /// How webhooks leave, in the place of HTTP.
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }

    /// The networks that webhooks may go to, beside this machine.
    pub fn webhook_targets(mut self, networks: Vec<IpNet>) -> Self {
        self.webhook_targets = networks;
        self
    }

    /// How webhooks are sent to receivers whose addresses begin with `https://`.
    pub fn webhook_tls(mut self, tls: Tls) -> Self {
        self.webhook_tls = tls;
        self
    }

    /// What a client may take of each listener.
    pub fn limits(mut self, limits: EdgeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// How many threads answer calls, each those of its own connections. With none, which is the default, the runtime
    /// does that starts it, and its time is the simulator's, too.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Who may use the console, beside those on this machine.
    pub fn access(mut self, access: ConsoleAccess) -> Self {
        self.access = access;
        self
    }

    /// The proxies whose `X-Forwarded-For` is believed.
    pub fn trusted_proxies(mut self, networks: Vec<IpNet>) -> Self {
        self.trusted_proxies = networks;
        self
    }

    /// Where it listens, in the place of free ports of this machine.
    pub fn addresses(mut self, addresses: ListenerAddresses) -> Self {
        self.addresses = addresses;
        self
    }

    /// What its listeners are called behind a proxy: consent links, asset URLs and the documents say these.
    pub fn public_urls(mut self, public: PublicUrls) -> Self {
        self.public = public;
        self
    }

    /// What the host works with: webhooks leave over HTTP where no other way was given.
    pub(super) fn config(
        &self,
        rules: &Rules,
        targets: &TargetPolicy,
    ) -> Result<HostConfig, StartError> {
        let mut config = self.config.clone();
        config.shares.connections = self.limits.connections;
        config.transport = match &self.transport {
            Some(transport) => Arc::clone(transport),
            None => {
                let timeout = Duration::from_millis(rules.contract.service.webhook_timeout_ms);
                let limits = TransportLimits {
                    connections: self.limits.connections,
                    ..TransportLimits::within(timeout)
                };
                let transport = HttpTransport::new(limits, targets.clone())?;
                Arc::new(transport.with_tls(self.webhook_tls.clone()))
            }
        };
        Ok(config)
    }

    pub(super) fn files(&self) -> Result<(AllFiles, Vec<AccountConfig>), StartError> {
        let mut files = files::read(&self.folders)?;
        files.rules.scenarios.splice(0..0, self.scenarios.clone());
        files.accounts.splice(0..0, self.accounts.clone());
        let accounts = read_accounts(&files.accounts)?;
        Ok((files, accounts))
    }

    /// All that calls are answered by.
    pub(super) fn rules(&self, files: &Files) -> Result<Rules, StartError> {
        let rules = Rules::read(files, Seed::new(&self.seed))?;
        let source = match &self.prices {
            None => return Ok(rules),
            Some(Prices::Given(source)) => Arc::clone(source),
            Some(Prices::File(path)) => files::source(path)?,
        };
        let prices = PriceList::read_of_operations(&rules.contract, &source)?;
        Ok(rules.with_prices(|id| prices.operation(id)))
    }

    /// Reads the scenario folders again whenever they may have changed.
    pub(super) fn follow(self, host: &Arc<Host>, files: AllFiles, stop: &CancellationToken) {
        if !self.folders.is_empty() {
            let (host, first) = (Arc::clone(host), files.rules.scenarios.clone());
            // Nobody waits for it.
            drop(tokio::task::spawn_blocking(move || {
                warn_of_contradictions(&host, &first)
            }));
        }
        let watch = match self.reload {
            _ if self.folders.is_empty() => return,
            Reload::Never => return,
            Reload::Polling(time) => FileWatcher::polling(time),
            Reload::OnChange => FileWatcher::notified(&self.folders).unwrap_or_else(|error| {
                tracing::warn!(%error, "the file system does not report changed scenario files: looking every 2 s");
                FileWatcher::polling(LOOKS)
            }),
        };
        let (given, folders) = (self.scenarios, self.folders);
        let read = move |note: &mut dyn FnMut(&Path)| {
            let read = files::read_noting(&folders, note);
            let read = read.map_err(|error| UnreadableFiles(error.to_string()))?;
            Ok([given.clone(), read.rules.scenarios].concat())
        };
        let first = files.rules.scenarios;
        tokio::spawn(reload_on_change(
            Arc::clone(host),
            watch,
            first,
            read,
            stop.clone(),
        ));
    }
}

/// Refuses a receiver that no webhook may go to now, not at the first delivery.
pub(super) fn check_receivers(
    accounts: &[AccountConfig],
    targets: &TargetPolicy,
) -> Result<(), StartError> {
    for account in accounts {
        let receiver = account.webhook.as_ref().map(|webhook| &webhook.url);
        if let Some(Err(reason)) = receiver.map(|url| targets.check_url(url)) {
            let account = Arc::clone(&account.id);
            return Err(StartError::WebhookRefused { account, reason });
        }
    }
    Ok(())
}

/// A listener, and where it is: port 0 takes a free one.
pub(super) async fn bind(
    listener: &'static str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr), StartError> {
    let bound = TcpListener::bind(address).await;
    let bound = bound.and_then(|bound| bound.local_addr().map(|address| (bound, address)));
    bound.map_err(|error| StartError::Bind {
        listener,
        address,
        error,
    })
}
