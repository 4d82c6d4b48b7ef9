//! The head of a request, read before hyper reads it, by the parser hyper has: where the request ends,
//! and why it is refused when two readers could understand it differently. Does no input or output.

use std::fmt;
use std::mem::MaybeUninit;

use http::Uri;
use http::uri::Authority;
use memchr::memchr_iter;

/// So many header lines, as hyper takes them.
const MAX_HEADERS: usize = 100;

/// What follows a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// So many bytes.
    Bytes(u64),
    /// Chunks, up to the one that says it is the last.
    Chunks,
}

/// Why a request is refused before anybody asks what it wants. Its connection ends with the answer:
/// where the next request begins is anyone's guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// It does not begin as a request does.
    NotHttp,
    /// Another version than 1.0 and 1.1.
    Version,
    /// The target is neither a path nor a URL.
    Target,
    /// A header line that is none.
    HeaderLine,
    /// A line that ends with a line feed alone.
    BareLineFeed,
    /// The head is longer than the limit.
    TooLarge,
    /// It has too many header lines.
    TooManyHeaders,
    /// `Host` is missing, given more than once, or no host.
    Host,
    /// The target is a URL of another host than `Host`.
    OtherHost,
    /// A length that is no whole number, or more than one.
    Length,
    /// An encoding other than `chunked`, or one in HTTP/1.0.
    Encoding,
    /// A length and chunks.
    LengthAndChunks,
}

impl fmt::Display for Flaw {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Flaw::NotHttp => "the request does not begin with a method, a target and HTTP/1.1",
            Flaw::Version => "the request must be HTTP/1.1 or HTTP/1.0",
            Flaw::Target => "the request's target must be a path, or a URL of at most 65534 bytes",
            Flaw::HeaderLine => {
                "a header line must be a name, a colon right after it, and a value without control \
                 characters"
            }
            Flaw::BareLineFeed => {
                "every line of the request's head must end with CR LF, not with a line feed alone"
            }
            Flaw::TooLarge => "the request's head is longer than the limit",
            Flaw::TooManyHeaders => "the request has more than 100 header lines",
            Flaw::Host => "Host: must be sent once and be a host, with or without a port",
            Flaw::OtherHost => "Host: must be the host of the request's target",
            Flaw::Length => "Content-Length: must be sent at most once and be a whole number",
            Flaw::Encoding => {
                "Transfer-Encoding: must be chunked, sent once, in a request of HTTP/1.1"
            }
            Flaw::LengthAndChunks => {
                "Content-Length and Transfer-Encoding must not be sent together"
            }
        })
    }
}

/// Where the head at the beginning of these bytes ends, if it does. What was searched before is not
/// searched again.
pub(super) fn end(bytes: &[u8], searched: usize) -> Option<usize> {
    let start = blank(bytes);
    let from = searched.saturating_sub(2).max(start);
    memchr_iter(b'\n', bytes.get(from..)?)
        .map(|at| from + at)
        .find(|&at| matches!(&bytes[start..at], [.., b'\n', b'\r'] | [.., b'\n']))
        .map(|at| at + 1)
}

/// How many bytes of empty lines stand before the head. Old clients end a body with one.
fn blank(bytes: &[u8]) -> usize {
    let other = |byte: &u8| !matches!(byte, b'\r' | b'\n');
    bytes
        .iter()
        .take(4)
        .position(other)
        .unwrap_or(bytes.len().min(4))
}

/// What can already be said against a head that has not arrived whole.
pub(super) fn hopeless(bytes: &[u8]) -> Option<Flaw> {
    let begun = bytes.get(blank(bytes)..).unwrap_or_default();
    match begun.first() {
        Some(first) if !first.is_ascii_alphanumeric() && !b"!#$%&'*+-.^_`|~".contains(first) => {
            Some(Flaw::NotHttp)
        }
        _ => parsed(begun, |_, _| Ok(())).err(),
    }
}

