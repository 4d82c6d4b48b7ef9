//! The webhook deliveries of one account and environment: which is due next, and how long they are
//! kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use jiff::{SignedDuration, Timestamp};

use super::delivery::{Attempt, Delivery};
use super::ids::VerificationId;

/// So many deliveries that have ended are kept for each account and environment; then the one that
/// ended first is forgotten. One that is still due never is.
pub const KEPT_DELIVERIES: usize = 10_000;

/// The deliveries of one account and environment, by the verification they bring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deliveries {
    by_verification: BTreeMap<VerificationId, Delivery>,
    by_due: BTreeSet<(Timestamp, VerificationId)>,
    /// Those that wait for another one to come before them.
    to_be_overtaken: Vec<VerificationId>,
    /// Those that ended, in the order they did. One that was sent again by hand stands here twice.
    ended: VecDeque<VerificationId>,
    forgotten: u64,
}

/// A delivery that a later one is meant to overtake waits until one begins, and no longer than the
/// time between the first two attempts of the schedule. Then it is sent this much after the other.
const OVERTAKEN_BY: SignedDuration = SignedDuration::from_millis(1);

impl Deliveries {
    /// Keeps a new delivery.
    pub fn add(&mut self, delivery: Delivery) {
        match (delivery.waits_to_be_overtaken(), delivery.due()) {
            (true, _) => self.to_be_overtaken.push(delivery.verification),
            (false, Some(at)) => {
                self.overtake(at.saturating_add(OVERTAKEN_BY).unwrap_or(Timestamp::MAX));
            }
            (false, None) => {}
        }
        self.put(delivery);
    }

    /// Those that waited for this are due.
    fn overtake(&mut self, at: Timestamp) {
        for verification in std::mem::take(&mut self.to_be_overtaken) {
            self.change(verification, |delivery| delivery.overtaken(at));
        }
    }

    /// Books what came of an attempt.
    pub fn attempted(
        &mut self,
        verification: VerificationId,
        attempt: Attempt,
        schedule_ms: &[u64],
    ) {
        self.change(verification, |delivery| {
            delivery.attempted(attempt, schedule_ms);
        });
    }

    /// Makes one more attempt due at an instant, whatever the schedule says.
    pub fn ask_again(&mut self, verification: VerificationId, at: Timestamp) {
        self.change(verification, |delivery| delivery.asked_for(at));
    }

    fn change(&mut self, verification: VerificationId, change: impl FnOnce(&mut Delivery)) {
        if let Some(mut delivery) = self.by_verification.remove(&verification) {
            if let Some(at) = delivery.due() {
                self.by_due.remove(&(at, verification));
            }
            change(&mut delivery);
            self.put(delivery);
        }
    }

    fn put(&mut self, delivery: Delivery) {
        let verification = delivery.verification;
        match delivery.due() {
            Some(at) => {
                self.by_due.insert((at, verification));
            }
            None => self.ended.push_back(verification),
        }
        self.by_verification.insert(verification, delivery);
        while self.ended.len() > KEPT_DELIVERIES {
            let Some(oldest) = self.ended.pop_front() else {
                break;
            };
            let over = |delivery: &Delivery| delivery.due().is_none();
            if self.by_verification.get(&oldest).is_some_and(over) {
                self.by_verification.remove(&oldest);
                self.forgotten += 1;
            }
        }
    }

    /// Those that are due, in order of due time, then of id.
    pub fn due(&self) -> impl Iterator<Item = (Timestamp, &Delivery)> {
        let delivery = |verification| &self.by_verification[verification];
        self.by_due.iter().map(move |(at, id)| (*at, delivery(id)))
    }

    /// When the first attempt is due that is not due yet.
    #[must_use]
    pub fn due_after(&self, now: Timestamp) -> Option<Timestamp> {
        let after = now.saturating_add(SignedDuration::from_nanos(1)).ok()?;
        let mut later = self.by_due.range((after, VerificationId::NONE)..);
        later.next().map(|(at, _)| *at)
    }

    /// The delivery that brings a verification.
    #[must_use]
    pub fn get(&self, verification: VerificationId) -> Option<&Delivery> {
        self.by_verification.get(&verification)
    }

    /// All of them, by verification.
    pub fn iter(&self) -> impl Iterator<Item = &Delivery> {
        self.by_verification.values()
    }

    /// How many deliveries were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::delivery::{Answered, DeliveryId, DeliveryState};
    use super::*;
    use crate::scenario::{SendOrder, WebhookFault};

    const SCHEDULE_MS: [u64; 6] = [0, 30_000, 120_000, 600_000, 3_600_000, 21_600_000];
    const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn id(last: &str) -> VerificationId {
        VerificationId::parse(&format!("svcv_0000000000000000000000000{last}")).expect("an id")
    }

