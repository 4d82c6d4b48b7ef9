//! The thread that writes to a SQLite store. What is taken while it writes is written next, all of it in one
//! transaction: the disk is waited for once for many calls.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, SyncSender, TryRecvError};
use std::time::Duration;

use foldhash::fast::FixedState;
use rusqlite::{Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::super::{CommitError, JournalError, Stored, Unwritten, Version};
use super::file::{StoreFile, checksum};
use super::places::{LEFT_LYING, Moved, Places};
use crate::host::clock::Stopwatch;
use crate::host::metrics::StoreMetrics;
use crate::host::readiness::Readiness;

/// What the thread is given, in order.
pub(super) enum Work {
    Change(StoreChange),
    Question(Question),
    /// The store is given up; said when it is.
    End(oneshot::Sender<()>),
}

/// What is to be written.
pub(super) enum StoreChange {
    /// Entries of an account that was at this version, each with the version it leads to.
    Append {
        account: Arc<str>,
        after: Version,
        entries: Vec<(Version, String)>,
        unwritten: Unwritten,
    },
    /// An account has ended.
    Close {
        account: Arc<str>,
        after: Version,
        unwritten: Unwritten,
    },
    /// One entry in the place of all up to this version.
    Snapshot {
        account: Arc<str>,
        at: Version,
        text: String,
    },
}

/// What is asked, once all is written that was given before.
pub(super) enum Question {
    /// What is written of an account?
    Load {
        account: Arc<str>,
        answer: oneshot::Sender<Result<Option<Stored>, JournalError>>,
    },
    /// What is written of all accounts? Asked before anything is written.
    LoadAll {
        answer: SyncSender<Result<Vec<Stored>, JournalError>>,
    },
    /// What is known of the store as a whole?
    Remember {
        name: String,
        value: String,
        answer: SyncSender<Result<String, JournalError>>,
    },
}

type Outcome = Result<(), CommitError>;

impl StoreChange {
    /// How many entries it brings.
    fn entries(&self) -> usize {
        match self {
            StoreChange::Append { entries, .. } => entries.len(),
            StoreChange::Close { .. } | StoreChange::Snapshot { .. } => 0,
        }
    }

    fn end(self, outcome: Outcome) {
        match self {
            StoreChange::Append { unwritten, .. } | StoreChange::Close { unwritten, .. } => {
                unwritten.end(outcome);
            }
            StoreChange::Snapshot { .. } => {}
        }
    }
}

/// So much is written in one transaction: more would keep the first of them waiting for the last.
const MOST_TOGETHER: usize = 256;

/// How long one waits before a store that failed is tried again, where nobody gives it anything.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// When nobody has given anything for so long, nobody is about to wait.
const PEACE: Duration = Duration::from_millis(20);

/// No more entries than so many are deleted with a group: each may stand on a page of its own.
const MOST_FORGOTTEN: usize = 256;

/// How far accounts have come.
pub(super) type Versions = HashMap<Arc<str>, Version, FixedState>;

/// Writes to a store until nobody gives it anything any more.
pub(super) struct Writer {
    pub(super) file: StoreFile,
    /// How far each account has come.
    pub(super) versions: Versions,
    pub(super) metrics: Arc<StoreMetrics>,
    /// What probes are told.
    pub(super) readiness: Arc<Readiness>,
    /// Whether it wrote nothing the last time.
    pub(super) has_failed: bool,
    /// Where entries stand.
    pub(super) places: Places,
}

impl Writer {
    /// Writes what is given until nobody gives anything any more, or somebody ends it.
    pub(super) fn run(mut self, given: Receiver<Work>) {
        loop {
            let mut group = Vec::new();
            let mut next = match self.next(&given) {
                Ok(next) => next,
                Err(_) => return self.end(),
            };
            while let Some(work) = next {
                next = match work {
                    Work::Question(question) => {
                        self.write(std::mem::take(&mut group));
                        self.answer(question);
                        None
                    }
                    Work::Change(change) => {
                        group.push(change);
                        None
                    }
                    Work::End(ended) => {
                        self.write(group);
                        self.end();
                        // What is given from now on is refused.
                        drop(given);
                        // Whoever asked may be gone.
                        let _ = ended.send(());
                        return;
                    }
                };
                if group.len() < MOST_TOGETHER {
                    next = next.or_else(|| given.try_recv().ok());
                }
            }
            self.write(group);
        }
    }

    /// Nobody waits any more; the next start finds what is left then.
    fn end(mut self) {
        for _ in 0..LEFT_LYING / MOST_FORGOTTEN {
            if self.places.has_needless() && !self.has_failed {
                self.forget_in_peace();
            }
        }
    }

    /// What is given next. Nothing where the store failed and is looked at, or where there is something left to do:
    /// probes keep calls away from a simulator that is not ready, so that none of them would find out.
    fn next(&mut self, given: &Receiver<Work>) -> Result<Option<Work>, RecvError> {
        if !self.has_failed {
            return match given.try_recv() {
                Ok(work) => Ok(Some(work)),
                Err(TryRecvError::Empty) if self.places.has_needless() => {
                    match given.recv_timeout(PEACE) {
                        Ok(work) => return Ok(Some(work)),
                        Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
                        Err(RecvTimeoutError::Timeout) => self.forget_in_peace(),
                    }
                    Ok(None)
                }
                Err(TryRecvError::Empty) => given.recv().map(Some),
                Err(TryRecvError::Disconnected) => Err(RecvError),
            };
        }
        match given.recv_timeout(LOOK_AGAIN) {
            Ok(work) => Ok(Some(work)),
            Err(RecvTimeoutError::Disconnected) => Err(RecvError),
            Err(RecvTimeoutError::Timeout) => {
                if self.file.writes_again().is_ok() {
                    self.has_failed = false;
                    self.readiness.restored();
                }
                Ok(None)
            }
        }
    }

    /// Deletes some of what nobody needs while nobody waits.
    pub(super) fn forget_in_peace(&mut self) {
        let rows = self.places.take(MOST_FORGOTTEN);
        let forgotten = (|| {
            let transaction = self.file.connection.transaction()?;
            self.places.delete(&transaction, &rows)?;
            transaction.commit()
        })();
        if let Err(error) = &forgotten {
            // It is tried again when there is something to write.
            self.has_failed = true;
            tracing::warn!(%error, "the store was not made smaller");
        }
        self.forgotten(rows, forgotten.is_ok());
    }

    /// Notes what became of rows that were to be deleted.
    fn forgotten(&mut self, rows: Vec<i64>, are_deleted: bool) {
        match rows.last() {
            Some(last) if are_deleted => self.places.deleted(*last),
            _ => self.places.put_back(rows),
        }
    }

    fn answer(&mut self, question: Question) {
        // Whoever asked may be gone.
        match question {
            Question::Load { account, answer } => {
                drop(answer.send(self.file.read(&account, &self.places)));
            }
            Question::LoadAll { answer } => drop(answer.send(self.read_all())),
            Question::Remember {
                name,
                value,
                answer,
            } => {
                let known = self.file.remember(&name, &value);
                drop(answer.send(known.map_err(failed)));
            }
        }
    }

    fn read_all(&mut self) -> Result<Vec<Stored>, JournalError> {
        let accounts = self.file.accounts().map_err(failed)?;
        let read = accounts
            .iter()
            .map(|account| self.file.read(account, &self.places));
        let stored: Vec<_> = read
            .filter_map(Result::transpose)
            .collect::<Result<_, _>>()?;
        let versions = stored.iter();
        let versions = versions.map(|it| (Arc::clone(&it.account), it.version));
        self.versions = versions.collect();
        Ok(stored)
    }

    /// Makes changes, all of them or none.
    pub(super) fn write(&mut self, group: Vec<StoreChange>) {
        if group.is_empty() {
            return;
        }
        let (watch, entries) = (
            Stopwatch::start(),
            group.iter().map(StoreChange::entries).sum(),
        );
        self.metrics.begun(entries);
        let mut versions = Versions::default();
        match self.write_group(&group, &mut versions) {
            Ok(outcomes) => {
                self.metrics.committed(entries, watch.read());
                self.has_failed = false;
                self.readiness.restored();
                self.versions.extend(versions);
                for (change, outcome) in group.into_iter().zip(outcomes) {
                    change.end(outcome);
                }
            }
            Err(error) => {
                self.metrics.failed();
                self.has_failed = true;
                self.readiness.lost(&format!("the store: {error}"));
                tracing::error!(%error, "the store wrote nothing");
                for change in group {
                    change.end(Err(failed(&error).into()));
                }
            }
        }
    }

    fn write_group(
        &mut self,
        group: &[StoreChange],
        versions: &mut Versions,
    ) -> rusqlite::Result<Vec<Outcome>> {
        // More than comes, so that what is left lying gets less, and never so much that somebody waits for it.
        let entries: usize = group.iter().map(StoreChange::entries).sum();
        let most = (2 * entries).min(MOST_FORGOTTEN);
        let rows = self.places.take(self.places.surplus().min(most));
        let written = self.commit(group, versions, &rows);
        self.forgotten(rows, written.is_ok());
        let (outcomes, moved) = written?;
        moved.into_iter().for_each(|moved| self.places.note(moved));
        Ok(outcomes)
    }

    fn commit(
        &mut self,
        group: &[StoreChange],
        versions: &mut Versions,
        needless: &[i64],
    ) -> rusqlite::Result<(Vec<Outcome>, Vec<Moved>)> {
        let behavior = TransactionBehavior::Immediate;
        let connection = &mut self.file.connection;
        let transaction = connection.transaction_with_behavior(behavior)?;
        let mut open = OpenGroup {
            transaction: &transaction,
            before: &self.versions,
            versions,
            places: &self.places,
            next: self.places.next(),
            moved: Vec::new(),
        };
        let outcomes = group.iter().map(|change| open.write(change));
        let outcomes = outcomes.collect::<Result<_, _>>()?;
        let moved = open.moved;
        self.places.delete(&transaction, needless)?;
        transaction.commit()?;
        Ok((outcomes, moved))
    }
}

/// Changes that are being made together.
struct OpenGroup<'a> {
    transaction: &'a Transaction<'a>,
    /// How far each account had come before.
    before: &'a Versions,
    /// How far those have come that were changed since.
    versions: &'a mut Versions,
    /// Where entries stood before.
    places: &'a Places,
    /// Where the next one stands.
    next: i64,
    /// What became of them since.
    moved: Vec<Moved>,
}

