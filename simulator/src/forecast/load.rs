//! A month of one endpoint: how many calls, which of them cost something, and why the others do not.

use std::collections::BTreeMap;

use serde::Serialize;
use svc_fixtures::contract::Environment;

use super::ratio::Ratio;
use super::tariff::EndpointIndex;

/// Why a call costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FreeReason {
    /// The sandbox costs nothing.
    Sandbox,
    /// It failed, and may be tried again: source, provider, rate limit, service.
    Failed,
    /// It was refused before anything was executed, or found no wallet to pay it.
    Refused,
    /// It was answered again under its idempotency key.
    Replayed,
    /// Its result is not there yet.
    Pending,
    /// No answer came, and nothing says whether it was charged.
    Unanswered,
    /// It is conclusive, and the traffic says that nothing was charged.
    NotCharged,
}

impl FreeReason {
    /// All, in the order in which they are told.
    pub(super) const ALL: [FreeReason; 7] = [
        FreeReason::Sandbox,
        FreeReason::Failed,
        FreeReason::Refused,
        FreeReason::Replayed,
        FreeReason::Pending,
        FreeReason::Unanswered,
        FreeReason::NotCharged,
    ];

    /// In words.
    #[must_use]
    pub(super) fn words(self) -> &'static str {
        match self {
            FreeReason::Sandbox => "on the sandbox, which is free",
            FreeReason::Failed => "failed at the source or the service, never billed",
            FreeReason::Refused => "refused before anything was executed",
            FreeReason::Replayed => "answered again under an idempotency key",
            FreeReason::Pending => "still pending: billed if the result is conclusive",
            FreeReason::Unanswered => "without an answer: nothing says whether they were charged",
            FreeReason::NotCharged => "conclusive, and not charged as the traffic says",
        }
    }
}

/// A month of one endpoint in one environment.
#[derive(Debug, Clone)]
pub(super) struct MonthlyLoad {
    /// Which endpoint.
    pub(super) endpoint: EndpointIndex,
    /// Where it is called.
    pub(super) environment: Environment,
    /// How many calls, repetitions included.
    pub(super) calls: Ratio,
    /// Those that are charged.
    pub(super) billed: Ratio,
    /// Those of them that say there is no record.
    pub(super) no_record: Ratio,
    /// Those that are not, by why.
    pub(super) free: BTreeMap<FreeReason, Ratio>,
    /// What they cost in paise.
    pub(super) amount: Ratio,
}

impl MonthlyLoad {
    /// Of no calls yet.
    #[must_use]
    pub(super) fn new(endpoint: EndpointIndex, environment: Environment) -> Self {
        MonthlyLoad {
            endpoint,
            environment,
            calls: Ratio::ZERO,
            billed: Ratio::ZERO,
            no_record: Ratio::ZERO,
            free: BTreeMap::new(),
            amount: Ratio::ZERO,
        }
    }

    /// Some calls that cost nothing.
    pub(super) fn add_free(&mut self, why: FreeReason, calls: Ratio) {
        if calls > Ratio::ZERO {
            let sum = self.free.entry(why).or_insert(Ratio::ZERO);
            *sum = *sum + calls;
            self.calls = self.calls + calls;
        }
    }

    /// Some calls that cost this much together.
    pub(super) fn add_billed(&mut self, calls: Ratio, no_record: Ratio, amount: Ratio) {
        self.calls = self.calls + calls;
        self.billed = self.billed + calls;
        self.no_record = self.no_record + no_record;
        self.amount = self.amount + amount;
    }
}

/// Calls that need not have been made, and what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AvoidableCalls {
    /// How many.
    pub(super) calls: Ratio,
    /// What they cost in paise.
    pub(super) amount: Ratio,
}

impl AvoidableCalls {
    /// None.
    pub(super) const NONE: AvoidableCalls = AvoidableCalls {
        calls: Ratio::ZERO,
        amount: Ratio::ZERO,
    };

    /// More of them.
    pub(super) fn add(&mut self, calls: Ratio, amount: Ratio) {
        self.calls = self.calls + calls;
        self.amount = self.amount + amount;
    }
}

/// What would be saved in a month.
#[derive(Debug, Clone, Copy)]
pub(super) struct MonthlySavings {
    /// By sending a repetition with the key of the call it repeats.
    pub(super) keys: AvoidableCalls,
    /// By remembering that there is no record.
    pub(super) cache: AvoidableCalls,
    /// By both: what both would save counts once.
    pub(super) both: AvoidableCalls,
}

impl MonthlySavings {
    /// Nothing.
    pub(super) const NONE: MonthlySavings = MonthlySavings {
        keys: AvoidableCalls::NONE,
        cache: AvoidableCalls::NONE,
        both: AvoidableCalls::NONE,
    };
}
