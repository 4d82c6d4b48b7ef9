//! The events of a run put together, as every report looks at them. Says nothing itself.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::{counted, duration};
use crate::body_diff;
use crate::capture::{Channel, Exchange, Response};
use crate::event::{CheckResult, ClauseRow, Coverage, Event, RunStarted, StaleDeviation, Totals};
use crate::verdict::{Finding, SeenIn, Verdict};
use svc_fixtures::contract::Environment;

/// A run, put together.
#[derive(Debug, Clone)]
pub struct RunSummary<'e> {
    /// What was going to be run; none where the run never began.
    pub started: Option<&'e RunStarted>,
    /// Every check, in the order they were run.
    pub results: Vec<&'e CheckResult>,
    /// Known deviations that are none any more.
    pub stale: Vec<&'e StaleDeviation>,
    /// The sum.
    pub totals: Totals,
}

/// What a run says of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClauseState {
    /// It does not hold somewhere.
    Broken,
    /// It does not hold, where that is known, and holds everywhere else.
    Known,
    /// Something of it was to be judged and was not.
    Skipped,
    /// It held wherever it was asked, and a planted defect shows that a breach of it is found.
    Proven,
    /// It held wherever it was asked.
    Asked,
    /// Nothing asked it.
    NotAsked,
    /// A check asks it, but not in this run.
    Excluded,
}

/// Something that is broken.
#[derive(Debug, Clone, Copy)]
pub struct Breach<'e> {
    /// The check that found it.
    pub result: &'e CheckResult,
    /// The case and the step.
    pub finding: &'e Finding,
    /// The clause.
    pub clause: &'e str,
    /// What was looked at.
    pub what: &'e str,
    /// What must be.
    pub expected: &'e str,
    /// What is.
    pub found: &'e str,
    /// Why it is known, where it is.
    pub known: Option<&'e str>,
    /// In how many tries it was seen, where the case was tried again.
    pub seen: Option<SeenIn>,
}

/// Something remarkable that breaks nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note<'e> {
    /// The clause it is about.
    pub clause: &'e str,
    /// What was looked at.
    pub what: &'e str,
    /// What is.
    pub found: &'e str,
    /// How often it was seen.
    pub times: usize,
    /// Where it was seen first: check, case and step.
    pub place: String,
}

impl Note<'_> {
    /// In one line.
    #[must_use]
    pub fn message(&self) -> String {
        let (clause, what, found, place) = (self.clause, self.what, self.found, &self.place);
        let times = counted(self.times, "time");
        format!("{clause}: {what}: {found} ({times}, first in {place})")
    }
}

/// Where something was found: check, case and step.
pub(super) fn place(result: &CheckResult, finding: &Finding) -> String {
    format!(
        "{}: {}, step {}",
        result.check,
        finding.case,
        finding.step + 1
    )
}

impl ClauseState {
    /// All of them in a word or two, the worst first.
    pub const ALL: [(ClauseState, &str); 7] = [
        (ClauseState::Broken, "broken"),
        (ClauseState::Known, "known"),
        (ClauseState::Skipped, "skipped"),
        (ClauseState::Proven, "proven"),
        (ClauseState::Asked, "asked"),
        (ClauseState::NotAsked, "not asked"),
        (ClauseState::Excluded, "excluded"),
    ];

    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        let mut all = ClauseState::ALL.iter();
        all.find(|(state, _)| *state == self)
            .map_or("", |(_, word)| word)
    }
}

impl<'e> RunSummary<'e> {
    /// What these events show.
    #[must_use]
    pub fn of(events: &'e [Event]) -> Self {
        let mut summary = RunSummary {
            started: None,
            results: Vec::new(),
            stale: Vec::new(),
            totals: Totals::default(),
        };
        for event in events {
            match event {
                Event::RunStarted(started) => summary.started = Some(started),
                Event::CheckStarted { .. } | Event::CaseFinished(_) => {}
                Event::CheckFinished(result) => summary.results.push(result),
                Event::StaleDeviation(stale) => summary.stale.push(stale),
                Event::RunFinished(totals) => summary.totals = *totals,
            }
        }
        summary
    }

