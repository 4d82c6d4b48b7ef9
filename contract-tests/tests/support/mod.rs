//! The simulator as a target in this process, and the setting its checks are made for.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::http::HeaderValue;
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use svc_contract_tests::capture::{Channel, Request, Response, TransportError};
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::sink::{ReceivedWebhook, RunSink, Sink};
use svc_contract_tests::target::Target;
use svc_fixtures::contract::Contract;
use svc_fixtures::contract::Environment;
use svc_simulator::engine::call::input::MAX_BODY_BYTES;
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::{Body, Call, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::host::clock::Clock;
use svc_simulator::host::transport::{MemoryTransport, TargetPolicy, WebhookRequest};
use svc_simulator::host::{Host, HostConfig};
use svc_simulator::http::api::Api;
use svc_simulator::http::console::Console;
use svc_simulator::http::control::guard::ConsoleAccess;
use svc_simulator::http::edge::IncomingRequest;
use svc_simulator::http::{ListenerAddresses, PublicUrls};
use svc_simulator::scenario::{self, AccountConfig};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// 2027-01-15T08:00:00Z
const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// The rules every simulator here goes by, read once.
static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| {
    let rules = Rules::read(&Files::built_in(), Seed::new("self-test"));
    Arc::new(rules.unwrap_or_else(|problems| panic!("{problems}")))
});

/// The accounts that a simulator starts with.
static ACCOUNTS: LazyLock<Vec<AccountConfig>> = LazyLock::new(|| {
    let accounts = scenario::read_accounts(&scenario::accounts());
    accounts.unwrap_or_else(|problems| panic!("{problems}"))
});

pub(crate) fn accounts() -> Vec<AccountConfig> {
    ACCOUNTS.clone()
}

/// A simulator without its listeners, and a receiver that its webhooks reach without a network.
pub(crate) struct InProcess {
    host: Arc<Host>,
    pages: [Arc<Api>; 2],
    console: Router,
    sink: Sink,
}

/// Where the simulator says it listens; nobody does.
const ADDRESSES: ListenerAddresses = ListenerAddresses::DEFAULT;
/// Where its webhooks go.
const SINK: &str = "http://127.0.0.1:9";

impl InProcess {
    /// A simulator with these accounts.
    pub(crate) fn new(accounts: Vec<AccountConfig>) -> Self {
        InProcess::delivering(accounts, receive)
    }

    /// The same, whose webhooks get to the receiver by this; it answers with the receiver's status.
    pub(crate) fn delivering(
        accounts: Vec<AccountConfig>,
        deliver: impl Fn(&Sink, &WebhookRequest) -> u16 + Send + Sync + 'static,
    ) -> Self {
        let sink = Sink::default();
        let receiver = sink.clone();
        let transport = MemoryTransport::new(move |posting, _| deliver(&receiver, posting));
        let config = HostConfig {
            transport: Arc::new(transport),
            ..HostConfig::new(Clock::manual(START))
        };
        let host = Host::new(Arc::clone(&RULES), accounts.clone(), config)
            .expect("a memory journal takes all");
        let page = |environment| {
            Arc::new(Api {
                host: Arc::clone(&host),
                environment,
                trusted_proxies: Vec::new(),
                body_timeout: Duration::from_secs(1),
            })
        };
        let console = Console {
            host: Arc::clone(&host),
            accounts,
            addresses: ADDRESSES,
            public: PublicUrls::default(),
            connections: ["console", "sandbox", "live"].map(|name| (name, Arc::default())),
            targets: TargetPolicy::loopback_only(),
            access: ConsoleAccess::default(),
            stop: CancellationToken::new(),
            // Nobody looks at them here, and they are half of the work of making a service.
            pages: |_, _| Router::new(),
        };
        InProcess {
            pages: [Environment::Test, Environment::Live].map(page),
            console: console.router(),
            host,
            sink,
        }
    }