    fn one(fault: WebhookFault) -> Deliveries {
        let mut deliveries = Deliveries::default();
        let body = Bytes::from_static(b"{}");
        deliveries.add(Delivery::new(id("0"), body, START, fault, &SCHEDULE_MS));
        deliveries
    }

    fn attempt(deliveries: &mut Deliveries, status: u16) -> (i64, VerificationId) {
        let (due, delivery) = deliveries.due().next().expect("one is due");
        let (verification, why) = (delivery.verification, delivery.why());
        let attempt = Attempt {
            due,
            why,
            sent: None,
            answer: Answered::Status(status),
            excerpt: Bytes::new(),
        };
        deliveries.attempted(verification, attempt, &SCHEDULE_MS);
        (due.duration_since(START).as_secs(), verification)
    }

    fn state(deliveries: &Deliveries) -> DeliveryState {
        deliveries.get(id("0")).expect("it is kept").state()
    }

    /// When it was attempted, where it is taken by attempt number `taken_at`.
    fn attempts_until(taken_at: Option<usize>, fault: WebhookFault) -> (Vec<i64>, DeliveryState) {
        let mut deliveries = one(fault);
        let mut seconds = Vec::new();
        while deliveries.due().next().is_some() {
            let takes = taken_at.is_some_and(|at| at <= seconds.len());
            seconds.push(attempt(&mut deliveries, if takes { 204 } else { 500 }).0);
        }
        (seconds, state(&deliveries))
    }

    #[test]
    fn six_failures_end_in_the_dead_letter_and_a_taken_attempt_is_the_last() {
        let all = [0, 30, 120, 600, 3600, 21600];
        let genuine = WebhookFault::default();
        let dead = (all.to_vec(), DeliveryState::Dead);
        assert_eq!(attempts_until(None, genuine), dead);
        for taken_at in 0..6 {
            let taken = (all[..=taken_at].to_vec(), DeliveryState::Delivered);
            assert_eq!(attempts_until(Some(taken_at), genuine), taken);
        }
    }

    #[test]
    fn a_duplicate_is_sent_again_at_once_although_it_was_taken() {
        let fault = WebhookFault {
            copies: 3,
            ..WebhookFault::default()
        };
        let taken = (vec![0, 30, 30, 30], DeliveryState::Delivered);
        assert_eq!(attempts_until(Some(1), fault), taken);
    }

    #[test]
    fn a_late_delivery_keeps_the_spaces_of_its_schedule() {
        let fault = WebhookFault {
            delay_ms: 90_000,
            ..WebhookFault::default()
        };
        let taken = (vec![90, 120, 210], DeliveryState::Delivered);
        assert_eq!(attempts_until(Some(2), fault), taken);
    }

    #[test]
    fn one_that_is_to_be_overtaken_waits_for_the_next_but_not_for_ever() {
        let fault = WebhookFault {
            order: SendOrder::Overtaken,
            ..WebhookFault::default()
        };
        assert_eq!(attempts_until(Some(0), fault).0, [30]);
        let mut deliveries = one(fault);
        let since = START + SignedDuration::from_secs(5);
        let other = Delivery::new(
            id("1"),
            Bytes::new(),
            since,
            WebhookFault::default(),
            &SCHEDULE_MS,
        );
        deliveries.add(other);
        let order = [(); 2].map(|()| attempt(&mut deliveries, 200).1);
        assert_eq!(order, [id("1"), id("0")]);
    }

    #[test]
    fn a_dead_letter_is_sent_once_more_for_each_time_it_is_asked_for() {
        let mut deliveries = one(WebhookFault::default());
        for _ in 0..6 {
            attempt(&mut deliveries, 500);
        }
        for (status, ended) in [(500, DeliveryState::Dead), (200, DeliveryState::Delivered)] {
            deliveries.ask_again(id("0"), START + SignedDuration::from_hours(9));
            assert_eq!(attempt(&mut deliveries, status).0, 9 * 3600);
            assert_eq!(state(&deliveries), ended);
        }
    }

    #[test]
    fn one_that_is_still_due_keeps_its_schedule_when_it_is_asked_for() {
        let mut deliveries = one(WebhookFault::default());
        attempt(&mut deliveries, 500);
        deliveries.ask_again(id("0"), START + SignedDuration::from_secs(7));
        assert_eq!(attempt(&mut deliveries, 500).0, 7);
        assert_eq!(attempt(&mut deliveries, 500).0, 30);
    }

    #[test]
    fn an_id_reads_back() {
        let shown = DeliveryId(id("7")).to_string();
        assert_eq!(DeliveryId::parse(&shown), Some(DeliveryId(id("7"))));
        assert_eq!(DeliveryId::parse(&id("7").to_string()), None);
    }
}
