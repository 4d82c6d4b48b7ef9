//! The report as one page: no network, no script, readable in light and dark. All that was sent or
//! answered is escaped by maud.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::block::{Block, blocks};
use super::curl;
use super::escape::visible;
use super::run_summary::{Breach, RunSummary};
use super::unjudged::{not_asked, unjudged};
use super::{counted, duration};
use crate::capture::Exchange;
use crate::event::{CheckResult, RunEnd};

pub(crate) const STYLE: &str = include_str!("page.css");

/// How many places of one breach are shown in full; the JSON report has all.
const SHOWN: usize = 25;

/// How much of a body is shown, in characters.
const LONGEST: usize = 20_000;

/// The page.
#[must_use]
pub fn print(summary: &RunSummary<'_>) -> String {
    let title = format!("Contract tests: {}", verdict(summary));
    let page = html! {
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
                header { (head(summary)) }
                main {
                    (broken(summary))
                    (not_judged(summary))
                    (noted(summary))
                    (stale(summary))
                    (matrix(summary))
                    (checks(summary))
                }
            }
        }
    };
    page.into_string() + "\n"
}

/// Nothing is loaded, and no style but the page's own holds.
pub(crate) fn policy() -> String {
    let hash = BASE64.encode(&Sha256::digest(STYLE.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

/// The run in a word or two.
fn verdict(summary: &RunSummary<'_>) -> &'static str {
    match summary.totals.end() {
        RunEnd::Broken => "broken",
        RunEnd::Unreachable => "the service did not answer",
        RunEnd::Nothing => "nothing was judged",
        RunEnd::Held => "all that was judged held",
    }
}

fn head(summary: &RunSummary<'_>) -> Markup {
    let sum = summary.totals;
    let sums = [
        ("passed", sum.passed),
        ("failed", sum.failed),
        ("known", sum.known),
        ("skipped", sum.skipped),
        ("not asked", sum.not_asked),
        ("unreachable", sum.unreachable),
    ];
    let started = summary.started;
    let addresses = started.map_or(&[][..], |started| &started.addresses);
    html! {
        h1 { "Contract tests: " (verdict(summary)) }
        p.soft {
            "Seed " code { (summary.seed()) }
            @if let Some(started) = started { ", profile " (started.profile) }
            @for (environment, address) in addresses { ", " (environment) " at " code { (address) } }
            @if sum.took_ms > 0 { ", took " (duration(sum.took_ms)) }
            @if let Some(spending) = sum.spending { ", " (spending) }
        }
        ul.sums {
            @for (word, number) in sums {
                li class=[(number > 0).then_some(class(word))] { b { (number) } " " (word) }
            }
        }
        @if let Some(why) = summary.unreachable() { p.alarm { "The service did not answer: " (visible(why)) } }
        @if sum.judged_nothing() { p.alarm { "Nothing was judged." } }
    }
}

/// The colour of a word.
fn class(word: &str) -> &'static str {
    match word {
        "failed" | "broken" | "unreachable" => "broken",
        "passed" | "proven" | "asked" => "proven",
        "known" | "skipped" => "skipped",
        _ => "off",
    }
}

fn broken(summary: &RunSummary<'_>) -> Markup {
    let blocks = blocks(summary);
    let anchors = anchors(&blocks);
    html! {
        @if !blocks.is_empty() { h2 { (counted(blocks.len(), "finding")) ", equal ones once" } }
        @for (at, block) in blocks.iter().enumerate() {
            @let first = block.first();
            @let anchor = (anchors.get(first.clause) == Some(&at)).then(|| format!("clause-{}", first.clause));
            section.breach.known[block.is_known()] id=[anchor] {
                h3 { (visible(&block.title())) }
                @if let Some(call) = first.call() { p { (visible(&call)) } }
                p { b { (visible(&block.headline(summary))) } }
                @if let Some(row) = summary.row(block.clause(summary)) {
                    p { (worded(&row.text)) }
                    p.soft { (row.section) }
                }
                @for (at, place) in block.places.iter().take(SHOWN).enumerate() {
                    details open[at == 0] { (breach(summary, place)) }
                }
                @if block.places.len() > SHOWN {
                    p.soft { "and " (block.places.len() - SHOWN) " more, all of them in the JSON report" }
                }
                @if !block.follows.is_empty() {
                    ul { @for line in block.consequences() { li { "so also " (visible(&line)) } } }
                }
            }
        }
    }
}

/// The first block of each clause, which the table of clauses points at.
fn anchors<'e>(blocks: &[Block<'e>]) -> BTreeMap<&'e str, usize> {
    let mut anchors = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        anchors.entry(block.first().clause).or_insert(at);
    }
    anchors
}

fn not_judged(summary: &RunSummary<'_>) -> Markup {
    let (reasons, not_asked) = (unjudged(summary), not_asked(summary));
    html! {
        @if !reasons.is_empty() { h2 { "Not judged" } }
        @for reason in reasons {
            section.breach.known {
                h3 { (visible(&reason.headline())) }
                @if let Some(call) = reason.call() { p { (visible(&call)) } }
                p { "in " (visible(&reason.place())) }
                @if let Some(curl) = reason.curl(summary) { (text(&curl)) }
            }
        }
        @if !summary.console().is_empty() {
            h2 { "Asked of the console" }
            ul { @for (what, times) in summary.console() { li { code { (what) } " " (counted(times, "time")) } } }
        }
        @if !not_asked.is_empty() {
            h2 { "Not asked here" }
            ul { @for line in not_asked { li { (line) } } }
        }
    }
}