/// What follows a whole head.
///
/// # Errors
/// Why it is refused.
pub(super) fn body_after(head: &[u8]) -> Result<Body, Flaw> {
    // The end was found before, so that it is whole.
    let (_, body) = whole(head)?.ok_or(Flaw::NotHttp)?;
    Ok(body)
}

/// How long the head at the beginning of these bytes is and what follows it, where it is whole.
///
/// # Errors
/// Why it is refused, or that what came so far can't be understood; where it ends is not known then.
pub(super) fn whole(bytes: &[u8]) -> Result<Option<(usize, Body)>, Flaw> {
    parsed(bytes, |request, length| {
        let bare = |at: usize| at == 0 || bytes[at - 1] != b'\r';
        if memchr_iter(b'\n', &bytes[..length]).any(bare) {
            return Err(Flaw::BareLineFeed);
        }
        Ok((length, framing(request)?))
    })
}

/// Lets hyper's parser read the head, and then somebody look at it where it is whole.
fn parsed<T>(
    head: &[u8],
    look: impl FnOnce(&httparse::Request<'_, '_>, usize) -> Result<T, Flaw>,
) -> Result<Option<T>, Flaw> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(head, &mut headers) {
        Ok(httparse::Status::Complete(length)) => look(&request, length).map(Some),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::Version) => Err(Flaw::Version),
        Err(httparse::Error::Token) if request.method.is_some() => Err(Flaw::Target),
        Err(httparse::Error::TooManyHeaders) => Err(Flaw::TooManyHeaders),
        Err(httparse::Error::HeaderName | httparse::Error::HeaderValue) => Err(Flaw::HeaderLine),
        Err(_) => Err(Flaw::NotHttp),
    }
}

fn framing(request: &httparse::Request<'_, '_>) -> Result<Body, Flaw> {
    let is_1_1 = request.version == Some(1);
    let (mut host, mut length, mut chunks) = (None, None, false);
    for header in &*request.headers {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        if is("host") {
            if host.replace(header.value).is_some() {
                return Err(Flaw::Host);
            }
        } else if is("content-length") {
            if length.replace(whole_number(header.value)?).is_some() {
                return Err(Flaw::Length);
            }
        } else if is("transfer-encoding") {
            if chunks || !is_1_1 || !header.value.eq_ignore_ascii_case(b"chunked") {
                return Err(Flaw::Encoding);
            }
            chunks = true;
        }
    }
    let target = authority(request.path.unwrap_or_default())?;
    match (host, target) {
        (None, _) if is_1_1 => return Err(Flaw::Host),
        (None | Some(b""), None) | (None, Some(_)) => {}
        (Some(host), None) if is_plain_host(host) => {}
        (Some(host), target) => same_host(host, target.as_ref())?,
    }
    match (length, chunks) {
        (Some(_), true) => Err(Flaw::LengthAndChunks),
        (None, true) => Ok(Body::Chunks),
        (length, false) => Ok(Body::Bytes(length.unwrap_or(0))),
    }
}

/// The host that a target names, where it is a URL. Nearly all are plain paths, and cost nothing.
fn authority(target: &str) -> Result<Option<Authority>, Flaw> {
    let plain = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'/' | b'-' | b'.' | b'_' | b'~' | b'%' | b'?' | b'=' | b'&'
            )
    };
    if target.len() < 1000 && target.starts_with('/') && target.bytes().all(plain) {
        return Ok(None);
    }
    let target = target.parse::<Uri>().map_err(|_| Flaw::Target)?;
    Ok(target.into_parts().authority)
}

/// A name or an address of IPv4, with or without a port.
fn is_plain_host(host: &[u8]) -> bool {
    let colon = host.iter().position(|&byte| byte == b':');
    let (name, port) = host.split_at(colon.unwrap_or(host.len()));
    let plain = |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let digits = port
        .get(1..)
        .is_none_or(|port| port.iter().all(u8::is_ascii_digit));
    !name.is_empty() && name.iter().all(plain) && port.len() != 1 && digits
}

