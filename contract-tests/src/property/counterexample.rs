//! What a broken law ends in: what is broken, a line of curl, and a capture to judge and send again.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::definition::Property;
use crate::capture::{Capture, CapturedCase, Credential, Exchange};
use crate::client::account;
use crate::event::RunStarted;
use crate::plan::Setting;
use crate::report::{counted, curl};
use crate::run::capture_of;
use crate::verdict::{Finding, Verdict};
use svc_fixtures::contract::Environment;

/// How many calls are printed; the saved capture has all.
const MOST_CALLS: usize = 12;

/// The smallest script that was found to break a law, and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Counterexample {
    /// The law.
    pub property: &'static str,
    /// What the scripts were about; empty for lives of an account.
    pub about: String,
    /// What is broken, or could not be judged.
    pub broken: Vec<Finding>,
    /// What was sent and answered.
    pub capture: Capture,
    title: &'static str,
}

impl Counterexample {
    pub(super) fn new(
        property: &Property,
        setting: &Setting<'_>,
        about: &str,
        mut findings: Vec<Finding>,
        played: Vec<CapturedCase>,
    ) -> Self {
        findings.retain(is_broken);
        Counterexample {
            property: property.id,
            about: about.to_owned(),
            broken: findings,
            capture: capture_of(setting, played),
            title: property.title,
        }
    }

    /// No scripts could be made, which says nothing about any service.
    pub(super) fn none_made(
        property: &Property,
        setting: &Setting<'_>,
        about: &str,
        why: &str,
    ) -> Self {
        let why = format!("no scripts could be made: {why}");
        let finding = Finding {
            case: about.to_owned(),
            step: 0,
            verdict: Verdict::NotJudged { why },
        };
        Counterexample::new(property, setting, about, vec![finding], Vec::new())
    }

    /// The calls of the script.
    #[must_use]
    pub fn calls(&self) -> usize {
        let first = self.capture.cases.first();
        first.map_or(0, |case| case.exchanges.len())
    }

    /// Saves the capture in a folder, under the name of the law and of what it is about.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn save(&self, folder: &Path) -> io::Result<PathBuf> {
        std::fs::create_dir_all(folder)?;
        let name = match self.about.as_str() {
            "" => self.property.to_owned(),
            about => format!("{}-{about}", self.property),
        };
        let path = folder.join(format!("{name}.json"));
        std::fs::write(&path, self.capture.to_json()?)?;
        Ok(path)
    }

    /// An exchange with the key that every simulator has for the account of this property: it is sent
    /// with no other.
    fn on_defaults(&self, exchange: &Exchange) -> Exchange {
        let own = || Credential::Another(account(&self.capture.seed, self.property));
        let sent = exchange.request.authorization.as_ref();
        Exchange {
            credential: sent.map_or(Credential::Nothing, |_| own()),
            ..exchange.clone()
        }
    }

    /// The message of a test: saves the capture and says where, what is broken, and how to send each
    /// call by curl.
    #[must_use]
    pub fn end(&self, folder: &Path) -> String {
        let mut text = format!("{}: {}\n", self.property, self.title);
        text += &render(&self.broken);
        let calls = counted(self.calls(), "call");
        let _ = writeln!(text, "\n{calls} of one account, in order:");
        let first = self.capture.cases.first().into_iter();
        for exchange in first.flat_map(|case| &case.exchanges).take(MOST_CALLS) {
            let line = curl::line(&self.on_defaults(exchange), &simulator());
            let _ = writeln!(text, "  {}", line.unwrap_or_default());
        }
        if self.calls() > MOST_CALLS {
            let more = self.calls() - MOST_CALLS;
            let _ = writeln!(text, "  and {more} more: see the file");
        }
        match self.save(folder) {
            Ok(path) => {
                let _ = write!(
                    text,
                    "\ncaptured in {0}\njudge and send it again:\n  \
                     SVC_PROPERTY_REPLAY='{0}' cargo test -p svc-contract-tests --test properties replay",
                    path.display()
                );
            }
            Err(error) => {
                let _ = write!(text, "\nthe capture was not written: {error}");
            }
        }
        text
    }
}

/// A run against a simulator on its defaults.
fn simulator() -> RunStarted {
    let address = |environment, port| (environment, format!("http://127.0.0.1:{port}"));
    RunStarted {
        addresses: vec![
            address(Environment::Test, 8801),
            address(Environment::Live, 8802),
        ],
        ..RunStarted::default()
    }
}

/// All that is broken or was not judged, a line each.
#[must_use]
pub fn render(findings: &[Finding]) -> String {
    let (mut broken, mut skipped) = (String::new(), String::new());
    for finding in findings {
        let place = format!("{}, step {}", finding.case, finding.step + 1);
        let _ = match &finding.verdict {
            Verdict::Held { .. } | Verdict::Noted { .. } => Ok(()),
            Verdict::NotJudged { why } => writeln!(skipped, "{place}: {why}"),
            Verdict::Broken {
                clause,
                what,
                expected,
                found,
                ..
            } => {
                let found = format!("expected {expected}, found {found}");
                writeln!(broken, "{clause}: {place}: {what}: {found}")
            }
        };
    }
    broken + &skipped
}

/// Whether a finding breaks a law: what could not be judged was not shown to hold.
pub(super) fn is_broken(finding: &Finding) -> bool {
    matches!(
        finding.verdict,
        Verdict::Broken { .. } | Verdict::NotJudged { .. }
    )
}
