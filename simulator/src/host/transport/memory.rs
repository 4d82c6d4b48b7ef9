//! A transport without a network, for tests and benches: a function answers, and every posting is
//! kept.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

use super::{Transport, WebhookRequest, WebhookResponse};
use crate::engine::state::delivery::Answered;
use crate::host::lock_order::{Mutex, Rank};

/// A transport without a network.
pub struct MemoryTransport<F> {
    answer: F,
    postings: Mutex<Vec<WebhookRequest>>,
}

impl<F: Fn(&WebhookRequest, usize) -> u16 + Send + Sync> MemoryTransport<F> {
    /// A transport whose receivers answer with the status that `answer` gives for a posting and
    /// its place among all postings, counted from 0.
    pub fn new(answer: F) -> Self {
        MemoryTransport {
            answer,
            postings: Mutex::new(Rank::Record, Vec::new()),
        }
    }

    /// All postings so far, in the order in which they came.
    #[must_use]
    pub fn postings(&self) -> Vec<WebhookRequest> {
        self.postings.lock().clone()
    }
}

impl<F: Fn(&WebhookRequest, usize) -> u16 + Send + Sync> Transport for MemoryTransport<F> {
    fn post(
        &self,
        posting: WebhookRequest,
    ) -> Pin<Box<dyn Future<Output = WebhookResponse> + Send + '_>> {
        Box::pin(async move {
            let nth = {
                let mut postings = self.postings.lock();
                postings.push(posting.clone());
                postings.len() - 1
            };
            // Outside the lock: the function may take its time.
            let status = (self.answer)(&posting, nth);
            WebhookResponse {
                answered: Answered::Status(status),
                excerpt: Bytes::new(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn postings_are_answered_by_their_place_and_kept_in_order() {
        let transport = MemoryTransport::new(|_, nth| if nth == 0 { 500 } else { 204 });
        let posting = |body: &'static str| WebhookRequest {
            url: "http://127.0.0.1/".to_owned(),
            signature: None,
            body: Bytes::from_static(body.as_bytes()),
        };
        let first = transport.post(posting("a")).await.answered;
        let second = transport.post(posting("b")).await.answered;
        assert_eq!(
            [first, second],
            [Answered::Status(500), Answered::Status(204)]
        );
        assert_eq!(transport.postings(), [posting("a"), posting("b")]);
    }
}
