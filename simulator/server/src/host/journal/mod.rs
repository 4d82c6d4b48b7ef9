//! Where entries are written down. An answer leaves only after its entries are written; applying them in
//! order rebuilds the account (ruling 36). A store is one file here that implements [`Journal`].

mod commit;
mod memory;
#[cfg(feature = "postgres")]
mod postgres;
mod shared;
pub mod sqlite;

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::engine::state::account::{Account, Settings};
use crate::engine::state::entry::Entry;
use crate::engine::state::event::{self, Event};
pub use commit::{Commit, CommitError, Unwritten};
pub use memory::{MemoryJournal, NoJournal};
#[cfg(feature = "postgres")]
pub use postgres::{PostgresError, PostgresJournal};
pub use shared::{Identity, Peer, SharedStore, Since, StoreEvent};
pub use sqlite::{SqliteJournal, StoreError};

/// A store of entries, in order, for each account.
///
/// Entries are taken at once and written later, many together: whoever answers waits for the [`Commit`].
/// What is decided on entries that are then not written names a [`Version`] that the store never has, so
/// that it is not written either.
pub trait Journal: Send + Sync {
    /// Takes entries of an account that was at this version; [`Version::NONE`] where they are its first.
    /// What is taken first is written first.
    ///
    /// # Errors
    /// [`JournalError`] where they are not even taken. They are then not applied.
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError>;

    /// An account as it is written by now; none where there is none. What was taken before is written
    /// before.
    fn load(&self, account: &Arc<str>) -> Loading;

    /// Every account, by id. Asked once, before anything is taken; may take its time.
    ///
    /// # Errors
    /// [`JournalError`] where they can't be read.
    fn load_all(&self) -> Result<Vec<Stored>, JournalError>;

    /// Puts one entry in the place of all up to this version: a copy of the account as it was then. Where the
    /// store has no such version any more, nothing happens.
    /// A store that keeps nothing for long needs none.
    fn snapshot(&self, account: &Arc<str>, at: Version, snapshot: String) {
        let _ = (account, at, snapshot);
    }

    /// What is known under this name of the store as a whole: what it was given first.
    ///
    /// # Errors
    /// [`JournalError`] where it can't be read or written.
    fn remember(&self, name: &str, value: &str) -> Result<String, JournalError> {
        let _ = name;
        Ok(value.to_owned())
    }

    /// The account has ended: one of this name begins anew, and nothing that was written is needed
    /// any more.
    ///
    /// # Errors
    /// [`JournalError`] where that is not even taken. The account then goes on.
    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError>;

    /// Writes what it took and gives the store up, though somebody may still hold it: it takes nothing any more.
    fn end(&self) -> StoreFuture<()> {
        Box::pin(ready(Ok(())))
    }

    /// Whether all that it takes is written at once, so that nobody ever has to wait for it.
    fn is_immediate(&self) -> bool {
        false
    }

    /// What it offers beside that where other simulators may change the same accounts. There an append
    /// without entries asks whether the account is at this version.
    fn shared(&self) -> Option<&dyn SharedStore> {
        None
    }
}

/// Something that a store is asked for.
pub type StoreFuture<T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send>>;

/// An account that is being read.
pub type Loading = StoreFuture<Option<Stored>>;

/// How far an account has come: how many entries it has, and a digest of them all. Two accounts that
/// went apart never have the same version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// How many entries.
    pub number: u64,
    /// Of the text of all of them. Zero in memory, where nothing goes apart.
    pub digest: u64,
}

impl Version {
    /// Of an account that there is not.
    pub const NONE: Version = Version {
        number: 0,
        digest: 0,
    };

    /// After one more entry with this text.
    #[must_use]
    pub fn after(self, text: &str) -> Self {
        Version {
            number: self.number + 1,
            digest: xxhash_rust::xxh3::xxh3_64_with_seed(text.as_bytes(), self.digest),
        }
    }
}

/// Entries that were taken.
pub struct Appended {
    /// The version they lead to.
    pub version: Version,
    /// When they are written.
    pub commit: Commit,
    /// How many bytes they take in the store; none in memory.
    pub bytes: usize,
}

impl Appended {
    /// So many entries that are written already.
    #[must_use]
    pub fn at_once(after: Version, entries: &[Entry]) -> Self {
        Appended {
            version: Version {
                number: after.number + entries.len() as u64,
                ..after
            },
            commit: Commit::WRITTEN,
            bytes: 0,
        }
    }
}

/// An account as it is written.
#[derive(Debug)]
pub struct Stored {
    /// Its id.
    pub account: Arc<str>,
    /// How far it has come.
    pub version: Version,
    /// What makes it: the first is its opening, a copy, or a snapshot, which looks like a copy.
    pub entries: Vec<Entry>,
    /// How many bytes of the store the first of them takes, and all others together.
    pub bytes: [usize; 2],
}

impl Stored {
    /// The account.
    ///
    /// # Errors
    /// Where the entries do not begin with its opening.
    pub fn rebuild(self, settings: Settings) -> Result<Account, JournalError> {
        let account = Account::rebuild(settings, self.entries);
        account.ok_or_else(|| {
            let id = self.account;
            JournalError::new(format!("the entries of {id} do not begin with its opening"))
        })
    }
}

impl Stored {
    /// What happened to the account, as far as it has single entries.
    #[must_use]
    pub fn events(&self, settings: Settings) -> Vec<Event> {
        let mut entries = self.entries.iter().cloned();
        let Some(mut account) = Account::rebuild(settings, entries.next()) else {
            return Vec::new();
        };
        let mut events = Vec::new();
        for entry in entries {
            events.extend(event::of(&account, &entry));
            account.apply(entry);
        }
        events
    }
}

/// Why entries were not written or read.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the journal failed{}: {what}", if *.maybe_written { " and may have written" } else { "" })]
pub struct JournalError {
    what: String,
    maybe_written: bool,
}

impl JournalError {
    /// Nothing was written, or read.
    pub fn new(what: impl Into<String>) -> Self {
        JournalError {
            what: what.into(),
            maybe_written: false,
        }
    }

    /// What became of it nobody says: the store was lost before it had answered.
    pub fn unheard(what: impl Into<String>) -> Self {
        JournalError {
            what: what.into(),
            maybe_written: true,
        }
    }

    /// What went wrong.
    #[must_use]
    pub fn into_text(self) -> String {
        self.what
    }

    /// Whether what was given to the store may be written all the same.
    #[must_use]
    pub fn maybe_written(&self) -> bool {
        self.maybe_written
    }
}
