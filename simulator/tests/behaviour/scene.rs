//! The one test helper: a whole simulator in process, with accounts, a clock to move and a webhook
//! receiver of its own. When a scene ends, it asserts what must hold of every account.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp};
use parking_lot::Mutex;
use similar::TextDiff;
use svc_fixtures::contract::Paise;
use svc_fixtures::json::Json;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::{Body, Call, Environment, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::entry::{Change, Entry};
use svc_simulator::engine::state::environment::EnvironmentState;
use svc_simulator::engine::state::event::Event;
use svc_simulator::engine::state::manage::ChangeRefusal;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::clock_move::ClockTarget;
use svc_simulator::host::journal::Journal;
use svc_simulator::host::memory::MemoryLimits;
use svc_simulator::host::transport::{MemoryTransport, WebhookRequest};
use svc_simulator::host::{AccountCell, Host, HostConfig};
use svc_simulator::scenario::{self, AccountConfig};

use crate::journals::{self, store};
pub(crate) use crate::rules_read::rules;
use crate::rules_read::{DEFAULT_RULES, read};
use crate::stores::assert_snapshot_makes;

/// Where every scene begins: 2027-01-15T08:00:00Z.
pub(crate) const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

pub(crate) const PAN: &str = "/v1/verify/identity/pan";
pub(crate) const UAN: &str = "/v1/verify/employment/uan";

/// A simulator in process.
pub(crate) struct Scene {
    pub(crate) host: Arc<Host>,
    pub(crate) runtime: tokio::runtime::Runtime,
    journal: Arc<dyn Journal>,
    /// What the receiver answers.
    statuses: Arc<Mutex<Statuses>>,
    receiver: Arc<MemoryTransport<Answers>>,
    machine: Arc<AtomicI64>,
    accounts: Vec<AccountConfig>,
}

/// The status that a posting is answered with, given its number, counted from 0.
type Statuses = Box<dyn Fn(&WebhookRequest, usize) -> u16 + Send>;
type Answers = Box<dyn Fn(&WebhookRequest, usize) -> u16 + Send + Sync>;

/// What is in a wallet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Money {
    pub(crate) balance: Paise,
    pub(crate) held: Paise,
    pub(crate) charged: Paise,
}

impl Scene {
    /// A simulator on its defaults.
    pub(crate) fn new() -> Self {
        Scene::with("")
    }

    /// A simulator with scenarios of a user before the built-in ones.
    pub(crate) fn with(scenarios: &str) -> Self {
        Scene::build(scenarios, "", "seed")
    }

    /// A simulator with more accounts than the built-in ones.
    pub(crate) fn with_accounts(accounts: &str) -> Self {
        Scene::build("", accounts, "seed")
    }

    /// A simulator with both.
    pub(crate) fn with_both(scenarios: &str, accounts: &str) -> Self {
        Scene::build(scenarios, accounts, "seed")
    }

    /// The same, with a journal of the test's own.
    pub(crate) fn with_accounts_and_journal(accounts: &str, journal: Arc<dyn Journal>) -> Self {
        Scene::on(DEFAULT_RULES.clone(), accounts, journal)
    }

    /// A simulator whose ids depend on this seed.
    pub(crate) fn seeded(seed: &str) -> Self {
        Scene::build("", "", seed)
    }

    fn build(scenarios: &str, accounts: &str, seed: &str) -> Self {
        let rules = match (scenarios, seed) {
            ("", "seed") => DEFAULT_RULES.clone(),
            _ => rules(scenarios, seed),
        };
        Scene::on(rules, accounts, store())
    }

    /// A simulator with rows of the test's own.
    pub(crate) fn of_files(files: &Files) -> Self {
        Scene::on(read(files, "seed"), "", store())
    }

    /// A simulator that uses so much memory.
    pub(crate) fn bounded(limits: MemoryLimits) -> Self {
        Scene::within(DEFAULT_RULES.clone(), "", store(), limits)
    }

