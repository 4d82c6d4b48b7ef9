//! How much an account keeps, and what it forgets first where that is too much. All of it follows from
//! the account's own entries, so that applying them again makes the same account.

use super::account::EnvironmentState;
use super::entry::SequenceKey;
use super::kept::Sum;
use super::rejection::Rejection;

/// How much is kept for each account and environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionLimits {
    /// So many calls; pending ones count, and are kept in any case.
    pub calls: usize,
    /// So many deliveries that have ended.
    pub deliveries: usize,
    /// So many bytes of what has ended, and at most as many of what has not.
    pub bytes: usize,
}

impl RetentionLimits {
    /// What is kept where nothing else is said.
    pub const DEFAULT: RetentionLimits = RetentionLimits {
        calls: 10_000,
        deliveries: 10_000,
        bytes: 16 << 20,
    };
}

impl Default for RetentionLimits {
    fn default() -> Self {
        RetentionLimits::DEFAULT
    }
}

/// A kind of what is kept. Of equal weight, the first in this order is forgotten first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Deliveries, their attempts with them.
    Deliveries,
    /// Calls with their newest envelopes.
    Calls,
    /// What later steps of a flow carry on.
    Flows,
    /// How often a sequence has decided: it starts over.
    Sequences,
    /// How often each thing was asked: the floor of all counts rises, so that no id comes twice.
    Counters,
    /// Idempotency keys with the answers first given.
    Keys,
    /// Accesses to answers that must be retained.
    Audit,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 7] = [
        Kind::Deliveries,
        Kind::Calls,
        Kind::Flows,
        Kind::Sequences,
        Kind::Counters,
        Kind::Keys,
        Kind::Audit,
    ];

    /// Its name where people read it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Deliveries => "deliveries",
            Kind::Calls => "calls",
            Kind::Flows => "flows",
            Kind::Sequences => "sequences",
            Kind::Counters => "counters",
            Kind::Keys => "idempotencyKeys",
            Kind::Audit => "audit",
        }
    }
}

impl EnvironmentState {
    /// What may be forgotten of a kind.
    #[must_use]
    pub fn over(&self, kind: Kind) -> Sum {
        match kind {
            Kind::Deliveries => self.deliveries.over(),
            Kind::Calls => self.calls.over(),
            Kind::Flows => self.flows.over(),
            Kind::Sequences => self.sequences.over(),
            Kind::Counters => self.counters.over(),
            Kind::Keys => self.claims.over(),
            Kind::Audit => self.audit.over(),
        }
    }

    /// What is never forgotten of a kind, because something is still to come of it.
    #[must_use]
    pub fn open(&self, kind: Kind) -> Sum {
        match kind {
            Kind::Deliveries => self.deliveries.open(),
            Kind::Calls => self.calls.open(),
            Kind::Flows => self.flows.open(),
            Kind::Keys => self.claims.open(),
            Kind::Sequences | Kind::Counters | Kind::Audit => Sum::default(),
        }
    }

    /// How many of a kind were forgotten to bound memory.
    #[must_use]
    pub fn forgotten(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Deliveries => self.deliveries.forgotten(),
            Kind::Calls => self.calls.forgotten(),
            Kind::Flows => self.flows.forgotten(),
            Kind::Sequences => self.sequences.forgotten(),
            Kind::Counters => self.counters.forgotten(),
            Kind::Keys => self.claims.forgotten(),
            Kind::Audit => self.audit.forgotten(),
        }
    }

    /// How much of all kinds was forgotten to bound memory.
    #[must_use]
    pub fn all_forgotten(&self) -> u64 {
        Kind::ALL.into_iter().map(|kind| self.forgotten(kind)).sum()
    }

    /// The bytes of all that may be forgotten.
    #[must_use]
    pub fn over_bytes(&self) -> usize {
        Kind::ALL
            .into_iter()
            .map(|kind| self.over(kind).bytes)
            .sum()
    }

    /// The bytes of all that is never forgotten now: what is pending, due, held back or running, and
    /// the usage.
    #[must_use]
    pub fn open_bytes(&self) -> usize {
        let kinds = Kind::ALL.into_iter();
        let open: usize = kinds.map(|kind| self.open(kind).bytes).sum();
        open + self.tickets.sum().bytes + self.usage.rows().bytes
    }

    /// Whether all sums that run along are what counting anew gives: for tests.
    #[must_use]
    pub fn sums_hold(&self) -> bool {
        let holds = |kind, recount| (self.open(kind), self.over(kind)) == recount;
        holds(Kind::Deliveries, self.deliveries.recount())
            && holds(Kind::Calls, self.calls.recount())
            && holds(Kind::Flows, self.flows.recount())
            && holds(Kind::Keys, self.claims.recount())
            && holds(Kind::Sequences, self.sequences.recount())
            && self.tickets.sum() == self.tickets.recount()
    }

    /// How many calls of a sequence were decided.
    #[must_use]
    pub fn decided(&self, sequence: SequenceKey) -> u32 {
        self.sequences.get(&sequence).map_or(0, |decided| decided.0)
    }

    /// Forgets what is too much.
    pub(super) fn forget_beyond(&mut self, keeps: &RetentionLimits) {
        while self.calls.kept() > keeps.calls && self.forget_oldest(Kind::Calls) {}
        while self.deliveries.over().count > keeps.deliveries
            && self.forget_oldest(Kind::Deliveries)
        {}
        while self.over_bytes() > keeps.bytes && self.forget_heaviest() {}
    }

    /// Forgets until no more than so many bytes are left of what may be forgotten.
    pub(super) fn forget_down_to(&mut self, bytes: usize) {
        while self.over_bytes() > bytes && self.forget_heaviest() {}
        self.calls.shrink();
        self.claims.shrink();
        self.deliveries.shrink();
        self.flows.shrink();
        self.sequences.shrink();
        self.audit.shrink();
    }

    /// The kind that takes most gives its oldest: so each keeps what it needs as long as another one
    /// needs more.
    fn forget_heaviest(&mut self) -> bool {
        let kinds = Kind::ALL.into_iter().rev();
        let heaviest = kinds.max_by_key(|kind| self.over(*kind).bytes);
        heaviest.is_some_and(|kind| self.forget_oldest(kind))
    }

    fn forget_oldest(&mut self, kind: Kind) -> bool {
        match kind {
            Kind::Deliveries => self.deliveries.forget_oldest(),
            Kind::Calls => match self.calls.forget_oldest() {
                Some((verification, key)) => {
                    // What shared its envelope has it alone now.
                    if let Some(key) = &key {
                        self.claims.alone(key, verification);
                    }
                    self.deliveries.alone(verification);
                    true
                }
                None => false,
            },
            Kind::Flows => self.flows.forget_oldest(),
            Kind::Sequences => self.sequences.forget_oldest().is_some(),
            Kind::Counters => self.counters.forget_oldest(),
            Kind::Keys => self.claims.forget_oldest(),
            Kind::Audit => self.audit.forget_oldest(),
        }
    }

    /// Whether one more call may be executed: what is pending is never forgotten, so that there must
    /// be an end to it.
    ///
    /// # Errors
    /// [`Rejection::TooMuchPending`].
    pub(in crate::engine) fn room(&self, keeps: &RetentionLimits) -> Result<(), Rejection> {
        match self.open_bytes() < keeps.bytes {
            true => Ok(()),
            false => Err(Rejection::TooMuchPending),
        }
    }
}
