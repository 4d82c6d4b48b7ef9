//! The errors that calls are answered with: the contract's table.

use schemars::JsonSchema;
use serde::Serialize;

use super::route::{ControlRequest, ControlResult};

/// Every error, in the order of the contract.
#[derive(Serialize, JsonSchema)]
pub(super) struct ErrorTableDto {
    errors: Vec<ErrorRowDto>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ErrorRowDto {
    code: String,
    /// The HTTP status it comes with.
    status: u16,
    /// Whether the same call may succeed later.
    retryable: bool,
    /// Whether a live call that ends so is billed.
    billed: bool,
    /// Whether running an operation can end so, and a scenario may ask for it; any other one refuses a call before.
    outcome: bool,
    /// When it comes.
    meaning: String,
    /// The clause of the specification.
    clause: String,
}

pub(super) async fn list(request: ControlRequest) -> ControlResult<ErrorTableDto> {
    let contract = &request.api.host.rules().contract;
    let rows = contract.errors.iter().map(|row| ErrorRowDto {
        code: row.code.to_string(),
        status: row.status,
        retryable: row.retryable,
        billed: row.billed,
        outcome: row.outcome,
        meaning: row.meaning.clone(),
        clause: row.clause.clone(),
    });
    Ok(ErrorTableDto {
        errors: rows.collect(),
    })
}
