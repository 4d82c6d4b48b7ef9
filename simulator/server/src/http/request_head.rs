//! Parses the head of a request before hyper does, with the parser that hyper uses, and refuses every
//! head that two HTTP implementations could read differently. Does no input or output.

use std::mem::MaybeUninit;

use http::Uri;
use http::uri::Authority;
use memchr::memchr_iter;

/// The most header lines. No clause bounds them: it is hyper's own limit.
const MAX_HEADERS: usize = 100;

/// How the end of the body is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// The body has this many bytes.
    Length(u64),
    /// The body comes in chunks, the last of which is empty.
    Chunked,
}

/// Why a request is refused before it is routed. The connection ends with the answer, because nobody
/// can tell where the next request begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MalformedRequest {
    /// The bytes do not begin like an HTTP request.
    #[error("the request does not begin with a method, a target and HTTP/1.1")]
    NotHttp,
    /// The version is neither 1.0 nor 1.1.
    #[error("the request must be HTTP/1.1 or HTTP/1.0")]
    Version,
    /// The target is neither a path nor a URL.
    #[error("the request's target must be a path, or a URL of at most 65534 bytes")]
    Target,
    /// A header line has no valid name or value.
    #[error(
        "a header line must be a name, a colon right after it, and a value without control characters"
    )]
    HeaderLine,
    /// A line ends with a line feed without a carriage return.
    #[error("every line of the request's head must end with CR LF, not with a line feed alone")]
    BareLineFeed,
    /// The head is longer than the limit.
    #[error("the request's head is longer than the limit")]
    TooLarge,
    /// The head has too many header lines.
    #[error("the request has more than 100 header lines")]
    TooManyHeaders,
    /// `Host` is missing, repeated, or not a host.
    #[error("Host: must be sent once and be a host, with or without a port")]
    Host,
    /// The target is a URL whose host is not the one in `Host`.
    #[error("Host: must be the host of the request's target")]
    OtherHost,
    /// `Content-Length` is repeated or not a whole number.
    #[error("Content-Length: must be sent at most once and be a whole number")]
    Length,
    /// `Transfer-Encoding` is not `chunked`, is repeated, or comes with HTTP/1.0.
    #[error("Transfer-Encoding: must be chunked, sent once, in a request of HTTP/1.1")]
    Encoding,
    /// `Content-Length` and `Transfer-Encoding` are both sent.
    #[error("Content-Length and Transfer-Encoding must not be sent together")]
    LengthAndChunks,
}

/// The length of the head at the beginning of these bytes, if its end is there. The first `searched`
/// bytes are known not to hold the end.
pub(super) fn find_end(bytes: &[u8], searched: usize) -> Option<usize> {
    let start = leading_line_breaks(bytes);
    let from = searched.saturating_sub(2).max(start);
    memchr_iter(b'\n', bytes.get(from..)?)
        .map(|at| from + at)
        .find(|&at| matches!(&bytes[start..at], [.., b'\n', b'\r'] | [.., b'\n']))
        .map(|at| at + 1)
}

/// How many bytes of line breaks come before the head. Some old clients send one after a body.
fn leading_line_breaks(bytes: &[u8]) -> usize {
    let other = |byte: &u8| !matches!(byte, b'\r' | b'\n');
    bytes
        .iter()
        .take(4)
        .position(other)
        .unwrap_or(bytes.len().min(4))
}

/// Why an incomplete head can never become a valid one, if that is certain already.
pub(super) fn early_error(bytes: &[u8]) -> Option<MalformedRequest> {
    let begun = bytes.get(leading_line_breaks(bytes)..).unwrap_or_default();
    match begun.first() {
        Some(first) if !first.is_ascii_alphanumeric() && !b"!#$%&'*+-.^_`|~".contains(first) => {
            Some(MalformedRequest::NotHttp)
        }
        _ => parse_with(begun, |_, _| Ok(())).err(),
    }
}

/// How the body after a complete head ends.
///
/// # Errors
/// Why the head is refused.
pub(super) fn framing_of(head: &[u8]) -> Result<Framing, MalformedRequest> {
    // The caller has found the end, so the head is complete.
    let (_, body) = parse(head)?.ok_or(MalformedRequest::NotHttp)?;
    Ok(body)
}

/// The length of the head at the beginning of these bytes and how its body ends; `None` while the head
/// is incomplete.
///
/// # Errors
/// Why the head is refused, complete or not; its length is unknown then.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(usize, Framing)>, MalformedRequest> {
    parse_with(bytes, |request, length| {
        let bare = |at: usize| at == 0 || bytes[at - 1] != b'\r';
        if memchr_iter(b'\n', &bytes[..length]).any(bare) {
            return Err(MalformedRequest::BareLineFeed);
        }
        Ok((length, framing(request)?))
    })
}

