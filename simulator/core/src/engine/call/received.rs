//! What of a request the call log keeps (ruling 35), and what of it is blacked out: the log is read by whoever reads the
//! console, and is written to disk.
//!
//! Credentials are black before anything is kept: in `Authorization`, cookies and every other header and query parameter
//! whose name says that it is a secret; and, wherever they stand, in the path and the body, too, all API keys and secrets of
//! webhooks that begin as ours do.

use memchr::{memchr, memmem};

use super::request::{Body, Call, Environment, Header};
use crate::engine::state::received::{ReceivedBody, ReceivedRequest};
use crate::scenario::names_a_secret;

/// So many bytes of a body are kept.
pub const KEPT_BODY_BYTES: usize = 8 * 1024;

/// So many unknown members are named.
pub const NAMED_UNKNOWN_MEMBERS: usize = 32;

/// The headers of nearly all calls are shorter together.
const COMMON_HEAD: usize = 512;

/// What stands in the place of a secret.
pub const BLACK: &str = "***";

/// A request as the call log keeps it.
#[must_use]
pub(super) fn received(call: &Call<'_>, unknown_members: Vec<String>) -> ReceivedRequest {
    let (sent, body) = match call.body {
        Body::Whole(sent) => (kept(sent), {
            let bytes = sent.len() as u64;
            match sent.len() > KEPT_BODY_BYTES {
                true => ReceivedBody::Cut { bytes },
                false => ReceivedBody::Whole { bytes },
            }
        }),
        Body::TooLarge | Body::Incomplete => (&[][..], ReceivedBody::Unread),
    };
    let target = call.method.len() + call.path.len() + call.query.len();
    let mut text = Vec::with_capacity(COMMON_HEAD + target + sent.len());
    text.extend_from_slice(call.method.as_bytes());
    text.push(b' ');
    push_without_keys(&mut text, call.path.as_bytes());
    push_query(&mut text, call.query);
    text.push(b'\n');
    each_header(call, &mut |name, value| {
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b": ");
        push_value(&mut text, name, value);
        text.push(b'\n');
    });
    text.push(b'\n');
    let body_at = text.len();
    push_without_keys(&mut text, sent);
    ReceivedRequest {
        text: text.into(),
        body_at,
        body,
        peer: call.peer,
        unknown_members,
    }
}

/// The beginning of a body. A text is not cut within a character.
fn kept(body: &[u8]) -> &[u8] {
    let Some(mut end) = (body.len() > KEPT_BODY_BYTES).then_some(KEPT_BODY_BYTES) else {
        return body;
    };
    let continues = |byte: u8| byte & 0b1100_0000 == 0b1000_0000;
    while continues(body[end]) && KEPT_BODY_BYTES - end < 3 {
        end -= 1;
    }
    &body[..end]
}

/// Every header line; of a call that was made in process those that the service looks at.
fn each_header(call: &Call<'_>, line: &mut dyn FnMut(&str, &[u8])) {
    let known = &call.headers;
    if let Some(all) = known.all {
        return all.each(line);
    }
    for (name, header) in [
        ("authorization", known.authorization),
        ("content-type", known.content_type),
        ("content-encoding", known.content_encoding),
        ("idempotency-key", known.idempotency_key),
        ("x-reference-id", known.reference_id),
    ] {
        if let Header::One(value) = header {
            line(name, value);
        }
    }
}

/// The value of a header.
fn push_value(text: &mut Vec<u8>, name: &str, value: &[u8]) {
    match name {
        "authorization" | "proxy-authorization" => push_authorization(text, value),
        // Nearly all headers are among these.
        "host" | "user-agent" | "accept" | "accept-encoding" | "connection" | "content-length"
        | "content-type" | "idempotency-key" | "x-reference-id" => push_without_keys(text, value),
        _ if names_a_secret(name) => push_black(text, value),
        _ => push_without_keys(text, value),
    }
}

/// The schemes that may stand before a credential.
const SCHEMES: [&str; 8] = [
    "Bearer",
    "Basic",
    "Digest",
    "Token",
    "ApiKey",
    "Negotiate",
    "NTLM",
    "DPoP",
];

/// The scheme and the prefix of a key stay: they are what goes wrong. Where the scheme is missing, the first word may be
/// the key.
fn push_authorization(text: &mut Vec<u8>, value: &[u8]) {
    let space = value.iter().position(|&byte| byte == b' ');
    let (scheme, rest) = value.split_at(space.unwrap_or(value.len()));
    let known = |scheme: &[u8]| {
        let mut schemes = SCHEMES.iter();
        schemes.any(|known| known.as_bytes().eq_ignore_ascii_case(scheme))
    };
    if !known(scheme) {
        return push_black(text, value);
    }
    text.extend_from_slice(scheme);
    if !rest.is_empty() {
        text.push(b' ');
        push_black(text, rest.trim_ascii_start());
    }
}

/// The secret without all but its prefix, where it is an API key.
fn push_black(text: &mut Vec<u8>, secret: &[u8]) {
    if let Some(prefix) = key_prefix(secret) {
        text.extend_from_slice(prefix.as_bytes());
    }
    if !secret.is_empty() {
        text.extend_from_slice(BLACK.as_bytes());
    }
}

