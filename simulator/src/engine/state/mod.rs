//! All that an account is, and the entries that change it: applying them in order rebuilds it.

pub mod account;
pub mod allowlist;
pub mod audit;
pub mod calls;
pub mod clock;
pub mod deliveries;
pub mod delivery;
pub mod entry;
pub mod event;
pub mod flow;
pub mod idempotency;
pub mod ids;
pub mod kept;
pub mod manage;
pub mod rate_limit;
pub mod rejection;
pub mod retention;
pub mod signature;
pub mod ticket;
pub mod usage;
pub mod wallet;