    /// Why the service did not answer, where it did not.
    #[must_use]
    pub fn unreachable(&self) -> Option<&'e str> {
        let mut results = self.results.iter();
        results.find_map(|result| result.unreachable.as_deref())
    }

    /// Where it was sent, by environment.
    #[must_use]
    pub fn addresses(&self) -> BTreeMap<&'static str, &'e str> {
        let addresses = self.started.map_or(&[][..], |started| &started.addresses);
        let addresses = addresses.iter();
        addresses
            .map(|(environment, url)| (environment.as_str(), url.as_str()))
            .collect()
    }

    /// The seed, empty where the run never began.
    #[must_use]
    pub fn seed(&self) -> &'e str {
        self.started.map_or("", |started| started.seed.as_str())
    }

    /// Every clause of the contract that was asked for or is broken, and what the run says of it, with the
    /// reason where it says nothing.
    #[must_use]
    pub fn clauses(&self) -> Vec<(&'e ClauseRow, ClauseState, &'e str)> {
        let (mut broken, mut known) = (BTreeSet::new(), BTreeSet::new());
        let (mut held, mut open) = (BTreeSet::new(), BTreeSet::new());
        for result in &self.results {
            open.extend(result.open.iter().map(String::as_str));
            for finding in &result.findings {
                match &finding.verdict {
                    Verdict::Held { clause } => held.insert(clause.as_str()),
                    Verdict::Broken {
                        clause,
                        known: None,
                        ..
                    } => broken.insert(clause.as_str()),
                    Verdict::Broken { clause, .. } => known.insert(clause.as_str()),
                    Verdict::Noted { .. } | Verdict::NotJudged { .. } => false,
                };
            }
        }
        let rows = self.started.map_or(&[][..], |started| &started.clauses);
        let state = |row: &'e ClauseRow| {
            let id = row.id.as_str();
            let (state, why) = match &row.coverage {
                _ if broken.contains(id) => (ClauseState::Broken, ""),
                _ if open.contains(id) => (ClauseState::Skipped, "some of it was not judged"),
                _ if known.contains(id) => (ClauseState::Known, ""),
                _ if held.contains(id) && row.defects > 0 => (ClauseState::Proven, ""),
                _ if held.contains(id) => {
                    let why = "it held; no planted defect shows that a breach is found";
                    (ClauseState::Asked, why)
                }
                Coverage::ByCase => (ClauseState::Skipped, "nothing of it was judged"),
                Coverage::ByEveryAnswer => {
                    (ClauseState::NotAsked, "no answer was one it speaks of")
                }
                Coverage::Excluded { why } => (ClauseState::Excluded, why.as_str()),
                Coverage::Uncovered | Coverage::NotAskedFor => {
                    (ClauseState::NotAsked, "no check asks it yet")
                }
            };
            (row, state, why)
        };
        let is_broken = |id: &str| broken.contains(id) || known.contains(id);
        let rows = rows.iter();
        let rows = rows.filter(|it| it.coverage != Coverage::NotAskedFor || is_broken(&it.id));
        rows.map(state).collect()
    }

    /// Every state in a word or two, and how many clauses are in it.
    #[must_use]
    pub fn counts(&self) -> [(&'static str, usize); 7] {
        let clauses = self.clauses();
        let of = |state| clauses.iter().filter(|(_, is, _)| *is == state).count();
        ClauseState::ALL.map(|(state, word)| (word, of(state)))
    }

    /// The cases in which one of these clauses was judged: check and name.
    #[must_use]
    pub fn judged(&self, clauses: &BTreeSet<&str>) -> BTreeSet<(&'e str, &'e str)> {
        let mut cases = BTreeSet::new();
        for result in &self.results {
            for finding in &result.findings {
                let (Verdict::Held { clause } | Verdict::Broken { clause, .. }) = &finding.verdict
                else {
                    continue;
                };
                if clauses.contains(clause.as_str()) {
                    cases.insert((result.check, finding.case.as_str()));
                }
            }
        }
        cases
    }

    /// What was asked of the console: method and path, and how often.
    #[must_use]
    pub fn console(&self) -> BTreeMap<&'e str, usize> {
        let mut all = BTreeMap::new();
        for (asked, times) in self.results.iter().flat_map(|result| &result.console) {
            *all.entry(asked.as_str()).or_default() += times;
        }
        all
    }

    /// The checks that took longest, with their times: at most so many.
    #[must_use]
    pub fn slowest(&self, most: usize) -> Vec<(&'e str, u64)> {
        let times = self.results.iter();
        let times = times.map(|result| (result.check, result.took_ms()));
        let mut times: Vec<_> = times.filter(|(_, took_ms)| *took_ms > 0).collect();
        times.sort_by_key(|(_, took_ms)| Reverse(*took_ms));
        times.truncate(most);
        times
    }

    /// What is remarkable and breaks nothing: equal ones once, and what a ruling says, which each answer may differ from in
    /// its own way, with the first that does.
    #[must_use]
    pub fn notes(&self) -> Vec<Note<'e>> {
        let mut notes: Vec<Note<'e>> = Vec::new();
        for &result in &self.results {
            for finding in &result.findings {
                let Verdict::Noted {
                    clause,
                    what,
                    found,
                } = &finding.verdict
                else {
                    continue;
                };
                let is_ruling = clause.starts_with("ruling.");
                let equal = notes.iter_mut().find(|note| {
                    (note.clause, note.what) == (clause.as_str(), what.as_str())
                        && (is_ruling || note.found == found)
                });
                match equal {
                    Some(note) => note.times += 1,
                    None => notes.push(Note {
                        clause,
                        what,
                        found,
                        times: 1,
                        place: place(result, finding),
                    }),
                }
            }
        }
        notes
    }

    /// The row of a clause.
    #[must_use]
    pub fn row(&self, clause: &str) -> Option<&'e ClauseRow> {
        let mut rows = self.started?.clauses.iter();
        rows.find(|row| row.id == clause)
    }
}

