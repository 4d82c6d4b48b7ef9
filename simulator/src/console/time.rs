//! The clocks of accounts: what they show, what is due, and moving them.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::delivery::seconds;
use super::filter::Filter;
use super::form::Fields;
use super::layout::{Notice, cell, instant, items, member, table, text};
use super::live;

const PART: &str = "/time";

pub(super) async fn list(State(pages): State<Arc<Pages>>) -> Response {
    let accounts = match pages.api.get("/control/accounts").await {
        Ok(accounts) => accounts,
        Err(refusal) => return pages.refusal("/", &refusal),
    };
    let rows = items(&accounts, "accounts").iter().map(|it| {
        let id = member(it, "id");
        vec![
            html! { a href=(pages.to(&format!("{PART}/{}", encoded(&id)))) { (id) } },
            instant(it, "now"),
            cell(it, "clock"),
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    let content = html! {
        p { "Every account has a clock of its own." }
        section { (table("Clocks", &["Account", "Shows", "Clock"], &rows)) }
    };
    pages.page(StatusCode::OK, (PART, "Time"), &Notice::default(), &content)
}

pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let way = Way::of(&query);
    pages
        .clock(&id, StatusCode::OK, Notice::of(&headers), way)
        .await
}

/// What is due again whenever it is something else, or the clock shows another second.
pub(super) async fn live(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let id = Arc::new(id);
    live::follow(pages, query.as_deref(), move |pages, _| {
        let id = Arc::clone(&id);
        Box::pin(async move {
            let timeline = pages.timeline(&id).await.ok()?;
            Some(pages.upcoming(&timeline).to_vec())
        })
    })
}

/// The events of a move of the clock: from the first to before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Way {
    from: u64,
    to: u64,
}

impl Way {
    /// What an address says of it.
    fn of(query: &Fields) -> Option<Self> {
        Some(Way {
            from: query.get("from").parse().ok()?,
            to: query.get("to").parse().ok()?,
        })
    }
}

pub(super) async fn change(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let typed = Fields::form(&body);
    match moved(&pages, &id, &typed).await {
        Ok((way, now)) => {
            let mut to = format!("{PART}/{}", encoded(&id));
            if let Some(Way { from, to: end }) = way {
                to += &format!("?from={from}&to={end}");
            }
            pages.back(&to, &format!("The clock shows {now}."))
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed);
            pages.clock(&id, refusal.status, notice, None).await
        }
    }
}

/// Moves a clock. Gives the events on the way, and what it shows then.
async fn moved(pages: &Pages, id: &str, typed: &Fields) -> Result<(Option<Way>, String), Refusal> {
    let change = match typed.get("action") {
        "next" => json!({ "next": true }),
        "freeze" => json!({ "freeze": true }),
        "run" => json!({ "freeze": false }),
        "set" => json!({ "set": typed.get("instant") }),
        _ => json!({ "advance": typed.get("by") }),
    };
    let account = encoded(id);
    // The number that the next event will have.
    let next = async || {
        let path = format!("/control/events?account={account}&from={}", u64::MAX);
        pages.api.get(&path).await.ok()?["next"].as_u64()
    };
    let from = next().await;
    let path = format!("/control/accounts/{account}/clock");
    let moved = pages.api.post(&path, &change).await?;
    let way = match (from, next().await) {
        (Some(from), Some(to)) => Some(Way { from, to }),
        // The account came into being here.
        (None, Some(to)) => Some(Way { from: 0, to }),
        (_, None) => None,
    };
    Ok((way, member(&moved, "now")))
}

impl Pages {
    async fn timeline(&self, id: &str) -> Result<Value, Refusal> {
        let path = format!("/control/accounts/{}/timeline", encoded(id));
        self.api.get(&path).await
    }

    async fn clock(
        &self,
        id: &str,
        status: StatusCode,
        notice: Notice,
        way: Option<Way>,
    ) -> Response {
        let timeline = match self.timeline(id).await {
            Ok(timeline) => timeline,
            Err(refusal) => return self.refusal(PART, &refusal),
        };
        let happened = match way {
            None => None,
            Some(Way { from, .. }) => {
                let path = format!("/control/events?account={}&from={from}", encoded(id));
                self.api.get(&path).await.ok()
            }
        };
        let live = format!("{PART}/{}/live", encoded(id));
        let content = html! {
            section { h2 { "Move it" } (forms(&timeline, &notice.typed)) }
            @if let (Some(way), Some(happened)) = (way, &happened) {
                section { h2 { "What happened on the way" } (self.events(happened, way)) }
            }
            (live::following(self, &live, &Filter::read(None), &self.upcoming(&timeline)))
            p { a href=(self.to(&format!("/accounts/{}", encoded(id)))) { "The account" } }
        };
        let title = format!("Time of {id}");
        self.page(status, (PART, &title), &notice, &content)
    }

