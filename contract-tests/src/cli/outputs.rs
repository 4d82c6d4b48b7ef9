//! The flags of the reports, and the fan-out that forwards the events of a run to all of them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::exit::{CommandError, Exit};
use super::{Choice, say};
use crate::baseline::Baseline;
use crate::capture::Capture;
use crate::check::{self, Check};
use crate::event::{CheckResult, Event, Totals};
use crate::personal::{self, PersonalMembers, Pseudonyms};
use crate::plan::{Setting, inputs};
use crate::report::human::{HumanReport, Lines};
use crate::report::progress::Progress;
use crate::report::run_summary::{Breach, RunSummary};
use crate::report::{counted, github, html, json, junit};
use crate::run::EarlyEnd;
use crate::spend::Stop;
use svc_fixtures::contract::Contract;
use svc_fixtures::reading::Source;

/// Which reports are written, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reports")]
pub(super) struct OutputArgs {
    /// Write a report as JSON, too
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,
    /// Write a report as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    report_junit: Option<PathBuf>,
    /// Write a report as one HTML page, too
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,
    /// Write the step summary of GitHub Actions; without FILE to $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    report_github_summary: Option<Option<PathBuf>>,
    /// Print annotations for GitHub Actions behind the report
    #[arg(long)]
    github_annotations: bool,
    /// End with exit code 4 where a check was skipped that was to be judged, such as for an empty wallet or a budget that does
    /// not cover all of it
    #[arg(long)]
    fail_on_skipped: bool,
    /// Write a file for each failing case to this folder: `replay` and `judge` take it
    #[arg(long, value_name = "DIR")]
    failures: Option<PathBuf>,
    /// Print a line only for the checks that fail
    #[arg(long)]
    quiet: bool,
    /// Print a line for each case as well: its time, and why it was tried again
    #[arg(long, conflicts_with = "quiet")]
    verbose: bool,
    /// A list of known deviations, in TOML: they are reported and do not fail the run
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Whether reports and captures show personal data
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    show_personal_data: Choice,
}

/// Who may see personal data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DataSubjects {
    /// Nobody real: the service is on this machine.
    Invented,
    /// Maybe real people.
    MaybeReal,
}

impl DataSubjects {
    pub(super) fn of(local: bool) -> Self {
        match local {
            true => DataSubjects::Invented,
            false => DataSubjects::MaybeReal,
        }
    }
}

/// Takes the events of one run: marks what is known, hides what is personal, hands them on.
pub(super) struct EventFanout<'a> {
    outputs: &'a OutputArgs,
    setting: &'a Setting<'a>,
    checks: &'a [Check],
    baseline: Baseline,
    pseudonyms: Option<Pseudonyms>,
    progress: Progress,
    human: HumanReport<io::Stdout>,
    printed: io::Result<()>,
    events: Vec<Event>,
    totals: Totals,
}

