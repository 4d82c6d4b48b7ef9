//! `completions`: prints what a shell completes the arguments with.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Failure, terminal};

/// What `completions` is told.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let (mut command, mut script) = (Cli::command(), Vec::new());
    clap_complete::generate(args.shell, &mut command, "svc-simulator", &mut script);
    terminal::print(&String::from_utf8_lossy(&script));
    Ok(())
}