    pub(crate) fn on(rules: Rules, accounts: &str, journal: Arc<dyn Journal>) -> Self {
        Scene::within(rules, accounts, journal, MemoryLimits::default())
    }

    pub(crate) fn within(
        rules: Rules,
        added: &str,
        journal: Arc<dyn Journal>,
        limits: MemoryLimits,
    ) -> Self {
        let mut sources = scenario::accounts();
        sources.push(Source::new("accounts-of-the-test.toml", added));
        let accounts = scenario::read_accounts(&sources);
        let accounts = accounts.unwrap_or_else(|problems| panic!("{problems}"));
        let statuses: Arc<Mutex<Statuses>> = Arc::new(Mutex::new(Box::new(|_, _| 200)));
        let answer = Arc::clone(&statuses);
        let answers: Answers = Box::new(move |posting, nth| (*answer.lock())(posting, nth));
        let receiver = Arc::new(MemoryTransport::new(answers));
        let machine = Arc::new(AtomicI64::new(START.as_millisecond()));
        let config = HostConfig {
            memory_limits: limits,
            ..config(&journal, &receiver, &machine)
        };
        let runtime = runtime();
        let host = runtime.block_on(async { Host::new(rules, accounts.clone(), config) });
        Scene {
            host: host.expect("the store takes all"),
            runtime,
            journal,
            statuses,
            receiver,
            machine,
            accounts,
        }
    }

    /// The simulator dies and is started again: what it waited for is gone, what it wrote is there.
    pub(crate) fn crash_and_start_again(&mut self) {
        std::mem::replace(&mut self.runtime, runtime()).shutdown_background();
        let rules = Rules::clone(&self.host.rules());
        let alone = journals::alone(&self.journal);
        let config = config(&alone, &self.receiver, &self.machine);
        let _in_runtime = self.runtime.enter();
        let host = Host::new(rules, self.accounts.clone(), config);
        self.host = host.expect("a memory journal gives all");
    }

    /// A call of an operation, on the sandbox with the key of `local` until it says otherwise.
    pub(crate) fn post<'s>(&'s self, path: &'s str, body: &'s str) -> Asked<'s> {
        Asked {
            scene: self,
            call: call("POST", path, body),
            key: None,
        }
    }

    pub(crate) fn get<'s>(&'s self, path: &'s str) -> Asked<'s> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut asked = Asked {
            scene: self,
            call: call("GET", path, ""),
            key: None,
        };
        asked.call.query = query;
        asked
    }

    pub(crate) fn pan<'s>(&'s self, body: &'s str) -> Asked<'s> {
        self.post(PAN, body)
    }

    /// All that was written down of an account.
    pub(crate) fn entries(&self, id: &str) -> Vec<Entry> {
        let stored = self.runtime.block_on(self.journal.load(&id.into()));
        let stored = stored.expect("the journal gives all");
        stored.map_or_else(Vec::new, |stored| stored.entries)
    }

    /// The account with the key of this name.
    pub(crate) fn account(&self, name: &str) -> Arc<AccountCell> {
        let found = self
            .host
            .directory()
            .by_name(name, START)
            .expect("a memory journal takes all");
        found.expect("there is an account of this name")
    }

    /// What is in an account's live wallet.
    pub(crate) fn wallet(&self, name: &str) -> Money {
        let wallet = |account: &Account| account.environment(Environment::Live).wallet;
        let wallet = self.account(name).read(wallet);
        Money {
            balance: wallet.balance(),
            held: wallet.held(),
            charged: wallet.charged(),
        }
    }

    /// What the receiver got so far.
    pub(crate) fn received(&self) -> Vec<WebhookRequest> {
        self.receiver.requests()
    }

    /// The receiver answers each posting with this from now on, given its number.
    pub(crate) fn receiver_answers(
        &self,
        statuses: impl Fn(&WebhookRequest, usize) -> u16 + Send + 'static,
    ) {
        *self.statuses.lock() = Box::new(statuses);
    }

    /// The machine's clock goes on, and with it every account's that runs.
    pub(crate) fn machine_goes_on(&self, by: SignedDuration) {
        let by = i64::try_from(by.as_millis()).expect("a short time");
        self.machine.fetch_add(by, Ordering::SeqCst);
    }

    /// Moves an account's clock forward. Gives what happened on the way.
    pub(crate) fn advance(&self, name: &str, by: SignedDuration) -> Vec<Event> {
        let cell = self.account(name);
        let moved = self.host.move_clock(&cell, ClockTarget::By(by));
        let moved = self.runtime.block_on(moved);
        moved.expect("the clock moves forward").events
    }

    /// Changes what an account is.
    pub(crate) fn change(
        &self,
        name: &str,
        environment: Environment,
        change: impl FnOnce(&Account, Timestamp) -> Result<Vec<Change>, ChangeRefusal>,
    ) {
        let _in_runtime = self.runtime.enter();
        let cell = self.account(name);
        let changed = self.host.change(&cell, environment, change);
        changed.expect("it may be changed so");
    }

    /// What an account shows of itself in an environment.
    pub(crate) fn environment<T>(
        &self,
        name: &str,
        environment: Environment,
        look: impl FnOnce(&EnvironmentState) -> T,
    ) -> T {
        self.account(name)
            .read(|account| look(account.environment(environment)))
    }
}

