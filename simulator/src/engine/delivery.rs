//! Webhook deliveries as data: what is due when, and what came of it. Nothing is sent here.

use std::collections::BTreeMap;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::ids::VerificationId;

/// The deliveries of one account and environment, by the verification they bring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deliveries {
    by_verification: BTreeMap<VerificationId, Delivery>,
}

/// One envelope on its way to the registered receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The verification.
    pub verification: VerificationId,
    /// The envelope, the same bytes at each attempt.
    pub body: Bytes,
    /// When the verification reached its terminal state, by the account's clock.
    pub since: Timestamp,
    /// How it stands.
    pub state: DeliveryState,
    /// What was tried.
    pub attempts: Vec<Attempt>,
}

/// How a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// The next attempt is due at this instant of the account's clock.
    Due(Timestamp),
    /// The receiver took it.
    Delivered,
    /// The last attempt failed.
    Dead,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// When it was due, by the account's clock.
    pub due: Timestamp,
    /// What came of it.
    pub answer: Answered,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The receiver answered with this HTTP status.
    Status(u16),
    /// It could not be reached, did not answer in time, or answered with no HTTP; with the reason.
    Nothing(String),
}

impl Answered {
    /// Whether the receiver took the delivery: any 2xx.
    #[must_use]
    pub fn taken(&self) -> bool {
        matches!(self, Answered::Status(200..=299))
    }
}

impl Delivery {
    /// A delivery whose first attempt is due as the schedule says.
    #[must_use]
    pub fn new(
        verification: VerificationId,
        body: Bytes,
        since: Timestamp,
        schedule_ms: &[u64],
    ) -> Self {
        let mut delivery = Delivery {
            verification,
            body,
            since,
            state: DeliveryState::Dead,
            attempts: Vec::new(),
        };
        delivery.state = delivery.next(schedule_ms);
        delivery
    }

    fn next(&self, schedule_ms: &[u64]) -> DeliveryState {
        match schedule_ms.get(self.attempts.len()) {
            Some(&after_ms) => {
                let after =
                    SignedDuration::from_millis(i64::try_from(after_ms).unwrap_or(i64::MAX));
                DeliveryState::Due(self.since.saturating_add(after).unwrap_or(Timestamp::MAX))
            }
            None => DeliveryState::Dead,
        }
    }

    /// Notes what came of the attempt that was due.
    fn attempted(&mut self, attempt: Attempt, schedule_ms: &[u64]) {
        let taken = attempt.answer.taken();
        self.attempts.push(attempt);
        self.state = if taken {
            DeliveryState::Delivered
        } else {
            self.next(schedule_ms)
        };
    }
}

impl Deliveries {
    /// Keeps a new delivery.
    pub fn add(&mut self, delivery: Delivery) {
        self.by_verification.insert(delivery.verification, delivery);
    }

    /// Books what came of an attempt.
    pub fn attempted(
        &mut self,
        verification: VerificationId,
        attempt: Attempt,
        schedule_ms: &[u64],
    ) {
        if let Some(delivery) = self.by_verification.get_mut(&verification) {
            delivery.attempted(attempt, schedule_ms);
        }
    }

    /// The delivery whose attempt is due first, and when; of several at once, that of the lowest id.
    #[must_use]
    pub fn first_due(&self) -> Option<(Timestamp, &Delivery)> {
        let due = |delivery: &'_ Delivery| match delivery.state {
            DeliveryState::Due(at) => Some(at),
            DeliveryState::Delivered | DeliveryState::Dead => None,
        };
        self.by_verification
            .values()
            .filter_map(|delivery| Some((due(delivery)?, delivery)))
            .min_by_key(|(at, _)| *at)
    }

    /// All of them, by verification.
    pub fn iter(&self) -> impl Iterator<Item = &Delivery> {
        self.by_verification.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULE_MS: [u64; 6] = [0, 30_000, 120_000, 600_000, 3_600_000, 21_600_000];
    const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn attempts_until(taken_at: Option<usize>) -> (Vec<i64>, DeliveryState) {
        let id = VerificationId::parse("svcv_00000000000000000000000000").expect("an id");
        let mut delivery = Delivery::new(id, Bytes::new(), START, &SCHEDULE_MS);
        while let DeliveryState::Due(due) = delivery.state {
            let status = if taken_at == Some(delivery.attempts.len()) {
                204
            } else {
                500
            };
            delivery.attempted(
                Attempt {
                    due,
                    answer: Answered::Status(status),
                },
                &SCHEDULE_MS,
            );
        }
        let seconds = delivery
            .attempts
            .iter()
            .map(|attempt| attempt.due.duration_since(START).as_secs());
        (seconds.collect(), delivery.state)
    }

    #[test]
    fn six_failures_end_in_the_dead_letter() {
        let all = vec![0, 30, 120, 600, 3600, 21600];
        assert_eq!(attempts_until(None), (all.clone(), DeliveryState::Dead));
        assert_eq!(attempts_until(Some(5)), (all, DeliveryState::Delivered));
    }

    #[test]
    fn a_taken_attempt_is_the_last() {
        assert_eq!(attempts_until(Some(0)), (vec![0], DeliveryState::Delivered));
        assert_eq!(
            attempts_until(Some(2)),
            (vec![0, 30, 120], DeliveryState::Delivered)
        );
    }
}
