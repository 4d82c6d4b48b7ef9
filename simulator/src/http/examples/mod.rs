//! Examples that are true: every answer was given by a fresh host in memory, whose clock stands
//! still, to the request beside it. The documents and the listings show them.

mod bodies;
mod control;
mod inputs;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use svc_fixtures::contract::{Contract, ErrorCode, Operation, Paise};
use svc_fixtures::json::Json;

use crate::engine::call::request::{Body, Call, Environment, Header, Headers};
use crate::engine::call::rules::Rules;
use crate::host::clock::Clock;
use crate::host::{Host, HostConfig};
use crate::http::sample;
use crate::scenario::AccountConfig;

use bodies::{malformed, with_carried, with_extra};
use inputs::{Input, Wanted, inputs};

pub(super) use crate::rehearsal::first_text;
pub use bodies::asking_order;
pub(super) use bodies::issuer;
pub(super) use control::Told;
#[cfg(test)]
pub(super) use control::{ask as ask_control, in_memory, path as control_path, told};

/// The instant all examples were asked at.
pub const ASKED_AT: Timestamp = Timestamp::constant(1_768_469_400, 0);

/// A request and its answer.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) body: Json<'static>,
    pub(super) status: u16,
    pub(super) answer: Value,
    /// What was set in the sample body, by field; of the sample itself nothing.
    pub(super) set: Vec<(String, Json<'static>)>,
    /// The scenario that decided; of the sample none.
    pub(super) scenario: Option<Arc<str>>,
}

/// The examples of one operation.
#[derive(Debug, Clone, Default)]
pub(super) struct OfOperation {
    /// By the `status` of the answer: completed and, where it can be, pending.
    pub(super) answered: Vec<Exchange>,
    /// Inputs with a fixed error, one for each.
    pub(super) failing: Vec<Exchange>,
    /// Inputs that a scenario names and that succeed.
    pub(super) named: Vec<Exchange>,
}

/// All examples.
#[derive(Debug, Default)]
pub struct Examples {
    /// By the place of the operation in the contract.
    pub(super) operations: Vec<OfOperation>,
    /// By the place of the bundle in the contract.
    pub(super) bundles: Vec<Exchange>,
    /// An answer for each error code.
    pub(super) errors: Vec<(ErrorCode, Value)>,
    /// A look-up of the first operation's call.
    pub(super) verification: Option<Value>,
    /// What the sandbox account spent.
    pub(super) usage: Option<Value>,
    /// The story of the control API.
    pub(super) control: Vec<Told>,
}

/// Asks for all of them; none are found where no account works. Blocks: not to be called from async
/// code.
///
/// # Panics
/// Where the machine has nothing left to make a runtime of.
#[must_use]
pub fn found(rules: &Rules, accounts: &[AccountConfig]) -> Examples {
    // A runtime of its own: what the examples leave waiting ends with it.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime without threads and sockets needs next to nothing");
    runtime.block_on(ask(rules, accounts)).unwrap_or_default()
}

async fn ask(rules: &Rules, accounts: &[AccountConfig]) -> Option<Examples> {
    let clock = Clock::manual(ASKED_AT);
    let host = Host::new(rules.clone(), accounts.to_vec(), HostConfig::new(clock)).ok()?;
    let account = sample::working(accounts)?;
    let key = sample::key(account, Environment::Test);
    let asker = Asker { host, key };
    let operations = asker.operations(rules).await;
    let first = operations.iter().find_map(|it| it.answered.first())?;
    let id = first.answer["verificationId"].as_str().unwrap_or_default();
    let verification = asker.get(&format!("/v1/verifications/{id}")).await;
    let usage = asker.get("/v1/usage").await;
    let errors = asker.errors(rules, accounts, &operations).await;
    Some(Examples {
        bundles: asker.bundles(&rules.contract).await,
        operations,
        errors,
        verification: Some(verification),
        usage: Some(usage),
        control: control::told(rules, accounts).await,
    })
}