fn config(
    journal: &Arc<dyn Journal>,
    receiver: &Arc<MemoryTransport<Answers>>,
    machine: &Arc<AtomicI64>,
) -> HostConfig {
    HostConfig {
        journal: journal.clone(),
        transport: receiver.clone(),
        ..HostConfig::new(Clock::Manual(Arc::clone(machine)))
    }
}

/// Real delays pass at once: time moves on whenever nothing else is left to do.
fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let built = builder.enable_time().start_paused(true).build();
    built.expect("a runtime")
}

fn call<'c>(method: &'c str, path: &'c str, body: &'c str) -> Call<'c> {
    Call {
        environment: Environment::Test,
        peer: IpAddr::from([127, 0, 0, 1]),
        method,
        path,
        query: "",
        headers: Headers {
            content_type: Header::One(b"application/json"),
            ..Headers::default()
        },
        body: Body::Whole(body.as_bytes()),
    }
}

/// A call being put together.
#[derive(Clone)]
pub(crate) struct Asked<'s> {
    scene: &'s Scene,
    pub(crate) call: Call<'s>,
    key: Option<String>,
}

impl<'s> Asked<'s> {
    pub(crate) fn live(mut self) -> Self {
        self.call.environment = Environment::Live;
        self
    }

    /// With the key of this name, of the environment it is sent to.
    pub(crate) fn by(mut self, name: &str) -> Self {
        self.key = Some(format!("{}{name}", self.call.environment.key_prefix()));
        self
    }

    pub(crate) fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    pub(crate) fn idempotency(mut self, key: &'s str) -> Self {
        self.call.headers.idempotency_key = Header::One(key.as_bytes());
        self
    }

    pub(crate) fn reference(mut self, reference: &'s str) -> Self {
        self.call.headers.reference_id = Header::One(reference.as_bytes());
        self
    }

    pub(crate) fn method(mut self, method: &'s str) -> Self {
        self.call.method = method;
        self
    }

    pub(crate) fn body(mut self, body: Body<'s>) -> Self {
        self.call.body = body;
        self
    }

    pub(crate) fn headers(mut self, change: impl FnOnce(&mut Headers<'s>)) -> Self {
        change(&mut self.call.headers);
        self
    }

    pub(crate) fn from(mut self, peer: &str) -> Self {
        self.call.peer = peer.parse().expect("an address");
        self
    }

    pub(crate) async fn ask(self) -> Answer {
        let key = self
            .key
            .unwrap_or_else(|| format!("{}local", self.call.environment.key_prefix()));
        let bearer = format!("Bearer {key}");
        let mut call = self.call.clone();
        if call.headers.authorization == Header::Absent {
            call.headers.authorization = Header::One(bearer.as_bytes());
        }
        Answer(self.scene.host.answer(&call).await)
    }

    pub(crate) fn send(self) -> Answer {
        let scene = self.scene;
        scene.runtime.block_on(self.ask())
    }

    /// Status and error code, or status and `status`.
    pub(crate) fn outcome(self) -> String {
        self.send().outcome()
    }
}

/// An answer, printed whole for snapshots: status, special headers, envelope.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer(pub(crate) Reply);

impl Answer {
    pub(crate) fn json(&self) -> Json<'_> {
        Json::parse(&self.0.body).expect("an envelope is JSON")
    }

