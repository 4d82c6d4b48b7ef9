//! `man`: writes the manual pages, one for the program and one for each command.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context as _;
use clap::{Args, Command};
use clap_mangen::Man;

use super::failure::Failure;
use super::terminal;

/// The arguments of `man`.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The folder, such as ~/.local/share/man/man1; it is made where it is not there
    folder: PathBuf,
}

/// Runs the command. Pages of an older version are written over.
pub(super) fn run(args: &ManArgs, command: Command) -> Result<(), Failure> {
    let folder = &args.folder;
    let mut command = command.disable_help_subcommand(true);
    // Gives commands of commands their whole names.
    command.build();
    fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    write(&command, folder)
        .with_context(|| format!("the pages can't be written to {}", folder.display()))?;
    let first = folder.join("svc-simulator.1");
    terminal::print(&format!("{}\n", first.display()))
}

fn write(command: &Command, folder: &Path) -> io::Result<()> {
    for command in command.get_subcommands() {
        write(command, folder)?;
    }
    let page = Man::new(command.clone())
        // An empty one is left out, and what follows takes its place.
        .date(" ")
        .source(concat!("svc-simulator ", env!("CARGO_PKG_VERSION")))
        .manual("Verification Service simulator");
    page.generate_to(folder).map(drop)
}
