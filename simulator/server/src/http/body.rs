//! Reads the bodies of requests: within a size and a time, and large ones where there is room for them.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame};
use tokio::time::{Instant, timeout_at};

use crate::host::shares::TakenRoom;

/// The body of a request, read to its end or given up.
#[derive(Debug)]
pub enum ReadBody {
    /// All of it.
    Whole(Bytes),
    /// It is over the limit and was not read to its end.
    TooLarge,
    /// It took too long, or the connection broke.
    Incomplete,
}

/// What a body may take of memory before it needs room.
const SMALL_BODY_BYTES: usize = 64 << 10;

/// Reads a body of at most this many bytes within this time. What is large waits for room.
pub async fn read_body<B>(
    body: B,
    at_most: usize,
    timeout: Duration,
    room: &mut TakenRoom<'_>,
) -> ReadBody
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() {
        return ReadBody::Whole(Bytes::new());
    }
    // The lower bound is the Content-Length, if there is one.
    if body.size_hint().lower() > at_most as u64 {
        return ReadBody::TooLarge;
    }
    let mut read = pin!(collect(body, at_most, room));
    match at_once(read.as_mut()).await {
        Some(read) => read,
        None => {
            let read = tokio::time::timeout(timeout, read).await;
            read.unwrap_or(ReadBody::Incomplete)
        }
    }
}

/// What comes of a future that is ready when it is asked for the second time. Hyper hands over a body that has
/// arrived when it was asked for once: nearly no body needs a timer.
async fn at_once<T>(mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    let mut asked = false;
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(ready) => Poll::Ready(Some(ready)),
        Poll::Pending if asked => Poll::Ready(None),
        Poll::Pending => {
            asked = true;
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}

/// How long a large body may stop, or nearly so, while others wait for the room that it has: a network that is slow does
/// not stop for so long.
const STALL: Duration = Duration::from_secs(3);

/// How fast a body arrives that has room.
struct Pace {
    /// When enough is to have arrived.
    until: Instant,
    bytes: usize,
}

impl Pace {
    fn begin() -> Self {
        Pace {
            until: Instant::now() + STALL,
            bytes: 0,
        }
    }

    fn arrived(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes >= SMALL_BODY_BYTES {
            *self = Pace::begin();
        }
    }
}

/// The next frame of a body that has room; none where nearly nothing came for so long and others wait for that room.
async fn paced<B>(
    body: &mut B,
    room: &TakenRoom<'_>,
    pace: &mut Pace,
) -> Option<Option<Result<Frame<Bytes>, B::Error>>>
where
    B: Body<Data = Bytes> + Unpin,
{
    loop {
        match timeout_at(pace.until, body.frame()).await {
            Ok(frame) => return Some(frame),
            Err(_) if room.is_sought() => return None,
            Err(_) => *pace = Pace::begin(),
        }
    }
}

/// Collects a body. One that arrives in one piece, as nearly all do, is not copied.
async fn collect<B>(mut body: B, at_most: usize, room: &mut TakenRoom<'_>) -> ReadBody
where
    B: Body<Data = Bytes> + Unpin,
{
    let said = body.size_hint().exact();
    let most = said.and_then(|said| usize::try_from(said).ok());
    let most = most.unwrap_or(at_most).min(at_most);
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    let mut pace = None;
    loop {
        let frame = match room.is_taken() {
            false => body.frame().await,
            true => match paced(&mut body, room, pace.get_or_insert_with(Pace::begin)).await {
                Some(frame) => frame,
                None => return ReadBody::Incomplete,
            },
        };
        let Some(frame) = frame else {
            break;
        };
        let Ok(frame) = frame else {
            return ReadBody::Incomplete;
        };
        // Trailers are dropped.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if whole.len() + joined.len() + data.len() > at_most {
            return ReadBody::TooLarge;
        }
        if let Some(pace) = &mut pace {
            pace.arrived(data.len());
        }
        if most > SMALL_BODY_BYTES && whole.len() + joined.len() + data.len() > SMALL_BODY_BYTES {
            room.take(most).await;
        }
        if whole.is_empty() && joined.is_empty() {
            whole = data;
        } else {
            joined.extend_from_slice(&std::mem::take(&mut whole));
            joined.extend_from_slice(&data);
        }
        if body.is_end_stream() {
            break;
        }
    }
    ReadBody::Whole(match joined.is_empty() {
        true => whole,
        false => joined.freeze(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::shares::BodyRoom;
    use futures_util::{FutureExt as _, StreamExt as _, stream};
    use http_body_util::{Full, StreamBody};

    const TIMEOUT: Duration = Duration::from_secs(60);

    fn body(bytes: usize) -> Full<Bytes> {
        Full::new(Bytes::from(vec![b'x'; bytes]))
    }

    /// Whether it was read, where that was possible at once.
    fn read(bytes: usize, taken: &mut TakenRoom<'_>) -> Option<bool> {
        let read = read_body(body(bytes), 1 << 20, TIMEOUT, taken).now_or_never();
        read.map(|read| matches!(read, ReadBody::Whole(whole) if whole.len() == bytes))
    }

    #[tokio::test]
    async fn a_large_body_waits_until_there_is_room_and_a_small_one_never_does() {
        let room = BodyRoom::new(300 << 10, 0);
        let mut first = TakenRoom::of(&room);
        assert_eq!(read(200 << 10, &mut first), Some(true));
        assert_eq!(room.free_bytes(), 100 << 10);
        let mut second = TakenRoom::of(&room);
        assert_eq!(read(101 << 10, &mut second), None);
        assert_eq!(
            read(SMALL_BODY_BYTES, &mut TakenRoom::of(&room)),
            Some(true)
        );
        drop(first);
        assert_eq!(read(101 << 10, &mut second), Some(true));
        drop(second);
        assert_eq!(room.free_bytes(), 300 << 10);
    }

    /// Parts of 70 KiB, so many seconds after one another; at last nothing comes for ever.
    fn slow(parts: usize, seconds: u64) -> impl Body<Data = Bytes, Error = std::io::Error> + Unpin {
        let part = move |_| async move {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            Ok(Frame::data(Bytes::from(vec![b'x'; 70 << 10])))
        };
        let parts = stream::iter(0..parts).then(part);
        StreamBody::new(Box::pin(parts.chain(stream::pending())))
    }

    /// How long a body that stops has the room for itself, where another one comes for it so soon or never.
    async fn has_room(
        body: impl Body<Data = Bytes, Error = std::io::Error> + Unpin,
        other: bool,
    ) -> u64 {
        let room = BodyRoom::new(1 << 20, 0);
        let begin = Instant::now();
        let mut first = TakenRoom::of(&room);
        let reading = async {
            let read = read_body(body, 1 << 20, TIMEOUT, &mut first).await;
            assert!(matches!(read, ReadBody::Incomplete));
            drop(first);
            begin.elapsed().as_secs()
        };
        let waiting = async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            if other {
                let mut second = TakenRoom::of(&room);
                read_body(self::body(100 << 10), 1 << 20, TIMEOUT, &mut second).await;
            }
        };
        tokio::join!(reading, waiting).0
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_body_that_stops_gives_its_room_to_those_who_wait() {
        assert_eq!(has_room(slow(1, 0), true).await, 3);
        assert_eq!(has_room(slow(1, 0), false).await, 60);
        // One that is slow, and does not stop.
        assert_eq!(has_room(slow(10, 2), true).await, 2 * 10 + 3);
    }
}
