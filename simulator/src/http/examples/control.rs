//! Examples of the control API: the requests of one story, sent to a simulator in memory, each with the
//! answer it got; at least one for each route.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::BodyExt as _;
use jiff::Timestamp;
use serde_json::{Value, json};
use svc_fixtures::contract::{Operation, OperationIndex};
use svc_fixtures::sample::{self, Extent};
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
const IMPORTED_ID: &str = "orders-imported";
const WEBHOOK_URL: &str = "http://127.0.0.1:3000/webhooks";

/// The requests in order; none where these rules and accounts can't be served.
pub(in crate::http) async fn control_story(
    rules: &Rules,
    accounts: &[AccountConfig],
) -> Vec<ControlExample> {
    let Some(mut story) = ControlStory::new(rules, accounts) else {
        return Vec::new();
    };
    story.account().await;
    story.keys().await;
    story.webhook(rules).await;
    story.scenarios(rules).await;
    story.examples
}

/// A simulator in memory whose clock stands still; its receiver takes every webhook.
pub(in crate::http) fn in_memory(rules: &Rules, accounts: &[AccountConfig]) -> Option<Router> {
    let config = HostConfig {
        transport: Arc::new(MemoryTransport::new(|_: &WebhookRequest, _| 204)),
        ..HostConfig::new(Clock::manual(EXAMPLE_TIME))
    };
    let host = Host::new(rules.clone(), accounts.to_vec(), config).ok()?;
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

    async fn account(&mut self) {
        let webhook = json!({ "url": WEBHOOK_URL, "secret": "whsec_sample" });
        let account = json!({
            "id": ACCOUNT_ID,
            "walletInr": 1000,
            "allowlist": ["127.0.0.0/8"],
            "rateLimit": { "perSecond": 50, "burst": 100 },
            "webhook": webhook,
        });
        let mut receiver = webhook;
        receiver["environment"] = json!("test");
        let networks = json!({ "networks": ["127.0.0.0/8", "::1/128"] });
        let rate_limit = json!({ "perSecond": 20, "burst": 40 });
        for (id, path_id, query, body) in [
            ("health", "", None, None),
            ("ready", "", None, None),
            ("accounts.open", "", None, Some(account)),
            ("accounts.list", "", None, None),
            ("accounts.get", ACCOUNT_ID, None, None),
            (
                "accounts.fork",
                ACCOUNT_ID,
                None,
                Some(json!({ "id": COPY_ID })),
            ),
            (
                "wallet.set",
                ACCOUNT_ID,
                None,
                Some(json!({ "topUp": 500.25 })),
            ),
            ("webhook.set", ACCOUNT_ID, None, Some(receiver)),
            (
                "webhook.remove",
                ACCOUNT_ID,
                Some(("environment", "live")),
                None,
            ),
            ("allowlist.set", ACCOUNT_ID, None, Some(networks)),
            ("rateLimit.set", ACCOUNT_ID, None, Some(rate_limit)),
            ("rateLimit.remove", ACCOUNT_ID, None, None),
        ] {
            self.request(id, path_id, query.as_slice(), body).await;
        }
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
        self.get("timeline.get", ACCOUNT_ID, &[]).await;
        let freeze = json!({ "freeze": true, "advance": "24h" });
        self.send("clock.set", ACCOUNT_ID, freeze).await;
        let trigger = json!({ "account": ACCOUNT_ID });
        let triggered = self.send("trigger", "", trigger).await;
        let [verification, delivery] =
            ["verificationId", "deliveryId"].map(|name| triggered[name].as_str());
        let (Some(verification), Some(delivery)) = (verification, delivery) else {
            return;
        };
        let [account, kind] = [("account", ACCOUNT_ID), ("kind", "deliveryAttempted")];
        let (of_it, wait) = (("verificationId", verification), ("wait", "10s"));
        let query = [account, kind, of_it, wait];
        let events = self.get("events.list", "", &query).await;
        let next = events["next"].to_string();
        let completed = ("status", "completed");
        self.get("calls.list", "", &[account, completed]).await;
        self.get("calls.get", verification, &[]).await;
        self.get("deliveries.list", "", &[account, of_it]).await;
        self.get("deliveries.get", delivery, &[]).await;
        self.get("deliveries.redeliver", delivery, &[]).await;
        // Waits for the attempt, so that the later answers are the same every time.
        let query = [account, kind, ("from", &next), wait];
        self.get("events.list", "", &query).await;
        self.examples.pop();
        let audited = rules.contract.operations.iter().find(|row| row.audited);
        let live = json!({
            "account": ACCOUNT_ID,
            "environment": "live",
            "operation": audited.map(|row| row.id.as_str()),
        });
        self.send("trigger", "", live).await;
        self.examples.pop();
        self.get("audit.list", "", &[account]).await;
        let live = [("environment", "live")];
        self.get("usage.get", ACCOUNT_ID, &live).await;
        self.get("wallet.get", ACCOUNT_ID, &[]).await;
        self.consents(rules).await;
        self.get("memory.get", "", &[]).await;
        self.get("memory.account", ACCOUNT_ID, &[]).await;
    }

    /// A person is asked and somebody decides.
    async fn consents(&mut self, rules: &Rules) {
        let mut operations = rules.contract.operations.iter();
        let asks = |row: &&Operation| {
            let pending = row.pending.as_ref();
            pending.is_some_and(|pending| pending.by_consent.is_some())
        };
        let Some(operation) = operations.find(asks) else {
            return;
        };
        let body = sample::body(&rules.contract, operation, Extent::Shown);
        let call = json!({
            "account": ACCOUNT_ID,
            "path": sample::path(operation),
            "body": serde_json::from_str::<Value>(&body.to_string()).unwrap_or_default(),
        });
        let called = self.send("calls.make", "", call).await;
        self.get("consents.list", "", &[("account", ACCOUNT_ID)])
            .await;
        let id = called["answer"]["verificationId"].as_str();
        let decision = json!({ "decision": "refuse" });
        self.send("consents.decide", id.unwrap_or_default(), decision)
            .await;
    }

    async fn scenarios(&mut self, rules: &Rules) {
        let pending = pending_input(rules, None);
        let index = pending.map_or(OperationIndex(0), |(index, _)| index);
        let operation = &rules.contract.operations[index].id;
        let toml = format!(
            "[[scenario]]\nname = \"the source is slow today\"\noperation = \"{operation}\"\n\
             then = {{ error = \"SVC_SOURCE_TIMEOUT\" }}\n"
        );
        let body = json!({ "account": ACCOUNT_ID, "toml": toml });
        let checked = json!({ "toml": toml.replace("then", "than") });
        self.send("scenarios.check", "", checked).await;
        let added = self.send("scenarios.add", "", body.clone()).await;
        let id = added["id"].as_str().unwrap_or_default();
        self.send("scenarios.rewrite", id, body).await;
        self.get("scenarios.list", "", &[]).await;
        let account = [("account", ACCOUNT_ID)];
        self.get("scenarios.files", "", &account).await;
        let file = format!("{id}/scenarios.toml");
        let query = [("file", file.as_str()), ("account", ACCOUNT_ID)];
        self.get("scenarios.file", "", &query).await;
        let file = self.get("accounts.export", COPY_ID, &[]).await;
        self.send("accounts.import", IMPORTED_ID, file).await;
        let call = json!({ "account": ACCOUNT_ID, "operation": operation });
        self.send("explain", "", call).await;
        let mix =
            format!("[[calls]]\nendpoint = \"{operation}\"\nper_day = 100\nno_record = 0.05\n");
        let mix = json!({ "mix": mix, "wallet": 5000, "from": "2027-01-15" });
        self.send("forecast", "", mix).await;
        self.get("operations.list", "", &[]).await;
        self.get("operations.get", operation, &[]).await;
        self.get("errors.list", "", &[]).await;
        self.get("people.list", "", &[]).await;
        let people = rules.scenarios.people.all().iter();
        let asked = people
            .flat_map(|it| &it.asked)
            .map(|(_, text)| text.as_str());
        let identifier = asked.into_iter().next().unwrap_or("AAAAA0000A");
        let query = [("identifier", identifier), ("account", ACCOUNT_ID)];
        self.get("world.get", "", &query).await;
        self.get("scenarios.remove", id, &account).await;
        self.get("accounts.reset", ACCOUNT_ID, &[]).await;
        self.get("accounts.resetAll", "", &[]).await;
        self.get("accounts.delete", COPY_ID, &[]).await;
    }

    /// Sends a request without a body.
    async fn get(
        &mut self,
        id: &'static str,
        path_id: &str,
        query: &[(&'static str, &str)],
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
        query: &[(&'static str, &str)],
        body: Option<Value>,
    ) -> Value {
        let route = self.routes.iter().find(|route| route.id == id);
        let route = route.expect("the story requests routes that exist");
        let query = query
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        let query: Vec<_> = query.collect();
        let path = fill_path(route.path, path_id, &query);
        let (status, answer) = request(&mut self.router, &route.method, &path, body.as_ref()).await;
        self.examples.push(ControlExample {
            id,
            path_id: path_id.to_owned(),
            query,
            body,
            status,
            answer: answer.clone(),
        });
        answer.unwrap_or_default()
    }
}

/// A path with its parameter filled in, and its query.
pub(in crate::http) fn fill_path(path: &str, path_id: &str, query: &[(&str, String)]) -> String {
    let path = match (path.find('{'), path.find('}')) {
        (Some(from), Some(to)) => format!("{}{path_id}{}", &path[..from], &path[to + 1..]),
        _ => path.to_owned(),
    };
    if query.is_empty() {
        return path;
    }
    let mut out = form_urlencoded::Serializer::new(path + "?");
    out.extend_pairs(query);
    out.finish()
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
