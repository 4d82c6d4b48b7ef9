//! The report for people.

use std::fmt::Write as _;

use super::{Report, names, place};
use crate::diff::finding::Difference;
use crate::report::counted;
use crate::report::escape::visible;

/// The report.
#[must_use]
pub fn human(report: &Report<'_>) -> String {
    let comparison = report.comparison;
    let [left, right] = &report.sides;
    let mut out = format!("left  {}\nright {}\n", left.name, right.name);
    let (cases, answers) = (
        counted(comparison.cases, "case"),
        counted(comparison.answers, "pair"),
    );
    let operations = counted(comparison.operations, "operation");
    let _ = writeln!(out, "{cases}, {answers} of answers, {operations}\n");
    for difference in &comparison.differences {
        out += &block(report, difference);
    }
    for one in &comparison.not_compared {
        let cases = counted(one.cases, "case");
        let first = match one.first.as_str() {
            "" => String::new(),
            first => format!(" (first {first})"),
        };
        let _ = writeln!(out, "not compared: {cases}: {}{first}", visible(&one.why));
    }
    for note in report.notes {
        let _ = writeln!(out, "\n{}", visible(note));
    }
    let known = comparison.differences.len() - comparison.news().count();
    let _ = writeln!(
        out,
        "{}, {known} known",
        counted(comparison.news().count(), "difference")
    );
    out
}

fn block(report: &Report<'_>, difference: &Difference) -> String {
    let mut out = format!("{}\n", visible(&difference.headline()));
    let mut line = |name: &str, text: &str| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {name:<6} {}", visible(text).replace('\n', " "));
        }
    };
    line("in", &names(difference.operations.iter()));
    if difference.places.len() > 1 {
        line("at", &names(difference.places.iter()));
    }
    line("says", &names(difference.clauses.iter()));
    if let Some(place) = place(difference) {
        let cases = counted(difference.cases.len(), "case");
        line("seen", &format!("{cases}, such as {place}"));
    }
    if let Some(why) = &difference.known {
        line("known", why);
    }
    for (side, curl, answered) in report.calls(difference) {
        line(side, &answered);
        line("", &curl.unwrap_or_default());
    }
    out.push('\n');
    out
}
