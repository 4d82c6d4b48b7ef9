//! Whether the simulator lives, and whether it takes calls. Needs no token.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Control;
use super::body::Nothing;
use super::query::NoQuery;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get("/control/health", "health", "Whether the simulator lives").by(health),
        get(
            "/control/ready",
            "ready",
            "Whether the simulator takes calls",
        )
        .by(ready)
        .refusing(&[Code::Stopping]),
    ]
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlHealth", deny_unknown_fields)]
struct Health {
    /// `ok`, `ready`.
    status: &'static str,
}

async fn health(_: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Health, Refusal> {
    Ok(Health { status: "ok" })
}

/// All listeners are bound before the first of them serves: only the stop makes this false.
async fn ready(control: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Health, Refusal> {
    match control.stop.is_cancelled() {
        false => Ok(Health { status: "ready" }),
        true => Err(Refusal::stopping()),
    }
}
