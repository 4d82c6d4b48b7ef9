//! The command line: arguments, logging, exit codes. One file a command; each command only puts
//! together what the layers below offer.

mod account;
mod call_args;
mod check;
mod check_report;
mod clock;
mod completions;
mod contract;
mod control_client;
mod deliveries;
mod explain;
mod failure;
mod fmt;
mod forecast;
mod healthcheck;
mod init;
mod large_pages;
mod layout;
mod learn;
mod listen;
mod logging;
mod man;
mod memory;
mod open_files;
mod openapi;
mod operations;
mod people;
mod ports_file;
mod public_urls;
mod replace_file;
mod schema;
mod serve;
mod setting_value;
mod settings;
mod settings_schema;
mod shares;
mod store;
mod terminal;
mod token_file;
mod trigger;
mod try_call;
mod values;
mod webhook;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use account::AccountArgs;
use check::CheckArgs;
use clock::ClockArgs;
use completions::CompletionsArgs;
use deliveries::DeliveriesArgs;
use explain::ExplainArgs;
use failure::Failure;
pub use failure::{EXIT_FAILURE, EXIT_OK, EXIT_USAGE};
use fmt::FmtArgs;
use forecast::ForecastArgs;
use healthcheck::HealthcheckArgs;
use init::InitArgs;
use learn::LearnArgs;
use listen::ListenArgs;
use man::ManArgs;
use openapi::OpenapiArgs;
use operations::OperationsArgs;
use people::PeopleArgs;
use schema::SchemaArgs;
use settings::ServeArgs;
pub use settings::settings_markdown;
use store::StoreCommand;
use trigger::TriggerArgs;
use try_call::TryArgs;
use webhook::WebhookCommand;

/// A deterministic simulator of the Verification Service.
#[derive(Debug, Parser)]
#[command(
    name = "svc-simulator",
    version,
    after_help = "Without a command it serves: svc-simulator --seed x is svc-simulator serve --seed x.\n\
                  With every command --contract FOLDER (or SVC_CONTRACT) lays the rows of a folder over the built-in ones: its \
                  contract/, answers/ and world/, as fixtures/ has them.\n\
                  Exit codes: 0 all went well, 1 something failed or could not be written, 2 the command line or a file is \
                  wrong."
)]
struct Cli {
    /// Lay the rows of this folder over the built-in ones: its contract/, answers/ and world/, as fixtures/ has them
    #[arg(
        long,
        global = true,
        hide = true,
        env = "SVC_CONTRACT",
        value_name = "FOLDER"
    )]
    contract: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the sandbox, live and the console until interrupted (the default)
    Serve(Box<ServeArgs>),
    /// Read the contract, the answers, all scenarios and accounts, report every mistake, and try what
    /// the scenario files expect
    #[command(
        after_help = "Exit codes: 0 nothing is wrong, 1 the files are good and an expectation is not met, \
                      2 a file has a mistake or can't be read."
    )]
    Check(CheckArgs),
    /// Say which scenario an input gets and why, which came close, and an input for every outcome
    #[command(
        after_help = "Nothing is sent: the call is made in process, of a fresh account.\n\
                      Exit codes: 0 it is explained, 2 the command line or a file is wrong."
    )]
    Explain(Box<ExplainArgs>),
    /// Make a call in process and print the envelope it would be answered with
    #[command(
        after_help = "Nothing is sent and no answer is held back: the calls are made in process, of a fresh \
                      account. Calls that an operation must be preceded by are made first.\n\
                      Exit codes: 0 it was answered, whatever the answer, 1 the result is not there after \
                      --after, 2 the command line or a file is wrong."
    )]
    Try(Box<TryArgs>),
    /// Print the OpenAPI document, also as YAML, as OpenAPI 3.0 or as a Postman collection
    Openapi(OpenapiArgs),
    /// Print the JSON Schema of scenario files, of accounts.toml or of svc-simulator.toml, by which editors complete and
    /// check them
    Schema(SchemaArgs),
    /// Write a starter folder of scenario files, with examples and tests of them
    #[command(after_help = "Exit codes: 0 it is written, 1 it can't be, 2 it is there already.")]
    Init(InitArgs),
    /// Write scenario files anew in the one layout; comments and meaning stay
    #[command(
        after_help = "Exit codes: 0 all is laid out, 1 with --check: something would change; without: a file \
                      can't be written, 2 a file is no TOML or can't be read."
    )]
    Fmt(FmtArgs),
    /// Write scenario files from recorded traffic: who it is about, and rules for what the simulator would answer otherwise
    #[command(
        after_help = "Files that people wrote are left as they are; what was learned is a file of its own, which is written \
                      anew when the same capture is learned again. Nothing is sent: the capture is played in process.\n\
                      Exit codes: 0 it is written, 1 fewer members are alike than --at-least says, or it can't be \
                      written, 2 the command line or a file is wrong."
    )]
    Learn(LearnArgs),
    /// Foretell what a month of recorded traffic, or of a mix of calls, costs, how long its flows take, when a wallet runs
    /// dry, and what would be saved
    #[command(
        after_help = "Nothing is sent. Lines that can't be reckoned with are left out and listed.\n\
                      Exit codes: 0 it is foretold, 2 the command line or a file is wrong, or the traffic says nothing of \
                      a month."
    )]
    Forecast(Box<ForecastArgs>),
    /// List the operations with path, price, latency, fields and the inputs that lead to each outcome; the bundles and
    /// the flows with their steps
    Operations(OperationsArgs),
    /// List the people, companies and vehicles with a story, or tell all that is known of one
    #[command(
        after_help = "Exit codes: 0 they are listed, 2 nobody is called so, or a file is wrong."
    )]
    People(PeopleArgs),
    /// Copy, check or migrate the store of a simulator
    #[command(subcommand)]
    Store(StoreCommand),
    /// Print what a shell completes the arguments with
    Completions(CompletionsArgs),
    /// Write the manual pages of all commands into a folder
    Man(ManArgs),
    /// Ask a running simulator whether it is ready, as the health check of a container
    #[command(
        after_help = "Needs no token. Exit codes: 0 it is ready, 1 it is not, or does not answer, 2 the \
                      command line is wrong."
    )]
    Healthcheck(HealthcheckArgs),
    /// Receive webhook deliveries, check and show them
    Listen(Box<ListenArgs>),
    /// Sign a delivery, or say what is wrong with a signature
    #[command(subcommand)]
    Webhook(WebhookCommand),
    /// List the accounts of a running simulator, write one into a file, read it again, copy, set back, delete
    Account(Box<AccountArgs>),
    /// Show or move the clock of an account in a running simulator
    Clock(Box<ClockArgs>),
    /// List webhook deliveries of a running simulator, show one, send one again
    Deliveries(Box<DeliveriesArgs>),
    /// Make a webhook of a running simulator happen now, and wait for the receiver's answer
    #[command(
        after_help = "Exit codes: 0 the receiver took it, 1 it did not, or no webhook was sent since none is registered, \
                      2 the command line is wrong."
    )]
    Trigger(Box<TriggerArgs>),
}

