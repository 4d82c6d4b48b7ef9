//! Where entries are written down. An answer leaves only after its entries are written; applying
//! them in order rebuilds the account. Memory, the default, keeps none.

use super::lock_order::{Mutex, Rank};
use crate::engine::state::entry::Entry;

/// A store of entries, in order, for each account.
pub trait Journal: Send + Sync {
    /// Writes entries of an account down.
    ///
    /// # Errors
    /// [`JournalError`] where they are not safely written. They are then not applied.
    fn append(&self, account: &str, entries: &[Entry]) -> Result<(), JournalError>;

    /// Every entry of an account, in order.
    ///
    /// # Errors
    /// [`JournalError`] where they can't be read.
    fn load(&self, account: &str) -> Result<Vec<Entry>, JournalError>;

    /// The account has ended: one of this name begins anew, and nothing that was written is needed
    /// any more.
    ///
    /// # Errors
    /// [`JournalError`] where that can't be written. The account then goes on.
    fn close(&self, account: &str) -> Result<(), JournalError>;
}

/// Why entries were not written or read.
#[derive(Debug, thiserror::Error)]
#[error("the journal failed: {0}")]
pub struct JournalError(pub String);

/// Keeps nothing: what is in memory is all there is.
pub struct NoJournal;

impl Journal for NoJournal {
    fn append(&self, _: &str, _: &[Entry]) -> Result<(), JournalError> {
        Ok(())
    }

    fn load(&self, _: &str) -> Result<Vec<Entry>, JournalError> {
        Ok(Vec::new())
    }

    fn close(&self, _: &str) -> Result<(), JournalError> {
        Ok(())
    }
}

/// Keeps everything in memory, without a bound and in its JSON form: for tests, which rebuild accounts
/// from it as a durable store would.
pub struct MemoryJournal {
    entries: Mutex<Vec<(String, String)>>,
}

impl Default for MemoryJournal {
    fn default() -> Self {
        MemoryJournal {
            entries: Mutex::new(Rank::Record, Vec::new()),
        }
    }
}

impl Journal for MemoryJournal {
    fn append(&self, account: &str, entries: &[Entry]) -> Result<(), JournalError> {
        let named = entries
            .iter()
            .map(|entry| (account.to_owned(), entry.to_json()));
        self.entries.lock().extend(named);
        Ok(())
    }

    fn load(&self, account: &str) -> Result<Vec<Entry>, JournalError> {
        let entries = self.entries.lock();
        let of_it = entries.iter().filter(|(name, _)| name == account);
        let read = of_it.map(|(_, json)| Entry::from_json(json));
        read.collect::<Result<_, _>>()
            .map_err(|error| JournalError(error.to_string()))
    }

    fn close(&self, account: &str) -> Result<(), JournalError> {
        self.entries.lock().retain(|(name, _)| name != account);
        Ok(())
    }
}
