//! The API keys of an account.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use svc_fixtures::contract::Environment;

/// An API key of an account.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// The text.
    pub text: Arc<str>,
    /// Where it works.
    pub environment: Environment,
    /// Whether and how long it works.
    pub state: KeyState,
}

/// Whether a key works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum KeyState {
    /// It works.
    Active,
    /// It was rotated and works until this instant of the account's clock.
    Rotated {
        /// The first instant at which it no longer works.
        until: Timestamp,
    },
    /// It was revoked and never works again.
    Revoked,
}

impl Key {
    /// What follows the prefix of its environment.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.text.strip_prefix(self.environment.key_prefix());
        name.unwrap_or(&self.text)
    }
}

/// Shows where the key works and its state, never its text.
impl std::fmt::Debug for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Key")
            .field("environment", &self.environment)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
