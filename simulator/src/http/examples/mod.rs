//! Examples for the documents and the listings: a fresh host in memory, whose clock stands still, has
//! given every answer to the request beside it.

mod bodies;
mod control;
mod ends;

use std::sync::Arc;

use serde_json::Value;
use svc_fixtures::contract::{BundleMode, Contract, ErrorCode, Kind, Operation, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};

use crate::engine::call::call_settings::CallSettings;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::host::clock::Clock;
use crate::host::{Host, HostConfig};
use crate::http::first_call::{newest_key, working_account};
use crate::http::in_process_call::InProcessCall;
use crate::http::named_inputs::{ScenarioInput, named_inputs};
use crate::rehearsal::Goal;
use crate::scenario::AccountConfig;
use crate::scenario_format::read_expectations;

use bodies::{malformed, second_body, with_carried};

pub use bodies::call_order;
pub(super) use bodies::issuer;
pub(super) use control::ControlExample;
pub use control::EXAMPLE_TIME;
#[cfg(test)]
pub(super) use control::{control_story, fill_path, in_memory, request as request_control};
pub(super) use ends::PendingEnd;

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
pub(super) struct OperationExamples {
    /// By the `status` of the answer: completed and, where it can be, pending.
    pub(super) answered: Vec<Exchange>,
    /// Inputs with a fixed error, one for each.
    pub(super) failing: Vec<Exchange>,
    /// Inputs that a scenario names and that succeed.
    pub(super) named: Vec<Exchange>,
    /// A call that asks for all that is only sometimes answered, where there is such a thing.
    pub(super) full: Option<Exchange>,
    /// What scenario files expect of somebody who is declared, or of a field: the name, and a call that
    /// succeeded.
    pub(super) expected: Vec<(String, Exchange)>,
}

/// All examples.
#[derive(Debug, Default)]
pub struct Examples {
    /// By the place of the operation in the contract.
    pub(super) operations: Vec<OperationExamples>,
    /// By the place of the bundle in the contract; of one in two calls, both.
    pub(super) bundles: Vec<Vec<Exchange>>,
    /// How what was pending ended.
    pub(super) ends: Vec<PendingEnd>,
    /// A call on live that was charged.
    pub(super) live: Option<Value>,
    /// An answer for each error code.
    pub(super) errors: Vec<(ErrorCode, Value)>,
    /// A look-up of the first operation's call.
    pub(super) verification: Option<Value>,
    /// What the sandbox account spent.
    pub(super) usage: Option<Value>,
    /// The requests to the control API.
    pub(super) control: Vec<ControlExample>,
}

/// Makes all example calls. There are none where no account works. Blocks: not to be called from async
/// code.
///
/// # Panics
/// Where the machine has nothing left to make a runtime of.
#[must_use]
pub fn examples(rules: &Rules, accounts: &[AccountConfig]) -> Examples {
    // Nobody waits for an example as long as for an answer.
    let mut at_once = rules.clone();
    at_once.settings = CallSettings::default();
    let rules = &at_once;
    // Tasks that the examples leave waiting end with this runtime.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.expect("a runtime without threads and sockets needs next to nothing");
    runtime
        .block_on(collect(rules, accounts))
        .unwrap_or_default()
}

async fn collect(rules: &Rules, accounts: &[AccountConfig]) -> Option<Examples> {
    let clock = Clock::manual(EXAMPLE_TIME);
    let host = Host::new(rules.clone(), accounts.to_vec(), HostConfig::new(clock)).ok()?;
    let account = working_account(accounts)?;
    let key = newest_key(account, Environment::Test);
    let client = ExampleClient { host, key };
    let mut operations = client.operations(rules).await;
    let first = operations.iter().find_map(|it| it.answered.first())?;
    let id = first.answer["verificationId"].as_str().unwrap_or_default();
    let verification = client.get(&format!("/v1/verifications/{id}")).await;
    let usage = client.get("/v1/usage").await;
    let errors = client.errors(rules, accounts, &operations).await;
    let bundles = client.bundles(&rules.contract).await;
    client.ask_for_all(&rules.contract, &mut operations).await;
    let live = client.live(&rules.contract, account).await;
    // The last: it moves the account's clock.
    let ends = ends::ends(&client.host, account, &client.key, &operations, &bundles).await;
    Some(Examples {
        bundles,
        ends,
        live,
        operations,
        errors,
        verification: Some(verification),
        usage: Some(usage),
        control: control::control_story(rules, accounts).await,
    })
}

impl Exchange {
    fn meets(&self, goal: Goal) -> bool {
        match goal {
            Goal::Completed => self.answer["success"] == true,
            Goal::Pending => self.is_pending(),
            Goal::Error(code) => self.answer["error"]["code"] == code.as_str(),
        }
    }

