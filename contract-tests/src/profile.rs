//! By which rules a service is judged.

use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// By which rules a service is judged.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, ValueEnum, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// What the specification says, read leniently: what it leaves open is nobody's mistake
    #[default]
    Provider,
    /// The rulings of the simulator, too
    Simulator,
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Profile::Provider => "provider",
            Profile::Simulator => "simulator",
        })
    }
}
