//! An exchange under way. Whoever holds a part of it writes down what passes; when the last one lets go, however that
//! came about, what was seen goes to the desk.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::thread::Thread;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::runtime::Handle;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout};

use super::seen::{Seen, SeenBody};
use super::upstream::Busy;
use crate::capture::{Arrived, CLIENT_GONE, CUT_SHORT, TransportError};
use crate::sink::now_s;
use crate::target::causes;

/// What goes to the desk: an exchange, and the place that it takes until it is written.
#[derive(Debug)]
pub(super) struct Landed {
    pub(super) seen: Seen,
    pub(super) place: Option<OwnedSemaphorePermit>,
}

/// Hands over to the desk.
#[derive(Debug, Clone)]
pub(super) struct ToDesk {
    pub(super) landed: Sender<Option<Landed>>,
    /// The thread of the desk, which sleeps while it gathers.
    pub(super) desk: Thread,
}

impl ToDesk {
    /// Hands over; with nothing the recording is over. Where the desk is gone nothing is recorded any more; its end says
    /// so.
    pub(super) fn send(&self, landed: Option<Landed>) {
        let few_left = |landed: &Landed| {
            let place = landed.place.as_ref();
            place.is_some_and(|it| it.semaphore().available_permits() < FEW_PLACES)
        };
        // Nobody is to wait for a place while the desk sleeps, and nobody for the end.
        let at_once = landed.as_ref().is_none_or(few_left);
        let _ = self.landed.send(landed);
        if at_once {
            self.desk.unpark();
        }
    }
}

/// All exchanges under way, by their numbers.
#[derive(Debug)]
pub(super) struct UnderWay {
    flights: Mutex<BTreeMap<u64, Weak<Flight>>>,
    desk: ToDesk,
}

impl UnderWay {
    pub(super) fn new(desk: ToDesk) -> Self {
        UnderWay {
            flights: Mutex::default(),
            desk,
        }
    }

    /// Begins one.
    pub(super) fn begin(
        self: &Arc<Self>,
        seen: Seen,
        place: OwnedSemaphorePermit,
        most_bytes: usize,
    ) -> Arc<Flight> {
        let number = seen.number;
        let landed = Landed {
            seen,
            place: Some(place),
        };
        let flight = Arc::new(Flight {
            number,
            began: Instant::now(),
            most_bytes,
            state: Mutex::new(Some(landed)),
            among: Arc::clone(self),
            cut_short: AtomicBool::new(false),
        });
        self.flights().insert(number, Arc::downgrade(&flight));
        flight
    }

