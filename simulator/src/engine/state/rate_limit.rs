//! The rate limit of a key, on the account's clock.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::rejection::Rejection;

/// How many calls a key may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RateLimit {
    /// Calls a second, in the long run.
    pub per_second: u32,
    /// Calls at once, after a pause.
    pub burst: u32,
}

/// How much of its limit a key has used: when all its calls so far are paid for at the long-run
/// rate. Nothing used yet is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Window(Option<Timestamp>);

impl Window {
    /// When nothing of the limit is used any more.
    #[must_use]
    pub fn whole_again(self) -> Option<Timestamp> {
        self.0
    }
}

impl RateLimit {
    fn interval(self) -> SignedDuration {
        SignedDuration::from_nanos(1_000_000_000 / i64::from(self.per_second.max(1)))
    }

    /// The window after one more call.
    ///
    /// # Errors
    /// [`Rejection::RateLimited`] with the whole seconds after which a call would pass. A refused
    /// call uses nothing.
    pub fn take(self, window: Window, now: Timestamp) -> Result<Window, Rejection> {
        let interval = self.interval();
        let paid = window.0.map_or(now, |paid| paid.max(now));
        let ahead = paid.duration_since(now);
        let allowed = interval * i32::try_from(self.burst.max(1) - 1).unwrap_or(i32::MAX);
        if ahead > allowed {
            let wait = ahead - allowed;
            let whole = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
            return Err(Rejection::RateLimited {
                retry_after_s: u32::try_from(whole.max(1)).unwrap_or(u32::MAX),
            });
        }
        Ok(Window(Some(paid + interval)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit {
        per_second: 1,
        burst: 2,
    };
    const START: Timestamp = Timestamp::constant(1_800_000_000, 0);

    fn at(millis: i64) -> Timestamp {
        START + SignedDuration::from_millis(millis)
    }

    #[test]
    fn a_burst_passes_and_the_next_call_waits_a_second() {
        let once = LIMIT
            .take(Window::default(), at(0))
            .expect("the first passes");
        let twice = LIMIT.take(once, at(0)).expect("the second passes");
        assert_eq!(
            LIMIT.take(twice, at(0)),
            Err(Rejection::RateLimited { retry_after_s: 1 })
        );
        assert_eq!(
            LIMIT.take(twice, at(999)),
            Err(Rejection::RateLimited { retry_after_s: 1 })
        );
        let thrice = LIMIT
            .take(twice, at(1000))
            .expect("a second later one more passes");
        assert!(LIMIT.take(thrice, at(1000)).is_err());
    }

    #[test]
    fn a_long_pause_earns_no_more_than_the_burst() {
        let mut window = LIMIT.take(Window::default(), at(0)).expect("passes");
        for _ in 0..2 {
            window = LIMIT.take(window, at(60_000)).expect("the burst passes");
        }
        assert!(LIMIT.take(window, at(60_000)).is_err());
    }
}
