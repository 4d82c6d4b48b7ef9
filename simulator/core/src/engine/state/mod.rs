//! All that an account is, and the entries that change it: applying them in order rebuilds it.

pub mod account;
pub mod account_file;
mod apply;
pub mod entry;
pub mod environment;
pub mod event;
pub mod manage;
pub mod verification;
mod verification_size;
pub mod verifications;

pub mod access;
pub mod audit;
pub mod clock;
pub mod counters;
pub mod delivery;
pub mod flow;
pub mod form;
pub mod ids;
pub mod received;
pub mod rejection;
pub mod scenarios;
pub mod signature;
pub mod sizes;
pub mod stage;
pub mod timeline;
pub mod usage;
pub mod wallet;
pub mod wallet_history;
