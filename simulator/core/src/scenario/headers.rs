//! The headers of a request, as conditions ask for them: which may be asked for, and what one says. Keeps no secret: what
//! stands in a header of credentials is never looked at.

use std::borrow::Cow;
use std::sync::Arc;

use http::HeaderMap;

/// Header lines as somebody has them.
pub trait HeaderLines: Sync + std::fmt::Debug {
    /// Gives each line: the name in lower case, and the value.
    fn each(&self, line: &mut dyn FnMut(&str, &[u8]));
}

/// Headers that a call sends beside those that mean something to the service: the name in lower case, and the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MoreHeaders(pub Vec<(String, String)>);

impl MoreHeaders {
    /// None.
    pub const NONE: &'static MoreHeaders = &MoreHeaders(Vec::new());
}

impl HeaderLines for MoreHeaders {
    fn each(&self, line: &mut dyn FnMut(&str, &[u8])) {
        for (name, value) in &self.0 {
            line(name, value.as_bytes());
        }
    }
}

/// HTTP does not tell names apart by case, nor the order of lines with different names.
impl HeaderLines for HeaderMap {
    fn each(&self, line: &mut dyn FnMut(&str, &[u8])) {
        for (name, value) in self {
            line(name.as_str(), value.as_bytes());
        }
    }
}

/// A header that a condition can ask for. The credential is not one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderName {
    /// `X-Reference-Id`
    ReferenceId,
    /// `Idempotency-Key`
    IdempotencyKey,
    /// `Content-Type`
    ContentType,
    /// Another one, in lower case.
    Other(Arc<str>),
}

/// Why a header can't be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderRefusal {
    /// No header is called so.
    NoName,
    /// What stands in it is a secret.
    Secret,
    /// It is nearly one that means something to the service, and is hardly another one.
    Misspelt,
}

/// The most letters by which a name differs from one that is misspelt.
const SLIP: usize = 2;

impl HeaderName {
    /// Those that mean something to the service.
    pub const ALL: [HeaderName; 3] = [
        HeaderName::ReferenceId,
        HeaderName::IdempotencyKey,
        HeaderName::ContentType,
    ];

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            HeaderName::ReferenceId => "X-Reference-Id",
            HeaderName::IdempotencyKey => "Idempotency-Key",
            HeaderName::ContentType => "Content-Type",
            HeaderName::Other(name) => name,
        }
    }

    /// The header of that name, in any case.
    ///
    /// # Errors
    /// Why no condition can ask for it.
    pub fn parse(text: &str) -> Result<Self, HeaderRefusal> {
        let mut all = Self::ALL.into_iter();
        if let Some(known) = all.find(|name| name.as_str().eq_ignore_ascii_case(text)) {
            return Ok(known);
        }
        let of_names =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if text.is_empty() || text.len() > LONGEST_NAME || !text.bytes().all(of_names) {
            return Err(HeaderRefusal::NoName);
        }
        let lower = text.to_ascii_lowercase();
        let slip = |known: &HeaderName| {
            strsim::osa_distance(&known.as_str().to_ascii_lowercase(), &lower) <= SLIP
        };
        match (names_a_secret(&lower), Self::ALL.iter().any(slip)) {
            (true, _) => Err(HeaderRefusal::Secret),
            (_, true) => Err(HeaderRefusal::Misspelt),
            _ => Ok(HeaderName::Other(lower.into())),
        }
    }
}

/// No header that is sent has a longer name.
const LONGEST_NAME: usize = 100;

/// What the header of this name in lower case says, where it was sent once, as text without control characters.
pub(super) fn find(lines: &dyn HeaderLines, name: &str) -> Option<Cow<'static, str>> {
    let (mut found, mut times) = (None, 0);
    lines.each(&mut |line, value| {
        if line == name {
            times += 1;
            found = std::str::from_utf8(value).ok().map(str::to_owned);
        }
    });
    let plain = |text: &String| !text.chars().any(char::is_control);
    found
        .filter(|text| times == 1 && plain(text))
        .map(Cow::Owned)
}

/// Whether the name of a header or a parameter says that its value is a secret: one of its words does. An idempotency key
/// is none.
#[must_use]
pub fn names_a_secret(name: &str) -> bool {
    const SECRET: [&str; 18] = [
        "auth",
        "authorization",
        "authentication",
        "cookie",
        "cookie2",
        "token",
        "secret",
        "password",
        "passwd",
        "pwd",
        "session",
        "sessionid",
        "credential",
        "credentials",
        "apikey",
        "key",
        "jwt",
        "signature",
    ];
    let not_alphanumeric = |letter: char| !letter.is_ascii_alphanumeric();
    let is_secret = |word: &str| SECRET.iter().any(|it| it.eq_ignore_ascii_case(word));
    !name.eq_ignore_ascii_case("idempotency-key") && {
        let joined = [
            "apikey",
            "accesstoken",
            "accesskey",
            "authtoken",
            "clientsecret",
        ];
        let mut words = name.split(not_alphanumeric);
        words.any(|word| is_secret(word) || joined.iter().any(|it| it.eq_ignore_ascii_case(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_may_ask_for_any_header_but_a_secret() {
        let other = |name: &str| Ok(HeaderName::Other(name.into()));
        for (name, expected) in [
            ("x-reference-id", Ok(HeaderName::ReferenceId)),
            ("X-Partner", other("x-partner")),
            ("User-Agent", other("user-agent")),
            ("traceparent", other("traceparent")),
            ("X-Reference-Ids", Err(HeaderRefusal::Misspelt)),
            ("Authorization", Err(HeaderRefusal::Secret)),
            ("X-Api-Key", Err(HeaderRefusal::Secret)),
            ("Cookie", Err(HeaderRefusal::Secret)),
            ("X Partner", Err(HeaderRefusal::NoName)),
            ("", Err(HeaderRefusal::NoName)),
        ] {
            assert_eq!(HeaderName::parse(name), expected, "{name}");
        }
    }

    #[test]
    fn a_header_says_something_where_it_was_sent_once_as_text() {
        let line = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let sent = MoreHeaders(vec![
            line("x-one", "a"),
            line("x-two", "a"),
            line("x-two", "b"),
            line("x-control", "a\u{7f}"),
        ]);
        assert_eq!(find(&sent, "x-one").as_deref(), Some("a"));
        for name in ["x-two", "x-control", "x-none"] {
            assert_eq!(find(&sent, name), None, "{name}");
        }
    }
}
