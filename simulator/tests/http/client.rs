//! A simulator on ports of its own, and a client that writes bytes and reads answers.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use svc_fixtures::reading::Source;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::journal::{Journal, NoJournal};
use svc_simulator::host::transport::{NoTransport, TargetPolicy, Transport};
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::http::api::Api;
use svc_simulator::http::console::Console;
use svc_simulator::http::control::guard::ConsoleAccess;
use svc_simulator::http::edge::{EdgeLimits, serve};
use svc_simulator::http::{Addresses, sample};
use svc_simulator::scenario::{self, AccountConfig, read_accounts};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A simulator on ports of its own; it ends with the value.
pub(crate) struct Served {
    pub(crate) addresses: Addresses,
    accounts: Vec<AccountConfig>,
    rules: Arc<Rules>,
    host: Arc<Host>,
    pub(crate) stop: CancellationToken,
    edges: Vec<JoinHandle<()>>,
    runtime: Runtime,
}

impl Served {
    pub(crate) fn new() -> Self {
        Served::with(EdgeLimits::default(), &[], Arc::new(NoJournal))
    }

    pub(crate) fn with_limits(limits: EdgeLimits) -> Self {
        Served::with(limits, &[], Arc::new(NoJournal))
    }

    /// With scenarios of a user before the built-in ones.
    pub(crate) fn with_scenarios(limits: EdgeLimits, scenarios: &str) -> Self {
        let mut files = Files::built_in();
        let source = Source::new("user.toml", scenarios);
        files.scenarios.insert(0, source);
        let (journal, transport) = (Arc::new(NoJournal), Arc::new(NoTransport));
        Served::built(
            &files,
            limits,
            &[],
            journal,
            transport,
            ConsoleAccess::default(),
        )
    }

    pub(crate) fn with(limits: EdgeLimits, trusted: &[&str], journal: Arc<dyn Journal>) -> Self {
        let files = Files::built_in();
        Served::built(
            &files,
            limits,
            trusted,
            journal,
            Arc::new(NoTransport),
            ConsoleAccess::default(),
        )
    }

    /// A simulator whose console is for these, and whose webhooks leave so.
    pub(crate) fn for_control(access: ConsoleAccess, transport: Arc<dyn Transport>) -> Self {
        let limits = EdgeLimits::default();
        let (files, journal) = (Files::built_in(), Arc::new(NoJournal));
        Served::built(&files, limits, &[], journal, transport, access)
    }

    fn built(
        files: &Files,
        limits: EdgeLimits,
        trusted: &[&str],
        journal: Arc<dyn Journal>,
        transport: Arc<dyn Transport>,
        access: ConsoleAccess,
    ) -> Self {
        let mut rules =
            Rules::read(files, Seed::new("")).unwrap_or_else(|problems| panic!("{problems}"));
        let accounts =
            read_accounts(&scenario::accounts()).expect("a test on a machine that works");
        let clock = Clock::manual(Timestamp::constant(1_800_000_000, 0));
        let runtime = Runtime::new().expect("a test on a machine that works");
        let bind = || {
            runtime
                .block_on(TcpListener::bind("127.0.0.1:0"))
                .expect("a test on a machine that works")
        };
        let listeners = [bind(), bind(), bind()];
        let [console, sandbox, live] = listeners
            .each_ref()
            .map(|it| it.local_addr().expect("a test on a machine that works"));
        let addresses = Addresses {
            console,
            sandbox,
            live,
        };
        rules.addresses = addresses.in_answers();
        let config = HostConfig {
            journal,
            transport,
            ..HostConfig::new(clock)
        };
        let host =
            Host::new(rules, accounts.clone(), config).expect("a test on a machine that works");
        let stop = CancellationToken::new();
        let api = |environment| {
            Arc::new(Api {
                host: Arc::clone(&host),
                environment,
                trusted_proxies: trusted
                    .iter()
                    .map(|net| net.parse().expect("a test on a machine that works"))
                    .collect(),
                body_timeout: limits.body,
            })
        };
        let pages = Console {
            host: Arc::clone(&host),
            accounts: accounts.clone(),
            addresses,
            targets: TargetPolicy::loopback_only(),
            access,
            stop: stop.clone(),
        };
        let [console, sandbox, live] = listeners;
        let (test, stopped) = (api(Environment::Test), || stop.clone());
        let edges = vec![
            runtime.spawn(serve(console, pages.router(), limits, stopped())),
            runtime.spawn(serve(sandbox, test, limits, stopped())),
            runtime.spawn(serve(live, api(Environment::Live), limits, stopped())),
        ];
        Served {
            addresses,
            accounts,
            rules: host.rules(),
            host,
            stop,
            edges,
            runtime,
        }
    }

    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    pub(crate) fn connect(&self) -> Client {
        Client::to(self.addresses.sandbox)
    }

    /// The bytes of a call that succeeds.
    pub(crate) fn call(&self, key: &str, more_headers: &str) -> String {
        let call = sample::first_call(&self.rules.contract, &self.accounts)
            .expect("a test on a machine that works");
        let (path, body) = (call.path, call.body);
        format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n{more_headers}\r\n{body}",
            body.len()
        )
    }

    /// The head of a call whose body is still to come.
    pub(crate) fn head(&self, length: &str) -> String {
        let call = sample::first_call(&self.rules.contract, &self.accounts)
            .expect("a test on a machine that works");
        format!(
            "POST {} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\n{length}\r\n\r\n",
            call.path, call.key
        )
    }

    /// Waits until every listener has ended.
    pub(crate) fn ended(self) {
        let Served { edges, runtime, .. } = self;
        runtime.block_on(async {
            for edge in edges {
                edge.await.expect("a test on a machine that works");
            }
        });
    }
}

/// One connection.
pub(crate) struct Client(pub(crate) TcpStream);

/// An answer as it arrived.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (known, value) = line.split_once(": ")?;
            known.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of a failed envelope.
    pub(crate) fn code(&self) -> String {
        let json = self.json();
        assert_eq!(json["success"], false, "{self:?}");
        json["error"]["code"]
            .as_str()
            .expect("a test on a machine that works")
            .to_owned()
    }
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a test on a machine that works");
        let client = Client(stream);
        // Only a failing test waits so long.
        client.wait_up_to(Duration::from_secs(10));
        client
    }

    /// How long a read may take from now on.
    pub(crate) fn wait_up_to(&self, time: Duration) {
        self.0
            .set_read_timeout(Some(time))
            .expect("a test on a machine that works");
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.0
            .write_all(bytes.as_ref())
            .expect("a test on a machine that works");
    }

    pub(crate) fn ask(&mut self, bytes: impl AsRef<[u8]>) -> Answer {
        self.write(bytes);
        self.answer(true)
    }

    pub(crate) fn answer(&mut self, with_body: bool) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0
                .read_exact(&mut byte)
                .expect("a test on a machine that works");
            head.extend(byte);
        }
        let head = String::from_utf8(head).expect("a test on a machine that works");
        let status = head[9..12].parse().expect("a test on a machine that works");
        let mut answer = Answer {
            status,
            head,
            body: String::new(),
        };
        if let Some(length) = answer.header("content-length").filter(|_| with_body) {
            let mut body = vec![0; length.parse().expect("a test on a machine that works")];
            self.0
                .read_exact(&mut body)
                .expect("a test on a machine that works");
            answer.body = String::from_utf8(body).expect("a test on a machine that works");
        }
        answer
    }

    /// Waits for the end of the connection; nothing may come before it.
    pub(crate) fn closed(mut self) {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest)),
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}"),
        }
    }
}