impl OutputArgs {
    /// Opens all reports before anything is sent, so that a file that cannot be used is reported now.
    pub(super) fn open<'a>(
        &'a self,
        setting: &'a Setting<'a>,
        checks: &'a [Check],
        subject: DataSubjects,
    ) -> Result<EventFanout<'a>, CommandError> {
        self.check_files()?;
        let invented = subject == DataSubjects::Invented;
        let shown = self.show_personal_data.or(invented);
        Ok(EventFanout {
            outputs: self,
            setting,
            checks,
            baseline: self.known(setting, checks)?,
            pseudonyms: (!shown).then(|| Pseudonyms::of(PersonalMembers::of(setting.contract))),
            progress: Progress::on_stderr(),
            human: HumanReport::new(io::stdout(), self.lines()),
            printed: Ok(()),
            events: Vec::new(),
            totals: Totals::default(),
        })
    }

    /// Whether personal data is shown and saved of a service that is on this machine, or is not.
    pub(super) fn shows_personal_data(&self, local: bool) -> bool {
        self.show_personal_data.or(local)
    }

    /// Whether failing cases are saved: then what was exchanged is needed to the end.
    pub(super) fn saves_failures(&self) -> bool {
        self.failures.is_some()
    }

    fn lines(&self) -> Lines {
        match (self.quiet, self.verbose) {
            (true, _) => Lines::Failed,
            (false, true) => Lines::Cases,
            (false, false) => Lines::Checks,
        }
    }

    fn known(&self, setting: &Setting<'_>, checks: &[Check]) -> Result<Baseline, CommandError> {
        let Some(path) = &self.baseline else {
            return Ok(Baseline::default());
        };
        let text = read(path)?;
        let source = Source::new(path.display().to_string(), text);
        Baseline::read(&source, setting, checks)
            .map_err(|problems| CommandError::usage(problems.to_string()))
    }

    /// Whether what is written can be, and what is read is there: for who opens them later.
    pub(super) fn check(&self) -> Result<(), CommandError> {
        self.check_files()?;
        let contract = Contract::built_in();
        let setting = Setting::new(&contract, inputs::built_in(), String::new());
        self.known(&setting, &check::all()).map(drop)
    }

    fn check_files(&self) -> Result<(), CommandError> {
        let totals = self.summary_path()?;
        let files = [&self.report_json, &self.report_junit, &self.report_html];
        let mut seen = BTreeSet::new();
        for path in files.into_iter().flatten().chain(totals.as_ref()) {
            writable(path)?;
            if !seen.insert(path) {
                let shown = path.display();
                let twice = format!("{shown}: two reports can't go to one file");
                return Err(CommandError::usage(twice));
            }
        }
        match &self.failures {
            Some(folder) => fs::create_dir_all(folder).map_err(|error| {
                CommandError::usage(format!("--failures {}: {error}", folder.display()))
            }),
            None => Ok(()),
        }
    }

    fn summary_path(&self) -> Result<Option<PathBuf>, CommandError> {
        match &self.report_github_summary {
            Some(None) => {
                let named = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
                let none = "--report-github-summary: give a file, or set GITHUB_STEP_SUMMARY";
                named
                    .map(|path| Some(path.into()))
                    .ok_or_else(|| CommandError::usage(none))
            }
            Some(path) => Ok(path.clone()),
            None => Ok(None),
        }
    }
}

/// The text of a file somebody named.
pub(super) fn read(path: &Path) -> Result<String, CommandError> {
    fs::read_to_string(path)
        .map_err(|error| CommandError::usage(format!("{}: {error}", path.display())))
}

/// Says now that a file cannot be written, and not after a long run.
pub(super) fn writable(path: &Path) -> Result<(), CommandError> {
    let folder = path.parent();
    let why = match folder.filter(|folder| !folder.as_os_str().is_empty()) {
        _ if path.is_dir() => "it is a folder",
        Some(folder) if !folder.is_dir() => "its folder does not exist",
        _ => return Ok(()),
    };
    let shown = path.display();
    Err(CommandError::usage(format!(
        "{shown}: can't be written: {why}"
    )))
}

/// Writes a file; a part of one is an error, too.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let written = fs::write(path, text);
    Ok(written.with_context(|| format!("{} was not written", path.display()))?)
}

impl<'a> EventFanout<'a> {
    /// What is judged.
    pub(super) fn setting(&self) -> &'a Setting<'a> {
        self.setting
    }

