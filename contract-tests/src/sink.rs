//! The run's own receiver of webhooks: keeps what came, for whom, and answers as the address it was
//! registered with says. Judges nothing.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout};

use crate::redact::Secret;
use crate::signature::Signature;

/// One request that came to the receiver.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceivedWebhook {
    /// The path it was posted to.
    #[serde(skip)]
    pub path: String,
    /// The method.
    pub method: String,
    /// When it came by the receiver's clock, in Unix seconds, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_s: Option<i64>,
    /// The signature header.
    pub signature: Option<String>,
    /// The content type.
    pub content_type: Option<String>,
    /// The body as it came. One that is no text can't be an envelope.
    pub body: String,
    /// What it was answered.
    pub status: u16,
    /// Whether its signature is that of the bytes that came, with the secret that the provider was given. None where
    /// the run gave the secret itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// The path that it came to, where the provider was given another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elsewhere: Option<String>,
    /// What the signature is instead, where it has the form of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
}

/// All that came so far. Clones are the same receiver.
#[derive(Debug, Clone, Default)]
pub struct Sink {
    webhooks: Arc<watch::Sender<Vec<ReceivedWebhook>>>,
    registered: Option<Arc<Registered>>,
    /// The path that all are to come to, where nothing between the service and this receiver may change it.
    path: Option<Arc<str>>,
}

/// What is known of a receiver that the provider's own console has registered.
#[derive(Debug)]
struct Registered {
    secret: Secret,
    /// The run's own keys, which webhooks must not be signed with.
    api_keys: Vec<Secret>,
    /// How long a result is waited for.
    wait: Duration,
    /// How long the first verification's deliveries are refused, to see them tried again.
    watch: Option<Duration>,
    /// That verification: the first one that came.
    refused: OnceLock<(String, Instant)>,
}

/// The run's own receiver, and the URL by which the service reaches it.
#[derive(Debug, Clone)]
pub struct RunSink {
    /// The receiver.
    pub sink: Sink,
    /// What paths are appended to.
    pub url: String,
}

/// What stands in the reference of each call whose webhook is waited for.
pub(crate) const WAITED_FOR: &str = "-webhook-";

/// How long something that should come is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

/// How long is waited for what may come and need not.
const GRACE: Duration = Duration::from_secs(1);

impl Sink {
    /// A receiver that the provider has registered by its own console, with this secret: how long a result is waited
    /// for, and how long the first one is refused, to see it tried again.
    #[must_use]
    pub fn registered(
        secret: Secret,
        api_keys: Vec<Secret>,
        wait: Duration,
        watch: Option<Duration>,
    ) -> Self {
        let registered = Registered {
            secret,
            api_keys,
            wait,
            watch,
            refused: OnceLock::new(),
        };
        Sink {
            registered: Some(Arc::new(registered)),
            ..Sink::default()
        }
    }

    /// The same, to which all are to come by this path.
    #[must_use]
    pub fn at_path(self, path: &str) -> Self {
        Sink {
            path: Some(Arc::from(path)),
            ..self
        }
    }

    /// The secret that the provider was given, where it was.
    #[must_use]
    pub fn secret(&self) -> Option<&Secret> {
        self.registered
            .as_ref()
            .map(|registered| &registered.secret)
    }
    /// Keeps a request and says which status it is answered with. The path is `/<account>/<plan>`:
    /// after `ok` every request is taken, after `fail-3` the first three are not, `redirect` sends
    /// each elsewhere.
    pub fn take(&self, mut webhook: ReceivedWebhook) -> u16 {
        let mut answered = 0;
        self.webhooks.send_modify(|all| {
            let before = of_path(all, &webhook.path).count();
            answered = match &self.registered {
                Some(registered) => registered.status(&webhook),
                None => status(&webhook.path, before),
            };
            webhook.status = answered;
            all.push(webhook);
        });
        answered
    }

    /// What came to a path, as JSON. Waits until so many came, though not for ever.
    pub async fn received(&self, path: &str, at_least: usize) -> String {
        let mut came = self.webhooks.subscribe();
        let enough = came.wait_for(|all| of_path(all, path).count() >= at_least);
        // Where the time is over, what came until then is all there is.
        drop(timeout(PATIENCE, enough).await);
        let all = self.webhooks.borrow();
        let mine: Vec<_> = of_path(&all, path).collect();
        serde_json::json!({ "deliveries": mine }).to_string()
    }

