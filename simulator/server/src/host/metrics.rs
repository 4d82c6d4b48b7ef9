//! Counts what happens, for `/metrics`. Each count is a number that is found by its place: counting takes no lock and
//! makes no text.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use svc_fixtures::contract::{Contract, ErrorCode, OperationIndex};

use super::clock::Stopwatch;
use crate::engine::call::prepare::{Plan, Prepared};
use crate::engine::call::reply::Reply;
use crate::engine::call::request::Environment;
use crate::engine::state::delivery::AttemptOutcome;
use crate::engine::state::rejection::Rejection;
use crate::engine::state::verification::State;

/// How many outcomes a call can have: completed, pending, given before, and every error.
pub const OUTCOMES: usize = 3 + ErrorCode::ALL.len();

/// A count that only grows.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// One more.
    pub fn add_one(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often a value was at most so much.
#[derive(Debug)]
pub struct Distribution {
    /// The upper bound of each bucket but the last, which has none.
    bounds: &'static [u64],
    buckets: Box<[Count]>,
    sum: Count,
}

/// Up to so many nanoseconds: from a call that memory answers to one that a scenario delays.
const DURATIONS: [u64; 16] = [
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    5_000_000_000,
    30_000_000_000,
];

/// Up to so many entries.
const SIZES: [u64; 11] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

impl Distribution {
    /// Of durations, in nanoseconds.
    #[must_use]
    pub fn of_durations() -> Self {
        Distribution::within(&DURATIONS)
    }

    /// Of how many there are of something.
    #[must_use]
    pub fn of_sizes() -> Self {
        Distribution::within(&SIZES)
    }

    fn within(bounds: &'static [u64]) -> Self {
        Distribution {
            bounds,
            buckets: (0..=bounds.len()).map(|_| Count::default()).collect(),
            sum: Count::default(),
        }
    }

    /// Notes a value.
    pub fn note(&self, value: u64) {
        let bucket = self.bounds.iter().position(|bound| value <= *bound);
        self.buckets[bucket.unwrap_or(self.bounds.len())].add_one();
        self.sum.add(value);
    }

    /// Notes how long something took.
    pub fn note_duration(&self, took: Duration) {
        self.note(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX));
    }

    /// The sum of all values.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.sum.get()
    }

    /// Each bucket: its upper bound, where it has one, and how many values are in it alone.
    pub fn buckets(&self) -> impl Iterator<Item = (Option<u64>, u64)> {
        let bounds = self.bounds.iter().copied().map(Some).chain([None]);
        bounds.zip(self.buckets.iter().map(Count::get))
    }
}

/// What is called: the place of its counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Called(usize);

/// The calls of one operation in one environment.
#[derive(Debug)]
pub struct CallCounts {
    outcomes: [Count; OUTCOMES],
    durations: Distribution,
}

impl CallCounts {
    fn new() -> Self {
        CallCounts {
            outcomes: std::array::from_fn(|_| Count::default()),
            durations: Distribution::of_durations(),
        }
    }

    /// How many ended in each outcome, by its name.
    pub fn by_outcome(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let own = ["completed", "pending", "replayed"].into_iter();
        let errors = ErrorCode::ALL.iter().map(|code| code.as_str());
        own.chain(errors).zip(self.outcomes.iter().map(Count::get))
    }

    /// How long they took, from the whole request to its answer.
    #[must_use]
    pub fn durations(&self) -> &Distribution {
        &self.durations
    }
}

/// Everything that is counted, beside what is known without counting.
#[derive(Debug)]
pub struct Metrics {
    /// In each environment each operation, each bundle, look-up, usage, and what is none of these.
    calls: Box<[CallCounts]>,
    places: usize,
    operations: usize,
    refused: [Count; Rejection::FLAGS.len()],
    attempts: [Count; AttemptResult::ALL.len()],
    store: Arc<StoreMetrics>,
}

/// What came of an attempt to deliver a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver took it: any 2xx.
    Taken,
    /// The receiver answered something else.
    Refused,
    /// No answer came in time.
    Unanswered,
}