/// A body that is answered as pending and whose result comes without a person: of this operation, or
/// of the first that has one.
pub(super) fn pending_input(rules: &Rules, of: Option<usize>) -> Option<(usize, Json<'static>)> {
    let contract = &rules.contract;
    let operations = contract.operations.iter().enumerate();
    let wanted = operations.filter(|(index, _)| of.is_none_or(|of| of == *index));
    let mut found = wanted.filter_map(|(index, operation)| {
        let pending = operation.pending.as_ref()?;
        let by_webhook = pending.by_consent.is_none() || of.is_some();
        let sample = sample::body(contract, operation);
        let mut inputs = inputs(rules, index, &sample).into_iter();
        let named = inputs.find(|input| input.wanted == Wanted::Pending);
        let body = named.map(|input| input.body);
        let body = body.or_else(|| pending.always.then_some(sample));
        body.filter(|_| by_webhook).map(|body| (index, body))
    });
    found.next()
}

impl Exchange {
    fn is(&self, code: ErrorCode) -> bool {
        self.answer["error"]["code"] == code.as_str()
    }

    pub(super) fn is_pending(&self) -> bool {
        self.answer["status"] == "pending"
    }
}

struct Asker {
    host: Arc<Host>,
    key: String,
}

/// What varies from one question to another.
#[derive(Clone, Copy)]
struct Question<'q> {
    environment: Environment,
    key: Option<&'q str>,
    idempotency_key: Option<&'q str>,
    method: &'q str,
    path: &'q str,
    body: Option<&'q Json<'q>>,
}

