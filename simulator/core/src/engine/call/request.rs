//! What comes in: one request as the adapters hand it over, and the key that it presents. Nothing here is checked
//! against an account yet.

use std::net::IpAddr;

pub use svc_fixtures::contract::Environment;

use crate::engine::state::rejection::Rejection;
pub use crate::scenario::HeaderLines;

/// One request that parsed as HTTP.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The listener it came in on.
    pub environment: Environment,
    /// Who sent it: the TCP peer, or what a trusted proxy says.
    pub peer: IpAddr,
    /// The method, upper case.
    pub method: &'a str,
    /// The path, undecoded.
    pub path: &'a str,
    /// The query string without its question mark.
    pub query: &'a str,
    /// The headers the service looks at.
    pub headers: Headers<'a>,
    /// The body, or why there is none.
    pub body: Body<'a>,
}

/// The headers the service looks at, and all others.
#[derive(Debug, Clone, Copy, Default)]
#[expect(missing_docs, reason = "each field is the header of that name")]
pub struct Headers<'a> {
    /// Every line of them, for the call log; none where the call was made in process.
    pub all: Option<&'a dyn HeaderLines>,
    pub authorization: Header<'a>,
    pub content_type: Header<'a>,
    pub content_encoding: Header<'a>,
    pub idempotency_key: Header<'a>,
    pub reference_id: Header<'a>,
}

/// A header's value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Header<'a> {
    /// It was not sent.
    #[default]
    Absent,
    /// It was sent once.
    One(&'a [u8]),
    /// It was sent more than once, so nobody can say which counts.
    Many,
}

impl<'a> Header<'a> {
    /// The value as text, where it was sent once, is UTF-8 and has no control characters.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        match self {
            Header::One(value) => std::str::from_utf8(value)
                .ok()
                .filter(|text| is_printable(text)),
            Header::Absent | Header::Many => None,
        }
    }
}

/// Without control characters. Nearly all texts are plain ASCII, which needs no decoding.
fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) || !text.chars().any(char::is_control)
}

/// The body of a request.
#[derive(Debug, Clone, Copy)]
pub enum Body<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// More than the limit; it was not read to its end.
    TooLarge,
    /// It did not arrive in time, or the connection broke.
    Incomplete,
}

/// An API key as a call presents it. Its text is a secret: it has no `Display`, and its `Debug`
/// does not show it.
#[derive(Clone, Copy)]
pub struct Credential<'a> {
    /// The text.
    pub key: &'a str,
}

/// The key in the `Authorization` header.
///
/// # Errors
/// [`Rejection::NoCredential`] unless the header was sent once, with the scheme `Bearer` (in any
/// case, as schemes are) and one word after it.
pub fn credential<'a>(call: &Call<'a>) -> Result<Credential<'a>, Rejection> {
    let Header::One(value) = call.headers.authorization else {
        return Err(Rejection::NoCredential);
    };
    let (scheme, word) = value
        .split_at_checked(b"Bearer ".len())
        .ok_or(Rejection::NoCredential)?;
    let key = std::str::from_utf8(word).map_err(|_| Rejection::NoCredential)?;
    let key = key.trim_matches(' ');
    let usable = scheme.eq_ignore_ascii_case(b"bearer ") && !key.is_empty() && !key.contains(' ');
    usable
        .then_some(Credential { key })
        .ok_or(Rejection::NoCredential)
}

impl std::fmt::Debug for Credential<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Credential")
    }
}
