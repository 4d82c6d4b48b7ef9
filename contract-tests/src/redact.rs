//! Secrets: held so that they cannot be printed, and blacked out of what others print. Knows no
//! personal data, no file and no network.
//!
//! Keys are blacked out when an exchange is recorded ([`Redactor`]), so nothing behind the client
//! ever holds one.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use aho_corasick::AhoCorasick;
use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER};
use regex::bytes::{NoExpand, Regex, RegexBuilder};
use svc_fixtures::contract::Environment;

use svc_capture::TransportError;
pub use svc_capture::{REDACTED, Secret};

/// A shorter text is no key, and would black out words.
const SHORTEST: usize = 8;

/// So many characters of a key's own part are no coincidence.
const PART: usize = 9;

/// Secrets that the run does not know, found by their form: signing secrets of webhooks and whole keys.
const LOOKS: &str = "whsec_[A-Za-z0-9_=+/.-]{4,}|svc_(?:test|live)_[A-Za-z0-9_.-]{8,}";

/// Finds secrets in what others wrote: as they are, encoded, in credentials, in parts.
#[derive(Debug, Clone)]
pub struct Redactor {
    forms: Regex,
    parts: BTreeSet<Vec<u8>>,
    /// Finds whether any part is there at all: mostly none is.
    any_part: AhoCorasick,
}

impl Redactor {
    /// Of these secrets, in every form, and of pieces of them over 8 characters.
    #[must_use]
    pub fn of<'s>(secrets: impl IntoIterator<Item = &'s Secret>) -> Self {
        Redactor::with(std::iter::empty(), secrets)
    }

    /// Of secrets in every form, and only of the second ones also in pieces: the first have parts
    /// that are words, such as the name of a check.
    #[must_use]
    pub fn with<'s>(
        whole: impl IntoIterator<Item = &'s Secret>,
        also_in_parts: impl IntoIterator<Item = &'s Secret>,
    ) -> Self {
        let (mut all, mut parts) = (BTreeSet::new(), BTreeSet::new());
        for secret in also_in_parts {
            parts.extend(windows(own_part(secret.expose())).map(<[u8]>::to_ascii_lowercase));
            all.insert(secret.expose());
        }
        all.extend(whole.into_iter().map(Secret::expose));
        let long = all.into_iter().filter(|text| text.len() >= SHORTEST);
        let forms: BTreeSet<String> = long.flat_map(forms).collect();
        let mut forms: Vec<String> = forms.iter().map(|form| regex::escape(form)).collect();
        // The first that fits is taken: a longer form must come before one that it begins with.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms.push(LOOKS.to_owned());
        let forms = RegexBuilder::new(&forms.join("|"))
            .case_insensitive(true)
            .size_limit(64 << 20)
            .build()
            .expect("escaped texts are patterns");
        let any_part = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(&parts);
        let any_part = any_part.expect("a key has few parts");
        Redactor {
            forms,
            parts,
            any_part,
        }
    }

    /// These bytes without secrets.
    #[must_use]
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.cleaned(bytes).into_owned()
    }

    /// This text without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        match self.cleaned(text.as_bytes()) {
            Cow::Borrowed(_) => text.to_owned(),
            Cow::Owned(clean) => String::from_utf8_lossy(&clean).into_owned(),
        }
    }

    /// These bytes without secrets; borrowed where there are none, as in nearly all that a recording writes.
    fn cleaned<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        // No form of a secret is shorter, and no part.
        if bytes.len() < SHORTEST {
            return Cow::Borrowed(bytes);
        }
        let clean = self.forms.replace_all(bytes, NoExpand(REDACTED.as_bytes()));
        match self.any_part.is_match(&clean) {
            true => Cow::Owned(self.without_parts(&clean)),
            false => clean,
        }
    }

    /// Why there is no answer, without secrets.
    #[must_use]
    pub fn error(&self, error: TransportError) -> TransportError {
        match error {
            TransportError::Unreachable(why) => TransportError::Unreachable(self.text(&why)),
            TransportError::NotSendable(why) => TransportError::NotSendable(self.text(&why)),
            TransportError::Cut { why, arrived } => TransportError::Cut {
                why: self.text(&why),
                arrived,
            },
            known @ (TransportError::TimedOut(_) | TransportError::TooLong { .. }) => known,
        }
    }

    fn without_parts(&self, bytes: &[u8]) -> Vec<u8> {
        let known = |at: usize| {
            bytes
                .get(at..at + PART)
                .is_some_and(|part| self.parts.contains(&part.to_ascii_lowercase()))
        };
        let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
        while at < bytes.len() {
            if self.parts.is_empty() || !known(at) {
                out.push(bytes[at]);
                at += 1;
                continue;
            }
            out.extend_from_slice(REDACTED.as_bytes());
            while known(at + 1) {
                at += 1;
            }
            at += PART;
        }
        out
    }
}

