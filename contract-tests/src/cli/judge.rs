//! `judge`: a saved capture once more, offline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use svc_fixtures::contract::Contract;

use super::exit::{Exit, Mistake};
use super::outputs::{self, Outputs, Subject};
use crate::capture::Capture;
use crate::check;
use crate::event::{Began, Event, Judged, Summary};
use crate::plan::{Case, Setting, inputs};
use crate::redact::Blackout;
use crate::run;
use crate::verdict::{Finding, Verdict};

/// What to judge.
#[derive(Debug, Args)]
pub(super) struct Judge {
    /// A capture that `run --capture` saved, or a file of `run --failures`
    file: PathBuf,
    #[command(flatten)]
    outputs: Outputs,
}

impl Judge {
    pub(super) fn execute(&self) -> Result<Exit, Mistake> {
        let capture = load(&self.file)?;
        let contract = Contract::built_in();
        let setting = Setting::of(&contract, inputs::built_in(), &capture);
        let checks = check::all();
        let mut desk = self
            .outputs
            .open(&setting, &checks, Subject::of(capture.here))?;
        let judged = run::judge_again(&setting, &checks, &capture);
        let strange = strangers(&setting, &checks, &capture);
        desk.take(&mut Event::Began(Began {
            checks: judged.len() + strange.iter().len(),
            seed: capture.seed.clone(),
            addresses: Vec::new(),
            console: None,
            clauses: run::rows(&setting, &checks, &captured(&setting, &checks, &capture)),
        }));
        for judged in judged.into_iter().chain(strange) {
            desk.take(&mut Event::Judged(judged));
        }
        desk.take(&mut Event::Ended(Summary::default()));
        desk.close(&capture, None)
    }
}

/// A capture from a file. Whoever wrote it, it holds no key behind here.
pub(super) fn load(path: &Path) -> Result<Capture, Mistake> {
    let text = outputs::read(path)?;
    let clean = Blackout::of([]).text(&text);
    Capture::from_json(&clean)
        .map_err(|error| Mistake::usage(format!("{}: no capture: {error}", path.display())))
}

/// The planned cases that a capture has.
fn captured(setting: &Setting<'_>, checks: &[check::Check], capture: &Capture) -> Vec<Case> {
    let names = capture.cases.iter();
    let names: BTreeSet<_> = names
        .map(|case| (case.check.as_str(), case.case.as_str()))
        .collect();
    let mine = |check: &check::Check| {
        let mut cases = check.cases(setting);
        cases.retain(|case| names.contains(&(check.id, case.name.as_str())));
        cases
    };
    checks.iter().flat_map(mine).collect()
}

/// What the capture holds and no check of this version knows: skipped, and told.
fn strangers(setting: &Setting<'_>, checks: &[check::Check], capture: &Capture) -> Option<Judged> {
    let strange = run::unplanned(setting, checks, capture);
    let finding = |case: &&crate::capture::CapturedCase| Finding {
        case: format!("{}: {}", case.check, case.case),
        step: 0,
        verdict: Verdict::Skipped {
            why: format!("this version has no case `{}: {}`", case.check, case.case),
        },
    };
    (!strange.is_empty()).then(|| Judged {
        check: "capture.unknown-cases",
        title: "What the capture holds and no check of this version knows",
        cases: strange.len(),
        findings: strange.iter().map(finding).collect(),
        ..Judged::default()
    })
}
