//! The audit of live answers that must be retained: who looked at what.

use std::sync::Arc;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Control;
use super::body::Nothing;
use super::query::Query;
use super::refusal::{Code, Refusal};
use super::route::{Asked, Route, get};
use super::values::{In, Shown, When, meant};
use crate::engine::state::audit::{Access, AccessKind};
use crate::engine::state::ids::VerificationId;

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/control/audit",
            "audit.list",
            "Every access to answers that must be retained",
        )
        .by(list)
        .refusing(&[Code::AccountNotFound]),
    ]
}

/// Whose audit.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AuditQuery {
    account: String,
    environment: Option<In>,
}

impl Query for AuditQuery {}

/// Accesses, oldest first.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ControlAudit", deny_unknown_fields)]
struct Audit {
    accesses: Vec<AccessRow>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct AccessRow {
    verification_id: Shown<VerificationId>,
    environment: In,
    /// By the account's clock.
    at: When,
    by: By,
    /// The last day the answer is retained.
    #[schemars(with = "String", extend("format" = "date"))]
    retained_until: Shown<Date>,
}

/// How an answer was accessed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
enum By {
    Call,
    Replay,
    LookUp,
}

async fn list(control: Arc<Control>, asked: Asked<Nothing, AuditQuery>) -> Result<Audit, Refusal> {
    let query = asked.query;
    let cell = control.account(&query.account)?;
    let mut accesses = cell.read(|account| {
        let of = |environment| {
            let accesses = account.environment(environment).audit.iter();
            accesses.map(move |access: &Access| AccessRow {
                verification_id: Shown(access.verification),
                environment: environment.into(),
                at: When(access.at),
                by: match access.by {
                    AccessKind::Call => By::Call,
                    AccessKind::Replay => By::Replay,
                    AccessKind::LookUp => By::LookUp,
                },
                retained_until: Shown(access.retained_until),
            })
        };
        let rows = meant(query.environment).into_iter().flat_map(of);
        rows.collect::<Vec<_>>()
    });
    accesses.sort_by_key(|access| access.at.0);
    Ok(Audit { accesses })
}
