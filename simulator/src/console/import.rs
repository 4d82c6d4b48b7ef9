//! An account that was exported, read again: from a file that is chosen, or from its text.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode};
use maud::{Markup, html};
use serde_json::Value;

use super::Pages;
use super::api::{Refusal, encoded};
use super::form::Fields;
use super::layout::{Notice, lines, member, text};
use super::upload;

const PART: &str = "/accounts";

/// The page with the form.
pub(super) async fn ask(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    page(&pages, StatusCode::OK, &Notice::of(&headers))
}

/// What was sent: a file, or its text.
pub(super) async fn read(
    State(pages): State<Arc<Pages>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let kind = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let typed = typed(&body, kind.unwrap_or_default());
    match imported(&pages, &typed).await {
        Ok(id) => pages.back(
            &format!("{PART}/{}", encoded(&id)),
            "The account was read from its file.",
        ),
        Err(refusal) => page(&pages, refusal.status, &Notice::refused(&refusal, typed)),
    }
}

/// The fields of the form. The text is the file's where one was chosen.
fn typed(body: &Bytes, kind: &str) -> Fields {
    if !kind.starts_with("multipart/form-data") {
        return Fields::form(body);
    }
    let of = |name: &str| {
        let found = upload::part(body, kind, name).unwrap_or_default();
        String::from_utf8_lossy(found).into_owned()
    };
    let file = of("file");
    let account = if file.trim().is_empty() {
        of("account")
    } else {
        file
    };
    Fields::pairs([
        ("id", of("id")),
        ("replace", of("replace")),
        ("account", account),
    ])
}

async fn imported(pages: &Pages, typed: &Fields) -> Result<String, Refusal> {
    let refused = |message: String| Refusal {
        status: StatusCode::BAD_REQUEST,
        message,
        answer: Value::Null,
    };
    let file: Value = match typed.get("account") {
        "" => Err(refused("choose a file, or paste its text".to_owned())),
        text => serde_json::from_str(text)
            .map_err(|error| refused(format!("this is no file of an account: {error}"))),
    }?;
    // Under its own id where none is given.
    let own = file["account"]["id"].as_str().unwrap_or_default();
    let id = typed.filled("id").unwrap_or(own);
    let replace = match typed.get("replace") {
        "" => "",
        _ => "?replace=true",
    };
    let path = format!("/control/accounts/{}/import{replace}", encoded(id));
    let read = pages.api.ask(Method::POST, &path, Some(&file)).await?;
    Ok(member(&read, "id"))
}

fn page(pages: &Pages, status: StatusCode, notice: &Notice) -> Response {
    pages.page(
        status,
        (PART, "Read an account from a file"),
        notice,
        &form(pages, &notice.typed),
    )
}

fn form(pages: &Pages, typed: &Fields) -> Markup {
    html! {
        section {
            p { "An account's page exports it: wallet, keys, calls, webhooks, scenarios, clock." }
            form.tall method="post" enctype="multipart/form-data" action=(pages.to("/import")) {
                label { "The file" input type="file" name="file" accept=".json,application/json"; }
                label { "Or its text" textarea.few name="account" rows="6" spellcheck="false" { (lines(typed.raw("account"))) } }
                label { "As, where it is to be a copy under another id"
                    input name="id" value=(text(typed.get("id")));
                }
                label.tick {
                    input type="checkbox" name="replace" value="true" checked[!typed.get("replace").is_empty()];
                    " in the place of an account that has this id"
                }
                div { button { "Read it" } }
            }
        }
    }
}
