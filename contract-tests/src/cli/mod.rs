//! The command line: arguments, keys, exit codes. One file a command.

mod archive;
mod budget;
mod connection;
mod contract;
mod diff;
mod diff_outputs;
mod diff_sides;
mod drift;
mod drift_service;
mod dry_run;
mod early_end;
mod execution;
mod exit;
mod given_keys;
mod inputs;
mod judge;
mod keys;
mod list;
mod outputs;
mod pages;
mod preflight;
mod receiver;
mod record;
mod replay;
mod run;
mod selection;
mod side;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

use crate::redact::Redactor;
pub use exit::Exit;

/// Contract tests of the Verification Service.
#[derive(Debug, Parser)]
#[command(name = "svc-contract-tests", version, about, after_help = exit::HELP)]
struct Arguments {
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
    /// Run the checks against a service.
    Run(Box<run::Run>),
    /// Judge a saved capture again; nothing is sent.
    Judge(judge::Judge),
    /// Make captures from HTTP archives, and HTTP archives from captures.
    Capture(Box<archive::CaptureFiles>),
    /// Record and judge what passes between a client and a service.
    Record(Box<record::RecordArgs>),
    /// Send a captured case again and judge it.
    Replay(Box<replay::Replay>),
    /// Send the same calls to two services, or take two captures, and say what is different, each thing once.
    #[command(after_help = diff::HELP)]
    Diff(Box<diff::Diff>),
    /// Say what a service does otherwise than the contract's rows, as a patch of the rows
    #[command(after_help = drift::HELP)]
    Drift(Box<drift::Drift>),
    /// Show which check asks which clause of the specification.
    List(list::List),
    /// Show the inputs whose outcome is fixed, or learn a first file of them from a service.
    Inputs(Box<inputs::Inputs>),
    /// Print what a shell completes the arguments with.
    Completions(pages::Completions),
    /// Write the manual pages of all commands into a folder.
    Man(pages::Man),
}

/// What is done unless somebody says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Of a service on this machine, if keys are given with a simulator's
    Auto,
    Yes,
    No,
}

impl Choice {
    fn or(self, auto: bool) -> bool {
        match self {
            Choice::Auto => auto,
            Choice::Yes => true,
            Choice::No => false,
        }
    }
}

/// Says something beside the report. Where stderr is closed there is nobody to say it to.
fn say(text: impl std::fmt::Display) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Runs the command of this process.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    let laid = arguments.contract.as_deref();
    let laid = laid.map_or(Ok(()), contract::lay_over);
    let done = laid.and_then(|()| match &arguments.command {
        Command::Run(run) => run.execute(),
        Command::Judge(judge) => judge.execute(),
        Command::Capture(files) => files.execute(),
        Command::Record(record) => record.execute(),
        Command::Replay(replay) => replay.execute(),
        Command::Diff(diff) => diff.execute(),
        Command::List(list) => list.execute(),
        Command::Inputs(inputs) => inputs.execute(),
        Command::Completions(completions) => completions.execute(),
        Command::Man(man) => man.execute(),
        Command::Drift(drift) => drift.execute(),
    });
    let exit = done.unwrap_or_else(|mistake| {
        let cause = format!("{:#}", mistake.cause);
        // What shows a line of a file begins so by itself.
        let begins = if cause.starts_with("error: ") {
            ""
        } else {
            "error: "
        };
        say(format_args!("{begins}{cause}"));
        mistake.exit
    });
    ExitCode::from(exit as u8)
}

/// Says what is wrong with the arguments, or helps; a key among them is not repeated.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let clean = Redactor::of([]).text(&text);
    if clean == text {
        // Help that nobody can have read is no success either.
        let printed = error.print().and_then(|()| io::stdout().flush());
        match (printed, error.exit_code()) {
            (Err(cause), 0) => {
                say(format_args!("error: the help was not written: {cause}"));
                std::process::exit(Exit::Nothing as i32)
            }
            (_, code) => std::process::exit(code),
        }
    }
    // Where stderr is closed there is nobody to report to.
    let _ = write!(io::stderr(), "{clean}");
    std::process::exit(Exit::Usage as i32)
}
