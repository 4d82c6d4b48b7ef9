//! The stores that write nothing to a disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::lock_order::{Mutex, Rank};
use super::{Appended, Commit, CommitError, Journal, JournalError, Loading, Stored, Version};
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

    fn is_immediate(&self) -> bool {
        true
    }
}

/// Keeps everything in memory, without a bound and in its JSON form: for tests, which rebuild accounts
/// from it as a durable store would.
pub struct MemoryJournal {
    entries: Mutex<BTreeMap<Arc<str>, Kept>>,
}

/// An account's entries, and how far they lead.
#[derive(Default)]
struct Kept {
    version: Version,
    entries: Vec<String>,
}

impl Default for MemoryJournal {
    fn default() -> Self {
        MemoryJournal {
            entries: Mutex::new(Rank::Record, BTreeMap::new()),
        }
    }
}

impl MemoryJournal {
    /// An account as it is written.
    ///
    /// # Errors
    /// Where a text is no entry.
    pub fn read(&self, account: &str) -> Result<Option<Stored>, JournalError> {
        let kept = self.entries.lock();
        let Some(Kept { version, entries }) = kept.get(account) else {
            return Ok(None);
        };
        let read = entries.iter().map(|json| Entry::from_json(json));
        let read = read.collect::<Result<Vec<_>, _>>();
        Ok(Some(Stored {
            account: account.into(),
            version: *version,
            entries: read.map_err(|error| JournalError::new(error.to_string()))?,
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
        let mut version = after;
        let texts = entries.iter().map(|entry| {
            let text = entry.to_json();
            version = version.after(&text);
            text
        });
        let texts: Vec<_> = texts.collect();
        let mut all = self.entries.lock();
        let known = all.get(account).map_or(Version::NONE, |kept| kept.version);
        let commit = match known == after {
            true => {
                let kept = all.entry(Arc::clone(account)).or_default();
                kept.entries.extend(texts);
                kept.version = version;
                Commit::WRITTEN
            }
            false => Commit::ended(Err(CommitError::Conflict)),
        };
        Ok(Appended {
            version,
            commit,
            bytes: 0,
        })
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        let read = self.read(account);
        Box::pin(async { read })
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        let ids: Vec<_> = self.entries.lock().keys().cloned().collect();
        let read = ids.iter().map(|id| self.read(id));
        read.filter_map(Result::transpose).collect()
    }

    fn close(&self, account: &Arc<str>, _: Version) -> Result<Commit, JournalError> {
        self.entries.lock().remove(account);
        Ok(Commit::WRITTEN)
    }
}
