//! The calls of all accounts or of one, with filters; the list follows what comes in.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use http::HeaderMap;
use maud::{Markup, html};
use serde::Deserialize;

use super::Pages;
use super::api::Refusal;
use super::filter::Filter;
use super::page::Page;
use super::text::{badge, shown};

/// How often a page that is open is looked after, at most: fast enough for eyes, and nearly nothing for the simulator.
const PACE: Duration = Duration::from_millis(400);

/// The rows of a page.
const ROWS: usize = 100;

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
    let live = pages.to(&format!("/calls/live?{}", filter.query()));
    let content = html! {
        (choose(&pages, &filter))
        @match &found {
            Err(refusal) => { p.message.bad role="alert" { (shown(&refusal.message)) } }
            // A page of older calls stands still.
            Ok(found) if filter.get("before").is_some() => { div { (rows(&pages, &filter, found)) } }
            Ok(found) => {
                div hx-ext="sse" sse-connect=(live) sse-swap="rows" { (rows(&pages, &filter, found)) }
            }
        }
    };
    match &found {
        Ok(_) => page.show(&content),
        Err(refusal) => page.answer(refusal.status, &content),
    }
}

/// The list again whenever it is another one, as long as the page is open.
pub(super) async fn live(State(pages): State<Arc<Pages>>, RawQuery(query): RawQuery) -> Response {
    let filter = Filter::read(query.as_deref());
    let events = stream::unfold(
        (pages, filter, None::<String>),
        async |(pages, filter, sent)| {
            loop {
                let pause = tokio::time::sleep(PACE);
                tokio::select! {
                    () = pause => {}
                    () = pages.settings.stop.cancelled() => return None,
                }
                let Ok(found) = ask(&filter, &pages).await else {
                    continue;
                };
                let now = rows(&pages, &filter, &found).into_string();
                if sent.as_ref() != Some(&now) {
                    let event = Event::default().event("rows").data(now.replace('\n', " "));
                    return Some((Ok::<_, Infallible>(event), (pages, filter, Some(now))));
                }
            }
        },
    );
    Sse::new(events).into_response()
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
        }
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

fn rows(pages: &Pages, filter: &Filter, found: &CallList) -> Markup {
    let of_all = filter.get("account").is_none();
    html! {
        p.soft {
            (found.calls.len()) " shown, " (found.kept) " kept"
            @if found.forgotten > 0 { ", " (found.forgotten) " forgotten to bound memory" }
        }
        @if found.calls.is_empty() {
            p { "No call yet that fits. " a href=(pages.to("/")) { "A first call to copy" } }
        } @else {
            div.region tabindex="0" role="region" aria-label="Calls" {
                table {
                    thead {
                        tr {
                            th scope="col" { "When" } th scope="col" { "Account" } th scope="col" { "Environment" }
                            th scope="col" { "Operation" } th scope="col" { "Outcome" }
                            th.number scope="col" { "Charged" } th scope="col" { "Why" }
                        }
                    }
                    tbody { @for row in &found.calls { (one(pages, filter, row)) } }
                }
            }
            @if let (false, Some(last)) = (of_all || found.calls.len() < ROWS, found.calls.last()) {
                p {
                    a href=(pages.to(&format!("/calls?{}", filter.with("before", &last.verification_id)))) {
                        "Older calls"
                    }
                }
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
            td { time.mono datetime=(row.at) { (row.at) } }
            td {
                @if let Some(account) = account { (shown(account)) }
                @if let Some(key) = &row.presented_key { " " code { (shown(key)) } }
            }
            td { (row.environment) }
            td {
                @if is_unauthenticated(filter) { (shown(&row.endpoint)) } @else {
                    a href=(pages.to(&format!("/calls/{}", row.verification_id))) { (shown(&row.endpoint)) }
                }
                @if unknown > 0 { " " mark { (unknown) " unknown" } }
            }
            td { (badge(&row.status, row.code.as_deref())) " " span.soft { (row.http_status) } }
            td.number { @if row.charged > 0.0 { (row.charged) " INR" } }
            td.wide { (shown(&row.because)) }
        }
    }
}
