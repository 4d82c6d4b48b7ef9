//! The store that several simulators share: a PostgreSQL server (ruling 36). It has threads of its own, and
//! depends on nobody's runtime. Knows accounts as entries; what they mean is the engine's.

mod connect;
mod error;
mod migrations;
mod queue;
mod replica;
mod statements;
mod thread;
mod tls;
mod writer;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use deadpool_postgres::Pool;
use foldhash::fast::FixedState;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::shared::{Identity, Peer, SharedStore, Since, StoreEvent};
use super::{Appended, Commit, Journal, JournalError, Loading, StoreFuture, Stored, Version};
use crate::engine::state::entry::Entry;
use crate::host::lock_order::{Mutex, Rank};
use crate::host::metrics::StoreMetrics;
use crate::host::readiness::Readiness;
use connect::StoreAddress;
pub use error::PostgresError;
use error::described;
use queue::{Closing, Group, Queue};
use replica::Lease;

/// How many groups are written at once.
const LANES: usize = 4;

/// Connections beside those of the lanes: for what is read.
const READERS: usize = 4;

/// Accounts in a PostgreSQL server.
pub struct PostgresJournal {
    store: Arc<Store>,
    runtime: Handle,
    stop: CancellationToken,
}

/// What the tasks of the store share.
struct Store {
    target: StoreAddress,
    pool: Pool,
    /// This replica.
    id: i64,
    lanes: Vec<Queue>,
    /// The accounts whose due work this replica does.
    works: Mutex<HashSet<Arc<str>, FixedState>>,
    lease: Lease,
    identity: Mutex<Identity>,
    peers: Mutex<Vec<Peer>>,
    /// What other replicas are to be told: how far accounts have come.
    news: Mutex<BTreeMap<Arc<str>, u64>>,
    has_news: tokio::sync::Notify,
    /// Somebody wants the others to know something about this replica at once.
    beat_now: tokio::sync::Notify,
    events: mpsc::UnboundedSender<StoreEvent>,
    /// For whoever asks first.
    receiver: Mutex<Option<mpsc::UnboundedReceiver<StoreEvent>>>,
    /// Whether the server was heard last time.
    heard: AtomicBool,
    /// Held by whoever says that this replica is alive, or that it is not any more.
    beating: tokio::sync::Mutex<()>,
    /// Whether this replica does nothing more.
    left: AtomicBool,
    metrics: Arc<StoreMetrics>,
    /// What probes are told.
    readiness: Arc<Readiness>,
}

impl PostgresJournal {
    /// Opens the store that a URL names, and brings its tables to the newest version.
    ///
    /// # Errors
    /// [`PostgresError`].
    pub fn open(url: &str) -> Result<Self, PostgresError> {
        PostgresJournal::open_watched(url, Arc::default(), Arc::default())
    }

    /// The same, which notes what it does, and whether it can.
    ///
    /// # Errors
    /// [`PostgresError`].
    pub fn open_watched(
        url: &str,
        metrics: Arc<StoreMetrics>,
        readiness: Arc<Readiness>,
    ) -> Result<Self, PostgresError> {
        let target = StoreAddress::parse(url)?;
        let stop = CancellationToken::new();
        let (tell, told) = std::sync::mpsc::channel();
        let stopped = stop.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::Builder::new().name("postgres".to_owned());
        thread.spawn(move || {
            runtime.block_on(async {
                let opened = Store::open(target, metrics, readiness).await;
                let store = opened.as_ref().ok().cloned();
                drop(tell.send(opened.map(|store| (store, Handle::current()))));
                if let Some(store) = store {
                    store.run(stopped).await;
                }
            });
        })?;
        let (store, runtime) = told.recv().unwrap_or(Err(PostgresError::Silent))?;
        Ok(PostgresJournal {
            store,
            runtime,
            stop,
        })
    }

    fn lane(&self, account: &str) -> &Queue {
        self.store.lane(account)
    }
}

