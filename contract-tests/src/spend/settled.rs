//! What a journal keeps of a case that was paid for and judged. Data only.

use serde::{Deserialize, Serialize};

/// What was found of a case that was answered, without the values that were seen: they may be personal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettledFinding {
    /// The step, counting from 0.
    pub step: usize,
    /// What was found.
    pub verdict: SettledVerdict,
}

/// A verdict without the values that were seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum SettledVerdict {
    /// The clause holds.
    Held(String),
    /// The clause does not, and at what that was seen.
    Broken(String, String),
    /// Nobody knows, and why.
    Open(String),
}
