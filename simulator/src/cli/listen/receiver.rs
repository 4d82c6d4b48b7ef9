//! What becomes of a delivery: it is read, checked, counted, perhaps handed on, shown and answered.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, Method, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Body as _;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::super::terminal;
use super::forward::{Forward, Forwarded};
use super::line::{Said, Shown};
use super::seen::Seen;
use crate::engine::state::signature::HEADER;
use crate::host::clock::Clock;
use crate::http::edge::MalformedRequest;
use crate::signature_diagnosis::{SignatureCase, Verdict, diagnose};

/// The largest body that is read: envelopes may carry images.
const MOST_BYTES: usize = 16 << 20;

/// How long a body may take.
const BODY: Duration = Duration::from_secs(30);

/// How a receiver behaves.
pub(super) struct Settings {
    pub(super) secret: String,
    /// What may have been taken for the secret, each with its name.
    pub(super) others: Vec<(String, String)>,
    pub(super) tolerance_s: u64,
    /// So many deliveries are answered with `failure` first.
    pub(super) failures: u64,
    pub(super) failure: u16,
    pub(super) delay: Duration,
    /// After so many it stops.
    pub(super) deliveries: Option<u64>,
    pub(super) output: Output,
}

/// How deliveries are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    People,
    Json,
}

/// A receiver of deliveries.
pub(super) struct Receiver {
    settings: Settings,
    forward: Option<Forward>,
    stop: CancellationToken,
    state: Mutex<Counted>,
}

/// What is counted from delivery to delivery.
#[derive(Default)]
struct Counted {
    seen: Seen,
    begun: u64,
    ended: u64,
}

impl Receiver {
    pub(super) fn new(
        settings: Settings,
        forward: Option<Forward>,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Receiver {
            settings,
            forward,
            stop,
            state: Mutex::new(Counted::default()),
        })
    }

    /// Every path is a webhook.
    pub(super) fn router(self: Arc<Self>) -> Router {
        Router::new().fallback(answer).with_state(self)
    }

    async fn deliver(self: Arc<Self>, headers: HeaderMap, body: Bytes) -> StatusCode {
        let at = Clock::machine().real();
        let said = Said::of(&body);
        let verdict = self.judged(&headers, &body, at.as_second()).await;
        let valid = matches!(verdict, Verdict::Valid { .. });
        // Who can't sign can't make this forget or mistake what others sent.
        let verification = said.verification.clone().filter(|_| valid);
        let (attempt, fails) = {
            let mut state = self.state.lock();
            state.begun += 1;
            let attempt = verification.as_deref().map(|it| state.seen.attempt(it));
            (attempt, state.begun <= self.settings.failures)
        };
        tokio::time::sleep(self.settings.delay).await;
        let forwarded = match &self.forward {
            Some(forward) if !fails => Some(forward.post(&headers, body.clone()).await),
            _ => None,
        };
        let answered = match (fails, &forwarded) {
            (true, _) => StatusCode::from_u16(self.settings.failure)
                .expect("the flag takes statuses from 200 to 599"),
            (false, Some(Forwarded::Answered(status))) => *status,
            (false, Some(Forwarded::Failed(_))) => StatusCode::BAD_GATEWAY,
            (false, None) if valid => StatusCode::NO_CONTENT,
            (false, None) => StatusCode::BAD_REQUEST,
        };
        let shown = Shown {
            at,
            bytes: body.len(),
            said,
            attempt,
            verdict,
            forwarded,
            answered,
        };
        self.end(&shown, verification.as_deref());
        answered
    }

    /// The diagnosis may take a second: not where connections are served.
    async fn judged(self: &Arc<Self>, headers: &HeaderMap, body: &Bytes, now_s: i64) -> Verdict {
        let (receiver, body) = (Arc::clone(self), body.clone());
        let headers: Vec<String> = headers
            .get_all(HEADER)
            .iter()
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .collect();
        let judged = tokio::task::spawn_blocking(move || {
            let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
            let others = receiver.settings.others.iter();
            let others: Vec<(&str, &str)> = others.map(|(name, it)| (&**name, &**it)).collect();
            diagnose(&SignatureCase {
                secret: &receiver.settings.secret,
                others: &others,
                headers: &headers,
                body: &body,
                now_s,
                tolerance_s: receiver.settings.tolerance_s,
            })
        });
        judged.await.expect("the diagnosis does not panic")
    }

    /// Shows the delivery, and stops after the last. Under the lock, so that what is shown first
    /// is counted first.
    fn end(&self, shown: &Shown, verification: Option<&str>) {
        let mut state = self.state.lock();
        state.ended += 1;
        if shown.answered.is_success()
            && let Some(verification) = verification
        {
            state.seen.taken(verification);
        }
        terminal::print(&match self.settings.output {
            Output::People => shown.text(),
            Output::Json => shown.json(),
        });
        if self
            .settings
            .deliveries
            .is_some_and(|most| state.ended >= most)
        {
            self.stop.cancel();
        }
    }
}

async fn answer(State(receiver): State<Arc<Receiver>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(malformed) = parts.extensions.get::<MalformedRequest>() {
        terminal::error(&format!("a request was answered 400: {malformed}"));
        let plain = [(CONTENT_TYPE, "text/plain")];
        return (StatusCode::BAD_REQUEST, plain, format!("{malformed}\n")).into_response();
    }
    if parts.method != Method::POST {
        let words = "deliveries are POSTed here\n";
        return (
            StatusCode::METHOD_NOT_ALLOWED,
            [(ALLOW, "POST"), (CONTENT_TYPE, "text/plain")],
            words,
        )
            .into_response();
    }
    match arrived(body).await {
        Ok(body) => {
            // On a task of its own: a sender that hangs up does not undo what has been counted.
            let delivered = tokio::spawn(receiver.deliver(parts.headers, body)).await;
            delivered
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
                .into_response()
        }
        Err((status, words)) => {
            terminal::error(&format!(
                "a request was answered {}: {words}",
                status.as_u16()
            ));
            // What is left of the body would be taken for the next request.
            (
                status,
                [(CONNECTION, "close"), (CONTENT_TYPE, "text/plain")],
                format!("{words}\n"),
            )
                .into_response()
        }
    }
}

/// All of a body, or the status and the reason why not.
async fn arrived(body: Body) -> Result<Bytes, (StatusCode, String)> {
    let too_large = || {
        let words = format!("the body is over {} MiB", MOST_BYTES >> 20);
        (StatusCode::PAYLOAD_TOO_LARGE, words)
    };
    // What a Content-Length says, else 0.
    if body.size_hint().lower() > MOST_BYTES as u64 {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY, Limited::new(body, MOST_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err((StatusCode::BAD_REQUEST, "the body is incomplete".to_owned())),
        Err(_) => Err((
            StatusCode::REQUEST_TIMEOUT,
            format!("the body took more than {} s", BODY.as_secs()),
        )),
    }
}
