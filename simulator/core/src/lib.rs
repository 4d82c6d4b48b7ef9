//! One account, pure and synchronous. Imports point down only: `scenario_format`, `scenario_analysis` → `engine` →
//! `scenario`, `world` → the contract (crate `svc-fixtures`). It is a crate of its own so that what every call runs is
//! compiled as one unit, for speed, while the crates above it are compiled beside it.

pub mod scenario_analysis;
pub mod scenario_format;

pub mod engine;

pub mod scenario;

pub mod world;
