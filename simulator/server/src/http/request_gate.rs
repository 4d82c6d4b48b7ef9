//! Lets a request through to hyper when its head is complete and can be read in one way only, and puts
//! a harmless request in the place of a malformed one. Follows where each body ends, because the next
//! head begins there. Does no input or output.

use std::sync::{Arc, OnceLock};

use tokio::io::ReadBuf;

use super::request_head::{self, Framing, MalformedRequest};

/// The gate of one connection: holds bytes back until they are known to be part of a valid request.
pub(super) struct RequestGate {
    state: GateState,
    limit: usize,
    /// How many heads were let through.
    heads: u64,
    refused: RefusedRequest,
    /// Bytes for hyper, and how many of them it has taken.
    ready: Vec<u8>,
    ready_taken: usize,
    /// The beginning of a head, and how many of its bytes were searched for its end.
    partial_head: Vec<u8>,
    searched: usize,
}

/// What the next byte of the client belongs to.
enum GateState {
    Head,
    Body(u64),
    ChunkedBody(ChunkedBody),
    /// Nothing more is read: a request was refused.
    Refused,
    /// Nothing more is read: a body in chunks is invalid.
    Broken,
}

/// Whether more is read from the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputState {
    /// Yes.
    Open,
    /// No: a request was refused, which ends the connection.
    Ended,
    /// No, though a body is incomplete.
    Broken,
}

/// The request of a connection that was refused, if one was: its number, from 1, and the reason.
#[derive(Debug, Clone, Default)]
pub(super) struct RefusedRequest(Arc<OnceLock<(u64, MalformedRequest)>>);

impl RefusedRequest {
    /// Why the request of this number was refused.
    pub(super) fn reason_for(&self, number: u64) -> Option<MalformedRequest> {
        let (refused, reason) = *self.0.get()?;
        (refused == number).then_some(reason)
    }
}

impl RequestGate {
    /// The gate of a new connection. Heads of more bytes than the limit are refused.
    pub(super) fn new(limit: usize, refused: RefusedRequest) -> Self {
        RequestGate {
            state: GateState::Head,
            limit,
            heads: 0,
            refused,
            ready: Vec::new(),
            ready_taken: 0,
            partial_head: Vec::new(),
            searched: 0,
        }
    }

    /// Moves bytes that are ready into the buffer. False if there are none.
    pub(super) fn take_ready(&mut self, into: &mut ReadBuf<'_>) -> bool {
        let left = &self.ready[self.ready_taken..];
        if left.is_empty() {
            return false;
        }
        let taken = left.len().min(into.remaining());
        into.put_slice(&left[..taken]);
        self.ready_taken += taken;
        if self.ready_taken == self.ready.len() {
            // Frees the memory, which may be that of a long head.
            (self.ready, self.ready_taken) = (Vec::new(), 0);
        }
        true
    }

    /// Whether more is read from the client, once no bytes are ready.
    pub(super) fn input_state(&self) -> InputState {
        match self.state {
            GateState::Head | GateState::Body(_) | GateState::ChunkedBody(_) => InputState::Open,
            GateState::Refused => InputState::Ended,
            GateState::Broken => InputState::Broken,
        }
    }

    /// Inspects bytes that arrived while none were ready. Returns how many of them may go to hyper as
    /// they are, in place; the gate keeps the others.
    pub(super) fn inspect(&mut self, arrived: &[u8]) -> usize {
        if self.partial_head.is_empty() {
            let passes = self.scan(arrived);
            if matches!(self.state, GateState::Head) {
                self.partial_head.extend_from_slice(&arrived[passes..]);
            }
            return passes;
        }
        let mut bytes = std::mem::take(&mut self.partial_head);
        bytes.extend_from_slice(arrived);
        let passes = self.scan(&bytes);
        if passes == 0 && matches!(self.state, GateState::Head) {
            self.partial_head = bytes;
            return 0;
        }
        if matches!(self.state, GateState::Head) {
            self.partial_head.extend_from_slice(&bytes[passes..]);
        }
        bytes.truncate(passes);
        bytes.append(&mut self.ready);
        self.ready = bytes;
        0
    }