fn noted(summary: &RunSummary<'_>) -> Markup {
    let notes = summary.notes();
    html! {
        @if !notes.is_empty() {
            h2 { "Noted, and not broken" }
            ul { @for note in notes { li { (visible(&note.message())) } } }
        }
    }
}

fn breach(summary: &RunSummary<'_>, breach: &Breach<'_>) -> Markup {
    let diff = breach.diff();
    let whole = breach.message();
    html! {
        summary { (visible(&breach.place())) @if diff.is_none() { ": " (visible(&whole)) } }
        @if let Some(why) = breach.known { p { "Known: " (visible(why)) } }
        dl {
            @match &diff {
                Some(diff) => { dt { "Difference" } dd { (coloured(diff)) } }
                None => {
                    dt { "Expected" } dd { (text(breach.expected)) }
                    dt { "Found" } dd { (text(breach.found)) }
                }
            }
            @if let Some(exchange) = breach.exchange() { (self::exchange(exchange)) }
            @if let Some(curl) = curl::of_breach(summary, breach) {
                dt { "Again, with the key in the environment" } dd { (text(&curl)) }
            }
        }
    }
}

/// A sentence whose words in backticks are code.
fn worded(sentence: &str) -> Markup {
    let whole = sentence.matches('`').count().is_multiple_of(2);
    html! {
        @if whole {
            @for (at, part) in sentence.split('`').enumerate() {
                @if at % 2 == 1 { code { (part) } } @else { (part) }
            }
        } @else { (sentence) }
    }
}

fn exchange(exchange: &Exchange) -> Markup {
    let request = &exchange.request;
    let mut sent = format!("{} {}\n", request.method, request.path_and_query());
    if let Some(secret) = &request.authorization {
        sent.push_str(&format!("authorization: {secret:?}\n"));
    }
    sent.push_str(&message(&request.headers, &request.body));
    let answered = match &exchange.response {
        Ok(response) => {
            let message = message(&response.headers, &response.body);
            format!("{}\n{message}", response.status)
        }
        Err(error) => format!("no answer: {error}"),
    };
    html! {
        dt { "Request" } dd { (text(&sent)) }
        dt { "Response, after " (duration(exchange.took_ms)) } dd { (text(&answered)) }
    }
}

fn message(headers: &[(String, String)], body: &[u8]) -> String {
    let mut out = String::new();
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\n"));
    }
    let body = String::from_utf8_lossy(body);
    let pretty = serde_json::from_str::<serde_json::Value>(&body).map(|json| format!("{json:#}"));
    out.push('\n');
    out.push_str(&pretty.unwrap_or_else(|_| body.into_owned()));
    out
}

fn text(text: &str) -> Markup {
    let text = visible(text);
    let end = text.char_indices().nth(LONGEST).map(|(end, _)| end);
    html! {
        pre { (&text[..end.unwrap_or(text.len())]) @if end.is_some() { "…" } }
    }
}

/// A difference, its lines in colours and still with their signs.
fn coloured(diff: &str) -> Markup {
    html! {
        pre {
            @for line in visible(diff).lines().take(LONGEST / 40) {
                @match line.chars().next() {
                    Some('-') => { del { (line) } }
                    Some('+') => { ins { (line) } }
                    _ => { (line) "\n" }
                }
            }
        }
    }
}

fn stale(summary: &RunSummary<'_>) -> Markup {
    html! {
        @if !summary.stale.is_empty() {
            h2 { "Known deviations that are none any more" }
            @for stale in &summary.stale {
                section.breach {
                    h3 { (stale.check) ": " (stale.clause) }
                    p.soft { (stale.place) }
                    (text(&stale.message))
                }
            }
        }
    }
}

fn matrix(summary: &RunSummary<'_>) -> Markup {
    let clauses = summary.clauses();
    let anchors = anchors(&blocks(summary));
    html! {
        h2 { "Clauses" }
        ul.sums {
            @for (word, number) in summary.counts() {
                li class=[(number > 0).then_some(class(word))] { b { (number) } " " (word) }
            }
        }
        div.wide {
            table {
                thead { tr { th { "clause" } th { "state" } th { "wording" } th.where { "section" } } }
                tbody {
                    @for (row, state, why) in clauses {
                        tr {
                            td {
                                @if anchors.contains_key(row.id.as_str()) {
                                    a href=(format!("#clause-{}", row.id)) { code { (row.id) } }
                                } @else { code { (row.id) } }
                            }
                            td {
                                span class=(format!("state {}", class(state.word()))) { (state.word()) }
                            }
                            td { (worded(&row.text)) @if !why.is_empty() { br; span.soft { (why) } } }
                            td.where.soft { (row.section) }
                        }
                    }
                }
            }
        }
    }
}

fn checks(summary: &RunSummary<'_>) -> Markup {
    html! {
        h2 { "Checks" }
        div.wide {
            table {
                thead { tr { th { "check" } th { "outcome" } th { "requests" } th { "time" } th { "what it shows" } } }
                tbody { @for result in &summary.results { (check(result)) } }
            }
        }
    }
}

fn check(result: &CheckResult) -> Markup {
    let outcome = result.outcome();
    html! {
        tr {
            td { code { (result.check) } }
            td { span class=(format!("state {}", class(outcome.word()))) { (outcome.word()) } }
            td { (result.requests) }
            td { (duration(result.took_ms())) }
            td {
                (result.title)
                @if let Some(why) = outcome.why() { br; span.soft { (visible(why)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
