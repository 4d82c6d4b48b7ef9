//! `store`: copies the store of a simulator, checks it, brings it into today's form.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use svc_fixtures::contract::Contract;

use super::failure::Failure;
use super::terminal;
use super::values::render_size;
use crate::engine::call::rules::Files;
use crate::engine::state::account::Settings;
use crate::host::journal::sqlite;
use crate::simulator::Store;

/// What is to be done with a store.
#[derive(Debug, Subcommand)]
pub(super) enum StoreCommand {
    /// Copy a SQLite store into a new file, as it is at this instant; a simulator may go on using it
    #[command(
        after_help = "Exit codes: 0 it is copied, 1 it can't be, 2 there is no store, or a file is in the way."
    )]
    Backup(BackupArgs),
    /// Read all of a SQLite store and say what is damaged; a simulator may go on using it
    #[command(
        after_help = "Exit codes: 0 nothing is damaged, 1 something is, 2 there is no store."
    )]
    Check(StoreArgs),
    /// Bring a SQLite store into the form of this version, as `serve --store` does, too
    #[command(
        after_help = "Exit codes: 0 it is in today's form, 1 it can't be brought into it, 2 there is no store, a \
                      newer version wrote it, or a simulator uses it."
    )]
    Migrate(StoreArgs),
}

/// Which store.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    /// The store, as --store of serve has it: sqlite:FILE
    #[arg(env = "SVC_SIMULATOR_STORE", value_name = "STORE")]
    store: Store,
}

/// Which store, and where to.
#[derive(Debug, Args)]
pub(super) struct BackupArgs {
    /// The store, as --store of serve has it: sqlite:FILE
    #[arg(value_name = "STORE")]
    store: Store,
    /// The new file
    #[arg(value_name = "FILE", value_parser = new_file)]
    file: PathBuf,
}

/// A file, also where it is written as a store is.
fn new_file(text: &str) -> Result<PathBuf, String> {
    match text.strip_prefix("sqlite:").unwrap_or(text) {
        "" => Err("name a file".to_owned()),
        file => Ok(file.into()),
    }
}

/// Runs the command.
pub(super) fn run(command: StoreCommand) -> Result<(), Failure> {
    match command {
        StoreCommand::Backup(args) => backup(file_of(&args.store)?, &args.file),
        StoreCommand::Check(args) => check(file_of(&args.store)?),
        StoreCommand::Migrate(args) => migrate(file_of(&args.store)?),
    }
}

/// What is in memory has no file, and ends with its simulator.
fn file_of(store: &Store) -> Result<&Path, Failure> {
    match store {
        Store::Sqlite(file) => Ok(file),
        Store::Memory => Err(Failure::Usage(
            "what is in memory is kept nowhere: name a store, such as sqlite:accounts.db"
                .to_owned(),
        )),
        Store::Postgres(_) => Err(Failure::Usage(
            "a PostgreSQL server is looked after with its own programs: pg_dump, pg_amcheck; `serve` migrates it"
                .to_owned(),
        )),
    }
}

fn backup(from: &Path, to: &Path) -> Result<(), Failure> {
    sqlite::backup(from, to)?;
    terminal::print(&format!(
        "{} is copied to {}\n",
        from.display(),
        to.display()
    ))
}

fn check(file: &Path) -> Result<(), Failure> {
    let contract = Contract::read(&Files::built_in().contract)?;
    let report = sqlite::check(file, &Settings::of(&contract.service))?;
    let mut text = format!(
        "{}: {} accounts, {} entries, {}\n",
        file.display(),
        report.accounts,
        report.entries,
        render_size(report.bytes)
    );
    for damage in &report.damage {
        text += &format!("damaged: {damage}\n");
    }
    terminal::print(&text)?;
    match report.damage.is_empty() {
        true => Ok(()),
        false => Err(Failure::Answered),
    }
}

fn migrate(file: &Path) -> Result<(), Failure> {
    let (before, now) = sqlite::migrate(file)?;
    terminal::print(&match before == now {
        true => format!("{} is in form {now}, the newest\n", file.display()),
        false => format!(
            "{} was in form {before} and is in form {now} now\n",
            file.display()
        ),
    })
}
