//! Limits the connections of a listener. When no slot is free, the connection that has been idle longest
//! is closed for a new one; while every connection is busy with a call, the new one waits.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;

/// The value of [`SlotState::idle_since`] while a call is being answered.
const BUSY: u64 = u64::MAX;

/// How long to wait before looking again for an idle connection.
const RETRY: Duration = Duration::from_millis(20);

/// The connection slots of a listener.
pub(super) struct ConnectionLimiter {
    free: Arc<Semaphore>,
    taken: Mutex<Vec<Arc<SlotState>>>,
    counts: Arc<ConnectionCounts>,
    /// A new connection waits, and no idle one could be closed for it.
    contended: AtomicBool,
}

/// How many connections a listener has and had.
#[derive(Debug, Default)]
pub struct ConnectionCounts {
    open: AtomicU64,
    /// It serves as the clock that orders idle connections, too.
    accepted: AtomicU64,
    evicted: AtomicU64,
}

impl ConnectionCounts {
    /// How many are open.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// How many were accepted.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// How many were closed because they were idle and a new one came.
    #[must_use]
    pub fn evicted(&self) -> u64 {
        self.evicted.load(Ordering::Relaxed)
    }
}

/// The slot of one connection; dropping it frees it.
pub(super) struct Slot {
    state: Arc<SlotState>,
    limiter: Arc<ConnectionLimiter>,
    _permit: OwnedSemaphorePermit,
}

/// What the limiter knows of a connection that has a slot.
pub(super) struct SlotState {
    /// How many connections were accepted when the connection became idle, or [`BUSY`].
    idle_since: AtomicU64,
    /// The task that serves the connection. Ending it costs a connection nothing before: no wake-up of it has to ask
    /// whether it is to end.
    task: OnceLock<AbortHandle>,
}

impl ConnectionLimiter {
    /// A limiter with this many slots.
    pub(super) fn new(slots: usize, counts: Arc<ConnectionCounts>) -> Arc<Self> {
        Arc::new(ConnectionLimiter {
            free: Arc::new(Semaphore::new(slots)),
            taken: Mutex::new(Vec::new()),
            counts,
            contended: AtomicBool::new(false),
        })
    }

    /// Waits for a slot for a new connection.
    pub(super) async fn acquire(self: &Arc<Self>) -> Slot {
        let permit = match Arc::clone(&self.free).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait_for_permit().await,
        };
        let state = Arc::new(SlotState {
            idle_since: AtomicU64::new(self.counts.accepted.fetch_add(1, Ordering::Relaxed)),
            task: OnceLock::new(),
        });
        self.taken.lock().push(Arc::clone(&state));
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        Slot {
            state,
            limiter: Arc::clone(self),
            _permit: permit,
        }
    }

    async fn wait_for_permit(self: &Arc<Self>) -> OwnedSemaphorePermit {
        let mut free = std::pin::pin!(Arc::clone(&self.free).acquire_owned());
        loop {
            let evicted = self.evict_idle();
            self.contended.store(!evicted, Ordering::Relaxed);
            if let Ok(permit) = tokio::time::timeout(RETRY, free.as_mut()).await {
                self.contended.store(false, Ordering::Relaxed);
                return permit.expect("the semaphore is never closed");
            }
        }
    }

    /// Closes the connection that has been idle longest. False if none is idle.
    fn evict_idle(&self) -> bool {
        let since = |slot: &&Arc<SlotState>| slot.idle_since.load(Ordering::Relaxed);
        let longest = self.taken.lock().iter().min_by_key(since).cloned();
        let Some(longest) = longest else {
            return false;
        };
        let is_idle = longest.idle_since.swap(BUSY, Ordering::Relaxed) != BUSY;
        if is_idle {
            self.counts.evicted.fetch_add(1, Ordering::Relaxed);
            longest.evict();
        }
        is_idle
    }

    /// Closes every connection, busy or not.
    pub(super) fn evict_all(&self) {
        // Without the lock: a connection that ends gives its slot back.
        let taken = self.taken.lock().clone();
        taken.iter().for_each(|slot| slot.evict());
    }
}

impl SlotState {
    /// Notes which task serves the connection.
    pub(super) fn served_by(&self, task: AbortHandle) {
        let set = self.task.set(task);
        set.expect("a connection is served by one task");
    }

    fn evict(&self) {
        // Who waits for a slot accepts connections: none is without its task meanwhile.
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl Slot {
    /// What the limiter knows of it.
    pub(super) fn state(&self) -> Arc<SlotState> {
        Arc::clone(&self.state)
    }

    /// Whether a new connection waits for a slot while all are busy. The next connection whose call is
    /// answered closes, then.
    pub(super) fn is_contended(&self) -> bool {
        self.limiter.contended.load(Ordering::Relaxed)
    }

    /// Notes that the connection waits for its client.
    pub(super) fn mark_idle(&self) {
        let now = self.limiter.counts.accepted();
        self.state.idle_since.store(now, Ordering::Relaxed);
    }

    /// Notes that a call is being answered.
    pub(super) fn mark_busy(&self) {
        self.state.idle_since.store(BUSY, Ordering::Relaxed);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.limiter.counts.open.fetch_sub(1, Ordering::Relaxed);
        let mut taken = self.limiter.taken.lock();
        taken.retain(|state| !Arc::ptr_eq(state, &self.state));
    }
}

/// The body of a request. Its connection counts as idle while the next part has not arrived.
pub struct RequestBody {
    body: Incoming,
    slot: Arc<Slot>,
}

impl RequestBody {
    /// The body of a request on the connection of this slot.
    pub(super) fn new(body: Incoming, slot: Arc<Slot>) -> Self {
        RequestBody { body, slot }
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match frame {
            Poll::Pending => self.slot.mark_idle(),
            Poll::Ready(_) => self.slot.mark_busy(),
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
