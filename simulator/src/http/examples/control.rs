//! Examples of the control API that are true: a story example to a simulator in memory, one request a
//! route, each with the answer it got.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use serde_json::{Value, json};
use svc_fixtures::contract::OperationIndex;
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use crate::engine::call::rules::Rules;
use crate::host::clock::Clock;
use crate::host::transport::{MemoryTransport, TargetPolicy, WebhookRequest};
use crate::host::{Host, HostConfig};
use crate::http::control::{self, ControlApi, Route};
use crate::http::named_inputs::pending_input;
use crate::scenario::AccountConfig;

/// The instant of all examples.
pub const EXAMPLE_TIME: Timestamp = Timestamp::constant(1_768_469_400, 0);

/// A request of a route, with its answer.
#[derive(Debug, Clone)]
pub(in crate::http) struct ControlExample {
    /// The route's id.
    pub(in crate::http) id: &'static str,
    /// The value of the path's parameter.
    pub(in crate::http) path_id: String,
    pub(in crate::http) query: Vec<(&'static str, String)>,
    pub(in crate::http) body: Option<Value>,
    pub(in crate::http) status: u16,
    /// None where the answer has no body.
    pub(in crate::http) answer: Option<Value>,
}

/// The account of the story.
const ACCOUNT_ID: &str = "orders";
const COPY_ID: &str = "orders-copy";
const WEBHOOK_URL: &str = "http://127.0.0.1:3000/webhooks";

/// The requests in order; none where these rules and accounts can't be served.
pub(in crate::http) async fn control_story(
    rules: &Rules,
    accounts: &[AccountConfig],
) -> Vec<ControlExample> {
    let Some(mut story) = ControlStory::new(rules, accounts) else {
        return Vec::new();
    };
    story.opening().await;
    story.settings().await;
    story.keys().await;
    story.webhook(rules).await;
    story.scenarios(rules).await;
    story.ending().await;
    story.examples
}

/// A simulator in memory whose clock stands still; its receiver takes every webhook.
pub(in crate::http) fn in_memory(rules: &Rules, accounts: &[AccountConfig]) -> Option<Router> {
    let means = HostConfig {
        transport: Arc::new(MemoryTransport::new(|_: &WebhookRequest, _| 204)),
        ..HostConfig::new(Clock::manual(EXAMPLE_TIME))
    };
    let host = Host::new(rules.clone(), accounts.to_vec(), means).ok()?;
    let control = ControlApi {
        host,
        targets: TargetPolicy::loopback_only(),
        stop: CancellationToken::new(),
    };
    Some(control::router(&Arc::new(control)))
}

struct ControlStory {
    router: Router,
    routes: Vec<Route>,
    examples: Vec<ControlExample>,
}

impl ControlStory {
    fn new(rules: &Rules, accounts: &[AccountConfig]) -> Option<Self> {
        Some(ControlStory {
            router: in_memory(rules, accounts)?,
            routes: control::routes(),
            examples: Vec::new(),
        })
    }

    async fn opening(&mut self) {
        self.get("health", "", &[]).await;
        self.get("ready", "", &[]).await;
        let body = json!({
            "id": ACCOUNT_ID,
            "walletInr": 1000,
            "allowlist": ["127.0.0.0/8"],
            "rateLimit": { "perSecond": 50, "burst": 100 },
            "webhook": { "url": WEBHOOK_URL, "secret": "whsec_sample" },
        });
        self.send("accounts.open", "", body).await;
        self.get("accounts.list", "", &[]).await;
        self.get("accounts.get", ACCOUNT_ID, &[]).await;
        self.send("accounts.fork", ACCOUNT_ID, json!({ "id": COPY_ID }))
            .await;
    }

    async fn settings(&mut self) {
        self.send("wallet.set", ACCOUNT_ID, json!({ "topUp": 500.25 }))
            .await;
        let receiver =
            json!({ "url": WEBHOOK_URL, "secret": "whsec_sample", "environment": "test" });
        self.send("webhook.set", ACCOUNT_ID, receiver).await;
        let live = [("environment", "live".to_owned())];
        self.get("webhook.remove", ACCOUNT_ID, &live).await;
        let networks = json!({ "networks": ["127.0.0.0/8", "::1/128"] });
        self.send("allowlist.set", ACCOUNT_ID, networks).await;
        let rate = json!({ "perSecond": 20, "burst": 40 });
        self.send("rateLimit.set", ACCOUNT_ID, rate).await;
        self.get("rateLimit.remove", ACCOUNT_ID, &[]).await;
    }

    async fn keys(&mut self) {
        let key = json!({ "environment": "test", "name": "orders-ci" });
        let key = self.send("keys.add", ACCOUNT_ID, key).await;
        let rotation = json!({ "environment": "live" });
        self.send("keys.rotate", ACCOUNT_ID, rotation).await;
        let key = json!({ "key": key["key"] });
        self.send("keys.revoke", ACCOUNT_ID, key).await;
    }

