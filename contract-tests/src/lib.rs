//! Contract tests of the Verification Service: capture, then judge.
//!
//! ```text
//! contract's rows → Check → Case of Steps → client sends, records → Exchange → judge → Verdict → report
//! ```
//! A check says what to send and what must hold, both as data; one client sends and records; the
//! judge is pure. So a saved capture judged again gives the same verdicts, and the same checks judge
//! an in-process simulator, a running one, a sandbox or production. Nothing outside the contract's
//! rows and `inputs.toml` says which operations there are.
//!
//! What was recorded, its prices and by which rules it is judged is the crate `svc-capture`, which the simulator
//! reads too. Imports point down; from the bottom up:
//!
//! ```text
//! redact signature sink  secrets; signatures of webhooks, and their receiver
//! body_diff proofs       differences of bodies; what is planted and found
//! plan target            what to send and what must hold, as data; what sends a request
//! model                  what an account's past makes of a call
//! example spend          cases written by people; what a call costs, and the budget
//! verdict                the judge
//! check client event     the registry; what sends cases and records; the events of a run
//! recorded               what a recording of somebody else's traffic comes to, judged
//! run report             the runner; the reporters, which know its events alone
//! personal baseline      personal data and known deviations in what was judged
//! property               properties of generated requests
//! record                 the proxy that records
//! diff                   two services beside each other
//! drift                  what a service does otherwise than the rows, as a change of them
//! cli
//! ```

pub mod baseline;
pub mod body_diff;
pub mod check;
pub mod cli;
pub mod client;
pub mod diff;
pub mod drift;
pub mod event;
pub mod example;
pub mod model;
pub mod personal;
pub mod plan;
pub mod proofs;
pub mod property;
pub mod record;
pub mod recorded;
pub mod redact;
pub mod report;
pub mod run;
pub mod signature;
pub mod sink;
pub mod spend;
pub mod target;
pub mod verdict;

/// What was recorded, as the simulator reads it too.
pub use svc_capture as capture;
pub use svc_capture::{prices, profile};
