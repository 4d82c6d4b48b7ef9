//! A transport without a network, for tests and benches: a function answers, and every request is
//! recorded.

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::webhook::{Transport, WebhookRequest, WebhookResponse};
use crate::engine::state::delivery::AttemptOutcome;
use crate::host::lock_order::{Mutex, Rank};

/// A transport without a network.
pub struct MemoryTransport<F> {
    answer: F,
    requests: Mutex<Vec<WebhookRequest>>,
}

impl<F: Fn(&WebhookRequest, usize) -> u16 + Send + Sync> MemoryTransport<F> {
    /// A transport whose receivers answer with the status that `answer` gives for a request and
    /// its place among all requests, counted from 0.
    pub fn new(answer: F) -> Self {
        MemoryTransport {
            answer,
            requests: Mutex::new(Rank::Record, Vec::new()),
        }
    }

    /// All requests so far, in the order in which they came.
    #[must_use]
    pub fn requests(&self) -> Vec<WebhookRequest> {
        self.requests.lock().clone()
    }
}

impl<F: Fn(&WebhookRequest, usize) -> u16 + Send + Sync> Transport for MemoryTransport<F> {
    fn post(&self, request: WebhookRequest) -> BoxFuture<'_, WebhookResponse> {
        Box::pin(async move {
            let nth = {
                let mut requests = self.requests.lock();
                requests.push(request.clone());
                requests.len() - 1
            };
            // Outside the lock: the function may take its time.
            let status = (self.answer)(&request, nth);
            WebhookResponse {
                answered: AttemptOutcome::Status(status),
                excerpt: Bytes::new(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_are_answered_by_their_place_and_kept_in_order() {
        let transport = MemoryTransport::new(|_, nth| if nth == 0 { 500 } else { 204 });
        let request = |body: &'static str| WebhookRequest {
            url: "http://127.0.0.1/".to_owned(),
            signature: None,
            body: Bytes::from_static(body.as_bytes()),
        };
        let first = transport.post(request("a")).await.answered;
        let second = transport.post(request("b")).await.answered;
        assert_eq!(
            [first, second],
            [AttemptOutcome::Status(500), AttemptOutcome::Status(204)]
        );
        assert_eq!(transport.requests(), [request("a"), request("b")]);
    }
}
