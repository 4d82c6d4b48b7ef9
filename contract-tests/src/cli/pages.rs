//! `man` and `completions`: what a shell and `man` know of the commands. Sends nothing.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;

use super::exit::{CommandError, Exit};

/// Where the manual pages go.
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The folder, such as ~/.local/share/man/man1; it is made where it is not there
    folder: PathBuf,
}

/// For whom the arguments are completed.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Man {
    /// Pages of an older version are written over.
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let mut command = super::Arguments::command().disable_help_subcommand(true);
        // Gives commands of commands their whole names.
        command.build();
        let folder = self.folder.display();
        fs::create_dir_all(&self.folder)
            .and_then(|()| write_pages(&command, &self.folder))
            .with_context(|| format!("the pages were not written to {folder}"))?;
        let first = self.folder.join("svc-contract-tests.1");
        print(format!("{}\n", first.display()).as_bytes())
    }
}

impl Completions {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        let mut script = Vec::new();
        let mut command = super::Arguments::command();
        clap_complete::generate(self.shell, &mut command, "svc-contract-tests", &mut script);
        print(&script)
    }
}

fn write_pages(command: &Command, folder: &Path) -> io::Result<()> {
    for command in command.get_subcommands() {
        write_pages(command, folder)?;
    }
    let page = clap_mangen::Man::new(command.clone())
        // An empty one is left out, and what follows takes its place.
        .date(" ")
        .source(concat!("svc-contract-tests ", env!("CARGO_PKG_VERSION")))
        .manual("Verification Service contract tests");
    page.generate_to(folder).map(drop)
}

fn print(text: &[u8]) -> Result<Exit, CommandError> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text).and_then(|()| out.flush());
    written.context("the output was not written")?;
    Ok(Exit::Held)
}
