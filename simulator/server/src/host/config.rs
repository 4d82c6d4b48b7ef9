//! What a host is made with.

use std::sync::Arc;

use jiff::Timestamp;

use super::clock::Clock;
use super::courier::SignatureClock;
use super::journal::{Journal, NoJournal};
use super::memory::MemoryLimits;
use super::metrics::StoreMetrics;
use super::readiness::Readiness;
use super::shares::ShareLimits;
use super::transport::{NoTransport, Transport};

/// What a host is made with.
#[derive(Clone)]
pub struct HostConfig {
    /// Where time comes from.
    pub clock: Clock,
    /// The instant at which the clocks of new accounts stand still; without it they run.
    pub freeze_at: Option<Timestamp>,
    /// Where entries are written down.
    pub journal: Arc<dyn Journal>,
    /// What the journal says of itself: whether it takes entries.
    pub readiness: Arc<Readiness>,
    /// What the journal counts of itself.
    pub store_metrics: Arc<StoreMetrics>,
    /// How webhooks leave.
    pub transport: Arc<dyn Transport>,
    /// Which clock the timestamps of webhook signatures are read from.
    pub signature_clock: SignatureClock,
    /// How much memory may be used.
    pub memory_limits: MemoryLimits,
    /// What one account, or one address, may take of what all use.
    pub shares: ShareLimits,
}

impl HostConfig {
    /// This clock, no journal and no transport.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        HostConfig {
            clock,
            freeze_at: None,
            journal: Arc::new(NoJournal),
            readiness: Arc::new(Readiness::default()),
            store_metrics: Arc::default(),
            transport: Arc::new(NoTransport),
            signature_clock: SignatureClock::Real,
            memory_limits: MemoryLimits::default(),
            shares: ShareLimits::default(),
        }
    }
}
