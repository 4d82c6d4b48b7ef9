//! A forecast as people read it: rupees with bars, why calls are free, flows, the wallet, what would be saved.

use maud::{Markup, html};
use serde_json::Value;

use super::layout::{cell, items, lines, member, rupees, table, text};

/// The forecast that the control API answered.
pub(super) fn shown(forecast: &Value) -> Markup {
    let total = &forecast["total"];
    html! {
        section.notice {
            h2 { (rupees(total, "amount")) " INR in " (member(forecast, "days")) " days" }
            p { (member(total, "calls")) " calls: " (member(total, "billed")) " are billed, " (member(total, "noRecord"))
                " of them since there is no record; " (member(total, "free")) " cost nothing." }
            @if let Some(words) = forecast["wallet"]["words"].as_str() { p { strong { (text(words)) } } }
        }
        section {
            h2 { "By endpoint" }
            (endpoints(forecast))
            @if !items(forecast, "free").is_empty() {
                h2 { "What costs nothing" }
                (table("What costs nothing", &["Calls", "Why"], &rows(items(forecast, "free"), |row| vec![cell(row, "calls"), cell(row, "words")])))
            }
        }
        @if !items(forecast, "flows").is_empty() {
            section { h2 { "Flows" } (flows(forecast)) }
        }
        section { h2 { "What would be saved in a month" } (savings(&forecast["savings"])) }
        (left_out(&forecast["leftOut"]))
        section {
            h2 { "How it was come by" }
            @for note in items(forecast, "notes") { p { (text(note.as_str().unwrap_or_default())) } }
        }
    }
}

fn rows(of: &[Value], row: impl Fn(&Value) -> Vec<Markup>) -> Vec<Vec<Markup>> {
    of.iter().map(row).collect()
}

fn endpoints(forecast: &Value) -> Markup {
    let all = items(forecast, "endpoints");
    let amount = |row: &Value| row["amount"].as_f64().unwrap_or_default();
    let dearest = all.iter().map(amount).fold(0.0, f64::max);
    let columns = [
        "Endpoint",
        "Calls",
        "Billed",
        "No record",
        "Free",
        "INR",
        "Share",
        "p50 ms",
        "p95 ms",
        "Times",
    ];
    let rows = rows(all, |row| {
        let sandbox = row["environment"] == "test";
        let latency = &row["latency"];
        vec![
            html! { (member(row, "endpoint")) @if sandbox { " " span.soft { "sandbox" } } },
            cell(row, "calls"),
            cell(row, "billed"),
            cell(row, "noRecord"),
            cell(row, "free"),
            html! { (rupees(row, "amount")) },
            bar(amount(row), dearest),
            cell(latency, "p50Ms"),
            cell(latency, "p95Ms"),
            times(latency),
        ]
    });
    table("By endpoint", &columns, &rows)
}

/// A bar as long as the amount beside the largest; the number stands in the cell before it.
fn bar(amount: f64, largest: f64) -> Markup {
    let share = if largest > 0.0 {
        amount / largest * 100.0
    } else {
        0.0
    };
    html! {
        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect x="0" y="0" width=(format!("{share:.1}")) height="10" {}
        }
    }
}

fn times(of: &Value) -> Markup {
    let samples = of["samples"].as_u64().filter(|samples| *samples > 0);
    html! {
        @match (of["source"].as_str(), samples) {
            (Some("measured"), Some(samples)) => { "measured: " (samples) }
            (Some("both"), _) => "partly measured",
            (source, _) => { (text(source.unwrap_or_default())) }
        }
    }
}

fn flows(forecast: &Value) -> Markup {
    let columns = ["Flow", "Runs", "p50 ms", "p95 ms", "Times", "Note"];
    let mut all = Vec::new();
    for flow in items(forecast, "flows") {
        all.push(vec![
            html! { strong { (member(flow, "name")) } },
            cell(flow, "runs"),
            cell(flow, "p50Ms"),
            cell(flow, "p95Ms"),
            times(flow),
            cell(flow, "note"),
        ]);
        all.extend(rows(items(flow, "steps"), |step| {
            vec![
                html! { span.soft { "step " } (member(step, "name")) },
                html! {},
                cell(step, "p50Ms"),
                cell(step, "p95Ms"),
                times(step),
                html! {},
            ]
        }));
    }
    table("Flows", &columns, &all)
}

fn savings(of: &Value) -> Markup {
    let all = [
        ("An idempotency key on every repetition", "idempotencyKeys"),
        ("Remembering that there is no record", "noRecordCache"),
        ("Both", "both"),
    ];
    let rows = all.map(|(what, name)| {
        let saved = &of[name];
        vec![
            html! { (what) },
            cell(saved, "calls"),
            html! { (rupees(saved, "amount")) },
        ]
    });
    table("What would be saved", &["By", "Calls", "INR"], &rows)
}

fn left_out(of: &Value) -> Markup {
    let first = items(of, "first");
    html! {
        @if !first.is_empty() {
            section {
                h2 { "Lines left out: " (member(of, "count")) }
                (table("Lines left out", &["Line", "Why", "It begins"], &rows(first, |line| vec![
                    cell(line, "line"),
                    cell(line, "why"),
                    html! { code { (lines(line["text"].as_str().unwrap_or_default())) } },
                ])))
            }
        }
    }
}
