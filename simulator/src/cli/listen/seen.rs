//! Which verifications have been delivered before, as a receiver must know. Bounded: the oldest are
//! forgotten first.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::FixedState;

/// So many verifications are remembered.
const MOST: usize = 10_000;

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
struct Met {
    attempts: u64,
    taken: bool,
}

/// The verifications met so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    met: HashMap<String, Met, FixedState>,
    order: VecDeque<String>,
}

impl Seen {
    /// Counts an attempt: which one of this verification it is, and what is new about it.
    pub(super) fn attempt(&mut self, verification: &str) -> (u64, Novelty) {
        if !self.met.contains_key(verification) {
            if self.order.len() == MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.met.remove(&oldest);
            }
            self.order.push_back(verification.to_owned());
        }
        let met = self.met.entry(verification.to_owned()).or_default();
        met.attempts += 1;
        let novelty = match (met.taken, met.attempts) {
            (true, _) => Novelty::Duplicate,
            (false, 1) => Novelty::New,
            (false, _) => Novelty::Retry,
        };
        (met.attempts, novelty)
    }

    /// Notes that an attempt was answered with success.
    pub(super) fn taken(&mut self, verification: &str) {
        if let Some(met) = self.met.get_mut(verification) {
            met.taken = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_new_then_a_retry_and_once_taken_a_duplicate() {
        let mut seen = Seen::default();
        assert_eq!(seen.attempt("a"), (1, Novelty::New));
        assert_eq!(seen.attempt("a"), (2, Novelty::Retry));
        assert_eq!(seen.attempt("b"), (1, Novelty::New));
        seen.taken("a");
        assert_eq!(seen.attempt("a"), (3, Novelty::Duplicate));
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut seen = Seen::default();
        for number in 0..=MOST {
            seen.attempt(&number.to_string());
        }
        assert_eq!(seen.met.len(), MOST);
        assert_eq!(seen.attempt(&MOST.to_string()).0, 2);
        assert_eq!(seen.attempt("0").0, 1);
    }
}
