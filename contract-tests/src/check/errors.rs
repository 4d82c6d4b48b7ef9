//! Outcomes: a fixed input of every operation for every error that running it can end in.

use svc_fixtures::contract::{ErrorCode, ErrorRow, Operation};

use super::entry::{Cases, Check, Stage};
use crate::plan::{Case, Rule, Setting, lead};

pub(super) const CHECKS: &[Check] = &[
    Check {
        id: "errors.no-record",
        title: "An input without a record is conclusive: no record found",
        clauses: &[
            "errors.no-record-found",
            "states.no-record",
            "ruling.32-fixed-inputs",
        ],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(no_record),
    },
    Check {
        id: "errors.failures",
        title: "A source or service that fails says so by its code, status and retryable",
        clauses: &[
            "errors.source-unavailable",
            "errors.source-timeout",
            "errors.provider-error",
            "errors.internal-error",
            "states.source-failure",
            "ruling.32-fixed-inputs",
        ],
        stage: Stage::Sandbox,
        cases: Cases::PerOperation(failures),
    },
];

/// The errors a fixed input asks for: all outcomes but the rate limit, which is the key's matter.
pub(super) fn outcomes<'c>(setting: &Setting<'c>) -> impl Iterator<Item = &'c ErrorRow> + use<'c> {
    let rows = setting.contract.errors.iter();
    rows.filter(|row| row.outcome && row.code != ErrorCode::RateLimited)
}

fn no_record(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    of_rows(setting, operation, "states.no-record", |row| row.billed)
}

fn failures(setting: &Setting<'_>, operation: &Operation) -> Option<Vec<Case>> {
    of_rows(setting, operation, "states.source-failure", |row| {
        !row.billed
    })
}

fn of_rows(
    setting: &Setting<'_>,
    operation: &Operation,
    states: &str,
    wanted: fn(&ErrorRow) -> bool,
) -> Option<Vec<Case>> {
    let case = |row: &ErrorRow| {
        let mut case = Case::about(operation, row.code.as_str()).extension();
        let step = lead::to_status(&mut case, setting, operation, row.status)?;
        let clauses = [row.clause.as_str(), states, "ruling.32-fixed-inputs"];
        case.expect_each(step, clauses, &Rule::fails(row.code));
        Some(case)
    };
    let rows = outcomes(setting).filter(|row| wanted(row));
    Some(rows.filter_map(case).collect())
}
