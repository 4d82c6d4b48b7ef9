//! The calls of all accounts or of one, with filters; the list follows what comes in.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::HeaderMap;
use maud::{Markup, html};
use serde::Deserialize;

use super::Pages;
use super::api::{Refusal, encoded};
use super::filter::Filter;
use super::live;
use super::page::Page;
use super::text::{badge, shown};

/// The rows of a page.
const ROWS: usize = 100;

const CHARGED: &str = "Charged";

const COLUMNS: [&str; 7] = [
    "When",
    "Account",
    "Environment",
    "Operation",
    "Outcome",
    CHARGED,
    "Why",
];

/// What a list can be narrowed by: the members of the control API's query, and what they are called.
const FILTERS: [(&str, &str); 9] = [
    ("account", "Account"),
    ("environment", "Environment"),
    ("endpoint", "Operation"),
    ("status", "Outcome"),
    ("code", "Error code"),
    ("because", "Scenario"),
    ("text", "Text in request or answer"),
    ("since", "Since"),
    ("until", "Until"),
];

#[derive(Deserialize)]
struct CallList {
    calls: Vec<Row>,
    kept: u64,
    forgotten: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    verification_id: String,
    environment: String,
    endpoint: String,
    at: String,
    status: String,
    http_status: u16,
    pending_http_status: Option<u16>,
    on_the_wire: Option<String>,
    code: Option<String>,
    charged: f64,
    because: String,
    account: Option<String>,
    presented_key: Option<String>,
    request: Option<Received>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Received {
    #[serde(default)]
    unknown_members: Vec<String>,
}

async fn ask(filter: &Filter, pages: &Pages) -> Result<CallList, Refusal> {
    let limit = match filter.get("limit") {
        None => format!("&limit={ROWS}"),
        Some(_) => String::new(),
    };
    pages
        .api
        .read(&format!("/control/calls?{}{limit}", filter.query()))
        .await
}

fn is_unauthenticated(filter: &Filter) -> bool {
    filter.get("unauthenticated").is_some()
}

/// The page.
pub(super) async fn list(
    State(pages): State<Arc<Pages>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let filter = Filter::read(query.as_deref());
    let page = Page {
        pages: &pages,
        headers: &headers,
        part: "/calls",
        title: match is_unauthenticated(&filter) {
            true => "Calls without a key that works",
            false => "Calls",
        },
    };
    let found = ask(&filter, &pages).await;
    let content = html! {
        (choose(&pages, &filter))
        @match &found {
            Err(refusal) => { p.message.bad role="alert" { (shown(&refusal.message)) } }
            Ok(found) => (table(&pages, &filter, &parts(&pages, &filter, found)))
        }
    };
    match &found {
        Ok(_) => page.show(&content),
        Err(refusal) => page.answer(refusal.status, &content),
    }
}

/// The list again whenever it is another one, as long as the page is open.
pub(super) async fn live(State(pages): State<Arc<Pages>>, RawQuery(query): RawQuery) -> Response {
    live::follow(pages, query.as_deref(), |pages, filter| {
        Box::pin(async move {
            let found = ask(&filter, &pages).await.ok()?;
            Some(parts(&pages, &filter, &found).to_vec())
        })
    })
}

/// The parts of the page that follow what comes in. What is around them stays, with where it was scrolled to.
fn parts(pages: &Pages, filter: &Filter, found: &CallList) -> [live::Part; 3] {
    [
        ("count", count(found)),
        ("rows", rows(pages, filter, found)),
        ("older", older(pages, filter, found)),
    ]
}

fn choose(pages: &Pages, filter: &Filter) -> Markup {
    html! {
        form.filters method="get" action=(pages.to("/calls")) {
            @for (name, label) in FILTERS {
                label {
                    (label)
                    @let given = filter.get(name).unwrap_or_default();
                    @match name {
                        "environment" => (options(name, given, &["test", "live"])),
                        "status" => (options(name, given, &["completed", "pending", "failed"])),
                        "since" | "until" => {
                            input name=(name) value=(given) size="20" placeholder="2031-01-01T00:00:00Z";
                        }
                        _ => { input name=(name) value=(given) size="16"; }
                    }
                }
            }
            @if is_unauthenticated(filter) { input type="hidden" name="unauthenticated" value="true"; }
            button { "Filter" }
        }
        p {
            @if is_unauthenticated(filter) {
                a href=(pages.to("/calls")) { "Calls of accounts" }
            } @else {
                a href=(pages.to("/calls?unauthenticated=true")) { "Calls without a key that works" }
            }
            " · " a href=(pages.to("/calls")) { "Without filters" }
            " · " a href=(pages.to(&cost(filter))) { "What they will cost" }
        }
    }
}

/// The page that foretells what calls cost, with the account that is asked for.
fn cost(filter: &Filter) -> String {
    match filter.get("account") {
        Some(account) => format!("/forecast?account={}", encoded(account)),
        None => "/forecast".to_owned(),
    }
}

fn options(name: &str, given: &str, values: &[&str]) -> Markup {
    html! {
        select name=(name) {
            option value="" { "any" }
            @for value in values { option value=(value) selected[*value == given] { (value) } }
        }
    }
}

fn table(pages: &Pages, filter: &Filter, parts: &[live::Part; 3]) -> Markup {
    let live = live::stream_url(pages, "/calls/live", filter, parts);
    let [(_, count), (_, rows), (_, older)] = parts;
    // A page of older calls stands still.
    let follows = filter.get("before").is_none();
    html! {
        div hx-ext=[follows.then_some("sse")] sse-connect=[follows.then_some(live)] {
            p.soft {
                span sse-swap="count" { (count) }
                span.live sse-swap="state" {}
            }
            div.region id="calls" tabindex="0" role="region" aria-label="Calls" {
                table {
                    thead { tr { @for column in COLUMNS { th.number[column == CHARGED] scope="col" { (column) } } } }
                    tbody sse-swap="rows" { (rows) }
                }
            }
            p sse-swap="older" { (older) }
        }
    }
}

fn count(found: &CallList) -> Markup {
    html! {
        (found.calls.len()) " shown, " (found.kept) " kept"
        @if found.forgotten > 0 { ", " (found.forgotten) " forgotten to bound memory" }
    }
}

fn rows(pages: &Pages, filter: &Filter, found: &CallList) -> Markup {
    html! {
        @if found.calls.is_empty() {
            tr { td colspan=(COLUMNS.len()) { "No call yet that fits. " a href=(pages.to("/")) { "A first call to copy" } } }
        }
        @for row in &found.calls { (one(pages, filter, row)) }
    }
}

/// The way to older calls: of one account a page further, of all of them account by account, since their clocks differ.
fn older(pages: &Pages, filter: &Filter, found: &CallList) -> Markup {
    let asked = filter.get("limit").and_then(|limit| limit.parse().ok());
    let last = found.calls.last();
    let Some(last) = last.filter(|_| found.calls.len() >= asked.unwrap_or(ROWS)) else {
        return html! {};
    };
    if filter.get("account").is_some() {
        let next = format!("/calls?{}", filter.with("before", &last.verification_id));
        return html! { a href=(pages.to(&next)) { "Older calls" } };
    }
    let accounts: BTreeSet<&str> = found
        .calls
        .iter()
        .filter_map(|it| it.account.as_deref())
        .collect();
    html! {
        @if !accounts.is_empty() {
            "Older calls of"
            @for account in accounts {
                " " a href=(pages.to(&format!("/calls?{}", filter.with("account", account)))) { (shown(account)) }
            }
        }
    }
}

fn one(pages: &Pages, filter: &Filter, row: &Row) -> Markup {
    let account = row.account.as_deref().or(filter.get("account"));
    let unknown = row
        .request
        .as_ref()
        .map_or(0, |request| request.unknown_members.len());
    html! {
        tr {
            td data-label="When" { time.mono datetime=(row.at) { (row.at) } }
            td data-label="Account" {
                @if let Some(account) = account { (shown(account)) }
                @if let Some(key) = &row.presented_key { " " code { (shown(key)) } }
            }
            td data-label="Environment" { (row.environment) }
            td data-label="Operation" {
                @if is_unauthenticated(filter) { (shown(&row.endpoint)) } @else {
                    a id=(row.verification_id) href=(pages.to(&format!("/calls/{}", row.verification_id))) { (shown(&row.endpoint)) }
                }
                @if unknown > 0 { " " mark { (unknown) " unknown" } }
            }
            td data-label="Outcome" {
                (badge(&row.status, row.code.as_deref())) " "
                span.soft { @if let Some(first) = row.pending_http_status { (first) ", then " } (row.http_status) }
                @if row.on_the_wire.is_some() { " " mark { "broken on the wire" } }
            }
            td.number data-label=(CHARGED) { @if row.charged > 0.0 { (row.charged) " INR" } }
            td.wide data-label="Why" { (shown(&row.because)) }
        }
    }
}
