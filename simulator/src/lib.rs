//! A deterministic simulator of the Verification Service. Imports point down only:
//! `cli` → `simulator` → `console` → `http` → `host` → `engine` → `scenario` → the contract (crate `svc-fixtures`). What no call
//! runs lies between `host` and `engine`: `forecast`, `learn`, `signature_diagnosis`, `rehearsal`, `scenario_format`,
//! `scenario_analysis`.

pub mod cli;
pub mod simulator;

pub mod console;

pub mod http;

pub mod forecast;
pub mod learn;
pub mod rehearsal;
pub mod signature_diagnosis;

pub use svc_core::{engine, scenario, scenario_analysis, scenario_format, world};
pub use svc_server::host;

pub use simulator::{AccountHandle, Simulator, SimulatorBuilder};
pub use svc_fixtures::contract::Environment;

/// The Rust in the book is compiled and run like that of the other documentation.
#[cfg(doctest)]
#[doc = include_str!("../../docs/src/use/rust.md")]
struct Book;
