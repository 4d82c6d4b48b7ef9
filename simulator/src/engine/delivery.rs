//! Webhook deliveries as data: what is due when, and what came of it. Nothing is sent here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};

use super::ids::VerificationId;
use super::signature::Signature;
use crate::scenario::{SendOrder, WebhookFault};

/// So many deliveries that have ended are kept for each account and environment; then the one that
/// ended first is forgotten. One that is still due never is.
pub const KEPT_DELIVERIES: usize = 10_000;

/// The deliveries of one account and environment, by the verification they bring.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deliveries {
    by_verification: BTreeMap<VerificationId, Delivery>,
    by_due: BTreeSet<(Timestamp, VerificationId)>,
    /// Those that ended, in the order they did. One that was sent again by hand stands here twice.
    ended: VecDeque<VerificationId>,
    forgotten: u64,
}

/// One envelope on its way to the registered receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The verification.
    pub verification: VerificationId,
    /// The envelope, the same bytes at each attempt.
    pub body: Bytes,
    /// What the schedule counts from: when the verification reached its terminal state, by the
    /// account's clock, later only where a scenario says so.
    pub since: Timestamp,
    /// What was tried.
    pub attempts: Vec<Attempt>,
    /// What goes wrong with it on purpose.
    pub fault: WebhookFault,
    standing: Standing,
}

/// Where a delivery is in its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    /// How it stands by the schedule.
    scheduled: DeliveryState,
    /// When it was asked for by hand, until that was done.
    by_hand: Option<Timestamp>,
    /// How many attempts the schedule has made.
    made: usize,
    /// Whether the receiver took it.
    taken: bool,
    /// How often it is still to be sent although it was taken.
    copies: u32,
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

impl DeliveryState {
    /// What the control API calls it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            DeliveryState::Due(_) => "due",
            DeliveryState::Delivered => "delivered",
            DeliveryState::Dead => "dead",
        }
    }
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// When it was due, by the account's clock.
    pub due: Timestamp,
    /// Why it was made.
    pub why: Why,
    /// Where it was sent, and how it was signed; nothing where no receiver was registered any more.
    pub sent: Option<Sent>,
    /// What came of it.
    pub answer: Answered,
    /// The first bytes of what the receiver answered.
    pub excerpt: Bytes,
}

/// Why an attempt was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The schedule said so.
    Schedule,
    /// It was taken before; a scenario sends it more than once.
    Copy,
    /// Somebody asked for it.
    Hand,
}

/// Where an attempt went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The receiver's URL as it was registered at that moment.
    pub url: Arc<str>,
    /// The signature; none where a scenario leaves it away.
    pub signature: Option<Signature>,
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

/// A delivery's own id: its verification's, with another prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryId(pub VerificationId);

impl DeliveryId {
    const PREFIX: &'static str = "dlv_";

    /// Reads an id as it is shown.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let suffix = text.strip_prefix(Self::PREFIX)?;
        VerificationId::parse(&format!("{}{suffix}", VerificationId::PREFIX)).map(DeliveryId)
    }
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(Self::PREFIX)?;
        out.write_str(self.0.suffix())
    }
}

/// A delivery that a later one is meant to overtake waits until one begins, and no longer than the
/// time between the first two attempts of the schedule. Then it is sent this much after the other.
const OVERTAKEN_BY: SignedDuration = SignedDuration::from_millis(1);

impl Delivery {
    /// A delivery whose first attempt is due as the schedule says.
    #[must_use]
    pub fn new(
        verification: VerificationId,
        body: Bytes,
        since: Timestamp,
        fault: WebhookFault,
        schedule_ms: &[u64],
    ) -> Self {
        let since = later(since, fault.delay_ms);
        let first = match (fault.order, schedule_ms) {
            (SendOrder::Overtaken, [_, wait_ms, ..]) => Some(wait_ms),
            _ => schedule_ms.first(),
        };
        Delivery {
            verification,
            body,
            since,
            attempts: Vec::new(),
            fault,
            standing: Standing {
                scheduled: first.map_or(DeliveryState::Dead, |&wait_ms| {
                    DeliveryState::Due(later(since, wait_ms))
                }),
                by_hand: None,
                made: 0,
                taken: false,
                copies: fault.copies.saturating_sub(1),
            },
        }
    }

