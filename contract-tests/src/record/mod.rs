//! The proxy that records: between a client and the service, and between the service and a receiver of webhooks. It
//! changes nothing on the way, and judges what passes.
//!
//! ```text
//! connection → passing → upstream          what is passed on, as it comes
//!          └→ flight ─→ desk → file        what is recorded of it, on a thread of its own
//! ```

mod clean;
mod coding;
mod connections;
mod desk;
mod file;
mod flight;
mod har;
mod heads;
mod lines;
mod passing;
mod seen;
mod upstream;

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use svc_fixtures::contract::Environment;
use tokio::net::TcpListener;

use crate::profile::Profile;
use crate::redact::Secret;
pub use connections::record;
pub use desk::Say;
pub use file::{CaptureFile, create};
pub use har::{Archive, export};
pub use upstream::check_tls;

/// A way through the proxy: who is listened to, and whom that is passed on to.
#[derive(Debug)]
pub struct Route {
    /// Where the proxy listens.
    pub listener: TcpListener,
    /// Whom it passes on to.
    pub to: Url,
    /// What passes.
    pub kind: RouteKind,
}

/// What passes on a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteKind {
    /// Calls of the service.
    Calls(Environment),
    /// Webhooks of the service.
    Webhooks,
}

/// How a recording is made.
#[derive(Debug, Clone)]
pub struct RecordPlan {
    /// The file.
    pub out: PathBuf,
    /// What names this recording.
    pub seed: String,
    /// By which rules it is judged.
    pub profile: Profile,
    /// Which environments there are.
    pub environments: Vec<Environment>,
    /// Whether the service is on this machine: then what it says of people is kept.
    pub local: bool,
    /// How many bytes of a body are recorded.
    pub most_bytes: usize,
    /// How many connections are served at once, on each way.
    pub most_connections: usize,
    /// How long what is under way is waited for at the end.
    pub drain: Duration,
    /// Whom a service that speaks TLS is trusted by, beside the machine's own authorities (PEM).
    pub ca_file: Option<PathBuf>,
    /// What is shown to a service that asks for a certificate: it and its key (PEM).
    pub client_certificate: Option<PathBuf>,
    /// What webhooks are signed with, where that is known: then signatures are checked.
    pub webhook_secret: Option<Secret>,
}

/// What came of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recorded {
    /// How many exchanges passed.
    pub exchanges: u64,
    /// How many of them had a verdict that is broken.
    pub broken: u64,
    /// How many of them are in the file without what passed.
    pub empty: u64,
    /// How many of them are not in the file.
    pub unwritten: u64,
    /// Why not, for the first of them.
    pub why: Option<String>,
}
