//! The call log of one account and environment: every answer that was given, by its id.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use foldhash::fast::FixedState;
use jiff::Timestamp;
use svc_fixtures::contract::{ErrorCode, Paise};

use super::ids::VerificationId;
use crate::scenario::Because;

/// So many calls are kept for each account and environment; then the oldest is forgotten first.
/// One that is pending is never forgotten.
pub const KEPT_CALLS: usize = 10_000;

/// The calls that were answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Calls {
    by_id: HashMap<VerificationId, Record, FixedState>,
    by_age: VecDeque<VerificationId>,
    forgotten: u64,
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

impl Calls {
    /// The call of that id, where it is still kept.
    #[must_use]
    pub fn get(&self, verification: VerificationId) -> Option<&Record> {
        self.by_id.get(&verification)
    }

    /// All that are kept, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Record> {
        self.by_age
            .iter()
            .filter_map(|verification| self.by_id.get(verification))
    }

    /// How many are kept.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.by_id.len()
    }

    /// How many calls were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Keeps a call, or its newer answer.
    pub fn keep(&mut self, record: Record) {
        let verification = record.verification;
        if self.by_id.insert(verification, record).is_none() {
            self.by_age.push_back(verification);
        }
        // Each pending call met on the way is put back at the young end.
        let mut looked_at = 0;
        while self.by_id.len() > KEPT_CALLS && looked_at < self.by_age.len() {
            let Some(oldest) = self.by_age.pop_front() else {
                break;
            };
            match self.by_id.get(&oldest).map(|record| record.state) {
                Some(State::Pending) => self.by_age.push_back(oldest),
                _ => {
                    self.by_id.remove(&oldest);
                    self.forgotten += 1;
                }
            }
            looked_at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ids::{BodyDigest, Content, Seed};
    use super::*;

    fn record(number: usize, state: State) -> Record {
        let body = BodyDigest::of_bytes("an.operation", "POST", "", &number.to_le_bytes());
        let content = Content::of(
            &Seed::new(""),
            super::super::call::Environment::Test,
            "local",
            body,
            None,
            None,
        );
        Record {
            verification: content.verification(0),
            endpoint: "an.operation".into(),
            at: Timestamp::UNIX_EPOCH,
            state,
            status: 200,
            envelope: Bytes::new(),
            charged: Paise::ZERO,
            because: Because::Unnamed,
        }
    }

    #[test]
    fn the_oldest_call_is_forgotten_first_and_a_pending_one_never() {
        let mut calls = Calls::default();
        calls.keep(record(0, State::Pending));
        for number in 1..=KEPT_CALLS {
            calls.keep(record(number, State::Completed));
        }
        assert!(calls.get(record(0, State::Pending).verification).is_some());
        assert!(
            calls
                .get(record(1, State::Completed).verification)
                .is_none()
        );
        assert!(
            calls
                .get(record(2, State::Completed).verification)
                .is_some()
        );
        assert_eq!((calls.iter().count(), calls.forgotten()), (KEPT_CALLS, 1));
    }
}
