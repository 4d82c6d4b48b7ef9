//! The pace of a run: how many calls a second go out. Waits by tokio's time, in even steps, and gives way
//! where the service says that there are too many.

use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The step that the first refusal for too many calls leads to.
const FIRST_STEP: Duration = Duration::from_millis(20);

/// A refusal so few calls after another one shows that the pace is far too fast still.
const SOON: usize = 8;

/// The longest step that refusals lead to.
const LONGEST_STEP: Duration = Duration::from_secs(1);

/// Lets calls out at a steady rate.
#[derive(Debug, Default)]
pub struct Pace {
    /// The time from one call to the next that was asked for; none where nothing waits.
    step: Option<Duration>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the next call may go out.
    next: Option<Instant>,
    /// Until when the service asked to wait.
    paused: Option<Instant>,
    /// The time from one call to the next that refusals have led to. It shrinks from call to call.
    given_way: Duration,
    /// How many calls went out since it was last made longer.
    since: usize,
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
            state: Mutex::default(),
        }
    }

    /// Waits for the turn of so many calls that are sent at once. They go out together, since what
    /// they show is that they do; what comes after them waits for the time that they take.
    pub async fn turn(&self, calls: usize) {
        while let Some(turn) = self.next_turn(calls) {
            sleep_until(turn).await;
            // Whose turn came while all wait gets another one.
            let paused = self.state().paused;
            if paused.is_none_or(|until| until <= turn) {
                break;
            }
        }
    }

    /// When so many calls may go out; none where nothing waits.
    fn next_turn(&self, calls: usize) -> Option<Instant> {
        let mut state = self.state();
        let step = self.step.unwrap_or_default().max(state.given_way);
        state.since += calls;
        state.given_way = match state.given_way.mul_f64(0.97) {
            short if short < FIRST_STEP / 2 => Duration::ZERO,
            step => step,
        };
        if step.is_zero() && state.next.is_none() {
            return None;
        }
        let now = Instant::now();
        let turn = state.next.map_or(now, |next| next.max(now));
        let calls = u32::try_from(calls).unwrap_or(u32::MAX);
        state.next = Some(turn + step.saturating_mul(calls));
        Some(turn)
    }

    /// Lets no call out for so long, and then fewer of them. Refusals that come while it waits are those of
    /// calls that were out already.
    pub fn pause(&self, wait: Duration) {
        let mut state = self.state();
        let now = Instant::now();
        if state.paused.is_none_or(|until| until < now) {
            let longer = if state.since < SOON { 4.0 } else { 1.5 };
            let step = state.given_way.mul_f64(longer);
            state.given_way = step.clamp(FIRST_STEP, LONGEST_STEP);
            state.since = 0;
        }
        let until = now + wait;
        state.paused = state.paused.max(Some(until));
        state.next = state.next.max(Some(until));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        state.expect("nothing panics while it is held")
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
    async fn a_pause_holds_up_all_and_what_comes_after_it_is_slower_for_a_while() {
        let pace = Pace::default();
        pace.pause(Duration::from_secs(3));
        // This one was out already.
        pace.pause(Duration::from_secs(2));
        assert_eq!(turns(&pace, &[1, 1]).await, [3000, 3020]);
        turns(&pace, &[1; 50]).await;
        assert_eq!(turns(&pace, &[1, 1, 1]).await, [0, 0, 0]);
    }

    /// How long calls take that are made at once, and how many of them a service refuses that takes one in a
    /// third of a second, three at once.
    async fn at_a_limit(calls: usize) -> (u128, usize) {
        let (pace, start) = (Pace::default(), Instant::now());
        let tokens = Mutex::new((3.0_f64, start));
        let refused = std::sync::atomic::AtomicUsize::new(0);
        let call = async || {
            loop {
                pace.turn(1).await;
                let taken = {
                    let mut tokens = tokens.lock().expect("nobody panicked");
                    let now = Instant::now();
                    let filled = tokens.0 + 3.0 * (now - tokens.1).as_secs_f64();
                    let left = filled.min(3.0) - 1.0;
                    let taken = left >= 0.0;
                    *tokens = (if taken { left } else { left + 1.0 }, now);
                    taken
                };
                if taken {
                    return;
                }
                refused.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                pace.pause(Duration::from_secs(1));
            }
        };
        let calls = (0..calls).map(|_| call());
        futures_util::future::join_all(calls).await;
        (start.elapsed().as_secs().into(), refused.into_inner())
    }

    #[tokio::test(start_paused = true)]
    async fn the_pace_that_a_service_allows_is_found() {
        let (took, refused) = at_a_limit(100).await;
        // At least 32 s; each of them is refused once at first.
        assert!(took < 100 && refused < 200, "{took} s, {refused} refused");
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nothing_waits() {
        assert_eq!(turns(&Pace::default(), &[9, 9]).await, [0, 0]);
    }
}