    /// How many of these bytes may pass: all, or those before an incomplete or malformed head. The
    /// replacement of a malformed one becomes ready.
    fn scan(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let rest @ [_, ..] = &bytes[at..] {
            at += match &mut self.state {
                GateState::Head => match self.head(rest) {
                    Ok(Some(length)) => length,
                    Ok(None) => break,
                    Err(reason) => {
                        self.refuse(rest, reason);
                        break;
                    }
                },
                GateState::Body(left) => {
                    let passes = usize::try_from(*left).map_or(rest.len(), |it| it.min(rest.len()));
                    *left -= passes as u64;
                    if *left == 0 {
                        self.state = GateState::Head;
                    }
                    passes
                }
                GateState::ChunkedBody(chunks) => match chunks.consume(rest) {
                    Ok(passes) => {
                        if chunks.is_complete() {
                            self.state = GateState::Head;
                        }
                        passes
                    }
                    Err(_) => {
                        self.state = GateState::Broken;
                        break;
                    }
                },
                GateState::Refused | GateState::Broken => break,
            };
        }
        at
    }

    /// The length of the head at the beginning of these bytes; `None` while it is incomplete.
    fn head(&mut self, bytes: &[u8]) -> Result<Option<usize>, MalformedRequest> {
        // Nearly all heads arrive in one piece and are parsed once.
        if self.searched == 0
            && let Ok(Some((length, framing))) = request_head::parse(bytes)
            && length <= self.limit
        {
            self.accept(framing);
            return Ok(Some(length));
        }
        let Some(length) = request_head::find_end(bytes, self.searched) else {
            // A head is parsed at most three times, however slowly it arrives: twice at its first
            // line, and once when it is complete.
            let is_first_line = !bytes[..self.searched].contains(&b'\n');
            self.searched = bytes.len();
            return match bytes.len() > self.limit {
                true => Err(MalformedRequest::TooLarge),
                false if is_first_line => request_head::early_error(bytes).map_or(Ok(None), Err),
                false => Ok(None),
            };
        };
        if length > self.limit {
            return Err(MalformedRequest::TooLarge);
        }
        self.accept(request_head::framing_of(&bytes[..length])?);
        Ok(Some(length))
    }

    /// Continues with what follows a valid head.
    fn accept(&mut self, framing: Framing) {
        self.state = match framing {
            Framing::Length(0) => GateState::Head,
            Framing::Length(length) => GateState::Body(length),
            Framing::Chunked => GateState::ChunkedBody(ChunkedBody::new()),
        };
        self.heads += 1;
        self.searched = 0;
    }

    fn refuse(&mut self, request: &[u8], reason: MalformedRequest) {
        self.state = GateState::Refused;
        self.ready = request_head::replacement_for(request);
        let first = self.refused.0.set((self.heads + 1, reason));
        first.expect("nothing is read after a refused request");
    }
}

/// The most bytes of chunk extensions and trailers in one body. No clause bounds them:
/// clients hardly send any.
const MAX_EXTRA_BYTES: usize = 4096;

/// Finds where a body in chunks ends. It is stricter than hyper and never laxer, so that both find the
/// same end.
struct ChunkedBody {
    state: ChunkState,
    /// Bytes of extensions and trailers so far.
    extra: usize,
}

/// The next expected part of a body in chunks.
#[rustfmt::skip]
enum ChunkState {
    /// A digit of a chunk's size, or what ends it.
    Size { digits: u32, size: u64 },
    /// The rest of the line after the size.
    Extension { size: u64 },
    /// The line feed after the size.
    SizeEnd { size: u64 },
    /// This many bytes of data.
    Data(u64),
    /// The carriage return after the data.
    DataEnd,
    /// The line feed after the data.
    DataFeed,
    /// A trailer line; an empty one is the last.
    Trailer { empty: bool },
    /// The line feed after a trailer line.
    TrailerEnd { empty: bool },
    Complete,
}

/// The bytes are not a valid chunk.
#[derive(Debug, PartialEq, Eq)]
struct InvalidChunk;

