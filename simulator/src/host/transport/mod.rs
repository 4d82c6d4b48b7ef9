//! How webhooks leave the simulator: one POST and what came of it. Knows nothing of accounts,
//! schedules and signatures; the courier decides what is posted when.

mod failure;
mod http;
mod memory;
mod names;
mod nowhere;
mod target;
mod url;

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

use crate::engine::state::delivery::Answered;
pub use http::{HttpTransport, TransportError, TransportLimits};
pub use memory::MemoryTransport;
pub use names::{FoundAddresses, Names, SystemNames};
pub use nowhere::NoTransport;
pub use target::{TargetRefused, Targets};

/// The name of the header that carries the signature.
pub const SIGNATURE_HEADER: &str = "X-Service-Signature";

/// How much of a receiver's answer is kept, in bytes: enough to see what went wrong.
pub const EXCERPT_BYTES: usize = 1024;

/// One POST of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// Where to.
    pub url: String,
    /// The value of [`SIGNATURE_HEADER`]; without it the header is not sent.
    pub signature: Option<String>,
    /// The envelope.
    pub body: Bytes,
}

/// What came of a [`Posting`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// The receiver's status, or why there is none.
    pub answered: Answered,
    /// The first bytes of the receiver's answer, at most [`EXCERPT_BYTES`].
    pub excerpt: Bytes,
}

impl Posted {
    /// No answer, and why.
    fn nothing(reason: impl Into<String>) -> Self {
        Posted {
            answered: Answered::Nothing(reason.into()),
            excerpt: Bytes::new(),
        }
    }
}

/// What takes postings out of the simulator.
pub trait Transport: Send + Sync {
    /// Posts once. Whatever the receiver does, this ends: with its status or with a reason.
    fn post(&self, posting: Posting) -> Pin<Box<dyn Future<Output = Posted> + Send + '_>>;
}
