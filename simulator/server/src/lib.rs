//! What serves calls: accounts and their locks, the clock, due work and the stores (`host`), and the listeners of the API
//! (`http`). Imports point down only: `http` → `host` → the crate `svc-core`. It is a crate of its own so that what every
//! call runs is compiled as one unit, for speed, and apart from pages, commands and the control API.

pub mod http;

pub mod host;

use svc_core::{engine, scenario, scenario_analysis};
