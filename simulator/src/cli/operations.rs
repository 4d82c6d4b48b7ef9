//! `operations`: lists the operations, or shows some of them with all that is known.

use clap::{Args, Subcommand};
use svc_fixtures::reading::nearest;

use super::failure::Failure;
use super::terminal;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::http::operations::{is_named, list};
use crate::scenario::read_accounts;
use crate::simulator::files;

/// The arguments of `operations`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct OperationsArgs {
    /// The same as show
    id: Option<String>,
    /// Print them as tables in Markdown
    #[arg(long)]
    markdown: bool,
    #[command(subcommand)]
    action: Option<OperationsAction>,
}

#[derive(Debug, Subcommand)]
enum OperationsAction {
    /// Show operations in detail: fields, rules, limits, price, latency, and inputs with whole bodies
    Show {
        /// An id, a path, or the beginning of ids, as in verify.company.*
        id: String,
    },
}

/// Runs the command.
pub(super) fn run(args: &OperationsArgs) -> Result<(), Failure> {
    let files = files::read(&[])?;
    let rules = Rules::read(&files.rules, Seed::new(""))?;
    let shown = match &args.action {
        Some(OperationsAction::Show { id }) => Some(id),
        None => args.id.as_ref(),
    };
    let rows = &rules.contract.operations;
    // The id is checked before the slow list is made.
    if let Some(id) = shown.filter(|id| !rows.iter().any(|row| is_named(row, id))) {
        let hint = nearest(id, rows.iter().map(|row| row.id.as_str()));
        return Err(Failure::Usage(format!(
            "there is no operation {id}; {hint} Without an id all are listed"
        )));
    }
    let mut operations = list(&rules, &read_accounts(&files.accounts)?);
    if let Some(id) = shown {
        operations = operations.only(id);
    }
    terminal::print(&match (args.markdown, shown) {
        (true, _) => operations.markdown(),
        (false, None) => operations.text(),
        (false, Some(_)) => operations.details(),
    })
}
