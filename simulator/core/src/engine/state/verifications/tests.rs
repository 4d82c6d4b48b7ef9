//! What is due when, what is evicted first, and that the sums that run along are true.

use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

use super::{
    Attempt, BTreeSet, Claim, Delivery, Expiry, Phase, Verification, VerificationId, Verifications,
};
use crate::engine::state::delivery::{AttemptOutcome, DeliveryId, DeliveryState};
use crate::engine::state::ids::{BodyDigest, Content, Seed};
use crate::engine::state::verification::{Answer, Due, FirstAnswer, State};
use crate::scenario::{Because, OutOfOrder, WebhookFault};

const SCHEDULE_MS: [u64; 6] = [0, 30_000, 120_000, 600_000, 3_600_000, 21_600_000];
const START: Timestamp = Timestamp::constant(1_800_000_000, 0);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const EXPIRY: Expiry = Expiry {
    now: START,
    retention: DAY,
};

fn id(number: u32) -> VerificationId {
    static CONTENT: LazyLock<Content> = LazyLock::new(|| {
        let body = BodyDigest::of_json("an.operation", &Json::from("a body"));
        let seed = Seed::new("tests");
        Content::of(&seed, Environment::Test, "local", body, None, None)
    });
    CONTENT.verification(number)
}

/// One that was answered with an envelope of so many bytes.
fn answered(number: u32, phase: Phase, bytes: usize) -> Box<Verification> {
    let state = match phase {
        Phase::Ended => State::Completed,
        Phase::Pending { .. } | Phase::Delayed { .. } => State::Pending,
    };
    Box::new(Verification {
        counted: true,
        latency_ms: number,
        because: Because::NoMatch,
        phase,
        answer: Some(Answer {
            status: 200,
            state,
            envelope: vec![b' '; bytes].into(),
        }),
        ..Verification::new(id(number), "an.operation".into(), START)
    })
}

fn delivered(number: u32, since: Timestamp, fault: WebhookFault) -> Box<Verification> {
    let mut of = answered(number, Phase::Ended, 2);
    of.delivery = Some(Box::new(Delivery::new(since, fault, &SCHEDULE_MS)));
    of
}

fn one(fault: WebhookFault) -> Verifications {
    let mut all = Verifications::default();
    all.put(delivered(0, START, fault));
    all
}

fn attempt(all: &mut Verifications, status: u16) -> (i64, VerificationId) {
    let (due, of, delivery) = all.due_attempts().next().expect("one is due");
    let (id, why) = (of.id, delivery.why());
    let attempt = Attempt {
        due,
        why,
        sent: None,
        answer: AttemptOutcome::Status(status),
        excerpt: bytes::Bytes::new(),
    };
    all.attempted(id, attempt, &SCHEDULE_MS);
    (due.duration_since(START).as_secs(), id)
}

fn state(all: &Verifications) -> DeliveryState {
    all.delivery(id(0)).expect("it is there").state()
}

/// When it was attempted, where it is taken by attempt number `taken_at`.
fn attempts_until(taken_at: Option<usize>, fault: WebhookFault) -> (Vec<i64>, DeliveryState) {
    let mut all = one(fault);
    let mut seconds = Vec::new();
    while all.due_attempts().next().is_some() {
        let takes = taken_at.is_some_and(|at| at <= seconds.len());
        seconds.push(attempt(&mut all, if takes { 204 } else { 500 }).0);
    }
    (seconds, state(&all))
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
    let mut all = one(fault);
    let since = START + SignedDuration::from_secs(5);
    all.put(delivered(1, since, WebhookFault::default()));
    let order = [(); 2].map(|()| attempt(&mut all, 200).1);
    assert_eq!(order, [id(1), id(0)]);
}

#[test]
fn a_dead_letter_is_sent_once_more_for_each_time_it_is_requested() {
    let mut all = one(WebhookFault::default());
    for _ in 0..6 {
        attempt(&mut all, 500);
    }
    for (status, ended) in [(500, DeliveryState::Dead), (200, DeliveryState::Delivered)] {
        all.request_redelivery(id(0), START + SignedDuration::from_hours(9));
        assert_eq!(attempt(&mut all, status).0, 9 * 3600);
        assert_eq!(state(&all), ended);
    }
}

#[test]
fn one_that_is_still_due_keeps_its_schedule_when_it_is_requested() {
    let mut all = one(WebhookFault::default());
    attempt(&mut all, 500);
    all.request_redelivery(id(0), START + SignedDuration::from_secs(7));
    assert_eq!(attempt(&mut all, 500).0, 7);
    assert_eq!(attempt(&mut all, 500).0, 30);
}

#[test]
fn a_delivery_id_reads_back() {
    let shown = DeliveryId(id(7)).to_string();
    assert_eq!(DeliveryId::parse(&shown), Some(DeliveryId(id(7))));
    assert_eq!(DeliveryId::parse(&id(7).to_string()), None);
}