    /// How it stands.
    #[must_use]
    pub fn state(&self) -> DeliveryState {
        self.standing.state()
    }

    /// When its next attempt is due, where one is.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        match self.state() {
            DeliveryState::Due(at) => Some(at),
            DeliveryState::Delivered | DeliveryState::Dead => None,
        }
    }

    /// Why its next attempt is made.
    #[must_use]
    pub fn why(&self) -> Why {
        match (self.standing.by_hand, self.standing.taken) {
            (Some(_), _) => Why::Hand,
            (None, true) => Why::Copy,
            (None, false) => Why::Schedule,
        }
    }

    /// How it will stand after an attempt.
    #[must_use]
    pub fn state_after(&self, attempt: &Attempt, schedule_ms: &[u64]) -> DeliveryState {
        self.after(attempt, schedule_ms).state()
    }

    fn after(&self, attempt: &Attempt, schedule_ms: &[u64]) -> Standing {
        let mut after = self.standing;
        match attempt.why {
            Why::Hand => after.by_hand = None,
            Why::Copy => after.copies = after.copies.saturating_sub(1),
            Why::Schedule => after.made += 1,
        }
        after.taken |= attempt.answer.taken();
        after.scheduled = match (after.taken, attempt.why) {
            (true, _) if after.copies > 0 => DeliveryState::Due(attempt.due),
            (true, _) => DeliveryState::Delivered,
            // An attempt by hand that failed changes nothing in the schedule.
            (false, Why::Hand) => after.scheduled,
            (false, _) => match schedule_ms.get(after.made) {
                // A first attempt that was overtaken may have been later than this one is due.
                Some(&wait_ms) => DeliveryState::Due(later(self.since, wait_ms).max(attempt.due)),
                None => DeliveryState::Dead,
            },
        };
        after
    }

    /// Notes what came of the attempt that was due.
    fn attempted(&mut self, attempt: Attempt, schedule_ms: &[u64]) {
        self.standing = self.after(&attempt, schedule_ms);
        self.attempts.push(attempt);
    }

    fn waits_to_be_overtaken(&self) -> bool {
        self.fault.order == SendOrder::Overtaken && self.attempts.is_empty()
    }
}

fn later(at: Timestamp, by_ms: u64) -> Timestamp {
    let by = SignedDuration::from_millis(i64::try_from(by_ms).unwrap_or(i64::MAX));
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

impl Standing {
    fn state(self) -> DeliveryState {
        self.by_hand.map_or(self.scheduled, DeliveryState::Due)
    }
}

impl Deliveries {
    /// Keeps a new delivery.
    pub fn add(&mut self, delivery: Delivery) {
        if let Some(at) = delivery.due().filter(|_| !delivery.waits_to_be_overtaken()) {
            self.overtake(later(at, 0) + OVERTAKEN_BY);
        }
        self.put(delivery);
    }

    /// Those that waited for this are due.
    fn overtake(&mut self, at: Timestamp) {
        let waiting = self.by_due.iter().map(|&(_, verification)| verification);
        let waiting = waiting.filter(|id| self.by_verification[id].waits_to_be_overtaken());
        for verification in waiting.collect::<Vec<_>>() {
            self.change(verification, |delivery| {
                if delivery.due().is_some_and(|due| at < due) {
                    delivery.standing.scheduled = DeliveryState::Due(at);
                }
            });
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
        self.change(verification, |delivery| {
            delivery.standing.by_hand = Some(at)
        });
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
    use super::*;

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