impl Drop for PostgresJournal {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Journal for PostgresJournal {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        self.lane(account).push(account, after, entries)
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        let account = Arc::clone(account);
        self.spawn(move |store| async move { store.load(&account).await })
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        let (tell, told) = std::sync::mpsc::channel();
        let store = Arc::clone(&self.store);
        self.runtime
            .spawn(async move { drop(tell.send(store.load_all().await)) });
        Ok(told.recv().unwrap_or(Err(PostgresError::Silent))?)
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        self.lane(account).close(account, after, Closing::Deleted)
    }

    fn snapshot(&self, account: &Arc<str>, at: Version, snapshot: String) {
        let (store, account) = (Arc::clone(&self.store), Arc::clone(account));
        self.runtime.spawn(async move {
            if let Err(error) = store.snapshot(&account, at, &snapshot).await {
                tracing::warn!(%account, %error, "no snapshot was written; the entries stay as they are");
            }
        });
    }

    fn remember(&self, name: &str, value: &str) -> Result<String, JournalError> {
        let (tell, told) = std::sync::mpsc::channel();
        let store = Arc::clone(&self.store);
        let (name, value) = (name.to_owned(), value.to_owned());
        self.runtime
            .spawn(async move { drop(tell.send(store.remember(&name, &value).await)) });
        Ok(told.recv().unwrap_or(Err(PostgresError::Silent))?)
    }

    fn shared(&self) -> Option<&dyn SharedStore> {
        Some(self)
    }
}

impl SharedStore for PostgresJournal {
    fn introduce(&self, identity: Identity) {
        *self.store.identity.lock() = identity;
        self.store.beat_now.notify_one();
    }

    fn find(&self, name: &str) -> StoreFuture<Option<Arc<str>>> {
        let name = name.to_owned();
        self.spawn(move |store| async move {
            let client = store.pool.get().await?;
            let found = "SELECT account FROM key_names WHERE name = $1";
            let found = client.query_opt(found, &[&name]).await?;
            Ok(found.map(|row| row.get::<_, &str>(0).into()))
        })
    }

    fn load_since(&self, account: &Arc<str>, after: Version) -> StoreFuture<Since> {
        let account = Arc::clone(account);
        self.spawn(move |store| async move { store.load_since(&account, after).await })
    }

    fn versions(&self) -> StoreFuture<Vec<(Arc<str>, Version)>> {
        self.spawn(|store| async move {
            let client = store.pool.get().await?;
            let rows = client.query(statements::VERSIONS, &[]).await?;
            let versions = rows.iter().map(|row| {
                let id: &str = row.get(0);
                (id.into(), version(row.get(1), row.get(2)))
            });
            Ok(versions.collect())
        })
    }

    fn close_idle(
        &self,
        account: &Arc<str>,
        after: Version,
        idle: Duration,
    ) -> Result<Commit, JournalError> {
        self.lane(account)
            .close(account, after, Closing::Idle(idle))
    }

    fn note_due(&self, account: &Arc<str>, at: Version, due: Option<Duration>) {
        self.lane(account).note_due(account, at, due);
    }

    fn works_on(&self, account: &str) -> bool {
        self.store.lease.is_valid() && self.store.works.lock().contains(account)
    }

    fn take_work(&self, account: &Arc<str>) -> StoreFuture<()> {
        let account = Arc::clone(account);
        self.spawn_unhurried(move |store| async move { store.take_work(&account).await })
    }

    fn hand_over(&self, account: &Arc<str>, to: i64) -> StoreFuture<()> {
        let account = Arc::clone(account);
        self.spawn(move |store| async move { store.hand_over(&account, to).await })
    }

    fn leave(&self) -> StoreFuture<()> {
        self.spawn(|store| async move {
            let left = tokio::time::timeout(connect::PATIENCE, store.leave()).await;
            left.unwrap_or(Err(PostgresError::Silent))
        })
    }

    fn events(&self) -> Option<mpsc::UnboundedReceiver<StoreEvent>> {
        self.store.receiver.lock().take()
    }

