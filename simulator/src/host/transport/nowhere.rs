//! A transport that sends nothing: for a simulator that is only asked, such as the one that makes the
//! examples of the documents.

use std::future::{Future, ready};
use std::pin::Pin;

use super::{Transport, WebhookRequest, WebhookResponse};

/// Sends nothing.
pub struct NoTransport;

impl Transport for NoTransport {
    fn post(
        &self,
        _: WebhookRequest,
    ) -> Pin<Box<dyn Future<Output = WebhookResponse> + Send + '_>> {
        let reason = "webhooks do not leave this simulator";
        Box::pin(ready(WebhookResponse::nothing(reason)))
    }
}