impl ChunkedBody {
    fn new() -> Self {
        ChunkedBody {
            state: SIZE,
            extra: 0,
        }
    }

    fn is_complete(&self) -> bool {
        matches!(self.state, ChunkState::Complete)
    }

    /// How many of these bytes belong to the body. After an error none of them may be read.
    fn consume(&mut self, bytes: &[u8]) -> Result<usize, InvalidChunk> {
        let mut at = 0;
        while at < bytes.len() && !self.is_complete() {
            if let ChunkState::Data(left) = &mut self.state {
                let rest = bytes.len() - at;
                let passes = usize::try_from(*left).map_or(rest, |left| left.min(rest));
                *left -= passes as u64;
                if *left == 0 {
                    self.state = ChunkState::DataEnd;
                }
                at += passes;
            } else {
                self.step(bytes[at])?;
                at += 1;
            }
        }
        Ok(at)
    }

    fn step(&mut self, byte: u8) -> Result<(), InvalidChunk> {
        self.state = match (&self.state, byte) {
            (&ChunkState::Size { digits, size }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F')
                if digits < 15 =>
            {
                let digit = char::from(byte)
                    .to_digit(16)
                    .expect("the pattern takes hexadecimal digits only");
                ChunkState::Size {
                    digits: digits + 1,
                    size: size * 16 + u64::from(digit),
                }
            }
            (&ChunkState::Size { digits: 1.., size }, b'\r') => ChunkState::SizeEnd { size },
            (&ChunkState::Size { digits: 1.., size }, b';') => ChunkState::Extension { size },
            (&ChunkState::Extension { size }, b'\r') => ChunkState::SizeEnd { size },
            (&ChunkState::Extension { size }, _) if byte != b'\n' => {
                self.count_extra_byte()?;
                ChunkState::Extension { size }
            }
            (&ChunkState::SizeEnd { size: 0 }, b'\n') => ChunkState::Trailer { empty: true },
            (&ChunkState::SizeEnd { size }, b'\n') => ChunkState::Data(size),
            (&ChunkState::DataEnd, b'\r') => ChunkState::DataFeed,
            (&ChunkState::DataFeed, b'\n') => SIZE,
            (&ChunkState::Trailer { empty }, b'\r') => ChunkState::TrailerEnd { empty },
            (&ChunkState::Trailer { .. }, _) if byte != b'\n' => {
                self.count_extra_byte()?;
                ChunkState::Trailer { empty: false }
            }
            (&ChunkState::TrailerEnd { empty: true }, b'\n') => ChunkState::Complete,
            (&ChunkState::TrailerEnd { empty: false }, b'\n') => {
                ChunkState::Trailer { empty: true }
            }
            _ => return Err(InvalidChunk),
        };
        Ok(())
    }

    fn count_extra_byte(&mut self) -> Result<(), InvalidChunk> {
        self.extra += 1;
        match self.extra > MAX_EXTRA_BYTES {
            true => Err(InvalidChunk),
            false => Ok(()),
        }
    }
}

const SIZE: ChunkState = ChunkState::Size { digits: 0, size: 0 };

#[cfg(test)]
mod tests {
    use super::*;

    /// What passes when the bytes come in pieces of this size, and what is refused.
    fn passed(bytes: &[u8], piece: usize) -> (String, Option<(u64, MalformedRequest)>, InputState) {
        let refused = RefusedRequest::default();
        let mut gate = RequestGate::new(80, refused.clone());
        let mut all = Vec::new();
        let mut space = [0; 7];
        for piece in bytes.chunks(piece) {
            if gate.input_state() != InputState::Open {
                break;
            }
            let passes = gate.inspect(piece);
            all.extend_from_slice(&piece[..passes]);
            loop {
                let mut into = ReadBuf::new(&mut space);
                if !gate.take_ready(&mut into) {
                    break;
                }
                all.extend_from_slice(into.filled());
            }
        }
        let all = String::from_utf8_lossy(&all).into_owned();
        (all, refused.0.get().copied(), gate.input_state())
    }

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const SENT: &str = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n{\n\n}";
    const CHUNKED: &str =
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\n\n}\r\n0\r\n\r\n";
    const REPLACEMENT: &str = "GET / HTTP/1.1\r\n\r\n";

