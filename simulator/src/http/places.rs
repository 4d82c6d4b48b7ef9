//! The places for connections: so many at once. When none is free, the connection that has waited
//! longest for its client makes room for a new one; while all are busy with a call, the new one waits.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// What `since` says of a connection that does not wait for its client.
const BUSY: u64 = u64::MAX;

/// How often it is looked again who could make room.
const AGAIN: Duration = Duration::from_millis(20);

/// All places of a listener.
pub(super) struct Places {
    free: Arc<Semaphore>,
    taken: Mutex<Vec<Arc<Seat>>>,
    /// Counts the connections that came: that is all the clock there is to tell who waits longest.
    came: AtomicU64,
    /// Somebody waits for a place, and nobody could make room.
    wanted: AtomicBool,
}

/// A connection's place; it is free again when this is dropped.
pub(super) struct Place {
    seat: Arc<Seat>,
    places: Arc<Places>,
    _permit: OwnedSemaphorePermit,
}

struct Seat {
    /// Since when it waits for its client.
    since: AtomicU64,
    leave: CancellationToken,
}

impl Places {
    /// So many.
    pub(super) fn new(count: usize) -> Arc<Self> {
        Arc::new(Places {
            free: Arc::new(Semaphore::new(count)),
            taken: Mutex::new(Vec::new()),
            came: AtomicU64::new(0),
            wanted: AtomicBool::new(false),
        })
    }

    /// A place for a new connection, when there is one. `end` ends the connection, too.
    pub(super) async fn take(self: &Arc<Self>, end: &CancellationToken) -> Place {
        let permit = match Arc::clone(&self.free).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.make_room().await,
        };
        let seat = Arc::new(Seat {
            since: AtomicU64::new(self.came.fetch_add(1, Ordering::Relaxed)),
            leave: end.child_token(),
        });
        self.taken.lock().push(Arc::clone(&seat));
        Place {
            seat,
            places: Arc::clone(self),
            _permit: permit,
        }
    }

    async fn make_room(self: &Arc<Self>) -> OwnedSemaphorePermit {
        let mut free = std::pin::pin!(Arc::clone(&self.free).acquire_owned());
        loop {
            let somebody_goes = self.dismiss();
            self.wanted.store(!somebody_goes, Ordering::Relaxed);
            if let Ok(permit) = tokio::time::timeout(AGAIN, free.as_mut()).await {
                self.wanted.store(false, Ordering::Relaxed);
                return permit.expect("the semaphore is never closed");
            }
        }
    }

    /// Lets the connection go that has waited longest. False where none waits.
    fn dismiss(&self) -> bool {
        let taken = self.taken.lock();
        let since = |seat: &&Arc<Seat>| seat.since.load(Ordering::Relaxed);
        let Some(longest) = taken.iter().min_by_key(since) else {
            return false;
        };
        let waits = longest.since.swap(BUSY, Ordering::Relaxed) != BUSY;
        if waits {
            longest.leave.cancel();
        }
        waits
    }
}

impl Place {
    /// Ends when the connection has to go.
    pub(super) fn leave(&self) -> CancellationToken {
        self.seat.leave.clone()
    }

    /// Whether somebody waits for a place until a call is answered: who is answered then makes room.
    pub(super) fn is_wanted(&self) -> bool {
        self.places.wanted.load(Ordering::Relaxed)
    }

    /// Notes that it is the client's turn.
    pub(super) fn waits(&self) {
        let now = self.places.came.load(Ordering::Relaxed);
        self.seat.since.store(now, Ordering::Relaxed);
    }

    /// Notes that a call is being answered.
    pub(super) fn is_busy(&self) {
        self.seat.since.store(BUSY, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock();
        taken.retain(|seat| !Arc::ptr_eq(seat, &self.seat));
    }
}

/// The body of a request; while it does not arrive, it is the client's turn.
pub struct Arriving {
    body: Incoming,
    place: Arc<Place>,
}

impl Arriving {
    /// The body of a request on the connection of this place.
    pub(super) fn new(body: Incoming, place: Arc<Place>) -> Self {
        Arriving { body, place }
    }
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match frame {
            Poll::Pending => self.place.waits(),
            Poll::Ready(_) => self.place.is_busy(),
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
