//! One replica among others: says that it is alive, hears what the others did, and takes over the work of
//! those that have died.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;
use tokio_postgres::AsyncMessage;

use super::super::shared::{Peer, StoreEvent};
use super::{PostgresError, Store, connect, statements};
use crate::host::lock_order::{Mutex, Rank};

/// How often a replica says that it is alive. The statements have it dead after five seconds of silence.
const BEAT: Duration = Duration::from_secs(1);

/// One that could not say so for so long does no work any more: another one may do it soon.
const LEASE: Duration = Duration::from_secs(4);

/// How often one asks for work that another replica does.
const ASK_AGAIN: Duration = Duration::from_millis(200);

/// How much a notification holds; the server takes a little less than 8,000 bytes.
const PAYLOAD: usize = 7000;

/// How long news wait for more of them.
const GATHER: Duration = Duration::from_millis(1);

/// Until when this replica may do work.
pub(super) struct Lease {
    until: Mutex<Option<Instant>>,
}

impl Default for Lease {
    fn default() -> Self {
        Lease {
            until: Mutex::new(Rank::Record, None),
        }
    }
}

impl Lease {
    pub(super) fn is_valid(&self) -> bool {
        self.until
            .lock()
            .is_some_and(|until| Instant::now() < until)
    }
}

impl Store {
    /// Says that this replica is alive, and looks who else is.
    pub(super) async fn beat(&self) -> Result<(), PostgresError> {
        if self.left.load(Ordering::Acquire) {
            return Ok(());
        }
        let began = Instant::now();
        let identity = self.identity.lock().clone();
        let client = self.pool.get().await?;
        let product = env!("CARGO_PKG_VERSION");
        let (rules, seed) = (&identity.rules, &identity.seed);
        let beat = client.prepare_cached(statements::BEAT).await?;
        client
            .execute(&beat, &[&self.id, &product, rules, seed])
            .await?;
        let had = self.lease.is_valid();
        *self.lease.until.lock() = Some(began + LEASE);
        client.execute(statements::BURY, &[]).await?;
        let others = client.prepare_cached(statements::REPLICAS).await?;
        let rows = client.query(&others, &[]).await?;
        let peers =
            rows.iter()
                .filter(|row| row.get::<_, i64>(0) != self.id)
                .map(|row| {
                    let pairs = [("version", product), ("rules", rules), ("seed", seed)];
                    let differs = pairs.into_iter().enumerate().filter(|(at, (_, own))| {
                        !own.is_empty() && row.get::<_, &str>(at + 1) != *own
                    });
                    Peer {
                        id: row.get(0),
                        version: row.get(1),
                        differs_in: differs.map(|(_, (name, _))| name).collect(),
                    }
                });
        let peers: Vec<Peer> = peers.collect();
        let before = std::mem::replace(&mut *self.peers.lock(), peers.clone());
        for peer in peers
            .iter()
            .filter(|peer| !peer.differs_in.is_empty() && !before.contains(peer))
        {
            tracing::warn!(
                replica = peer.id,
                version = peer.version,
                differs_in = peer.differs_in.join(", "),
                "another simulator works with the same accounts and answers differently"
            );
        }
        if !had {
            // Others may have taken over meanwhile what this one did.
            let rows = client.query(statements::WORK, &[&self.id]).await?;
            let works: Vec<Arc<str>> = rows
                .iter()
                .map(|row| row.get::<_, &str>(0).into())
                .collect();
            *self.works.lock() = works.iter().cloned().collect();
            for account in works {
                self.tell(StoreEvent::WorkTaken { account });
            }
        }
        Ok(())
    }

    /// Takes over what nobody does.
    async fn claim(&self) -> Result<(), PostgresError> {
        if self.left.load(Ordering::Acquire) {
            return Ok(());
        }
        let client = self.pool.get().await?;
        let claim = client.prepare_cached(statements::CLAIM).await?;
        for row in client.query(&claim, &[&self.id]).await? {
            let account: Arc<str> = row.get::<_, &str>(0).into();
            self.works.lock().insert(Arc::clone(&account));
            self.tell(StoreEvent::WorkTaken { account });
        }
        Ok(())
    }

    /// Who does what falls due of an account that nobody works on: this replica, unless it leaves.
    pub(super) fn worker(&self) -> Option<i64> {
        (!self.left.load(Ordering::Acquire)).then_some(self.id)
    }

    /// Does nothing more, and lets the others know at once.
    pub(super) async fn leave(&self) -> Result<(), PostgresError> {
        self.left.store(true, Ordering::Release);
        *self.lease.until.lock() = None;
        for lane in &self.lanes {
            // Whatever became of it.
            drop(lane.last().wait().await);
        }
        // A beat that has begun ends before.
        let _beating = self.beating.lock().await;
        let client = self.pool.get().await?;
        client.execute(statements::LEAVE, &[&self.id]).await?;
        let payload = vec![format!("left {} 0 -", self.id)];
        client
            .execute(statements::NOTIFY, &[&self.target.schema, &payload])
            .await?;
        Ok(())
    }

    pub(super) fn tell(&self, event: StoreEvent) {
        // Nobody listens before the accounts are there, and when all is to end.
        drop(self.events.send(event));
    }

