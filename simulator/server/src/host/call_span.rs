//! A call in the log: the span round its lines, and the line that says how it was answered. Both are made where somebody
//! listens for them (`--log debug`) and cost nothing elsewhere. No text of a caller stands in them.

use std::sync::atomic::{AtomicU64, Ordering};

use tracing::field::Empty;
use tracing::{Level, Span};

use super::clock::Stopwatch;
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;

/// How many calls had a span: their lines are told apart by it before their verification has its id.
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// The span of a call.
#[must_use]
pub fn call_span(environment: Environment) -> Span {
    tracing::debug_span!(
        "call",
        request = REQUESTS.fetch_add(1, Ordering::Relaxed) + 1,
        environment = environment.as_str(),
        account = Empty,
        operation = Empty,
    )
}

/// Notes in the span whose call it is, and what is called.
pub(super) fn note_caller(account: &str, operation: impl FnOnce() -> String) {
    if tracing::enabled!(Level::DEBUG) {
        let span = Span::current();
        span.record("account", account);
        span.record("operation", operation());
    }
}

/// Logs how a call was answered.
pub(super) fn note_answer(reply: &Reply, watch: Stopwatch) {
    if tracing::enabled!(Level::DEBUG) {
        tracing::debug!(
            verification = verification(reply),
            status = reply.status,
            replay = reply.replay,
            took_us = u64::try_from(watch.read().as_micros()).unwrap_or(u64::MAX),
            "answered"
        );
    }
}

/// The id that the envelope of a reply says, near its beginning.
#[must_use]
pub fn verification(reply: &Reply) -> Option<&str> {
    let text = std::str::from_utf8(&reply.body).ok()?;
    let (_, rest) = text.split_once("\"verificationId\":\"")?;
    rest.split('"').next()
}