    pub(super) fn is_pending(&self) -> bool {
        self.answer["status"] == "pending"
    }
}

struct ExampleClient {
    host: Arc<Host>,
    key: String,
}

impl ExampleClient {
    async fn send(&self, call: InProcessCall<'_>) -> (u16, Value) {
        let reply = call.answer(&self.host).await;
        let answer = serde_json::from_slice(&reply.body);
        (reply.status, answer.expect("an envelope is JSON"))
    }

    async fn get(&self, path: &str) -> Value {
        let post = InProcessCall::post(Environment::Test, &self.key, path, "");
        let get = InProcessCall {
            method: "GET",
            body: None,
            ..post
        };
        self.send(get).await.1
    }

    async fn post(&self, operation: &Operation, body: Json<'static>) -> Exchange {
        self.post_to(&sample::path(operation), body).await
    }

    /// Each bundle with a body that all its steps accept.
    async fn bundles(&self, contract: &Contract) -> Vec<Vec<Exchange>> {
        let mut found = Vec::new();
        for bundle in &contract.bundles {
            let body = sample::bundle_body(contract, bundle);
            let first = self.post_to(&bundle.path, body).await;
            let mut calls = vec![first];
            if bundle.mode == BundleMode::TwoCalls {
                let body = second_body(contract, bundle, &calls[0]);
                calls.push(self.post_to(&bundle.path, body).await);
            }
            found.push(calls);
        }
        found
    }

    /// Asks once more for what an answer has only where it is asked for: with each truth value true.
    async fn ask_for_all(&self, contract: &Contract, found: &mut [OperationExamples]) {
        for (index, operation) in contract.indexed_operations() {
            let mut wishes = operation.request.iter();
            if !wishes.any(|field| matches!(field.kind, Kind::Bool)) {
                continue;
            }
            let mut body = sample::body(contract, operation, Extent::Shown);
            for field in &operation.request {
                if matches!(field.kind, Kind::Bool) {
                    body.set(field.name.clone(), true.into());
                }
            }
            let exchange = self.post(operation, body).await;
            found[index.0].full = Some(exchange).filter(|it| it.meets(Goal::Completed));
        }
    }

    /// The first operation's sample on live.
    async fn live(&self, contract: &Contract, account: &AccountConfig) -> Option<Value> {
        let operation = contract.operations.first()?;
        let key = newest_key(account, Environment::Live);
        let body = sample::body(contract, operation, Extent::Shown).to_string();
        let path = sample::path(operation);
        let post = InProcessCall::post(Environment::Live, &key, &path, &body);
        Some(self.send(post).await.1)
    }

    async fn post_to(&self, path: &str, body: Json<'static>) -> Exchange {
        let text = body.to_string();
        let post = InProcessCall::post(Environment::Test, &self.key, path, &text);
        let (status, answer) = self.send(post).await;
        Exchange {
            body,
            status,
            answer,
            set: Vec::new(),
            scenario: None,
        }
    }

    async fn operations(&self, rules: &Rules) -> Vec<OperationExamples> {
        let contract = &rules.contract;
        let mut found = vec![OperationExamples::default(); contract.operations.len()];
        for index in call_order(contract) {
            let operation = &contract.operations[index];
            let body = with_carried(contract, operation, &found);
            let sample = self.post(operation, body.clone()).await;
            found[index.0].answered.push(sample);
            for input in named_inputs(rules, index, &body) {
                self.post_input(operation, input, &mut found[index.0]).await;
            }
        }
        self.post_expected(rules, &mut found).await;
        found
    }

    /// Keeps the calls that scenario files expect something of, where they succeed.
    async fn post_expected(&self, rules: &Rules, found: &mut [OperationExamples]) {
        let contract = &rules.contract;
        let expectations = read_expectations(contract, rules.cast(), rules.sources());
        for it in expectations.unwrap_or_default() {
            let operation = &contract.operations[it.operation];
            // Whom a later step speaks of, the first call said.
            if it
                .call
                .iter()
                .any(|(name, _)| operation.field(name).is_none())
            {
                continue;
            }
            let mut body = match issuer(contract, operation) {
                Some(_) => with_carried(contract, operation, found),
                None => sample::body(contract, operation, Extent::Required),
            };
            for (field, value) in it.call {
                body.set(field, value);
            }
            let known = &found[it.operation.0];
            let all = known.answered.iter().chain(&known.named);
            let mut all = all.chain(known.expected.iter().map(|(_, exchange)| exchange));
            // The same call once more would get another id.
            let exchange = match all.find(|exchange| exchange.body == body).cloned() {
                Some(same) => same,
                None => self.post(operation, body).await,
            };
            if exchange.answer["success"] == true {
                found[it.operation.0].expected.push((it.name, exchange));
            }
        }
    }

