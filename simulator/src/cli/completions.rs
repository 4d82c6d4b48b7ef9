//! `completions`: prints what a shell completes the arguments with.

use clap::{Args, Command};
use clap_complete::Shell;

use super::failure::Failure;
use super::terminal;

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Runs the command.
pub(super) fn run(args: &CompletionsArgs, command: &mut Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "svc-simulator", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))
}
