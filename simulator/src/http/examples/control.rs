//! Examples of the control API that are true: a story told to a simulator in memory, one request a
//! route, each with the answer it got.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tower::Service as _;

use super::{ASKED_AT, pending_input};
use crate::engine::call::rules::Rules;
use crate::host::clock::Clock;
use crate::host::transport::{MemoryTransport, TargetPolicy, WebhookRequest};
use crate::host::{Host, HostConfig};
use crate::http::control::{self, Control, Route};
use crate::scenario::AccountConfig;

/// A request of a route, with its answer.
#[derive(Debug, Clone)]
pub(in crate::http) struct Told {
    /// The route's name.
    pub(in crate::http) id: &'static str,
    /// What stands where the path is left open.
    pub(in crate::http) part: String,
    pub(in crate::http) query: Vec<(&'static str, String)>,
    pub(in crate::http) body: Option<Value>,
    pub(in crate::http) status: u16,
    /// Nothing where the status is all.
    pub(in crate::http) answer: Option<Value>,
}

/// The account of the story.
const ACCOUNT: &str = "orders";
const COPY: &str = "orders-copy";
const HOOK: &str = "http://127.0.0.1:3000/webhooks";

/// The story, in order. Nothing is told where these rules and accounts can't be served.
pub(in crate::http) async fn told(rules: &Rules, accounts: &[AccountConfig]) -> Vec<Told> {
    let Some(mut teller) = Teller::new(rules, accounts) else {
        return Vec::new();
    };
    teller.opening().await;
    teller.settings().await;
    teller.keys().await;
    teller.webhook(rules).await;
    teller.scenarios(rules).await;
    teller.ending().await;
    teller.told
}

/// A simulator in memory whose clock stands still; its receiver takes every webhook.
pub(in crate::http) fn in_memory(rules: &Rules, accounts: &[AccountConfig]) -> Option<Router> {
    let config = HostConfig {
        transport: Arc::new(MemoryTransport::new(|_: &WebhookRequest, _| 204)),
        ..HostConfig::new(Clock::manual(ASKED_AT))
    };
    let host = Host::new(rules.clone(), accounts.to_vec(), config).ok()?;
    let control = Control {
        host,
        targets: TargetPolicy::loopback_only(),
        stop: CancellationToken::new(),
    };
    Some(control::router(&Arc::new(control)))
}

struct Teller {
    router: Router,
    routes: Vec<Route>,
    told: Vec<Told>,
}

impl Teller {
    fn new(rules: &Rules, accounts: &[AccountConfig]) -> Option<Self> {
        Some(Teller {
            router: in_memory(rules, accounts)?,
            routes: control::routes(),
            told: Vec::new(),
        })
    }

    async fn opening(&mut self) {
        self.get("health", "", &[]).await;
        self.get("ready", "", &[]).await;
        let body = json!({
            "id": ACCOUNT,
            "walletInr": 1000,
            "allowlist": ["127.0.0.0/8"],
            "rateLimit": { "perSecond": 50, "burst": 100 },
            "webhook": { "url": HOOK, "secret": "whsec_sample" },
        });
        self.send("accounts.open", "", body).await;
        self.get("accounts.list", "", &[]).await;
        self.get("accounts.get", ACCOUNT, &[]).await;
        self.send("accounts.fork", ACCOUNT, json!({ "id": COPY }))
            .await;
    }

    async fn settings(&mut self) {
        self.send("wallet.set", ACCOUNT, json!({ "topUp": 500.25 }))
            .await;
        let receiver = json!({ "url": HOOK, "secret": "whsec_sample", "environment": "test" });
        self.send("webhook.set", ACCOUNT, receiver).await;
        let live = [("environment", "live".to_owned())];
        self.get("webhook.remove", ACCOUNT, &live).await;
        let networks = json!({ "networks": ["127.0.0.0/8", "::1/128"] });
        self.send("allowlist.set", ACCOUNT, networks).await;
        let rate = json!({ "perSecond": 20, "burst": 40 });
        self.send("rateLimit.set", ACCOUNT, rate).await;
        self.get("rateLimit.remove", ACCOUNT, &[]).await;
    }

    async fn keys(&mut self) {
        let key = json!({ "environment": "test", "name": "orders-ci" });
        let key = self.send("keys.add", ACCOUNT, key).await;
        let rotation = json!({ "environment": "live" });
        self.send("keys.rotate", ACCOUNT, rotation).await;
        let key = json!({ "key": key["key"] });
        self.send("keys.revoke", ACCOUNT, key).await;
    }

