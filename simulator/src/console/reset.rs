//! All accounts set back to their beginning. What can't be undone is asked first.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use maud::html;

use super::Pages;
use super::form::Fields;
use super::layout::{Notice, items, member};

const PART: &str = "/accounts";

/// The page that asks.
pub(super) async fn ask(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    pages
        .before_reset(StatusCode::OK, Notice::of(&headers))
        .await
}

/// Sets them back.
pub(super) async fn reset(State(pages): State<Arc<Pages>>) -> Response {
    match pages
        .api
        .post("/control/reset", &serde_json::json!({}))
        .await
    {
        Ok(reset) => {
            let done = match items(&reset, "accounts").len() {
                1 => "The account was set back to its beginning.".to_owned(),
                many => format!("All {many} accounts were set back to their beginning."),
            };
            pages.back(PART, &done)
        }
        Err(refusal) => {
            let notice = Notice::refused(&refusal, Fields::default());
            pages.before_reset(refusal.status, notice).await
        }
    }
}

impl Pages {
    async fn before_reset(&self, status: StatusCode, notice: Notice) -> Response {
        let accounts = match self.api.get("/control/accounts").await {
            Ok(accounts) => accounts,
            Err(refusal) => return self.refusal(PART, &refusal),
        };
        let accounts = items(&accounts, "accounts");
        let calls = accounts
            .iter()
            .flat_map(|it| ["test", "live"].map(|kept| &it["calls"][kept]));
        let calls: u64 = calls.filter_map(serde_json::Value::as_u64).sum();
        let content = html! {
            section {
                p {
                    "This sets every account back to its beginning: wallets, keys, limits and receivers are as in the \
                     files, and calls, webhooks and what is still to come are gone. Only the clocks go on."
                }
                p { (accounts.len()) " accounts with " (calls) " calls:" }
                ul { @for account in accounts { li { (member(account, "id")) } } }
                form method="post" action=(self.to("/reset")) {
                    button.danger { "Reset all accounts" }
                }
                p { a href=(self.to(PART)) { "Leave them as they are" } }
            }
        };
        self.page(status, (PART, "Reset all accounts?"), &notice, &content)
    }
}