    /// What came for a verification to a receiver that the provider has registered, as JSON: whatever names its id or
    /// its reference. A result that is `pending` is waited for, one of a call that has `ended` for a moment; what was
    /// refused is waited for to the end, to see it tried again.
    pub async fn delivered(&self, id: &str, reference: &str, status: &str) -> String {
        let names = |webhook: &&ReceivedWebhook| {
            [id, reference]
                .iter()
                .any(|name| !name.is_empty() && webhook.body.contains(name))
        };
        let registered = self.registered.as_ref();
        let wait = match status {
            "pending" => registered.map_or(GRACE, |registered| registered.wait),
            "ended" => GRACE,
            _ => Duration::ZERO,
        };
        let begin = Instant::now();
        let mut came = self.webhooks.subscribe();
        let some = came.wait_for(|all| all.iter().any(|webhook| names(&webhook)));
        // Where the time is over, what came until then is all there is.
        drop(timeout(wait, some).await);
        let refused = registered.and_then(|registered| registered.refused.get());
        let mine = refused.filter(|(refused, _)| refused == id).zip(registered);
        if let Some(((_, first), registered)) = mine {
            sleep_until(*first + registered.watch.unwrap_or_default()).await;
        }
        let all = self.webhooks.borrow();
        let mine: Vec<_> = all.iter().filter(names).collect();
        let since = mine.first().and_then(|webhook| webhook.at_s);
        let watched_s = since.map(|since| now_s() - since);
        serde_json::json!({
            "deliveries": mine,
            "others": all.len() - mine.len(),
            "waitedS": begin.elapsed().as_secs(),
            "watchedS": watched_s,
        })
        .to_string()
    }

    /// The bodies of all that came.
    #[must_use]
    pub fn bodies(&self) -> Vec<String> {
        let all = self.webhooks.borrow();
        all.iter().map(|webhook| webhook.body.clone()).collect()
    }

    /// Says whether a webhook is signed with the secret that the provider was given, where it was, and if not, with what.
    fn verify(&self, webhook: &mut ReceivedWebhook, body: &[u8]) {
        let Some(registered) = &self.registered else {
            return;
        };
        let header = webhook.signature.as_deref().unwrap_or_default();
        let api_keys = registered.api_keys.iter().map(Secret::expose);
        let mistake = Signature::read(header)
            .map(|it| it.mistake(registered.secret.expose(), api_keys, body));
        webhook.verified = Some(mistake == Ok(None));
        let instead = mistake.ok().flatten();
        webhook.mistake = instead.map(|mistake| mistake.to_string());
    }
}

impl Registered {
    fn status(&self, webhook: &ReceivedWebhook) -> u16 {
        let json: serde_json::Value = serde_json::from_str(&webhook.body).unwrap_or_default();
        let (Some(id), Some(watch)) = (json["verificationId"].as_str(), self.watch) else {
            return 204;
        };
        // One that no check waits for would be refused in vain.
        let reference = json["referenceId"].as_str().unwrap_or_default();
        if !reference.contains(WAITED_FOR) {
            return 204;
        }
        let first = || (id.to_owned(), Instant::now());
        let (refused, since) = self.refused.get_or_init(first);
        match refused == id && since.elapsed() < watch {
            true => 500,
            false => 204,
        }
    }
}

fn of_path<'w>(
    all: &'w [ReceivedWebhook],
    path: &str,
) -> impl Iterator<Item = &'w ReceivedWebhook> {
    all.iter().filter(move |webhook| webhook.path == path)
}

fn status(path: &str, before: usize) -> u16 {
    let plan = path.rsplit_once('/').map_or("", |(_, plan)| plan);
    let fails = plan.strip_prefix("fail-");
    let fails = fails.and_then(|count| count.parse().ok());
    match (plan, fails) {
        ("redirect", _) => 302,
        (_, Some(count)) if before < count => 500,
        _ => 204,
    }
}

const SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");

