//! What is seen of one exchange while it passes, before anything of it is judged or blacked out.

use std::time::Duration;

use hyper::header::HeaderMap;
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
/// keeps all of that until it is written.
#[derive(Debug, Default)]
pub(super) struct SeenHeaders {
    names: String,
    values: Vec<u8>,
    /// Where each name and each value ends.
    ends: Vec<(usize, usize)>,
}

impl SeenHeaders {
    pub(super) fn of(map: &HeaderMap) -> Self {
        let lengths = map
            .iter()
            .map(|(name, value)| (name.as_str().len(), value.len()));
        let (of_names, of_values) = lengths.fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
        let mut seen = SeenHeaders {
            names: String::with_capacity(of_names),
            values: Vec::with_capacity(of_values),
            ends: Vec::with_capacity(map.len()),
        };
        for (name, value) in map {
            seen.names.push_str(name.as_str());
            seen.values.extend_from_slice(value.as_bytes());
            seen.ends.push((seen.names.len(), seen.values.len()));
        }
        seen
    }

    /// Names in small letters, and values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.ends.iter().scan((0, 0), |begin, end| {
            let found = (&self.names[begin.0..end.0], &self.values[begin.1..end.1]);
            *begin = *end;
            Some(found)
        })
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
        let asked = self.headers.get("access-control-request-method");
        self.method == Method::OPTIONS && asked.is_some()
    }
}
