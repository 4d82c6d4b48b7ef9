//! What the forms of an account's page do.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::Pages;
use super::accounts::number;
use super::api::{Refusal, encoded};
use super::form::Fields;
use super::layout::{Notice, member};

/// A change, and what is said when it is done.
struct Change {
    method: Method,
    path: &'static str,
    body: Option<Value>,
    done: String,
}

pub(super) async fn change(
    State(pages): State<Arc<Pages>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let typed = Fields::form(&body);
    match made(&pages, &id, &typed).await {
        Ok((to, done)) => pages.back(&to, &done),
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed);
            pages.account(&id, refusal.status, notice).await
        }
    }
}

async fn made(pages: &Pages, id: &str, typed: &Fields) -> Result<(String, String), Refusal> {
    let change = asked(typed)?;
    let path = format!("/control/accounts/{}{}", encoded(id), change.path);
    let answer = pages
        .api
        .ask(change.method, &path, change.body.as_ref())
        .await?;
    let to = match typed.get("action") {
        "delete" => "/accounts".to_owned(),
        "fork" => format!("/accounts/{}", encoded(typed.get("copy"))),
        _ => format!("/accounts/{}", encoded(id)),
    };
    let new_key = member(&answer, "key");
    let done = match typed.get("action") {
        "rotate" => format!("{} The new key is {new_key}.", change.done),
        _ => change.done,
    };
    Ok((to, done))
}

/// What a form asks for.
fn asked(typed: &Fields) -> Result<Change, Refusal> {
    let change = |method: Method, path, body, done: &str| {
        Ok(Change {
            method,
            path,
            body,
            done: done.to_owned(),
        })
    };
    let post = |path, body, done| change(Method::POST, path, Some(body), done);
    match typed.get("action") {
        "topUp" => {
            let amount = number(typed.get("amount"))?;
            post(
                "/wallet",
                json!({ "topUp": amount }),
                "The wallet was topped up.",
            )
        }
        "balance" => {
            let amount = number(typed.get("amount"))?;
            post(
                "/wallet",
                json!({ "balance": amount }),
                "The balance was set.",
            )
        }
        "rotate" => {
            let environment = json!({ "environment": typed.get("environment") });
            post(
                "/keys/rotate",
                environment,
                "The key was rotated; the old one works on for a day.",
            )
        }
        "revoke" => post(
            "/keys/revoke",
            json!({ "key": typed.get("key") }),
            "The key was revoked.",
        ),
        "allowlist" => {
            let networks: Vec<&str> = typed.get("networks").split_whitespace().collect();
            let networks = Some(json!({ "networks": networks }));
            change(
                Method::PUT,
                "/allowlist",
                networks,
                "The allowlist was set.",
            )
        }
        "rateLimit" => {
            let whole = |name: &str| typed.get(name).parse::<u32>().unwrap_or_default();
            let limit = json!({ "perSecond": whole("perSecond"), "burst": whole("burst") });
            change(
                Method::PUT,
                "/rate-limit",
                Some(limit),
                "The rate limit was set.",
            )
        }
        "noRateLimit" => change(
            Method::DELETE,
            "/rate-limit",
            None,
            "There is no rate limit now.",
        ),
        _ => asked_of_all(typed),
    }
}

/// What a form asks for that changes all of an account.
fn asked_of_all(typed: &Fields) -> Result<Change, Refusal> {
    let change = |method: Method, path, body, done: &str| {
        Ok(Change {
            method,
            path,
            body,
            done: done.to_owned(),
        })
    };
    match typed.get("action") {
        "fork" => change(
            Method::POST,
            "/fork",
            Some(json!({ "id": typed.get("copy") })),
            "The account was copied.",
        ),
        "reset" => change(
            Method::POST,
            "/reset",
            None,
            "The account was set back to its beginning.",
        ),
        "delete" => change(Method::DELETE, "", None, "The account was deleted."),
        _ => Err(Refusal {
            status: StatusCode::BAD_REQUEST,
            message: "this form asks for nothing that the page knows".to_owned(),
            answer: Value::Null,
        }),
    }
}
