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
    /// Of `ready`: that the last edit of the scenario files was refused, and those before it still
    /// hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    scenarios: Option<String>,
}

async fn health(_: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Health, Refusal> {
    Ok(Health {
        status: "ok",
        scenarios: None,
    })
}

/// All listeners are bound before the first of them serves: only the stop makes this false. A bad
/// edit of the scenarios does not: calls are answered by those before it. Needing no token, it does
/// not tell what the files say.
async fn ready(control: Arc<Control>, _: Asked<Nothing, NoQuery>) -> Result<Health, Refusal> {
    match control.stop.is_cancelled() {
        false => Ok(Health {
            status: "ready",
            scenarios: control.host.reload_status().failure.map(|refused| {
                let plural = if refused.mistakes == 1 { "" } else { "s" };
                format!(
                    "the last edit was refused, the scenarios before it hold: {} mistake{plural}, told \
                     by GET /control/scenarios",
                    refused.mistakes
                )
            }),
        }),
        true => Err(Refusal::stopping()),
    }
}