impl Asker {
    async fn ask(&self, question: Question<'_>) -> (u16, Value) {
        let bearer = question.key.map(|key| format!("Bearer {key}"));
        let header = |text: Option<&'static str>| {
            text.map_or(Header::Absent, |text| Header::One(text.as_bytes()))
        };
        let body = question.body.map(ToString::to_string).unwrap_or_default();
        let call = Call {
            environment: question.environment,
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            method: question.method,
            path: question.path,
            query: "",
            headers: Headers {
                authorization: bearer
                    .as_ref()
                    .map_or(Header::Absent, |text| Header::One(text.as_bytes())),
                content_type: header(question.body.map(|_| "application/json")),
                idempotency_key: question
                    .idempotency_key
                    .map_or(Header::Absent, |text| Header::One(text.as_bytes())),
                ..Headers::default()
            },
            body: Body::Whole(body.as_bytes()),
        };
        let reply = self.host.answer(&call).await;
        (
            reply.status,
            serde_json::from_slice(&reply.body).expect("an envelope is JSON"),
        )
    }

    async fn get(&self, path: &str) -> Value {
        let (environment, key) = (Environment::Test, Some(self.key.as_str()));
        let question = Question {
            environment,
            key,
            idempotency_key: None,
            method: "GET",
            path,
            body: None,
        };
        self.ask(question).await.1
    }

    async fn post(&self, operation: &Operation, body: Json<'static>) -> Exchange {
        self.post_to(&sample::path(operation), body).await
    }

    /// Each bundle with a body that all its steps accept.
    async fn bundles(&self, contract: &Contract) -> Vec<Exchange> {
        let mut found = Vec::new();
        for bundle in &contract.bundles {
            let path = sample::bundle_path(bundle);
            let body = contract.bundle_sample(bundle);
            found.push(self.post_to(&path, body).await);
        }
        found
    }

    async fn post_to(&self, path: &str, body: Json<'static>) -> Exchange {
        let question = Question {
            environment: Environment::Test,
            key: Some(&self.key),
            idempotency_key: None,
            method: "POST",
            path,
            body: Some(&body),
        };
        let (status, answer) = self.ask(question).await;
        Exchange {
            body,
            status,
            answer,
            set: Vec::new(),
            scenario: None,
        }
    }

    async fn operations(&self, rules: &Rules) -> Vec<OfOperation> {
        let contract = &rules.contract;
        let mut found = vec![OfOperation::default(); contract.operations.len()];
        for index in asking_order(contract) {
            let operation = &contract.operations[index];
            let body = with_carried(
                contract,
                operation,
                sample::body(contract, operation),
                &found,
            );
            let sample = self.post(operation, body.clone()).await;
            found[index].answered.push(sample);
            for input in inputs(rules, index, &body) {
                self.post_input(operation, input, &mut found[index]).await;
            }
        }
        found
    }

    /// Keeps the first input for each error and for a pending answer, and all that succeed by name;
    /// what was not answered as the scenario says is not kept.
    async fn post_input(&self, operation: &Operation, input: Input, found: &mut OfOperation) {
        let known = match input.wanted {
            Wanted::Error(code) => found.failing.iter().any(|it| it.is(code)),
            Wanted::Pending => found.answered.iter().any(Exchange::is_pending),
            Wanted::Success => false,
        };
        if known {
            return;
        }
        let exchange = Exchange {
            set: input.set,
            scenario: Some(input.scenario),
            ..self.post(operation, input.body).await
        };
        match input.wanted {
            Wanted::Error(code) if exchange.is(code) => found.failing.push(exchange),
            Wanted::Pending if exchange.is_pending() => found.answered.push(exchange),
            Wanted::Success if exchange.answer["success"] == true => found.named.push(exchange),
            _ => {}
        }
    }

    /// An answer for each code that these accounts and scenarios bring about.
    async fn errors(
        &self,
        rules: &Rules,
        accounts: &[AccountConfig],
        operations: &[OfOperation],
    ) -> Vec<(ErrorCode, Value)> {
        let contract = &rules.contract;
        let mut found: Vec<Value> = self.refusals(contract, accounts, operations).await;
        found.extend(
            operations
                .iter()
                .flat_map(|it| &it.failing)
                .map(|it| it.answer.clone()),
        );
        let with = |code: ErrorCode| {
            let fits = |answer: &&Value| answer["error"]["code"] == code.as_str();
            Some((code, found.iter().find(fits)?.clone()))
        };
        ErrorCode::ALL.into_iter().filter_map(with).collect()
    }

    async fn refusals(
        &self,
        contract: &Contract,
        accounts: &[AccountConfig],
        operations: &[OfOperation],
    ) -> Vec<Value> {
        let asked = contract.operations.iter().zip(operations);
        let mut asked = asked.filter_map(|(row, it)| Some((row, it.answered.first()?)));
        let Some((operation, sample)) = asked.find(|(_, it)| it.status == 200) else {
            return Vec::new();
        };
        let keys = Keys::of(accounts, &self.key);
        let path = sample::path(operation);
        let (empty, changed) = (Json::Object(Vec::new()), with_extra(&sample.body));
        let order = Some("order-1042");
        let plain = Question {
            environment: Environment::Test,
            key: Some(&self.key),
            idempotency_key: None,
            method: "POST",
            path: &path,
            body: Some(&sample.body),
        };
        #[rustfmt::skip]
        let mut questions = vec![
            Question { body: Some(&empty), ..plain },
            Question { key: None, ..plain },
            Question { key: Some(&keys.live), ..plain },
            Question { environment: Environment::Live, key: keys.broke.as_deref(), ..plain },
            Question { key: keys.blocked.as_deref(), ..plain },
            Question { path: "/v1/no/such/operation", ..plain },
            Question { idempotency_key: order, ..plain },
            Question { idempotency_key: order, body: Some(&changed), ..plain },
        ];
        let throttled = Question {
            key: keys.throttled.as_deref(),
            ..plain
        };
        questions.extend((0..=keys.burst).map(|_| throttled));
        let mut answers = Vec::new();
        for question in questions {
            answers.push(self.ask(question).await.1);
        }
        if let Some((operation, body)) = malformed(contract) {
            answers.push(self.post(operation, body).await.answer);
        }
        answers
    }
}

/// Keys that bring about the refusals of accounts.
struct Keys {
    live: String,
    broke: Option<String>,
    blocked: Option<String>,
    throttled: Option<String>,
    /// How many calls the throttled one has at once.
    burst: u32,
}

impl Keys {
    fn of(accounts: &[AccountConfig], own: &str) -> Self {
        let key = |environment, wanted: &dyn Fn(&AccountConfig) -> bool| {
            let valid = |it: &AccountConfig| it.keys.first().is_some_and(|key| !key.revoked);
            let account = accounts.iter().find(|it| wanted(it) && valid(it))?;
            Some(sample::key(account, environment))
        };
        let [test, live] = Environment::ALL.map(Environment::key_prefix);
        let bursts = accounts.iter().filter_map(|it| it.rate_limit);
        Keys {
            live: own.replacen(test, live, 1),
            broke: key(Environment::Live, &|it| it.live_wallet == Paise::ZERO),
            blocked: key(Environment::Test, &|it| !it.allowlist.is_empty()),
            throttled: key(Environment::Test, &|it| it.rate_limit.is_some()),
            burst: bursts.map(|it| it.burst).max().unwrap_or(0),
        }
    }
}
