//! Secrets: held so that they cannot be printed, and blacked out of what others print. Knows no
//! personal data, no file and no network.
//!
//! Keys are blacked out when an exchange is recorded ([`Redactor`]), so nothing behind the client
//! ever holds one.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER};
use foldhash::fast::FixedState;
use regex::bytes::{NoExpand, Regex};
use svc_fixtures::contract::Environment;

use svc_capture::TransportError;
pub use svc_capture::{REDACTED, Secret};

/// A shorter text is no key, and would black out words.
const SHORTEST: usize = 8;

/// So many characters of a key's own part are no coincidence.
const PART: usize = 9;

/// What the contract itself says, in pieces of that length: of a key that is made of its words these are no secret, and
/// without them no answer could be judged.
static PUBLIC: LazyLock<HashSet<u64, FixedState>> = LazyLock::new(|| {
    let sources = svc_fixtures::embedded::contract();
    let mut public = HashSet::default();
    for source in &sources {
        let parts = source.text.as_bytes().array_windows();
        public.extend(parts.filter_map(packed));
    }
    public
});

/// Secrets that the run does not know, found by their form: signing secrets of webhooks and whole keys.
static LOOKS: LazyLock<Regex> = LazyLock::new(|| {
    let looks = "(?i-u)whsec_[a-z0-9_=+/.-]{4,}|svc_(?:test|live)_[a-z0-9_.-]{8,}";
    Regex::new(looks).expect("it is a pattern")
});

/// Finds secrets in what others wrote: as they are, encoded, in credentials, in parts.
#[derive(Debug, Clone)]
pub struct Redactor {
    forms: AhoCorasick,
    parts: Parts,
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
        let also_in_parts: Vec<_> = also_in_parts.into_iter().map(Secret::expose).collect();
        let parts = Parts::of(also_in_parts.iter().copied());
        let whole = whole.into_iter().map(Secret::expose);
        let all: BTreeSet<&str> = whole.chain(also_in_parts).collect();
        let long = all.into_iter().filter(|text| text.len() >= SHORTEST);
        let secret = long.filter(|text| !are_words(text));
        let forms: BTreeSet<String> = secret.flat_map(forms).collect();
        // The longest that fits is taken: one form may begin with another.
        let forms = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(forms)
            .expect("the keys of a run are few");
        Redactor { forms, parts }
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
        let clean = self.without_forms(bytes);
        match self.parts.is_in(&clean) {
            true => Cow::Owned(self.without_parts(&clean)),
            false => clean,
        }
    }

    /// Without the known secrets first: a text that only looks like one may hold the beginning of one.
    fn without_forms<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let known = match self.forms.is_match(bytes) {
            true => {
                let mut out = Vec::with_capacity(bytes.len());
                self.forms
                    .replace_all_with_bytes(bytes, &mut out, |_, _, out| {
                        out.extend_from_slice(REDACTED.as_bytes());
                        true
                    });
                Cow::Owned(out)
            }
            false => Cow::Borrowed(bytes),
        };
        match LOOKS.replace_all(&known, NoExpand(REDACTED.as_bytes())) {
            Cow::Owned(clean) => Cow::Owned(clean),
            Cow::Borrowed(_) => known,
        }
    }

    /// What takes secrets out of these texts, and searches none of them again where there is none in all of them, as
    /// nearly always.
    #[must_use]
    pub fn searched(&self, texts: &[&[u8]]) -> Searched<'_> {
        // A secret that only the end of one and the beginning of the next make is not found again.
        let any = matches!(self.cleaned(&texts.join(&b'\n')), Cow::Owned(_));
        Searched(any.then_some(self))
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
        let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
        while at < bytes.len() {
            if !self.parts.is_at(bytes, at) {
                out.push(bytes[at]);
                at += 1;
                continue;
            }
            out.extend_from_slice(REDACTED.as_bytes());
            while self.parts.is_at(bytes, at + 1) {
                at += 1;
            }
            at += PART;
        }
        out
    }
}

/// Takes secrets out of texts that were searched together.
#[derive(Debug, Clone, Copy)]
pub struct Searched<'r>(Option<&'r Redactor>);

impl Searched<'_> {
    /// These bytes without secrets.
    #[must_use]
    pub fn bytes(self, bytes: Vec<u8>) -> Vec<u8> {
        match self.0 {
            Some(redactor) => redactor.bytes(&bytes),
            None => bytes,
        }
    }

    /// This text without secrets.
    #[must_use]
    pub fn text(self, text: &str) -> String {
        self.0
            .map_or_else(|| text.to_owned(), |redactor| redactor.text(text))
    }
}

/// Pieces of keys, in lower case.
#[derive(Debug, Clone)]
struct Parts {
    all: BTreeSet<[u8; PART]>,
    threes: Threes,
}

impl Parts {
    fn of<'s>(keys: impl IntoIterator<Item = &'s str>) -> Self {
        let keys = keys.into_iter().map(|key| own_part(key).as_bytes());
        let parts = keys.flat_map(<[u8]>::array_windows::<PART>).map(small);
        let all: BTreeSet<_> = parts.filter(|part| !is_public(part)).collect();
        let threes = Threes::of(all.iter().map(|part| &part[..]));
        Parts { all, threes }
    }

    /// Whether there is any. A part has one whole three in each row of seven places: one of seven is looked at, and nothing
    /// further where no part has such a three.
    fn is_in(&self, bytes: &[u8]) -> bool {
        const ROW: usize = PART - 2;
        let near = |at: usize| (at.saturating_sub(ROW - 1)..=at).any(|at| self.is_at(bytes, at));
        let mut rows = bytes.chunks(ROW).enumerate();
        rows.any(|(row, places)| {
            let three = places.first_chunk();
            three.is_some_and(|three| self.threes.has(three)) && near(row * ROW)
        })
    }

    fn is_at(&self, bytes: &[u8], at: usize) -> bool {
        let part = bytes.get(at..).and_then(<[u8]>::first_chunk::<PART>);
        part.is_some_and(|part| self.all.contains(&small(part)))
    }
}