/// Digits and nothing else; hyper keeps the two highest lengths for itself.
fn whole_number(value: &[u8]) -> Result<u64, Flaw> {
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(value).ok().filter(|_| digits);
    let number = number.and_then(|number| number.parse().ok());
    number
        .filter(|&number| number < u64::MAX - 1)
        .ok_or(Flaw::Length)
}

/// A request to a proxy names its host twice, and both must be the same.
fn same_host(host: &[u8], target: Option<&Authority>) -> Result<(), Flaw> {
    let host = Authority::try_from(host).map_err(|_| Flaw::Host)?;
    // What comes before or after it: a user is none of a host, and a port is a number.
    let port = host.as_str().strip_prefix(host.host());
    let port = port.map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    if !port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(Flaw::Host);
    }
    match target {
        Some(target) if *target != host => Err(Flaw::OtherHost),
        _ => Ok(()),
    }
}

/// The head that hyper reads in place of a refused one: it asks for what the refused one asks for, as
/// far as that can be made out, so that the answer can say what it answers.
pub(super) fn in_place_of(refused: &[u8]) -> Vec<u8> {
    let mut lines = refused.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.by_ref().find(|line| !line.is_empty());
    let mut words = line.unwrap_or_default().split(|&byte| byte == b' ');
    // Whoever asks for a head alone must not be sent more.
    let method = match words.next() {
        Some(b"HEAD") => "HEAD",
        _ => "GET",
    };
    let path = words.next().and_then(|word| std::str::from_utf8(word).ok());
    let path = path.filter(|path| path.parse::<Uri>().is_ok_and(|uri| uri.scheme().is_none()));
    let path = path.filter(|path| path.starts_with('/')).unwrap_or("/");
    let mut head = format!("{method} {path} HTTP/1.1\r\n").into_bytes();
    for line in lines.take_while(|line| !line.is_empty()) {
        let name = b"x-reference-id:";
        let named = line.get(..name.len());
        let clean = |line: &[u8]| line.iter().all(|&byte| byte >= b' ' && byte != 0x7f);
        if named.is_some_and(|named| named.eq_ignore_ascii_case(name)) && clean(line) {
            head.extend_from_slice(line);
            head.extend_from_slice(b"\r\n");
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(head: &str) -> Result<Body, Flaw> {
        body_after(head.as_bytes())
    }

    fn with(lines: &str) -> Result<Body, Flaw> {
        after(&format!("GET / HTTP/1.1\r\n{lines}\r\n"))
    }

    #[test]
    fn a_head_ends_with_its_first_empty_line() {
        for (text, ends) in [
            ("GET / HTTP/1.1\r\n\r\nrest", Some(18)),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", Some(27)),
            ("\r\nGET / HTTP/1.1\r\n\r\n", Some(20)),
            ("GET / HTTP/1.1\n\n", Some(16)),
            ("GET / HTTP/1.1\r\n\n", Some(17)),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r", None),
            ("\r\n\r\n", None),
            ("", None),
        ] {
            assert_eq!(end(text.as_bytes(), 0), ends, "{text:?}");
            for searched in 0..ends.unwrap_or(text.len()) {
                assert_eq!(end(text.as_bytes(), searched), ends, "{text:?} {searched}");
            }
        }
    }

    #[test]
    fn a_sound_head_ends_where_the_parser_says() {
        let line = "GET / HTTP/1.1\r\nHost: a\r\n";
        for before in ["", "\r\n", "\r\n\r\n", "\r\n\r\n\r\n"] {
            for after in ["", "{}", "\r\n\r\n", "\n", line] {
                let text = format!("{before}{line}X: \t\r\n\r\n{after}");
                let whole = whole(text.as_bytes());
                let ends = end(text.as_bytes(), 0).map(|at| (at, Body::Bytes(0)));
                assert_eq!(whole, Ok(ends), "{text:?}");
            }
        }
    }

    #[test]
    fn the_body_is_as_long_as_its_one_length_says() {
        let host = "Host: a\r\n";
        for (lines, body) in [
            ("", Ok(Body::Bytes(0))),
            ("Content-Length: 0\r\n", Ok(Body::Bytes(0))),
            ("content-length:  12  \r\n", Ok(Body::Bytes(12))),
            (
                "Content-Length: 18446744073709551613\r\n",
                Ok(Body::Bytes(u64::MAX - 2)),
            ),
            (
                "Content-Length: 18446744073709551614\r\n",
                Err(Flaw::Length),
            ),
            (
                "Content-Length: 18446744073709551616\r\n",
                Err(Flaw::Length),
            ),
            ("Content-Length: -1\r\n", Err(Flaw::Length)),
            ("Content-Length: +1\r\n", Err(Flaw::Length)),
            ("Content-Length: 1, 1\r\n", Err(Flaw::Length)),
            ("Content-Length: \r\n", Err(Flaw::Length)),
            (
                "Content-Length: 1\r\nContent-Length: 1\r\n",
                Err(Flaw::Length),
            ),
            ("Transfer-Encoding: Chunked\r\n", Ok(Body::Chunks)),
            ("Transfer-Encoding: gzip, chunked\r\n", Err(Flaw::Encoding)),
            ("Transfer-Encoding: identity\r\n", Err(Flaw::Encoding)),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                Err(Flaw::Encoding),
            ),
            (
                "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
                Err(Flaw::LengthAndChunks),
            ),
        ] {
            assert_eq!(with(&format!("{host}{lines}")), body, "{lines:?}");
        }
    }

    #[test]
    fn a_request_is_for_one_host() {
        let none = Ok(Body::Bytes(0));
        for (head, body) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", none),
            ("GET / HTTP/1.1\r\nHost: [::1]:8801\r\n\r\n", none),
            ("GET / HTTP/1.0\r\n\r\n", none),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", none),
            ("GET http://a:1/ HTTP/1.1\r\nHost: A:1\r\n\r\n", none),
            ("GET / HTTP/1.1\r\n\r\n", Err(Flaw::Host)),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
                Err(Flaw::Host),
            ),
            (
                "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
                Err(Flaw::Host),
            ),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", Err(Flaw::Host)),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", Err(Flaw::Host)),
            ("GET / HTTP/1.1\r\nHost: a:8:8\r\n\r\n", Err(Flaw::Host)),
            ("GET / HTTP/1.1\r\nHost: a:x\r\n\r\n", Err(Flaw::Host)),
            ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", Err(Flaw::Host)),
            (
                "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
                Err(Flaw::OtherHost),
            ),
            ("GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n", Err(Flaw::Host)),
            (
                "CONNECT b:443 HTTP/1.1\r\nHost: a\r\n\r\n",
                Err(Flaw::OtherHost),
            ),
        ] {
            assert_eq!(after(head), body, "{head:?}");
        }
    }

    #[test]
    fn what_stands_in_asks_for_the_same_as_far_as_it_can_be_made_out() {
        for (refused, instead) in [
            (
                "POST /v1/a?b=c HTTP/1.1\nX-Reference-Id: r 1\nHost: a\n\n",
                "GET /v1/a?b=c HTTP/1.1\r\nX-Reference-Id: r 1\r\n\r\n",
            ),
            ("HEAD /a HTTP/9.9\r\n\r\n", "HEAD /a HTTP/1.1\r\n\r\n"),
            ("GET http://b/a HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"),
            ("what\0", "GET / HTTP/1.1\r\n\r\n"),
            ("", "GET / HTTP/1.1\r\n\r\n"),
            (
                "GET / HTTP/1.1\r\nX-Reference-Id: \u{7}\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
            ),
        ] {
            let read = in_place_of(refused.as_bytes());
            assert_eq!(String::from_utf8_lossy(&read), instead, "{refused:?}");
        }
    }
}
