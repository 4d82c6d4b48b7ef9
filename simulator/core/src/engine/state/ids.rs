//! Ids made from content: the same call of the same account always gets the same id, whatever else
//! is going on. No counter that calls share, no randomness.

use std::fmt;
use std::hash::{Hash, Hasher};

use data_encoding::{Encoding, Specification};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use svc_fixtures::contract::Environment;
use svc_fixtures::json::Json;

/// What all ids of a simulator depend on, so that two simulators can differ on purpose.
#[derive(Clone)]
pub struct Seed(Hmac<Sha256>);

impl Seed {
    /// The seed of that text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mac = Hmac::new_from_slice(text.as_bytes());
        Seed(mac.expect("an HMAC key may have any length"))
    }

    /// What everything depends on that is no id: which strangers there are.
    #[must_use]
    pub fn number(&self) -> u64 {
        let mut mac = self.0.clone();
        mac.update(b"world");
        let bytes = mac.finalize().into_bytes();
        bytes
            .iter()
            .take(8)
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Seed")
    }
}

/// Says whether two bodies are the same: equal for the same operation and the same JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BodyDigest(pub(super) [u8; 32]);

impl BodyDigest {
    /// Of a body that is a JSON value.
    #[must_use]
    pub fn of_json(endpoint: &str, body: &Json<'_>) -> Self {
        let mut hash = Sha256::new();
        update_text(&mut hash, endpoint);
        hash.update(b"json");
        body.canonical(&mut |bytes| hash.update(bytes));
        BodyDigest(hash.finalize().into())
    }

    /// Of a body that is not, and of whatever else distinguishes calls without a body.
    #[must_use]
    pub fn of_bytes(endpoint: &str, method: &str, query: &str, body: &[u8]) -> Self {
        let mut hash = Sha256::new();
        update_text(&mut hash, endpoint);
        hash.update(b"bytes");
        update_text(&mut hash, method);
        update_text(&mut hash, query);
        hash.update(body);
        BodyDigest(hash.finalize().into())
    }
}

fn update_text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

/// Everything a call's id depends on, but for how often it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Content([u8; 32]);

impl Content {
    /// Of a call: where it came in, for whom, what it asks, and under which headers.
    #[must_use]
    pub fn of(
        seed: &Seed,
        environment: Environment,
        account: &str,
        body: BodyDigest,
        idempotency_key: Option<&str>,
        reference_id: Option<&str>,
    ) -> Self {
        let mut mac = seed.0.clone();
        mac.update(environment.as_str().as_bytes());
        for text in [Some(account), idempotency_key, reference_id] {
            // A header that is not there differs from one that is empty.
            match text {
                Some(text) => {
                    mac.update(&(text.len() as u64).to_le_bytes());
                    mac.update(text.as_bytes());
                }
                None => mac.update(&u64::MAX.to_le_bytes()),
            }
        }
        mac.update(&body.0);
        Content(mac.finalize().into_bytes().into())
    }

    /// Of a step of a bundle with this content.
    #[must_use]
    pub fn step(&self, endpoint: &str) -> Content {
        let mut hash = Sha256::new();
        hash.update(self.0);
        update_text(&mut hash, endpoint);
        Content(hash.finalize().into())
    }

    /// What the counters know it by.
    #[must_use]
    pub fn counter_key(&self) -> CounterKey {
        CounterKey(self.0[..8].try_into().expect("8 of 32 bytes"))
    }

    /// A number made from the content.
    #[must_use]
    pub fn number(&self) -> u64 {
        beginning(&self.0)
    }

    /// The id of the call with this content that was asked so many times before.
    #[must_use]
    pub fn verification(&self, asked_before: u32) -> VerificationId {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(asked_before.to_le_bytes());
        VerificationId::from_bytes(&hash.finalize())
    }
}

/// The beginning of a content, without the padding that a number would need. Two contents that begin alike
/// are counted as one: their ids differ all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CounterKey(pub [u8; 8]);

/// Distinguishes the sequences of an account: the scenario and the identifying fields (ruling 33).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SequenceKey(pub u128);

