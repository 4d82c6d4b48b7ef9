//! What `check` found, for people, for programs and as annotations of a pull request.

use std::fmt::Write as _;

use clap::ValueEnum;
use serde_json::{Map, Value, json};
use svc_fixtures::reading::{Problem, Problems};

use super::failure::Failure;
use super::terminal;
use crate::rehearsal::{ExpectationReport, OverlapReport, RuleLocation};

/// How the report is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// For people, with the lines that are meant
    Human,
    /// For programs: one JSON document on stdout
    Json,
    /// For GitHub: an annotation a line on stdout
    Github,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct CheckReport {
    /// What there is, by name.
    pub(super) counts: Vec<(usize, &'static str)>,
    /// What is wrong with the files.
    pub(super) mistakes: Problems,
    /// What came of the expectations; nothing where there are mistakes.
    pub(super) expectations: Option<ExpectationReport>,
    /// What is no mistake, and somebody may want to know.
    pub(super) notes: Vec<OverlapReport>,
}

/// The most notes that are printed for people; programs get all.
const MAX_SHOWN_NOTES: usize = 20;

impl CheckReport {
    /// Prints it. Mistakes come before expectations that are not met.
    pub(super) fn print(self, format: CheckFormat) -> Result<(), Failure> {
        match format {
            CheckFormat::Human => return self.print_for_people(),
            CheckFormat::Json => terminal::print(&format!("{:#}\n", self.json()))?,
            CheckFormat::Github => terminal::print(&self.annotations())?,
        }
        match (self.mistakes.is_empty(), self.is_met()) {
            (true, true) => Ok(()),
            (true, false) => Err(Failure::Answered),
            (false, _) => Err(Failure::Refused),
        }
    }

    fn is_met(&self) -> bool {
        let expectations = self.expectations.as_ref();
        expectations.is_none_or(|it| it.unmet.is_empty())
    }

    fn print_for_people(self) -> Result<(), Failure> {
        let summary = self.summary();
        self.mistakes.or(())?;
        print_notes(&self.notes)?;
        match self.expectations {
            Some(ExpectationReport { met, unmet }) if !unmet.is_empty() => {
                let mut out = String::new();
                for problem in unmet.iter() {
                    let _ = writeln!(out, "{problem}\n");
                }
                let all = met + unmet.len();
                let _ = write!(out, "{} of {all} expectations not met", unmet.len());
                terminal::error(&out)?;
                Err(Failure::Answered)
            }
            _ => terminal::print(&format!("{summary}\n")),
        }
    }

    fn summary(&self) -> String {
        let counts = self.counts.iter();
        let counts = counts.map(|(count, what)| format!("{count} {what}"));
        let met = self.expectations.as_ref().map(|it| it.met);
        let met = met.filter(|met| *met > 0);
        let met = met.map(|met| format!("{met} expectations met"));
        let counts = counts.chain(met).collect::<Vec<_>>().join(", ");
        match self.notes.len() {
            0 => format!("{counts}: no mistake found"),
            1 => format!("{counts}: no mistake found, 1 note"),
            notes => format!("{counts}: no mistake found, {notes} notes"),
        }
    }

    fn json(&self) -> Value {
        let counts = self.counts.iter();
        let counts = counts.map(|(count, what)| ((*what).to_owned(), json!(count)));
        let listed = |problems: &Problems| -> Value { problems.iter().map(problem).collect() };
        let expectations = self.expectations.as_ref().map(|report| {
            let ExpectationReport { met, unmet } = report;
            json!({"met": met, "unmet": listed(unmet)})
        });
        json!({
            "ok": self.mistakes.is_empty() && self.is_met(),
            "read": counts.collect::<Map<String, Value>>(),
            "mistakes": listed(&self.mistakes),
            "notes": self.notes.iter().map(note).collect::<Vec<_>>(),
            "expectations": expectations,
        })
    }

    fn annotations(&self) -> String {
        let unmet = self.expectations.iter().flat_map(|it| it.unmet.iter());
        let mistakes = self.mistakes.iter();
        let mistakes = mistakes.map(|it| annotation("error", "mistake", it));
        let unmet = unmet.map(|it| annotation("error", "expectation not met", it));
        let mut out: String = mistakes.chain(unmet).collect();
        let is_good = out.is_empty();
        let notes = self.notes.iter().map(|it| &it.problem);
        out.extend(notes.map(|it| annotation("notice", "rules overlap", it)));
        if is_good {
            let _ = writeln!(out, "{}", self.summary());
        }
        out
    }
}

fn problem(problem: &Problem) -> Value {
    json!({
        "file": problem.path(),
        "line": problem.line(),
        "column": problem.column(),
        "message": problem.message(),
        "hint": problem.hinted(),
    })
}

fn print_notes(notes: &[OverlapReport]) -> Result<(), Failure> {
    for note in notes.iter().take(MAX_SHOWN_NOTES) {
        terminal::error(&format!("{}\n", note.problem))?;
    }
    let more = notes.len().saturating_sub(MAX_SHOWN_NOTES);
    if more > 0 {
        terminal::error(&format!("and {more} more notes; --format json has all\n"))?;
    }
    Ok(())
}

fn note(note: &OverlapReport) -> Value {
    let caller = &note.caller;
    let rule = |it: &RuleLocation| json!({"name": it.name, "file": it.file, "line": it.line});
    let set = note.set.iter().map(|(name, value)| {
        let value = serde_json::to_value(value).expect("JSON is JSON");
        (name.clone(), value)
    });
    let mut out = problem(&note.problem);
    out["overlap"] = json!({
        "first": rule(&note.first),
        "second": rule(&note.second),
        "operation": note.operation,
        "input": {
            "account": caller.account,
            "environment": caller.environment.as_str(),
            "referenceId": caller.reference_id,
            "idempotencyKey": caller.idempotency_key,
            "set": set.collect::<Map<String, Value>>(),
        },
        "more": note.more.iter().map(rule).collect::<Vec<_>>(),
    });
    out
}

/// A workflow command: <https://docs.github.com/actions> says how its parts are escaped.
fn annotation(level: &str, title: &str, problem: &Problem) -> String {
    let hint = problem.hinted().map(|hint| format!("\n{hint}"));
    let message = format!("{}{}", problem.message(), hint.unwrap_or_default());
    let (file, message) = (property(problem.path()), data(&message));
    let (line, column) = (problem.line(), problem.column());
    format!("::{level} file={file},line={line},col={column},title={title}::{message}\n")
}

fn data(text: &str) -> String {
    let text = text.replace('%', "%25");
    text.replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use svc_fixtures::reading::Source;

    use super::*;

    #[test]
    fn an_annotation_stays_on_its_line_and_in_its_place() {
        let source = Source::new("a,b:c.toml", "x = 1\ny = 2\n");
        let problem = Problem::new(&source, 10..11, "50% of ::it\nis wrong").hint("do: this");
        insta::assert_snapshot!(
            annotation("error", "mistake", &problem),
            @"::error file=a%2Cb%3Ac.toml,line=2,col=5,title=mistake::50%25 of ::it%0Ais wrong%0Ado: this"
        );
    }
}
