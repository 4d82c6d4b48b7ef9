//! The audit as ruling 23 says it: who looked at a live credit report, when, and until when it is kept.

use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use svc_contract_tests::model::{CallOutcome, Endpoint, EnvironmentState};
use svc_fixtures::contract::Contract;

use crate::world::instant;

/// The operation and the bundle whose live results must be kept, as the specification names them.
const KEPT: [&str; 2] = [
    "verify.financial.credit-report",
    "bundles.credit-bureau-report",
];
const KEPT_YEARS: i64 = 7;

/// How a result was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessBy {
    Call,
    Replay,
    LookUp,
}

/// One look at a result: of which id, at what instant, how, and the last day it is kept.
pub(crate) type Access = (String, i64, AccessBy, Date);

/// The audit of one environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audit {
    live: bool,
    pub(crate) accesses: Vec<Access>,
    /// The last day of each result that is kept.
    kept: BTreeMap<String, Date>,
}

impl Audit {
    pub(crate) fn new(live: bool) -> Self {
        Audit {
            live,
            ..Audit::default()
        }
    }

    /// A call was answered for the first time; its id is the first, those of its steps follow.
    pub(crate) fn answered(
        &mut self,
        state: &EnvironmentState<'_>,
        contract: &Contract,
        at: usize,
        ids: &[String],
        now: i64,
    ) {
        let it = &state.verifications[at];
        let name = it.endpoint.name(contract);
        let record = it.record.expect("it was answered");
        let completed = state.records[record].outcome == CallOutcome::Completed;
        if !self.live || !completed || !KEPT.contains(&&*name) {
            return;
        }
        let day = instant(it.at).to_zoned(TimeZone::UTC).date();
        let until = day.saturating_add(KEPT_YEARS.years());
        // The reports first, then the bundle that they are in.
        let steps = match it.endpoint {
            Endpoint::Bundle(_) => &ids[1..],
            Endpoint::Operation(_) => &[],
        };
        let steps = steps.iter().zip(&it.steps);
        let results = steps.filter(|(_, step)| step.outcome == CallOutcome::Completed);
        for id in results.map(|(id, _)| id).chain(&ids[..1]) {
            self.kept.insert(id.clone(), until);
            self.looked(id, AccessBy::Call, now);
        }
    }

    /// Whether this result is kept.
    pub(crate) fn keeps(&self, id: &str) -> bool {
        self.kept.contains_key(id)
    }

    /// Somebody got this result. Says whether that is written down.
    pub(crate) fn looked(&mut self, id: &str, by: AccessBy, now: i64) -> bool {
        let until = self.kept.get(id).copied();
        let access = until.map(|until| (id.to_owned(), now, by, until));
        let noted = access.is_some();
        self.accesses.extend(access);
        noted
    }
}
