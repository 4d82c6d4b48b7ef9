//! The audit of live answers that must be retained: who looked at what, when, and until when it is
//! kept. Forgotten only where there is no room, the oldest access first.

use std::collections::VecDeque;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};

use super::calls::{Record, State};
use super::entry::{Change, Concluded};
use super::ids::VerificationId;
use super::kept::{self, Sum};
use super::usage;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;

/// The audit of one account and environment, oldest access first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    accesses: VecDeque<Access>,
    forgotten: u64,
}

/// One access to an answer that must be retained.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// Forgets the oldest access. Says whether there was one.
    pub fn forget_oldest(&mut self) -> bool {
        let forgotten = self.accesses.pop_front().is_some();
        self.forgotten += u64::from(forgotten);
        forgotten
    }

    /// All accesses.
    #[must_use]
    pub fn over(&self) -> Sum {
        let count = self.accesses.len();
        Sum {
            count,
            bytes: count * (size_of::<Access>() * 4 / 3),
        }
    }

    /// How many were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        kept::shrink(&mut self.accesses);
    }

    /// All accesses, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter()
    }
}

/// The access to an answer, where it must be audited: a live result of an operation whose row says
/// so, or of a bundle with such a step.
#[must_use]
pub fn access(
    rules: &Rules,
    environment: Environment,
    record: &Record,
    by: AccessKind,
    now: Timestamp,
) -> Option<Change> {
    let given = record.state == State::Completed && environment == Environment::Live;
    if !given || !rules.audits(&record.endpoint) {
        return None;
    }
    let years = rules.contract.service.audit_retention_years;
    let retained_until = usage::day(record.at).saturating_add(years.years());
    Some(Change::Accessed(Access {
        verification: record.verification,
        at: now,
        by,
        retained_until,
    }))
}

/// The accesses that giving an answer for the first time is.
pub fn first_accesses(
    rules: &Rules,
    environment: Environment,
    concluded: &Concluded,
    now: Timestamp,
) -> impl Iterator<Item = Change> {
    let steps = concluded.steps.iter().map(|step| &step.record);
    let records = steps.chain([&concluded.record]);
    records.filter_map(move |record| access(rules, environment, record, AccessKind::Call, now))
}
