//! The clock that all accounts' clocks follow, and the only reader of real time. Account time may start at
//! another instant and run faster than real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

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
    /// The most time that it saw pass since then, in milliseconds of the machine's: it never goes back, even
    /// if the machine's does.
    latest: AtomicI64,
    /// By how many milliseconds the machine's clock went back since then. That time passes all the same:
    /// without it, accounts' time would stand until the machine's has caught up.
    went_back: AtomicI64,
}

/// How account time follows the machine's, as stores have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockPace {
    /// When it began, by the machine.
    pub began: Timestamp,
    /// What it showed then.
    pub showed: Timestamp,
    /// How many seconds of account time pass in one second of the machine's.
    pub scale: u32,
}

/// When the machine's clock goes back by less, accounts' time stands for so long. Threads that read the
/// clock at the same time see as much.
const UNNOTICED_MS: i64 = 1000;

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
            latest: AtomicI64::new(0),
            went_back: AtomicI64::new(0),
        }))
    }

    /// A clock that goes on as one that ended did.
    #[must_use]
    pub fn resumed(from: ClockPace) -> Self {
        Clock::Machine(Arc::new(Pace {
            began: from.began,
            from: from.showed,
            scale: from.scale.max(1),
            latest: AtomicI64::new(0),
            went_back: AtomicI64::new(0),
        }))
    }

    /// What makes one that goes on as this one does; none where it is moved by hand.
    #[must_use]
    pub fn pace(&self) -> Option<ClockPace> {
        match self {
            Clock::Machine(pace) => Some(ClockPace {
                began: pace.began,
                showed: pace.from,
                scale: pace.scale,
            }),
            Clock::Manual(_) => None,
        }
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
        let passed = match self.passed(machine_now()) {
            Ok(passed) => passed,
            // Read once more: the thread may have slept since it read the clock.
            Err(_) => self
                .passed(machine_now())
                .unwrap_or_else(|back| self.go_on(back)),
        };
        let passed = passed.saturating_mul(i64::from(self.scale));
        self.from.as_millisecond().saturating_add(passed)
    }

    /// How many milliseconds have passed when the machine's clock shows this; or how it went back.
    fn passed(&self, machine: Timestamp) -> Result<i64, WentBack> {
        let known = self.went_back.load(Ordering::Acquire);
        let passed = machine.as_millisecond() - self.began.as_millisecond() + known;
        // Nearly every call finds the millisecond of the one before it: no write then.
        match self.latest.load(Ordering::Relaxed) {
            latest if latest - passed > UNNOTICED_MS => Err(WentBack {
                known,
                by: latest - passed,
            }),
            latest if latest >= passed => Ok(latest),
            _ => Ok(self.latest.fetch_max(passed, Ordering::Relaxed).max(passed)),
        }
    }

    /// Goes on from the latest instant.
    fn go_on(&self, WentBack { known, by }: WentBack) -> i64 {
        let (order, seen) = (Ordering::AcqRel, Ordering::Relaxed);
        // Where another thread was first, that one has gone on.
        let ours = self
            .went_back
            .compare_exchange(known, known + by, order, seen);
        if ours.is_ok() {
            tracing::warn!(
                by_ms = by,
                "the machine's clock went back; accounts' time goes on"
            );
        }
        self.latest.load(Ordering::Relaxed)
    }
}

/// The machine's clock shows less than it did.
#[derive(Debug, Clone, Copy)]
struct WentBack {
    /// How far it was known to have gone back.
    known: i64,
    /// How far it went back beside that.
    by: i64,
}

/// Measures how long something takes in real time, finer than the clock tells it.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(std::time::Instant);

#[expect(
    clippy::disallowed_methods,
    reason = "this is the one place that reads the machine's clock"
)]
impl Stopwatch {
    /// One that runs from now on.
    #[must_use]
    pub fn start() -> Self {
        Stopwatch(std::time::Instant::now())
    }

    /// How long it has run.
    #[must_use]
    pub fn read(self) -> Duration {
        self.0.elapsed()
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
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let millis = seconds
        .saturating_mul(1000)
        .saturating_add(i64::from(since.subsec_millis()));
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
            latest: AtomicI64::new(0),
            went_back: AtomicI64::new(0),
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

    /// What has passed by this clock when the machine shows so many milliseconds after its beginning.
    fn at(pace: &Pace, machine_ms: i64) -> i64 {
        let machine = pace.began + SignedDuration::from_millis(machine_ms);
        let passed = pace.passed(machine);
        passed.unwrap_or_else(|back| pace.go_on(back))
    }

    #[test]
    fn a_machine_that_goes_back_does_not_take_the_clock_along() {
        let pace = pace(0, 1);
        assert_eq!(at(&pace, 5000), 5000);
        assert_eq!([at(&pace, 4990), at(&pace, 5010)], [5000, 5010]);
    }

    #[test]
    fn a_machine_that_jumps_ahead_and_back_does_not_stop_the_clock() {
        const HOUR: i64 = 3_600_000;
        let pace = pace(0, 1);
        assert_eq!(at(&pace, 1000), 1000);
        assert_eq!(at(&pace, HOUR), HOUR);
        assert_eq!(at(&pace, 2000), HOUR, "it never goes back");
        assert_eq!(at(&pace, 2500), HOUR + 500, "and goes on at once");
        // Again, and far before its beginning.
        assert_eq!(at(&pace, -HOUR), HOUR + 500);
        assert_eq!(at(&pace, -HOUR + 7), HOUR + 507);
    }

    #[test]
    fn threads_that_read_at_once_do_not_make_it_run_ahead() {
        let pace = pace(0, 1);
        for now in 0..10_000 {
            at(&pace, now + 900);
            at(&pace, now);
        }
        assert_eq!(at(&pace, 20_000), 20_000);
    }
}
