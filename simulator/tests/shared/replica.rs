//! Simulators that share a store, and calls of them.

use std::time::Duration;

use serde_json::{Value, json};
use svc_simulator::Simulator;

pub(crate) const PAN: &str = "/v1/verify/identity/pan";
pub(crate) const UAN: &str = "/v1/verify/employment/uan";

/// A simulator. When it is dropped it dies: nothing is told to anybody.
pub(crate) struct Replica {
    simulator: Simulator,
    client: reqwest::Client,
}

/// An answer of the API or the control API.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) replay: bool,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn id(&self) -> String {
        let id = self.body["verificationId"].as_str();
        id.unwrap_or_else(|| panic!("{self:?}")).to_owned()
    }
}

impl Replica {
    pub(crate) fn start(store: &str) -> Self {
        Replica::with(store, "")
    }

    /// With these scenarios.
    pub(crate) fn with(store: &str, scenarios: &str) -> Self {
        let simulator = Simulator::builder()
            .store(store.parse().expect("a store"))
            .scenarios(scenarios);
        let client = svc_tls::plain_client().timeout(Duration::from_secs(30));
        Replica {
            simulator: simulator.start_blocking().expect("it starts"),
            client: client.build().expect("a client"),
        }
    }

    /// So many.
    pub(crate) fn start_all<const N: usize>(store: &str, scenarios: &str) -> [Self; N] {
        std::array::from_fn(|_| Replica::with(store, scenarios))
    }

    /// Ends it as Ctrl-C does.
    pub(crate) fn stop(self) {
        self.simulator.stop_blocking();
    }

    pub(crate) fn simulator(&self) -> &Simulator {
        &self.simulator
    }

    /// A call of live with the key of this account, as a future that needs a runtime.
    pub(crate) fn post(
        &self,
        account: &str,
        path: &str,
        body: &Value,
        key: Option<&str>,
    ) -> impl Future<Output = Result<Answer, reqwest::Error>> + Send + 'static {
        let url = format!("{}{path}", self.simulator.live_url());
        let mut request = self
            .client
            .post(url)
            .bearer_auth(format!("svc_live_{account}"));
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        answer(with_json(request, body))
    }

    /// Waits for calls at once. They may be of several replicas.
    pub(crate) fn at_once<F>(&self, calls: impl Iterator<Item = F>) -> Vec<Answer>
    where
        F: Future<Output = Result<Answer, reqwest::Error>> + Send + 'static,
    {
        self.simulator.block_on(async {
            let calls: Vec<_> = calls.map(tokio::spawn).collect();
            let mut answers = Vec::new();
            for call in calls {
                answers.push(call.await.expect("no panic").expect("an answer"));
            }
            answers
        })
    }

    /// The same, waited for.
    pub(crate) fn call(&self, account: &str, path: &str, body: Value, key: Option<&str>) -> Answer {
        let called = self.post(account, path, &body, key);
        self.simulator.block_on(called).expect("an answer")
    }

    pub(crate) fn pan(&self, account: &str, pan: &str, key: Option<&str>) -> Answer {
        self.call(account, PAN, json!({ "pan": pan }), key)
    }

    pub(crate) fn get(&self, account: &str, path: &str) -> Answer {
        let url = format!("{}{path}", self.simulator.live_url());
        let request = self
            .client
            .get(url)
            .bearer_auth(format!("svc_live_{account}"));
        self.simulator.block_on(answer(request)).expect("an answer")
    }

    /// A request of the control API.
    pub(crate) fn control(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let url = format!("{}/control{path}", self.simulator.console_url());
        let method = method.parse().expect("a method");
        let mut request = self.client.request(method, url);
        if let Some(body) = body {
            request = with_json(request, &body);
        }
        self.simulator.block_on(answer(request)).expect("an answer")
    }

    /// The same, as a future that needs a runtime.
    pub(crate) fn asked(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> impl Future<Output = Result<Answer, reqwest::Error>> + Send + use<> {
        let url = format!("{}/control{path}", self.simulator.console_url());
        let method = method.parse().expect("a method");
        answer(with_json(self.client.request(method, url), body))
    }

    /// How often it decided on an account that another replica had changed meanwhile.
    pub(crate) fn conflicts(&self) -> u64 {
        let url = format!("{}/metrics", self.simulator.console_url());
        let read = async { self.client.get(url).send().await?.text().await };
        let metrics = self.simulator.block_on(read).expect("an answer");
        let mut lines = metrics.lines();
        let value =
            lines.find_map(|line| line.strip_prefix("svc_simulator_store_conflicts_total "));
        value
            .and_then(|value| value.parse().ok())
            .expect("a number")
    }

    /// Waits until this finds something; only a failing test waits for long.
    pub(crate) fn until<T>(&self, mut found: impl FnMut() -> Option<T>) -> T {
        let looks = (0..3000).find_map(|_| {
            let pause = async { tokio::time::sleep(Duration::from_millis(10)).await };
            found().or_else(|| {
                self.simulator.block_on(pause);
                None
            })
        });
        looks.expect("it happens in time")
    }

    /// Balance and what is held, in rupees.
    pub(crate) fn wallet(&self, account: &str) -> Value {
        self.control("GET", &format!("/accounts/{account}"), None)
            .body["live"]
            .clone()
    }
}

pub(crate) fn with_json(request: reqwest::RequestBuilder, body: &Value) -> reqwest::RequestBuilder {
    request
        .header("Content-Type", "application/json")
        .body(body.to_string())
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Result<Answer, reqwest::Error> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    let replay = response.headers().contains_key("Idempotent-Replay");
    let bytes = response.bytes().await?;
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Ok(Answer {
        status,
        replay,
        body,
    })
}
