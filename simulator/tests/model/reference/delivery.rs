//! One webhook delivery: the attempts that were made, and from them alone when the next one is due.

use super::resolve::WebhookPatch;
use crate::instruct::{COPIES, LAG_MS};

/// When attempts are due after the terminal state, in milliseconds, as the specification says it.
const SCHEDULE_MS: [i64; 6] = [0, 30_000, 120_000, 600_000, 3_600_000, 21_600_000];

#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) verification: String,
    since: i64,
    copies: usize,
    /// When somebody asked for one more attempt that was not made yet.
    asked: Option<i64>,
    pub(crate) attempts: Vec<Attempt>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Attempt {
    pub(crate) due: i64,
    pub(crate) why: Why,
    /// The receiver's status; none where nobody answered.
    pub(crate) status: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    Schedule,
    Copy,
    Hand,
}

impl Attempt {
    fn taken(&self) -> bool {
        matches!(self.status, Some(200..=299))
    }
}

impl Delivery {
    pub(crate) fn new(verification: String, ended: i64, patch: WebhookPatch) -> Self {
        Delivery {
            verification,
            since: ended + if patch.lags { LAG_MS } else { 0 },
            copies: if patch.copies { COPIES } else { 1 },
            asked: None,
            attempts: Vec::new(),
        }
    }

    fn made(&self, why: Why) -> usize {
        let attempts = self.attempts.iter();
        attempts.filter(|attempt| attempt.why == why).count()
    }

    pub(crate) fn taken(&self) -> bool {
        self.attempts.iter().any(Attempt::taken)
    }

    /// When the next attempt is due and why, where one is.
    pub(crate) fn next(&self) -> Option<(i64, Why)> {
        if let Some(at) = self.asked {
            return Some((at, Why::Hand));
        }
        if self.taken() {
            let last = self.attempts.last().expect("one was taken");
            let more = self.made(Why::Copy) + 1 < self.copies;
            return more.then_some((last.due, Why::Copy));
        }
        let after = SCHEDULE_MS.get(self.made(Why::Schedule))?;
        Some((self.since + after, Why::Schedule))
    }

    pub(crate) fn ask(&mut self, now: i64) {
        self.asked = Some(now);
    }

    /// Makes the attempt that is due.
    pub(crate) fn attempt(&mut self, status: Option<u16>) {
        let (due, why) = self.next().expect("one is due");
        if why == Why::Hand {
            self.asked = None;
        }
        self.attempts.push(Attempt { due, why, status });
    }
}
