//! Why no further case is begun, and how long what is under way is waited for.

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::heard::{LastingTrouble, Silence};
use crate::capture::CapturedCase;
use crate::event::{CheckResult, Totals};

/// How long what is under way is waited for once the run was ended.
const GRACE: Duration = Duration::from_secs(5);

/// Why somebody ended a run before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyEnd {
    /// A signal of this name came.
    Signal(&'static str),
    /// It has taken as long as it may.
    TimeLimit(Duration),
}

impl fmt::Display for EarlyEnd {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EarlyEnd::Signal(name) => write!(out, "{name} has ended the run"),
            EarlyEnd::TimeLimit(limit) => write!(out, "the time limit of {limit:?} is over"),
        }
    }
}

/// Why no further case is sent, once there is a reason. The first reason is the one that is reported.
#[derive(Debug, Default)]
pub(super) struct StopReason {
    reason: OnceCell<String>,
    pub(super) silence: RefCell<Silence>,
    pub(super) lasting: RefCell<LastingTrouble>,
    unreachable: OnceCell<String>,
}

impl StopReason {
    pub(super) fn because(&self, why: &str) {
        self.reason.get_or_init(|| why.to_owned());
    }

    /// Takes in the tries of a case; a service that is silent would make the rest wait for nothing.
    pub(super) fn hear(&self, tries: &[CapturedCase]) {
        if let Some(why) = self.silence.borrow_mut().take(tries) {
            self.because(&format!("the service did not answer: {why}"));
            self.unreachable.get_or_init(|| why);
        }
    }

    /// Why the service counts as unreachable, where it does.
    pub(super) fn unreachable(&self) -> Option<String> {
        let so_far = || self.silence.borrow().so_far();
        self.unreachable.get().cloned().or_else(so_far)
    }

    /// Whether a run ends after this check.
    pub(super) fn note(&self, last: &CheckResult, totals: Totals, most: Option<NonZeroUsize>) {
        if let Some(why) = &last.unreachable {
            self.because(&format!("the service did not answer: {why}"));
        }
        if let Some(most) = most.filter(|most| totals.failed >= most.get()) {
            self.because(&format!("{most} checks failed before"));
        }
    }

    pub(super) fn why(&self) -> Option<String> {
        self.reason.get().cloned()
    }
}

/// Waits for what is under way: as long as it takes, and only a little longer once the run was ended.
pub(super) struct Patience<'e, F> {
    ended: Pin<&'e mut F>,
    until: Option<Instant>,
}

impl<'e, F: Future<Output = EarlyEnd>> Patience<'e, F> {
    pub(super) fn until(ended: Pin<&'e mut F>) -> Self {
        Patience { ended, until: None }
    }

    /// What comes next; none where nothing does, or where the run was ended and it was waited long enough.
    pub(super) async fn next<T>(
        &mut self,
        halt: &StopReason,
        next: impl Future<Output = Option<T>>,
    ) -> Option<T> {
        let mut next = pin!(next);
        if self.until.is_none() {
            let early = tokio::select! {
                biased;
                early = &mut self.ended => early,
                next = &mut next => return next,
            };
            halt.because(&early.to_string());
            self.until = Some(Instant::now() + GRACE);
        }
        let until = self.until.unwrap_or_else(Instant::now);
        timeout_at(until, next).await.ok().flatten()
    }
}
