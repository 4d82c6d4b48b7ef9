//! Accounts in one SQLite file (ruling 36): an answer leaves when its entries are on the disk. The file has
//! tables that people can read, too; `README.md` of this folder has queries.

mod care;
mod file;
mod lock;
mod places;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

pub use self::care::{StoreReport, backup, check, migrate};
pub use self::file::StoreError;
use self::file::StoreFile;
use self::writer::{Question, StoreChange, Versions, Work, Writer};
use super::{Appended, Commit, Journal, JournalError, Loading, StoreFuture, Stored, Version};
use crate::engine::state::entry::Entry;
use crate::host::metrics::StoreMetrics;
use crate::host::readiness::Readiness;

/// A store in one file.
pub struct SqliteJournal {
    /// None only while it ends.
    given: Option<Sender<Work>>,
    writer: Option<JoinHandle<()>>,
    metrics: Arc<StoreMetrics>,
}

impl SqliteJournal {
    /// Opens a store: makes it where there is none, and brings an older one into today's form.
    ///
    /// # Errors
    /// [`StoreError`], such as where another process has it.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        SqliteJournal::open_watched(path, Arc::default(), Arc::default())
    }

    /// The same, which notes what it does, and whether it can.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn open_watched(
        path: &Path,
        metrics: Arc<StoreMetrics>,
        readiness: Arc<Readiness>,
    ) -> Result<Self, StoreError> {
        let file = StoreFile::open(path)?;
        let places = file.places();
        let places = places.map_err(|source| file::failed(path, source))?;
        let writer = Writer {
            metrics: Arc::clone(&metrics),
            readiness,
            file,
            places,
            versions: Versions::default(),
            has_failed: false,
        };
        let (given, work) = channel();
        let thread = std::thread::Builder::new().name("store".to_owned());
        let thread = thread.spawn(move || writer.run(work));
        Ok(SqliteJournal {
            given: Some(given),
            metrics,
            writer: Some(thread.map_err(|source| StoreError::Thread { source })?),
        })
    }

    fn give(&self, work: Work) -> Result<(), JournalError> {
        let given = self.given.as_ref();
        let given = given.is_some_and(|given| given.send(work).is_ok());
        given.then_some(()).ok_or_else(ended)
    }

    /// Asks and waits, on this thread.
    fn ask<T>(
        &self,
        question: impl FnOnce(SyncSender<Result<T, JournalError>>) -> Question,
    ) -> Result<T, JournalError> {
        let (answer, answered) = sync_channel(1);
        self.give(Work::Question(question(answer)))?;
        answered.recv().unwrap_or_else(|_| Err(ended()))
    }
}

fn ended() -> JournalError {
    JournalError::new("the store has ended".to_owned())
}

impl Journal for SqliteJournal {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let mut version = after;
        let written = entries.iter().map(|entry| {
            let text = entry.to_json();
            version = version.after(&text);
            (version, text)
        });
        let entries: Vec<_> = written.collect();
        let bytes = entries.iter().map(|(_, text)| text.len()).sum();
        let (unwritten, commit) = Commit::taken();
        self.metrics.taken(entries.len());
        self.give(Work::Change(StoreChange::Append {
            account: Arc::clone(account),
            after,
            entries,
            unwritten,
        }))?;
        Ok(Appended {
            version,
            commit,
            bytes,
        })
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        let (answer, answered) = oneshot::channel();
        let account = Arc::clone(account);
        let asked = self.give(Work::Question(Question::Load { account, answer }));
        Box::pin(async move {
            asked?;
            answered.await.unwrap_or_else(|_| Err(ended()))
        })
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.ask(|answer| Question::LoadAll { answer })
    }

    fn snapshot(&self, account: &Arc<str>, at: Version, text: String) {
        let account = Arc::clone(account);
        let given = self.give(Work::Change(StoreChange::Snapshot { account, at, text }));
        if let Err(error) = given {
            tracing::warn!(%error, "the store was not made smaller");
        }
    }

    fn remember(&self, name: &str, value: &str) -> Result<String, JournalError> {
        self.ask(|answer| Question::Remember {
            name: name.to_owned(),
            value: value.to_owned(),
            answer,
        })
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        let (unwritten, commit) = Commit::taken();
        self.give(Work::Change(StoreChange::Close {
            account: Arc::clone(account),
            after,
            unwritten,
        }))?;
        Ok(commit)
    }

    fn end(&self) -> StoreFuture<()> {
        let (answer, ended) = oneshot::channel();
        let given = self.give(Work::End(answer));
        Box::pin(async move {
            given?;
            // Where it is not said, it had ended before.
            ended.await.or(Ok(()))
        })
    }
}

/// Ends when all is written that was taken.
impl Drop for SqliteJournal {
    fn drop(&mut self) {
        drop(self.given.take());
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the thread of the store panicked");
        }
    }
}