/// Whether it is a piece of what the contract says.
fn is_public(part: &[u8; PART]) -> bool {
    packed(part).is_some_and(|part| PUBLIC.contains(&part))
}

/// A piece in small letters as one number, seven bits a character; none where it has others than those of ASCII.
fn packed(part: &[u8; PART]) -> Option<u64> {
    let seven = |number: u64, byte: &u8| (number << 7) | u64::from(byte.to_ascii_lowercase());
    part.is_ascii().then(|| part.iter().fold(0, seven))
}

/// Whether a text is made of words of the contract alone, and so is no key.
fn are_words(text: &str) -> bool {
    let mut parts = text.as_bytes().array_windows::<PART>().map(small);
    text.len() >= PART && parts.all(|part| is_public(&part))
}

/// In small letters.
fn small(part: &[u8; PART]) -> [u8; PART] {
    part.map(|byte| byte.to_ascii_lowercase())
}

/// Which three neighbouring characters some texts have, in either case of a letter: as bits of a hash, so that it may be said
/// of others, too.
#[derive(Debug, Clone)]
struct Threes(Vec<u64>);

impl Threes {
    fn of<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Self {
        let mut bits = vec![0; (1 << 16) / 64];
        for three in texts.into_iter().flat_map(<[u8]>::array_windows) {
            let (word, bit) = Threes::place(three);
            bits[word] |= bit;
        }
        Threes(bits)
    }

    fn has(&self, three: &[u8; 3]) -> bool {
        let (word, bit) = Threes::place(three);
        self.0[word] & bit != 0
    }

    fn place(three: &[u8; 3]) -> (usize, u64) {
        let [a, b, c] = *three;
        let small = u32::from_le_bytes([a, b, c, 0]) | 0x0020_2020;
        let hash = small.wrapping_mul(0x9E37_79B1) >> 16;
        (hash as usize / 64, 1 << (hash % 64))
    }
}

/// What a key has beside the beginning that all keys have.
fn own_part(key: &str) -> &str {
    let prefixes = Environment::ALL.map(Environment::key_prefix);
    let rest = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix));
    rest.unwrap_or(key)
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
        in_json_codes(secret),
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

/// As JSON may write it: each character as its code.
fn in_json_codes(text: &str) -> String {
    text.encode_utf16().fold(String::new(), |mut out, code| {
        let _ = write!(out, "\\u{code:04x}");
        out
    })
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
    use proptest::prelude::*;
    use proptest::sample;

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

    /// What a search of every byte finds.
    fn searched(text: &[u8]) -> Vec<u8> {
        REDACTOR.without_parts(&REDACTOR.without_forms(text))
    }

    static REDACTOR: LazyLock<Redactor> = LazyLock::new(|| Redactor::of([&Secret::new(KEY)]));

    proptest! {
        #[test]
        fn nothing_is_missed_wherever_it_stands(
            before in "[a-z_ ]{0,12}",
            what in prop_oneof![
                sample::select(forms(KEY)),
                "whsec_[a-z0-9]{3,5}".prop_map(String::from),
                "svc_(test|live)_[a-z0-9]{7,9}".prop_map(String::from),
                (0..12_usize, 7..14_usize).prop_map(|(at, length)| own_part(KEY)[at..].chars().take(length).collect()),
            ],
            capitals in any::<bool>(),
            behind in "[a-z_ ]{0,12}",
        ) {
            let what = if capitals { what.to_uppercase() } else { what };
            let text = format!("{before}{what}{behind}");
            prop_assert_eq!(REDACTOR.bytes(text.as_bytes()), searched(text.as_bytes()), "{}", text);
        }
    }

    #[test]
    fn texts_that_are_searched_together_are_each_cleaned_as_alone() {
        let texts = [
            "one",
            "svc_test_canary-4f7Hq2.Zx81w",
            "svc_test_canary-4f7",
            "Hq2.Zx81w",
        ];
        for some in [&texts[..], &texts[..1], &texts[2..]] {
            let bytes: Vec<_> = some.iter().map(|text| text.as_bytes()).collect();
            let searched = REDACTOR.searched(&bytes);
            for text in some {
                assert_eq!(searched.text(text), redacted(text));
                let bytes = searched.bytes(text.as_bytes().to_vec());
                assert_eq!(bytes, redacted(text).into_bytes());
            }
        }
    }

    #[test]
    fn of_a_key_made_of_words_of_the_contract_these_stay_and_the_rest_is_blacked_out() {
        let redactor = |key: &str| Redactor::of([&Secret::new(key)]);
        let answer =
            r#"{"verificationId":"svcv_1","status":"completed","meta":{"environment":"test"}}"#;
        for key in [
            "svc_test_verification-ci",
            "svc_test_staging-environment",
            "svc_test_COMPLETED-orders",
            "verificationId",
        ] {
            assert_eq!(redactor(key).text(answer), answer, "{key}");
        }
        for key in ["svc_test_verification-ci", "svc_test_staging-environment"] {
            assert_eq!(redactor(key).text(key), REDACTED);
        }
        let piece = redactor("svc_test_environment-4f7Hq2.Zx").text("ends in t-4f7Hq2.Zx");
        assert_eq!(piece, format!("ends in {REDACTED}"));
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