    fn peers(&self) -> Vec<Peer> {
        self.store.peers.lock().clone()
    }
}

impl Store {
    async fn open(
        target: StoreAddress,
        metrics: Arc<StoreMetrics>,
        readiness: Arc<Readiness>,
    ) -> Result<Arc<Self>, PostgresError> {
        let (mut client, connection) = target.connect().await?;
        let connection = tokio::spawn(connection);
        let encoding = client.query_one("SHOW server_encoding", &[]).await?;
        let encoding: &str = encoding.get(0);
        // The second takes the bytes of any text as they are.
        if !["UTF8", "SQL_ASCII"].contains(&encoding) {
            return Err(PostgresError::Encoding(encoding.to_owned()));
        }
        migrations::migrate(&mut client, &target.schema).await?;
        drop(client);
        drop(connection.await);
        let pool = target.pool(LANES + READERS)?;
        let mut id = [0; 8];
        getrandom::fill(&mut id).map_err(|error| PostgresError::Url(error.to_string()))?;
        let (events, receiver) = mpsc::unbounded_channel();
        let record = |_| Queue::new(Arc::clone(&metrics));
        let store = Arc::new(Store {
            target,
            pool,
            id: i64::from_ne_bytes(id),
            lanes: (0..LANES).map(record).collect(),
            works: Mutex::new(Rank::Record, HashSet::default()),
            lease: Lease::default(),
            identity: Mutex::new(Rank::Record, Identity::default()),
            peers: Mutex::new(Rank::Record, Vec::new()),
            news: Mutex::new(Rank::Record, BTreeMap::new()),
            has_news: tokio::sync::Notify::new(),
            beat_now: tokio::sync::Notify::new(),
            events,
            receiver: Mutex::new(Rank::Record, Some(receiver)),
            heard: AtomicBool::new(true),
            beating: tokio::sync::Mutex::new(()),
            left: AtomicBool::new(false),
            metrics,
            readiness,
        });
        store.beat().await?;
        tracing::info!(
            servers = store.target.hosts(),
            schema = store.target.schema,
            "the store is open"
        );
        Ok(store)
    }

    /// Does all that the store does by itself, until it is to stop.
    async fn run(self: Arc<Self>, stop: CancellationToken) {
        let mut tasks = tokio::task::JoinSet::new();
        for lane in 0..LANES {
            tasks.spawn(writer::run(Arc::clone(&self), lane));
        }
        tasks.spawn(replica::beat(Arc::clone(&self)));
        tasks.spawn(replica::listen(Arc::clone(&self)));
        tasks.spawn(replica::announce(Arc::clone(&self)));
        stop.cancelled().await;
        tasks.shutdown().await;
    }

    fn lane(&self, account: &str) -> &Queue {
        let hash = xxhash_rust::xxh3::xxh3_64(account.as_bytes());
        &self.lanes[(hash % LANES as u64) as usize]
    }

    /// What was taken before is written before.
    async fn load(&self, account: &Arc<str>) -> Result<Option<Stored>, PostgresError> {
        // Where it was not written, that is not there.
        drop(self.lane(account).last().wait().await);
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(statements::LOAD).await?;
        let rows = client.query(&statement, &[&&**account, &0_i64]).await?;
        let mut stored = None;
        for row in &rows {
            collect(&mut stored, account, row)?;
        }
        Ok(stored)
    }

    async fn load_since(&self, account: &Arc<str>, after: Version) -> Result<Since, PostgresError> {
        let client = self.pool.get().await?;
        let statement = client.prepare_cached(statements::LOAD).await?;
        let (number, _) = signed(after);
        let rows = client.query(&statement, &[&&**account, &number]).await?;
        let Some((known, since)) = rows.split_first() else {
            return Ok(Since::Other);
        };
        if version(known.get(0), known.get(1)) != after {
            return Ok(Since::Other);
        }
        let mut stored = None;
        for row in since {
            collect(&mut stored, account, row)?;
        }
        Ok(stored.map_or(Since::Entries(after, Vec::new()), |stored| {
            Since::Entries(stored.version, stored.entries)
        }))
    }

