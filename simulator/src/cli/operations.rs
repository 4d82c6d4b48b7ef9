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
    /// Print the tables of the README
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
    // The id is checked before the slow listing is made.
    if let Some(id) = shown
        && !rules
            .contract
            .operations
            .iter()
            .any(|row| is_named(row, id))
    {
        return Err(unknown(&rules, id));
    }
    let listing = list(&rules, &read_accounts(&files.accounts)?);
    let listing = match shown {
        None => listing,
        Some(id) => listing.only(id),
    };
    terminal::print(&match (args.markdown, shown) {
        (true, _) => listing.markdown(),
        (false, None) => listing.text(),
        (false, Some(_)) => listing.details(),
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
