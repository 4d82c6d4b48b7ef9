//! The audit of live answers that must be retained: who looked at what.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::NoBody;
use super::route::{ControlRequest, ControlResult};
use super::values::{EnvironmentDto, TextDto, TimestampDto, environments};
use crate::engine::state::audit::{Access, AccessKind};
use crate::engine::state::ids::VerificationId;

/// Whose audit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AuditQuery {
    account: String,
    environment: Option<EnvironmentDto>,
}

/// Accesses, oldest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlAudit", deny_unknown_fields)]
pub(super) struct AccessListDto {
    accesses: Vec<AccessDto>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct AccessDto {
    verification_id: TextDto<VerificationId>,
    environment: EnvironmentDto,
    /// By the account's clock.
    at: TimestampDto,
    by: AccessKindDto,
    /// The last day the answer is retained.
    #[schemars(with = "String", extend("format" = "date"))]
    retained_until: TextDto<Date>,
}

/// How an answer was accessed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum AccessKindDto {
    Call,
    Replay,
    LookUp,
}

pub(super) async fn list(
    request: ControlRequest<NoBody, AuditQuery>,
) -> ControlResult<AccessListDto> {
    let query = request.query;
    let cell = request.api.account(&query.account)?;
    let mut accesses = cell.read(|account| {
        let of = |environment| {
            let accesses = account.environment(environment).audit.iter();
            accesses.map(move |access: &Access| AccessDto {
                verification_id: TextDto(access.verification),
                environment: environment.into(),
                at: TimestampDto(access.at),
                by: match access.by {
                    AccessKind::Call => AccessKindDto::Call,
                    AccessKind::Replay => AccessKindDto::Replay,
                    AccessKind::LookUp => AccessKindDto::LookUp,
                },
                retained_until: TextDto(access.retained_until),
            })
        };
        let rows = environments(query.environment).into_iter().flat_map(of);
        rows.collect::<Vec<_>>()
    });
    accesses.sort_by_key(|access| access.at.0);
    Ok(AccessListDto { accesses })
}
