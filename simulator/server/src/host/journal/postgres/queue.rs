//! What waits to be written: entries of many accounts, put together into groups. Knows no connection.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::FixedState;
use hashlink::LinkedHashMap;

use super::super::{Appended, Commit, CommitError, JournalError, Unwritten, Version};
use crate::engine::state::entry::{Change, Entry};
use crate::host::lock_order::{Mutex, Rank};
use crate::host::metrics::StoreMetrics;

/// How many accounts are written together at most.
const MAX_ACCOUNTS: usize = 512;

/// How many bytes of entries are written together, more or less.
const MAX_BYTES: usize = 4 << 20;

/// What is to be written of one account.
#[derive(Debug)]
pub(super) struct PendingWrite {
    /// What the store must have.
    pub(super) after: Version,
    /// What it has then.
    pub(super) to: Version,
    /// Each with the version that it leads to.
    pub(super) entries: Vec<(Version, String)>,
    /// Names of keys that are new.
    pub(super) names: Vec<String>,
    pub(super) closes: Option<Closing>,
    pub(super) due: DueNote,
    /// Two that know of it something else have put something here: nothing of it is written.
    pub(super) contradicts: bool,
    /// Who waits for it.
    waiting: Vec<Unwritten>,
}

/// When something of an account falls due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DueNote {
    /// When it did before.
    Kept,
    /// It is not known yet, and said soon.
    Open,
    /// In so long; never where none is given.
    In(Option<Duration>),
}

/// Why an account ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    Deleted,
    /// Nobody used it for so long.
    Idle(Duration),
}

/// What is written together.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// For who waits for all of it, whatever becomes of it.
    ended: Option<Unwritten>,
    pub(super) accounts: LinkedHashMap<Arc<str>, PendingWrite, FixedState>,
    /// Of one account that begins, ends or gets a name: that is written by itself, because a name may be
    /// another account's.
    pub(super) alone: bool,
    bytes: usize,
}

/// What waits, for one lane.
pub(super) struct Queue {
    state: Mutex<State>,
    metrics: Arc<StoreMetrics>,
    pub(super) filled: tokio::sync::Notify,
}

#[derive(Default)]
struct State {
    groups: VecDeque<Group>,
    /// When all that was put here so far has ended.
    last: Option<Commit>,
    down: Option<JournalError>,
}

impl PendingWrite {
    fn of(after: Version, to: Version) -> Self {
        PendingWrite {
            after,
            to,
            entries: Vec::new(),
            names: Vec::new(),
            closes: None,
            due: DueNote::Kept,
            contradicts: false,
            waiting: Vec::new(),
        }
    }

    /// Whether it brings nothing that others have to be told.
    pub(super) fn adds_nothing(&self) -> bool {
        self.entries.is_empty() && self.closes.is_none()
    }

    /// Whether nothing is written for it.
    pub(super) fn only_checks(&self) -> bool {
        self.adds_nothing() && self.due == DueNote::Kept
    }

    fn is_alone(&self) -> bool {
        self.after == Version::NONE || self.closes.is_some() || !self.names.is_empty()
    }
}

impl Queue {
    pub(super) fn new(metrics: Arc<StoreMetrics>) -> Self {
        Queue {
            state: Mutex::new(Rank::Record, State::default()),
            metrics,
            filled: tokio::sync::Notify::new(),
        }
    }

    /// Takes entries of an account; none only asks whether the store has this version.
    pub(super) fn push(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let mut pending = PendingWrite::of(after, after);
        for entry in entries {
            let text = entry.to_json();
            pending.to = pending.to.after(&text);
            pending.entries.push((pending.to, text));
            if entry.may_fall_due() {
                pending.due = DueNote::Open;
            }
            pending.names.extend(entry.changes.iter().flat_map(names));
        }
        let version = pending.to;
        let bytes = pending.entries.iter().map(|(_, text)| text.len()).sum();
        self.metrics.taken(entries.len());
        let commit = self
            .add(account, pending)
            .inspect_err(|_| self.metrics.begun(entries.len()))?;
        Ok(Appended {
            version,
            commit,
            bytes,
        })
    }

    pub(super) fn close(
        &self,
        account: &Arc<str>,
        after: Version,
        closing: Closing,
    ) -> Result<Commit, JournalError> {
        let mut pending = PendingWrite::of(after, after);
        pending.closes = Some(closing);
        self.add(account, pending)
    }

