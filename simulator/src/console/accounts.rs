//! The list of accounts, and the form that opens one.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use maud::{Markup, html};
use serde_json::json;

use super::Pages;
use super::api::{Refusal, encoded};
use super::form::Fields;
use super::layout::{Notice, cell, items, member, rupees, table, text};

const PART: &str = "/accounts";

pub(super) async fn list(State(pages): State<Arc<Pages>>, headers: HeaderMap) -> Response {
    pages.accounts(StatusCode::OK, Notice::of(&headers)).await
}

pub(super) async fn open(State(pages): State<Arc<Pages>>, body: Bytes) -> Response {
    let typed = Fields::form(&body);
    match opened(&pages, &typed).await {
        Ok(id) => pages.back(
            &format!("{PART}/{}", encoded(&id)),
            "The account was opened.",
        ),
        Err(refusal) => {
            let notice = Notice::refused(&refusal, typed);
            pages.accounts(refusal.status, notice).await
        }
    }
}

async fn opened(pages: &Pages, typed: &Fields) -> Result<String, Refusal> {
    let mut account = json!({ "id": typed.get("id") });
    if let Some(amount) = typed.filled("wallet") {
        account["walletInr"] = number(amount)?;
    }
    let opened = pages.api.post("/control/accounts", &account).await?;
    Ok(member(&opened, "id"))
}

/// An amount that somebody typed.
pub(super) fn number(typed: &str) -> Result<serde_json::Value, Refusal> {
    typed
        .parse::<f64>()
        .map(|it| json!(it))
        .map_err(|_| Refusal {
            status: StatusCode::BAD_REQUEST,
            message: "an amount is a number, such as 500 or 12.50".to_owned(),
            answer: serde_json::Value::Null,
        })
}

impl Pages {
    async fn accounts(&self, status: StatusCode, notice: Notice) -> Response {
        let accounts = match self.api.get("/control/accounts").await {
            Ok(accounts) => accounts,
            Err(refusal) => return self.refusal("/", &refusal),
        };
        let rows = items(&accounts, "accounts").iter().map(|it| {
            let id = member(it, "id");
            let calls = format!("{} test, {} live", it["calls"]["test"], it["calls"]["live"]);
            vec![
                html! { a href=(self.to(&format!("{PART}/{}", encoded(&id)))) { (id) } },
                html! { a href=(self.to(&format!("/time/{}", encoded(&id)))) { (member(it, "now")) } },
                cell(it, "clock"),
                html! { (rupees(&it["live"], "balance")) },
                html! { (rupees(&it["live"], "held")) },
                html! { (calls) },
            ]
        });
        let rows: Vec<Vec<Markup>> = rows.collect();
        let columns = [
            "Account",
            "Its clock shows",
            "Clock",
            "Live wallet, INR",
            "Held, INR",
            "Calls",
        ];
        let content = html! {
            section {
                h2 { "Open an account" }
                form method="post" action=(self.to(PART)) {
                    label { "Id: what its keys say after svc_test_ and svc_live_"
                        input name="id" required pattern="[A-Za-z0-9_.\\-]{1,100}" value=(text(notice.typed.get("id")));
                    }
                    label { "In its live wallet, INR"
                        input name="wallet" inputmode="decimal" value=(text(notice.typed.get("wallet")));
                    }
                    button { "Open" }
                }
                p { a href=(self.to("/import")) { "Read an account from a file" } ", as an account's page exports it" }
            }
            section {
                (table("Accounts", &columns, &rows))
                p { a href=(self.to("/reset")) { "Reset all accounts" } }
            }
        };
        self.page(status, (PART, "Accounts"), &notice, &content)
    }
}
