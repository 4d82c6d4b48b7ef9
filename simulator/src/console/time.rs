//! The clocks of accounts: what they show, what is due, and moving them.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::layout::{Fields, Notice, cell, items, member, table, text};

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
            cell(it, "now"),
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
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let from = query.filled("from").map(str::to_owned);
    pages
        .clock(&id, StatusCode::OK, Notice::done(&query), from)
        .await
}

pub(super) async fn change(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let typed = Fields::form(&body);
    match moved(&pages, &id, &typed).await {
        Ok((from, now)) => {
            let to = format!("{PART}/{}?from={from}", encoded(&id));
            pages.back(&to, &format!("The clock shows {now}."))
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed);
            pages.clock(&id, refusal.status, notice, None).await
        }
    }
}

/// Moves a clock. Gives the number of the first event on the way, and what it shows then.
async fn moved(pages: &Pages, id: &str, typed: &Fields) -> Result<(String, String), Refusal> {
    let change = match typed.get("action") {
        "next" => json!({ "next": true }),
        "freeze" => json!({ "freeze": true }),
        "run" => json!({ "freeze": false }),
        "set" => json!({ "set": typed.get("instant") }),
        _ => json!({ "advance": typed.get("by") }),
    };
    let account = encoded(id);
    let before = format!("/control/events?account={account}&from={}", u64::MAX);
    let before = pages.api.get(&before).await;
    let path = format!("/control/accounts/{account}/clock");
    let moved = pages.api.post(&path, &change).await?;
    let from = before.map_or_else(|_| "0".to_owned(), |it| member(&it, "next"));
    Ok((from, member(&moved, "now")))
}

impl Pages {
    async fn clock(
        &self,
        id: &str,
        status: StatusCode,
        notice: Notice,
        from: Option<String>,
    ) -> Response {
        let path = format!("/control/accounts/{}/timeline", encoded(id));
        let timeline = match self.api.get(&path).await {
            Ok(timeline) => timeline,
            Err(refusal) => return self.refusal(PART, &refusal),
        };
        let happened = match from {
            None => Value::Null,
            Some(from) => {
                let (account, from) = (encoded(id), encoded(&from));
                let path = format!("/control/events?account={account}&from={from}");
                self.api.get(&path).await.unwrap_or_default()
            }
        };
        let content = html! {
            section {
                h2 { "It shows " (member(&timeline, "now")) ", and " @if timeline["state"] == "frozen" { "stands still" } @else { "runs" } }
                (forms(&timeline, &notice.typed))
            }
            @if !happened.is_null() {
                section { h2 { "What happened on the way" } (events(&happened)) }
            }
            section { h2 { "What is due" } (due(&timeline)) }
            section { h2 { "What no clock brings" } (waiting(&timeline)) }
            p { a href=(self.to(&format!("/accounts/{}", encoded(id)))) { "The account" } }
        };
        let title = format!("Time of {id}");
        self.page(status, (PART, &title), &notice, &content)
    }
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

fn events(happened: &Value) -> Markup {
    let rows = items(happened, "events").iter().map(|it| {
        let (status, code) = (member(it, "httpStatus"), member(it, "code"));
        vec![
            cell(it, "at"),
            cell(it, "environment"),
            cell(it, "kind"),
            html! { code { (member(it, "verificationId")) (member(it, "key")) } },
            html! { (member(it, "status")) " " (code) " " (status) " " (member(it, "state")) " " (member(it, "reason")) },
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    match rows.is_empty() {
        true => html! { p { "Nothing." } },
        false => table(
            "What happened",
            &["When", "Environment", "What", "Of", "Came to"],
            &rows,
        ),
    }
}

fn due(timeline: &Value) -> Markup {
    let rows = items(timeline, "due").iter().map(|it| {
        let attempt = member(it, "attempt");
        vec![
            cell(it, "at"),
            cell(it, "environment"),
            html! { (member(it, "kind")) @if !attempt.is_empty() { ", attempt " (attempt) } },
            cell(it, "endpoint"),
            html! { code { (member(it, "verificationId")) (member(it, "key")) } },
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    let more = member(timeline, "more");
    match rows.is_empty() {
        true => html! { p { "Nothing is due." } },
        false => html! {
            (table("What is due", &["When", "Environment", "What", "Call", "Of"], &rows))
            @if more != "0" { p { "and " (more) " more" } }
        },
    }
}

fn waiting(timeline: &Value) -> Markup {
    let rows = items(timeline, "waiting").iter().map(|it| {
        vec![
            cell(it, "environment"),
            cell(it, "endpoint"),
            html! { code { (member(it, "verificationId")) } },
            cell(it, "waitsFor"),
        ]
    });
    let rows: Vec<Vec<Markup>> = rows.collect();
    match rows.is_empty() {
        true => html! { p { "Nothing waits for anybody." } },
        false => table(
            "What waits",
            &["Environment", "Call", "Verification", "Waits for"],
            &rows,
        ),
    }
}
