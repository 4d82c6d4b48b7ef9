//! The stages of a call, for the record of one that was refused: the call log can say at which it ended. Decides nothing.

use serde::{Deserialize, Serialize};

/// A stage of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// Whether its key works.
    Authenticate,
    /// Whether the key may be used from there.
    Allowlist,
    /// Whether the key may be used so soon again.
    RateLimit,
    /// Route, body and fields: found before, and said when those before it let the call through.
    Prepare,
    /// What its idempotency key means.
    Claim,
    /// Whether what is pending leaves room.
    Room,
    /// Whether the calls before it were made.
    Flow,
    /// Whether the wallet covers the price, which is put aside.
    Hold,
    /// What it comes to.
    Resolve,
    /// Its answer, its charge and its record.
    Settle,
}

impl Stage {
    /// All of them, in the order in which a call walks them.
    pub const ALL: [Stage; 10] = [
        Stage::Authenticate,
        Stage::Allowlist,
        Stage::RateLimit,
        Stage::Prepare,
        Stage::Claim,
        Stage::Room,
        Stage::Flow,
        Stage::Hold,
        Stage::Resolve,
        Stage::Settle,
    ];
}
