//! A deterministic simulator of the Verification Service. Imports point down only:
//! `cli` → `http` → `host` → `engine` → `scenario` → the contract (crate `svc-fixtures`).

pub mod cli;
pub mod http;

pub mod host;

pub mod engine;

pub mod scenario;
