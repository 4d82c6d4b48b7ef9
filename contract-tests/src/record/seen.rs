//! What is seen of one exchange while it passes, before anything of it is judged or blacked out.

use std::iter;
use std::time::Duration;

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

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

/// Headers, in the order in which a map has them. They are copied: a value of a map is a part of what its connection read, and
/// keeps all of that until it is written. And they are one piece of memory, for it is let go of on another thread.
#[derive(Debug, Default)]
pub(super) struct SeenHeaders(Vec<u8>);

/// How long a name or a value is, before it.
const LENGTH: usize = size_of::<u32>();

impl SeenHeaders {
    pub(super) fn of(map: &HeaderMap) -> Self {
        let both = |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len();
        let length: usize = map.iter().map(|one| both(one) + 2 * LENGTH).sum();
        let mut seen = Vec::with_capacity(length);
        for (name, value) in map {
            for part in [name.as_str().as_bytes(), value.as_bytes()] {
                // No head is that long.
                let length = u32::try_from(part.len()).unwrap_or(0);
                seen.extend_from_slice(&length.to_le_bytes());
                seen.extend_from_slice(&part[..length as usize]);
            }
        }
        SeenHeaders(seen)
    }

    /// Names in small letters, and values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let mut rest = self.0.as_slice();
        let mut part = move || {
            let (length, behind) = rest.split_first_chunk::<LENGTH>()?;
            let (part, behind) = behind.split_at(u32::from_le_bytes(*length) as usize);
            rest = behind;
            Some(part)
        };
        // A name is ASCII.
        iter::from_fn(move || Some((str::from_utf8(part()?).unwrap_or_default(), part()?)))
    }

    /// The first value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        let mut all = self.iter();
        all.find_map(|(own, value)| (own == name).then_some(value))
    }
}

/// One exchange.
#[derive(Debug)]
pub(super) struct Seen {
    /// Which one it is, from 1.
    pub(super) number: u64,
    pub(super) kind: RouteKind,
    pub(super) method: Method,
    pub(super) path: String,
    /// Without its question mark; empty for none.
    pub(super) query: String,
    pub(super) headers: SeenHeaders,
    pub(super) sent: SeenBody,
    /// The head of the answer, where one came.
    pub(super) answer: Option<(StatusCode, SeenHeaders)>,
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
        let asked = || self.headers.get("access-control-request-method");
        self.method == Method::OPTIONS && asked().is_some()
    }
}
