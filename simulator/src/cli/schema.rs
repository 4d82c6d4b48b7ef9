//! `schema`: prints the JSON Schema of a file that people write, for editors, or the keys of scenario files for people.

use clap::{Args, Command, ValueEnum};
use serde_json::Value;
use svc_fixtures::contract::Contract;
use svc_fixtures::template::Answers;
use svc_fixtures::world::WorldRows;

use super::failure::Failure;
use super::settings::ServeArgs;
use super::settings_schema::settings_schema;
use super::terminal;
use crate::engine::call::rules::Files;
use crate::engine::compute;
use crate::scenario_format;

/// The arguments of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Of which files
    #[arg(default_value = "scenarios")]
    of: SchemaOf,
    /// Print every key of scenario files as tables in Markdown
    #[arg(long)]
    markdown: bool,
}

/// The files that people write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaOf {
    /// Scenario files
    Scenarios,
    /// accounts.toml in a folder of scenarios
    Accounts,
    /// svc-simulator.toml, the settings of serve
    Settings,
}

/// Runs the command.
pub(super) fn run(args: &SchemaArgs) -> Result<(), Failure> {
    let schema = match (args.of, args.markdown) {
        (SchemaOf::Scenarios, true) => {
            return terminal::print(&scenario_format::reference(&schema()?));
        }
        (_, true) => {
            let message = "only the keys of scenario files are printed as tables";
            return Err(Failure::Usage(message.to_owned()));
        }
        (SchemaOf::Scenarios, false) => schema()?,
        (SchemaOf::Accounts, false) => scenario_format::accounts_schema(),
        (SchemaOf::Settings, false) => {
            settings_schema(&ServeArgs::augment_args(Command::new("serve")))
        }
    };
    terminal::print(&format!("{schema:#}\n"))
}

/// The schema of scenario files as it stands in one.
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
