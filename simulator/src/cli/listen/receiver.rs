//! Handles a delivery: reads, verifies, counts, perhaps forwards, prints and answers it.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::super::failure::Failure;
use super::super::terminal;
use super::delivery_line::{DeliveryLine, EnvelopeSummary};
use super::forward::{ForwardResult, Forwarder};
use super::history::DeliveryHistory;
use crate::engine::state::signature::HEADER;
use crate::host::clock::Clock;
use crate::host::shares::TakenRoom;
use crate::http::edge::{MalformedRequest, ReadBody, read_body};
use crate::signature_diagnosis::{SignatureCase, Verdict, diagnose};

/// The largest body that is read: envelopes may carry images.
const MAX_BODY_BYTES: usize = 16 << 20;

/// How long a body may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How a receiver behaves.
pub(super) struct ReceiverSettings {
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
    settings: ReceiverSettings,
    forward: Option<Forwarder>,
    stop: CancellationToken,
    state: Mutex<ReceiverState>,
}

/// The state that deliveries share.
#[derive(Default)]
struct ReceiverState {
    history: DeliveryHistory,
    begun: u64,
    ended: u64,
    /// Why a delivery could not be shown.
    unwritten: Option<Failure>,
}

impl Receiver {
    pub(super) fn new(
        settings: ReceiverSettings,
        forward: Option<Forwarder>,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Receiver {
            settings,
            forward,
            stop,
            state: Mutex::new(ReceiverState::default()),
        })
    }

    /// Every path is a webhook.
    pub(super) fn router(self: Arc<Self>) -> Router {
        Router::new().fallback(answer).with_state(self)
    }

    /// Why a delivery could not be shown, where one could not.
    pub(super) fn unwritten(&self) -> Option<Failure> {
        self.state.lock().unwritten.take()
    }

    async fn deliver(self: Arc<Self>, headers: HeaderMap, body: Bytes) -> StatusCode {
        let at = Clock::machine().real();
        let envelope_summary = EnvelopeSummary::of(&body);
        let verdict = self.verdict_of(&headers, &body, at.as_second()).await;
        let valid = matches!(verdict, Verdict::Valid { .. });
        // An unsigned delivery must not change the history of the signed ones.
        let verification = envelope_summary.verification.clone().filter(|_| valid);
        let (attempt, fails) = {
            let mut state = self.state.lock();
            state.begun += 1;
            let attempt = verification.as_deref().map(|it| state.history.attempt(it));
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
            (false, Some(ForwardResult::Answered(status))) => *status,
            (false, Some(ForwardResult::Failed(_))) => StatusCode::BAD_GATEWAY,
            (false, None) if valid => StatusCode::NO_CONTENT,
            (false, None) => StatusCode::BAD_REQUEST,
        };
        let line = DeliveryLine {
            at,
            bytes: body.len(),
            envelope_summary,
            attempt,
            verdict,
            forwarded,
            answered,
        };
        self.finish(&line, verification.as_deref());
        answered
    }

    /// The diagnosis may take a second, so that it runs on a thread that may block.
    async fn verdict_of(
        self: &Arc<Self>,
        headers: &HeaderMap,
        body: &Bytes,
        now_s: i64,
    ) -> Verdict {
        let (receiver, body) = (Arc::clone(self), body.clone());
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: Vec<String> = headers.get_all(HEADER).iter().map(text).collect();
        let diagnosed = tokio::task::spawn_blocking(move || {
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
        diagnosed.await.expect("the diagnosis does not panic")
    }

    /// Shows the delivery, and stops after the last. Under the lock, so that what is shown first
    /// is counted first.
    fn finish(&self, line: &DeliveryLine, verification: Option<&str>) {
        let mut state = self.state.lock();
        state.ended += 1;
        if line.answered.is_success()
            && let Some(verification) = verification
        {
            state.history.mark_taken(verification);
        }
        let printed = terminal::print(&match self.settings.output {
            Output::People => line.text(),
            Output::Json => line.json(),
        });
        if let Err(failure) = printed {
            // Nobody sees what comes any more.
            state.unwritten.get_or_insert(failure);
            self.stop.cancel();
        }
        let most = self.settings.deliveries;
        if most.is_some_and(|most| state.ended >= most) {
            self.stop.cancel();
        }
    }
}

async fn answer(State(receiver): State<Arc<Receiver>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let refuse = |status: StatusCode, reason: &str| {
        // That nobody sees it does not change the answer.
        let _ = terminal::error(&format!(
            "a request was answered {}: {reason}",
            status.as_u16()
        ));
        let plain = [(CONTENT_TYPE, "text/plain")];
        (status, plain, format!("{reason}\n")).into_response()
    };
    if let Some(malformed) = parts.extensions.get::<MalformedRequest>() {
        return refuse(StatusCode::BAD_REQUEST, &malformed.to_string());
    }
    if parts.method != Method::POST {
        let headers = [(ALLOW, "POST"), (CONTENT_TYPE, "text/plain")];
        let reason = "deliveries are POSTed here\n";
        return (StatusCode::METHOD_NOT_ALLOWED, headers, reason).into_response();
    }
    match read(body).await {
        Ok(body) => {
            // On a task of its own: a sender that hangs up does not undo what has been counted.
            let delivered = tokio::spawn(receiver.deliver(parts.headers, body)).await;
            let status = delivered.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            status.into_response()
        }
        // What is left of the body would be taken for the next request.
        Err((status, reason)) => ([(CONNECTION, "close")], refuse(status, &reason)).into_response(),
    }
}

/// All of a body, or the status and the reason why not.
async fn read(body: Body) -> Result<Bytes, (StatusCode, String)> {
    match read_body(
        body,
        MAX_BODY_BYTES,
        BODY_TIMEOUT,
        &mut TakenRoom::default(),
    )
    .await
    {
        ReadBody::Whole(body) => Ok(body),
        ReadBody::TooLarge => {
            let reason = format!("the body is over {} MiB", MAX_BODY_BYTES >> 20);
            Err((StatusCode::PAYLOAD_TOO_LARGE, reason))
        }
        ReadBody::Incomplete => {
            let seconds = BODY_TIMEOUT.as_secs();
            let reason = format!("the body is incomplete, or took more than {seconds} s");
            Err((StatusCode::REQUEST_TIMEOUT, reason))
        }
    }
}