/// `svcv_` and 26 characters of lower-case Crockford base 32. Kept without the prefix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct VerificationId([u8; VerificationId::LENGTH]);

impl VerificationId {
    /// What every id begins with.
    pub const PREFIX: &'static str = "svcv_";
    const LENGTH: usize = 26;
    /// Stands in where an id is asked for and none is needed.
    pub const NONE: VerificationId = VerificationId([b'0'; Self::LENGTH]);
    /// None comes after this one.
    pub const LAST: VerificationId = VerificationId([b'z'; Self::LENGTH]);

    fn from_bytes(bytes: &[u8]) -> Self {
        let mut text = [0; 28];
        crockford().encode_mut(&bytes[..17], &mut text);
        VerificationId(
            text[..Self::LENGTH]
                .try_into()
                .expect("26 of 28 characters"),
        )
    }

    /// The part after the prefix.
    #[must_use]
    pub fn suffix(&self) -> &str {
        std::str::from_utf8(&self.0).expect("base 32 is ASCII")
    }

    /// Reads an id as it stands in an envelope.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let suffix = text.strip_prefix(Self::PREFIX)?.as_bytes();
        let known = |byte: &u8| CROCKFORD.as_bytes().contains(byte);
        suffix
            .try_into()
            .ok()
            .filter(|suffix: &[u8; Self::LENGTH]| suffix.iter().all(known))
            .map(VerificationId)
    }

    /// An id of something that belongs to this verification, distinguished by `role`.
    #[must_use]
    pub fn issued(&self, role: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(role.as_bytes());
        format!(
            "{role}_{}",
            &VerificationId::from_bytes(&hash.finalize()).suffix()[..20]
        )
    }
}

/// An id is made of a hash: some of it spreads as well as all of it, and every call looks several up.
impl Hash for VerificationId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(beginning(&self.0));
    }
}

impl Hash for CounterKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(beginning(&self.0));
    }
}

fn beginning(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("the first 8 bytes are 8"))
}

impl fmt::Display for VerificationId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(Self::PREFIX)?;
        out.write_str(self.suffix())
    }
}

impl fmt::Debug for VerificationId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

const CROCKFORD: &str = "0123456789abcdefghjkmnpqrstvwxyz";

fn crockford() -> &'static Encoding {
    static ENCODING: std::sync::LazyLock<Encoding> = std::sync::LazyLock::new(|| {
        let mut specification = Specification::new();
        specification.symbols.push_str(CROCKFORD);
        specification
            .encoding()
            .expect("32 different symbols make an encoding")
    });
    &ENCODING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(seed: &str, account: &str, key: Option<&str>, body: &str) -> Content {
        let json = Json::parse(body.as_bytes()).expect("JSON");
        let digest = BodyDigest::of_json("an.operation", &json);
        Content::of(
            &Seed::new(seed),
            Environment::Test,
            account,
            digest,
            key,
            None,
        )
    }

    #[test]
    fn an_id_is_a_prefix_and_26_characters_and_reads_back() {
        let id = content("seed", "local", None, "{}").verification(0);
        let text = id.to_string();
        assert!(text.starts_with("svcv_") && text.len() == 31, "{text}");
        assert_eq!(VerificationId::parse(&text), Some(id));
        assert_eq!(VerificationId::parse(&text[..30]), None);
        assert_eq!(VerificationId::parse(&text.replace("svcv", "svcx")), None);
        assert_eq!(
            VerificationId::parse("svcv_uuuuuuuuuuuuuuuuuuuuuuuuuu"),
            None
        );
    }

    #[test]
    fn everything_a_call_says_changes_its_id() {
        let base = content("seed", "local", None, "{}");
        assert_eq!(
            base.verification(0),
            content("seed", "local", None, " { } ").verification(0)
        );
        let others = [
            base.verification(1),
            content("other", "local", None, "{}").verification(0),
            content("seed", "local2", None, "{}").verification(0),
            content("seed", "local", Some(""), "{}").verification(0),
            content("seed", "local", Some("k"), "{}").verification(0),
            content("seed", "local", None, "[]").verification(0),
        ];
        let mut all: Vec<_> = others.into_iter().chain([base.verification(0)]).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 7);
    }
}