/// Runs the program with these arguments, the first of which is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = with_command(arguments.into_iter().collect());
    let ended = parse(&arguments).and_then(|cli| {
        cli.contract.as_deref().map_or(Ok(()), contract::lay_over)?;
        execute(cli.command)
    });
    match ended {
        Ok(()) => ExitCode::from(EXIT_OK),
        Err(Failure::Arguments(error)) => refused(&error),
        Err(failure) => failed(&failure),
    }
}

/// The arguments; those of `serve` are read twice, with the defaults that the file of settings gives.
fn parse(arguments: &[OsString]) -> Result<Cli, Failure> {
    let mut matches = Cli::command().try_get_matches_from(arguments)?;
    if let Some(given) = matches.subcommand_matches("serve")
        && !given.get_flag(settings::NO_FILE)
        && let Some(file) = settings::read_file()?
    {
        let mut command = Cli::command();
        if let Some(serve) = command.find_subcommand_mut("serve") {
            *serve = settings::with_file(serve.clone(), &file, given)?;
        }
        matches = command.try_get_matches_from(arguments)?;
    }
    Ok(Cli::from_arg_matches(&matches)?)
}

fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Serve(args) => serve::run(*args),
        Command::Check(args) => check::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Try(args) => try_call::run(&args),
        Command::Openapi(args) => openapi::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Forecast(args) => forecast::run(&args),
        Command::Operations(args) => operations::run(&args),
        Command::People(args) => people::run(&args),
        Command::Store(command) => store::run(command),
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Healthcheck(args) => healthcheck::run(&args),
        Command::Listen(args) => listen::run(&args),
        Command::Webhook(command) => webhook::run(&command),
        Command::Account(args) => account::run(&args),
        Command::Clock(args) => clock::run(&args),
        Command::Deliveries(args) => deliveries::run(&args),
        Command::Trigger(args) => trigger::run(&args),
    }
}

/// Without a command it serves. Done before parsing, so that `serve` has its flags in one place.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let whole = ["-h", "--help", "-V", "--version"];
    let mut words = arguments.iter().skip(1).map(|it| it.to_string_lossy());
    // Rows can be laid over for every command, and say nothing of which it is.
    let first = loop {
        match words.next() {
            Some(word) if word == "--contract" => drop(words.next()),
            Some(word) if word.starts_with("--contract=") => {}
            word => break word.map(|word| word.into_owned()),
        }
    };
    let serves = match &first {
        None => true,
        Some(first) => first.starts_with('-') && !whole.contains(&first.as_str()),
    };
    if serves {
        arguments.insert(arguments.len().min(1), "serve".into());
    }
    arguments
}

fn failed(failure: &Failure) -> ExitCode {
    if !failure.is_silent() {
        // Where nobody can be told, the exit code tells it.
        let _ = terminal::error(&failure.to_string());
    }
    ExitCode::from(failure.exit_code())
}

/// Help and version go to stdout, mistakes to stderr without what could steer a terminal.
fn refused(error: &clap::Error) -> ExitCode {
    let printed = match error.use_stderr() {
        true => terminal::error(error.render().to_string().trim_end()),
        false => terminal::print(&error.render().to_string()),
    };
    match (printed, u8::try_from(error.exit_code())) {
        (Err(failure), Ok(EXIT_OK)) => failed(&failure),
        (_, code) => ExitCode::from(code.unwrap_or(EXIT_USAGE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_fit_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn without_a_command_it_serves() {
        let with = |arguments: &[&str]| {
            let arguments = std::iter::once(&"svc-simulator").chain(arguments);
            let arguments = with_command(arguments.map(OsString::from).collect());
            arguments[1..]
                .iter()
                .map(|it| it.to_string_lossy().into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(with(&[]), ["serve"]);
        assert_eq!(with(&["--seed", "x"]), ["serve", "--seed", "x"]);
        assert_eq!(with(&["check", "folder"]), ["check", "folder"]);
        assert_eq!(with(&["--help"]), ["--help"]);
    }
}
