//! The call log of one account and environment: every answer that was given, by its id.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use svc_fixtures::contract::{ErrorCode, Paise};

use super::ids::VerificationId;
use super::kept::{Heap, Keepable, Kept, Standing, Sum, shared, text};
use crate::scenario::Because;

/// The calls that were answered. One that is pending is never forgotten.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calls {
    by_id: Kept<VerificationId, Line>,
    /// How many were ever kept.
    came: u64,
}

/// A line of the log. Ids tell nothing of the order in which calls came, and many come in one instant.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    record: Record,
    /// How many came before.
    came: u64,
}

/// One call and its newest answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub verification: VerificationId,
    /// What was called, dotted.
    pub endpoint: Arc<str>,
    /// When it came in, by the account's clock.
    pub at: Timestamp,
    /// How it stands.
    pub state: State,
    /// The HTTP status of the newest answer.
    pub status: u16,
    /// The newest envelope.
    pub envelope: Bytes,
    /// What was charged.
    pub charged: Paise,
    /// Why it got this outcome.
    pub because: Because,
    /// The idempotency key it ran under.
    pub claim: Option<Arc<str>>,
}

/// How a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It has its result.
    Completed,
    /// Its result is still to come.
    Pending,
    /// It ended in an error.
    Failed(ErrorCode),
}

impl Keepable for Line {
    fn standing(&self) -> Standing {
        match self.record.state {
            State::Pending => Standing::Open,
            State::Completed | State::Failed(_) => Standing::Over,
        }
    }
}

impl Heap for Line {
    /// The envelope counts here as long as the call is kept, whoever else shares it.
    fn heap(&self) -> usize {
        let because = match &self.record.because {
            Because::Sentinel(field) => text(field),
            _ => 0,
        };
        shared(&self.record.envelope) + because
    }
}

impl Calls {
    /// The call of that id, where it is still kept.
    #[must_use]
    pub fn get(&self, verification: VerificationId) -> Option<&Record> {
        self.by_id.get(&verification).map(|line| &line.record)
    }

    /// All that are kept, in the order in which they came; one whose answer was held back came when it was
    /// answered.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        let mut all: Vec<&Line> = self.by_id.in_order().map(|(_, line)| line).collect();
        all.sort_unstable_by_key(|line| line.came);
        all.into_iter().map(|line| &line.record)
    }

    /// How many are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.by_id.len()
    }

    /// How many calls were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.by_id.forgotten()
    }

    /// RetentionLimits a call, or its newer answer.
    pub fn keep(&mut self, record: Record) {
        let (verification, came) = (record.verification, self.came);
        match self.by_id.put(verification, Line { record, came }) {
            None => self.came += 1,
            Some(before) => self
                .by_id
                .change(&verification, |line| line.came = before.came),
        }
    }

    /// Forgets the one that ended first. Gives its id and the idempotency key it ran under.
    pub fn forget_oldest(&mut self) -> Option<(VerificationId, Option<Arc<str>>)> {
        let (verification, line) = self.by_id.forget_oldest()?;
        Some((verification, line.record.claim))
    }

    /// Those that are never forgotten now: they are pending.
    #[must_use]
    pub fn open(&self) -> Sum {
        self.by_id.open()
    }

    /// Those that have ended.
    #[must_use]
    pub fn over(&self) -> Sum {
        self.by_id.over()
    }

    /// Pending ones and ended ones, counted anew: for tests.
    #[must_use]
    pub fn recount(&self) -> (Sum, Sum) {
        self.by_id.recount()
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        self.by_id.shrink();
    }
}
