//! The listeners over real sockets: what arrives at them, what leaves them, and what they close.
//! What the answers say is tested below HTTP; here every answer only has to be the right envelope.

mod answers;
mod assets;
mod client;
mod consent;
mod console;
mod control;
mod corpus;
mod faults;
mod https;
#[expect(
    dead_code,
    reason = "what is read while a store is slow or fails needs few of its faults"
)]
#[path = "../journals/mod.rs"]
mod journals;
mod limits;
mod metrics;
mod newcomers;
mod pages;
mod public;
mod shares;
mod stalled;
mod targets;
