//! Whether the store of the accounts takes entries now. The store says so; probes ask.

use std::sync::Arc;

use super::lock_order::{Mutex, Rank};

/// Whether the store takes entries. A simulator without one always is ready.
pub struct Readiness {
    /// Why it does not, where it does not.
    obstacle: Mutex<Option<Arc<str>>>,
}

impl Default for Readiness {
    fn default() -> Self {
        Readiness {
            obstacle: Mutex::new(Rank::Record, None),
        }
    }
}

impl Readiness {
    /// One that is not ready yet, because of this.
    #[must_use]
    pub fn not_yet(obstacle: &str) -> Self {
        let readiness = Readiness::default();
        readiness.lost(obstacle);
        readiness
    }

    /// The store is open and migrated, or takes entries again.
    pub fn restored(&self) {
        // Asked for after each commit: nearly always there is nothing to change.
        let mut obstacle = self.obstacle.lock();
        if obstacle.take().is_some() {
            tracing::info!("the store takes entries");
        }
    }

    /// The store takes no entries, because of this. Whoever asks sees it without a token: no secret may stand in it.
    pub fn lost(&self, obstacle: &str) {
        let before = self.obstacle.lock().replace(obstacle.into());
        if before.as_deref() != Some(obstacle) {
            tracing::warn!(obstacle, "the store takes no entries");
        }
    }

    /// Why the store takes no entries; none where it does.
    #[must_use]
    pub fn obstacle(&self) -> Option<Arc<str>> {
        self.obstacle.lock().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_the_store_counts() {
        let readiness = Readiness::not_yet("the store is being opened");
        assert_eq!(
            readiness.obstacle().as_deref(),
            Some("the store is being opened")
        );
        readiness.restored();
        readiness.restored();
        assert_eq!(readiness.obstacle(), None);
        readiness.lost("the disk is full");
        readiness.lost("the server does not answer");
        assert_eq!(
            readiness.obstacle().as_deref(),
            Some("the server does not answer")
        );
        assert_eq!(Readiness::default().obstacle(), None);
    }
}
