//! The timer that hyper bounds the heads of one connection with. Hyper asks for a new deadline at each request, and
//! nearly no deadline is ever reached: the runtime is told of the first only, and of a later one when that is over.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use hyper::rt::Timer;
use parking_lot::Mutex;
use tokio::time::Sleep;

/// The timer of one connection.
#[derive(Default)]
pub(super) struct ConnectionTimer(Arc<Mutex<Option<Pin<Box<Sleep>>>>>);

/// Until a deadline, which is not before those that the connection had so far.
struct Deadline {
    at: Instant,
    timer: Arc<Mutex<Option<Pin<Box<Sleep>>>>>,
}

impl Timer for ConnectionTimer {
    fn sleep(&self, duration: std::time::Duration) -> Pin<Box<dyn hyper::rt::Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn hyper::rt::Sleep>> {
        Box::pin(Deadline {
            at: deadline,
            timer: Arc::clone(&self.0),
        })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

impl Future for Deadline {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let at = self.at.into();
        let mut timer = self.timer.lock();
        let sleep = timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(at)));
        loop {
            // One that was set for an earlier deadline wakes the connection then, and goes on to this one.
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= at {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(at);
        }
    }
}

impl hyper::rt::Sleep for Deadline {}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Asks for a deadline so much later, and gives it up at once.
    async fn pass(timer: &ConnectionTimer, after: Duration) {
        let given_up = timer.sleep(after);
        tokio::select! {
            biased;
            () = given_up => panic!("a deadline to come is over"),
            () = std::future::ready(()) => {}
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_deadline_is_over_at_its_own_time_however_many_were_given_up() {
        let (timer, began) = (ConnectionTimer::default(), tokio::time::Instant::now());
        for _ in 0..3 {
            pass(&timer, Duration::from_secs(10)).await;
            tokio::time::advance(Duration::from_secs(4)).await;
        }
        timer.sleep(Duration::from_secs(10)).await;
        // The clock of the runtime goes by milliseconds.
        let passed = began.elapsed().as_secs_f64();
        assert!((22.0..22.1).contains(&passed), "{passed}");
        timer.sleep(Duration::from_secs(1)).await;
        assert!((23.0..23.1).contains(&began.elapsed().as_secs_f64()));
    }
}