fn claimed(number: u32, key: &str, at: Timestamp) -> Box<Verification> {
    let mut of = answered(number, Phase::Ended, 2);
    of.claims.push(Claim {
        key: key.into(),
        body: BodyDigest::of_bytes("an.operation", "POST", "", b""),
        at,
        answer: FirstAnswer::Newest,
    });
    of
}

#[test]
fn a_record_goes_with_its_last_role() {
    let keys = |now| Expiry {
        now,
        retention: DAY,
    };
    let last = START + DAY - SignedDuration::from_nanos(1);
    for (now, is_kept) in [(START, true), (last, true), (START + DAY, false)] {
        let mut all = Verifications::default();
        all.put(claimed(0, "k", START));
        all.put(answered(1, Phase::Ended, 2));
        all.evict_beyond(1, 1, keys(now));
        assert_eq!(all.by_key("k").is_some(), is_kept, "at {now}");
        assert_eq!(all.evicted().calls, 1);
        let logged: Vec<_> = all.log().map(|(it, _)| it.id).collect();
        assert_eq!(logged, [id(1)], "it left the call log in any case");
    }
    let mut all = one(WebhookFault::default());
    all.put(answered(1, Phase::Ended, 2));
    all.evict_beyond(0, 1, EXPIRY);
    assert_eq!(all.log().count(), 1, "a due one is never evicted");
    attempt(&mut all, 200);
    all.evict_beyond(0, 1, EXPIRY);
    assert_eq!((all.log().count(), all.deliveries().count()), (0, 1));
    all.evict_beyond(0, 0, EXPIRY);
    assert_eq!((all.get(id(0)), all.evicted().deliveries), (None, 1));
}

#[test]
fn a_key_that_was_claimed_anew_stays_with_the_later_verification() {
    let mut all = Verifications::default();
    all.put(claimed(0, "k", START));
    all.put(claimed(1, "k", START + DAY));
    all.remove(id(0));
    assert_eq!(all.by_key("k").map(|(it, _)| it.id), Some(id(1)));
    let listed: Verifications = all.clone().relisted();
    assert_eq!(listed, all);
}

#[derive(Debug, Clone)]
enum Step {
    Put(u32, bool, usize),
    Remove(u32),
    Evict,
    LeaveLog(usize),
    Shrink,
    Relist,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0u32..24, any::<bool>(), 0usize..500).prop_map(|(n, open, b)| Step::Put(n, open, b)),
        2 => (0u32..24).prop_map(Step::Remove),
        2 => Just(Step::Evict),
        2 => (0usize..20).prop_map(Step::LeaveLog),
        1 => Just(Step::Shrink),
        1 => Just(Step::Relist),
    ];
    prop::collection::vec(step, 0..300)
}

/// The same by plain means: those that have ended, the one that did so first at the front.
#[derive(Default)]
struct Plain(Vec<(u32, bool)>);

impl Plain {
    /// What had ended and still has keeps its place, else it is the youngest.
    fn put(&mut self, number: u32, open: bool) {
        match self.0.iter().position(|(known, _)| *known == number) {
            Some(place) if !self.0[place].1 && !open => {}
            Some(place) => {
                self.0.remove(place);
                self.0.push((number, open));
            }
            None => self.0.push((number, open)),
        }
    }

    fn evict(&mut self) -> bool {
        let place = self.0.iter().position(|(_, open)| !open);
        place.map(|place| self.0.remove(place)).is_some()
    }

    fn numbers(&self) -> BTreeSet<u32> {
        self.0.iter().map(|(number, _)| *number).collect()
    }
}

fn play(steps: &[Step]) -> Result<(), TestCaseError> {
    let (mut all, mut plain) = (Verifications::default(), Plain::default());
    for step in steps {
        match *step {
            Step::Put(number, open, bytes) => {
                let due = Due::Consent;
                let phase = if open {
                    Phase::Pending { due }
                } else {
                    Phase::Ended
                };
                all.put(answered(number, phase, bytes));
                plain.put(number, open);
            }
            Step::Remove(number) => {
                let removed = all.remove(id(number)).is_some();
                let place = plain.0.iter().position(|(known, _)| *known == number);
                prop_assert_eq!(removed, place.map(|place| plain.0.remove(place)).is_some());
            }
            Step::Evict => prop_assert_eq!(all.evict_oldest(EXPIRY), plain.evict()),
            Step::LeaveLog(most) => {
                all.evict_beyond(most, 0, EXPIRY);
                while plain.0.len() > most && plain.evict() {}
            }
            Step::Shrink => all.shrink(),
            Step::Relist => all = all.relisted(),
        }
        prop_assert_eq!(all.totals(), all.recount());
        let found = all.log().map(|(it, _)| it.latency_ms);
        prop_assert_eq!(found.collect::<BTreeSet<_>>(), plain.numbers());
    }
    Ok(())
}

#[test]
fn over_random_steps_those_that_ended_first_go_first_and_the_sums_are_true() {
    let config = Config {
        cases: 100,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let outcome = TestRunner::new_with_rng(config, rng).run(&steps(), |steps| play(&steps));
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}
