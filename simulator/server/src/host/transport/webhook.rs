//! One POST of a webhook and what came of it.

use std::future::ready;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use crate::engine::state::delivery::AttemptOutcome;

/// The name of the header that carries the signature.
pub const SIGNATURE_HEADER: &str = "X-Service-Signature";

/// How much of a receiver's answer is kept, in bytes: enough to see what went wrong.
pub const EXCERPT_BYTES: usize = 1024;

/// One POST of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// Where to.
    pub url: String,
    /// The value of [`SIGNATURE_HEADER`]; without it the header is not sent.
    pub signature: Option<String>,
    /// The envelope.
    pub body: Bytes,
}

/// What came of a [`WebhookRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookResponse {
    /// The receiver's status, or why there is none.
    pub answered: AttemptOutcome,
    /// The first bytes of the receiver's answer, at most [`EXCERPT_BYTES`].
    pub excerpt: Bytes,
}

impl WebhookResponse {
    /// No answer, and why.
    pub(super) fn nothing(reason: impl Into<String>) -> Self {
        WebhookResponse {
            answered: AttemptOutcome::Nothing(reason.into()),
            excerpt: Bytes::new(),
        }
    }
}

/// Sends webhooks to their receivers.
pub trait Transport: Send + Sync {
    /// Posts once. Whatever the receiver does, this ends: with its status or with a reason.
    fn post(&self, request: WebhookRequest) -> BoxFuture<'_, WebhookResponse>;
}

/// Sends nothing: for a simulator that is only asked, such as the one that makes the examples of the
/// documents.
pub struct NoTransport;

impl Transport for NoTransport {
    fn post(&self, _: WebhookRequest) -> BoxFuture<'_, WebhookResponse> {
        let reason = "webhooks do not leave this simulator";
        Box::pin(ready(WebhookResponse::nothing(reason)))
    }
}
