//! A form for every operation and bundle, made from what the control API says of its row, and the answer
//! of the call that it makes.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};

use super::Pages;
use super::api::{Refusal, encoded};
use super::body_form::{render, typed_body};
use super::form::Fields;
use super::layout::{Notice, cell, items, member, pretty, rupees, table, text};
use super::why;

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
        .form(
            &id,
            StatusCode::OK,
            Notice::default(),
            &query,
            Sent::Nothing,
        )
        .await
}

/// What was sent before the form is shown.
enum Sent {
    Nothing,
    /// A body; with what became of it, where it was called.
    Body(Value, Value),
    /// A body that was not called, and why it would get what it would.
    Explained(Value, Markup),
}

pub(super) async fn send(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let typed = Fields::form(&body);
    let form = match pages.operation(&id).await {
        Ok(form) => form,
        Err(refusal) => return pages.refusal(PART, &refusal),
    };
    let (body, unread) = typed_body(items(&form, "fields"), &typed);
    let body = Value::Object(body);
    if let Some(message) = unread {
        let notice = Notice {
            refused: Some(message),
            ..Notice::default()
        };
        let sent = Sent::Body(body, Value::Null);
        let status = StatusCode::BAD_REQUEST;
        return pages.form(&id, status, notice, &typed, sent).await;
    }
    if typed.get("action") == "explain" {
        let mut ask = json!({ "account": typed.get("account"), "operation": id, "body": body });
        for name in ["environment", "idempotencyKey", "referenceId"] {
            if let Some(value) = typed.filled(name) {
                ask[name] = json!(value);
            }
        }
        let sent = match why::explained(&pages, &ask).await {
            Ok(explained) => Sent::Explained(body, explained),
            Err(refusal) => {
                let notice = Notice::refused(&refusal, Fields::default());
                let sent = Sent::Body(body, Value::Null);
                return pages.form(&id, refusal.status, notice, &typed, sent).await;
            }
        };
        return pages
            .form(&id, StatusCode::OK, Notice::default(), &typed, sent)
            .await;
    }
    // The answer is the page: to send it again is to call again, as a browser asks before it does.
    match sent(&pages, &form, &body, &typed).await {
        Ok(made) => {
            let sent = Sent::Body(body, made);
            pages
                .form(&id, StatusCode::OK, Notice::default(), &typed, sent)
                .await
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, Fields::default());
            let sent = Sent::Body(body, Value::Null);
            pages.form(&id, refusal.status, notice, &typed, sent).await
        }
    }
}

async fn sent(pages: &Pages, form: &Value, body: &Value, typed: &Fields) -> Result<Value, Refusal> {
    let mut call = json!({
        "account": typed.get("account"), "environment": typed.get("environment"),
        "path": form["path"], "body": body,
    });
    for name in ["idempotencyKey", "referenceId"] {
        if let Some(value) = typed.filled(name) {
            call[name] = json!(value);
        }
    }
    pages.api.post("/control/calls", &call).await
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

    /// What it takes to call an operation or a bundle.
    async fn operation(&self, id: &str) -> Result<Value, Refusal> {
        let path = format!("/control/operations/{}", encoded(id));
        self.api.get(&path).await
    }

    async fn form(
        &self,
        id: &str,
        status: StatusCode,
        notice: Notice,
        query: &Fields,
        sent: Sent,
    ) -> Response {
        let form = match self.operation(id).await {
            Ok(form) => form,
            Err(refusal) => return self.refusal(PART, &refusal),
        };
        let (body, made, explained) = match sent {
            Sent::Nothing => (filled(&form, query), Value::Null, html! {}),
            Sent::Body(body, made) => (body, made, html! {}),
            Sent::Explained(body, explained) => (body, Value::Null, explained),
        };
        let account = query.filled("account").unwrap_or("local");
        let content = html! {
            @if made.is_object() { (self.answer(&made)) }
            (explained)
            section {
                form.tall method="post" action=(self.form_of(id, "", "")) {
                    label { "Account" input name="account" required value=(text(account)); }
                    label { "Environment"
                        select name="environment" {
                            option value="test" { "test" }
                            option value="live" selected[query.get("environment") == "live"] { "live" }
                        }
                    }
                    (render(items(&form, "fields"), &body, query))
                    label { "Idempotency-Key, if any" input name="idempotencyKey" value=(text(query.get("idempotencyKey"))); }
                    label { "X-Reference-Id, if any" input name="referenceId" value=(text(query.get("referenceId"))); }
                    div {
                        button { "Send" } " "
                        @if items(&form, "steps").is_empty() {
                            button.quiet name="action" value="explain" { "Explain, without sending" }
                        }
                    }
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
            @if !items(form, "people").is_empty() { section {
                h2 { "Ask about a persona" }
                ul { @for it in items(form, "people") { li { a href=(fill(it)) { (member(it, "display")) } ": " (member(it, "story")) } } }
            } }
        }
    }
}

/// The body that an address names, or the sample with what a fixed input or a persona of its name sets.
fn filled(form: &Value, query: &Fields) -> Value {
    if let Some(Value::Object(body)) = query
        .filled("body")
        .and_then(|body| serde_json::from_str(body).ok())
    {
        return Value::Object(body);
    }
    let mut body = form["sample"].clone();
    let with = query.get("with");
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

impl Pages {
    fn answer(&self, made: &Value) -> Markup {
        let sent = &made["request"];
        let call = made["answer"]["verificationId"]
            .as_str()
            .unwrap_or_default();
        html! {
            section.notice role="status" {
                h2 { "Answer: " (member(made, "status")) }
                @if made["onTheWire"].is_string() { p { "On the wire " (member(made, "onTheWire")) "." } }
                @if made["headers"]["Idempotent-Replay"] == "true" { p { "It is the answer that was given before." } }
                @if !call.is_empty() && made["status"] != 401 {
                    p { a href=(self.to(&format!("/calls/{}", encoded(call)))) { "Why it got this" } }
                }
                pre tabindex="0" { (pretty(&made["answer"])) }
                details {
                    summary { "What was sent" }
                    pre tabindex="0" { (member(sent, "method")) " " (member(sent, "url")) "\n" (pretty(&sent["headers"])) "\n" (member(sent, "body")) }
                }
            }
        }
    }
}
