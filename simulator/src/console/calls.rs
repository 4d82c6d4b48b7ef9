//! The calls of all accounts or of one, with filters; the list follows what comes in.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
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

/// How many pages may follow a list at once: each of them costs a look at all accounts, twice a second.
pub(super) const MOST_LIVE: usize = 64;

/// What a page says that can't follow.
const NO_PLACE: &str = "does not follow: 64 pages do already. Load it again to see what came";

/// When such a page asks again.
const PAUSE: Duration = Duration::from_secs(60);

/// What the query of a stream says beside the filter: which list the page shows.
const SEEN: &str = "seen";

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
            Ok(found) => (table(&pages, &filter, &List::of(&pages, &filter, found)))
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
    let Ok(place) = Arc::clone(&pages.live).try_acquire_owned() else {
        let state = event("state", NO_PLACE).retry(PAUSE);
        return Sse::new(stream::iter([Ok::<_, Infallible>(state)])).into_response();
    };
    let seen = filter.get(SEEN).unwrap_or_default().to_owned();
    let filter = filter.without(SEEN);
    let state = stream::iter([event("state", "follows by itself")]);
    let lists = stream::unfold((pages, filter, seen), async |(pages, filter, seen)| {
        loop {
            let pause = tokio::time::sleep(PACE);
            tokio::select! {
                () = pause => {}
                () = pages.settings.stop.cancelled() => return None,
            }
            let Ok(found) = ask(&filter, &pages).await else {
                continue;
            };
            let list = List::of(&pages, &filter, &found);
            let mark = list.mark();
            if mark != seen {
                return Some((list.events(), (pages, filter, mark)));
            }
        }
    });
    let events = state.chain(lists.flat_map(stream::iter)).map(move |event| {
        // Held until the page is closed.
        let _place = &place;
        Ok::<_, Infallible>(event)
    });
    Sse::new(events).into_response()
}

fn event(name: &str, data: impl Into<String>) -> Event {
    Event::default().event(name).data(data.into())
}

/// The parts of the page that follow what comes in. What is around them stays, with where it was scrolled to.
struct List {
    count: Markup,
    rows: Markup,
    older: Markup,
}

impl List {
    fn of(pages: &Pages, filter: &Filter, found: &CallList) -> Self {
        List {
            count: count(found),
            rows: rows(pages, filter, found),
            older: older(pages, filter, found),
        }
    }

    /// What tells it from another one.
    fn mark(&self) -> String {
        let parts = [&self.count.0, &self.rows.0, &self.older.0].map(String::as_bytes);
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&parts.concat()))
    }

    fn events(self) -> [Event; 3] {
        let parts = [
            ("count", self.count),
            ("rows", self.rows),
            ("older", self.older),
        ];
        // A part that is empty would be no event.
        parts.map(|(name, part)| event(name, format!("{} ", part.0.replace('\n', " "))))
    }
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

fn table(pages: &Pages, filter: &Filter, list: &List) -> Markup {
    let live = filter.with(SEEN, &list.mark());
    let live = pages.to(&format!("/calls/live?{live}"));
    // A page of older calls stands still.
    let follows = filter.get("before").is_none();
    html! {
        div hx-ext=[follows.then_some("sse")] sse-connect=[follows.then_some(live)] {
            p.soft {
                span sse-swap="count" { (list.count) }
                span.live sse-swap="state" {}
            }
            div.region tabindex="0" role="region" aria-label="Calls" {
                table {
                    thead { tr { @for column in COLUMNS { th.number[column == CHARGED] scope="col" { (column) } } } }
                    tbody sse-swap="rows" { (list.rows) }
                }
            }
            p sse-swap="older" { (list.older) }
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

fn older(pages: &Pages, filter: &Filter, found: &CallList) -> Markup {
    let of_all = filter.get("account").is_none();
    html! {
        @if let (false, Some(last)) = (of_all || found.calls.len() < ROWS, found.calls.last()) {
            a href=(pages.to(&format!("/calls?{}", filter.with("before", &last.verification_id)))) { "Older calls" }
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
            td data-label="Outcome" { (badge(&row.status, row.code.as_deref())) " " span.soft { (row.http_status) } }
            td.number data-label=(CHARGED) { @if row.charged > 0.0 { (row.charged) " INR" } }
            td.wide data-label="Why" { (shown(&row.because)) }
        }
    }
}