    /// What the clock shows, what it brings, and what it does not.
    fn upcoming(&self, timeline: &Value) -> [live::Part; 2] {
        let clock = html! {
            section {
                h2 {
                    "It shows " (seconds(&member(timeline, "now"))) ", and "
                    @if timeline["state"] == "frozen" { "stands still" } @else { "runs" }
                }
            }
        };
        let rows = html! {
            section { h2 { "What is due" } (self.due(timeline)) }
            section { h2 { "What no clock brings" } (self.waiting(timeline)) }
        };
        [("clock", clock), ("rows", rows)]
    }

    /// What something is about, with a link to its page.
    fn about(&self, it: &Value) -> Markup {
        let (call, delivery) = (member(it, "verificationId"), member(it, "deliveryId"));
        let endpoint = member(it, "endpoint");
        html! {
            @if !call.is_empty() {
                a href=(self.to(&format!("/calls/{call}"))) { @if endpoint.is_empty() { code { (call) } } @else { (endpoint) } }
            }
            @if !delivery.is_empty() {
                " " a href=(self.to(&format!("/webhooks/{delivery}"))) { "its webhook" }
            }
            @if it["key"].is_string() { code { (member(it, "key")) } }
        }
    }

    fn events(&self, happened: &Value, way: Way) -> Markup {
        let events = items(happened, "events").iter();
        let events = events.filter(|it| it["seq"].as_u64().is_some_and(|seq| seq < way.to));
        let rows = events.map(|it| {
            let (status, code) = (member(it, "httpStatus"), member(it, "code"));
            let attempt = member(it, "attempt");
            vec![
                instant(it, "at"),
                cell(it, "environment"),
                html! { (said(it)) @if !attempt.is_empty() { " " (attempt) } },
                self.about(it),
                html! { (member(it, "status")) " " (code) " " (status) " " (member(it, "state")) " " (member(it, "reason")) },
            ]
        });
        let rows: Vec<Vec<Markup>> = rows.collect();
        html! {
            @if happened["missed"] == true { p.quiet { "Older ones are known no more." } }
            @if rows.is_empty() { p { "Nothing." } }
            @else { (table("What happened", &["When", "Environment", "What", "Of", "Came to"], &rows)) }
        }
    }

    fn due(&self, timeline: &Value) -> Markup {
        let rows = items(timeline, "due").iter().map(|it| {
            let attempt = member(it, "attempt");
            vec![
                instant(it, "at"),
                cell(it, "environment"),
                html! { (said(it)) @if !attempt.is_empty() { " " (attempt) } },
                self.about(it),
            ]
        });
        let rows: Vec<Vec<Markup>> = rows.collect();
        let more = member(timeline, "more");
        match rows.is_empty() {
            true => html! { p { "Nothing is due." } },
            false => html! {
                (table("What is due", &["When", "Environment", "What", "Of"], &rows))
                @if more != "0" { p { "and " (more) " more" } }
            },
        }
    }

    fn waiting(&self, timeline: &Value) -> Markup {
        let rows = items(timeline, "waiting").iter().map(|it| {
            vec![
                cell(it, "environment"),
                self.about(it),
                match it["waitsFor"].as_str() {
                    Some("consent") => {
                        html! { a href=(self.to("/consents")) { "a person on the consent page" } }
                    }
                    Some("secondCall") => html! { "the call that comes next" },
                    _ => html! { "the real delay of a scenario" },
                },
            ]
        });
        let rows: Vec<Vec<Markup>> = rows.collect();
        match rows.is_empty() {
            true => html! { p { "Nothing waits for anybody." } },
            false => table("What waits", &["Environment", "Call", "Waits for"], &rows),
        }
    }
}

/// What happened, or will, in words.
fn said(it: &Value) -> String {
    let said = match it["kind"].as_str().unwrap_or_default() {
        "callAnswered" => "a call was answered",
        "resultReady" => "the result comes",
        "deliveryAttempted" => "webhook, attempt",
        "deliveryRequested" => "a webhook was asked for again",
        "keyEnded" => "a rotated key ends",
        "limitRestored" => "a rate limit is whole again",
        "idempotencyKeyLapsed" => "an idempotency key may be used anew",
        "clockSet" => "the clock was set",
        "accountChanged" => "the account was changed",
        "accountReset" => "the account was reset",
        other => other,
    };
    text(said)
}

fn forms(timeline: &Value, typed: &Fields) -> Markup {
    let by = typed.filled("by").unwrap_or("6h");
    let now = member(timeline, "now");
    let instant = typed.filled("instant").unwrap_or(&now);
    html! {
        form method="post" {
            @if !items(timeline, "due").is_empty() { button name="action" value="next" { "To the next thing that is due" } }
            @if timeline["state"] == "frozen" { button name="action" value="run" { "Let it run" } }
            @else { button name="action" value="freeze" { "Let it stand still" } }
        }
        form method="post" {
            label { "By: 500ms, 30s, 2m, 6h, 7d" input name="by" required value=(text(by)); }
            button name="action" value="advance" { "Move it forward" }
        }
        form method="post" {
            label { "To an instant" input name="instant" required value=(text(instant)); }
            button name="action" value="set" { "Move it there" }
        }
    }
}