/// Parses the head with hyper's parser and calls `look` when it is complete.
fn parse_with<T>(
    head: &[u8],
    look: impl FnOnce(&httparse::Request<'_, '_>, usize) -> Result<T, MalformedRequest>,
) -> Result<Option<T>, MalformedRequest> {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    match request.parse_with_uninit_headers(head, &mut headers) {
        Ok(httparse::Status::Complete(length)) => look(&request, length).map(Some),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::Version) => Err(MalformedRequest::Version),
        Err(httparse::Error::Token) if request.method.is_some() => Err(MalformedRequest::Target),
        Err(httparse::Error::TooManyHeaders) => Err(MalformedRequest::TooManyHeaders),
        Err(httparse::Error::HeaderName | httparse::Error::HeaderValue) => {
            Err(MalformedRequest::HeaderLine)
        }
        Err(_) => Err(MalformedRequest::NotHttp),
    }
}

fn framing(request: &httparse::Request<'_, '_>) -> Result<Framing, MalformedRequest> {
    let is_1_1 = request.version == Some(1);
    let (mut host, mut length, mut chunks) = (None, None, false);
    for header in &*request.headers {
        let is = |name: &str| header.name.eq_ignore_ascii_case(name);
        // Nearly all headers are none of these, as their length says.
        if !matches!(header.name.len(), 4 | 14 | 17) {
            continue;
        }
        if is("host") {
            if host.replace(header.value).is_some() {
                return Err(MalformedRequest::Host);
            }
        } else if is("content-length") {
            if length.replace(content_length(header.value)?).is_some() {
                return Err(MalformedRequest::Length);
            }
        } else if is("transfer-encoding") {
            if chunks || !is_1_1 || !header.value.eq_ignore_ascii_case(b"chunked") {
                return Err(MalformedRequest::Encoding);
            }
            chunks = true;
        }
    }
    let target = authority(request.path.unwrap_or_default())?;
    match (host, target) {
        (None, _) if is_1_1 => return Err(MalformedRequest::Host),
        (None | Some(b""), None) | (None, Some(_)) => {}
        (Some(host), None) if is_plain_host(host) => {}
        (Some(host), target) => check_host(host, target.as_ref())?,
    }
    match (length, chunks) {
        (Some(_), true) => Err(MalformedRequest::LengthAndChunks),
        (None, true) => Ok(Framing::Chunked),
        (length, false) => Ok(Framing::Length(length.unwrap_or(0))),
    }
}

/// Whether a byte of a path or a query says nothing of a host, for every byte.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let it = byte as u8;
        plain[byte] = it.is_ascii_alphanumeric()
            || matches!(
                it,
                b'/' | b'-' | b'.' | b'_' | b'~' | b'%' | b'?' | b'=' | b'&'
            );
        byte += 1;
    }
    plain
};

/// The host of a target that is a URL. Nearly all targets are plain paths, which are not parsed.
fn authority(target: &str) -> Result<Option<Authority>, MalformedRequest> {
    let is_plain = |byte: u8| PLAIN[usize::from(byte)];
    if target.len() < 1000 && target.starts_with('/') && target.bytes().all(is_plain) {
        return Ok(None);
    }
    let target = target
        .parse::<Uri>()
        .map_err(|_| MalformedRequest::Target)?;
    Ok(target.into_parts().authority)
}

/// Whether the host is a name or an IPv4 address, with or without a port.
fn is_plain_host(host: &[u8]) -> bool {
    let colon = host.iter().position(|&byte| byte == b':');
    let (name, port) = host.split_at(colon.unwrap_or(host.len()));
    let plain = |&byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let digits = port
        .get(1..)
        .is_none_or(|port| port.iter().all(u8::is_ascii_digit));
    !name.is_empty() && name.iter().all(plain) && port.len() != 1 && digits
}

/// The value of `Content-Length`: digits only. Hyper reserves the two highest numbers.
fn content_length(value: &[u8]) -> Result<u64, MalformedRequest> {
    let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
    let number = std::str::from_utf8(value).ok().filter(|_| digits);
    let number = number.and_then(|number| number.parse().ok());
    number
        .filter(|&number| number < u64::MAX - 1)
        .ok_or(MalformedRequest::Length)
}

/// Checks that `Host` is valid and, where the target is a URL, names the same host.
fn check_host(host: &[u8], target: Option<&Authority>) -> Result<(), MalformedRequest> {
    let host = Authority::try_from(host).map_err(|_| MalformedRequest::Host)?;
    // An authority may also have user information, which `Host` may not, and any text as port.
    let port = host.as_str().strip_prefix(host.host());
    let port = port.map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    if !port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(MalformedRequest::Host);
    }
    match target {
        Some(target) if *target != host => Err(MalformedRequest::OtherHost),
        _ => Ok(()),
    }
}

