//! The stores that write nothing to a disk.

use std::sync::Arc;

use super::super::lock_order::{Mutex, Rank};
use super::{Appended, Commit, Journal, JournalError, Loading, Stored, Version};
use crate::engine::state::entry::Entry;

/// Keeps nothing: what is in memory is all there is.
pub struct NoJournal;

impl Journal for NoJournal {
    fn append(
        &self,
        _: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        Ok(Appended::at_once(after, entries))
    }

    fn load(&self, _: &Arc<str>) -> Loading {
        Box::pin(async { Ok(None) })
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        Ok(Vec::new())
    }

    fn close(&self, _: &Arc<str>, _: Version) -> Result<Commit, JournalError> {
        Ok(Commit::WRITTEN)
    }
}

/// Keeps everything in memory, without a bound and in its JSON form: for tests, which rebuild accounts
/// from it as a durable store would.
pub struct MemoryJournal {
    entries: Mutex<Vec<(Arc<str>, String)>>,
}

impl Default for MemoryJournal {
    fn default() -> Self {
        MemoryJournal {
            entries: Mutex::new(Rank::Record, Vec::new()),
        }
    }
}

impl MemoryJournal {
    /// An account as it is written.
    ///
    /// # Errors
    /// Where a text is no entry.
    pub fn read(&self, account: &str) -> Result<Option<Stored>, JournalError> {
        let entries = self.entries.lock();
        let of_it = entries.iter().filter(|(name, _)| **name == *account);
        let read = of_it.map(|(_, json)| Entry::from_json(json));
        let read = read.collect::<Result<Vec<_>, _>>();
        let entries = read.map_err(|error| JournalError(error.to_string()))?;
        Ok((!entries.is_empty()).then(|| Stored {
            account: account.into(),
            version: Appended::at_once(Version::NONE, &entries).version,
            entries,
            bytes: [0, 0],
        }))
    }
}

impl Journal for MemoryJournal {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let named = entries
            .iter()
            .map(|entry| (Arc::clone(account), entry.to_json()));
        self.entries.lock().extend(named);
        Ok(Appended::at_once(after, entries))
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        let read = self.read(account);
        Box::pin(async { read })
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        let mut ids: Vec<_> = self
            .entries
            .lock()
            .iter()
            .map(|(id, _)| id.clone())
            .collect();
        ids.sort();
        ids.dedup();
        let read = ids.iter().map(|id| self.read(id));
        read.filter_map(Result::transpose).collect()
    }

    fn close(&self, account: &Arc<str>, _: Version) -> Result<Commit, JournalError> {
        self.entries.lock().retain(|(name, _)| name != account);
        Ok(Commit::WRITTEN)
    }
}
