//! Remembers which verifications were delivered, as a receiver must. Bounded: the one that was not
//! delivered for longest is evicted first.

use foldhash::fast::FixedState;
use hashlink::LinkedHashMap;

/// The most verifications that are remembered.
const MAX_VERIFICATIONS: usize = 10_000;

/// What is new about a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    /// The verification was never delivered here before.
    New,
    /// It was, and was not taken: this attempt must be acted on.
    Retry,
    /// It was taken already: this attempt must not be acted on again.
    Duplicate,
}

impl Novelty {
    pub(super) fn name(self) -> &'static str {
        match self {
            Novelty::New => "new",
            Novelty::Retry => "retry",
            Novelty::Duplicate => "duplicate",
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct DeliveryCount {
    attempts: u64,
    taken: bool,
}

/// The verifications met so far.
#[derive(Debug, Default)]
pub(super) struct DeliveryHistory {
    /// The one delivered last at the back.
    counts: LinkedHashMap<String, DeliveryCount, FixedState>,
}

impl DeliveryHistory {
    /// Counts an attempt: which one of this verification it is, and what is new about it.
    pub(super) fn attempt(&mut self, verification: &str) -> (u64, Novelty) {
        let counts = self.counts.entry(verification.to_owned());
        let counts = counts.or_insert_with(DeliveryCount::default);
        counts.attempts += 1;
        let novelty = match (counts.taken, counts.attempts) {
            (true, _) => Novelty::Duplicate,
            (false, 1) => Novelty::New,
            (false, _) => Novelty::Retry,
        };
        let attempt = (counts.attempts, novelty);
        if self.counts.len() > MAX_VERIFICATIONS {
            self.counts.pop_front();
        }
        attempt
    }

    /// Notes that an attempt was answered with success.
    pub(super) fn mark_taken(&mut self, verification: &str) {
        if let Some(counts) = self.counts.get_mut(verification) {
            counts.taken = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_new_then_a_retry_and_once_taken_a_duplicate() {
        let mut history = DeliveryHistory::default();
        assert_eq!(history.attempt("a"), (1, Novelty::New));
        assert_eq!(history.attempt("a"), (2, Novelty::Retry));
        assert_eq!(history.attempt("b"), (1, Novelty::New));
        history.mark_taken("a");
        assert_eq!(history.attempt("a"), (3, Novelty::Duplicate));
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut history = DeliveryHistory::default();
        for number in 0..=MAX_VERIFICATIONS {
            history.attempt(&number.to_string());
        }
        assert_eq!(history.counts.len(), MAX_VERIFICATIONS);
        assert_eq!(history.attempt(&MAX_VERIFICATIONS.to_string()).0, 2);
        assert_eq!(history.attempt("0").0, 1);
    }
}