    /// Keeps the first input for each error and for a pending answer, and all that succeed by name;
    /// what was not answered as the scenario says is not kept.
    async fn post_input(
        &self,
        operation: &Operation,
        input: ScenarioInput,
        found: &mut OperationExamples,
    ) {
        let known = match input.outcome {
            Goal::Completed => &mut found.named,
            Goal::Pending => &mut found.answered,
            Goal::Error(_) => &mut found.failing,
        };
        let is_new = !known.iter().any(|it| it.meets(input.outcome));
        if is_new || input.outcome == Goal::Completed {
            let exchange = Exchange {
                set: input.set,
                scenario: Some(input.scenario),
                ..self.post(operation, input.body).await
            };
            known.extend(Some(exchange).filter(|it| it.meets(input.outcome)));
        }
    }

    /// An answer for each error code that these accounts and scenarios can produce.
    async fn errors(
        &self,
        rules: &Rules,
        accounts: &[AccountConfig],
        operations: &[OperationExamples],
    ) -> Vec<(ErrorCode, Value)> {
        let refusals = self.refusals(&rules.contract, accounts, operations).await;
        let failing = operations.iter().flat_map(|it| &it.failing);
        let found: Vec<&Value> = refusals
            .iter()
            .chain(failing.map(|it| &it.answer))
            .collect();
        let with = |code: ErrorCode| {
            let fits = |answer: &&&Value| answer["error"]["code"] == code.as_str();
            Some((code, Value::clone(found.iter().find(fits)?)))
        };
        ErrorCode::ALL.into_iter().filter_map(with).collect()
    }

    async fn refusals(
        &self,
        contract: &Contract,
        accounts: &[AccountConfig],
        operations: &[OperationExamples],
    ) -> Vec<Value> {
        let asked = contract.operations.iter().zip(operations);
        let mut asked = asked.filter_map(|(row, it)| Some((row, it.answered.first()?)));
        let Some((operation, sample)) = asked.find(|(_, it)| it.status == 200) else {
            return Vec::new();
        };
        let keys = RefusedKeys::of(accounts, &self.key);
        let path = sample::path(operation);
        // A field nobody knows makes another body to the idempotency key.
        let (body, mut changed) = (sample.body.to_string(), sample.body.clone());
        changed.set("note", Json::from("another body"));
        let changed = changed.to_string();
        let order = Some("order-1042");
        let plain = InProcessCall::post(Environment::Test, &self.key, &path, &body);
        #[rustfmt::skip]
        let mut requests = vec![
            InProcessCall { body: Some("{}"), ..plain },
            InProcessCall { key: None, ..plain },
            InProcessCall { key: Some(&keys.live), ..plain },
            InProcessCall { environment: Environment::Live, key: keys.broke.as_deref(), ..plain },
            InProcessCall { key: keys.blocked.as_deref(), ..plain },
            InProcessCall { path: "/v1/no/such/operation", ..plain },
            InProcessCall { idempotency_key: order, ..plain },
            InProcessCall { idempotency_key: order, body: Some(&changed), ..plain },
        ];
        let throttled = InProcessCall {
            key: keys.throttled.as_deref(),
            ..plain
        };
        requests.extend((0..=keys.burst).map(|_| throttled));
        let mut answers = Vec::new();
        for request in requests {
            answers.push(self.send(request).await.1);
        }
        if let Some((operation, body)) = malformed(contract) {
            answers.push(self.post(operation, body).await.answer);
        }
        answers
    }
}

/// Keys that are refused for a reason of their account.
struct RefusedKeys {
    live: String,
    broke: Option<String>,
    blocked: Option<String>,
    throttled: Option<String>,
    /// The burst of the throttled key.
    burst: u32,
}

impl RefusedKeys {
    fn of(accounts: &[AccountConfig], own: &str) -> Self {
        let key = |environment, wanted: &dyn Fn(&AccountConfig) -> bool| {
            let valid = |it: &AccountConfig| it.keys.first().is_some_and(|key| !key.revoked);
            let account = accounts.iter().find(|it| wanted(it) && valid(it))?;
            Some(newest_key(account, environment))
        };
        let [test, live] = Environment::ALL.map(Environment::key_prefix);
        let bursts = accounts.iter().filter_map(|it| it.rate_limit);
        RefusedKeys {
            live: own.replacen(test, live, 1),
            broke: key(Environment::Live, &|it| it.live_wallet == Paise::ZERO),
            blocked: key(Environment::Test, &|it| !it.allowlist.is_empty()),
            throttled: key(Environment::Test, &|it| it.rate_limit.is_some()),
            burst: bursts.map(|it| it.burst).max().unwrap_or(0),
        }
    }
}
