//! The run's own receiver of webhooks: keeps what came, for whom, and answers as the address it was
//! registered with says. Judges nothing.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

/// One request that came to the receiver.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceivedWebhook {
    /// The path it was posted to.
    #[serde(skip)]
    pub path: String,
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
}

/// All that came so far. Clones are the same receiver.
#[derive(Debug, Clone, Default)]
pub struct Sink {
    webhooks: Arc<watch::Sender<Vec<ReceivedWebhook>>>,
}

/// The run's own receiver, and the URL by which the service reaches it.
#[derive(Debug, Clone)]
pub struct RunSink {
    /// The receiver.
    pub sink: Sink,
    /// What paths are appended to.
    pub url: String,
}

/// How long something that should come is waited for.
const PATIENCE: Duration = Duration::from_secs(15);

impl Sink {
    /// Keeps a request and says which status it is answered with. The path is `/<account>/<plan>`:
    /// after `ok` every request is taken, after `fail-3` the first three are not, `redirect` sends
    /// each elsewhere.
    pub fn take(&self, mut webhook: ReceivedWebhook) -> u16 {
        let mut answered = 0;
        self.webhooks.send_modify(|all| {
            answered = status(&webhook.path, of_path(all, &webhook.path).count());
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

async fn take(State(sink): State<Sink>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let text = |name: &HeaderName| {
        let value = headers.get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let status = sink.take(ReceivedWebhook {
        path: uri.path().to_owned(),
        at_s: Some(now_s()),
        signature: text(&SIGNATURE),
        content_type: text(&CONTENT_TYPE),
        body: String::from_utf8_lossy(&body).into_owned(),
        status: 0,
    });
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

    fn webhook(path: &str) -> ReceivedWebhook {
        ReceivedWebhook {
            path: path.to_owned(),
            at_s: None,
            signature: None,
            content_type: None,
            body: "{}".to_owned(),
            status: 0,
        }
    }

    #[test]
    fn the_path_says_how_many_are_refused() {
        let sink = Sink::default();
        let took = |path| [(); 3].map(|()| sink.take(webhook(path)));
        assert_eq!(took("/a/fail-2"), [500, 500, 204]);
        assert_eq!(took("/b/ok"), [204; 3]);
        assert_eq!(took("/b/redirect"), [302; 3]);
    }
}
