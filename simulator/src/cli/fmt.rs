//! `fmt`: writes scenario files anew in the one layout. What they mean does not change.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use clap::Args;
use svc_fixtures::json::Json;
use svc_fixtures::reading::{Problems, Source, Table};

use super::failure::Failure;
use super::replace_file::replace_file;
use super::terminal;
use crate::rehearsal::LineDiff;
use crate::scenario_format::format_toml;
use crate::simulator::files;

/// The arguments of `fmt`.
#[derive(Debug, Args)]
pub(super) struct FmtArgs {
    /// Files, and folders whose TOML files are meant
    #[arg(required = true, value_name = "FILE|FOLDER")]
    paths: Vec<PathBuf>,
    /// Change nothing; show what would change, and fail where something would
    #[arg(long)]
    check: bool,
}

/// A file and what it is to be.
struct ChangedFile {
    path: PathBuf,
    source: Arc<Source>,
    text: String,
}

/// Runs the command. Nothing is written where one of the files is no TOML.
pub(super) fn run(args: &FmtArgs) -> Result<(), Failure> {
    let (mut changed, mut problems, mut count) = (Vec::new(), Problems::default(), 0);
    for path in &args.paths {
        for path in files::toml_files_of(path)? {
            count += 1;
            let source = files::source(&path)?;
            let Some(before) = meaning(&source, &mut problems) else {
                continue;
            };
            let text = format_toml(&source.text);
            if text == source.text {
                continue;
            }
            // Nobody's file is worth a mistake of ours.
            let after = Source::new(source.path.as_str(), text.as_str());
            if meaning(&after, &mut Problems::default()).as_ref() != Some(&before) {
                let path = path.display();
                return Err(anyhow!("{path} would mean something else; it is left alone").into());
            }
            changed.push(ChangedFile { path, source, text });
        }
    }
    problems.sorted().or(())?;
    match args.check {
        true => show(&changed),
        false => write(&changed, count),
    }
}

/// What a file says, member by member; a problem where it is no TOML.
fn meaning(
    source: &Arc<Source>,
    problems: &mut Problems,
) -> Option<Vec<(String, Option<Json<'static>>)>> {
    let ((intact, members), found) = Table::of_source(source, |root| {
        let members = root.entries().into_iter().map(|(name, item)| {
            // A value that JSON can't represent is a problem for the reader of scenarios, not here.
            (name.to_owned(), item.json_or_problem())
        });
        (root.is_intact(), members.collect())
    });
    if !intact {
        problems.extend(found);
    }
    intact.then_some(members)
}

fn show(changed: &[ChangedFile]) -> Result<(), Failure> {
    for ChangedFile { source, text, .. } in changed {
        let diff = LineDiff::new(&source.text, text);
        terminal::print(&diff.unified(&source.path, "as fmt writes it"))?;
    }
    match changed.is_empty() {
        true => Ok(()),
        false => Err(Failure::Answered),
    }
}

fn write(changed: &[ChangedFile], count: usize) -> Result<(), Failure> {
    for ChangedFile { path, text, .. } in changed {
        replace(path, text).with_context(|| format!("{} can't be written", path.display()))?;
        terminal::print(&format!("{}\n", path.display()))?;
    }
    let changed = changed.len();
    terminal::error(&format!("{changed} of {count} files changed"))
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    // Where it is a link, what it leads to is written.
    replace_file(&fs::canonicalize(path)?, text)
}
