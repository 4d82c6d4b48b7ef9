//! A form for every operation and bundle, made from what the control API says of its row, and the answer
//! of the call that it makes.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::layout::{Fields, Notice, cell, items, member, pretty, rupees, table, text};

const PART: &str = "/try";

pub(super) async fn list(State(pages): State<Arc<Pages>>, uri: Uri) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let all = match pages.api.get("/control/operations").await {
        Ok(all) => all,
        Err(refusal) => return pages.refusal("/", &refusal),
    };
    let account = query.get("account");
    let rows = items(&all, "operations")
        .iter()
        .chain(items(&all, "bundles"))
        .map(|it| {
            let to = pages.form_of(&member(it, "id"), account, "");
            vec![
                html! { a href=(to) { (member(it, "title")) } br; code { (member(it, "id")) } },
                cell(it, "category"),
                html! { (rupees(it, "price")) },
            ]
        });
    let rows: Vec<Vec<Markup>> = rows.collect();
    let content = html! { section { (table("Operations and bundles", &["Operation", "Category", "INR on live"], &rows)) } };
    pages.page(
        StatusCode::OK,
        (PART, "Try it"),
        &Notice::default(),
        &content,
    )
}

pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    pages
        .form(&id, StatusCode::OK, Notice::default(), &query, &Value::Null)
        .await
}

pub(super) async fn send(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let typed = Fields::form(&body);
    // The answer is the page: to send it again is to call again, as a browser asks before it does.
    match sent(&pages, &id, &typed).await {
        Ok(made) => {
            let notice = Notice {
                typed: typed.clone(),
                ..Notice::default()
            };
            pages.form(&id, StatusCode::OK, notice, &typed, &made).await
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed.clone());
            pages
                .form(&id, refusal.status, notice, &typed, &Value::Null)
                .await
        }
    }
}

async fn sent(pages: &Pages, id: &str, typed: &Fields) -> Result<Value, Refusal> {
    let form = pages
        .api
        .get(&format!("/control/operations/{}", encoded(id)))
        .await?;
    let mut body = Map::new();
    for field in items(&form, "fields") {
        let name = field["name"].as_str().unwrap_or_default();
        if let Some(value) = typed.filled(&format!("field.{name}")) {
            body.insert(name.to_owned(), as_typed(field, value));
        }
    }
    let mut call = json!({
        "account": typed.get("account"), "environment": typed.get("environment"),
        "path": form["path"], "body": body,
    });
    if let Some(key) = typed.filled("idempotencyKey") {
        call["idempotencyKey"] = json!(key);
    }
    pages.api.post("/control/calls", &call).await
}

/// A value as its field takes it. What can't be read so is sent as it was typed: the service says what is wrong.
fn as_typed(field: &Value, value: &str) -> Value {
    match field["type"].as_str() {
        Some("text") => json!(value),
        _ => serde_json::from_str(value).unwrap_or_else(|_| json!(value)),
    }
}

/// A value as it is typed into a form.
fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(it) => it.clone(),
        other => other.to_string(),
    }
}

impl Pages {
    fn form_of(&self, id: &str, account: &str, filled: &str) -> String {
        let mut path = format!("{PART}/{}?", encoded(id));
        for (name, value) in [("account", account), ("with", filled)] {
            if !value.is_empty() {
                path += &format!("{name}={}&", encoded(value));
            }
        }
        self.to(path.trim_end_matches(['&', '?']))
    }

    async fn form(
        &self,
        id: &str,
        status: StatusCode,
        notice: Notice,
        query: &Fields,
        made: &Value,
    ) -> Response {
        let path = format!("/control/operations/{}", encoded(id));
        let form = match self.api.get(&path).await {
            Ok(form) => form,
            Err(refusal) => return self.refusal(PART, &refusal),
        };
        let filled = filled(&form, query.get("with"));
        let account = query.filled("account").unwrap_or("local");
        let content = html! {
            @if made.is_object() { (answer(made)) }
            section {
                form.tall method="post" {
                    label { "Account" input name="account" required value=(text(account)); }
                    label { "Environment"
                        select name="environment" {
                            option value="test" { "test" }
                            option value="live" selected[query.get("environment") == "live"] { "live" }
                        }
                    }
                    @for field in items(&form, "fields") { (field_of(field, &filled, &notice.typed)) }
                    label { "Idempotency-Key, if any" input name="idempotencyKey" value=(text(notice.typed.get("idempotencyKey"))); }
                    div { button { "Send" } }
                }
            }
            (self.choices(&form, id, account))
        };
        let title = format!("Try it: {}", form["title"].as_str().unwrap_or(id));
        self.page(status, (PART, &title), &notice, &content)
    }

    /// The inputs and personas that the form can be filled with.
    fn choices(&self, form: &Value, id: &str, account: &str) -> Markup {
        let fill = |it: &Value| self.form_of(id, account, it["name"].as_str().unwrap_or_default());
        html! {
            section {
                h2 { "Fill it with a fixed input" }
                ul { @for it in items(form, "inputs") { li { a href=(fill(it)) { (member(it, "name")) } ": " (member(it, "outcome")) } } }
            }
            section {
                h2 { "Ask about a persona" }
                ul { @for it in items(form, "people") { li { a href=(fill(it)) { (member(it, "display")) } ": " (member(it, "story")) } } }
            }
        }
    }
}

/// The sample, with what a fixed input or a persona of this name sets.
fn filled(form: &Value, with: &str) -> Value {
    let mut body = form["sample"].clone();
    let mut all = items(form, "inputs").iter().chain(items(form, "people"));
    let chosen = all.find(|it| !with.is_empty() && it["name"] == with);
    for (name, value) in chosen
        .and_then(|it| it["set"].as_object())
        .into_iter()
        .flatten()
    {
        body[name] = value.clone();
    }
    body
}

fn field_of(field: &Value, filled: &Value, typed: &Fields) -> Markup {
    let name = field["name"].as_str().unwrap_or_default();
    let input = format!("field.{name}");
    let value = typed
        .filled(&input)
        .map_or_else(|| as_text(&filled[name]), str::to_owned);
    let required = field["required"] == true;
    let one_of = items(field, "oneOf");
    html! {
        label {
            span { (text(name)) @if required { " (required)" } ": " (member(field, "about")) }
            @if !one_of.is_empty() {
                select name=(input) {
                    @if !required { option value="" { "left out" } }
                    @for choice in one_of.iter().filter_map(Value::as_str) {
                        option value=(choice) selected[choice == value] { (text(choice)) }
                    }
                }
            } @else if field["type"] == "boolean" {
                select name=(input) {
                    option value="" { "left out" }
                    @for choice in ["true", "false"] { option value=(choice) selected[choice == value] { (choice) } }
                }
            } @else {
                input name=(input) value=(text(&value));
            }
            span.quiet { (member(field, "rule")) }
        }
    }
}

fn answer(made: &Value) -> Markup {
    let sent = &made["request"];
    html! {
        section.notice role="status" {
            h2 { "Answer: " (member(made, "status")) }
            @if made["onTheWire"].is_string() { p { "On the wire " (member(made, "onTheWire")) "." } }
            pre { (pretty(&made["answer"])) }
            details {
                summary { "What was sent" }
                pre { (member(sent, "method")) " " (member(sent, "url")) "\n" (pretty(&sent["headers"])) "\n" (member(sent, "body")) }
            }
        }
    }
}
