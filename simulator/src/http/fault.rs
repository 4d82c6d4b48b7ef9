//! Wire faults: what becomes of an answer that a scenario lets go wrong on its way. The edge hands
//! the connection over when hyper is done with it, so that hyper writes sound answers only. After a
//! fault the connection is over. Decides nothing about a call: it was executed and booked before.

use std::fmt;
use std::io;
use std::time::Duration;

use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use http::header::{CONNECTION, CONTENT_LENGTH};
use http_body_util::BodyExt as _;
use tokio::io::AsyncWriteExt as _;
use tokio_util::sync::CancellationToken;

use super::socket::Socket;
use crate::scenario::WireFault;

/// No status line of any version of HTTP, no TLS record, no UTF-8.
const GARBAGE: &[u8] = b"\x00\xff\xfethis is no answer\xc3\x28\r\n\r\n";

/// A slow body comes in at most so many pieces.
const PIECES: usize = 64;

/// An answer that must not arrive as it is. To hyper it is an error of the service, which makes it
/// give the connection up without writing anything more.
#[derive(Debug, Clone)]
pub(super) struct Broken {
    fault: WireFault,
    head: Vec<u8>,
    body: Bytes,
}

impl fmt::Display for Broken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "a scenario breaks this answer: {:?}", self.fault)
    }
}

impl std::error::Error for Broken {}

impl Broken {
    /// An answer with what goes wrong on its way.
    pub(super) async fn new(fault: WireFault, answer: Response) -> Broken {
        let (parts, body) = answer.into_parts();
        let body = body.collect().await;
        let body = body
            .expect("an envelope is in memory as a whole")
            .to_bytes();
        Broken {
            fault,
            head: head(&parts, body.len()),
            body,
        }
    }

    /// The fault that made a connection end, where one did.
    pub(super) fn of(error: &hyper::Error) -> Option<&Broken> {
        std::error::Error::source(error)?.downcast_ref()
    }

    /// Lets the fault happen on the connection and ends that.
    pub(super) async fn happen(&self, socket: Socket, stop: &CancellationToken) {
        let (head, body) = (&self.head, &self.body);
        let ended = match self.fault {
            WireFault::Reset => socket.reset(),
            WireFault::Never => silence(socket, stop).await,
            WireFault::Garbage => send(socket, GARBAGE, &[], Duration::ZERO).await,
            WireFault::CutAfter(bytes) => {
                // Always short of the end: else nothing would be wrong with a short answer.
                let last = body.len().saturating_sub(1);
                let cut = usize::try_from(bytes).map_or(last, |bytes| bytes.min(last));
                send(socket, head, &body[..cut], Duration::ZERO).await
            }
            WireFault::Slow { over_ms } => {
                send(socket, head, body, Duration::from_millis(over_ms)).await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "the client ended the connection before its fault was over");
        }
    }
}

/// The head of the answer as it would have been sent.
fn head(parts: &http::response::Parts, length: usize) -> Vec<u8> {
    let status = parts.status;
    let reason = StatusCode::canonical_reason(&status).unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).into_bytes();
    let mut line = |name: &str, value: &[u8]| {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value);
        head.extend_from_slice(b"\r\n");
    };
    for (name, value) in &parts.headers {
        line(name.as_str(), value.as_bytes());
    }
    line(CONTENT_LENGTH.as_str(), length.to_string().as_bytes());
    line(CONNECTION.as_str(), b"close");
    head.extend_from_slice(b"\r\n");
    head
}

/// Says nothing until the client gives up. A call that is never answered does not hold up the end
/// of the simulator.
async fn silence(mut socket: Socket, stop: &CancellationToken) -> io::Result<()> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Ok(()),
        gone = socket.gone() => gone,
    }
}

/// Writes the first bytes at once and the others in pieces, evenly spread, the last when the time is
/// over; then ends the connection.
async fn send(mut socket: Socket, first: &[u8], then: &[u8], over: Duration) -> io::Result<()> {
    socket.write_all(first).await?;
    let size = then.len().div_ceil(PIECES).max(1);
    let pieces = u32::try_from(then.len().div_ceil(size)).unwrap_or(u32::MAX);
    for piece in then.chunks(size) {
        if !over.is_zero() {
            // A client that has given up must not keep its place until the next piece.
            tokio::select! {
                biased;
                () = tokio::time::sleep(over / pieces) => {}
                gone = socket.gone() => return gone,
            }
        }
        socket.write_all(piece).await?;
    }
    socket.leave_unread();
    socket.shutdown().await
}
