//! `judge`: a saved capture once more, offline.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use svc_fixtures::contract::Contract;

use super::exit::{CommandError, Exit};
use super::outputs::{self, DataSubjects, OutputArgs};
use super::say;
use super::selection::known_to_service;
use crate::capture::{Capture, TORN};
use crate::check;
use crate::event::{CheckResult, Event, RunStarted, Totals};
use crate::plan::{Case, Setting};
use crate::redact::Redactor;
use crate::run;
use crate::verdict::{Finding, Verdict};

/// What to judge.
#[derive(Debug, Args)]
pub(super) struct Judge {
    /// A capture that `run --capture` saved, or a file of `run --failures`
    file: PathBuf,
    /// The inputs that the run was given, where it was given some: what it called by them is judged by them
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    #[command(flatten)]
    outputs: OutputArgs,
}

impl Judge {
    pub(super) fn execute(&self) -> Result<Exit, CommandError> {
        judge(&self.file, self.inputs.as_deref(), &self.outputs)
    }
}

/// Judges the capture of a file and writes these reports.
pub(super) fn judge(
    file: &Path,
    inputs: Option<&Path>,
    outputs: &OutputArgs,
) -> Result<Exit, CommandError> {
    let capture = load(file)?;
    let (contract, inputs) = known_to_service(inputs, Contract::built_in())?;
    let setting = Setting::of(&contract, inputs, &capture);
    let checks = check::all();
    let mut fanout = outputs.open(&setting, &checks, DataSubjects::of(capture.local))?;
    let result = run::judge_again(&setting, &checks, &capture);
    let strange = strangers(&setting, &checks, &capture);
    fanout.take(&mut Event::RunStarted(RunStarted {
        checks: result.len() + strange.iter().len(),
        cases: result.iter().map(|result| result.cases).sum(),
        seed: capture.seed.clone(),
        profile: capture.profile,
        addresses: Vec::new(),
        console: None,
        clauses: run::rows(&setting, &checks, |setting| {
            captured(setting, &checks, &capture)
        }),
    }));
    for result in result.into_iter().chain(strange) {
        fanout.take(&mut Event::CheckFinished(result));
    }
    fanout.take(&mut Event::RunFinished(Totals::default()));
    fanout.close(&capture, None, None)
}

/// A capture from a file. Keys in it are redacted first, since other programs may have written it.
pub(super) fn load(path: &Path) -> Result<Capture, CommandError> {
    let text = outputs::read(path)?;
    let clean = Redactor::of([]).text(&text);
    let read = Capture::read(&clean);
    let (capture, torn) = read.map_err(|error| {
        let hint = match is_har(&clean) {
            true => ". It is a HAR file: `svc-contract-tests capture import` makes a capture of it",
            false => "",
        };
        CommandError::usage(format!("{}: no capture: {error}{hint}", path.display()))
    })?;
    if torn {
        say(format_args!("{} {TORN}", path.display()));
    }
    Ok(capture)
}

/// Whether it is what browsers and proxies write.
fn is_har(text: &str) -> bool {
    let json: Option<serde_json::Value> = serde_json::from_str(text).ok();
    json.is_some_and(|json| json["log"]["entries"].is_array())
}

/// The planned cases that a capture has.
fn captured(setting: &Setting<'_>, checks: &[check::Check], capture: &Capture) -> Vec<Case> {
    let cases = capture.cases.iter();
    let names = cases.map(|case| (case.check.as_str(), case.case.as_str()));
    let names: BTreeSet<_> = names.collect();
    let mine = |check: &check::Check| {
        let mut cases = check.cases(setting);
        cases.retain(|case| names.contains(&(check.id, case.name.as_str())));
        cases
    };
    let asked = check::asked_in(checks, capture).into_iter();
    asked.flat_map(mine).collect()
}

/// The cases of a capture that no check of this version has: they are reported as skipped.
fn strangers(
    setting: &Setting<'_>,
    checks: &[check::Check],
    capture: &Capture,
) -> Option<CheckResult> {
    let strange = run::unplanned(setting, checks, capture);
    let finding = |case: &&crate::capture::CapturedCase| Finding {
        case: format!("{}: {}", case.check, case.case),
        step: 0,
        verdict: Verdict::NotJudged {
            why: format!("this version has no case `{}: {}`", case.check, case.case),
        },
    };
    (!strange.is_empty()).then(|| CheckResult {
        check: "capture.unknown-cases",
        title: "What the capture holds and no check of this version knows",
        cases: strange.len(),
        findings: strange.iter().map(finding).collect(),
        ..CheckResult::default()
    })
}
