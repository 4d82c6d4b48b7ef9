//! `operations`: lists the operations with the inputs that lead to each outcome.

use svc_fixtures::reading::nearest;

use super::{Failure, files, terminal};
use crate::engine::ids::Seed;
use crate::engine::rules::Rules;
use crate::http::operations::list;
use crate::scenario::read_accounts;

/// Runs the command.
pub(super) fn run(id: Option<&str>, markdown: bool) -> Result<(), Failure> {
    let files = files::read(&[])?;
    let rules = Rules::read(&files.rules, Seed::new(""))?;
    let listing = list(&rules, &read_accounts(&files.accounts)?);
    let shown = match id {
        None => listing,
        Some(id) => listing.only(id).ok_or_else(|| unknown(&rules, id))?,
    };
    terminal::print(&match (markdown, id) {
        (true, _) => shown.markdown(),
        (false, None) => shown.text(),
        (false, Some(_)) => shown.details(),
    });
    Ok(())
}

fn unknown(rules: &Rules, id: &str) -> Failure {
    let ids = rules.contract.operations.iter().map(|it| it.id.as_str());
    Failure::Usage(format!(
        "there is no operation {id}; {} Without an id all are listed",
        nearest(id, ids)
    ))
}