    /// Notes when something of an account falls due that is at this version.
    pub(super) fn note_due(&self, account: &Arc<str>, at: Version, due: Option<Duration>) {
        let mut state = self.state.lock();
        let waits = state
            .groups
            .back_mut()
            .and_then(|group| group.accounts.get_mut(account));
        if let Some(pending) = waits.filter(|pending| pending.to == at) {
            pending.due = DueNote::In(due);
            return;
        }
        let mut pending = PendingWrite::of(at, at);
        pending.due = DueNote::In(due);
        // A store that is down is told when somebody else asks.
        let _ = self.add_to(&mut state, account, pending);
    }

    fn add(&self, account: &Arc<str>, pending: PendingWrite) -> Result<Commit, JournalError> {
        self.add_to(&mut self.state.lock(), account, pending)
    }

    fn add_to(
        &self,
        state: &mut State,
        account: &Arc<str>,
        mut pending: PendingWrite,
    ) -> Result<Commit, JournalError> {
        if let Some(down) = &state.down {
            return Err(down.clone());
        }
        let (unwritten, commit) = Commit::taken();
        pending.waiting.push(unwritten);
        let bytes: usize = pending.entries.iter().map(|(_, text)| text.len()).sum();
        let fits = state
            .groups
            .back()
            .is_some_and(|group| group.fits(&pending));
        if !fits {
            let (ended, last) = Commit::taken();
            let group = Group {
                alone: pending.is_alone(),
                ended: Some(ended),
                ..Group::default()
            };
            state.last = Some(last);
            state.groups.push_back(group);
            self.filled.notify_one();
        }
        let group = state.groups.back_mut().expect("there is one now");
        group.bytes += bytes;
        match group.accounts.get_mut(account) {
            None => drop(group.accounts.insert(Arc::clone(account), pending)),
            Some(before) => before.join(pending),
        }
        Ok(commit)
    }

    /// What is to be written next.
    pub(super) fn take(&self) -> Option<Group> {
        let group = self.state.lock().groups.pop_front()?;
        self.metrics.begun(group.entries());
        Some(group)
    }

    /// When all that was put here so far has ended.
    pub(super) fn last(&self) -> Commit {
        let state = self.state.lock();
        state.last.clone().unwrap_or(Commit::WRITTEN)
    }

    /// Whether nothing is taken.
    pub(super) fn is_down(&self) -> bool {
        self.state.lock().down.is_some()
    }

    /// From now on nothing is taken, or all is again. What waits has failed.
    pub(super) fn set_down(&self, down: Option<&JournalError>) {
        let mut state = self.state.lock();
        state.down = down.cloned();
        if let Some(error) = down {
            for group in state.groups.drain(..) {
                self.metrics.begun(group.entries());
                group.end(&BTreeSet::new(), Some(error));
            }
        }
    }
}

impl Group {
    /// Tells all who wait: it has failed, or is written but for these accounts.
    pub(super) fn end(self, but: &BTreeSet<Arc<str>>, failed: Option<&JournalError>) {
        for (account, pending) in self.accounts {
            let outcome = match failed {
                Some(error) => Err(CommitError::Failed(error.clone())),
                None if but.contains(&account) => Err(CommitError::Conflict),
                None => Ok(()),
            };
            for waiting in pending.waiting {
                waiting.end(outcome.clone());
            }
        }
        if let Some(ended) = self.ended {
            ended.end(Ok(()));
        }
    }

    /// How many entries it has.
    pub(super) fn entries(&self) -> usize {
        self.accounts.values().map(|it| it.entries.len()).sum()
    }

    /// Whether something is written with it.
    pub(super) fn changes(&self) -> bool {
        let mut all = self.accounts.values();
        all.any(|it| !it.only_checks())
    }

    fn fits(&self, pending: &PendingWrite) -> bool {
        let room = self.accounts.len() < MAX_ACCOUNTS && self.bytes < MAX_BYTES;
        room && !self.alone && !pending.is_alone()
    }
}

impl PendingWrite {
    /// What comes after it, of the same account.
    fn join(&mut self, next: PendingWrite) {
        if self.to != next.after {
            self.contradicts = true;
        }
        self.to = next.to;
        self.entries.extend(next.entries);
        self.waiting.extend(next.waiting);
        if next.due != DueNote::Kept {
            self.due = next.due;
        }
    }
}

/// The names that a change gives to an account.
fn names(change: &Change) -> Vec<String> {
    match change {
        Change::Opened(opening) => opening
            .config
            .keys
            .iter()
            .map(|key| key.name.clone())
            .collect(),
        Change::Forked(account) => {
            let mut names: Vec<_> = account
                .keys
                .iter()
                .map(|key| key.name().to_owned())
                .collect();
            names.dedup();
            names
        }
        Change::KeyAdded { key } => vec![key.name().to_owned()],
        _ => Vec::new(),
    }
}
