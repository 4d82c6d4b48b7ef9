//! `schema`: prints the JSON Schema of scenario files, for editors, or its keys for people.

use clap::Args;
use serde_json::Value;
use svc_fixtures::contract::Contract;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;

use super::failure::Failure;
use super::terminal;
use crate::engine::call::rules::Files;
use crate::engine::compute;
use crate::scenario_format;

/// The arguments of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Print every key as tables in Markdown
    #[arg(long)]
    markdown: bool,
}

/// Runs the command.
pub(super) fn run(args: &SchemaArgs) -> Result<(), Failure> {
    match args.markdown {
        true => terminal::print(&scenario_format::reference(&schema()?)),
        false => terminal::print(&text()?),
    }
}

/// The schema as it stands in a file.
pub(super) fn text() -> Result<String, Failure> {
    Ok(format!("{:#}\n", schema()?))
}

/// The schema of the built-in contract.
fn schema() -> Result<Value, Failure> {
    let files = Files::built_in();
    let contract = Contract::read(&files.contract)?;
    let answers = Answers::read(
        &files.answers,
        &contract,
        &compute::signatures(),
        WorldRows::built_in(),
    )?;
    Ok(scenario_format::schema(&contract, &answers.cast))
}