impl<'e> Breach<'e> {
    /// All that a check found broken.
    pub fn all(result: &'e CheckResult) -> impl Iterator<Item = Self> {
        let findings = result.findings.iter();
        findings.filter_map(|finding| Breach::of(result, finding))
    }

    /// What a finding says is broken, where it does.
    #[must_use]
    pub fn of(result: &'e CheckResult, finding: &'e Finding) -> Option<Self> {
        let Verdict::Broken {
            clause,
            what,
            expected,
            found,
            known,
            seen,
        } = &finding.verdict
        else {
            return None;
        };
        Some(Breach {
            result,
            finding,
            clause,
            what,
            expected,
            found,
            known: known.as_deref(),
            seen: *seen,
        })
    }

    /// Where it was found: check, case and step.
    #[must_use]
    pub fn place(&self) -> String {
        place(self.result, self.finding)
    }

    /// The call it was found in, in one line: what was sent where, and how that was answered.
    #[must_use]
    pub fn call(&self) -> Option<String> {
        self.exchange().map(call)
    }

    /// The difference of the bodies, where both are known.
    #[must_use]
    pub fn diff(&self) -> Option<String> {
        body_diff::between(self.expected, self.found)
    }

    /// Whether it says that a member has not the form that the contract gives it.
    #[must_use]
    pub fn is_form(&self) -> bool {
        let form = ["must be ", "is missing", "is not part of the answer"];
        form.iter()
            .any(|beginning| self.expected.starts_with(beginning))
    }

    /// The outer member of the envelope that is missing, where one is.
    #[must_use]
    pub fn lacks_member(&self) -> Option<String> {
        let place = self.place_in_answer()?;
        let missing = matches!(self.expected, "is missing" | "is there");
        (missing && !place.contains('.')).then_some(place)
    }

    /// Whether it is about the signature of a webhook, which several clauses ask for.
    #[must_use]
    pub fn is_signature(&self) -> bool {
        self.what == "the signature of a delivery"
    }