/// What a key has beside the beginning that all keys have.
fn own_part(key: &str) -> &str {
    let prefixes = Environment::ALL.map(Environment::key_prefix);
    let rest = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix));
    rest.unwrap_or(key)
}

fn windows(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().windows(PART)
}

/// A secret as it is and as encoders write it.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![
        secret.to_owned(),
        percent(secret, |byte| {
            byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)
        }),
        percent(secret, |byte| byte.is_ascii_alphanumeric()),
        percent(secret, |_| false),
        HEXLOWER.encode(secret.as_bytes()),
        BASE32_NOPAD.encode(secret.as_bytes()),
        secret.chars().rev().collect(),
        escaped(secret),
        secret
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;"),
    ];
    let twice = [1, 2].map(|at| forms[at].replace('%', "%25"));
    forms.extend(twice);
    for alphabet in [BASE64_NOPAD, BASE64URL_NOPAD] {
        forms.extend((0..3).map(|before| inside(&alphabet, secret, before)));
    }
    forms
}

/// As it stands inside a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted.trim_matches('"').to_owned()
}

fn percent(text: &str, plain: impl Fn(u8) -> bool) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match plain(byte) {
            true => out.push(char::from(byte)),
            false => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    })
}

/// What base64 makes of a text that stands behind so many other bytes, as in the credentials of
/// `Basic`: the characters that only the text itself decides.
fn inside(alphabet: &Encoding, text: &str, before: usize) -> String {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(text.as_bytes());
    let encoded = alphabet.encode(&bytes);
    let first = (before * 8).div_ceil(6);
    let last = bytes.len() * 8 / 6;
    encoded[first..last].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::BASE64;

    const KEY: &str = "svc_test_canary-4f7Hq2.Zx81w";

    fn redacted(text: &str) -> String {
        Redactor::of([&Secret::new(KEY)]).text(text)
    }

    #[test]
    fn no_form_of_the_shortest_key_is_shorter() {
        let key = "a".repeat(SHORTEST);
        let shortest = forms(&key).iter().map(String::len).min();
        assert_eq!(shortest, Some(SHORTEST));
        const { assert!(PART >= SHORTEST) };
        assert_eq!(Redactor::of([&Secret::new(&key)]).text(&key), REDACTED);
    }

    #[test]
    fn a_key_is_blacked_out_in_every_form() {
        let basic = |text: &str| format!("Basic {}", BASE64.encode(text.as_bytes()));
        for form in [
            KEY.to_owned(),
            format!("Bearer {KEY}"),
            KEY.to_uppercase(),
            "svc%5Ftest%5Fcanary%2D4f7Hq2%2EZx81w".to_owned(),
            "svc%5ftest%5fcanary%2d4f7Hq2%2eZx81w".to_owned(),
            BASE64.encode(KEY.as_bytes()),
            basic(&format!("{KEY}:")),
            basic(&format!("user:{KEY}")),
            basic(&format!("me:{KEY}")),
            HEXLOWER.encode(KEY.as_bytes()),
        ] {
            let text = redacted(&format!("<{form}>"));
            assert!(text.contains(REDACTED), "{form}: {text}");
            for part in ["canary", "anary-4", "f7Hq2", "Zx81w", "Y2FuYXJ5"] {
                assert!(!text.contains(part), "{form}: {text}");
            }
        }
    }

    #[test]
    fn parts_over_8_characters_are_blacked_out_and_shorter_ones_are_words() {
        assert_eq!(
            redacted("key ends in 4f7Hq2.Zx"),
            format!("key ends in {REDACTED}")
        );
        assert_eq!(redacted("key ends in 4f7Hq2.Z"), "key ends in 4f7Hq2.Z");
        assert_eq!(
            redacted("must begin with svc_test_"),
            "must begin with svc_test_"
        );
        assert_eq!(redacted("canary-4f7Hq!"), format!("{REDACTED}!"));
    }

    #[test]
    fn secrets_that_the_run_does_not_know_are_known_by_their_look() {
        let nothing = Redactor::of([]);
        assert_eq!(nothing.text("whsec_sample1"), REDACTED);
        assert_eq!(
            nothing.text("of svc_live_0123456789, no"),
            format!("of {REDACTED}, no")
        );
        assert_eq!(nothing.text("svc_test_local"), "svc_test_local");
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let bytes = [0xff, 0x00, b'a', 0xfe];
        assert_eq!(Redactor::of([&Secret::new(KEY)]).bytes(&bytes), bytes);
    }
}
