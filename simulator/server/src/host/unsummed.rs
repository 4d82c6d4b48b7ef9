//! When the store is given a snapshot of an account. Writes none.

/// How many bytes of single entries a store has of an account. When they are many, a snapshot takes their
/// place: it bounds the store as retention bounds memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unsummed {
    entries: usize,
    snapshot: usize,
}

/// No snapshot is worth fewer bytes of entries.
const MIN_UNSUMMED: usize = 1 << 20;

/// A snapshot is made when the entries after the one before have this many times its bytes.
const UNSUMMED_TIMES: usize = 4;

impl Unsummed {
    /// What a store has of an account: its first entry, which may be a snapshot, and all others.
    pub(super) fn of([first, others]: [usize; 2]) -> Self {
        Unsummed {
            entries: others,
            snapshot: first,
        }
    }

    /// Notes that the store has so many bytes more.
    pub(super) fn add(&mut self, bytes: usize) {
        self.entries += bytes;
    }

    /// Whether it is time for a snapshot. Says so once.
    pub(super) fn is_due(&mut self) -> bool {
        let due = self.entries >= MIN_UNSUMMED.max(UNSUMMED_TIMES * self.snapshot);
        if due {
            self.entries = 0;
        }
        due
    }

    /// Notes how large the snapshot was.
    pub(super) fn summed(&mut self, snapshot: usize) {
        self.snapshot = snapshot;
    }
}
