//! The audit of live answers that must be retained: who looked at what.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::NoBody;
use super::route::{ControlRequest, ControlResult};
use super::values::{EnvironmentDto, TimestampDto, environments};
use crate::engine::state::audit::{Access, AccessKind};

/// Whose audit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditQuery {
    account: String,
    environment: Option<EnvironmentDto>,
}

/// Accesses, oldest first.
#[derive(Serialize, JsonSchema)]
pub(super) struct AccessListDto {
    accesses: Vec<AccessDto>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AccessDto {
    verification_id: String,
    environment: EnvironmentDto,
    /// By the account's clock.
    at: TimestampDto,
    by: AccessKind,
    /// The last day the answer is retained.
    #[schemars(with = "String", extend("format" = "date"))]
    retained_until: Date,
}

pub(super) async fn list(
    request: ControlRequest<NoBody, AuditQuery>,
) -> ControlResult<AccessListDto> {
    let cell = request.account_of(&request.query.account)?;
    let query = request.query;
    let mut accesses = cell.read(|account| {
        let of = |environment| {
            let accesses = account.environment(environment).audit.iter();
            accesses.map(move |access: &Access| AccessDto {
                verification_id: access.verification.to_string(),
                environment: EnvironmentDto(environment),
                at: TimestampDto(access.at),
                by: access.by,
                retained_until: access.retained_until,
            })
        };
        let rows = environments(query.environment).into_iter().flat_map(of);
        rows.collect::<Vec<_>>()
    });
    accesses.sort_by_key(|access| access.at.0);
    Ok(AccessListDto { accesses })
}
