//! One account, pure and synchronous. No clock, no randomness, no input or output: time is an argument.
//!
//! - [`call`]: the life of a call, from its bytes to its entry. **Read this first.**
//! - [`state`]: all that an account is, and the entries that change it.
//! - [`compute`]: the functions that answers are computed with.

pub mod call;
pub mod compute;
pub mod state;

pub use call::decision::Decision;
pub use call::pipeline::{decide, decide_waiting};
pub use call::prepare::{Plan, Prepared, Room, prepare};
pub use call::settle::{UnauthenticatedCall, finish, unauthenticated_reply};
