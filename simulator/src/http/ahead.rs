//! Reads along with hyper, one step ahead: a request passes when its head has arrived whole and can be
//! understood in one way only; a harmless one is put in the place of any other. Does no input or output.

use std::sync::{Arc, OnceLock};

use tokio::io::ReadBuf;

use super::chunks::Chunks;
use super::head::{self, Body, Flaw};

/// What passes to hyper, and what is kept until more is known.
pub(super) struct Ahead {
    at: At,
    limit: usize,
    /// How many heads have passed.
    heads: u64,
    refused: Refused,
    /// What may pass and was not taken yet, and how much of it was.
    passing: Vec<u8>,
    taken: usize,
    /// The beginning of a head, and how much of it was searched for its end.
    begun: Vec<u8>,
    searched: usize,
}

/// What comes next from the client.
enum At {
    Head,
    Bytes(u64),
    Chunks(Chunks),
    /// Nothing more is read: a request was refused.
    Refused,
    /// Nothing more is read: a body in chunks broke off.
    Broken,
}

/// What is left to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// What the client sends.
    More,
    /// Nothing, and nobody waits for it: a refused request ends its connection.
    Nothing,
    /// Nothing, though a body is not at its end.
    Broken,
}

/// The request that was refused, if one was: its number on the connection, from 1, and why.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused(Arc<OnceLock<(u64, Flaw)>>);

impl Refused {
    /// Why the request of this number was refused.
    pub(super) fn why(&self, number: u64) -> Option<Flaw> {
        let (refused, flaw) = *self.0.get()?;
        (refused == number).then_some(flaw)
    }
}

impl Ahead {
    /// Of a new connection; heads of more bytes than the limit are refused.
    pub(super) fn new(limit: usize, refused: Refused) -> Self {
        Ahead {
            at: At::Head,
            limit,
            heads: 0,
            refused,
            passing: Vec::new(),
            taken: 0,
            begun: Vec::new(),
            searched: 0,
        }
    }

    /// Hands over what may pass and was kept. False where there is nothing.
    pub(super) fn pass(&mut self, into: &mut ReadBuf<'_>) -> bool {
        let left = &self.passing[self.taken..];
        if left.is_empty() {
            return false;
        }
        let taken = left.len().min(into.remaining());
        into.put_slice(&left[..taken]);
        self.taken += taken;
        if self.taken == self.passing.len() {
            // A connection must not keep the room of its longest head.
            (self.passing, self.taken) = (Vec::new(), 0);
        }
        true
    }

    /// What is left to read, when nothing is kept that may pass.
    pub(super) fn rest(&self) -> Rest {
        match self.at {
            At::Head | At::Bytes(_) | At::Chunks(_) => Rest::More,
            At::Refused => Rest::Nothing,
            At::Broken => Rest::Broken,
        }
    }

    /// Looks at what arrived, when nothing is kept that may pass: so many of its bytes may pass as they
    /// are, and the others are kept.
    pub(super) fn see(&mut self, arrived: &[u8]) -> usize {
        if self.begun.is_empty() {
            let passes = self.scan(arrived);
            if matches!(self.at, At::Head) {
                self.begun.extend_from_slice(&arrived[passes..]);
            }
            return passes;
        }
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.extend_from_slice(arrived);
        let passes = self.scan(&bytes);
        if passes == 0 && matches!(self.at, At::Head) {
            self.begun = bytes;
            return 0;
        }
        if matches!(self.at, At::Head) {
            self.begun.extend_from_slice(&bytes[passes..]);
        }
        bytes.truncate(passes);
        bytes.append(&mut self.passing);
        self.passing = bytes;
        0
    }

    /// How many of these bytes may pass: all, or those before the beginning of a head. What stands in
    /// for a refused request is kept as what may pass.
    fn scan(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let rest @ [_, ..] = &bytes[at..] {
            at += match &mut self.at {
                At::Head => match self.head(rest) {
                    Ok(Some(length)) => length,
                    Ok(None) => break,
                    Err(flaw) => {
                        self.refuse(rest, flaw);
                        break;
                    }
                },
                At::Bytes(left) => {
                    let passes = usize::try_from(*left).map_or(rest.len(), |it| it.min(rest.len()));
                    *left -= passes as u64;
                    if *left == 0 {
                        self.at = At::Head;
                    }
                    passes
                }
                At::Chunks(chunks) => match chunks.pass(rest) {
                    Ok(passes) => {
                        if chunks.ended() {
                            self.at = At::Head;
                        }
                        passes
                    }
                    Err(_) => {
                        self.at = At::Broken;
                        break;
                    }
                },
                At::Refused | At::Broken => break,
            };
        }
        at
    }