    /// Waits until this replica does the due work of an account. Whoever does it now ends what it began.
    pub(super) async fn take_work(&self, account: &Arc<str>) -> Result<(), PostgresError> {
        loop {
            // A note that nothing is due, made before and written later, would let go of it again.
            drop(self.lane(account).last().wait().await);
            let client = self.pool.get().await?;
            let take = client.prepare_cached(statements::TAKE).await?;
            let Some(row) = client.query_opt(&take, &[&&**account, &self.id]).await? else {
                return Ok(());
            };
            let worker: Option<i64> = row.get(0);
            self.note_worker(account, worker);
            let Some(other) = worker.filter(|worker| *worker != self.id) else {
                return Ok(());
            };
            let payload = vec![format!("wanted {} {other} {account}", self.id)];
            client
                .execute(statements::NOTIFY, &[&self.target.schema, &payload])
                .await?;
            drop(client);
            tokio::time::sleep(ASK_AGAIN).await;
        }
    }

    pub(super) async fn hand_over(&self, account: &Arc<str>, to: i64) -> Result<(), PostgresError> {
        self.works.lock().remove(account);
        let client = self.pool.get().await?;
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&&**account, &to, &self.id];
        client.execute(statements::HAND_OVER, &values).await?;
        Ok(())
    }

    /// Reads a notification.
    fn hear(&self, payload: &str) {
        for line in payload.lines() {
            let parts: Vec<&str> = line.splitn(4, ' ').collect();
            let [kind, from, second, account] = parts[..] else {
                continue;
            };
            let (Ok(from), account) = (from.parse::<i64>(), Arc::from(account)) else {
                continue;
            };
            match (kind, second.parse::<i64>()) {
                ("changed", Ok(number)) if from != self.id => {
                    let number = number.cast_unsigned();
                    self.tell(StoreEvent::Changed { account, number });
                }
                // What it did is to be done by somebody.
                ("left", _) if from != self.id => self.beat_now.notify_one(),
                ("wanted", Ok(of)) if of == self.id => {
                    self.tell(StoreEvent::WorkWanted { account, by: from });
                }
                _ => {}
            }
        }
    }
}

/// Says again and again that this replica is alive, and looks for work.
pub(super) async fn beat(store: Arc<Store>) {
    let mut ticks = tokio::time::interval(BEAT);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = store.beat_now.notified() => {}
        }
        let beaten = async {
            let _one_at_a_time = store.beating.lock().await;
            store.beat().await?;
            store.claim().await
        };
        let beaten = tokio::time::timeout(LEASE, beaten).await;
        let beaten = beaten.unwrap_or(Err(PostgresError::Silent));
        store.note_failure(&beaten);
        // A lane that is down says itself when it is not any more.
        let heard = beaten.is_ok() && store.takes_all();
        if store.heard.swap(heard, Ordering::Relaxed) != heard {
            match beaten {
                Ok(()) if heard => store.tell(StoreEvent::Restored),
                Ok(()) => {}
                Err(error) => {
                    tracing::error!(%error, "the store can't be reached");
                    store.tell(StoreEvent::Lost(error.obstacle().to_owned()));
                }
            }
        }
    }
}

/// Hears what other replicas did, on a connection of its own.
pub(super) async fn listen(store: Arc<Store>) {
    loop {
        if let Err(error) = listen_once(&store).await {
            tracing::debug!(%error, "notifications are not heard for a moment");
        }
        tokio::time::sleep(connect::AGAIN).await;
    }
}

async fn listen_once(store: &Arc<Store>) -> Result<(), PostgresError> {
    let (client, mut connection) = store.target.connect().await?;
    let messages = {
        let store = Arc::clone(store);
        async move {
            while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                match message {
                    Ok(AsyncMessage::Notification(it)) => store.hear(it.payload()),
                    Ok(_) => {}
                    Err(error) => return Err(PostgresError::from(error)),
                }
            }
            Ok(())
        }
    };
    let listening = async {
        let listen = format!("LISTEN \"{}\"", store.target.schema);
        client.batch_execute(&listen).await?;
        // What was notified before is not heard.
        store.tell(StoreEvent::Missed);
        std::future::pending::<()>().await;
        Ok(())
    };
    tokio::select! {
        ended = messages => ended,
        ended = listening => ended,
    }
}

/// Tells the others what this replica did. Not in the transactions themselves: those that notify commit one
/// after the other, in the whole server.
pub(super) async fn announce(store: Arc<Store>) {
    loop {
        store.has_news.notified().await;
        if store.peers.lock().is_empty() {
            // One that has just started looks by itself.
            store.news.lock().clear();
            continue;
        }
        tokio::time::sleep(GATHER).await;
        let news = std::mem::take(&mut *store.news.lock());
        let mut payloads = vec![String::new()];
        for (account, number) in news {
            let line = format!("changed {} {number} {account}\n", store.id);
            match payloads.last_mut() {
                Some(last) if last.len() + line.len() <= PAYLOAD => last.push_str(&line),
                _ => payloads.push(line),
            }
        }
        let told = async {
            let client = store.pool.get().await?;
            let notify = client.prepare_cached(statements::NOTIFY).await?;
            client
                .execute(&notify, &[&store.target.schema, &payloads])
                .await?;
            Ok::<_, PostgresError>(())
        };
        if let Err(error) = told.await {
            tracing::debug!(%error, "other replicas were not told; they look by themselves");
        }
    }
}