    #[test]
    fn valid_requests_pass_as_they_are_however_they_come() {
        let all = [GET, SENT, GET, CHUNKED, "\r\n", GET, CHUNKED, SENT, GET].concat();
        for piece in 1..=all.len() {
            let (passed, refused, rest) = passed(all.as_bytes(), piece);
            assert_eq!(
                (passed, refused, rest),
                (all.clone(), None, InputState::Open),
                "{piece}"
            );
        }
    }

    #[test]
    fn nothing_passes_from_a_refused_request_on() {
        let bare = GET.replace("\r\n", "\n");
        for (before, number) in [("", 1), (SENT, 2), (CHUNKED, 2)] {
            let all = [before, &bare, GET].concat();
            let wanted = [before, REPLACEMENT].concat();
            for piece in 1..=all.len() {
                let outcome = passed(all.as_bytes(), piece);
                let malformed = Some((number, MalformedRequest::BareLineFeed));
                assert_eq!(
                    outcome,
                    (wanted.clone(), malformed, InputState::Ended),
                    "{piece}"
                );
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
                Some((1, MalformedRequest::TooLarge))
            );
            let endless = passed(&longer.as_bytes()[..longer.len() - 1], piece);
            assert_eq!(endless.1, None, "it could still end in time");
        }
        assert_eq!(
            passed(&[b'x'; 81], 9).1,
            Some((1, MalformedRequest::TooLarge))
        );
    }

    #[test]
    fn what_can_be_no_request_is_refused_at_once() {
        for begun in ["\x16\x03\x01", "hello world\n", "PRI * HTTP/2.0\r\n"] {
            let (passed, refused, _) = passed(begun.as_bytes(), 1);
            assert_eq!(passed, REPLACEMENT, "{begun:?}");
            assert!(refused.is_some(), "{begun:?}");
        }
    }

    #[test]
    fn chunks_that_are_none_break_off() {
        let all = CHUNKED.replace("4\r\n{", "4\n{");
        let (passed, refused, rest) = passed(all.as_bytes(), 1);
        assert!(passed.ends_with("\r\n\r\n4"), "{passed}");
        assert_eq!((refused, rest), (None, InputState::Broken));
    }

    fn body_length(bytes: &str) -> Result<Option<usize>, InvalidChunk> {
        let mut chunks = ChunkedBody::new();
        let consumed = chunks.consume(bytes.as_bytes())?;
        Ok(chunks.is_complete().then_some(consumed))
    }

    #[test]
    fn a_body_ends_with_the_empty_line_after_its_last_chunk() {
        for (body, ends) in [
            ("0\r\n\r\n", Some(5)),
            ("0\r\n\r\nGET", Some(5)),
            ("3\r\nabc\r\n0\r\n\r\n", Some(13)),
            ("00A;name=value\r\n0123456789\r\n0\r\n\r\n", Some(33)),
            ("0\r\nX-Trailer: a\r\n\r\n", Some(19)),
            ("3\r\nabc\r\n", None),
            ("0\r\n\r", None),
            ("", None),
        ] {
            assert_eq!(body_length(body), Ok(ends), "{body:?}");
        }
    }

    #[test]
    fn what_could_be_read_in_another_way_is_no_chunk() {
        for body in [
            "3\nabc\r\n",
            "3\r\nabc\n",
            "3\r\nabcd\r\n",
            "\r\n",
            " 3\r\nabc\r\n",
            "3 \r\nabc\r\n",
            "0x3\r\nabc\r\n",
            "-3\r\nabc\r\n",
            "3;a\nb\r\n",
            "0\r\n\n",
            "0\r\nX: a\n\r\n",
            "1000000000000000\r\n",
        ] {
            assert_eq!(body_length(body), Err(InvalidChunk), "{body:?}");
        }
        let extension = |length: usize| format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(length));
        assert!(body_length(&extension(MAX_EXTRA_BYTES)).is_ok());
        assert_eq!(
            body_length(&extension(MAX_EXTRA_BYTES + 1)),
            Err(InvalidChunk)
        );
    }
}
