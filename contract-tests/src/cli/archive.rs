//! `capture`: a capture from an HTTP archive, and an archive from a capture.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::exit::{CommandError, Exit};
use super::judge::load;
use super::record::{conclude, empty};
use super::run::fresh_seed;
use super::{outputs, say};
use crate::profile::Profile;
use crate::record::{self, Archive, RecordPlan, export};

/// What is made of what.
#[derive(Debug, Args)]
pub(super) struct CaptureFiles {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make a capture from an HTTP archive (HAR) that a browser or a proxy has saved, and judge it.
    Import(Import),
    /// Make an HTTP archive (HAR) from a capture.
    Export(Export),
}

#[derive(Debug, Args)]
struct Import {
    /// The archive
    file: PathBuf,
    /// The capture that is written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write over a file that is there
    #[arg(long)]
    replace: bool,
    /// By which rules it is judged
    #[arg(long, value_enum, default_value_t = Profile::Provider)]
    profile: Profile,
    #[command(flatten)]
    outputs: outputs::OutputArgs,
}

#[derive(Debug, Args)]
struct Export {
    /// The capture
    file: PathBuf,
    /// The archive that is written
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The longest body that is taken from an archive.
const MOST_BYTES: usize = 16 << 20;

impl CaptureFiles {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        match &self.command {
            Command::Import(import) => import.execute(),
            Command::Export(export) => export.execute(),
        }
    }
}

impl Import {
    fn execute(&self) -> Result<Exit, CommandError> {
        let wrong = |file: &Path, error: &anyhow::Error| {
            CommandError::usage(format!("{}: {error:#}", file.display()))
        };
        let text = outputs::read(&self.file)?;
        let archive = Archive::read(&text).map_err(|error| wrong(&self.file, &error))?;
        let plan = RecordPlan {
            out: self.out.clone(),
            seed: fresh_seed(),
            profile: self.profile,
            environments: archive.environments.clone(),
            local: self.outputs.shows_personal_data(archive.local),
            most_bytes: MOST_BYTES,
            most_connections: 0,
            drain: Duration::ZERO,
            ca_file: None,
            client_certificate: None,
            webhook_secret: None,
        };
        let file = record::create(&self.out, &empty(&plan), self.replace)
            .map_err(|error| CommandError::usage(format!("--out {error:#}")))?;
        let others = archive.others;
        let recorded = archive.record(&plan, file, Box::new(|line: &str| say(line)));
        if others > 0 {
            say(format_args!(
                "{others} entries are no calls of the service, and left out"
            ));
        }
        conclude(&self.out, &self.outputs, &recorded)
    }
}

impl Export {
    fn execute(&self) -> Result<Exit, CommandError> {
        let capture = load(&self.file)?;
        outputs::writable(&self.out)?;
        let text = serde_json::to_string_pretty(&export(&capture));
        outputs::write(&self.out, &text.context("the archive can't be printed")?)?;
        Ok(Exit::Held)
    }
}
