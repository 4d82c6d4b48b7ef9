//! Writes what waits, a group after the other in each lane. What became of a group is always known: where a
//! connection was lost, the next one is asked.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Client, Transaction};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;

use super::super::{JournalError, Version};
use super::queue::{Closing, DueNote, Group, PendingWrite, Queue};
use super::{PostgresError, Store, connect, signed, statements, version};
use crate::host::clock::Stopwatch;

/// A store that can't be reached for so long is down: what waits has failed, and nothing is taken.
const DOWN_AFTER: Duration = Duration::from_secs(2);

/// How long one waits before a connection is tried again.
const BACKOFF: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// Why a group was not written.
enum WriteError {
    /// It may be written when it is tried again.
    Again(PostgresError),
    Refused(PostgresError),
}

impl<E: Into<PostgresError>> From<E> for WriteError {
    fn from(error: E) -> Self {
        let error = error.into();
        let again = match &error {
            PostgresError::Database(error) => match error.code() {
                Some(code) => is_passing(code),
                None => true,
            },
            _ => true,
        };
        match again {
            true => WriteError::Again(error),
            false => WriteError::Refused(error),
        }
    }
}

/// Whether the same may go well the next time: two waited for each other, or the server stops.
fn is_passing(code: &SqlState) -> bool {
    let class = &code.code()[..2];
    *code == SqlState::T_R_DEADLOCK_DETECTED
        || *code == SqlState::READ_ONLY_SQL_TRANSACTION
        || *code == SqlState::T_R_SERIALIZATION_FAILURE
        || ["08", "53", "57", "58"].contains(&class)
}

/// Writes what waits in a lane, for good.
pub(super) async fn run(store: Arc<Store>, lane: usize) {
    let queue = &store.lanes[lane];
    loop {
        let Some(group) = queue.take() else {
            queue.filled.notified().await;
            continue;
        };
        let watch = Stopwatch::start();
        match write(&store, &group).await {
            Ok(but) => {
                if group.changes() {
                    store.metrics.committed(group.entries(), watch.read());
                }
                store.announce(&group, &but);
                group.end(&but, None);
            }
            Err(Unwritable {
                error,
                down,
                unheard,
            }) => {
                tracing::error!(%error, unheard, accounts = group.accounts.len(), "a group of entries was not written");
                store.metrics.failed();
                let not_written = JournalError::new(error.to_string());
                let of_group = match unheard {
                    true => JournalError::unheard(error.to_string()),
                    false => not_written.clone(),
                };
                group.end(&BTreeSet::new(), Some(&of_group));
                if down {
                    queue.set_down(Some(&not_written));
                    store.readiness.lost(error.obstacle());
                    recover(&store, error.is_answer()).await;
                    queue.set_down(None);
                    if store.takes_all() {
                        store.readiness.restored();
                    }
                }
            }
        }
    }
}

/// Waits until the store can be reached; until it writes, where it answered that it does not.
async fn recover(store: &Store, answers: bool) {
    let [mut wait, most] = BACKOFF;
    loop {
        tokio::time::sleep(wait).await;
        let asked = async {
            match answers {
                true => store.writes().await,
                false => store.is_reachable().await,
            }
        };
        let asked = tokio::time::timeout(connect::PATIENCE, asked).await;
        if asked == Ok(true) {
            return;
        }
        wait = (wait * 2).min(most);
    }
}

/// Why a group is given up.
struct Unwritable {
    error: PostgresError,
    /// Whether the store is down.
    down: bool,
    /// Whether it may be written: the store took it and was not heard any more.
    unheard: bool,
}

impl Store {
    /// Whether the server answers.
    async fn is_reachable(&self) -> bool {
        let Ok(client) = self.pool.get().await else {
            return false;
        };
        client.simple_query("SELECT 1").await.is_ok()
    }

    /// Whether the server takes what is written: a page is put somewhere and taken back.
    async fn writes(&self) -> bool {
        let written = async {
            let mut client = self.pool.get().await?;
            let transaction = client.transaction().await?;
            // What is alike would be written short.
            let words = (0_u64..512).map(|at| xxhash_rust::xxh3::xxh3_64(&at.to_le_bytes()));
            let page: String = words.map(|word| format!("{word:016x}")).collect();
            let name = format!("room for {}", self.id);
            transaction
                .execute(statements::REMEMBER, &[&name, &page])
                .await?;
            transaction.rollback().await?;
            Ok::<_, PostgresError>(())
        };
        let written = written.await;
        self.note_failure(&written);
        written.is_ok()
    }

