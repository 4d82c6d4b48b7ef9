//! How long an answer takes and a flow: from what was measured where the traffic says so, else from what is documented.

use serde::Serialize;
use svc_fixtures::contract::{Contract, Environment, Flow, LatencyRange};

use super::distribution::LatencyDistribution;
use super::ratio::Ratio;
use super::tariff::{EndpointIndex, EndpointRow, Tariff};

/// Where a time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TimeSource {
    /// From the contract's rows.
    Documented,
    /// From the traffic.
    Measured,
    /// Some steps were measured, others are documented.
    Both,
}

impl TimeSource {
    /// Of two that are put together.
    #[must_use]
    pub(super) fn and(self, other: TimeSource) -> TimeSource {
        if self == other {
            self
        } else {
            TimeSource::Both
        }
    }
}

/// How long one thing takes.
#[derive(Debug, Clone)]
pub(super) struct TimeTaken {
    /// Every duration with its weight.
    pub(super) distribution: LatencyDistribution,
    /// Where that comes from.
    pub(super) source: TimeSource,
    /// How many were measured.
    pub(super) samples: usize,
}

/// How long a flow takes.
#[derive(Debug, Clone)]
pub(super) struct TimedFlow {
    /// Its name.
    pub(super) name: String,
    /// What it is, for people.
    pub(super) title: String,
    /// How often it is run in a month.
    pub(super) runs: Ratio,
    /// Its steps.
    pub(super) steps: Vec<TimedStep>,
    /// From its first call to its last answer, or to the result.
    pub(super) time: TimeTaken,
    /// What is to be known of it.
    pub(super) note: Option<String>,
}

/// How long a step of a flow takes.
#[derive(Debug, Clone)]
pub(super) struct TimedStep {
    /// What is called, or waited for.
    pub(super) name: String,
    /// How long that takes.
    pub(super) time: TimeTaken,
}

impl TimeTaken {
    /// What is documented.
    #[must_use]
    pub(super) fn documented(range: LatencyRange) -> Self {
        TimeTaken::of_documents(LatencyDistribution::documented(range))
    }

    /// A distribution that is made of documented figures.
    #[must_use]
    pub(super) fn of_documents(distribution: LatencyDistribution) -> Self {
        TimeTaken {
            distribution,
            source: TimeSource::Documented,
            samples: 0,
        }
    }

    /// What was measured; none where nothing was.
    #[must_use]
    pub(super) fn measured(samples: &[u64]) -> Option<Self> {
        Some(TimeTaken {
            distribution: LatencyDistribution::measured(samples)?,
            source: TimeSource::Measured,
            samples: samples.len(),
        })
    }

    /// One after the other.
    #[must_use]
    pub(super) fn then(&self, next: &TimeTaken) -> Self {
        TimeTaken {
            distribution: self.distribution.then(&next.distribution),
            source: self.source.and(next.source),
            samples: self.samples.min(next.samples),
        }
    }
}

/// What of the documented wait for a result is nobody's word but the simulator's.
pub(super) const SIMULATED_WAIT: &str =
    "the wait for the result is the simulator's: the specification gives none";

/// What no clock foretells.
pub(super) const PERSONS_TIME: &str = "the time a person takes is not in it";

/// How long a pending operation waits for its result after its first answer, as the rows say; none where only a person
/// brings it.
#[must_use]
pub(super) fn documented_wait(tariff: &Tariff<'_>, endpoint: EndpointIndex) -> Option<u64> {
    let pending = tariff.endpoint(endpoint).as_operation()?.pending.as_ref()?;
    pending.by_consent.is_none().then_some(pending.after_ms)
}

/// How long the answer that says "pending" takes, as the rows say.
#[must_use]
pub(super) fn documented_pending(tariff: &Tariff<'_>, endpoint: EndpointIndex) -> LatencyRange {
    match tariff.endpoint(endpoint).row {
        EndpointRow::Operation(row) => row.latency_of(Environment::Live, true),
        EndpointRow::Bundle(row) => row.typical_latency,
    }
}

/// Whether a step of a flow needs a person: it must be told a secret that somebody was sent.
#[must_use]
pub(super) fn needs_a_person(contract: &Contract, flow: &Flow) -> bool {
    let consents = |id: &str| {
        let pending = contract.operation(id).and_then(|row| row.pending.as_ref());
        pending.is_some_and(|pending| pending.by_consent.is_some())
    };
    flow.steps
        .iter()
        .any(|step| step.tries.is_some() || consents(&step.operation))
}
