//! `init`: writes a starter folder of scenarios, with an example of each kind and tests of them.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use super::call_args::quoted;
use super::failure::Failure;
use super::{schema, terminal};

/// The arguments of `init`.
#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// The folder; it is made where it is not there
    folder: PathBuf,
}

/// The examples: those that most people begin with, and one of every other kind.
const STARTER: &str = include_str!("starter/scenarios.toml");
const KINDS: &str = include_str!("starter/kinds.toml");

/// Runs the command. Nothing is written where one of the files is there already.
pub(super) fn run(args: &InitArgs) -> Result<(), Failure> {
    let folder = &args.folder;
    // The first line of each names the schema beside it.
    let files = [
        ("kinds.toml", KINDS.to_owned()),
        ("scenarios.toml", STARTER.to_owned()),
        ("schema.json", schema::text()?),
    ];
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    if let Some((name, _)) = files.iter().find(|(name, _)| is_there(name)) {
        return Err(Failure::Usage(format!(
            "{} is there already and nothing is written over; name another folder",
            folder.join(name).display()
        )));
    }
    fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    for (name, text) in files {
        let path = folder.join(name);
        // Not even what somebody else writes at this moment is written over.
        let file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path);
        let written = file.and_then(|mut file| {
            file.write_all(text.as_bytes()).inspect_err(|_| {
                // A part of it would be in the way of the next try.
                let _ = fs::remove_file(&path);
            })
        });
        written.with_context(|| format!("{} can't be written", path.display()))?;
        terminal::print(&format!("{}\n", path.display()))?;
    }
    let folder = quoted(&folder.display().to_string());
    terminal::error(&format!(
        "next: svc-simulator check {folder}, then svc-simulator serve --scenarios {folder}"
    ))
}
