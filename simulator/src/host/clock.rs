//! The clock that all accounts' clocks follow, and the only reader of real time. Account time may start at
//! another instant and run faster than real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// Where time comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine.
    Machine(Arc<Pace>),
    /// A clock that tests move by hand; milliseconds since the Unix epoch.
    Manual(Arc<AtomicI64>),
}

/// How account time follows the machine's.
#[derive(Debug)]
pub struct Pace {
    /// When it began, by the machine.
    began: Timestamp,
    /// What it showed then.
    from: Timestamp,
    /// How many seconds of account time pass in one second of the machine's.
    scale: u32,
    /// The latest instant it showed, in milliseconds: it never goes back, even if the machine's does.
    latest: AtomicI64,
}

impl Clock {
    /// The machine's clock as it is.
    #[must_use]
    pub fn machine() -> Self {
        Clock::paced(None, 1)
    }

    /// A clock that shows `from` now, or what the machine shows, and runs `scale` times as fast.
    #[must_use]
    pub fn paced(from: Option<Timestamp>, scale: u32) -> Self {
        let began = machine_now();
        Clock::Machine(Arc::new(Pace {
            began,
            from: from.unwrap_or(began),
            scale: scale.max(1),
            latest: AtomicI64::new(i64::MIN),
        }))
    }

    /// A clock moved by hand that shows this instant.
    #[must_use]
    pub fn manual(at: Timestamp) -> Self {
        Clock::Manual(Arc::new(AtomicI64::new(at.as_millisecond())))
    }

    /// The account time, to the millisecond.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let millis = match self {
            Clock::Machine(pace) => pace.read(),
            Clock::Manual(clock) => clock.load(Ordering::SeqCst),
        };
        Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
    }

    /// The real time.
    #[must_use]
    pub fn real(&self) -> Timestamp {
        match self {
            Clock::Machine(_) => machine_now(),
            Clock::Manual(_) => self.now(),
        }
    }

    /// The account time that passes in so much real time.
    #[must_use]
    pub fn to_account_time(&self, time: Duration) -> SignedDuration {
        let scale = match self {
            Clock::Machine(pace) => pace.scale,
            Clock::Manual(_) => 1,
        };
        SignedDuration::try_from(time.saturating_mul(scale)).unwrap_or(SignedDuration::MAX)
    }

    /// The real time in which so much account time passes.
    #[must_use]
    pub fn to_real_time(&self, time: SignedDuration) -> Duration {
        let time = Duration::try_from(time).unwrap_or_default();
        match self {
            Clock::Machine(pace) => time / pace.scale,
            Clock::Manual(_) => time,
        }
    }
}

impl Pace {
    fn read(&self) -> i64 {
        let passed = machine_now().as_millisecond() - self.began.as_millisecond();
        let passed = passed.saturating_mul(i64::from(self.scale));
        let now = self.from.as_millisecond().saturating_add(passed);
        // Nearly every call finds the millisecond of the one before it: no write then.
        match self.latest.load(Ordering::Relaxed) {
            latest if latest >= now => latest,
            _ => self.latest.fetch_max(now, Ordering::Relaxed).max(now),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the machine's clock"
)]
fn machine_now() -> Timestamp {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(millis).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FROM: Timestamp = Timestamp::constant(1_900_000_000, 0);

    fn pace(began_ago_ms: i64, scale: u32) -> Pace {
        Pace {
            began: machine_now() - SignedDuration::from_millis(began_ago_ms),
            from: FROM,
            scale,
            latest: AtomicI64::new(i64::MIN),
        }
    }

    #[test]
    fn a_faster_clock_shows_more_time_than_the_machine_took() {
        let passed = pace(1000, 60).read() - FROM.as_millisecond();
        assert!(passed >= 60_000, "{passed}");
        let clock = Clock::paced(Some(FROM), 60);
        assert_eq!(
            clock.to_real_time(SignedDuration::from_mins(1)),
            Duration::from_secs(1)
        );
    }

    #[test]
    fn a_machine_that_goes_back_does_not_take_the_clock_along() {
        let pace = pace(-5000, 1);
        pace.latest.store(FROM.as_millisecond(), Ordering::Relaxed);
        assert_eq!(pace.read(), FROM.as_millisecond());
    }
}