    /// Notes of all that the recording does not wait for them.
    pub(super) fn cut_short(&self) {
        // One that ends here takes itself out, so nothing is held then.
        let all: Vec<_> = self.flights().values().filter_map(Weak::upgrade).collect();
        for flight in all {
            flight.cut_short.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the recording: whatever is still under way is recorded as broken off, and what comes later is not. A service
    /// that takes no more of a request would keep its exchange for ever.
    pub(super) fn end(&self) {
        let all = std::mem::take(&mut *self.flights());
        let all = all.values().filter_map(Weak::upgrade);
        all.for_each(|flight| flight.land());
        self.desk.send(None);
    }

    fn flights(&self) -> MutexGuard<'_, BTreeMap<u64, Weak<Flight>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An exchange under way.
#[derive(Debug)]
pub(super) struct Flight {
    number: u64,
    pub(super) began: Instant,
    most_bytes: usize,
    state: Mutex<Option<Landed>>,
    among: Arc<UnderWay>,
    /// Whether the recording ends before it is over.
    cut_short: AtomicBool,
}

/// So many exchanges may be under way or unwritten; further ones wait, so that memory is bounded and nothing is lost.
pub(super) const PLACES: usize = 512;

/// So many are judged and written at once: who waits for a place waits no longer than for that.
pub(super) const MOST_AT_ONCE: usize = 64;

/// Where fewer are left, what landed is written at once: the more wait, the less of them is still in the processor's caches.
const FEW_PLACES: usize = PLACES - MOST_AT_ONCE;

/// Which of its two bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Sent,
    Came,
}

impl Flight {
    /// Changes what is written down.
    pub(super) fn note(&self, change: impl FnOnce(&mut Seen)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(landed) = state.as_mut() {
            change(&mut landed.seen);
        }
    }

    /// What an answer that is not whole came to so far.
    pub(super) fn arrived(&self, seen: &Seen) -> Arrived {
        let waited = self.began.elapsed().as_millis();
        Arrived {
            status: seen.answer.as_ref().map(|(status, _)| status.as_u16()),
            bytes: seen.came.length,
            waited_ms: u64::try_from(waited).unwrap_or(u64::MAX),
            garbage: false,
        }
    }

    /// Notes that the connection to whom it was passed on to broke, or that what came on it was no HTTP.
    pub(super) fn broke(&self, why: String, garbage: bool) {
        self.note(|seen| {
            let arrived = Arrived {
                garbage,
                ..self.arrived(seen)
            };
            seen.error
                .get_or_insert(TransportError::Cut { why, arrived });
        });
    }
}

impl Flight {
    /// Hands over what was seen until now; once.
    fn land(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut landed) = state.take() else {
            return;
        };
        if !landed.seen.came.whole && landed.seen.error.is_none() {
            let arrived = self.arrived(&landed.seen);
            let cut_short = self.cut_short.load(Ordering::Relaxed);
            let why = if cut_short { CUT_SHORT } else { CLIENT_GONE }.to_owned();
            landed.seen.error = Some(TransportError::Cut { why, arrived });
        }
        if !landed.seen.came.whole {
            landed.seen.took = self.began.elapsed();
        }
        landed.seen.at_s = now_s();
        self.among.desk.send(Some(landed));
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.land();
        self.among.flights().remove(&self.number);
    }
}

/// A body that is passed on as it comes and written down on the way.
#[derive(Debug)]
pub(super) struct Passing {
    /// None where what is left of it was taken over.
    body: Option<Incoming>,
    side: Side,
    /// What it comes on, until all of it came.
    busy: Option<Busy<Passing>>,
    flight: Arc<Flight>,
}

/// How long the rest of a request may take that is not passed on any more.
const REST: Duration = Duration::from_secs(10);

/// Whom a request is passed on to may be gone, or answer before all of it came: what was sent is written down all the
/// same.
impl Drop for Passing {
    fn drop(&mut self) {
        let is_whole = self.body.as_ref().is_none_or(Body::is_end_stream);
        let (Side::Sent, false) = (self.side, is_whole) else {
            return;
        };
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let mut rest = Passing {
            body: self.body.take(),
            side: self.side,
            busy: None,
            flight: Arc::clone(&self.flight),
        };
        runtime.spawn(async move {
            let read = async { while let Some(Ok(_)) = rest.frame().await {} };
            let _ = timeout(REST, read).await;
            // Nobody takes it over once more.
            drop(rest.body.take());
        });
    }
}

impl Passing {
    /// What is sent.
    pub(super) fn on(body: Incoming, flight: Arc<Flight>) -> Self {
        Passing::new(body, Side::Sent, None, flight)
    }

    /// What comes back.
    pub(super) fn back(body: Incoming, busy: Busy<Passing>, flight: Arc<Flight>) -> Self {
        Passing::new(body, Side::Came, Some(busy), flight)
    }

    fn new(body: Incoming, side: Side, busy: Option<Busy<Passing>>, flight: Arc<Flight>) -> Self {
        // Nobody asks for more of a body that has nothing in it.
        let is_empty = body.is_end_stream();
        let body = Some(body);
        let mut passing = Passing {
            body,
            side,
            busy,
            flight,
        };
        if is_empty {
            passing.ended();
        }
        passing
    }

    fn note(&self, change: impl FnOnce(&mut SeenBody)) {
        self.flight.note(|seen| match self.side {
            Side::Sent => change(&mut seen.sent),
            Side::Came => change(&mut seen.came),
        });
    }

    fn ended(&mut self) {
        if self.side == Side::Sent {
            return self.note(|body| body.whole = true);
        }
        let now = Instant::now();
        let took = now.duration_since(self.flight.began);
        let mut is_over = false;
        self.flight.note(|seen| {
            seen.came.whole = true;
            seen.took = took;
            is_over = seen.sent.whole;
        });
        // One that still takes what was sent is not free.
        if let Some(busy) = self.busy.take_if(|_| is_over) {
            busy.keep(now);
        }
    }
}

impl Body for Passing {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = self.body.as_mut() else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                let most = self.flight.most_bytes;
                if let Some(part) = frame.data_ref() {
                    self.note(|body| body.take(part, most));
                }
                // Trailers are the end of a body: nobody asks for more behind them.
                if frame.is_trailers() || self.is_end_stream() {
                    self.ended();
                }
            }
            Poll::Ready(None) => self.ended(),
            Poll::Ready(Some(Err(error))) => {
                let why = match self.side {
                    Side::Sent => CLIENT_GONE.to_owned(),
                    Side::Came => causes(error),
                };
                self.flight.broke(why, false);
            }
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.body.as_ref();
        rest.map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
