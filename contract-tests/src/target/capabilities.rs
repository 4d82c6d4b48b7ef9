//! What a service under test lets a run do beside calling it.

use serde::{Deserialize, Serialize};

/// What can be done; nothing unless it was found or said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Capabilities {
    /// It has the control API of a simulator: accounts can be changed and their clocks moved.
    pub control: bool,
    /// Its webhooks reach the run's own receiver.
    pub webhook_sink: bool,
}
