//! `operations`: lists the operations, the bundles and the flows, or shows some of them with all that is known.

use clap::{Args, Subcommand};
use svc_fixtures::reading::nearest_sentence;

use super::failure::Failure;
use super::terminal;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::http::operation_groups::{group_names, is_group};
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
    /// Show operations, bundles and flows in detail: fields, rules, limits, price, latency, and inputs with whole bodies
    Show {
        /// An id, a path, or the beginning of ids, as in verify.company.*, bundles.* and flows.*
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
    let is_known =
        |id: &&String| rows.iter().any(|row| is_named(row, id)) || is_group(&rules.contract, id);
    if let Some(id) = shown.filter(|id| !is_known(id)) {
        let groups = group_names(&rules.contract);
        let ids = rows.iter().map(|row| row.id.as_str());
        let hint = nearest_sentence(id, ids.chain(groups.iter().map(String::as_str)));
        return Err(Failure::Usage(format!(
            "there is no operation, bundle or flow {id}; {hint} Without an id all are listed"
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
