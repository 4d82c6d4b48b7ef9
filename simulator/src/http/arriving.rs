//! The body of a request, as much of it as may be, for as long as it may take.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::body::Body;

/// The body of a request as it arrived.
pub(super) enum Arrived {
    /// All of it.
    Whole(Bytes),
    /// More than the limit; it was not read to its end.
    TooLarge,
    /// It did not arrive in time, or the connection broke.
    Incomplete,
}

/// Reads a body of at most so many bytes.
pub(super) async fn arrive<B>(body: B, at_most: usize, timeout: Duration) -> Arrived
where
    B: Body<Data = Bytes> + Unpin,
{
    if body.is_end_stream() {
        return Arrived::Whole(Bytes::new());
    }
    // What a Content-Length says, else 0.
    if body.size_hint().lower() > at_most as u64 {
        return Arrived::TooLarge;
    }
    let arrived = tokio::time::timeout(timeout, collect(body, at_most)).await;
    arrived.unwrap_or(Arrived::Incomplete)
}

/// All of a body. One that comes in one piece, as nearly all do, is not copied.
async fn collect<B>(mut body: B, at_most: usize) -> Arrived
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut whole = Bytes::new();
    let mut joined = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Arrived::Incomplete;
        };
        // Trailers are dropped.
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if whole.len() + joined.len() + data.len() > at_most {
            return Arrived::TooLarge;
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
    Arrived::Whole(if joined.is_empty() {
        whole
    } else {
        joined.freeze()
    })
}
