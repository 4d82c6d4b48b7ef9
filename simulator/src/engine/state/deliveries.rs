//! The webhook deliveries of one account and environment: which is due next, and how long they are
//! kept.

use std::collections::BTreeSet;
use std::ops::Bound;

use jiff::{SignedDuration, Timestamp};

use super::delivery::{Answered, Attempt, Delivery};
use super::ids::VerificationId;
use super::kept::{Counts, Heap, Keepable, Kept, Standing, Sum, shared, text};

/// The deliveries of one account and environment, by the verification they bring. One that is still
/// due is never forgotten.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deliveries {
    by_verification: Kept<VerificationId, Brought>,
    by_due: BTreeSet<(Timestamp, VerificationId)>,
    /// Those that wait for another one to come before them.
    to_be_overtaken: Vec<VerificationId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Brought {
    delivery: Delivery,
    /// Who its body counts for: it is the newest envelope of its call.
    counts: Counts,
}

impl Keepable for Brought {
    fn standing(&self) -> Standing {
        match self.delivery.due() {
            Some(_) => Standing::Open,
            None => Standing::Over,
        }
    }
}

impl Heap for Brought {
    fn heap(&self) -> usize {
        let body = match self.counts {
            Counts::There => 0,
            Counts::Here => shared(&self.delivery.body),
        };
        let attempts = self.delivery.attempts.iter();
        let attempts = attempts.map(|attempt| {
            let why = match &attempt.answer {
                Answered::Nothing(why) => text(why),
                Answered::Status(_) => 0,
            };
            size_of::<Attempt>() * 4 / 3 + shared(&attempt.excerpt) + why
        });
        size_of::<(Timestamp, VerificationId)>() * 2 + body + attempts.sum::<usize>()
    }
}

/// A delivery that a later one is meant to overtake waits until one begins, and no longer than the
/// time between the first two attempts of the schedule. Then it is sent this much after the other.
const OVERTAKEN_BY: SignedDuration = SignedDuration::from_millis(1);

impl Deliveries {
    /// RetentionLimits a new delivery.
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

    /// EnvironmentState what came of an attempt.
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

    /// The call log has forgotten the call of this delivery.
    pub fn alone(&mut self, verification: VerificationId) {
        self.by_verification
            .change(&verification, |it| it.counts = Counts::Here);
    }

    fn change(&mut self, verification: VerificationId, change: impl FnOnce(&mut Delivery)) {
        if let Some(at) = self.get(verification).and_then(Delivery::due) {
            self.by_due.remove(&(at, verification));
        }
        self.by_verification
            .change(&verification, |it| change(&mut it.delivery));
        if let Some(at) = self.get(verification).and_then(Delivery::due) {
            self.by_due.insert((at, verification));
        }
    }

    fn put(&mut self, delivery: Delivery) {
        let verification = delivery.verification;
        if let Some(at) = delivery.due() {
            self.by_due.insert((at, verification));
        }
        let brought = Brought {
            delivery,
            counts: Counts::There,
        };
        self.by_verification.put(verification, brought);
    }

    /// Forgets the one that ended first. Says whether there was one.
    pub fn forget_oldest(&mut self) -> bool {
        self.by_verification.forget_oldest().is_some()
    }

    /// Those that are never forgotten now: they are still due.
    #[must_use]
    pub fn open(&self) -> Sum {
        self.by_verification.open()
    }

    /// Those that have ended.
    #[must_use]
    pub fn over(&self) -> Sum {
        self.by_verification.over()
    }

    /// Due ones and ended ones, counted anew: for tests.
    #[must_use]
    pub fn recount(&self) -> (Sum, Sum) {
        self.by_verification.recount()
    }

    /// Gives back the room of what was forgotten.
    pub fn shrink(&mut self) {
        self.by_verification.shrink();
    }

    /// Those that are due, in order of due time, then of id.
    pub fn due(&self) -> impl Iterator<Item = (Timestamp, &Delivery)> {
        let by_due = self.by_due.iter();
        by_due.filter_map(|(at, id)| Some((*at, self.get(*id)?)))
    }

    /// When the first attempt is due that is not due yet.
    #[must_use]
    pub fn due_after(&self, now: Timestamp) -> Option<Timestamp> {
        let after = Bound::Excluded((now, VerificationId::LAST));
        let mut later = self.by_due.range((after, Bound::Unbounded));
        later.next().map(|(at, _)| *at)
    }

    /// The delivery that brings a verification.
    #[must_use]
    pub fn get(&self, verification: VerificationId) -> Option<&Delivery> {
        self.by_verification
            .get(&verification)
            .map(|it| &it.delivery)
    }

    /// All of them, by verification.
    pub fn iter(&self) -> impl Iterator<Item = &Delivery> {
        let all = self.by_verification.in_order();
        let mut all: Vec<_> = all.map(|(_, it)| &it.delivery).collect();
        all.sort_unstable_by_key(|delivery| delivery.verification);
        all.into_iter()
    }

    /// How many deliveries were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self) -> u64 {
        self.by_verification.forgotten()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::super::delivery::{Answered, DeliveryId, DeliveryState};
    use super::*;
    use crate::scenario::{OutOfOrder, WebhookFault};

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
            out_of_order: OutOfOrder::Yes,
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
