//! `drift`: what a service does otherwise than the contract's rows, as a patch of the rows.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use svc_fixtures::contract::Contract;

use super::drift_service::ServiceArgs;
use super::exit::{CommandError, Exit};
use super::judge::load;
use super::{Choice, outputs, say};
use crate::capture::Capture;
use crate::drift::{RowDrift, drift};
use crate::personal::{PersonalMembers, Pseudonyms};
use crate::plan::{Setting, inputs};
use crate::report::escape::visible;

pub(super) const HELP: &str = "\
With --base-url the plan of `run` is sent to a service, within the budget; with a capture nothing is sent: `run --capture
FILE` makes one, and recorded traffic is one, too. Review the patch, then apply it to a checkout with `patch -p1`, or lay the folder of --out over the built-in rows: `svc-simulator --contract FOLDER`,
`svc-contract-tests --contract FOLDER run …`.

Exit codes:
  0  the rows say what the service does
  1  they would have to say something else, or it does what rows can't say
  2  usage, also a key or an address that is not the service's; or the capture can't be read
  3  the service did not answer
  4  there is nothing to compare, or the patch could not be written
  5  the budget did not cover all that was planned, since calls cost more than was known
  6  ended by a signal or --time-limit; the rows say what was seen until then";

/// What to compare with the rows, and where the change goes.
#[derive(Debug, Args)]
pub(super) struct Drift {
    /// A capture of the service: of `run --capture`, or recorded traffic. Then nothing is sent
    #[arg(value_name = "CAPTURE")]
    recorded: Option<PathBuf>,
    /// Write the patch to this file [default: stdout]
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// Write the changed files to this folder, as --contract takes it
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Propose other latencies, too, where all that answers say is far from the figures of the row
    #[arg(long)]
    latencies: bool,
    /// Whether what was seen of people goes into the rows as it is; else stand-ins do
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    show_personal_data: Choice,
    #[command(flatten)]
    service: ServiceArgs,
}

impl Drift {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        if let Some(path) = &self.patch {
            outputs::writable(path)?;
        }
        let contract = Contract::built_in();
        let (mut capture, end) = match &self.recorded {
            Some(path) => (self.loaded(path)?, Exit::Held),
            None => match self.service.ask(&contract, self.show_personal_data)? {
                Some(asked) => asked,
                None => return Ok(Exit::Held),
            },
        };
        let setting = Setting::of(&contract, inputs::built_in(), &capture);
        if !capture.local {
            without_people(&contract, &mut capture);
        }
        if answers(&capture) == 0 {
            say("there is no answer to compare with the rows");
            return Ok(if end == Exit::Held {
                Exit::Nothing
            } else {
                end
            });
        }
        let found = drift(&setting, &capture, self.latencies);
        match &self.patch {
            Some(path) => outputs::write(path, &found.patch)?,
            None => {
                let mut out = io::stdout().lock();
                out.write_all(found.patch.as_bytes())?;
                out.flush()?;
            }
        }
        if let Some(folder) = &self.out {
            write_files(folder, &found)?;
        }
        for line in &found.changes {
            say(visible(line));
        }
        for line in &found.left {
            say(format_args!("not in the patch: {}", visible(line)));
        }
        let told = !found.changes.is_empty() || !found.left.is_empty();
        if let (Some(note), true) = (capture.note_on_people(), told) {
            say(note);
        }
        Ok(if told { Exit::Broken } else { end })
    }

    fn loaded(&self, path: &Path) -> Result<Capture, CommandError> {
        let mut capture = load(path)?;
        capture.local = self.show_personal_data.or(capture.local);
        Ok(capture)
    }
}

/// How many answers there are.
fn answers(capture: &Capture) -> usize {
    let exchanges = capture.cases.iter().flat_map(|case| &case.exchanges);
    exchanges.filter(|one| one.response.is_ok()).count()
}

/// What goes into the rows is invented: nobody's data stands there.
fn without_people(contract: &Contract, capture: &mut Capture) {
    let mut pseudonyms = Pseudonyms::of(PersonalMembers::of(contract));
    for case in &mut capture.cases {
        for exchange in &mut case.exchanges {
            pseudonyms.replace_in_exchange(exchange);
        }
    }
}

fn write_files(folder: &Path, found: &RowDrift) -> Result<(), CommandError> {
    for (path, text) in &found.files {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            let made = fs::create_dir_all(parent);
            made.with_context(|| format!("{} can't be made", parent.display()))?;
        }
        outputs::write(&file, text)?;
    }
    Ok(())
}
