//! The simulator as a target in this process, and the setting its checks are made for.

use std::net::IpAddr;
use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use svc_contract_tests::plan::{Setting, inputs};
use svc_contract_tests::target::{Request, Response, Target, TransportError};
use svc_fixtures::contract::Contract;
use svc_fixtures::contract::Environment;
use svc_simulator::engine::call::{self, Body, Call, Header, Headers};
use svc_simulator::engine::ids::Seed;
use svc_simulator::engine::reply::Reply;
use svc_simulator::engine::rules::{Files, Rules};
use svc_simulator::host::clock::Clock;
use svc_simulator::host::{Host, Means};
use svc_simulator::scenario::{self, AccountTerms};

/// 2027-01-15T08:00:00Z
const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// The rules every simulator here goes by, read once.
static RULES: LazyLock<Arc<Rules>> = LazyLock::new(|| {
    let rules = Rules::read(&Files::built_in(), Seed::new("self-test"));
    Arc::new(rules.unwrap_or_else(|problems| panic!("{problems}")))
});

/// The accounts that a simulator starts with.
static ACCOUNTS: LazyLock<Vec<AccountTerms>> = LazyLock::new(|| {
    let accounts = scenario::read_accounts(&scenario::accounts());
    accounts.unwrap_or_else(|problems| panic!("{problems}"))
});

pub(crate) fn accounts() -> Vec<AccountTerms> {
    ACCOUNTS.clone()
}

/// A simulator without its listeners.
pub(crate) struct InProcess {
    host: Arc<Host>,
}

impl InProcess {
    /// A simulator with these accounts.
    pub(crate) fn new(accounts: Vec<AccountTerms>) -> Self {
        let host = Host::new(Arc::clone(&RULES), accounts, Means::of(Clock::hand(START)));
        InProcess {
            host: host.expect("a memory journal takes all"),
        }
    }
}

impl Target for InProcess {
    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        let header = |name: &str| {
            request
                .header(name)
                .map_or(Header::Absent, |value| Header::One(value.as_bytes()))
        };
        let authorization = request.authorization.as_ref();
        let call = Call {
            environment: match request.environment {
                Environment::Test => call::Environment::Test,
                Environment::Live => call::Environment::Live,
            },
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
            },
            body: Body::Whole(&request.body),
        };
        Ok(response(self.host.answer(&call).await))
    }
}

/// The headers that the engine decides; those that HTTP puts on are not there.
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
