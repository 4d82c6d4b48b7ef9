//! Why a typed input gets what it gets: a page whose address has the input, to be sent to a colleague.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode, Uri};
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::Pages;
use super::api::Refusal;
use super::form::Fields;
use super::layout::{Notice, items, lines, text};
use super::why;

const PART: &str = "/scenarios";

/// The page: a form, and the explanation of what was typed into it.
pub(super) async fn show(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let query = Fields::of(uri.query().unwrap_or_default().as_bytes());
    let operations = match pages.api.get("/control/operations").await {
        Ok(operations) => operations,
        Err(refusal) => return pages.refusal(PART, &refusal),
    };
    let explained = match query.filled("operation") {
        None => Ok(html! {}),
        Some(_) => match asked(&query) {
            Ok(ask) => why::explained(&pages, &ask).await,
            Err(refusal) => Err(refusal),
        },
    };
    let (status, notice, explained) = match explained {
        Ok(explained) => (StatusCode::OK, Notice::of(&headers), explained),
        Err(refusal) => {
            let notice = Notice::refused(&refusal, Fields::default());
            (refusal.status, notice, html! {})
        }
    };
    let content = html! { (form(&pages, &operations, &query)) (explained) };
    pages.page(status, (PART, "Explain an input"), &notice, &content)
}

/// What the control API is asked.
fn asked(query: &Fields) -> Result<Value, Refusal> {
    let mut ask = json!({
        "account": query.filled("account").unwrap_or("local"),
        "operation": query.get("operation"),
    });
    for name in ["environment", "referenceId", "idempotencyKey"] {
        if let Some(value) = query.filled(name) {
            ask[name] = json!(value);
        }
    }
    if let Some(body) = query.filled("body") {
        let body = serde_json::from_str::<Map<String, Value>>(body);
        let body = body.map_err(|error| Refusal {
            status: StatusCode::BAD_REQUEST,
            message: format!("the body is a JSON object: {error}"),
            answer: Value::Null,
        })?;
        ask["body"] = Value::Object(body);
    }
    Ok(ask)
}

fn form(pages: &Pages, operations: &Value, query: &Fields) -> Markup {
    let chosen = query.get("operation");
    html! {
        section {
            form.tall method="get" action=(pages.to("/scenarios/explain")) {
                label { "Account" input name="account" value=(text(query.filled("account").unwrap_or("local"))); }
                label { "Environment"
                    select name="environment" {
                        @for value in ["test", "live"] { option value=(value) selected[query.get("environment") == value] { (value) } }
                    }
                }
                label { "Operation"
                    select name="operation" required {
                        @for row in items(operations, "operations") {
                            @let id = row["id"].as_str().unwrap_or_default();
                            option value=(id) selected[id == chosen] { (id) }
                        }
                    }
                }
                label { "Body, as JSON; the operation's sample where it is left out"
                    textarea.few name="body" rows="4" spellcheck="false" { (lines(query.get("body"))) }
                }
                div { button { "Explain" } }
            }
        }
    }
}
