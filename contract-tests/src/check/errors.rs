//! Outcomes: a fixed input of every operation for every error that running it can end in.

use svc_fixtures::contract::{ErrorCode, ErrorRow};

use super::entry::{Check, Stage};
use crate::plan::{Case, Ending, Rule, Setting, lead};

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
        run: no_record,
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
        run: failures,
    },
];

/// The errors a fixed input asks for: all outcomes but the rate limit, which is the key's matter.
pub(super) fn outcomes<'c>(setting: &Setting<'c>) -> impl Iterator<Item = &'c ErrorRow> + use<'c> {
    let rows = setting.contract.errors.iter();
    rows.filter(|row| row.outcome && row.code != ErrorCode::RateLimited)
}

fn no_record(setting: &Setting<'_>) -> Vec<Case> {
    of_rows(setting, "states.no-record", |row| row.billed)
}

fn failures(setting: &Setting<'_>) -> Vec<Case> {
    of_rows(setting, "states.source-failure", |row| !row.billed)
}

fn of_rows(setting: &Setting<'_>, states: &str, wanted: impl Fn(&ErrorRow) -> bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for operation in setting.operations() {
        for row in outcomes(setting).filter(|row| wanted(row)) {
            let mut case = Case::about(operation, row.code.as_str()).extension();
            if lead::to_status(&mut case, setting, operation, row.status).is_none() {
                continue;
            }
            let ends = Rule::Ends(Ending::Error(row.code));
            cases.push(
                case.expecting(row.clause.clone(), ends.clone())
                    .expecting(states, ends.clone())
                    .expecting("ruling.32-fixed-inputs", ends),
            );
        }
    }
    cases
}
