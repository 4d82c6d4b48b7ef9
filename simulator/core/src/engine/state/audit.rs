//! The audit of live answers that must be retained: who looked at what, when, and until when it is
//! kept. Evicted only where there is no room, the oldest access first.

use std::collections::VecDeque;

use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::VerificationId;
use super::sizes::Sum;

/// The audit of one account and environment, oldest access first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    accesses: VecDeque<Access>,
    evicted: u64,
}

/// One access to an answer that must be retained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// The answer's id.
    pub verification: VerificationId,
    /// When it was accessed, by the account's clock.
    pub at: Timestamp,
    /// How.
    pub by: AccessKind,
    /// The last day it is retained.
    pub retained_until: Date,
}

/// How an answer was accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[schemars(inline)]
pub enum AccessKind {
    /// It was given for the first time.
    Call,
    /// It was given again under its idempotency key.
    Replay,
    /// It was looked up.
    LookUp,
}

impl Audit {
    /// Notes an access.
    pub fn note(&mut self, access: Access) {
        self.accesses.push_back(access);
    }

    /// Evicts the oldest access. Says whether there was one.
    pub fn evict_oldest(&mut self) -> bool {
        let evicted = self.accesses.pop_front().is_some();
        self.evicted += u64::from(evicted);
        evicted
    }

    /// All accesses.
    #[must_use]
    pub fn evictable(&self) -> Sum {
        let count = self.accesses.len();
        Sum {
            count,
            bytes: count * (size_of::<Access>() * 4 / 3),
        }
    }

    /// How many were evicted to bound memory.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.evicted
    }

    /// Gives back the room of what was evicted.
    pub fn shrink(&mut self) {
        if self.accesses.capacity() > 2 * self.accesses.len() {
            self.accesses.shrink_to_fit();
        }
    }

    /// All accesses, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter()
    }
}
