//! The sums over all verifications.

use svc_fixtures::contract::Paise;

use crate::engine::state::sizes::Sum;

/// The sums over all records, which run along so that nothing is ever counted anew.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Those of which something is still to come.
    pub pinned: Sum,
    /// All others.
    pub evictable: Sum,
    /// Those in the call log.
    pub logged: usize,
    /// Those in the call log that may leave it.
    pub logged_evictable: usize,
    /// Webhooks that are still due.
    pub deliveries_due: usize,
    /// Webhooks that were delivered or are dead.
    pub deliveries_ended: usize,
    /// Those whose answer is delayed for some real time.
    pub delayed: usize,
    /// What is held for them in the wallet.
    pub held: Paise,
}

impl Totals {
    pub(super) fn minus(&mut self, other: Totals) {
        let sums = [
            (&mut self.pinned, other.pinned),
            (&mut self.evictable, other.evictable),
        ];
        for (sum, other) in sums {
            sum.count -= other.count;
            sum.bytes -= other.bytes;
        }
        self.logged -= other.logged;
        self.logged_evictable -= other.logged_evictable;
        self.deliveries_due -= other.deliveries_due;
        self.deliveries_ended -= other.deliveries_ended;
        self.delayed -= other.delayed;
        self.held.0 -= other.held.0;
    }
}
