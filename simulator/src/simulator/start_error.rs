//! Why a simulator did not start.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use svc_fixtures::reading::Problems;

use super::files::ReadError;
use crate::host::journal::{JournalError, StoreError};
use crate::host::transport::TransportError;

/// Why a simulator did not start. `Debug` says the same as `Display`, so that a test that unwraps it
/// shows the mistakes of its scenarios as they are meant to be read.
#[derive(thiserror::Error)]
pub enum StartError {
    /// A scenario folder can't be read.
    #[error(transparent)]
    Unreadable(#[from] ReadError),
    /// Scenarios or accounts have mistakes.
    #[error("{0}")]
    Mistakes(Problems),
    /// An account has a receiver that no webhook may go to.
    #[error("the webhook of account {account}: {reason}")]
    WebhookRefused {
        /// Whose.
        account: Arc<str>,
        /// Why, and what to do.
        reason: String,
    },
    /// An address can't be listened on.
    #[error("the {listener} can't listen on {address}: {error}")]
    Bind {
        /// `console`, `sandbox` or `live`.
        listener: &'static str,
        /// Where.
        address: SocketAddr,
        /// Why.
        error: std::io::Error,
    },
    /// There is no runtime to serve on.
    #[error("the runtime did not start: {0}")]
    Runtime(std::io::Error),
    /// Webhooks can't leave.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The store can't be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The PostgreSQL server can't be used.
    #[error("{0}")]
    Postgres(String),
    /// This program has no way to a PostgreSQL server.
    #[error("this program was built without PostgreSQL; build it with `--features postgres`")]
    WithoutPostgres,
    /// The store's ids are made with another seed.
    #[error(
        "the ids of this store are made with the seed `{kept}`, not with `{given}`: leave --seed out, or begin another store"
    )]
    OtherSeed {
        /// Asked for.
        given: String,
        /// The store's.
        kept: String,
    },
    /// The store's clock runs at another speed.
    #[error(
        "the clock of this store runs {kept} times as fast as the machine's, not {given} times: leave --time-scale out, or \
         begin another store"
    )]
    OtherTimeScale {
        /// Asked for.
        given: u32,
        /// The store's.
        kept: u32,
    },
    /// What the store has is no clock.
    #[error("the clock of this store can't be read: {text}")]
    NoClock {
        /// What it has.
        text: String,
    },
    /// The accounts were not opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl fmt::Debug for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl From<Problems> for StartError {
    fn from(problems: Problems) -> Self {
        StartError::Mistakes(problems)
    }
}