    /// The value at a path of the envelope, printed; empty where there is none.
    pub(crate) fn at(&self, path: &str) -> String {
        let json = self.json();
        let mut found = Some(&json);
        for part in path.split('.') {
            found = found.and_then(|json| match part.parse::<usize>() {
                Ok(at) => json.as_list().and_then(|items| items.get(at)),
                Err(_) => json.get(part),
            });
        }
        let text = |json: &Json<'_>| {
            json.as_text()
                .map_or_else(|| json.to_string(), str::to_owned)
        };
        found.map(text).unwrap_or_default()
    }

    pub(crate) fn id(&self) -> String {
        self.at("verificationId")
    }

    pub(crate) fn outcome(&self) -> String {
        let code = self.at("error.code");
        let ending = if code.is_empty() {
            self.at("status")
        } else {
            code
        };
        format!("{} {ending}", self.0.status)
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{}", self.0.status)?;
        if let Some(seconds) = self.0.retry_after_s {
            writeln!(out, "Retry-After: {seconds}")?;
        }
        if let Some(method) = self.0.allow {
            writeln!(out, "Allow: {method}")?;
        }
        if self.0.replay {
            writeln!(out, "Idempotent-Replay: true")?;
        }
        let envelope: serde_json::Value =
            serde_json::from_slice(&self.0.body).expect("an envelope is JSON");
        write!(
            out,
            "{}",
            serde_json::to_string_pretty(&envelope).expect("JSON prints")
        )
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // Moving by nothing does what is due now.
        for cell in self.host.directory().all() {
            self.advance(cell.id(), SignedDuration::ZERO);
        }
        let settings = Settings {
            limits: self.host.memory_limits().retention,
            ..Settings::of(&self.host.rules().contract.service)
        };
        for cell in self.host.directory().all() {
            cell.read(|account| {
                assert_holds(account, self.host.now());
                let rebuilt = Account::rebuild(settings.clone(), self.entries(cell.id()));
                if rebuilt.as_ref() != Some(account) {
                    let (ours, theirs) = (format!("{:#?}", Some(account)), format!("{rebuilt:#?}"));
                    let diff = TextDiff::from_lines(&ours, &theirs);
                    let diff = diff.unified_diff().context_radius(6).to_string();
                    panic!("{}: its entries make another account:\n{diff}", cell.id());
                }
                assert_snapshot_makes(account, &settings);
            });
        }
    }
}

/// What must hold of every account at the end of every scene.
fn assert_holds(account: &Account, machine: Timestamp) {
    for environment in Environment::ALL {
        let state = account.environment(environment);
        let of = format!("{} {environment}", account.id);
        assert!(state.wallet.adds_up(), "{of}: {:?}", state.wallet);
        assert!(state.sums_hold(), "{of}: the sums are not true");
        let open = state.verifications.open().filter_map(|it| it.hold);
        let held = Paise(open.map(|hold| hold.0).sum());
        assert_eq!(state.wallet.held(), held, "{of}: a hold nobody will end");
        let spent = state.usage.totals().amount;
        let charged = state.wallet.charged();
        assert_eq!(spent, charged, "{of}: usage is not what was charged");
        let now = account.clock.read(machine);
        let due = state.verifications.due_attempts().next();
        let due = due.map(|(at, ..)| at).filter(|at| *at <= now);
        assert_eq!(due, None, "{of}: a due delivery was not sent");
    }
}
