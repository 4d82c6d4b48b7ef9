//! The machine's clock: the only reader of real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;

/// Where real time comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine.
    Machine,
    /// A hand that tests move; milliseconds since the Unix epoch.
    Hand(Arc<AtomicI64>),
}

impl Clock {
    /// A hand-moved clock that shows this instant.
    #[must_use]
    pub fn hand(at: Timestamp) -> Self {
        Clock::Hand(Arc::new(AtomicI64::new(at.as_millisecond())))
    }

    /// What it shows, to the millisecond.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let millis = match self {
            Clock::Machine => machine_millis(),
            Clock::Hand(hand) => hand.load(Ordering::SeqCst),
        };
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the machine's clock"
)]
fn machine_millis() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
