//! The report as one page: no network, no script. All that was sent or answered is escaped by maud.

use maud::{DOCTYPE, Markup, PreEscaped, html as page};

use super::{Report, place};
use crate::diff::finding::Difference;
use crate::report::counted;
use crate::report::escape::visible;
use crate::report::html::{STYLE, policy};

/// The page.
#[must_use]
pub fn html(report: &Report<'_>) -> String {
    let comparison = report.comparison;
    let news = comparison.news().count();
    let known = comparison.differences.len() - news;
    let title = format!("Two services: {}", counted(news, "difference"));
    let [left, right] = &report.sides;
    let markup = page! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.soft { "Left " code { (visible(&left.name)) } ", right " code { (visible(&right.name)) } }
                    ul.sums {
                        li { b { (news) } " new" }
                        li { b { (known) } " known" }
                        li { b { (comparison.cases) } " cases" }
                        li { b { (comparison.answers) } " pairs of answers" }
                        li { b { (comparison.operations) } " operations" }
                    }
                }
                main {
                    @for difference in &comparison.differences { (section(report, difference)) }
                    @if !comparison.not_compared.is_empty() { h2 { "Not compared" } }
                    ul { @for one in &comparison.not_compared {
                        li { (counted(one.cases, "case")) ": " (visible(&one.why)) }
                    } }
                    @for note in report.notes { pre { (visible(note)) } }
                }
            }
        }
    };
    markup.into_string() + "\n"
}

fn section(report: &Report<'_>, difference: &Difference) -> Markup {
    let known = difference.known.is_some();
    let operations: Vec<_> = difference.operations.iter().map(String::as_str).collect();
    page! {
        section.breach.known[known] {
            h3 { (difference.kind) ": " (visible(&difference.what)) }
            p { "left " b { (visible(&difference.left)) } ", right " b { (visible(&difference.right)) } }
            @if let Some(why) = &difference.known { p { "Known: " (visible(why)) } }
            details open { summary { (counted(operations.len(), "operation")) }
                p { (operations.join(", ")) } }
            @if difference.places.len() > 1 {
                details { summary { (counted(difference.places.len(), "place")) }
                    p { @for place in &difference.places { code { (visible(place)) } " " } } }
            }
            @if !difference.clauses.is_empty() {
                p.soft { @for clause in &difference.clauses { code { (clause) } " " } }
            }
            @if let Some(place) = place(difference) {
                p.soft { (counted(difference.cases.len(), "case")) ", such as " (visible(&place)) }
            }
            @for (side, curl, answered) in report.calls(difference) {
                p { (side) " answered " (visible(&answered)) }
                @if let Some(curl) = curl { pre { (visible(&curl)) } }
            }
        }
    }
}