    /// By what.
    pub(super) fn checks(&self) -> &'a [Check] {
        self.checks
    }

    /// Takes in what happened, and marks what is known of it.
    pub(super) fn take(&mut self, event: &mut Event) {
        let event = match event {
            Event::CaseFinished(result) => Event::CaseFinished(self.marked(result)),
            Event::CheckFinished(result) => {
                let shown = self.marked(result);
                self.totals.count(result);
                Event::CheckFinished(shown)
            }
            Event::RunFinished(totals) => {
                self.totals.took_ms = totals.took_ms;
                self.totals.spending = totals.spending;
                for stale in self.baseline.stale() {
                    self.totals.stale += 1;
                    self.forward(Event::StaleDeviation(stale));
                }
                Event::RunFinished(self.totals)
            }
            Event::RunStarted(_) | Event::CheckStarted { .. } | Event::StaleDeviation(_) => {
                event.clone()
            }
        };
        self.forward(event);
    }

    /// Marks what is known of a result; answers it as it may be shown here.
    fn marked(&mut self, result: &mut CheckResult) -> CheckResult {
        self.baseline.mark(result);
        let mut shown = result.clone();
        if let Some(pseudonyms) = &mut self.pseudonyms {
            pseudonyms.replace_in(&mut shown);
        }
        shown
    }

    fn forward(&mut self, event: Event) {
        self.progress.take(&event);
        if self.printed.is_ok() {
            let human = &mut self.human;
            self.printed = self.progress.aside(|| human.take(&event));
        }
        // What a case shows stands in its check's result, too.
        if !matches!(event, Event::CaseFinished(_)) {
            self.events.push(event);
        }
    }

    /// A capture as it may be saved here.
    pub(super) fn savable(&mut self, capture: &Capture) -> Capture {
        match &mut self.pseudonyms {
            None => capture.clone(),
            Some(pseudonyms) => {
                personal::without_personal_data(self.setting, self.checks, capture, pseudonyms)
            }
        }
    }

    /// Writes what was asked for; answers what the process ends with, where the guard or somebody else
    /// may have stopped the run.
    pub(super) fn close(
        mut self,
        capture: &Capture,
        stop: Option<&Stop>,
        early: Option<EarlyEnd>,
    ) -> Result<Exit, CommandError> {
        self.failures(capture)?;
        let summary = RunSummary::of(&self.events);
        let outputs = self.outputs;
        type Print = fn(&RunSummary<'_>) -> String;
        let reports: [(_, Print); 3] = [
            (&outputs.report_json, json::print),
            (&outputs.report_junit, junit::print),
            (&outputs.report_html, html::print),
        ];
        for (path, print) in reports {
            if let Some(path) = path {
                write(path, &print(&summary))?;
            }
        }
        if let Some(path) = outputs.summary_path()? {
            append(&path, &github::summary(&summary))?;
        }
        if outputs.github_annotations {
            let mut out = io::stdout().lock();
            out.write_all(github::annotations(&summary).as_bytes())?;
            out.flush()?;
        }
        // Files are written also where nobody reads the report.
        std::mem::replace(&mut self.printed, Ok(()))?;
        if self.pseudonyms.is_some() && self.totals.failed > 0 {
            say(format_args!(
                "people have stand-ins in the report, their days and numbers, too: with --show-personal-data yes it shows \
                 what was sent and answered"
            ));
        }
        let exit = Exit::of_run(self.totals, stop, early);
        let skipped = self.totals.skipped;
        if outputs.fail_on_skipped && exit == Exit::Held && skipped > 0 {
            let checks = counted(skipped, "check");
            say(format_args!(
                "{checks} skipped, and --fail-on-skipped was given"
            ));
            return Ok(Exit::Nothing);
        }
        Ok(exit)
    }

    /// A file for each failing case: a capture of it alone.
    fn failures(&mut self, capture: &Capture) -> Result<(), CommandError> {
        let Some(folder) = &self.outputs.failures else {
            return Ok(());
        };
        let mut failing = BTreeSet::new();
        for result in RunSummary::of(&self.events).results {
            let news = Breach::all(result).filter(|breach| breach.known.is_none());
            failing.extend(news.map(|breach| (result.check, breach.finding.case.clone())));
        }
        let mut names = BTreeSet::new();
        for (check, case) in failing {
            let mut name = file_name(check, &case);
            while !names.insert(name.clone()) {
                name.push('_');
            }
            let saved = self.savable(&capture.of_case(check, &case));
            let text = saved.to_json().context("a failure can't be printed")?;
            write(&folder.join(format!("{name}.json")), &text)?;
        }
        Ok(())
    }
}

/// A name any file system takes.
fn file_name(check: &str, case: &str) -> String {
    let name = format!("{check} {case}").to_ascii_lowercase();
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    parts.join("-").chars().take(120).collect()
}

/// GitHub gathers the summaries of a job's steps in one file.
pub(super) fn append(path: &Path, text: &str) -> Result<(), CommandError> {
    let open = fs::OpenOptions::new().append(true).create(true).open(path);
    let written = open.and_then(|mut file| file.write_all(text.as_bytes()));
    Ok(written.with_context(|| format!("{} was not written", path.display()))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_failure_is_plain() {
        assert_eq!(
            file_name("a.check", "an.operation: no `pan` / (live)"),
            "a.check-an.operation-no-pan-live"
        );
        assert!(file_name("a", &"x/".repeat(500)).len() <= 120);
    }

    #[test]
    fn a_report_in_a_folder_that_is_not_there_is_refused_at_once() {
        assert!(writable(Path::new("/no/such/folder/report.json")).is_err());
        assert!(writable(Path::new("/")).is_err());
        assert!(writable(Path::new("report.json")).is_ok());
    }
}
