//! The two environments of the service. Knows nothing else.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which environment a call is sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Environment {
    /// The sandbox: free.
    Test,
    /// Production: billed.
    Live,
}

impl Environment {
    /// Both.
    pub const ALL: [Environment; 2] = [Environment::Test, Environment::Live];

    /// As `meta.environment` says it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Environment::Test => "test",
            Environment::Live => "live",
        }
    }

    /// What keys of this environment begin with.
    #[must_use]
    pub fn key_prefix(self) -> &'static str {
        match self {
            Environment::Test => "svc_test_",
            Environment::Live => "svc_live_",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Environment::Test => Environment::Live,
            Environment::Live => Environment::Test,
        }
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}
