//! Whether the simulator lives, and whether it takes calls. Needs no token (ruling 35).

use schemars::JsonSchema;
use serde::Serialize;

use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};

#[derive(Serialize, JsonSchema)]
pub(super) struct HealthDto {
    /// `ok`, `ready`.
    status: &'static str,
    /// Of `ready`: that the last edit of the scenario files was refused, and those before it still
    /// hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    scenarios: Option<String>,
}

pub(super) async fn health(_: ControlRequest) -> ControlResult<HealthDto> {
    Ok(HealthDto {
        status: "ok",
        scenarios: None,
    })
}

/// All listeners are bound before the first of them serves: only the stop makes this false. A bad
/// edit of the scenarios does not: calls are answered by those before it. It needs no token, and so it
/// does not quote the files.
pub(super) async fn ready(request: ControlRequest) -> ControlResult<HealthDto> {
    if request.api.stop.is_cancelled() {
        return Err(ControlError::of(ControlErrorCode::Stopping));
    }
    let refused = request.api.host.reload_status().failure;
    let scenarios = refused.map(|refused| {
        let (count, plural) = (
            refused.mistakes,
            if refused.mistakes == 1 { "" } else { "s" },
        );
        format!(
            "the last edit was refused, the scenarios before it hold: {count} mistake{plural}, \
             listed by GET /control/scenarios"
        )
    });
    Ok(HealthDto {
        status: "ready",
        scenarios,
    })
}