impl AttemptResult {
    /// All of them.
    pub const ALL: [AttemptResult; 3] = [
        AttemptResult::Taken,
        AttemptResult::Refused,
        AttemptResult::Unanswered,
    ];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            AttemptResult::Taken => "taken",
            AttemptResult::Refused => "refused",
            AttemptResult::Unanswered => "unanswered",
        }
    }

    fn of(outcome: &AttemptOutcome) -> Self {
        match outcome {
            outcome if outcome.taken() => AttemptResult::Taken,
            AttemptOutcome::Status(_) => AttemptResult::Refused,
            AttemptOutcome::Nothing(_) => AttemptResult::Unanswered,
        }
    }
}

/// The counts after those of operations and bundles.
const OTHERS: [&str; 3] = ["verifications", "usage", "other"];

impl Metrics {
    /// Nothing happened yet. The store counts by itself.
    pub(super) fn new(contract: &Contract, store: Arc<StoreMetrics>) -> Self {
        let places = contract.operations.len() + contract.bundles.len() + OTHERS.len();
        Metrics {
            calls: (0..places * Environment::ALL.len())
                .map(|_| CallCounts::new())
                .collect(),
            places,
            operations: contract.operations.len(),
            refused: Default::default(),
            attempts: Default::default(),
            store,
        }
    }

    /// What a call that is prepared calls.
    pub(super) fn called(&self, contract: &Contract, prepared: &Prepared<'_>) -> Called {
        let place = match (prepared.operation, &prepared.plan) {
            (Some(OperationIndex(place)), _) => place,
            (None, Ok(Plan::Bundle(plan))) => self.operations + plan.bundle.0,
            (None, Ok(Plan::LookUp(_))) => self.places - 3,
            (None, Ok(Plan::Usage(_))) => self.places - 2,
            (None, _) => return self.called_by_name(contract, &prepared.endpoint),
        };
        Called(place)
    }

    /// What has this name in an envelope, though it was not called as it has to be.
    pub(super) fn called_by_name(&self, contract: &Contract, endpoint: &str) -> Called {
        let operation = contract
            .operations
            .iter()
            .position(|row| row.id == endpoint);
        let slug = endpoint.strip_prefix("bundles.");
        let bundle = || {
            contract
                .bundles
                .iter()
                .position(|row| slug == Some(&row.slug))
        };
        let place = operation.or_else(|| bundle().map(|place| self.operations + place));
        Called(place.unwrap_or(self.places - 1))
    }

    /// What it is called.
    pub(super) fn name(&self, contract: &Contract, called: Called) -> String {
        self.names(contract).nth(called.0).unwrap_or_default()
    }

    /// The name of each place.
    fn names<'c>(&self, contract: &'c Contract) -> impl Iterator<Item = String> + use<'c> {
        let operations = contract.operations.iter().map(|row| row.id.clone());
        let bundles = contract
            .bundles
            .iter()
            .map(|row| format!("bundles.{}", row.slug));
        operations.chain(bundles).chain(OTHERS.map(str::to_owned))
    }

    /// Counts the answer to a call.
    pub(super) fn answered(
        &self,
        environment: Environment,
        called: Called,
        reply: &Reply,
        watch: Stopwatch,
    ) {
        let outcome = match (reply.replay, reply.state) {
            (true, _) => 2,
            (false, State::Completed) => 0,
            (false, State::Pending) => 1,
            (false, State::Failed(code)) => 3 + code as usize,
        };
        let first = match environment {
            Environment::Test => 0,
            Environment::Live => self.places,
        };
        let counts = &self.calls[first + called.0];
        counts.outcomes[outcome].add_one();
        counts.durations.note_duration(watch.read());
        if let Some(flag) = reply.refused_for {
            let place = Rejection::FLAGS.iter().position(|it| *it == flag);
            self.refused[place.expect("a refusal names one of the flags")].add_one();
        }
    }

    /// Counts the answer to a call that no account could be found for.
    pub(super) fn answered_nobody(
        &self,
        contract: &Contract,
        environment: Environment,
        endpoint: &str,
        reply: &Reply,
        watch: Stopwatch,
    ) {
        let called = self.called_by_name(contract, endpoint);
        self.answered(environment, called, reply, watch);
    }

    /// Counts an attempt to deliver.
    pub(super) fn attempted(&self, outcome: &AttemptOutcome) {
        self.attempts[AttemptResult::of(outcome) as usize].add_one();
    }

    /// The calls of everything that was called: environment, name and counts.
    pub fn calls(
        &self,
        contract: &Contract,
    ) -> impl Iterator<Item = (Environment, String, &CallCounts)> {
        let environments = Environment::ALL.into_iter();
        let names: Vec<String> = self.names(contract).collect();
        let places = environments.flat_map(move |environment| {
            let names = names.clone().into_iter();
            names.map(move |name| (environment, name))
        });
        let all = places.zip(&self.calls);
        let called = all.filter(|(_, counts)| counts.outcomes.iter().any(|count| count.get() > 0));
        called.map(|((environment, name), counts)| (environment, name, counts))
    }

    /// How many calls were refused because somebody had its share, by the flag that says how much that is.
    pub fn refused(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Rejection::FLAGS
            .into_iter()
            .zip(self.refused.iter().map(Count::get))
    }

    /// How many attempts to deliver came to what.
    pub fn attempts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let results = AttemptResult::ALL.into_iter().map(AttemptResult::as_str);
        results.zip(self.attempts.iter().map(Count::get))
    }

    /// What the store counts.
    #[must_use]
    pub fn store(&self) -> &StoreMetrics {
        &self.store
    }
}

