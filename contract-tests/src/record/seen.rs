//! What is seen of one exchange while it passes, before anything of it is judged or blacked out.

use std::time::Duration;

use hyper::header::{ACCESS_CONTROL_REQUEST_METHOD, HeaderMap};
use hyper::{Method, StatusCode, Uri};

use super::RouteKind;
use crate::capture::TransportError;

/// A body as far as it came.
#[derive(Debug, Default)]
pub(super) struct SeenBody {
    /// Its beginning.
    pub(super) bytes: Vec<u8>,
    /// How long it is, as far as it came.
    pub(super) length: usize,
    /// Whether it came to its end.
    pub(super) whole: bool,
}

impl SeenBody {
    /// Takes in what came next, up to so many bytes in all.
    pub(super) fn take(&mut self, part: &[u8], most: usize) {
        self.length += part.len();
        let room = most.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&part[..room.min(part.len())]);
    }

    /// Whether only its beginning is here.
    pub(super) fn is_cut(&self) -> bool {
        self.length > self.bytes.len()
    }
}

/// One exchange.
#[derive(Debug)]
pub(super) struct Seen {
    /// Which one it is, from 1.
    pub(super) number: u64,
    pub(super) kind: RouteKind,
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) sent: SeenBody,
    /// The head of the answer, where one came.
    pub(super) answer: Option<(StatusCode, HeaderMap)>,
    pub(super) came: SeenBody,
    /// Why there is no whole answer.
    pub(super) error: Option<TransportError>,
    /// Why it can't be judged although it passed.
    pub(super) unread: Option<String>,
    /// How long it took until now.
    pub(super) took: Duration,
    /// When that was, in Unix seconds.
    pub(super) at_s: i64,
}

impl Seen {
    /// Whether a browser asks beforehand what a page of another origin may ask: that is no call.
    pub(super) fn is_preflight(&self) -> bool {
        let asked = self.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        self.method == Method::OPTIONS && asked
    }
}
