//! What must hold of the webhooks of a call that came to a receiver which the provider's own console has registered,
//! as data. How it is judged is in `verdict/`.

use std::time::Duration;

use svc_fixtures::contract::Contract;

/// The latest that an attempt is on time which is due so long after the first: a tenth of the way and some seconds
/// later. A schedule is not exact.
#[must_use]
pub fn latest(due: Duration) -> Duration {
    due + due / 10 + Duration::from_secs(5)
}

/// How long a delivery that is refused must be watched to see it tried again.
#[must_use]
pub fn first_retry(contract: &Contract) -> Duration {
    let schedule = &contract.service.webhook_schedule_ms;
    let due = schedule.get(1).copied().unwrap_or_default();
    latest(Duration::from_millis(due))
}

/// What must hold of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookRule {
    /// Each is POSTed, and is the envelope of the call of that step.
    Envelope {
        /// The call.
        call: usize,
    },
    /// Each says that its verification has ended.
    Ended,
    /// Each that completed brings more than the answer to the call of that step told.
    Brings {
        /// The call.
        call: usize,
    },
    /// Those that were refused were tried again at the instants of the schedule, as far as could be seen.
    Schedule,
    /// One came, where the call was pending and the look-up says that it has ended.
    Came {
        /// The call.
        call: usize,
        /// The look-up of its verification.
        look_up: usize,
    },
    /// Of a look-up: it says the same as what came before it, where there is such a look-up.
    SaysTheSame {
        /// What came.
        came: usize,
    },
}