/// The query with its question mark, where there is one.
fn push_query(text: &mut Vec<u8>, query: &str) {
    let mut before = b'?';
    for parameter in query.split('&').filter(|_| !query.is_empty()) {
        text.push(before);
        before = b'&';
        match parameter.split_once('=') {
            Some((name, value)) if names_a_secret(name) => {
                push_without_keys(text, name.as_bytes());
                text.push(b'=');
                push_black(text, value.as_bytes());
            }
            _ => push_without_keys(text, parameter.as_bytes()),
        }
    }
}

/// What secrets of webhooks begin with.
const WEBHOOK_SECRET: &str = "whsec_";

/// Bytes with every API key and every secret of a webhook in them cut to its prefix.
fn push_without_keys(text: &mut Vec<u8>, mut bytes: &[u8]) {
    // Nearly nothing that is sent has what every key has.
    if memchr(b'_', bytes).is_none() {
        text.extend_from_slice(bytes);
        return;
    }
    let in_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    while let Some((at, prefix)) = first_prefix(bytes) {
        let end = at + prefix.len();
        text.extend_from_slice(&bytes[..end]);
        bytes = &bytes[end..];
        let key = bytes.iter().take_while(|byte| in_key(byte)).count();
        if key > 0 {
            text.extend_from_slice(BLACK.as_bytes());
        }
        bytes = &bytes[key..];
    }
    text.extend_from_slice(bytes);
}

fn prefixes() -> impl Iterator<Item = &'static str> {
    let keys = Environment::ALL.into_iter().map(Environment::key_prefix);
    keys.chain([WEBHOOK_SECRET])
}

/// Where the first secret begins, and what it begins with.
fn first_prefix(bytes: &[u8]) -> Option<(usize, &'static str)> {
    let found =
        prefixes().filter_map(|prefix| Some((memmem::find(bytes, prefix.as_bytes())?, prefix)));
    found.min()
}

fn key_prefix(text: &[u8]) -> Option<&'static str> {
    prefixes().find(|prefix| text.starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(push: impl Fn(&mut Vec<u8>)) -> String {
        let mut text = Vec::new();
        push(&mut text);
        String::from_utf8(text).expect("what is pushed here is text")
    }

    #[test]
    fn credentials_are_black_in_headers() {
        for (name, value, kept) in [
            (
                "authorization",
                "Bearer svc_test_local",
                "Bearer svc_test_***",
            ),
            (
                "authorization",
                "bearer  svc_live_local_w.2",
                "bearer svc_live_***",
            ),
            ("authorization", "Bearer sk_other_1", "Bearer ***"),
            (
                "authorization",
                "Bearer svc_test_a svc_test_b",
                "Bearer svc_test_***",
            ),
            ("authorization", "svc_test_local", "svc_test_***"),
            ("authorization", "hunter2 hunter3", "***"),
            ("authorization", "Basic dTpw", "Basic ***"),
            ("authorization", "Bearer", "Bearer"),
            ("authorization", "", ""),
            ("proxy-authorization", "Basic dTpw", "Basic ***"),
            ("cookie", "a=b", "***"),
            ("x-api-key", "svc_live_local", "svc_live_***"),
            ("apikey", "abc", "***"),
            ("x-auth-token", "abc", "***"),
            ("x_client_secret", "abc", "***"),
            ("idempotency-key", "k-1", "k-1"),
            ("idempotency-key", "k-svc_test_local-1", "k-svc_test_***"),
            ("x-reference-id", "r svc_test_local r", "r svc_test_*** r"),
            ("x-keyboard", "svc_test_", "svc_test_"),
            ("x-author", "svc_prod_local", "svc_prod_local"),
        ] {
            let text = printed(|text| push_value(text, name, value.as_bytes()));
            assert_eq!(text, kept, "{name}: {value}");
        }
    }

    #[test]
    fn credentials_are_black_in_queries_and_bodies() {
        for (query, kept) in [
            ("", ""),
            ("from=2026-01-01&to=", "?from=2026-01-01&to="),
            ("api_key=abc&a=b", "?api_key=***&a=b"),
            ("access_token=svc_test_a", "?access_token=svc_test_***"),
            ("q=svc_test_a,svc_live_b", "?q=svc_test_***,svc_live_***"),
            ("key", "?key"),
        ] {
            assert_eq!(printed(|text| push_query(text, query)), kept);
        }
        for (body, kept) in [
            (r#"{"a":"svc_test_x.1"}"#, r#"{"a":"svc_test_***"}"#),
            ("svc_svc_test_a svc_", "svc_svc_test_*** svc_"),
            (r#"{"secret":"whsec_a"}"#, r#"{"secret":"whsec_***"}"#),
            ("svc_test_svc_live_a", "svc_test_***"),
        ] {
            assert_eq!(
                printed(|text| push_without_keys(text, body.as_bytes())),
                kept
            );
        }
    }

    #[test]
    fn a_body_is_kept_to_the_bound_and_not_cut_within_a_character() {
        let whole = "a".repeat(KEPT_BODY_BYTES);
        assert_eq!(kept(whole.as_bytes()).len(), KEPT_BODY_BYTES);
        assert_eq!(kept(format!("{whole}b").as_bytes()).len(), KEPT_BODY_BYTES);
        for before in 0..5 {
            let text = "a".repeat(KEPT_BODY_BYTES - before) + "😀😀";
            let kept = kept(text.as_bytes());
            assert!(kept.len() > KEPT_BODY_BYTES - 4 && kept.len() <= KEPT_BODY_BYTES);
            assert!(std::str::from_utf8(kept).is_ok());
        }
        assert!(kept(&[0x80; KEPT_BODY_BYTES + 9]).len() >= KEPT_BODY_BYTES - 3);
    }
}
