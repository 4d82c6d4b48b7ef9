//! The pace of a run: how many calls a second go out. Waits by tokio's time, in even steps.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Lets calls out at a steady rate.
#[derive(Debug, Default)]
pub struct Pace {
    /// The time from one call to the next; none where nothing waits.
    step: Option<Duration>,
    next: Mutex<Option<Instant>>,
}

impl Pace {
    /// So many calls a second.
    ///
    /// # Panics
    /// Where that is no number above zero: the command line takes no other.
    #[must_use]
    pub fn per_second(calls: f64) -> Self {
        Pace {
            step: Some(Duration::from_secs_f64(1.0 / calls)),
            next: Mutex::default(),
        }
    }

    /// Waits for the turn of so many calls that are sent at once. They go out together, since what
    /// they show is that they do; what comes after them waits for the time that they take.
    pub async fn turn(&self, calls: usize) {
        let Some(step) = self.step else { return };
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        let turn = {
            let mut next = self.next.lock().expect("nothing panics while it is held");
            let now = Instant::now();
            let turn = next.map_or(now, |next| next.max(now));
            *next = Some(turn + step.saturating_mul(calls));
            turn
        };
        sleep_until(turn).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn turns(pace: &Pace, calls: &[usize]) -> Vec<u128> {
        let start = Instant::now();
        let mut turns = Vec::new();
        for calls in calls {
            pace.turn(*calls).await;
            turns.push(start.elapsed().as_millis());
        }
        turns
    }

    #[tokio::test(start_paused = true)]
    async fn calls_go_out_in_even_steps() {
        let pace = Pace::per_second(4.0);
        assert_eq!(turns(&pace, &[1, 1, 1]).await, [0, 250, 500]);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_at_once_take_the_time_of_as_many() {
        let pace = Pace::per_second(4.0);
        assert_eq!(turns(&pace, &[4, 1, 1]).await, [0, 1000, 1250]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rest_is_not_made_up_for() {
        let pace = Pace::per_second(2.0);
        pace.turn(1).await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(turns(&pace, &[1, 1]).await, [0, 500]);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nothing_waits() {
        assert_eq!(turns(&Pace::default(), &[9, 9]).await, [0, 0]);
    }
}