/// Receives until it is dropped.
///
/// # Errors
/// Where the listener breaks.
pub async fn serve(listener: TcpListener, sink: Sink) -> std::io::Result<()> {
    let router = Router::new().fallback(take).with_state(sink);
    axum::serve(listener, router).await
}

async fn take(
    State(sink): State<Sink>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let text = |name: &HeaderName| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let mut webhook = ReceivedWebhook {
        path: uri.path().to_owned(),
        method: method.to_string(),
        at_s: Some(now_s()),
        signature: text(&SIGNATURE),
        content_type: text(&CONTENT_TYPE),
        body: String::from_utf8_lossy(&body).into_owned(),
        status: 0,
        verified: None,
        elsewhere: None,
        mistake: None,
    };
    if sink.path.as_deref().is_some_and(|path| path != uri.path()) {
        webhook.elsewhere = Some(uri.path().to_owned());
    }
    sink.verify(&mut webhook, &body);
    let status = sink.take(webhook);
    let mut response = StatusCode::from_u16(status)
        .unwrap_or(StatusCode::NO_CONTENT)
        .into_response();
    if response.status().is_redirection() {
        let elsewhere = HeaderValue::from_static("/redirected/ok");
        response.headers_mut().insert(LOCATION, elsewhere);
    }
    response
}

/// This machine's clock, in Unix seconds.
#[expect(
    clippy::disallowed_methods,
    reason = "whether a signature or an answer is fresh can only be said by the receiver's own clock"
)]
pub(crate) fn now_s() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(path: &str, body: &str) -> ReceivedWebhook {
        ReceivedWebhook {
            path: path.to_owned(),
            method: "POST".to_owned(),
            at_s: None,
            signature: None,
            content_type: None,
            body: body.to_owned(),
            status: 0,
            verified: None,
            elsewhere: None,
            mistake: None,
        }
    }

    #[test]
    fn the_path_says_how_many_are_refused() {
        let sink = Sink::default();
        let took = |path| [(); 3].map(|()| sink.take(webhook(path, "{}")));
        assert_eq!(took("/a/fail-2"), [500, 500, 204]);
        assert_eq!(took("/b/ok"), [204; 3]);
        assert_eq!(took("/b/redirect"), [302; 3]);
    }

    fn registered(watch_s: Option<u64>) -> Sink {
        let [wait, watch] = [Some(10), watch_s].map(|it| it.map(Duration::from_secs));
        Sink::registered(
            Secret::new("whsec_sample"),
            Vec::new(),
            wait.unwrap_or_default(),
            watch,
        )
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_verification_is_refused_until_its_watch_is_over() {
        let sink = registered(Some(40));
        let post = |id: &str, reference: &str| {
            let body =
                serde_json::json!({ "verificationId": id, "referenceId": reference }).to_string();
            sink.take(webhook("/", &body))
        };
        let take = |id: &str| post(id, "seed-webhook-a.");
        // What nobody waits for is taken.
        assert_eq!(post("svcv_0", "seed-pending"), 204);
        assert_eq!(
            [take("svcv_a"), take("svcv_b"), take("svcv_a")],
            [500, 204, 500]
        );
        let begin = Instant::now();
        let came = sink.delivered("svcv_a", "", "pending").await;
        assert_eq!(begin.elapsed().as_secs(), 40);
        assert_eq!(came.matches("svcv_a").count(), 2);
        assert_eq!(take("svcv_a"), 204);
        assert_eq!(
            registered(None).take(webhook("/", r#"{"verificationId":"a"}"#)),
            204
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_names_the_call_is_its_own_whatever_it_is_otherwise() {
        let sink = registered(None);
        let begin = Instant::now();
        assert!(
            sink.delivered("svcv_a", "ref-1", "pending")
                .await
                .contains("\"deliveries\":[]")
        );
        assert_eq!(begin.elapsed().as_secs(), 10);
        for body in ["id=svcv_a", r#"{"referenceId":"ref-1"}"#, "{}"] {
            sink.take(webhook("/", body));
        }
        let came: serde_json::Value =
            serde_json::from_str(&sink.delivered("svcv_a", "ref-1", "completed").await).unwrap();
        assert_eq!(came["deliveries"].as_array().map(Vec::len), Some(2));
        assert_eq!(came["others"], 1);
    }
}
