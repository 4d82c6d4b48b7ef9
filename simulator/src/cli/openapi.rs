//! `openapi`: prints the OpenAPI document of the built-in contract, in the form that a tool reads.

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::terminal;
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::engine::state::ids::Seed;
use crate::http::{ListenerAddresses, openapi};
use crate::scenario::read_accounts;
use crate::simulator::files;

/// The arguments of `openapi`.
#[derive(Debug, Args)]
pub(super) struct OpenapiArgs {
    /// What it is written as
    #[arg(long, value_enum, default_value_t = OpenapiFormat::Json)]
    format: OpenapiFormat,
    /// Name the URL of one listener only; a Postman collection is of the sandbox unless this is live
    #[arg(long, value_enum)]
    environment: Option<OpenapiEnvironment>,
    /// Only the operations of the service, or only those of the control API, with what they refer to
    #[arg(long, value_enum)]
    only: Option<OpenapiPart>,
}

/// What the document is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OpenapiFormat {
    /// OpenAPI 3.1, JSON
    Json,
    /// OpenAPI 3.1, YAML
    Yaml,
    /// OpenAPI 3.0, JSON, for tools that do not read 3.1
    #[value(name = "3.0")]
    Version30,
    /// A Postman collection, v2.1
    Postman,
}

/// Whose URL the document names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OpenapiEnvironment {
    /// The sandbox's
    Sandbox,
    /// Live's
    Live,
}

/// Which part of the document alone is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OpenapiPart {
    /// What an application calls
    Api,
    /// What the console serves: accounts, clocks, wallets, webhooks and scenarios
    Control,
}

/// Runs the command.
pub(super) fn run(args: &OpenapiArgs) -> Result<(), Failure> {
    if args.only == Some(OpenapiPart::Control)
        && (args.format == OpenapiFormat::Postman || args.environment.is_some())
    {
        let told = "the control API is in no Postman collection and of no environment: leave out --only control, or \
                    --format postman and --environment";
        return Err(Failure::Usage(told.to_owned()));
    }
    let files = files::read(&[])?;
    let rules = Rules::read(&files.rules, Seed::new(""))?;
    let accounts = read_accounts(&files.accounts)?;
    let format = match args.format {
        OpenapiFormat::Json => openapi::DocumentFormat::Json,
        OpenapiFormat::Yaml => openapi::DocumentFormat::Yaml,
        OpenapiFormat::Version30 => openapi::DocumentFormat::Version30,
        OpenapiFormat::Postman => openapi::DocumentFormat::Postman,
    };
    let environment = args.environment.map(|environment| match environment {
        OpenapiEnvironment::Sandbox => Environment::Test,
        OpenapiEnvironment::Live => Environment::Live,
    });
    let part = args.only.map(|part| match part {
        OpenapiPart::Api => openapi::DocumentPart::Api,
        OpenapiPart::Control => openapi::DocumentPart::Control,
    });
    let form = openapi::DocumentForm {
        format,
        environment,
        part,
    };
    let urls = ListenerAddresses::DEFAULT.urls();
    terminal::print(&openapi::print(&rules, &accounts, &urls, form))
}