    /// By way of the listener's router, as pages and the console are asked.
    async fn request(&self, request: &Request) -> Response {
        let target = match request.query.as_str() {
            "" => request.path.clone(),
            query => format!("{}?{query}", request.path),
        };
        let mut asked = axum::http::Request::builder()
            .method(request.method.as_str())
            .uri(target)
            .header("host", ADDRESSES.console.to_string());
        for (name, value) in &request.headers {
            asked = asked.header(name, value);
        }
        let asked = asked.body(axum::body::Body::from(request.body.clone()));
        let asked = asked.expect("a request");
        let page = match (request.channel, request.environment) {
            (Channel::Console, _) => None,
            (_, Environment::Test) => Some(&self.pages[0]),
            (_, Environment::Live) => Some(&self.pages[1]),
        };
        let answer = match page {
            Some(page) => {
                let incoming = IncomingRequest {
                    request: asked,
                    malformed: None,
                    peer: ([127, 0, 0, 1], 1).into(),
                };
                Arc::clone(page).answer(incoming).await
            }
            None => {
                let answer = self.console.clone().oneshot(asked).await;
                answer.expect("a router always answers")
            }
        };
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.expect("a body in memory").to_bytes();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers = parts.headers.iter();
        Response {
            status: parts.status.as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
            body: body.into(),
        }
    }
}

/// What the receiver answers to a webhook.
pub(crate) fn receive(sink: &Sink, posting: &WebhookRequest) -> u16 {
    let path = posting.url.strip_prefix(SINK).unwrap_or_default();
    sink.take(ReceivedWebhook {
        path: path.to_owned(),
        method: "POST".to_owned(),
        at_s: Some(START.as_second()),
        signature: posting.signature.clone(),
        content_type: None,
        body: String::from_utf8_lossy(&posting.body).into_owned(),
        status: 0,
        verified: None,
        elsewhere: None,
        mistake: None,
    })
}

impl Target for InProcess {
    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        if request.channel != Channel::Api {
            return Ok(self.request(request).await);
        }
        let header = |name: &str| {
            request
                .header(name)
                .map_or(Header::Absent, |value| Header::One(value.as_bytes()))
        };
        let authorization = request.authorization.as_ref();
        let sent = request.sent_body();
        let call = Call {
            environment: request.environment,
            peer: IpAddr::from([127, 0, 0, 1]),
            method: &request.method,
            path: &request.path,
            query: &request.query,
            headers: Headers {
                authorization: authorization
                    .map_or(Header::Absent, |key| Header::One(key.expose().as_bytes())),
                content_type: header("content-type"),
                content_encoding: header("content-encoding"),
                idempotency_key: header("idempotency-key"),
                reference_id: header("x-reference-id"),
                all: None,
            },
            body: if sent.len() > MAX_BODY_BYTES {
                Body::TooLarge
            } else {
                Body::Whole(&sent)
            },
        };
        Ok(response(self.host.answer(&call).await))
    }

    fn sink(&self) -> Option<RunSink> {
        Some(RunSink {
            sink: self.sink.clone(),
            url: SINK.to_owned(),
        })
    }
}

/// When it is, as HTTP says it: [`START`], where all of its clocks stand.
const DATE: &str = "Fri, 15 Jan 2027 08:00:00 GMT";

/// The headers that the engine decides, and of those that HTTP puts on the ones that are the same for all.
fn response(reply: Reply) -> Response {
    let mut headers = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        headers.extend(value.map(|value| (name.to_owned(), value)))
    };
    add(
        "retry-after",
        reply.retry_after_s.map(|seconds| seconds.to_string()),
    );
    add("allow", reply.allow.map(str::to_owned));
    add("content-type", Some("application/json".to_owned()));
    add("date", Some(DATE.to_owned()));
    add("idempotent-replay", reply.replay.then(|| "true".to_owned()));
    Response {
        status: reply.status,
        headers,
        body: reply.body.to_vec(),
    }
}

/// Everything is asked of a simulator, on both environments.
pub(crate) fn setting(contract: &Contract) -> Setting<'_> {
    Setting::new(contract, inputs::built_in(), "self")
        .everything()
        .in_process()
}

/// Runs to the end, on this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    // Real delays pass at once: time moves on whenever nothing else is left to do.
    let runtime = builder
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(future)
}
