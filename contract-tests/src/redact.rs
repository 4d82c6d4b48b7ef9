//! Secrets: held so that they cannot be printed, and blacked out of what others print.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What stands in place of a key.
pub const MARK: &str = "[redacted key]";

/// A text that is shown to the target and to nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a text into custody.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The text, for the wire only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(MARK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(MARK)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        String::deserialize(reader).map(Secret)
    }
}

/// Blacks a secret out of some bytes. Done when an answer is recorded, so that an answer that
/// repeats the key is judged alike now and from a saved capture: by the mark.
#[must_use]
pub fn black_out(bytes: &[u8], secret: &Secret) -> Vec<u8> {
    let needle = secret.0.as_bytes();
    // A shorter text is no key, and would black out words.
    if needle.len() < 8 {
        return bytes.to_vec();
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(needle.len()).position(|part| part == needle) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(MARK.as_bytes());
        rest = &rest[at + needle.len()..];
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new("svc_test_abcdef");
        assert_eq!(format!("{secret:?}"), MARK);
        assert_eq!(
            serde_json::to_string(&secret).expect("JSON"),
            format!("\"{MARK}\"")
        );
        let told = black_out(b"key svc_test_abcdef and svc_test_abcdef.", &secret);
        assert_eq!(told, b"key [redacted key] and [redacted key].");
    }
}