    async fn webhook(&mut self, rules: &Rules) {
        self.get("clock.get", ACCOUNT, &[]).await;
        let freeze = json!({ "freeze": true, "advance": "24h" });
        self.send("clock.set", ACCOUNT, freeze).await;
        let triggered = self
            .send("trigger", "", json!({ "account": ACCOUNT }))
            .await;
        if triggered["deliveryId"].is_null() {
            return;
        }
        let verification = text(&triggered["verificationId"]);
        let delivery = text(&triggered["deliveryId"]);
        let account = || ("account", ACCOUNT.to_owned());
        let kind = || ("kind", "deliveryAttempted".to_owned());
        let of_it = ("verificationId", verification.clone());
        let query = [account(), kind(), of_it.clone(), ("wait", "10s".to_owned())];
        let heard = self.get("events.list", "", &query).await;
        let status = ("status", "completed".to_owned());
        self.get("calls.list", "", &[account(), status]).await;
        self.get("calls.get", &verification, &[]).await;
        self.get("deliveries.list", "", &[account(), of_it]).await;
        self.get("deliveries.get", &delivery, &[]).await;
        self.ask("deliveries.redeliver", &delivery, &[], None).await;
        // Until the attempt is made: what comes after must not depend on whether it was.
        let from = ("from", heard["next"].to_string());
        let query = [account(), kind(), from, ("wait", "10s".to_owned())];
        self.quietly("events.list", &query, None).await;
        let audited = rules.contract.operations.iter().find(|row| row.audited);
        let live = json!({
            "account": ACCOUNT,
            "environment": "live",
            "operation": audited.map(|row| row.id.as_str()),
        });
        self.quietly("trigger", &[], Some(live)).await;
        self.get("audit.list", "", &[account()]).await;
        self.get("memory.get", "", &[]).await;
        self.get("memory.account", ACCOUNT, &[]).await;
    }

    async fn scenarios(&mut self, rules: &Rules) {
        let index = pending_input(rules, None).map_or(0, |(index, _)| index);
        let toml = format!(
            "[[scenario]]\nname = \"the source is slow today\"\noperation = \"{}\"\n\
             then = {{ error = \"SVC_SOURCE_TIMEOUT\" }}\n",
            rules.contract.operations[index].id
        );
        let body = json!({ "account": ACCOUNT, "toml": toml });
        let added = self.send("scenarios.add", "", body).await;
        self.get("scenarios.list", "", &[]).await;
        let operation = &rules.contract.operations[index].id;
        let call = json!({ "account": ACCOUNT, "operation": operation });
        self.send("explain", "", call).await;
        let account = [("account", ACCOUNT.to_owned())];
        let id = text(&added["id"]);
        self.get("scenarios.remove", &id, &account).await;
    }

    async fn ending(&mut self) {
        self.ask("accounts.reset", ACCOUNT, &[], None).await;
        self.get("accounts.delete", COPY, &[]).await;
    }

    async fn get(
        &mut self,
        id: &'static str,
        part: &str,
        query: &[(&'static str, String)],
    ) -> Value {
        self.ask(id, part, query, None).await
    }

    async fn send(&mut self, id: &'static str, part: &str, body: Value) -> Value {
        self.ask(id, part, &[], Some(body)).await
    }

    /// Asks and tells of it.
    async fn ask(
        &mut self,
        id: &'static str,
        part: &str,
        query: &[(&'static str, String)],
        body: Option<Value>,
    ) -> Value {
        let mut told = Told {
            id,
            part: part.to_owned(),
            query: query.to_vec(),
            body,
            status: 0,
            answer: None,
        };
        let (status, answer) = self.exchange(&told).await;
        told.status = status;
        told.answer.clone_from(&answer);
        self.told.push(told);
        answer.unwrap_or_default()
    }

    /// Asks and does not tell of it.
    async fn quietly(
        &mut self,
        id: &'static str,
        query: &[(&'static str, String)],
        body: Option<Value>,
    ) {
        self.ask(id, "", query, body).await;
        self.told.pop();
    }

    async fn exchange(&mut self, told: &Told) -> (u16, Option<Value>) {
        let mut routes = self.routes.iter();
        let route = routes.find(|route| route.id == told.id);
        let route = route.expect("the story asks routes that there are");
        let path = path(route.path, &told.part, &told.query);
        ask(&mut self.router, &route.method, &path, told.body.as_ref()).await
    }
}

/// A path with its open part filled in, and its query.
pub(in crate::http) fn path(path: &str, part: &str, query: &[(&str, String)]) -> String {
    let path = match (path.find('{'), path.find('}')) {
        (Some(from), Some(to)) => format!("{}{part}{}", &path[..from], &path[to + 1..]),
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

/// Asks a router in memory.
pub(in crate::http) async fn ask(
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