    /// The place in the answer that it is about, as dotted names, where it is about one; of all items of a list
    /// it is the same.
    #[must_use]
    pub fn place_in_answer(&self) -> Option<String> {
        let place = self.what.strip_prefix('`')?;
        let (place, _) = place.split_once('`')?;
        let names = place
            .split(['.', '/'])
            .map(|name| match name.split_once('[') {
                Some((name, _)) => format!("{name}[]"),
                None if name.parse::<usize>().is_ok() => "[]".to_owned(),
                None => name.to_owned(),
            });
        Some(names.collect::<Vec<_>>().join(".").replace(".[]", "[]"))
    }

    /// What is broken, over a line or more, the difference included.
    #[must_use]
    pub fn message(&self) -> String {
        if let Some(diff) = self.diff() {
            return format!(
                "{} differs from what it must be\n{}",
                self.what,
                diff.trim_end()
            );
        }
        let what = self.what.trim_matches('`').replace('/', ".");
        let at_place = self.what.starts_with('`') && self.what.ends_with('`');
        let found = match at_place {
            _ if self.found.is_empty() => "an empty text".to_owned(),
            true => with_kind(self.found),
            false => self.found.to_owned(),
        };
        let expected = self.expected.strip_prefix("must be ");
        match self.expected {
            "is missing" if !at_place => format!("{} is missing", self.what),
            "is missing" => format!("{what} is missing"),
            "is there" if at_place => format!("{what} is missing"),
            "is absent" if at_place => format!("{what} is there and must not be"),
            "is not part of the answer" => {
                format!("{what} is not part of the answer, found {found}")
            }
            plain if !at_place => {
                let expected = expected.unwrap_or(plain);
                format!("{}: expected {expected}, found {found}", self.what)
            }
            plain => {
                let expected = expected.map_or_else(|| with_kind(plain), str::to_owned);
                format!("expected {expected}, found {found} at {what}")
            }
        }
    }

    /// The call it was found in.
    #[must_use]
    pub fn exchange(&self) -> Option<&'e Exchange> {
        let case = self.result.evidence(&self.finding.case)?;
        case.exchanges.get(self.finding.step)
    }
}

/// A call in one line: what was sent where, and how that was answered.
pub(super) fn call(exchange: &Exchange) -> String {
    let request = &exchange.request;
    let (method, path) = (&request.method, &request.path);
    let to = match (request.channel, request.environment) {
        (Channel::Sink | Channel::Registered, _) => {
            return "what came to this run's receiver of webhooks".to_owned();
        }
        (Channel::Console, _) => "of the console".to_owned(),
        (Channel::Webhook, _) => "to a receiver of webhooks".to_owned(),
        (Channel::Api | Channel::Page, Environment::Test) => "on the sandbox".to_owned(),
        (Channel::Api | Channel::Page, Environment::Live) => "on live".to_owned(),
    };
    let answered = match &exchange.response {
        Ok(response) => format!("answered {} after", response.status),
        Err(_) => "without a whole answer after".to_owned(),
    };
    let took = duration(exchange.took_ms);
    let strange = exchange.response.as_ref().ok().and_then(no_envelope);
    let strange = strange.map_or(String::new(), |begins| format!(": {begins}"));
    format!("{method} {path} {to}, {answered} {took}{strange}")
}

/// How an answer begins that is JSON and no envelope.
fn no_envelope(response: &Response) -> Option<String> {
    let json: Value = serde_json::from_slice(&response.body).ok()?;
    if json.get("verificationId").is_some() {
        return None;
    }
    let text = json.to_string();
    Some(match text.char_indices().nth(LONGEST_BEGINNING) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}

/// How much of an answer that is no envelope a line shows.
const LONGEST_BEGINNING: usize = 120;

/// How much of a value a line shows.
const LONGEST_VALUE: usize = 200;

/// A value as it stands in the answer, with its type; anything else as it is.
fn with_kind(text: &str) -> String {
    let kind = match serde_json::from_str(text) {
        Ok(Value::String(_)) => "a text",
        Ok(Value::Number(_)) => "a number",
        Ok(Value::Array(_)) => "a list",
        Ok(Value::Object(_)) => "an object",
        Ok(Value::Bool(_) | Value::Null) | Err(_) => return text.to_owned(),
    };
    match text.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}… ({kind} of {} bytes)", &text[..end], text.len()),
        None => format!("{text} ({kind})"),
    }
}