    async fn load_all(&self) -> Result<Vec<Stored>, PostgresError> {
        let client = self.pool.get().await?;
        let (mut all, mut stored) = (Vec::new(), None::<Stored>);
        for row in client.query(statements::LOAD_ALL, &[]).await? {
            let account: &str = row.get(3);
            if stored.as_ref().is_some_and(|it| *it.account != *account) {
                all.extend(stored.take());
            }
            collect(&mut stored, &account.into(), &row)?;
        }
        all.extend(stored);
        Ok(all)
    }

    /// Puts one entry in the place of those up to a version, where the store still has that.
    async fn snapshot(
        &self,
        account: &Arc<str>,
        at: Version,
        snapshot: &str,
    ) -> Result<(), PostgresError> {
        let (number, digest) = signed(at);
        // Other replicas that are at it have seen to it then.
        drop(self.lane(account).last().wait().await);
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await?;
        let claimed = transaction
            .query_opt(statements::CLAIM_SNAPSHOT, &[&&**account])
            .await?;
        if claimed.is_none() {
            return Ok(());
        }
        let put = transaction
            .execute(
                statements::SNAPSHOT,
                &[&&**account, &number, &digest, &snapshot],
            )
            .await?;
        if put == 1 {
            transaction
                .execute(statements::COMPACT, &[&&**account, &number])
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    async fn remember(&self, name: &str, value: &str) -> Result<String, PostgresError> {
        let client = self.pool.get().await?;
        client
            .execute(statements::REMEMBER, &[&name, &value])
            .await?;
        let known = "SELECT value FROM facts WHERE name = $1";
        Ok(client.query_one(known, &[&name]).await?.get(0))
    }

    /// What a group came to is told to the others.
    fn announce(&self, group: &Group, but: &BTreeSet<Arc<str>>) {
        let changed = group.accounts.iter();
        let changed = changed.filter(|(id, pending)| !pending.adds_nothing() && !but.contains(*id));
        let mut news = self.news.lock();
        for (id, pending) in changed {
            let number = if pending.closes.is_some() {
                0
            } else {
                pending.to.number
            };
            news.insert(Arc::clone(id), number);
        }
        if !news.is_empty() {
            self.has_news.notify_one();
        }
    }

    /// Notes who does the due work of an account.
    fn note_worker(&self, account: &str, worker: Option<i64>) {
        let mut works = self.works.lock();
        if worker != Some(self.id) {
            works.remove(account);
        } else if !works.contains(account) {
            let account: Arc<str> = account.into();
            works.insert(Arc::clone(&account));
            self.tell(StoreEvent::WorkTaken { account });
        }
    }
}

/// Adds a row of [`statements::LOAD`].
fn collect(
    to: &mut Option<Stored>,
    account: &Arc<str>,
    row: &tokio_postgres::Row,
) -> Result<(), PostgresError> {
    let text: &str = row.get(2);
    let entry = Entry::from_json(text);
    let entry =
        entry.map_err(|error| PostgresError::Url(format!("an entry of {account}: {error}")))?;
    let stored = to.get_or_insert_with(|| Stored {
        account: Arc::clone(account),
        version: Version::NONE,
        entries: Vec::new(),
        bytes: [0; 2],
    });
    stored.bytes[usize::from(!stored.entries.is_empty())] += text.len();
    stored.version = version(row.get(0), row.get(1));
    stored.entries.push(entry);
    Ok(())
}

/// A version as the columns have it.
fn signed(version: Version) -> (i64, i64) {
    (version.number.cast_signed(), version.digest.cast_signed())
}

fn version(number: i64, digest: i64) -> Version {
    Version {
        number: number.cast_unsigned(),
        digest: digest.cast_unsigned(),
    }
}