    /// The length of the head at the beginning of these bytes, where it is whole.
    fn head(&mut self, bytes: &[u8]) -> Result<Option<usize>, Flaw> {
        // Nearly all come whole, and are read once.
        if self.searched == 0
            && let Ok(Some((length, body))) = head::whole(bytes)
            && length <= self.limit
        {
            self.passed(body);
            return Ok(Some(length));
        }
        let Some(length) = head::end(bytes, self.searched) else {
            // The parser looks at a head three times at most, however slowly it comes: twice at its
            // first line, and when it is whole.
            let is_first_line = !bytes[..self.searched].contains(&b'\n');
            self.searched = bytes.len();
            return match bytes.len() > self.limit {
                true => Err(Flaw::TooLarge),
                false if is_first_line => head::hopeless(bytes).map_or(Ok(None), Err),
                false => Ok(None),
            };
        };
        if length > self.limit {
            return Err(Flaw::TooLarge);
        }
        self.passed(head::body_after(&bytes[..length])?);
        Ok(Some(length))
    }

    /// Goes on behind a sound head.
    fn passed(&mut self, body: Body) {
        self.at = match body {
            Body::Bytes(0) => At::Head,
            Body::Bytes(length) => At::Bytes(length),
            Body::Chunks => At::Chunks(Chunks::new()),
        };
        self.heads += 1;
        self.searched = 0;
    }

    fn refuse(&mut self, request: &[u8], flaw: Flaw) {
        self.at = At::Refused;
        self.passing = head::in_place_of(request);
        let first = self.refused.0.set((self.heads + 1, flaw));
        first.expect("nothing is read after a refused request");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What passes when the bytes come in pieces of this size, and what is refused.
    fn passed(bytes: &[u8], piece: usize) -> (String, Option<(u64, Flaw)>, Rest) {
        let refused = Refused::default();
        let mut ahead = Ahead::new(80, refused.clone());
        let mut all = Vec::new();
        let mut space = [0; 7];
        for piece in bytes.chunks(piece) {
            if ahead.rest() != Rest::More {
                break;
            }
            let passes = ahead.see(piece);
            all.extend_from_slice(&piece[..passes]);
            loop {
                let mut into = ReadBuf::new(&mut space);
                if !ahead.pass(&mut into) {
                    break;
                }
                all.extend_from_slice(into.filled());
            }
        }
        let all = String::from_utf8_lossy(&all).into_owned();
        (all, refused.0.get().copied(), ahead.rest())
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const SENT: &str = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n{\n\n}";
    const CHUNKED: &str =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\n\n}\r\n0\r\n\r\n";
    const INSTEAD: &str = "GET / HTTP/1.1\r\n\r\n";

    #[test]
    fn sound_requests_pass_as_they_are_however_they_come() {
        let all = [GET, SENT, GET, CHUNKED, "\r\n", GET, CHUNKED, SENT, GET].concat();
        for piece in 1..=all.len() {
            let (passed, refused, rest) = passed(all.as_bytes(), piece);
            assert_eq!(
                (passed, refused, rest),
                (all.clone(), None, Rest::More),
                "{piece}"
            );
        }
    }

    #[test]
    fn nothing_passes_from_a_refused_request_on() {
        let bare = GET.replace("\r\n", "\n");
        for (before, number) in [("", 1), (SENT, 2), (CHUNKED, 2)] {
            let all = [before, &bare, GET].concat();
            let wanted = [before, INSTEAD].concat();
            for piece in 1..=all.len() {
                let told = passed(all.as_bytes(), piece);
                let flaw = Some((number, Flaw::BareLineFeed));
                assert_eq!(told, (wanted.clone(), flaw, Rest::Nothing), "{piece}");
            }
        }
    }

    #[test]
    fn a_head_of_the_limit_passes_and_a_longer_one_does_not() {
        let head = |value: usize| {
            format!(
                "GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n",
                "x".repeat(value)
            )
        };
        let most = head(80 - head(0).len());
        let longer = head(81 - head(0).len());
        for piece in [1, 7, 80, 81] {
            assert_eq!(passed(most.as_bytes(), piece).1, None);
            assert_eq!(
                passed(longer.as_bytes(), piece).1,
                Some((1, Flaw::TooLarge))
            );
            let endless = passed(&longer.as_bytes()[..longer.len() - 1], piece);
            assert_eq!(endless.1, None, "it could still end in time");
        }
        assert_eq!(passed(&[b'x'; 81], 9).1, Some((1, Flaw::TooLarge)));
    }

    #[test]
    fn what_can_be_no_request_is_refused_at_once() {
        for begun in ["\x16\x03\x01", "hello world\n", "PRI * HTTP/2.0\r\n"] {
            let (passed, refused, _) = passed(begun.as_bytes(), 1);
            assert_eq!(passed, INSTEAD, "{begun:?}");
            assert!(refused.is_some(), "{begun:?}");
        }
    }

    #[test]
    fn chunks_that_are_none_break_off() {
        let all = CHUNKED.replace("4\r\n{", "4\n{");
        let (passed, refused, rest) = passed(all.as_bytes(), 1);
        assert!(passed.ends_with("\r\n\r\n4"), "{passed}");
        assert_eq!((refused, rest), (None, Rest::Broken));
    }
}