/// The head that hyper reads instead of a malformed one. It keeps path, method and `X-Reference-Id`
/// where they can be read, because the error answer repeats them.
pub(super) fn replacement_for(refused: &[u8]) -> Vec<u8> {
    let mut lines = refused.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let line = lines.by_ref().find(|line| !line.is_empty());
    let mut words = line.unwrap_or_default().split(|&byte| byte == b' ');
    // The answer to HEAD must have no body.
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

    fn after(head: &str) -> Result<Framing, MalformedRequest> {
        framing_of(head.as_bytes())
    }

    fn with(lines: &str) -> Result<Framing, MalformedRequest> {
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
            assert_eq!(find_end(text.as_bytes(), 0), ends, "{text:?}");
            for searched in 0..ends.unwrap_or(text.len()) {
                assert_eq!(
                    find_end(text.as_bytes(), searched),
                    ends,
                    "{text:?} {searched}"
                );
            }
        }
    }

    #[test]
    fn a_valid_head_ends_where_the_parser_says() {
        let line = "GET / HTTP/1.1\r\nHost: a\r\n";
        for before in ["", "\r\n", "\r\n\r\n", "\r\n\r\n\r\n"] {
            for after in ["", "{}", "\r\n\r\n", "\n", line] {
                let text = format!("{before}{line}X: \t\r\n\r\n{after}");
                let parsed = parse(text.as_bytes());
                let ends = find_end(text.as_bytes(), 0).map(|at| (at, Framing::Length(0)));
                assert_eq!(parsed, Ok(ends), "{text:?}");
            }
        }
    }

    #[test]
    fn the_body_is_as_long_as_its_one_length_says() {
        let host = "Host: a\r\n";
        for (lines, body) in [
            ("", Ok(Framing::Length(0))),
            ("Content-Length: 0\r\n", Ok(Framing::Length(0))),
            ("content-length:  12  \r\n", Ok(Framing::Length(12))),
            (
                "Content-Length: 18446744073709551613\r\n",
                Ok(Framing::Length(u64::MAX - 2)),
            ),
            (
                "Content-Length: 18446744073709551614\r\n",
                Err(MalformedRequest::Length),
            ),
            (
                "Content-Length: 18446744073709551616\r\n",
                Err(MalformedRequest::Length),
            ),
            ("Content-Length: -1\r\n", Err(MalformedRequest::Length)),
            ("Content-Length: +1\r\n", Err(MalformedRequest::Length)),
            ("Content-Length: 1, 1\r\n", Err(MalformedRequest::Length)),
            ("Content-Length: \r\n", Err(MalformedRequest::Length)),
            (
                "Content-Length: 1\r\nContent-Length: 1\r\n",
                Err(MalformedRequest::Length),
            ),
            ("Transfer-Encoding: Chunked\r\n", Ok(Framing::Chunked)),
            (
                "Transfer-Encoding: gzip, chunked\r\n",
                Err(MalformedRequest::Encoding),
            ),
            (
                "Transfer-Encoding: identity\r\n",
                Err(MalformedRequest::Encoding),
            ),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                Err(MalformedRequest::Encoding),
            ),
            (
                "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
                Err(MalformedRequest::LengthAndChunks),
            ),
        ] {
            assert_eq!(with(&format!("{host}{lines}")), body, "{lines:?}");
        }
    }

    #[test]
    fn a_request_is_for_one_host() {
        let none = Ok(Framing::Length(0));
        for (head, body) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", none),
            ("GET / HTTP/1.1\r\nHost: [::1]:8801\r\n\r\n", none),
            ("GET / HTTP/1.0\r\n\r\n", none),
            ("GET / HTTP/1.1\r\nHost:\r\n\r\n", none),
            ("GET http://a:1/ HTTP/1.1\r\nHost: A:1\r\n\r\n", none),
            ("GET / HTTP/1.1\r\n\r\n", Err(MalformedRequest::Host)),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET / HTTP/1.1\r\nHost: a:8:8\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET / HTTP/1.1\r\nHost: a:x\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
                Err(MalformedRequest::OtherHost),
            ),
            (
                "GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n",
                Err(MalformedRequest::Host),
            ),
            (
                "CONNECT b:443 HTTP/1.1\r\nHost: a\r\n\r\n",
                Err(MalformedRequest::OtherHost),
            ),
        ] {
            assert_eq!(after(head), body, "{head:?}");
        }
    }

    #[test]
    fn the_replacement_keeps_path_method_and_reference_where_they_can_be_read() {
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
            let replacement = replacement_for(refused.as_bytes());
            assert_eq!(
                String::from_utf8_lossy(&replacement),
                instead,
                "{refused:?}"
            );
        }
    }
}
