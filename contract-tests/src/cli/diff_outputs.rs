//! The reports of a comparison: their flags, and what may stand in them.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use jiff::civil::Date;
use svc_capture::note_on_people;
use svc_fixtures::reading::Source;

use super::exit::{CommandError, Exit};
use super::outputs::{self, DataSubjects};
use super::{Choice, say};
use crate::capture::Capture;
use crate::check::Check;
use crate::diff::finding::{Comparison, Difference};
use crate::diff::known::KnownDifferences;
use crate::diff::report::{self, Report, SideReport};
use crate::personal::{self, PersonalMembers, Pseudonyms};
use crate::plan::Setting;

/// Which reports are written, and where.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reports")]
pub(super) struct DiffOutputArgs {
    /// Write a report as JSON, too
    #[arg(long, value_name = "FILE")]
    report_json: Option<PathBuf>,
    /// Write a report as JUnit XML, too
    #[arg(long, value_name = "FILE")]
    report_junit: Option<PathBuf>,
    /// Write a report as one HTML page, too
    #[arg(long, value_name = "FILE")]
    report_html: Option<PathBuf>,
    /// Write the step summary of GitHub Actions, such as to $GITHUB_STEP_SUMMARY
    #[arg(long, value_name = "FILE")]
    report_github_summary: Option<PathBuf>,
    /// A list of known differences, in TOML, each with a reason and a day until which it holds
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Save what was sent to the left service and answered
    #[arg(long, value_name = "FILE")]
    left_capture: Option<PathBuf>,
    /// Save what was sent to the right service and answered
    #[arg(long, value_name = "FILE")]
    right_capture: Option<PathBuf>,
    /// Whether reports and captures show personal data
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    show_personal_data: Choice,
}

impl DiffOutputArgs {
    /// Says now that a file can't be written or read, and not after a long run.
    pub(super) fn check_files(&self) -> Result<(), CommandError> {
        let all = [
            &self.report_json,
            &self.report_junit,
            &self.report_html,
            &self.report_github_summary,
            &self.left_capture,
            &self.right_capture,
        ];
        for path in all.into_iter().flatten() {
            outputs::writable(path)?;
        }
        self.known().map(drop)
    }

    fn known(&self) -> Result<KnownDifferences, CommandError> {
        let Some(path) = &self.baseline else {
            return Ok(KnownDifferences::default());
        };
        let source = Source::new(path.display().to_string(), outputs::read(path)?);
        KnownDifferences::read(&source)
            .map_err(|problems| CommandError::usage(problems.to_string()))
    }

    fn shows(&self, subject: DataSubjects) -> bool {
        self.show_personal_data
            .or(subject == DataSubjects::Invented)
    }

    /// Saves what was asked for of each side.
    pub(super) fn save(
        &self,
        settings: &[Setting<'_>; 2],
        checks: &[Check],
        captures: [&Capture; 2],
        subject: DataSubjects,
    ) -> Result<(), CommandError> {
        let files = [&self.left_capture, &self.right_capture];
        for ((path, setting), capture) in files.into_iter().zip(settings).zip(captures) {
            let Some(path) = path else { continue };
            let text = match self.shows(subject) {
                true => capture.to_json(),
                false => {
                    let mut pseudonyms = Pseudonyms::of(PersonalMembers::of(setting.contract));
                    let clean =
                        personal::without_personal_data(setting, checks, capture, &mut pseudonyms);
                    clean.to_json()
                }
            };
            outputs::write(path, &text.context("the capture can't be printed")?)?;
        }
        Ok(())
    }

    /// Marks what is known, writes the reports, and says what the process ends with.
    pub(super) fn close(
        &self,
        setting: &Setting<'_>,
        mut comparison: Comparison,
        sides: [SideReport; 2],
        subject: DataSubjects,
        everything: bool,
    ) -> Result<Exit, CommandError> {
        let notes = self.known()?.mark(&mut comparison, today(), everything);
        if !self.shows(subject) {
            let mut pseudonyms = Pseudonyms::of(PersonalMembers::of(setting.contract));
            for difference in &mut comparison.differences {
                discreet(difference, &mut pseudonyms);
            }
            let examples = comparison.differences.iter();
            let examples = examples.filter_map(|it| it.example.as_ref());
            if let Some(note) = note_on_people(examples.flat_map(|it| [&it.left, &it.right])) {
                say(note);
            }
        }
        let report = Report {
            comparison: &comparison,
            sides,
            notes: &notes,
        };
        type Print = fn(&Report<'_>) -> String;
        let reports: [(_, Print); 3] = [
            (&self.report_json, report::json),
            (&self.report_junit, report::junit),
            (&self.report_html, report::html),
        ];
        for (path, print) in reports {
            if let Some(path) = path {
                outputs::write(path, &print(&report))?;
            }
        }
        if let Some(path) = &self.report_github_summary {
            outputs::append(path, &report::github(&report))?;
        }
        let mut out = io::stdout().lock();
        out.write_all(report::human(&report).as_bytes())?;
        out.flush()?;
        Ok(match (comparison.news().next(), comparison.cases) {
            (Some(_), _) => Exit::Broken,
            (None, 0) => Exit::Nothing,
            (None, _) if !notes.is_empty() => Exit::Broken,
            (None, _) => Exit::Held,
        })
    }
}

/// A difference without personal data: stand-ins in its example, and no value that only a check repeats.
fn discreet(difference: &mut Difference, pseudonyms: &mut Pseudonyms) {
    if let Some(example) = &mut difference.example {
        let both = [&mut example.left, &mut example.right];
        for exchange in both {
            pseudonyms.replace_in_exchange(exchange);
        }
    }
    if !difference.clauses.is_empty() {
        for side in [&mut difference.left, &mut difference.right] {
            if let Some((what, _)) = side.split_once(": ") {
                *side = what.to_owned();
            }
        }
    }
}

/// The day it is here.
#[expect(
    clippy::disallowed_methods,
    reason = "whether a known difference is over depends on the day"
)]
fn today() -> Date {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since.unwrap_or_default().as_secs();
    let seconds = i64::try_from(seconds).unwrap_or_default();
    let now = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    now.to_zoned(jiff::tz::TimeZone::UTC).date()
}
