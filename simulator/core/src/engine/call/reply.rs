//! What goes out: status, the headers the service sets, and the bytes of the envelope.

use bytes::Bytes;

use crate::engine::state::verification::{Answer, State};
use crate::scenario::WireFault;

/// How long a client should wait before it tries a 429 or 503 of an operation again, in seconds.
const RETRY_AFTER_S: u32 = 1;

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The envelope.
    pub body: Bytes,
    /// `Retry-After`, in whole seconds.
    pub retry_after_s: Option<u32>,
    /// `Allow`, of a 405.
    pub allow: Option<&'static str>,
    /// `Idempotent-Replay: true`: this answer was given before.
    pub replay: bool,
    /// What goes wrong on its way to the client.
    pub wire: Option<WireFault>,
    /// What it says of its verification.
    pub state: State,
    /// The flag that bounds what somebody has too much of, where that is why the call was refused.
    pub refused_for: Option<&'static str>,
}

impl Reply {
    /// An answer without any of the special headers.
    #[must_use]
    pub fn plain(status: u16, body: impl Into<Bytes>) -> Self {
        Reply {
            status,
            body: body.into(),
            retry_after_s: None,
            allow: None,
            replay: false,
            wire: None,
            state: State::Completed,
            refused_for: None,
        }
    }

    /// An answer that a verification was given, with the headers that go with its status (ruling 17).
    #[must_use]
    pub fn of(answer: &Answer) -> Self {
        Reply {
            retry_after_s: matches!(answer.status, 429 | 503).then_some(RETRY_AFTER_S),
            state: answer.state,
            ..Reply::plain(answer.status, answer.sent())
        }
    }

    /// The same answer, on a wire on which this goes wrong.
    #[must_use]
    pub fn sent_over(self, wire: Option<WireFault>) -> Self {
        Reply { wire, ..self }
    }

    /// The same answer, marked as given before. It arrives intact whatever became of the first.
    #[must_use]
    pub fn replayed(self) -> Self {
        Reply {
            replay: true,
            wire: None,
            ..self
        }
    }
}