    /// Whether no lane is down: whoever is ready executes any call.
    pub(super) fn takes_all(&self) -> bool {
        !self.lanes.iter().any(Queue::is_down)
    }

    /// After some failures no session is used again.
    pub(super) fn note_failure<T>(&self, outcome: &Result<T, PostgresError>) {
        if outcome.as_ref().is_err_and(PostgresError::is_of_sessions) {
            self.pool.retain(|_, _| false);
        }
    }
}

/// Writes a group. Gives those that were decided on something else.
async fn write(store: &Store, group: &Group) -> Result<BTreeSet<Arc<str>>, Unwritable> {
    let since = tokio::time::Instant::now();
    let (mut tried, mut unheard, [mut wait, most]) = (false, false, BACKOFF);
    loop {
        let mut asked = false;
        let sent = send(store, group, tried, &mut asked);
        let sent = tokio::time::timeout(2 * connect::PATIENCE, sent).await;
        let error = match sent {
            Ok(Ok(but)) => return Ok(but),
            Ok(Err(WriteError::Refused(error))) => {
                return Err(Unwritable {
                    error,
                    down: false,
                    unheard,
                });
            }
            Ok(Err(WriteError::Again(error))) => error,
            Err(_) => PostgresError::Silent,
        };
        if error.is_of_sessions() {
            store.pool.retain(|_, _| false);
        }
        unheard |= asked && !error.is_answer();
        if since.elapsed() > DOWN_AFTER {
            return Err(Unwritable {
                error,
                down: true,
                unheard,
            });
        }
        tried = true;
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(most);
    }
}

/// Asks the store once; notes when there is somebody to ask.
async fn send(
    store: &Store,
    group: &Group,
    tried: bool,
    asked: &mut bool,
) -> Result<BTreeSet<Arc<str>>, WriteError> {
    let mut client = store.pool.get().await?;
    *asked = true;
    let mut but = match group.alone {
        true => alone(store, &mut client, group).await?,
        false => together(store, &client, group).await?,
    };
    if tried && !but.is_empty() {
        for found in found(&client, group, &but).await? {
            but.remove(&*found);
        }
    }
    Ok(but)
}

/// Writes a group of accounts that there are.
async fn together(
    store: &Store,
    client: &Client,
    group: &Group,
) -> Result<BTreeSet<Arc<str>>, WriteError> {
    let written = Columns::of(group);
    let checked = group.accounts.iter();
    let checked = checked.filter(|(_, it)| !it.contradicts && it.only_checks());
    let checked: Vec<&str> = checked.map(|(id, _)| &**id).collect();
    let statement = client.prepare_cached(statements::WRITE).await?;
    let (mut values, worker) = (written.values(), store.worker());
    values.extend([&checked as &(dyn ToSql + Sync), &worker]);
    let mut but: BTreeSet<Arc<str>> = group.accounts.keys().cloned().collect();
    for row in client.query(&statement, &values).await? {
        let id: &str = row.get(0);
        let has = version(row.get(1), row.get(2));
        if group
            .accounts
            .get(id)
            .is_some_and(|pending| pending.to == has)
        {
            but.remove(id);
            store.note_worker(id, row.get(3));
        }
    }
    Ok(but)
}

/// The columns of a group, as a statement takes them.
#[derive(Default)]
struct Columns<'a> {
    ids: Vec<&'a str>,
    after: (Vec<i64>, Vec<i64>),
    to: (Vec<i64>, Vec<i64>),
    due_ms: Vec<Option<i64>>,
    entry_of: Vec<&'a str>,
    entry_at: (Vec<i64>, Vec<i64>),
    entries: Vec<&'a str>,
}

impl<'a> Columns<'a> {
    /// Of what changes something.
    fn of(group: &'a Group) -> Self {
        let mut columns = Columns::default();
        for (id, pending) in &group.accounts {
            if !pending.contradicts && !pending.only_checks() {
                columns.add(id, pending);
            }
        }
        columns
    }

    fn add(&mut self, id: &'a str, pending: &'a PendingWrite) {
        self.ids.push(id);
        for (columns, at) in [(&mut self.after, pending.after), (&mut self.to, pending.to)] {
            let (number, digest) = signed(at);
            columns.0.push(number);
            columns.1.push(digest);
        }
        self.due_ms.push(due_ms(pending));
        for (at, text) in &pending.entries {
            let (number, digest) = signed(*at);
            self.entry_of.push(id);
            self.entry_at.0.push(number);
            self.entry_at.1.push(digest);
            self.entries.push(text);
        }
    }

    fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        vec![
            &self.ids,
            &self.after.0,
            &self.after.1,
            &self.to.0,
            &self.to.1,
            &self.due_ms,
            &self.entry_of,
            &self.entry_at.0,
            &self.entry_at.1,
            &self.entries,
        ]
    }
}

/// As the statements take it.
fn due_ms(pending: &PendingWrite) -> Option<i64> {
    match pending.due {
        DueNote::Kept => Some(-2),
        DueNote::Open => None,
        DueNote::In(None) => Some(-1),
        DueNote::In(Some(due)) => Some(i64::try_from(due.as_millis()).unwrap_or(i64::MAX / 1024)),
    }
}

/// Those of a group that were written after all.
async fn found(
    client: &Client,
    group: &Group,
    of: &BTreeSet<Arc<str>>,
) -> Result<Vec<String>, WriteError> {
    let asked = group.accounts.iter().filter(|(id, _)| of.contains(*id));
    // Who closed it finds nothing of it.
    let (closed, asked): (Vec<_>, Vec<_>) = asked.partition(|(_, it)| it.closes.is_some());
    let ids: Vec<&str> = asked.iter().map(|(id, _)| &***id).collect();
    let (numbers, digests): (Vec<i64>, Vec<i64>) =
        asked.iter().map(|(_, pending)| signed(pending.to)).unzip();
    let rows = client
        .query(statements::FOUND, &[&ids, &numbers, &digests])
        .await?;
    let mut found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    for (id, _) in closed {
        let left = client.query(statements::LOAD, &[&&**id, &0_i64]).await?;
        if left.is_empty() {
            found.push(id.to_string());
        }
    }
    Ok(found)
}

/// Writes what one account begins, ends or takes a name with.
async fn alone(
    store: &Store,
    client: &mut Client,
    group: &Group,
) -> Result<BTreeSet<Arc<str>>, WriteError> {
    let Some((id, pending)) = group.accounts.iter().next() else {
        return Ok(BTreeSet::new());
    };
    let transaction = client.transaction().await?;
    let written = match pending.closes {
        Some(closing) => close(&transaction, id, pending.after, closing).await?,
        None => begin_or_name(store, &transaction, group).await?,
    };
    if !written || pending.contradicts {
        transaction.rollback().await?;
        return Ok([Arc::clone(id)].into());
    }
    transaction.commit().await?;
    Ok(BTreeSet::new())
}

async fn close(
    transaction: &Transaction<'_>,
    id: &Arc<str>,
    after: Version,
    closing: Closing,
) -> Result<bool, PostgresError> {
    let (number, digest) = signed(after);
    let unused_ms = match closing {
        Closing::Deleted => -3_600_000,
        Closing::Idle(idle) => i64::try_from(idle.as_millis()).unwrap_or(i64::MAX / 1024),
    };
    let values: [&(dyn ToSql + Sync); 4] = [&&**id, &number, &digest, &unused_ms];
    let closed = transaction.execute(statements::CLOSE, &values).await? == 1;
    if closed {
        for left in statements::FORGET {
            transaction.execute(left, &[&&**id]).await?;
        }
    }
    Ok(closed)
}

/// The entries of an account that begins, or that has one more name. Says whether they were right.
async fn begin_or_name(
    store: &Store,
    transaction: &Transaction<'_>,
    group: &Group,
) -> Result<bool, PostgresError> {
    let Some((id, pending)) = group.accounts.iter().next() else {
        return Ok(false);
    };
    let columns = Columns::of(group);
    let (mut values, worker) = (columns.values(), store.worker());
    let matched = if pending.after == Version::NONE {
        let ((number, digest), due_ms) = (signed(pending.to), due_ms(pending));
        let open: [&(dyn ToSql + Sync); 5] = [&&**id, &number, &digest, &due_ms, &worker];
        let opened = transaction.execute(statements::OPEN, &open).await? == 1;
        if opened {
            transaction.execute(statements::ADD, &values[6..10]).await?;
        }
        opened
    } else {
        let checked: Vec<&str> = Vec::new();
        values.extend([&checked as &(dyn ToSql + Sync), &worker]);
        !transaction
            .query(statements::WRITE, &values)
            .await?
            .is_empty()
    };
    if !matched {
        return Ok(false);
    }
    let named: [&(dyn ToSql + Sync); 2] = [&pending.names, &&**id];
    let named = transaction.execute(statements::NAME, &named).await?;
    Ok(named == pending.names.len() as u64)
}
