//! Secrets and personal data: held so that they cannot be printed, and blacked out of what others
//! print. Knows the contract's rows, no file and no network.
//!
//! Keys are blacked out when an exchange is recorded ([`Blackout`]), so nothing behind the client
//! ever holds one. Personal data is needed by the judge and is blacked out behind it, where
//! something is shown or saved ([`StandIns`]).

mod blackout;
mod personal;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use blackout::Blackout;
pub use personal::{Personal, StandIns};

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
    }
}
