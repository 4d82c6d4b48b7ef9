//! One webhook delivery as data: when its attempts are due, and what came of them. What is sent is the
//! envelope of its verification, the same bytes at each attempt. Nothing is sent here.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::form;
use super::ids::VerificationId;
use super::signature::Signature;
use super::sizes::{set_place, text_bytes};
use crate::scenario::{OutOfOrder, WebhookFault};

/// One envelope on its way to the registered receiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// What the schedule counts from: when the verification reached its terminal state, by the
    /// account's clock, later only where a scenario says so.
    pub since: Timestamp,
    /// What was tried.
    pub attempts: Vec<Attempt>,
    /// What goes wrong with it on purpose.
    pub fault: WebhookFault,
    progress: Progress,
}

/// Where a delivery is in its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Progress {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// When it was due, by the account's clock.
    pub due: Timestamp,
    /// Why it was made.
    pub why: Why,
    /// Where it was sent, and how it was signed; nothing where no receiver was registered any more.
    pub sent: Option<SentRequest>,
    /// What came of it.
    pub answer: AttemptOutcome,
    /// The first bytes of what the receiver answered.
    #[serde(with = "form::bytes")]
    pub excerpt: Bytes,
}

/// Why an attempt was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[schemars(inline)]
pub enum Why {
    /// The schedule said so.
    Schedule,
    /// It was taken before; a scenario sends it more than once.
    Copy,
    /// Somebody asked for it.
    Hand,
}

/// Where an attempt went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// The receiver's URL as it was registered at that moment.
    pub url: Arc<str>,
    /// The signature; none where a scenario leaves it away.
    pub signature: Option<Signature>,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AttemptOutcome {
    /// The receiver answered with this HTTP status.
    Status(u16),
    /// It could not be reached, did not answer in time, or answered with no HTTP; with the reason.
    Nothing(String),
}

impl AttemptOutcome {
    /// Whether the receiver took the delivery: any 2xx.
    #[must_use]
    pub fn taken(&self) -> bool {
        matches!(self, AttemptOutcome::Status(200..=299))
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

impl Delivery {
    /// A delivery whose first attempt is due as the schedule says.
    #[must_use]
    pub fn new(since: Timestamp, fault: WebhookFault, schedule_ms: &[u64]) -> Self {
        let since = later(since, fault.delay_ms);
        let first = match (fault.out_of_order, schedule_ms) {
            (OutOfOrder::Yes, [_, wait_ms, ..]) => Some(wait_ms),
            _ => schedule_ms.first(),
        };
        Delivery {
            since,
            attempts: Vec::new(),
            fault,
            progress: Progress {
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
        self.progress.state()
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
        match (self.progress.by_hand, self.progress.taken) {
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

    /// When the next attempt is due at the earliest, whatever comes of one that is being made now.
    #[must_use]
    pub fn next_after_attempt(&self, schedule_ms: &[u64]) -> Option<Timestamp> {
        let nothing = AttemptOutcome::Nothing(String::new());
        let outcomes = [nothing, AttemptOutcome::Status(200)].map(|answer| Attempt {
            due: self.due().unwrap_or(self.since),
            why: self.why(),
            sent: None,
            answer,
            excerpt: Bytes::new(),
        });
        let states = outcomes.iter();
        let due = states.filter_map(|it| match self.state_after(it, schedule_ms) {
            DeliveryState::Due(at) => Some(at),
            DeliveryState::Delivered | DeliveryState::Dead => None,
        });
        due.min()
    }

    /// When it is still to be attempted if the receiver never takes it, the next attempt first.
    #[must_use]
    pub fn planned(&self, schedule_ms: &[u64]) -> Vec<Timestamp> {
        let (mut rest, mut planned) = (self.clone(), Vec::new());
        rest.attempts.clear();
        while let Some(due) = rest.due() {
            planned.push(due);
            let attempt = Attempt {
                due,
                why: rest.why(),
                sent: None,
                answer: AttemptOutcome::Nothing(String::new()),
                excerpt: Bytes::new(),
            };
            rest.attempted(attempt, schedule_ms);
        }
        planned
    }

    /// It was overtaken: its first attempt is due at this instant, if not earlier.
    pub(super) fn overtaken(&mut self, at: Timestamp) {
        if self.waits_to_be_overtaken() && self.due().is_some_and(|due| at < due) {
            self.progress.scheduled = DeliveryState::Due(at);
        }
    }

    /// Somebody asked for one more attempt at this instant.
    pub(super) fn requested(&mut self, at: Timestamp) {
        self.progress.by_hand = Some(at);
    }

    fn after(&self, attempt: &Attempt, schedule_ms: &[u64]) -> Progress {
        let mut after = self.progress;
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
    pub(super) fn attempted(&mut self, attempt: Attempt, schedule_ms: &[u64]) {
        self.progress = self.after(&attempt, schedule_ms);
        self.attempts.push(attempt);
    }

    /// What it takes in memory, its place in the order of what is due included.
    pub(super) fn heap_bytes(&self) -> usize {
        let attempts = self.attempts.iter().map(|attempt| {
            let reason = match &attempt.answer {
                AttemptOutcome::Nothing(reason) => text_bytes(reason),
                AttemptOutcome::Status(_) => 0,
            };
            size_of::<Attempt>() * 4 / 3 + attempt.excerpt.len() + reason
        });
        let place = set_place::<(Timestamp, VerificationId)>();
        size_of::<Self>() + place + attempts.sum::<usize>()
    }

    /// Whether it waits for another one to come before it.
    pub(super) fn waits_to_be_overtaken(&self) -> bool {
        self.fault.out_of_order == OutOfOrder::Yes && self.attempts.is_empty()
    }
}

fn later(at: Timestamp, by_ms: u64) -> Timestamp {
    let by = SignedDuration::from_millis(i64::try_from(by_ms).unwrap_or(i64::MAX));
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

impl Progress {
    fn state(self) -> DeliveryState {
        self.by_hand.map_or(self.scheduled, DeliveryState::Due)
    }
}