    async fn webhook(&mut self, rules: &Rules) {
        self.get("clock.get", ACCOUNT_ID, &[]).await;
        let freeze = json!({ "freeze": true, "advance": "24h" });
        self.send("clock.set", ACCOUNT_ID, freeze).await;
        let triggered = self
            .send("trigger", "", json!({ "account": ACCOUNT_ID }))
            .await;
        if triggered["deliveryId"].is_null() {
            return;
        }
        let verification = text(&triggered["verificationId"]);
        let delivery = text(&triggered["deliveryId"]);
        let account = || ("account", ACCOUNT_ID.to_owned());
        let kind = || ("kind", "deliveryAttempted".to_owned());
        let of_it = ("verificationId", verification.clone());
        let query = [account(), kind(), of_it.clone(), ("wait", "10s".to_owned())];
        let events = self.get("events.list", "", &query).await;
        let status = ("status", "completed".to_owned());
        self.get("calls.list", "", &[account(), status]).await;
        self.get("calls.get", &verification, &[]).await;
        self.get("deliveries.list", "", &[account(), of_it]).await;
        self.get("deliveries.get", &delivery, &[]).await;
        self.request("deliveries.redeliver", &delivery, &[], None)
            .await;
        // Waits for the attempt, so that the later answers are the same every time.
        let from = ("from", events["next"].to_string());
        let query = [account(), kind(), from, ("wait", "10s".to_owned())];
        self.request_unshown("events.list", &query, None).await;
        let audited = rules.contract.operations.iter().find(|row| row.audited);
        let live = json!({
            "account": ACCOUNT_ID,
            "environment": "live",
            "operation": audited.map(|row| row.id.as_str()),
        });
        self.request_unshown("trigger", &[], Some(live)).await;
        self.get("audit.list", "", &[account()]).await;
        self.get("memory.get", "", &[]).await;
        self.get("memory.account", ACCOUNT_ID, &[]).await;
    }

    async fn scenarios(&mut self, rules: &Rules) {
        let index = pending_input(rules, None).map_or(OperationIndex(0), |(index, _)| index);
        let toml = format!(
            "[[scenario]]\nname = \"the source is slow today\"\noperation = \"{}\"\n\
             then = {{ error = \"SVC_SOURCE_TIMEOUT\" }}\n",
            rules.contract.operations[index].id
        );
        let body = json!({ "account": ACCOUNT_ID, "toml": toml });
        let added = self.send("scenarios.add", "", body).await;
        self.get("scenarios.list", "", &[]).await;
        let operation = &rules.contract.operations[index].id;
        let call = json!({ "account": ACCOUNT_ID, "operation": operation });
        self.send("explain", "", call).await;
        let account = [("account", ACCOUNT_ID.to_owned())];
        let id = text(&added["id"]);
        self.get("scenarios.remove", &id, &account).await;
    }

    async fn ending(&mut self) {
        self.request("accounts.reset", ACCOUNT_ID, &[], None).await;
        self.get("accounts.delete", COPY_ID, &[]).await;
    }

    async fn get(
        &mut self,
        id: &'static str,
        path_id: &str,
        query: &[(&'static str, String)],
    ) -> Value {
        self.request(id, path_id, query, None).await
    }

    async fn send(&mut self, id: &'static str, path_id: &str, body: Value) -> Value {
        self.request(id, path_id, &[], Some(body)).await
    }

    /// Sends a request and keeps it as an example.
    async fn request(
        &mut self,
        id: &'static str,
        path_id: &str,
        query: &[(&'static str, String)],
        body: Option<Value>,
    ) -> Value {
        let mut example = ControlExample {
            id,
            path_id: path_id.to_owned(),
            query: query.to_vec(),
            body,
            status: 0,
            answer: None,
        };
        let (status, answer) = self.exchange(&example).await;
        example.status = status;
        example.answer.clone_from(&answer);
        self.examples.push(example);
        answer.unwrap_or_default()
    }

    /// Sends a request that is no example.
    async fn request_unshown(
        &mut self,
        id: &'static str,
        query: &[(&'static str, String)],
        body: Option<Value>,
    ) {
        self.request(id, "", query, body).await;
        self.examples.pop();
    }

    async fn exchange(&mut self, example: &ControlExample) -> (u16, Option<Value>) {
        let mut routes = self.routes.iter();
        let route = routes.find(|route| route.id == example.id);
        let route = route.expect("the story requests routes that exist");
        let path = fill_path(route.path, &example.path_id, &example.query);
        request(
            &mut self.router,
            &route.method,
            &path,
            example.body.as_ref(),
        )
        .await
    }
}

/// A path with its parameter filled in, and its query.
pub(in crate::http) fn fill_path(path: &str, path_id: &str, query: &[(&str, String)]) -> String {
    let path = match (path.find('{'), path.find('}')) {
        (Some(from), Some(to)) => format!("{}{path_id}{}", &path[..from], &path[to + 1..]),
        _ => path.to_owned(),
    };
    match query.is_empty() {
        true => path,
        false => {
            let mut out = form_urlencoded::Serializer::new(String::new());
            out.extend_pairs(query);
            format!("{path}?{}", out.finish())
        }
    }
}

/// Sends a request to a router in memory.
pub(in crate::http) async fn request(
    router: &mut Router,
    method: &Method,
    path: &str,
    body: Option<&Value>,
) -> (u16, Option<Value>) {
    let mut request = Request::builder().method(method).uri(path);
    if body.is_some() {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    let body = body.map(|body| Bytes::from(body.to_string()));
    let request = request.body(Body::from(body.unwrap_or_default()));
    let request = request.expect("the paths of the story are paths");
    let Ok(answer) = router.call(request).await;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await;
    let body = body.map(|body| body.to_bytes()).unwrap_or_default();
    (status, serde_json::from_slice(&body).ok())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