impl OpenGroup<'_> {
    fn version(&self, account: &str) -> Version {
        let known = self.versions.get(account);
        let known = known.or_else(|| self.before.get(account));
        known.copied().unwrap_or_default()
    }

    fn write(&mut self, change: &StoreChange) -> rusqlite::Result<Outcome> {
        match change {
            StoreChange::Append {
                account,
                after,
                entries,
                ..
            } => {
                if self.version(account) != *after {
                    return Ok(Err(CommitError::Conflict));
                }
                let insert = "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5)";
                let mut insert = self.transaction.prepare_cached(insert)?;
                for (version, text) in entries {
                    let [number, digest] = columns(*version);
                    insert.execute(params![self.next, account, number, digest, text])?;
                    self.versions.insert(Arc::clone(account), *version);
                    self.moved.push(Moved::Written {
                        account: Arc::clone(account),
                        number: version.number,
                        row: self.next,
                    });
                    self.next += 1;
                }
            }
            StoreChange::Close { account, after, .. } => {
                if self.version(account) != *after {
                    return Ok(Err(CommitError::Conflict));
                }
                // It is gone from now on: its entries go a few at a time.
                let transaction = self.transaction;
                transaction.execute("DELETE FROM snapshots WHERE account = ?1", [account])?;
                let end = "INSERT INTO ended SELECT account, place FROM entries WHERE place = ?1 AND account = ?2 \
                           ON CONFLICT DO UPDATE SET last_place = excluded.last_place";
                transaction.execute(
                    end,
                    params![self.places.last(&self.moved, account), account],
                )?;
                self.versions.insert(Arc::clone(account), Version::NONE);
                self.moved.push(Moved::Closed {
                    account: Arc::clone(account),
                });
            }
            StoreChange::Snapshot { account, at, text } => self.put_snapshot(account, *at, text)?,
        }
        Ok(Ok(()))
    }

    fn put_snapshot(
        &mut self,
        account: &Arc<str>,
        at: Version,
        text: &str,
    ) -> rusqlite::Result<()> {
        let [number, digest] = columns(at);
        let transaction = self.transaction;
        // The account may have been closed since, or what the snapshot was made of was not written.
        let row = self.places.find(&self.moved, account, at.number);
        let known = "SELECT 1 FROM entries WHERE place = ?1 AND account = ?2 AND number = ?3 AND digest = ?4";
        let mut known = transaction.prepare_cached(known)?;
        if !known.exists(params![row, account, number, digest])? {
            return Ok(());
        }
        transaction.execute(
            "INSERT INTO snapshots VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE \
             SET number = excluded.number, digest = excluded.digest, \
             checksum = excluded.checksum, snapshot = excluded.snapshot \
             WHERE excluded.number > snapshots.number",
            params![account, number, digest, checksum(text), text],
        )?;
        self.moved.push(Moved::Summed {
            account: Arc::clone(account),
            number: at.number,
        });
        Ok(())
    }
}

/// A version as the tables have it: SQLite's whole numbers have a sign.
fn columns(version: Version) -> [i64; 2] {
    [version.number, version.digest].map(u64::cast_signed)
}

fn failed(error: impl std::borrow::Borrow<rusqlite::Error>) -> JournalError {
    JournalError::new(error.borrow().to_string())
}
