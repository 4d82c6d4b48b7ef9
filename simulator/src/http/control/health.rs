//! Whether the simulator lives, and whether it takes calls. Needs no token (ruling 35).

use schemars::JsonSchema;
use serde::Serialize;

use super::response::{ControlError, ControlErrorCode};
use super::route::{ControlRequest, ControlResult};

#[derive(Serialize, JsonSchema)]
pub(super) struct HealthDto {
    /// `ok`, `ready`.
    status: &'static str,
    /// `svc-simulator`: who reads it knows that this is no real service.
    product: &'static str,
    /// The version of the simulator.
    version: &'static str,
    /// Where its sandbox is called.
    sandbox: String,
    /// Where its live environment is called.
    live: String,
    /// Of `ready`: that the last edit of the scenario files was refused, and those before it still
    /// hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    scenarios: Option<String>,
    /// Of `ready`: the other simulators that work with the same accounts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replicas: Vec<ReplicaDto>,
}

/// Another simulator that works with the same accounts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReplicaDto {
    /// Its version.
    version: String,
    /// In what it differs from this one, so that the same call may be answered differently: `version`, `rules`, `seed`.
    differs_in: Vec<&'static str>,
}

impl HealthDto {
    fn of(request: &ControlRequest, status: &'static str, scenarios: Option<String>) -> Self {
        let addresses = &request.api.host.rules().addresses;
        HealthDto {
            status,
            product: "svc-simulator",
            version: env!("CARGO_PKG_VERSION"),
            sandbox: addresses.test.base().to_owned(),
            live: addresses.live.base().to_owned(),
            scenarios,
            replicas: Vec::new(),
        }
    }
}

pub(super) async fn health(request: ControlRequest) -> ControlResult<HealthDto> {
    Ok(HealthDto::of(&request, "ok", None))
}

/// All listeners are bound before the first of them serves: the stop makes this false, and a store that takes no
/// entries. A bad edit of the scenarios does not: calls are answered by those before it. It needs no token, and so it
/// does not quote the files.
pub(super) async fn ready(request: ControlRequest) -> ControlResult<HealthDto> {
    if request.api.stop.is_cancelled() {
        return Err(ControlError::of(ControlErrorCode::Stopping));
    }
    if let Some(obstacle) = request.api.host.readiness().obstacle() {
        let message = format!("calls are not executed: {obstacle}");
        return Err(ControlError::new(ControlErrorCode::NotReady, message));
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
    let replicas = request.api.host.replicas().into_iter();
    let replicas = replicas.map(|replica| ReplicaDto {
        version: replica.version,
        differs_in: replica.differs_in,
    });
    Ok(HealthDto {
        replicas: replicas.collect(),
        ..HealthDto::of(&request, "ready", scenarios)
    })
}
