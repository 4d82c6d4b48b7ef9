//! Where the simulator itself is reached: what answers say of addresses. The host sets it once it
//! listens; nothing here listens.

use super::request::Environment;
use crate::engine::state::ids::VerificationId;

/// The addresses that answers of one environment speak of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    /// What the file of an asset is appended to.
    pub assets_url: String,
    /// What a verification's id is appended to, for the page where a person consents to it.
    pub consent_url: String,
}

impl Addresses {
    /// Those below the base of a listener, such as `http://127.0.0.1:8801`.
    #[must_use]
    pub fn below(base: &str) -> Self {
        let base = base.trim_end_matches('/');
        Addresses {
            assets_url: format!("{base}/test-assets/"),
            consent_url: format!("{base}/consent/"),
        }
    }

    /// The page where a person consents to a verification.
    #[must_use]
    pub fn consent(&self, verification: VerificationId) -> String {
        format!("{}{verification}", self.consent_url)
    }
}

/// The addresses of both environments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllAddresses {
    /// Of the sandbox.
    pub test: Addresses,
    /// Of live.
    pub live: Addresses,
}

impl AllAddresses {
    /// Those of an environment.
    #[must_use]
    pub fn of(&self, environment: Environment) -> &Addresses {
        match environment {
            Environment::Test => &self.test,
            Environment::Live => &self.live,
        }
    }
}

/// Where a simulator listens unless told otherwise.
impl Default for AllAddresses {
    fn default() -> Self {
        AllAddresses {
            test: Addresses::below("http://127.0.0.1:8801"),
            live: Addresses::below("http://127.0.0.1:8802"),
        }
    }
}
