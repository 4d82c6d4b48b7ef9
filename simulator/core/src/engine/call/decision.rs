//! What the pipeline decides of a call.

use super::reply::Reply;
use super::settle::UnauthenticatedCall;
use crate::engine::state::entry::Entry;
use crate::engine::state::ids::VerificationId;

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is answered; the entry must be applied before the answer leaves.
    Answered {
        /// The answer.
        reply: Reply,
        /// What changes; nothing for a replay, a look-up or a 401.
        entry: Option<Entry>,
    },
    /// The answer is delayed for some real time; then the verification is finished.
    Delayed {
        /// The verification.
        verification: VerificationId,
        /// For how long, in real milliseconds.
        delay_ms: u64,
        /// What changes.
        entry: Entry,
    },
    /// A call with the same idempotency key and body is being executed: ask
    /// [`decide_waiting`](super::pipeline::decide_waiting) when it is done (ruling 20).
    InFlight {
        /// As this verification.
        on: VerificationId,
        /// What changes.
        entry: Option<Entry>,
    },
    /// Its key does not work: the account keeps nothing of it.
    Unauthenticated(UnauthenticatedCall),
}