/// What a store counts of itself. One that keeps nothing counts nothing.
#[derive(Debug)]
pub struct StoreMetrics {
    queued: AtomicU64,
    commits: Distribution,
    groups: Distribution,
    conflicts: Count,
    failures: Count,
}

impl Default for StoreMetrics {
    fn default() -> Self {
        StoreMetrics {
            queued: AtomicU64::new(0),
            commits: Distribution::of_durations(),
            groups: Distribution::of_sizes(),
            conflicts: Count::default(),
            failures: Count::default(),
        }
    }
}

impl StoreMetrics {
    /// So many entries were taken, to be written later.
    pub fn taken(&self, entries: usize) {
        self.queued.fetch_add(entries as u64, Ordering::Relaxed);
    }

    /// So many entries wait no longer: they are in a commit that begins, or are given up.
    pub fn begun(&self, entries: usize) {
        self.queued.fetch_sub(entries as u64, Ordering::Relaxed);
    }

    /// So many entries were written together, and it took so long.
    pub fn committed(&self, entries: usize, took: Duration) {
        self.groups.note(entries as u64);
        self.commits.note_duration(took);
    }

    /// Entries were decided on an account that somebody else had changed.
    pub fn conflicted(&self) {
        self.conflicts.add_one();
    }

    /// A commit failed.
    pub fn failed(&self) {
        self.failures.add_one();
    }

    /// How many entries wait to be written.
    #[must_use]
    pub fn queued(&self) -> u64 {
        self.queued.load(Ordering::Relaxed)
    }

    /// How long commits took.
    #[must_use]
    pub fn commits(&self) -> &Distribution {
        &self.commits
    }

    /// How many entries were written together.
    #[must_use]
    pub fn groups(&self) -> &Distribution {
        &self.groups
    }

    /// How many conflicts there were.
    #[must_use]
    pub fn conflicts(&self) -> u64 {
        self.conflicts.get()
    }

    /// How many commits failed.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_in_the_first_bucket_that_holds_it() {
        let sizes = Distribution::of_sizes();
        for value in [0, 1, 2, 3, 1024, 1025, 1_000_000] {
            sizes.note(value);
        }
        let full: Vec<_> = sizes.buckets().filter(|(_, count)| *count > 0).collect();
        let expected = [
            (Some(1), 2),
            (Some(2), 1),
            (Some(4), 1),
            (Some(1024), 1),
            (None, 2),
        ];
        assert_eq!(full, expected);
        assert_eq!(sizes.sum(), 1_000_000 + 1025 + 1024 + 6);
    }

    #[test]
    fn every_error_has_a_place_of_its_own() {
        for (at, code) in ErrorCode::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, at, "{}", code.as_str());
        }
    }

    #[test]
    fn what_waits_is_what_was_taken_and_is_in_no_commit() {
        let store = StoreMetrics::default();
        store.taken(3);
        store.taken(2);
        store.begun(4);
        store.committed(4, Duration::from_millis(3));
        assert_eq!(store.queued(), 1);
        assert_eq!(store.groups().sum(), 4);
        assert_eq!(store.commits().sum(), 3_000_000);
    }
}
