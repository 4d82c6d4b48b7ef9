//! An account's own clock: runs with the machine's, ahead of it, or stands still. Never goes back.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How an account's time follows the machine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum AccountClock {
    /// It runs, this far ahead of the machine's clock.
    Running {
        /// How far.
        ahead: SignedDuration,
    },
    /// It stands still.
    Frozen {
        /// Where.
        at: Timestamp,
    },
}

impl Default for AccountClock {
    fn default() -> Self {
        AccountClock::Running {
            ahead: SignedDuration::ZERO,
        }
    }
}

/// An instant in an account's past was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastInstant;

impl AccountClock {
    /// What this clock shows when the machine's shows `machine`.
    #[must_use]
    pub fn read(&self, machine: Timestamp) -> Timestamp {
        match *self {
            // Nearly every account's: every call reads it several times.
            AccountClock::Running { ahead } if ahead.is_zero() => machine,
            AccountClock::Running { ahead } => {
                machine.saturating_add(ahead).unwrap_or(Timestamp::MAX)
            }
            AccountClock::Frozen { at } => at,
        }
    }

    /// Where it stands still, where it does.
    #[must_use]
    pub fn frozen_at(&self) -> Option<Timestamp> {
        match *self {
            AccountClock::Running { .. } => None,
            AccountClock::Frozen { at } => Some(at),
        }
    }

    /// The same clock, showing `to` at this moment.
    ///
    /// # Errors
    /// [`PastInstant`] where the clock already shows a later instant.
    pub fn moved(&self, machine: Timestamp, to: Timestamp) -> Result<AccountClock, PastInstant> {
        if to < self.read(machine) {
            return Err(PastInstant);
        }
        Ok(match self {
            AccountClock::Running { .. } => AccountClock::Running {
                ahead: to.duration_since(machine),
            },
            AccountClock::Frozen { .. } => AccountClock::Frozen { at: to },
        })
    }

    /// The same clock, standing still from now on.
    #[must_use]
    pub fn frozen(&self, machine: Timestamp) -> AccountClock {
        AccountClock::Frozen {
            at: self.read(machine),
        }
    }

    /// The same clock, running on from what it shows.
    #[must_use]
    pub fn running(&self, machine: Timestamp) -> AccountClock {
        AccountClock::Running {
            ahead: self.read(machine).duration_since(machine),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn seconds(count: i64) -> SignedDuration {
        SignedDuration::from_secs(count)
    }

    #[test]
    fn a_frozen_clock_stands_still_and_runs_on_from_there() {
        let frozen = AccountClock::default().frozen(START);
        assert_eq!(frozen.read(START + seconds(60)), START);
        let running = frozen.running(START + seconds(60));
        assert_eq!(running.read(START + seconds(61)), START + seconds(1));
    }

    #[test]
    fn a_clock_moves_forward_or_stays_and_never_goes_back() {
        for clock in [AccountClock::default(), AccountClock::Frozen { at: START }] {
            let moved = clock.moved(START, START + seconds(5)).expect("forward");
            assert_eq!(moved.read(START), START + seconds(5));
            assert!(clock.moved(START, START).is_ok());
            assert_eq!(clock.moved(START, START - seconds(1)), Err(PastInstant));
        }
    }
}
