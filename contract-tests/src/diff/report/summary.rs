//! The step summary of GitHub Actions, in Markdown.

use std::fmt::Write as _;

use super::{Report, names, place};
use crate::report::github::{cell, fence};

/// GitHub shows a summary of at most a MiB, and none at all of a longer one.
const LONGEST_SUMMARY: usize = 900_000;

/// The step summary.
#[must_use]
pub fn github(report: &Report<'_>) -> String {
    let comparison = report.comparison;
    let [left, right] = &report.sides;
    let (news, all) = (comparison.news().count(), comparison.differences.len());
    let mut out = format!(
        "## Two services beside each other\n\nLeft {}, right {}\n\n| differences | known | cases | pairs of answers | operations |\n|---|---|---|---|---|\n| {news} | {} | {} | {} | {} |\n\n",
        cell(&left.name),
        cell(&right.name),
        all - news,
        comparison.cases,
        comparison.answers,
        comparison.operations,
    );
    for difference in &comparison.differences {
        let mut section = format!("### {}\n\n", cell(&difference.headline()));
        let _ = writeln!(
            section,
            "In {}\n",
            cell(&names(difference.operations.iter()))
        );
        if let Some(place) = place(difference) {
            let _ = writeln!(section, "Seen in {}\n", cell(&place));
        }
        if let Some(why) = &difference.known {
            let _ = writeln!(section, "Known: {}\n", cell(why));
        }
        for (side, curl, answered) in report.calls(difference) {
            let text = format!("{side}: {answered}\n{}", curl.unwrap_or_default());
            let _ = writeln!(section, "{}\n", fence(&text));
        }
        if out.len() + section.len() > LONGEST_SUMMARY {
            out.push_str("More is different than this page holds: see the other reports.\n\n");
            break;
        }
        out.push_str(&section);
    }
    for one in &comparison.not_compared {
        let (cases, why) = (one.cases, cell(&one.why));
        let _ = writeln!(out, "Not compared: {cases} cases: {why}\n");
    }
    for note in report.notes {
        let _ = writeln!(out, "{}\n", fence(note));
    }
    out
}
